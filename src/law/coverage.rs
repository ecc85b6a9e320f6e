//! What of a program was at work: taken down beside a law that is asked to, and told in the program's own numbers. It
//! changes nothing that a run does.
//!
//! What a clause or procedure *did* counts where a run was kept; what a run did that is not offered, since it went
//! beyond a budget, is dropped. Truths of guards count wherever the law asks them, in the order in which it asks, so that
//! a conjunct is met only where those before it are true. All of it depends on what a run reads alone, as its outcome
//! does, so one run for each set of reads meets everything that can be met. Two things are passed over by ordinary runs
//! because they are known: checks of what a step did not touch, and permissions to look at it. [`Law::settled`] asks
//! those of a whole state.

use super::eval::{Env, Happening, Reader};
use super::ground::{Law, projection};
pub use super::places::{Place, Spoken, Word, flattened, of_claims, places};
use super::step::{Label, check_env};
use super::verbs::{Did, Instance, Run, Stop};
use crate::game::memory::Log;
use crate::game::record::{LookId, NO_OBJECT, Obj, State, Value};
use crate::lang::tree::{
    CardId, ClauseId, ClauseKind, DefineId, EventId, EventName, Expr, MarkerId, NamedCostId, ProcedureId, ProfileId,
    Program, Target, Verb, ViewId, Zone,
};
use itertools::Itertools;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// A part of a program that can be at work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Part {
    /// A clause did something.
    Clause(ClauseId),
    /// A procedure was done.
    Procedure(ProcedureId),
    /// A named cost was paid.
    Cost(NamedCostId),
    /// A define was asked, by the law or by a claim.
    Define(DefineId),
    /// Something had this listed look.
    Profile(ProfileId),
    /// A marker was set.
    Marker(MarkerId),
    /// A clause that is written on this event did something.
    Event(EventId),
    /// A view was asked, by the law or by a claim.
    View(ViewId),
    /// Something triggered that looked back by this name.
    LookBack(EventName),
}

/// Something that was met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Mark {
    /// A part was at work.
    Part(Part),
    /// The conjunct of this number was asked, and was yes or no.
    Truth(Place, u16, bool),
    /// An event of this verb happened.
    Happened(Verb),
    /// A clause that is written on this verb met it.
    Heard(Verb),
    /// It happened with this word as the argument of this number.
    With(Verb, u8, Word),
    /// Something moved, from a zone or from nowhere, to a zone.
    Moved(Option<Zone>, Zone),
    /// An effect that the world allows happened as one, and changed something.
    Effect(ProcedureId),
    /// Something that has this card carried this clause, and the clause did something.
    Carried(CardId, ClauseId),
    /// Something that has this card was face down.
    FaceDown(CardId),
    /// Something that has this card was turned face up.
    TurnedUp(CardId),
}

/// All that was met.
pub type Seen = BTreeSet<Mark>;

/// What is listened to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hearing {
    /// Everything.
    All,
    /// A claim is asked: the defines and views that it asks, and nothing else.
    Names,
    /// Something is worked out beforehand: nothing.
    Nothing,
}

/// Takes down what is met.
#[derive(Debug)]
pub struct Recorder {
    /// Conjuncts by where they stand in memory: the program is one, and is not moved while a law is laid out for it.
    conjuncts: FxHashMap<usize, (Place, u16)>,
    profiles: FxHashMap<LookId, Vec<ProfileId>>,
    met: RefCell<FxHashSet<Mark>>,
    /// What the run under way has met, until it is known whether it is kept.
    run: RefCell<Option<Vec<Mark>>>,
    hearing: Cell<Hearing>,
}

fn address(e: &Expr) -> usize {
    std::ptr::from_ref(e).addr()
}

