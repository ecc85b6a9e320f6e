//! States as plain structs: public fields, nothing packed, nothing shared. It knows no rule; [`super::verbs`] changes
//! states and [`super::looks`] says what is seen in them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::looks::Carried;
use super::offers::Attempt;
use crate::lang::tree::{
    CardId, ClauseId, Cost, CounterId, Duration, EventName, Look, ModId, NameId, Place, ViewId, WayId, Zone,
};

/// An object: a slot, or an ability on the stack by its [`Entry::id`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Obj {
    /// A card or token.
    Slot(u8),
    /// An ability on the stack. Between steps its place, 0 being the bottom.
    Ability(u16),
}

/// A value of the language.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
#[allow(missing_docs)]
pub enum Value {
    /// A variable that nothing is bound to.
    #[default]
    Unset,
    Bool(bool),
    Number(i32),
    Player(u8),
    Object(Option<Obj>),
    Look(Look),
    Cost(Option<Cost>),
    Name(Option<NameId>),
    Way(Option<WayId>),
    Zone(Zone),
    Duration(Duration),
    Place(Place),
    Counter(CounterId),
    Event(EventName),
}

impl Value {
    /// Whether it is yes.
    pub fn yes(&self) -> bool {
        *self == Value::Bool(true)
    }
    /// The object, if it is one and not `none`.
    pub fn object(&self) -> Option<Obj> {
        if let Value::Object(o) = self { *o } else { None }
    }
    /// The player, if it is one.
    pub fn player(&self) -> Option<u8> {
        if let Value::Player(p) = self { Some(*p) } else { None }
    }
    /// The number; anything else is 0.
    pub fn number(&self) -> i32 {
        if let Value::Number(n) = self { *n } else { 0 }
    }
    /// The cost; anything else can't be paid.
    pub fn cost(self) -> Option<Cost> {
        if let Value::Cost(c) = self { c } else { None }
    }
}

/// A slot: a card wherever it is, or a token slot.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Piece {
    /// None: a token slot.
    pub card: Option<CardId>,
    /// What a token was made as; the empty look of a card, whose faces are in the program.
    pub printed: Look,
    /// None: a free token slot, whose other fields are all initial.
    pub zone: Option<Zone>,
    /// Its owner.
    pub owner: u8,
    /// Its controller.
    pub controller: u8,
    /// Under whose control it entered; its owner off the battlefield, and where `home` is not tracked.
    pub home: u8,
    /// Its status.
    pub face_down: bool,
    /// What turned it down; none of what is face up.
    pub way: Option<WayId>,
    /// The look listed for it; none of what is face up.
    pub listed: Option<Look>,
    /// Its status.
    pub tapped: bool,
    /// Whether its other face is up.
    pub transformed: bool,
    /// Damage on it.
    pub damage: i32,
    /// The slot it is attached to.
    pub host: Option<u8>,
    /// Copy effects, oldest first, at most one of a duration.
    pub copies: Vec<(Look, Duration)>,
    /// Given effects, oldest first, each once.
    pub gives: Vec<(ModId, Duration)>,
    /// Counters of each kind of the program.
    pub counters: Vec<i32>,
    /// One bit a player.
    pub known: u8,
    /// One bit for each marker and ghost of the program.
    pub marks: u64,
    /// The slots that represent it, topmost first, itself among them; empty if it is not merged.
    pub parts: Vec<u8>,
    /// The slot of the permanent as one of whose components it left the battlefield, until that moves on.
    pub left_with: Option<u8>,
    /// The other face of a token; the empty look if it has none, and of a card.
    pub back: Look,
}

impl Piece {
    /// Gives it an effect, which then is the newest; of the same it has so many at most.
    pub fn give(&mut self, given: (ModId, Duration), most: usize) {
        while self.gives.iter().filter(|g| **g == given).count() >= most.max(1) {
            let Some(oldest) = self.gives.iter().position(|g| *g == given) else { break };
            self.gives.remove(oldest);
        }
        self.gives.push(given);
    }
}

