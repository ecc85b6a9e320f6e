//! The change that each built-in verb makes (MEANING 2, the table of LANGUAGE 5). Stages are [`super::run`]'s business.

use super::looks::add_abilities;
use super::run::{Limit, Run, Stop};
use super::stages::Event;
use super::state::{Entry, Obj, Piece, Value, What};
use super::{Vars, permutations};
use crate::lang::tree::{CounterId, Duration, Look, MarkerId, Place, Verb, WayId, Zone};

impl<'r, 'a> Run<'r, 'a> {
    /// Fills in what a call leaves out (see [`Verb::signature`]).
    pub fn with_defaults(&self, verb: Verb, args: Vec<Option<Value>>) -> Vec<Value> {
        let mut args = args;
        if !matches!(verb, Verb::Procedure(_)) {
            args.resize(verb.signature().len(), None);
        }
        let o = args.first().and_then(Option::as_ref).and_then(Value::object);
        let state = self.state();
        let player = |p: Option<u8>| p.map_or(Value::Unset, Value::Player);
        let default = |i: usize| match (verb, i) {
            (Verb::Create, 0) => Value::Object(self.free_slot().map(Obj::Slot)),
            (Verb::Create | Verb::Deal, 2) => Value::Object(None),
            (Verb::Create, 3) => Value::Look(Look::default()),
            (Verb::Move, 2) => player(o.and_then(|o| state.owner(o))),
            (Verb::Move, 3) => o.and_then(|o| state.zone(o)).map_or(Value::Unset, Value::Zone),
            (Verb::TurnUp, 1) => Value::Way(Some(WayId(0))),
            (Verb::Reveal, 1) => player(o.and_then(|o| state.controller(o))),
            (Verb::AddCounter | Verb::RemoveCounter, 2) => Value::Number(1),
            (Verb::BecomeCopy, 3) => Value::Duration(Duration::Forever),
            _ => Value::Unset,
        };
        args.into_iter().enumerate().map(|(i, a)| a.unwrap_or_else(|| default(i))).collect()
    }

    fn free_slot(&self) -> Option<u8> {
        (0u8..).zip(&self.state().slots).find(|(_, p)| p.card.is_none() && p.zone.is_none()).map(|(i, _)| i)
    }

    /// A move to where the object is, which changes no controller, does nothing.
    pub fn goes_nowhere(&self, event: &Event) -> bool {
        let (Verb::Move, [o, Value::Zone(to), under, _]) = (event.verb, &event.args[..]) else { return false };
        let Some(o) = o.object() else { return true };
        if *to == Zone::Beneath {
            return true;
        }
        let same_controller =
            !matches!(to, Zone::Battlefield | Zone::Stack) || self.state().controller(o) == under.player();
        self.state().zone(o) == Some(*to) && same_controller
    }

