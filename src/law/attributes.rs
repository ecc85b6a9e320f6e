//! Attributes of objects and players. Each read is noted in the log.

use super::eval::Reader;
use super::ground::projection as at;
use crate::game::looks::EMPTY;
use crate::game::record::{EntryKind, NO_OBJECT, Obj, State, Value};
use crate::lang::tree::{Field, Zone};

impl Reader<'_, '_> {
    /// The zone of an object.
    pub fn zone(&self, st: &State, o: Obj) -> Option<Zone> {
        let Some(rec) = st.slots.get(usize::from(o)) else {
            if o == NO_OBJECT {
                return None;
            }
            self.log.full(self.law.stack_component());
            return st.entry_of(o).map(|_| Zone::Stack);
        };
        self.log.note(usize::from(o), at::ZONE);
        rec.zone
    }

    /// The controller of an object; of an ability its `you`.
    pub fn controller(&self, st: &State, o: Obj) -> u8 {
        let Some(rec) = st.slots.get(usize::from(o)) else { return self.ability_owner(st, o) };
        self.log.note(usize::from(o), at::CONTROLLER);
        rec.controller
    }

    fn ability_owner(&self, st: &State, o: Obj) -> u8 {
        self.log.full(self.law.stack_component());
        match st.entry_of(o).and_then(|i| st.stack.get(i)).map(|e| &e.what) {
            Some(EntryKind::Ability { you, .. }) => *you,
            _ => 0,
        }
    }

    /// The owner of an object.
    pub fn owner(&self, st: &State, o: Obj) -> u8 {
        let Some(rec) = st.slots.get(usize::from(o)) else { return self.ability_owner(st, o) };
        self.log.note(usize::from(o), at::OWNER);
        rec.owner
    }

    /// Whether an object is face down: a merged permanent, if its topmost component is.
    pub fn face_down(&self, st: &State, o: Obj) -> bool {
        self.lies_down(st, self.topmost(st, o))
    }

    /// Whether the card of a slot itself lies face down.
    fn lies_down(&self, st: &State, o: Obj) -> bool {
        let Some(rec) = st.slots.get(usize::from(o)) else { return false };
        self.log.note(usize::from(o), at::FACE_DOWN);
        rec.face_down
    }