/// What a stack entry is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum What {
    /// A spell: a slot in zone `stack`.
    Spell(u8),
    /// An ability.
    Ability {
        /// The clause whose body it will do.
        clause: ClauseId,
        /// `self`, or the object of a law's permit.
        source: Option<Obj>,
        /// Its controller.
        you: u8,
        /// The variables of the clause's frame, `self`, `you` and toll included; unbound ones and the target's are unset.
        vars: Vec<Value>,
    },
}

/// An object on the stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Entry {
    /// Names it within one step; between steps it is the place in the stack.
    pub id: u16,
    /// What it is.
    pub what: What,
    /// Its target.
    pub aims: Option<Obj>,
}

impl Entry {
    /// The object that it is.
    pub fn object(&self) -> Obj {
        match self.what {
            What::Spell(slot) => Obj::Slot(slot),
            What::Ability { .. } => Obj::Ability(self.id),
        }
    }
}

/// A player.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Seat {
    /// Has not left.
    pub in_game: bool,
    /// One bit for each marker and ghost of the program.
    pub marks: u64,
    /// What is left to spend; none: no limit.
    pub mana: Option<i32>,
}

/// A state between two steps (MEANING 1).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct State {
    /// The cards in order of the `start` lines, then the token slots.
    pub slots: Vec<Piece>,
    /// For each player: slots, top first.
    pub libraries: Vec<Vec<u8>>,
    /// Bottom first.
    pub stack: Vec<Entry>,
    /// Whose turn it is.
    pub active: u8,
    /// The players.
    pub seats: Vec<Seat>,
    /// The game has ended.
    pub over: bool,
    /// The slots on the battlefield or phased, oldest stamp first; empty where stamps are not tracked.
    pub stamps: Vec<u8>,
}

impl State {
    /// The slot of an object, if it is one that holds something.
    pub fn piece(&self, o: Obj) -> Option<&Piece> {
        let Obj::Slot(i) = o else { return None };
        self.slots.get(usize::from(i)).filter(|p| p.zone.is_some())
    }

    /// Whether it is a permanent, phased out or not.
    pub fn permanent(&self, o: Obj) -> bool {
        matches!(self.zone(o), Some(Zone::Battlefield | Zone::Phased))
    }

    /// The component on top of a merged permanent; anything else is its own.
    pub fn topmost(&self, o: Obj) -> Obj {
        let first = self.piece(o).and_then(|p| p.parts.first());
        first.filter(|_| self.permanent(o)).map_or(o, |&i| Obj::Slot(i))
    }

    /// What is asked about the status of an object, and whether it is a token: the slot of its topmost component.
    pub fn shown(&self, o: Obj) -> Option<&Piece> {
        self.piece(self.topmost(o))
    }

    /// The components of a merged permanent below its topmost, if it is one.
    pub fn below(&self, o: Obj) -> &[u8] {
        let parts = self.piece(o).filter(|_| self.permanent(o)).map_or(&[][..], |p| &p.parts);
        parts.get(1..).unwrap_or_default()
    }

    /// The permanent that something `beneath` is a component of; anything else is its own.
    pub fn pile(&self, o: Obj) -> Obj {
        let Obj::Slot(i) = o else { return o };
        if self.zone(o) != Some(Zone::Beneath) {
            return o;
        }
        let holds = |x: &Obj| self.piece(*x).is_some_and(|p| p.parts.contains(&i));
        self.pieces().find(holds).unwrap_or(o)
    }

    /// The stack entry of an object, spell or ability.
    pub fn entry(&self, o: Obj) -> Option<&Entry> {
        self.stack.iter().find(|e| e.object() == o)
    }

    /// Whether the object is there at all.
    pub fn holds(&self, o: Obj) -> bool {
        self.zone(o).is_some()
    }

    /// Where an object is.
    pub fn zone(&self, o: Obj) -> Option<Zone> {
        match o {
            Obj::Slot(_) => self.piece(o).and_then(|p| p.zone),
            Obj::Ability(_) => self.entry(o).map(|_| Zone::Stack),
        }
    }

