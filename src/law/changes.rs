//! What each built-in verb changes. Physics alone: no rule of the game stands here.

use super::eval::Env;
use super::profile::Cause;
use super::verbs::{Run, Stop};
use crate::game::looks::EMPTY;
use crate::game::record::{Entry, EntryKind, NO_OBJECT, Obj, PlayerRec, SlotRec, Value};
use crate::lang::diag::Code;
use crate::lang::tree::{Duration, Place, Program, Ty, Verb, Zone};
use itertools::Itertools;
use std::rc::Rc;

/// The largest library whose every order is tried by one `shuffle`.
pub const SHUFFLE_MAX: usize = 5;

fn object(v: Option<&Value>) -> Obj {
    match v {
        Some(Value::Object(o)) => *o,
        _ => NO_OBJECT,
    }
}

/// The player that an argument names.
pub(super) fn player(v: Option<&Value>) -> u8 {
    match v {
        Some(Value::Player(p)) => *p,
        _ => 0,
    }
}

fn zone(v: Option<&Value>) -> Option<Zone> {
    match v {
        Some(Value::Zone(z)) => Some(*z),
        _ => None,
    }
}

/// The bits of markers and ghosts of objects or players that last a turn.
pub fn marks_of_a_turn(program: &Program, on: Ty) -> u64 {
    let markers = program.markers.iter().enumerate();
    markers.filter(|(_, m)| m.turn && m.on == on).fold(0, |bits, (i, _)| bits | 1 << i)
}

/// Whether the end of a turn changes anything of a slot.
pub fn ends_with_turn(rec: &SlotRec, marks: u64) -> bool {
    rec.damage > 0
        || rec.marks & marks != 0
        || rec.gives.iter().any(|g| g.1 == Duration::EndOfTurn)
        || rec.copies.iter().any(|c| c.1 == Duration::EndOfTurn)
}

impl Run<'_, '_> {
    /// Whether a verb that nothing forbids can happen at all.
    pub fn changes(&self, verb: Verb, args: &[Value]) -> bool {
        let o = object(args.first());
        let slot = usize::from(o) < self.state.slots.len();
        match verb {
            Verb::Move => {
                let (from, to) = (self.reader.zone(&self.state, o), zone(args.get(1)));
                let taken = matches!(to, Some(Zone::Battlefield | Zone::Stack))
                    && player(args.get(2)) != self.reader.controller(&self.state, o);
                slot && from.is_some() && to != Some(Zone::Beneath) && (from != to || taken)
            }
            Verb::Pay => self.can_pay(args),
            Verb::TurnDown
            | Verb::TurnUp
            | Verb::Bare
            | Verb::Renew
            | Verb::Reveal
            | Verb::Show
            | Verb::Forget
            | Verb::BecomeCopy
            | Verb::Attach
            | Verb::Detach
            | Verb::Tap
            | Verb::Untap
            | Verb::AddCounter
            | Verb::RemoveCounter
            | Verb::Deal
            | Verb::Control
            | Verb::Phase
            | Verb::Transform
            | Verb::TurnOver
            | Verb::Cover
            | Verb::Cast => slot && self.reader.zone(&self.state, o).is_some(),
            Verb::Merge => self.can_merge(o, object(args.get(1))),
            Verb::Cease | Verb::Run => self.reader.zone(&self.state, o).is_some(),
            Verb::Create
            | Verb::Shuffle
            | Verb::Target
            | Verb::Take
            | Verb::Activate
            | Verb::Trigger
            | Verb::Apply
            | Verb::EndTurn
            | Verb::Quit
            | Verb::EndGame
            | Verb::Procedure(_) => true,
        }
    }