    /// The components of an object, topmost first; none if it is not merged.
    pub fn parts<'s>(&self, st: &'s State, o: Obj) -> &'s [Obj] {
        let Some(rec) = st.slots.get(usize::from(o)) else { return &[] };
        if !self.law.setting.tracked.merges {
            return &[];
        }
        self.log.note(usize::from(o), at::PARTS);
        if !rec.parts.is_empty() {
            self.log.full(usize::from(o));
        }
        &rec.parts
    }

    /// The components of what is a permanent now.
    pub fn parts_in_play<'s>(&self, st: &'s State, o: Obj) -> &'s [Obj] {
        let parts = self.parts(st, o);
        let there = !parts.is_empty() && matches!(self.zone(st, o), Some(Zone::Battlefield | Zone::Phased));
        if there { parts } else { &[] }
    }

    /// The topmost component of a merged permanent; of anything else itself.
    pub fn topmost(&self, st: &State, o: Obj) -> Obj {
        self.parts_in_play(st, o).first().copied().unwrap_or(o)
    }

    /// The permanent that a card is a component of; what is in no pile is its own.
    pub fn pile(&self, st: &State, o: Obj) -> Obj {
        if !self.law.setting.tracked.merges || self.zone(st, o) != Some(Zone::Beneath) {
            return o;
        }
        (0..st.slots.len() as Obj).find(|h| self.parts(st, *h).contains(&o)).unwrap_or(o)
    }

    /// The active player.
    pub fn active(&self, st: &State) -> u8 {
        self.log.note(self.law.table_component(), at::ACTIVE);
        st.table.active
    }

    /// Whether the game is over.
    pub fn over(&self, st: &State) -> bool {
        self.log.note(self.law.table_component(), at::OVER);
        st.table.over
    }

    /// Whether a player is in the game.
    pub fn in_game(&self, st: &State, p: u8) -> bool {
        let Some(rec) = st.players.get(usize::from(p)) else { return false };
        self.log.note(self.law.player_component(p), at::IN_GAME);
        rec.in_game
    }

    /// How many entries the stack has.
    pub fn stack_length(&self, st: &State) -> usize {
        self.log.note(self.law.stack_component(), at::LENGTH);
        st.stack_length()
    }

    /// Whether a slot holds something.
    pub fn exists(&self, st: &State, slot: usize) -> bool {
        if slot < self.law.setting.cards {
            return true;
        }
        let is = st.slots[slot].zone.is_some();
        self.log.note(slot, at::EXISTS);
        is
    }

    /// An attribute of an object that is no look.
    pub fn field(&self, st: &State, o: Obj, field: Field) -> Value {
        let c = usize::from(o);
        // A token slot that holds nothing is no object.
        let held = c < st.slots.len() && self.exists(st, c);
        let Some(rec) = st.slots.get(c).filter(|_| held) else {
            let ability = o != NO_OBJECT && c >= st.slots.len();
            return match field {
                Field::Owner | Field::Controller | Field::Home if ability => Value::Player(self.ability_owner(st, o)),
                Field::Owner | Field::Controller | Field::Home => Value::Player(u8::MAX),
                Field::Ability => Value::Bool(ability),
                Field::Cardless
                | Field::FaceDown
                | Field::Tapped
                | Field::Transformed
                | Field::DoubleFaced
                | Field::Merged
                | Field::LiesDown => Value::Bool(false),
                Field::Pile | Field::Topmost => Value::Object(if ability { o } else { NO_OBJECT }),
                Field::FaceDownBy => Value::Way(None),
                Field::Listed | Field::OtherFace => Value::Look(EMPTY),
                Field::Damage | Field::Stamp => Value::Number(0),
                Field::Host | Field::LeftWith => Value::Object(NO_OBJECT),
            };
        };
        match field {
            Field::Owner => Value::Player(self.owner(st, o)),
            Field::Controller => Value::Player(self.controller(st, o)),
            Field::Home => {
                self.log.note(c, at::HOME);
                Value::Player(rec.home)
            }
            Field::FaceDown => Value::Bool(self.face_down(st, o)),
            Field::FaceDownBy => {
                let top = usize::from(self.topmost(st, o));
                self.log.note(top, at::WAY);
                Value::Way(st.slots[top].way)
            }
            Field::Listed => {
                let top = usize::from(self.topmost(st, o));
                self.log.note(top, at::LISTED);
                Value::Look(st.slots[top].listed)
            }
            Field::LiesDown => Value::Bool(self.lies_down(st, o)),
            Field::LeftWith => {
                self.log.note(c, at::LEFT_WITH);
                Value::Object(rec.left_with)
            }
            Field::Merged => Value::Bool(!self.parts(st, o).is_empty()),
            Field::Topmost => Value::Object(self.topmost(st, o)),
            Field::Pile => Value::Object(self.pile(st, o)),
            Field::Tapped => {
                self.log.note(c, at::TAPPED);
                Value::Bool(rec.tapped)
            }
            Field::Transformed => {
                self.log.note(c, at::TRANSFORMED);
                Value::Bool(rec.transformed)
            }
            Field::Damage => {
                self.log.note(c, at::DAMAGE);
                Value::Number(i32::from(rec.damage))
            }
            Field::Host => {
                self.log.note(c, at::HOST);
                Value::Object(rec.host)
            }
            Field::Stamp => {
                self.log.full(self.law.stamps_component());
                Value::Number(st.stamps.iter().position(|q| *q == o).map_or(0, |i| i as i32 + 1))
            }
            Field::Cardless => {
                let top = usize::from(self.topmost(st, o));
                self.log.note(top, at::CARD);
                Value::Bool(st.slots[top].card.is_none())
            }
            Field::DoubleFaced | Field::OtherFace => {
                self.log.note(c, at::CARD);
                if rec.card.is_none() {
                    self.log.full(c);
                }
                let back = self.law.back(rec);
                if field == Field::DoubleFaced {
                    return Value::Bool(back.is_some());
                }
                self.log.note(c, at::TRANSFORMED);
                Value::Look(match back {
                    Some(back) if !rec.transformed => back,
                    Some(_) => rec.printed,
                    None => EMPTY,
                })
            }
            Field::Ability => Value::Bool(false),
        }
    }

    /// How many counters of a kind are on an object.
    pub fn counters(&self, st: &State, o: Obj, kind: u16) -> i32 {
        let c = usize::from(o);
        let Some(rec) = st.slots.get(c) else { return 0 };
        let n = rec.counters.get(usize::from(kind)).copied().unwrap_or(0);
        if kind < at::COUNTER_KINDS {
            self.log.note(c, at::COUNTERS + kind as u8);
        } else {
            self.log.full(c);
        }
        i32::from(n)
    }

    /// The markers and ghosts of an object or player.
    pub fn marks(&self, st: &State, on: Value) -> u64 {
        match on {
            Value::Object(o) => {
                let Some(rec) = st.slots.get(usize::from(o)) else { return 0 };
                self.log.note(usize::from(o), at::MARKS);
                rec.marks
            }
            Value::Player(p) => {
                let Some(rec) = st.players.get(usize::from(p)) else { return 0 };
                self.log.note(self.law.player_component(p), at::PLAYER_MARKS);
                rec.marks
            }
            _ => 0,
        }
    }

    /// A card of a library by its place from the top.
    pub fn library_card(&self, st: &State, p: u8, place: usize) -> Obj {
        let Some(rec) = st.players.get(usize::from(p)) else { return NO_OBJECT };
        let o = rec.library.get(place).copied().unwrap_or(NO_OBJECT);
        let projection = if place == 0 { at::TOP } else { at::SECOND };
        self.log.note(self.law.player_component(p), projection);
        o
    }
}