    /// Carries out the change. Says no if it turns out that nothing happens.
    pub fn change(&mut self, event: &mut Event) -> Result<bool, Stop> {
        let args = event.args.clone();
        let arg = |i: usize| args.get(i).cloned().unwrap_or_default();
        let about = args.first().and_then(Value::object);
        let slot = about.and_then(|o| if let Obj::Slot(i) = o { Some(i) } else { None });
        let top = about.and_then(|o| if let Obj::Slot(i) = self.state().topmost(o) { Some(i) } else { None });
        let player = arg(0).player();
        match event.verb {
            Verb::Move => {
                if let (Some(o), Value::Zone(to)) = (about, arg(1)) {
                    self.change_zone(o, to, arg(2).player())?;
                }
            }
            Verb::Create => event.args[0] = self.create(arg(1), arg(3))?,
            Verb::Cease => self.cease(about),
            Verb::Run => self.carry_out(about)?,
            Verb::Cast => return self.cast(about, arg(1).player()),
            // The permanent's own effects end; what lies face down is its topmost component.
            Verb::TurnDown => {
                self.alter(slot, |p| {
                    let ends = |d: Duration| d == Duration::TurnedDown;
                    p.copies.retain(|(_, d)| !ends(*d));
                    p.gives.retain(|(_, d)| !ends(*d));
                });
                self.lay_down(top, arg(1), arg(2));
            }
            Verb::Cover => self.lay_down(slot, arg(1), arg(2)),
            Verb::TurnUp => self.lay_up(top),
            Verb::Bare => self.lay_up(slot),
            Verb::Renew => self.renew(about),
            Verb::Reveal => self.know(slot, |_| u8::MAX),
            Verb::Show => self.know(slot, |k| k | arg(1).player().map_or(0, |p| 1 << p)),
            Verb::Forget => self.know(slot, |_| 0),
            Verb::Shuffle => {
                if let Some(p) = player {
                    let old = self.state().libraries[usize::from(p)].clone();
                    let orders = permutations(old.len());
                    let order = &orders[self.order(orders.len())];
                    self.edit().libraries[usize::from(p)] = order.iter().map(|&i| old[i]).collect();
                }
            }
            Verb::BecomeCopy => {
                if let (Value::Look(look), Value::Duration(d)) = (arg(1), arg(3)) {
                    self.alter(slot, |p| {
                        p.copies.retain(|(_, of)| *of != d);
                        p.copies.push((look, d));
                    });
                }
            }
            Verb::Attach | Verb::Detach => {
                let host = arg(1).object().and_then(|o| if let Obj::Slot(i) = o { Some(i) } else { None });
                self.alter(slot, |p| p.host = host);
                if event.verb == Verb::Attach {
                    self.restamp(slot);
                }
            }
            Verb::Tap => self.alter(slot, |p| p.tapped = true),
            Verb::Untap => self.alter(slot, |p| p.tapped = false),
            Verb::RemoveCounter => {
                if let Value::Counter(kind) = arg(1) {
                    let off = arg(2).number().clamp(0, 99);
                    self.alter(slot, |p| p.counters[kind.index()] = (p.counters[kind.index()] - off).max(0));
                }
            }
            Verb::AddCounter => {
                if let Value::Counter(kind) = arg(1) {
                    self.add_counter(slot, kind, arg(2).number())?;
                }
            }
            Verb::Deal => {
                if self.r.tracked.damage {
                    self.alter(slot, |p| p.damage = (p.damage + arg(1).number().clamp(0, 99)).min(99));
                }
            }
            Verb::Control => self.alter(slot, |p| p.controller = arg(1).player().unwrap_or(p.controller)),
            Verb::Phase => self.alter(slot, |p| {
                p.zone = match p.zone {
                    Some(Zone::Battlefield) => Some(Zone::Phased),
                    Some(Zone::Phased) => Some(Zone::Battlefield),
                    other => other,
                }
            }),
            // A merged permanent has no face of its own to turn: what becomes of its components is the law's business.
            Verb::Transform => {
                self.alter(slot, |p| p.transformed ^= p.parts.is_empty());
                self.restamp(slot);
            }
            Verb::TurnOver => {
                let two = about.and_then(|o| self.state().piece(o)).is_some_and(|p| self.r.back(p).is_some());
                self.alter(slot, |p| p.transformed ^= two);
            }
            Verb::Merge => return Ok(self.merge(event)),
            Verb::Target | Verb::Take | Verb::Activate | Verb::Trigger | Verb::Apply => {}
            Verb::Pay => self.pay(player, arg(1).cost())?,
            Verb::EndTurn => self.end_turn(),
            Verb::Quit => {
                if let Some(p) = player {
                    self.edit().seats[usize::from(p)].in_game = false;
                }
            }
            Verb::EndGame => self.edit().over = true,
            Verb::Procedure(id) => {
                let procedure = &self.r.program.procedures[id.index()];
                let mut vars: Vars = args;
                vars.resize(procedure.frame.vars.len().max(vars.len()), Value::Unset);
                self.deeper(|run| run.block(&procedure.body, &mut vars))?;
            }
        }
        if matches!(event.verb, Verb::TurnDown | Verb::TurnUp) {
            self.restamp(slot);
        }
        Ok(true)
    }

    /// Changes a slot that holds something; an ability has nothing to change.
    fn alter(&mut self, slot: Option<u8>, f: impl FnOnce(&mut Piece)) {
        if let Some(i) = slot.filter(|&i| self.state().holds(Obj::Slot(i))) {
            f(&mut self.edit().slots[usize::from(i)]);
        }
    }

    fn know(&mut self, slot: Option<u8>, f: impl FnOnce(u8) -> u8) {
        let all = (1u8 << self.state().seats.len()) - 1;
        if self.r.tracked.known {
            self.alter(slot, |p| p.known = f(p.known) & all);
        }
    }

    /// Sets a marker or ghost of an object or player, if it is tracked.
    pub fn mark(&mut self, marker: MarkerId, of: &Value, on: bool) {
        let bit = self.r.tracked.markers & 1 << marker.0;
        let set = |marks: &mut u64| *marks = if on { *marks | bit } else { *marks & !bit };
        match of {
            Value::Object(Some(Obj::Slot(i))) => self.alter(Some(*i), |p| set(&mut p.marks)),
            Value::Player(p) => set(&mut self.edit().seats[usize::from(*p)].marks),
            _ => {}
        }
    }

