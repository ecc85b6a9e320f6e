//! The records that make up a state, one for each component: a slot, a player, the stack, the table, the order of
//! stamps. A state is a tuple of shared records, so that a snapshot of it costs a few counters.

use crate::lang::tree::{CardId, ClauseId, CounterId, Duration, EventName, ModId, NameId, Place, WayId, Zone};
use std::rc::Rc;

/// An object: a slot, or `slots + i` for the ability that is entry `i` of the stack.
pub type Obj = u8;
/// No object.
pub const NO_OBJECT: Obj = u8::MAX;

/// Number of an interned look.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct LookId(pub u32);

/// Number of an interned cost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct CostId(pub u32);

/// A value of the language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[allow(missing_docs)]
pub enum Value {
    Bool(bool),
    Number(i32),
    Player(u8),
    Object(Obj),
    Look(LookId),
    Cost(Option<CostId>),
    Name(Option<NameId>),
    Way(Option<WayId>),
    Zone(Zone),
    Duration(Duration),
    Place(Place),
    Counter(CounterId),
    Event(EventName),
}

/// What a slot holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct SlotRec {
    /// Its card; none: a token, the copy of a spell or a free slot.
    pub card: Option<CardId>,
    /// What made a cardless object; for a card its front face.
    pub printed: LookId,
    /// The other face of a token that has one (the empty look if not, and of a card, whose faces the program has).
    pub back: LookId,
    /// Where it is; none: a free token slot.
    pub zone: Option<Zone>,
    /// Owner.
    pub owner: u8,
    /// Controller.
    pub controller: u8,
    /// Under whose control it entered.
    pub home: u8,
    /// Face down.
    pub face_down: bool,
    /// What turned it down.
    pub way: Option<WayId>,
    /// The listed look (the empty look while face up).
    pub listed: LookId,
    /// Tapped.
    pub tapped: bool,
    /// Shows its other face.
    pub transformed: bool,
    /// Damage marked.
    pub damage: u8,
    /// What it is attached to.
    pub host: Obj,
    /// Copy effects, oldest first.
    pub copies: Vec<(LookId, Duration)>,
    /// Given effects, oldest first.
    pub gives: Vec<(ModId, Duration)>,
    /// Counters by kind.
    pub counters: Vec<u8>,
    /// Players who know the card, a bit each.
    pub known: u8,
    /// Markers and ghosts, a bit each.
    pub marks: u64,
    /// The components of a merged permanent, topmost first, this slot among them; none of what is not merged.
    pub parts: Vec<Obj>,
    /// The permanent as one of whose components it left the battlefield.
    pub left_with: Obj,
}

/// What is kept of a player.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct PlayerRec {
    /// In the game.
    pub in_game: bool,
    /// Markers and ghosts, a bit each.
    pub marks: u64,
    /// Mana left to spend in the whole play, if limited.
    pub mana: Option<u16>,
    /// The library, top first.
    pub library: Vec<Obj>,
}

/// An entry of the stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Entry {
    /// Spell or ability.
    pub what: EntryKind,
    /// What it aims at.
    pub aims: Obj,
    /// Whether it was put there with a target: if that is gone it does nothing.
    pub targeted: bool,
}

/// What an entry of the stack is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum EntryKind {
    /// The spell in a slot.
    Spell(Obj),
    /// An ability.
    Ability {
        /// Its clause.
        clause: ClauseId,
        /// The object that had it.
        source: Obj,
        /// Who controls it.
        you: u8,
        /// The values of its frame.
        vars: Vec<Value>,
    },
    /// Removed in this step; taken out at its end, so that places stay good while it lasts.
    Gone,
}

/// What belongs to nobody.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Table {
    /// Whose turn it is.
    pub active: u8,
    /// The game is over.
    pub over: bool,
}

/// A state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct State {
    /// The slots.
    pub slots: Vec<Rc<SlotRec>>,
    /// The players.
    pub players: Vec<Rc<PlayerRec>>,
    /// The stack, bottom first.
    pub stack: Rc<Vec<Entry>>,
    /// The table.
    pub table: Rc<Table>,
    /// Slots on the battlefield or phased, oldest stamp first; empty if stamps are not tracked.
    pub stamps: Rc<Vec<Obj>>,
}

/// A component's record, by kind.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Record {
    Slot(Rc<SlotRec>),
    Player(Rc<PlayerRec>),
    Stack(Rc<Vec<Entry>>),
    Table(Rc<Table>),
    Stamps(Rc<Vec<Obj>>),
}

impl State {
    /// How many components: slots, players, stack, table, stamps, in this order.
    pub fn components(&self) -> usize {
        self.slots.len() + self.players.len() + 3
    }

    /// The record of a component.
    pub fn record(&self, component: usize) -> Record {
        let (s, p) = (self.slots.len(), self.players.len());
        match component {
            c if c < s => Record::Slot(self.slots[c].clone()),
            c if c < s + p => Record::Player(self.players[c - s].clone()),
            c if c == s + p => Record::Stack(self.stack.clone()),
            c if c == s + p + 1 => Record::Table(self.table.clone()),
            _ => Record::Stamps(self.stamps.clone()),
        }
    }

    /// Puts records back together, in component order.
    pub fn assemble<'a>(slots: usize, players: usize, mut records: impl Iterator<Item = &'a Record>) -> Option<State> {
        let mut state = State {
            slots: Vec::with_capacity(slots),
            players: Vec::with_capacity(players),
            stack: Rc::default(),
            table: Rc::new(Table { active: 0, over: false }),
            stamps: Rc::default(),
        };
        for _ in 0..slots {
            let Record::Slot(r) = records.next()? else { return None };
            state.slots.push(r.clone());
        }
        for _ in 0..players {
            let Record::Player(r) = records.next()? else { return None };
            state.players.push(r.clone());
        }
        let (Record::Stack(k), Record::Table(t), Record::Stamps(o)) =
            (records.next()?, records.next()?, records.next()?)
        else {
            return None;
        };
        (state.stack, state.table, state.stamps) = (k.clone(), t.clone(), o.clone());
        Some(state)
    }

    /// The place in the stack of an object that is on it.
    pub fn entry_of(&self, o: Obj) -> Option<usize> {
        let slots = self.slots.len();
        if usize::from(o) >= slots {
            let i = usize::from(o) - slots;
            return matches!(self.stack.get(i)?.what, EntryKind::Ability { .. }).then_some(i);
        }
        self.stack.iter().position(|e| matches!(e.what, EntryKind::Spell(s) if s == o))
    }

    /// The object that is entry `i` of the stack.
    pub fn object_at(&self, i: usize) -> Obj {
        match self.stack.get(i).map(|e| &e.what) {
            Some(EntryKind::Spell(s)) => *s,
            Some(EntryKind::Ability { .. }) => (self.slots.len() + i) as Obj,
            Some(EntryKind::Gone) | None => NO_OBJECT,
        }
    }

    /// How many entries the stack has.
    pub fn stack_length(&self) -> usize {
        self.stack.iter().filter(|e| e.what != EntryKind::Gone).count()
    }

    /// The top of the stack, or no object.
    pub fn top_of_stack(&self) -> Obj {
        (0..self.stack.len()).rev().map(|i| self.object_at(i)).find(|o| *o != NO_OBJECT).unwrap_or(NO_OBJECT)
    }
}