    /// The change itself; false if it was stopped.
    pub fn change(&mut self, verb: Verb, args: &[Value]) -> bool {
        let o = object(args.first());
        match verb {
            Verb::Move => self.move_to(o, zone(args.get(1)), player(args.get(2))),
            Verb::Create => self.create(o, args.get(1), args.get(3)),
            Verb::Cease => self.cease(o),
            Verb::Run => self.run_entry(o),
            Verb::Cast => return self.cast(o, player(args.get(1))),
            Verb::TurnDown => {
                let topmost = self.reader.topmost(&self.state, o);
                self.cover(topmost, args);
                let rec = self.slot(o);
                rec.copies.retain(|c| c.1 != Duration::TurnedDown);
                rec.gives.retain(|c| c.1 != Duration::TurnedDown);
                self.stamp_anew(o);
            }
            Verb::TurnUp => {
                let topmost = self.reader.topmost(&self.state, o);
                self.bare(topmost);
                self.stamp_anew(o);
            }
            Verb::Bare => self.bare(o),
            Verb::Cover => self.cover(o, args),
            Verb::Renew => self.renew(o),
            Verb::Reveal => {
                let all = (1u16 << self.state.players.len()) - 1;
                self.know(o, all as u8);
            }
            Verb::Show => self.know(o, 1 << player(args.get(1)).min(7)),
            Verb::Forget => {
                if self.reader.law.setting.tracked.known {
                    self.slot(o).known = 0;
                }
            }
            Verb::Shuffle => self.shuffle(player(args.first())),
            Verb::BecomeCopy => {
                if let (Some(Value::Look(l)), Some(Value::Duration(d))) = (args.get(1), args.get(3)) {
                    let rec = self.slot(o);
                    rec.copies.retain(|c| c.1 != *d);
                    rec.copies.push((*l, *d));
                }
            }
            Verb::Attach => {
                self.slot(o).host = object(args.get(1));
                self.stamp_anew(o);
            }
            Verb::Detach => self.slot(o).host = NO_OBJECT,
            Verb::Tap => self.slot(o).tapped = true,
            Verb::Untap => self.slot(o).tapped = false,
            Verb::AddCounter => self.add_counter(o, args),
            Verb::RemoveCounter => {
                if let (Some(Value::Counter(k)), Some(Value::Number(n))) = (args.get(1), args.get(2)) {
                    let had = &mut self.slot(o).counters[k.index()];
                    *had = had.saturating_sub((*n).clamp(0, 99) as u8);
                }
            }
            Verb::Deal => {
                if let (Some(Value::Number(n)), true) = (args.get(1), self.reader.law.setting.tracked.damage) {
                    let n = (*n).clamp(0, 99) as u8;
                    let rec = self.slot(o);
                    rec.damage = rec.damage.saturating_add(n).min(99);
                }
            }
            Verb::Control => self.slot(o).controller = player(args.get(1)),
            Verb::Phase => {
                let to = match self.reader.zone(&self.state, o) {
                    Some(Zone::Battlefield) => Zone::Phased,
                    Some(Zone::Phased) => Zone::Battlefield,
                    _ => return true,
                };
                self.slot(o).zone = Some(to);
            }
            Verb::Transform => {
                if self.reader.parts(&self.state, o).is_empty() {
                    let rec = self.slot(o);
                    rec.transformed = !rec.transformed;
                }
                self.stamp_anew(o);
            }
            Verb::TurnOver => {
                let law = self.reader.law;
                let rec = self.slot(o);
                rec.transformed ^= law.back(rec).is_some();
            }
            Verb::Merge if !self.changes(verb, args) => return false,
            Verb::Merge => self.merge(o, object(args.get(1)), args.get(2) == Some(&Value::Place(Place::OnTop))),
            Verb::Pay => return self.pay(args),
            Verb::EndTurn => self.end_turn(),
            Verb::Quit => self.player_rec(player(args.first())).in_game = false,
            Verb::EndGame => {
                self.reader.log.full(self.reader.law.table_component());
                Rc::make_mut(&mut self.state.table).over = true;
            }
            Verb::Procedure(p) => {
                let procedure = &self.reader.law.program.procedures[p.index()];
                let mut env = Env::of(&procedure.frame);
                for (i, a) in args.iter().enumerate() {
                    env.set(i as u8, *a);
                }
                let law = self.reader.law;
                law.timed(Cause::Procedure(p), || self.block(&procedure.body, &mut env));
            }
            Verb::Target | Verb::Take | Verb::Activate | Verb::Trigger | Verb::Apply => {}
        }
        !self.stopped()
    }

    pub(super) fn player_rec(&mut self, p: u8) -> &mut PlayerRec {
        self.reader.log.full(self.reader.law.player_component(p));
        Rc::make_mut(&mut self.state.players[usize::from(p)])
    }