impl Recorder {
    fn new(law: &Law) -> Recorder {
        let mut conjuncts = FxHashMap::default();
        for (place, e) in places(law.program).into_iter().chain(of_claims(law.program)) {
            let list = flattened(e).into_iter().enumerate();
            conjuncts.extend(list.map(|(i, e)| (address(e), (place, i as u16))));
        }
        let mut profiles: FxHashMap<LookId, Vec<ProfileId>> = FxHashMap::default();
        for (i, profile) in law.program.profiles.iter().enumerate() {
            profiles.entry(law.looks.look(&profile.look)).or_default().push(ProfileId(i as u16));
        }
        Recorder {
            conjuncts,
            profiles,
            met: RefCell::default(),
            run: RefCell::default(),
            hearing: Cell::new(Hearing::All),
        }
    }

    fn mark(&self, mark: Mark) {
        let name = matches!(
            mark,
            Mark::Part(Part::Define(_) | Part::View(_))
                | Mark::Truth(Place::Define(_) | Place::Premise(_) | Place::Claim(_), ..)
        );
        let heard = match self.hearing.get() {
            Hearing::All => true,
            Hearing::Names => name,
            Hearing::Nothing => false,
        };
        if !heard || self.met.borrow().contains(&mark) {
            return;
        }
        match &mut *self.run.borrow_mut() {
            Some(run) => run.push(mark),
            None => {
                self.met.borrow_mut().insert(mark);
            }
        }
    }

    /// An expression was asked.
    pub fn truth(&self, e: &Expr, is: bool) {
        if let Some(&(place, i)) = self.conjuncts.get(&address(e)) {
            self.mark(Mark::Truth(place, i, is));
        }
    }

    /// A define was asked. Its body, if it is no `and`, is its one conjunct, which nothing else asks.
    pub fn define(&self, define: DefineId, body: &Expr, value: Value) {
        self.mark(Mark::Part(Part::Define(define)));
        if let (Value::Bool(is), false) = (value, matches!(body, Expr::And(_))) {
            self.truth(body, is);
        }
    }

    fn part(&self, part: Part) {
        self.mark(Mark::Part(part));
    }

    /// A view was asked, and with it those that it names.
    fn viewed(&self, program: &Program, view: ViewId) {
        self.part(Part::View(view));
        if let Some(v) = program.views.get(view.index()) {
            v.names.iter().for_each(|named| self.viewed(program, *named));
        }
    }

    fn happening(&self, law: &Law, h: &Happening) {
        match (h.verb, h.args.as_slice()) {
            (Verb::Procedure(p), _) => self.part(Part::Procedure(p)),
            (Verb::Pay, [_, Value::Cost(Some(cost))]) => {
                law.looks.get_cost(*cost).named.iter().for_each(|n| self.part(Part::Cost(*n)));
            }
            (Verb::TurnDown | Verb::Cover | Verb::Create, [_, Value::Look(look), ..]) => self.profiles_of(*look),
            _ => {}
        }
    }

    /// The words that an event happened with.
    fn words(&self, h: &Happening) {
        self.mark(Mark::Happened(h.verb));
        if let (Verb::Move, Some(Value::Zone(to))) = (h.verb, h.args.get(1)) {
            let from = if let Some(Value::Zone(from)) = h.args.get(3) { Some(*from) } else { None };
            self.mark(Mark::Moved(from, *to));
        }
        for (i, value) in h.args.iter().enumerate() {
            let word = match value {
                Value::Zone(z) => Word::Zone(*z),
                Value::Way(Some(w)) => Word::Way(*w),
                Value::Duration(d) => Word::Duration(*d),
                Value::Place(p) => Word::Place(*p),
                Value::Counter(k) => Word::Counter(*k),
                _ => continue,
            };
            self.mark(Mark::With(h.verb, i as u8, word));
        }
    }

    fn lying(&self, st: &State) {
        let down = st.slots.iter().filter(|r| r.face_down && r.zone.is_some());
        down.filter_map(|r| r.card).for_each(|card| self.mark(Mark::FaceDown(card)));
    }