    /// Gives a permanent the newest stamp; takes it from what is none.
    fn restamp(&mut self, slot: Option<u8>) {
        let Some(i) = slot.filter(|_| self.r.tracked.stamps) else { return };
        let permanent = self.state().permanent(Obj::Slot(i));
        let stamps = &mut self.edit().stamps;
        stamps.retain(|&s| s != i);
        stamps.extend(permanent.then_some(i));
    }

    fn change_zone(&mut self, o: Obj, to: Zone, under: Option<u8>) -> Result<(), Stop> {
        let from = self.state().zone(o);
        let head =
            (0u8..).zip(&self.state().slots).find(|(_, p)| p.parts.iter().any(|&c| Obj::Slot(c) == o)).map(|(h, _)| h);
        self.leave(o);
        let Obj::Slot(i) = o else { return Ok(()) };
        if from == Some(Zone::Beneath) {
            let tracked = self.r.tracked.left_with;
            self.edit().slots[usize::from(i)].left_with = head.filter(|_| tracked);
        }
        if !matches!(from, Some(Zone::Battlefield | Zone::Phased | Zone::Beneath)) {
            let gone = self.edit().slots.iter_mut().filter(|p| p.left_with == Some(i));
            gone.for_each(|p| p.left_with = None);
        }
        let home_tracked = self.r.tracked.home;
        let p = &mut self.edit().slots[usize::from(i)];
        let held = matches!(to, Zone::Battlefield | Zone::Stack);
        if let (true, None, Some(Zone::Outside), Some(under)) = (held, p.card, from, under) {
            p.owner = under;
        }
        p.zone = Some(to);
        p.controller = under.filter(|_| held).unwrap_or(p.owner);
        let kept = home_tracked && matches!(to, Zone::Battlefield | Zone::Stack);
        p.home = if kept { p.controller } else { p.owner };
        let owner = p.owner;
        if to == Zone::Library {
            self.edit().libraries[usize::from(owner)].insert(0, i);
        }
        if to == Zone::Stack {
            self.push(What::Spell(i), None)?;
        }
        self.restamp(Some(i));
        Ok(())
    }

    /// Takes an object out of what holds it: a library, the stack, the pile that it is a component of.
    fn leave(&mut self, o: Obj) {
        let from = self.state().zone(o);
        let s = self.edit();
        if from == Some(Zone::Stack) {
            s.stack.retain(|e| e.object() != o);
            s.stack.iter_mut().filter(|e| e.aims == Some(o)).for_each(|e| e.aims = None);
        }
        let Obj::Slot(i) = o else { return };
        s.libraries.iter_mut().for_each(|l| l.retain(|&slot| slot != i));
        if from == Some(Zone::Beneath) {
            for p in s.slots.iter_mut().filter(|p| p.parts.contains(&i)) {
                p.parts.retain(|&part| part != i);
                if p.parts.len() == 1 {
                    p.parts.clear();
                }
            }
        }
    }

    fn lay_down(&mut self, slot: Option<u8>, look: Value, way: Value) {
        self.alter(slot, |p| {
            p.face_down = true;
            p.listed = if let Value::Look(l) = look { Some(l) } else { Some(Look::default()) };
            p.way = if let Value::Way(w) = way { w } else { None };
        });
    }

    fn lay_up(&mut self, slot: Option<u8>) {
        self.alter(slot, |p| {
            p.face_down = false;
            p.listed = None;
            p.way = None;
        });
    }

    /// What merges with which permanent, and where: none if that can't be.
    pub fn merging(&self, event: &Event) -> Option<(u8, u8, Place)> {
        let [x, h, Value::Place(at)] = &event.args[..] else { return None };
        let (x, h) = (x.object()?, h.object()?);
        let (Obj::Slot(comes), Obj::Slot(onto)) = (x, h) else { return None };
        let s = self.state();
        let zone = s.piece(x).filter(|p| p.parts.is_empty()).and_then(|p| p.zone)?;
        let free = !matches!(zone, Zone::Battlefield | Zone::Phased | Zone::Beneath);
        (free && x != h && s.zone(h) == Some(Zone::Battlefield)).then_some((comes, onto, *at))
    }

    /// `merge`: what comes is made new and is a component from now on; what it was given goes over to the permanent.
    fn merge(&mut self, event: &Event) -> bool {
        let Some((x, h, at)) = self.merging(event) else { return false };
        let given = self.state().slots[usize::from(x)].gives.clone();
        self.leave(Obj::Slot(x));
        self.renew(Some(Obj::Slot(x)));
        let comes = &mut self.edit().slots[usize::from(x)];
        comes.zone = Some(Zone::Beneath);
        comes.controller = comes.owner;
        comes.home = comes.owner;
        let abilities = self.r.face_up(&self.state().slots[usize::from(x)]);
        let r = self.r;
        let onto = &mut self.edit().slots[usize::from(h)];
        given.into_iter().for_each(|g| onto.give(g, r.most_given(g.0)));
        if onto.parts.is_empty() {
            onto.parts.push(h);
        }
        match at {
            Place::OnTop => {
                onto.parts.insert(0, x);
                onto.copies.clear();
            }
            Place::AtBottom => {
                onto.parts.push(x);
                onto.copies.iter_mut().for_each(|(look, _)| add_abilities(look, &abilities));
            }
        }
        true
    }