    pub(super) fn stack(&mut self) -> &mut Vec<Entry> {
        self.reader.log.full(self.reader.law.stack_component());
        Rc::make_mut(&mut self.state.stack)
    }

    fn know(&mut self, o: Obj, players: u8) {
        if self.reader.law.setting.tracked.known {
            self.slot(o).known |= players;
        }
    }

    fn cover(&mut self, o: Obj, args: &[Value]) {
        let rec = self.slot(o);
        rec.face_down = true;
        if let (Some(Value::Look(l)), Some(Value::Way(w))) = (args.get(1), args.get(2)) {
            (rec.listed, rec.way) = (*l, *w);
        }
    }

    fn bare(&mut self, o: Obj) {
        let rec = self.slot(o);
        rec.face_down = false;
        rec.way = None;
        rec.listed = EMPTY;
    }

    fn stamp_anew(&mut self, o: Obj) {
        let there = matches!(self.state.slots[usize::from(o)].zone, Some(Zone::Battlefield | Zone::Phased));
        self.stamp(o, there);
    }

    /// Takes an object out of the order of stamps and, if it is to have one, puts it last.
    fn stamp(&mut self, o: Obj, last: bool) {
        if !self.reader.law.setting.tracked.stamps {
            return;
        }
        self.reader.log.full(self.reader.law.stamps_component());
        let stamps = Rc::make_mut(&mut self.state.stamps);
        stamps.retain(|q| *q != o);
        if last {
            stamps.push(o);
        }
    }

    fn move_to(&mut self, o: Obj, to: Option<Zone>, under: u8) {
        let Some(to) = to else { return };
        let home_tracked = self.reader.law.setting.tracked.home;
        let from = self.slot(o).zone;
        self.found_through(o, from);
        let rec = self.slot(o);
        let owner = rec.owner;
        rec.zone = Some(to);
        rec.controller = if matches!(to, Zone::Battlefield | Zone::Stack) { under } else { owner };
        if rec.card.is_none() && from == Some(Zone::Outside) && matches!(to, Zone::Battlefield | Zone::Stack) {
            rec.owner = under;
        }
        if home_tracked {
            rec.home = if matches!(to, Zone::Battlefield | Zone::Stack) { under } else { rec.owner };
        }
        self.leave_place(o, from, owner);
        match to {
            Zone::Library => self.player_rec(owner).library.insert(0, o),
            Zone::Stack => {
                self.push_entry(Entry { what: EntryKind::Spell(o), aims: NO_OBJECT, targeted: false });
            }
            _ => {}
        }
        self.stamp(o, to == Zone::Battlefield);
    }

    /// The lowest free token slot.
    pub fn free_token(&self) -> Option<Obj> {
        (self.reader.law.setting.cards..self.state.slots.len())
            .find(|s| !self.reader.exists(&self.state, *s))
            .map(|s| s as Obj)
    }

    fn create(&mut self, o: Obj, look: Option<&Value>, back: Option<&Value>) {
        if let Some(Value::Look(l)) = look {
            let active = self.reader.active(&self.state);
            let home_tracked = self.reader.law.setting.tracked.home;
            let rec = self.slot(o);
            rec.printed = *l;
            if let Some(Value::Look(back)) = back {
                rec.back = *back;
            }
            rec.zone = Some(Zone::Outside);
            (rec.owner, rec.controller) = (active, active);
            rec.home = if home_tracked { active } else { 0 };
        }
    }

    fn cease(&mut self, o: Obj) {
        let slots = self.state.slots.len();
        if usize::from(o) >= slots {
            self.remove_entry(o);
            return;
        }
        self.renew(o);
        let home_tracked = self.reader.law.setting.tracked.home;
        let rec = self.slot(o);
        let (card, from, owner) = (rec.card, rec.zone, rec.owner);
        if card.is_some() {
            rec.zone = Some(Zone::Outside);
            rec.controller = owner;
            rec.home = if home_tracked { owner } else { 0 };
        } else {
            let free = self.reader.law.free_slot();
            *self.slot(o) = free;
        }
        self.leave_place(o, from, owner);
        self.stamp(o, false);
    }