    fn profiles_of(&self, look: LookId) {
        self.profiles.get(&look).into_iter().flatten().for_each(|p| self.part(Part::Profile(*p)));
    }

    fn markers(&self, st: &State) {
        let of_slots = st.slots.iter().map(|r| r.marks);
        let bits = of_slots.chain(st.players.iter().map(|r| r.marks)).fold(0, |all, marks| all | marks);
        (0..64).filter(|bit| bits >> bit & 1 == 1).for_each(|bit| self.part(Part::Marker(MarkerId(bit))));
    }
}

impl<'p> Law<'p> {
    /// The same law, which takes down what is at work.
    #[must_use]
    pub fn recorded(mut self) -> Law<'p> {
        self.coverage = Some(Box::new(Recorder::new(&self)));
        self
    }

    /// What was met so far.
    pub fn seen(&self) -> Seen {
        self.coverage.iter().flat_map(|c| c.met.borrow().iter().copied().collect::<Vec<_>>()).collect()
    }

    /// A part is at work.
    #[inline]
    pub fn saw(&self, part: Part) {
        if let Some(coverage) = &self.coverage {
            match part {
                Part::View(view) => coverage.viewed(self.program, view),
                part => coverage.part(part),
            }
        }
    }

    /// A clause met an event by this name, and did something.
    pub fn named(&self, name: EventName) {
        let Some(coverage) = &self.coverage else { return };
        coverage.mark(match name {
            EventName::Named(event) => Mark::Part(Part::Event(event)),
            EventName::Verb(verb) => Mark::Heard(verb),
        });
    }

    /// A clause did something as an offer was judged.
    pub fn judged(&self, i: &Instance, run: &Run) {
        self.saw(Part::Clause(i.clause));
        self.named(i.name);
        self.carried(&run.reader.log, &run.state, i.carrier, i.clause);
    }

    /// A clause did something that an object carries. Which card it has is read here, so that it counts for each.
    pub fn carried(&self, log: &Log, st: &State, carrier: Obj, clause: ClauseId) {
        let Some(coverage) = &self.coverage else { return };
        if !self.program.clauses[clause.index()].carried {
            return;
        }
        if let Some(record) = st.slots.get(usize::from(carrier)) {
            log.note(usize::from(carrier), projection::CARD);
            record.card.iter().for_each(|card| coverage.mark(Mark::Carried(*card, clause)));
        }
    }

    /// Asks something that is a claim: of it only what its defines and views are is taken down.
    pub fn claimed<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.heard(Hearing::Names, ask)
    }

    /// Works something out in a state that no run has come to.
    pub fn beforehand<T>(&self, work: impl FnOnce() -> T) -> T {
        self.heard(Hearing::Nothing, work)
    }

    fn heard<T>(&self, hearing: Hearing, f: impl FnOnce() -> T) -> T {
        let Some(coverage) = &self.coverage else { return f() };
        let before = coverage.hearing.replace(hearing);
        let value = f();
        coverage.hearing.set(before);
        value
    }

    /// A run begins: what is met is set aside until it has ended.
    pub fn run_begins(&self) {
        if let Some(coverage) = &self.coverage {
            *coverage.run.borrow_mut() = Some(Vec::new());
        }
    }

    /// A run has ended that began in a state, as a step or as what a ruling does. If it was not stopped, what it met and
    /// did counts.
    pub fn run_ends(&self, run: &Run, base: &State, step: Option<Label>) {
        let Some(coverage) = &self.coverage else { return };
        let met = coverage.run.take().unwrap_or_default();
        if run.stopped() {
            // What does not fit the filter of an effect was asked all the same, and was the answer.
            let absent = run.stop == Some(Stop::Absent);
            let filters = met.into_iter().filter(|m| absent && matches!(m, Mark::Truth(Place::Body(..), ..)));
            coverage.met.borrow_mut().extend(filters);
            return;
        }
        coverage.met.borrow_mut().extend(met);
        coverage.viewed(self.program, self.now);
        let log = &run.reader.log;
        // Of what is permitted, the object that has it is the one that is taken.
        let taken = run.happenings.iter().find(|h| h.verb == Verb::Take).and_then(|h| h.args.first());
        let taken = if let Some(Value::Object(o)) = taken { *o } else { NO_OBJECT };
        for note in &run.notes {
            coverage.part(Part::Clause(note.clause));
            let carrier = if note.did == Did::Permitted { taken } else { note.carrier };
            self.carried(log, &run.state, carrier, note.clause);
        }
        for h in run.happenings.iter().filter(|h| h.done) {
            coverage.happening(self, h);
            coverage.words(h);
            coverage.markers(&h.after);
            if let (Verb::TurnUp, Some(Value::Object(o))) = (h.verb, h.args.first())
                && let Some(record) = h.after.slots.get(usize::from(*o))
            {
                log.note(usize::from(*o), projection::CARD);
                record.card.iter().for_each(|card| coverage.mark(Mark::TurnedUp(*card)));
            }
        }
        coverage.markers(&run.state);
        if let Some(Label::Effect(procedure, _)) = step
            && run.state != *base
        {
            coverage.mark(Mark::Effect(procedure));
        }
    }

    /// Asks of a state between steps what a step passes over where it touched nothing: every check, and every standing
    /// permission to look.
    pub fn settled(&self, st: &State, reader: &Reader) {
        let Some(coverage) = &self.coverage else { return };
        coverage.lying(st);
        let there: Vec<Obj> = (0..st.slots.len()).filter(|s| reader.exists(st, *s)).map(|s| s as Obj).collect();
        for check in &self.checks {
            let clause = &self.program.clauses[check.clause.index()];
            let ClauseKind::Check(vars, guard, _) = &clause.kind else { continue };
            let holds = |objects: &[Obj]| reader.truth(guard, st, &check_env(clause, vars, objects));
            if check.variables == 1 {
                there.iter().for_each(|o| {
                    holds(&[*o]);
                });
                continue;
            }
            for [a, b] in there.iter().copied().array_combinations() {
                if !holds(&[a, b]) {
                    holds(&[b, a]);
                }
            }
        }
        self.looked(st, reader);
    }

    /// Asks every standing permission to look, where it matters who knows what.
    pub fn looked(&self, st: &State, reader: &Reader) {
        if self.coverage.is_none() || !self.setting.tracked.known {
            return;
        }
        for o in (0..st.slots.len()).filter(|s| reader.exists(st, *s)).map(|s| s as Obj) {
            for (p, (clause, _)) in (0..st.players.len() as u8).cartesian_product(&self.may_look) {
                if reader.look_permitted(st, *clause, p, o) {
                    self.saw(Part::Clause(*clause));
                }
            }
        }
    }

    /// Looks that something has as it is given.
    pub fn given(&self, st: &State) {
        if let Some(coverage) = &self.coverage {
            st.slots.iter().filter(|r| r.face_down).for_each(|r| coverage.profiles_of(r.listed));
            coverage.lying(st);
        }
    }
}

impl Run<'_, '_> {
    /// What a target can be. Where what is asked is taken down, every object is asked, those too that the zone of the
    /// filter leaves out.
    pub fn aimable(&self, target: &Target, env: &Env) -> Vec<Obj> {
        let Target { var, filter } = target;
        if self.reader.law.coverage.is_none() {
            return self.candidates(*var, &[], Some(filter), env);
        }
        let mut env = env.clone();
        let mut list = self.reader.range(&self.state, None, *var);
        list.retain(|o| {
            debug_assert_ne!(*o, NO_OBJECT);
            env.set(*var, Value::Object(*o));
            self.reader.truth(filter, &self.state, &env)
        });
        list
    }
}