    /// Whose it is; of an ability its controller.
    pub fn owner(&self, o: Obj) -> Option<u8> {
        self.piece(o).map(|p| p.owner).or_else(|| self.ability_of(o))
    }

    /// Who controls it.
    pub fn controller(&self, o: Obj) -> Option<u8> {
        self.piece(o).map(|p| p.controller).or_else(|| self.ability_of(o))
    }

    fn ability_of(&self, o: Obj) -> Option<u8> {
        let Obj::Ability(_) = o else { return None };
        match self.entry(o)?.what {
            What::Ability { you, .. } => Some(you),
            What::Spell(_) => None,
        }
    }

    /// The slots that hold something.
    pub fn pieces(&self) -> impl Iterator<Item = Obj> + '_ {
        (0u8..).zip(&self.slots).filter(|(_, p)| p.zone.is_some()).map(|(i, _)| Obj::Slot(i))
    }

    /// All objects: slots, then abilities from the bottom of the stack.
    pub fn objects(&self) -> Vec<Obj> {
        self.pieces().chain(self.stack.iter().map(Entry::object).filter(|o| matches!(o, Obj::Ability(_)))).collect()
    }

    /// The players, by place.
    pub fn players(&self) -> std::ops::Range<u8> {
        0..u8::try_from(self.seats.len()).unwrap_or(u8::MAX)
    }

    /// The age of an object's stamp, from 1; 0 without one.
    pub fn stamp(&self, o: Obj) -> i32 {
        let Obj::Slot(i) = o else { return 0 };
        (1i32..).zip(&self.stamps).find(|&(_, &s)| s == i).map_or(0, |(rank, _)| rank)
    }

    /// Makes every ability's id its place, and what names an ability that is gone `none`; `more` are further values
    /// that may name abilities.
    pub fn renumber(&mut self, more: &mut [Value]) {
        let places: HashMap<u16, u16> = (0u16..).zip(&self.stack).map(|(place, e)| (e.id, place)).collect();
        let moved = |o: Obj| match o {
            Obj::Slot(_) => Some(o),
            Obj::Ability(id) => places.get(&id).map(|&p| Obj::Ability(p)),
        };
        let value = |v: &mut Value| {
            if let Value::Object(o) = v {
                *o = o.and_then(moved);
            }
        };
        for e in &mut self.stack {
            e.id = places.get(&e.id).copied().unwrap_or_default();
            e.aims = e.aims.and_then(moved);
            if let What::Ability { source, vars, .. } = &mut e.what {
                *source = source.and_then(moved);
                vars.iter_mut().for_each(value);
            }
        }
        more.iter_mut().for_each(value);
    }
}

/// A state with what has been worked out about it. Copying one to change it forgets that.
#[derive(Debug)]
pub struct Snap {
    /// The state.
    pub state: State,
    pub(super) looks: RefCell<HashMap<(Obj, LookKey), Rc<Look>>>,
    pub(super) carried: RefCell<HashMap<ViewId, Rc<Vec<Carried>>>>,
    pub(super) attempts: RefCell<HashMap<u8, Rc<Vec<Attempt>>>>,
}

/// Which look of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(super) enum LookKey {
    /// Through a view.
    Whole(ViewId),
    /// The first so many layers of `now`.
    Part(usize),
}

impl Snap {
    /// A state about which nothing is worked out yet.
    pub fn new(state: State) -> Rc<Snap> {
        Rc::new(Snap::fresh(state))
    }

    fn fresh(state: State) -> Snap {
        Snap { state, looks: RefCell::default(), carried: RefCell::default(), attempts: RefCell::default() }
    }

    /// The state, to be changed.
    pub(super) fn edit(this: &mut Rc<Snap>) -> &mut State {
        let snap = Rc::make_mut(this);
        snap.looks.get_mut().clear();
        snap.carried.get_mut().clear();
        snap.attempts.get_mut().clear();
        &mut snap.state
    }
}

impl Clone for Snap {
    fn clone(&self) -> Snap {
        Snap::fresh(self.state.clone())
    }
}