    pub(super) fn renew(&mut self, o: Obj) {
        let rec = self.slot(o);
        rec.tapped = false;
        rec.transformed = false;
        rec.damage = 0;
        rec.host = NO_OBJECT;
        rec.copies.clear();
        rec.gives.clear();
        rec.counters.fill(0);
        rec.marks = 0;
        rec.left_with = NO_OBJECT;
        self.stamp_anew(o);
        for q in 0..self.state.slots.len() {
            let hosted = self.state.slots[q].host;
            self.reader.log.note(q, super::ground::projection::HOST);
            if hosted == o {
                self.slot(q as Obj).host = NO_OBJECT;
            }
        }
        if self.reader.stack_length(&self.state) > 0 {
            self.reader.log.full(self.reader.law.stack_component());
            if self.state.stack.iter().any(|e| e.aims == o) {
                for e in self.stack().iter_mut().filter(|e| e.aims == o) {
                    e.aims = NO_OBJECT;
                }
            }
        }
    }

    /// Sets a marker or ghost of an object or player.
    pub fn set_mark(&mut self, bit: u16, on: Value, value: bool) {
        let marks = match on {
            Value::Object(o) if usize::from(o) < self.state.slots.len() => &mut self.slot(o).marks,
            Value::Player(p) if usize::from(p) < self.state.players.len() => &mut self.player_rec(p).marks,
            _ => return,
        };
        if value {
            *marks |= 1 << bit;
        } else {
            *marks &= !(1 << bit);
        }
    }

    fn add_counter(&mut self, o: Obj, args: &[Value]) {
        let (Some(Value::Counter(k)), Some(Value::Number(n))) = (args.get(1), args.get(2)) else { return };
        if self.reader.law.setting.tracked.counters >> k.0 & 1 == 0 {
            return;
        }
        let most = i32::from(self.reader.law.setting.limits.counters_budget);
        let now = i32::from(self.slot(o).counters[k.index()]);
        if now + n > most {
            self.stop = Some(Stop::Budget);
            return;
        }
        self.slot(o).counters[k.index()] = (now + n).max(0) as u8;
    }

    fn shuffle(&mut self, p: u8) {
        // Nobody's library: whose it was is asked of an object that is gone.
        if usize::from(p) >= self.state.players.len() {
            return;
        }
        let library = self.player_rec(p).library.clone();
        if library.len() > SHUFFLE_MAX {
            let what = format!(
                "a library of {} cards is shuffled; every order of at most {SHUFFLE_MAX} is tried",
                library.len()
            );
            self.stop = Some(Stop::Fault(Code::L302, what));
            return;
        }
        let orders: Vec<Vec<Obj>> = library.iter().copied().permutations(library.len()).collect();
        let n = self.order(orders.len());
        self.player_rec(p).library.clone_from(&orders[n]);
    }

    fn end_turn(&mut self) {
        let program = self.reader.law.program;
        let (of_objects, of_players) = (marks_of_a_turn(program, Ty::Object), marks_of_a_turn(program, Ty::Player));
        for q in 0..self.state.slots.len() {
            self.reader.log.note(q, super::ground::projection::ENDS_WITH_TURN);
            if !ends_with_turn(&self.state.slots[q], of_objects) {
                continue;
            }
            let rec = self.slot(q as Obj);
            rec.gives.retain(|g| g.1 != Duration::EndOfTurn);
            rec.copies.retain(|c| c.1 != Duration::EndOfTurn);
            rec.damage = 0;
            rec.marks &= !of_objects;
        }
        let players = self.state.players.len() as u8;
        for p in 0..players {
            self.reader.log.note(self.reader.law.player_component(p), super::ground::projection::PLAYER_MARKS);
            if self.state.players[usize::from(p)].marks & of_players != 0 {
                self.player_rec(p).marks &= !of_players;
            }
        }
        let active = self.reader.active(&self.state);
        let next = (1..=players).map(|i| (active + i) % players).find(|p| self.reader.in_game(&self.state, *p));
        self.reader.log.full(self.reader.law.table_component());
        Rc::make_mut(&mut self.state.table).active = next.unwrap_or(active);
    }
}