    /// Puts an entry onto the stack and says which object it is.
    pub fn push(&mut self, what: What, aims: Option<Obj>) -> Result<Obj, Stop> {
        if self.state().stack.len() >= usize::from(self.r.limits.stack_cap) {
            return Err(Stop::Overflow(Limit::Cap));
        }
        let entry = Entry { id: self.next_ability, what, aims };
        self.next_ability += 1;
        let o = entry.object();
        self.edit().stack.push(entry);
        Ok(o)
    }

    /// The new token is its maker's: of the player under whose control it will enter; until then of the active player.
    fn create(&mut self, face: Value, back: Value) -> Result<Value, Stop> {
        let Some(i) = self.free_slot() else { return Err(Stop::Overflow(Limit::Budget)) };
        let owner = self.state().active;
        let kinds = self.r.program.counters.len();
        let look = |v: Value| if let Value::Look(l) = v { l } else { Look::default() };
        self.edit().slots[usize::from(i)] = Piece {
            printed: look(face),
            back: look(back),
            zone: Some(Zone::Outside),
            owner,
            controller: owner,
            home: owner,
            counters: vec![0; kinds],
            ..Piece::default()
        };
        Ok(Value::Object(Some(Obj::Slot(i))))
    }

    fn cease(&mut self, o: Option<Obj>) {
        let Some(o) = o else { return };
        self.leave(o);
        let Obj::Slot(i) = o else { return };
        self.renew(Some(o));
        let kinds = self.r.program.counters.len();
        let p = &mut self.edit().slots[usize::from(i)];
        if p.card.is_none() {
            *p = Piece { counters: vec![0; kinds], ..Piece::default() };
        } else {
            p.zone = Some(Zone::Outside);
            p.controller = p.owner;
            p.home = p.owner;
        }
        self.restamp(Some(i));
    }

    fn renew(&mut self, o: Option<Obj>) {
        let Some(o) = o else { return };
        for e in &mut self.edit().stack {
            e.aims = e.aims.filter(|&a| a != o);
        }
        let Obj::Slot(i) = o else { return };
        let s = self.edit();
        s.slots.iter_mut().filter(|p| p.host == Some(i)).for_each(|p| p.host = None);
        let p = &mut s.slots[usize::from(i)];
        p.transformed = false;
        p.tapped = false;
        p.damage = 0;
        p.host = None;
        p.counters.iter_mut().for_each(|n| *n = 0);
        p.copies.clear();
        p.gives.clear();
        p.marks = 0;
        p.left_with = None;
        self.restamp(Some(i));
    }

    /// The bits of the markers that last a turn, or of those that last as long as the object.
    fn markers(&self, wanted: impl Fn(bool) -> bool) -> u64 {
        let all = self.r.program.markers.iter().enumerate();
        all.filter(|(_, m)| wanted(m.turn)).fold(0, |bits, (i, _)| bits | 1 << i)
    }

    fn add_counter(&mut self, slot: Option<u8>, kind: CounterId, n: i32) -> Result<(), Stop> {
        let tracked = self.r.tracked.counters >> kind.0 & 1 == 1;
        let budget = i32::from(self.r.limits.counters_budget);
        let Some(i) = slot.filter(|_| tracked) else { return Ok(()) };
        let had = self.state().slots[usize::from(i)].counters[kind.index()];
        if had.saturating_add(n) > budget {
            return Err(Stop::Overflow(Limit::Budget));
        }
        self.alter(slot, |p| p.counters[kind.index()] = (had + n).max(0));
        Ok(())
    }

    fn end_turn(&mut self) {
        let turn = self.markers(|turn| turn);
        let s = self.edit();
        for p in &mut s.slots {
            p.copies.retain(|(_, d)| *d != Duration::EndOfTurn);
            p.gives.retain(|(_, d)| *d != Duration::EndOfTurn);
            p.damage = 0;
            p.marks &= !turn;
        }
        s.seats.iter_mut().for_each(|seat| seat.marks &= !turn);
        let n = s.players().end;
        let next = (1..=n).map(|k| (s.active + k) % n).find(|&p| s.seats[usize::from(p)].in_game);
        s.active = next.unwrap_or(s.active);
    }
}
