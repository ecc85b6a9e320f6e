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

    /// Whether an object is face down.
    pub fn face_down(&self, st: &State, o: Obj) -> bool {
        let Some(rec) = st.slots.get(usize::from(o)) else { return false };
        self.log.note(usize::from(o), at::FACE_DOWN);
        rec.face_down
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
        let Some(rec) = st.slots.get(c) else {
            let ability = o != NO_OBJECT;
            return match field {
                Field::Owner | Field::Controller | Field::Home if ability => Value::Player(self.ability_owner(st, o)),
                Field::Owner | Field::Controller | Field::Home => Value::Player(u8::MAX),
                Field::Ability => Value::Bool(ability),
                Field::Cardless | Field::FaceDown | Field::Tapped | Field::Transformed | Field::DoubleFaced => {
                    Value::Bool(false)
                }
                Field::FaceDownBy => Value::Way(None),
                Field::Listed | Field::OtherFace => Value::Look(EMPTY),
                Field::Damage | Field::Stamp => Value::Number(0),
                Field::Host => Value::Object(NO_OBJECT),
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
                self.log.note(c, at::WAY);
                Value::Way(rec.way)
            }
            Field::Listed => {
                self.log.note(c, at::LISTED);
                Value::Look(rec.listed)
            }
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
            Field::Cardless | Field::DoubleFaced | Field::OtherFace => {
                self.log.note(c, at::CARD);
                let back = rec.card.and_then(|k| self.law.program.cards[k.index()].back.as_ref());
                match field {
                    Field::Cardless => Value::Bool(rec.card.is_none()),
                    Field::DoubleFaced => Value::Bool(back.is_some()),
                    _ => {
                        self.log.note(c, at::TRANSFORMED);
                        Value::Look(match back {
                            Some(back) if !rec.transformed => self.law.looks.look(back),
                            Some(_) => rec.printed,
                            None => EMPTY,
                        })
                    }
                }
            }
            Field::Ability => Value::Bool(false),
        }
    }

    /// How many counters of a kind are on an object.
    pub fn counters(&self, st: &State, o: Obj, kind: u16) -> i32 {
        let c = usize::from(o);
        let Some(rec) = st.slots.get(c) else { return 0 };
        let n = rec.counters.get(usize::from(kind)).copied().unwrap_or(0);
        if kind < 8 {
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
