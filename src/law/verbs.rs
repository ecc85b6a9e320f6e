//! Doing: statements, and the stages that every verb passes. A run follows a script of branches, so that a step's
//! outcomes are the runs of all its scripts.

use super::eval::{Env, Happening, Reader};
use super::ground::Kind;
use super::profile::Cause;
use crate::game::looks::EMPTY;
use crate::game::record::{CostId, NO_OBJECT, Obj, State, Value};
use crate::lang::ast::Stage;
use crate::lang::diag::Code;
use crate::lang::tree::{Block, Call, ClauseId, ClauseKind, Duration, EventName, Expr, ModId, ModKind, Stmt, Ty, Verb};
use itertools::Itertools;
use std::collections::VecDeque;
use std::rc::Rc;

/// One branch of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// Which was taken.
    pub taken: u8,
    /// Out of how many.
    pub of: u8,
}

/// What was chosen at a branch, for traces.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// An object.
    Object(Obj),
    /// Yes or no.
    May(bool),
    /// Which order or which replacement, by number.
    Order(u8),
}

/// Which clause did what, for traces and coverage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Note {
    /// The clause.
    pub clause: ClauseId,
    /// What it did.
    pub did: Did,
    /// The object that carries it, if one does.
    pub carrier: Obj,
}

/// What a clause did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Did {
    Permitted,
    Forbade,
    Replaced,
    Before,
    As,
    Triggered,
    Checked,
    Resolved,
}

/// A collected trigger.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Pending {
    /// Its clause.
    pub clause: ClauseId,
    /// The object that has it (none: the law).
    pub source: Obj,
    /// Who controls it.
    pub you: u8,
    /// All bindings.
    pub vars: Vec<Value>,
}

/// A clause whose head matched.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The clause.
    pub clause: ClauseId,
    /// Who carries it.
    pub carrier: Obj,
    /// By which name it was written.
    pub name: EventName,
    /// The cost of the keyword that it is carried by.
    pub toll: Option<CostId>,
    /// Bindings.
    pub env: Env,
}

impl Instance {
    /// What makes it the same clause of the same object.
    fn identity(&self) -> Identity {
        (self.clause, self.carrier, self.toll)
    }
}

/// A clause, who carries it, and the cost of the keyword by which.
type Identity = (ClauseId, Obj, Option<CostId>);

/// Why a run stopped before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The action is not there: its candidate does not fit.
    Absent,
    /// A token slot or counter too many: of a free act, it is not offered.
    Budget,
    /// A stack above its cap: the world is incomplete.
    Cap,
    /// A fault of the law, with the rule.
    Fault(Code, String),
    /// A ruling gave too few, too many or wrong choices.
    Choice(Code, String),
}

/// An event under way whose `instead` is being done.
struct Ongoing {
    verb: Verb,
    key: Vec<Value>,
    applied: Vec<Identity>,
    done: bool,
}

/// One run of a step.
pub struct Run<'l, 'p> {
    /// Asks the questions.
    pub reader: Reader<'l, 'p>,
    /// The state as it is now.
    pub state: State,
    /// What happened.
    pub happenings: Vec<Happening>,
    /// Triggers collected.
    pub pending: Vec<Pending>,
    /// The script, and how far it has gone.
    pub script: Vec<Branch>,
    /// Next branch.
    pub place: usize,
    /// What was chosen.
    pub choices: Vec<Choice>,
    /// Which clause did what.
    pub notes: Vec<Note>,
    /// Why it stopped, if it did.
    pub stop: Option<Stop>,
    /// Answers of a ruling, instead of branches.
    pub answers: Option<VecDeque<Value>>,
    /// The first `choose` takes these alone.
    pub restrict: Option<Only>,
    /// The object for which a cost is being paid.
    pub paying_for: Obj,
    ongoing: Vec<Ongoing>,
    each_start: Option<State>,
    /// What is done now is one event: its triggers are found when all of it is done.
    together: bool,
    /// What happened meanwhile.
    deferred: Vec<(Verb, Vec<Value>)>,
    depth: usize,
}

/// Verbs done inside verbs: deeper than this, clauses of the law call each other for ever.
pub const DEPTH_MAX: usize = 48;

/// Which candidates of an effect's first `choose` an action stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Only {
    /// One slot.
    Slot(Obj),
    /// The abilities on the stack.
    Abilities,
    /// Whatever is listed.
    Listed,
}

/// Whether a body is one call and no more: done for several objects, it is one event.
fn is_one_call(body: &Block) -> bool {
    matches!(body.stmts.as_slice(), [Stmt::Call(_, then, otherwise)] if then.stmts.is_empty() && otherwise.stmts.is_empty())
}

impl<'l, 'p> Run<'l, 'p> {
    /// A run from a state, along a script.
    pub fn new(reader: Reader<'l, 'p>, state: State, script: Vec<Branch>) -> Run<'l, 'p> {
        Run {
            reader,
            state,
            happenings: Vec::new(),
            pending: Vec::new(),
            script,
            place: 0,
            choices: Vec::new(),
            notes: Vec::new(),
            stop: None,
            answers: None,
            restrict: None,
            paying_for: NO_OBJECT,
            ongoing: Vec::new(),
            each_start: None,
            together: false,
            deferred: Vec::new(),
            depth: 0,
        }
    }

    /// Whether it has stopped.
    pub fn stopped(&self) -> bool {
        self.stop.is_some()
    }

    // ---- Statements ----

    /// Does a block.
    pub fn block(&mut self, block: &Block, env: &mut Env) {
        for stmt in &block.stmts {
            if self.stopped() {
                return;
            }
            self.stmt(stmt, env);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, env: &mut Env) {
        match stmt {
            Stmt::Call(call, then, otherwise) => {
                let done = self.call(call, env);
                if !self.stopped() {
                    self.block(if done { then } else { otherwise }, env);
                }
            }
            Stmt::Choose { var, among, filter, body, .. } => {
                let candidates = match self.restrict.take() {
                    Some(only) => self.restricted(only, *var, among, filter.as_ref(), env),
                    None => self.candidates(*var, among, filter.as_ref(), env),
                };
                if self.stopped() {
                    return;
                }
                if let Some(o) = self.choose(&candidates) {
                    env.set(*var, Value::Object(o));
                    self.block(body, env);
                }
            }
            Stmt::Each { var, among, filter, body } => {
                let candidates = self.candidates(*var, among, filter.as_ref(), env);
                let outermost = self.moment_begins(is_one_call(body));
                for o in candidates {
                    env.set(*var, Value::Object(o));
                    self.block(body, env);
                }
                if outermost {
                    self.moment_ends();
                }
            }
            Stmt::If(guard, yes, no) => {
                let branch = if self.reader.truth(guard, &self.state, env) { yes } else { no };
                self.block(branch, env);
            }
            Stmt::May(_, yes, no) => {
                let can = match yes.stmts.first() {
                    Some(Stmt::Call(call, ..)) if call.verb == Verb::Pay => {
                        let args = self.arguments(call, env);
                        self.can_pay(&args)
                    }
                    _ => true,
                };
                let yes_taken = can && self.may();
                self.block(if yes_taken { yes } else { no }, env);
            }
            Stmt::Let(var, e) => {
                let value = self.reader.eval(e, &self.state, env);
                env.set(*var, value);
            }
            Stmt::Give(o, mods, until) => {
                let o = self.reader.object(o, &self.state, env);
                if usize::from(o) < self.state.slots.len() && self.reader.zone(&self.state, o).is_some() {
                    mods.iter().for_each(|m| self.give(o, (*m, *until)));
                }
            }
            Stmt::Set(marker, on, value) => {
                let on = self.reader.eval(on, &self.state, env);
                let value = self.reader.truth(value, &self.state, env);
                if self.reader.law.setting.tracked.markers >> marker.0 & 1 == 1 {
                    self.set_mark(marker.0, on, value);
                }
            }
        }
    }

    /// Begins an `each` or a round of checks; says whether it is inside no other. Triggers that look back look back to
    /// here; if it is all one event the others are found at its end.
    pub(super) fn moment_begins(&mut self, together: bool) -> bool {
        if self.each_start.is_some() {
            return false;
        }
        self.each_start = Some(self.state.clone());
        self.together = together;
        true
    }

    /// Ends it, and finds what it triggered.
    pub(super) fn moment_ends(&mut self) {
        self.together = false;
        let Some(began) = self.each_start.take() else { return };
        for (verb, args) in std::mem::take(&mut self.deferred) {
            self.collect(verb, &args, &began);
        }
    }

    /// Objects that a `choose` or `each` ranges over.
    pub fn candidates(&self, var: u8, among: &[Expr], filter: Option<&Expr>, env: &Env) -> Vec<Obj> {
        let mut env = env.clone();
        let mut list: Vec<Obj> = Vec::new();
        if among.is_empty() {
            list = self.reader.range(&self.state, filter, var);
        } else {
            for e in among {
                let o = self.reader.object(e, &self.state, &env);
                if o != NO_OBJECT && !list.contains(&o) && self.is_there(o) {
                    list.push(o);
                }
            }
        }
        list.retain(|o| {
            env.set(var, Value::Object(*o));
            filter.is_none_or(|f| self.reader.truth(f, &self.state, &env))
        });
        list
    }

    /// Gives an effect, which then is the newest. What adds to a size may be there several times, as many as counters of a
    /// kind and one; all else once.
    pub(super) fn give(&mut self, o: Obj, given: (ModId, Duration)) {
        let law = self.reader.law;
        let adds = matches!(law.program.mods[given.0.index()].kind, ModKind::Gets(..));
        let most = if adds { usize::from(law.setting.limits.counters_budget) + 1 } else { 1 };
        let gives = &mut self.slot(o).gives;
        while gives.iter().filter(|g| **g == given).count() >= most {
            let Some(oldest) = gives.iter().position(|g| *g == given) else { break };
            gives.remove(oldest);
        }
        gives.push(given);
    }

    /// Whether an object holds something, or is on the stack.
    fn is_there(&self, o: Obj) -> bool {
        if usize::from(o) < self.state.slots.len() {
            return self.reader.exists(&self.state, usize::from(o));
        }
        self.reader.zone(&self.state, o).is_some()
    }

    /// The candidates that a restriction leaves; without one the action is not there.
    fn restricted(&mut self, only: Only, var: u8, among: &[Expr], filter: Option<&Expr>, env: &Env) -> Vec<Obj> {
        let slots = self.state.slots.len();
        let list: Vec<Obj> = match only {
            Only::Slot(k) => {
                let mut env = env.clone();
                env.set(var, Value::Object(k));
                let fits = self.reader.exists(&self.state, usize::from(k))
                    && filter.is_none_or(|f| self.reader.truth(f, &self.state, &env));
                if fits { vec![k] } else { Vec::new() }
            }
            Only::Listed => self.candidates(var, among, filter, env),
            Only::Abilities if self.reader.stack_length(&self.state) == 0 => Vec::new(),
            Only::Abilities => {
                let all = self.candidates(var, &[], filter, env);
                all.into_iter().filter(|o| usize::from(*o) >= slots).collect()
            }
        };
        if list.is_empty() {
            self.stop = Some(Stop::Absent);
        }
        list
    }

    // ---- Calls ----

    /// The arguments of a call, defaults filled in.
    pub fn arguments(&self, call: &Call, env: &Env) -> Vec<Value> {
        let mut args: Vec<Value> = Vec::with_capacity(call.args.len());
        for (i, a) in call.args.iter().enumerate() {
            let value = match a {
                Some(e) => self.reader.eval(e, &self.state, env),
                None => self.default_argument(call.verb, i, &args),
            };
            args.push(value);
        }
        if call.verb == Verb::Move {
            let from = self.zone_value(args.first());
            if let Some(slot) = args.get_mut(3) {
                *slot = from;
            }
        }
        args
    }

    fn zone_value(&self, object: Option<&Value>) -> Value {
        match object {
            Some(Value::Object(o)) => match self.reader.zone(&self.state, *o) {
                Some(z) => Value::Zone(z),
                None => Value::Bool(false),
            },
            _ => Value::Bool(false),
        }
    }

    fn default_argument(&self, verb: Verb, place: usize, args: &[Value]) -> Value {
        let object = match args.first() {
            Some(Value::Object(o)) => *o,
            _ => NO_OBJECT,
        };
        match (verb, place) {
            (Verb::Move, 2) => Value::Player(self.reader.owner(&self.state, object)),
            (Verb::TurnUp, 1) => Value::Way(Some(crate::lang::tree::WayId(0))),
            (Verb::Reveal, 1) => Value::Player(self.reader.controller(&self.state, object)),
            (Verb::AddCounter | Verb::RemoveCounter, 2) => Value::Number(1),
            (Verb::Create, 3) => Value::Look(EMPTY),
            (Verb::BecomeCopy, 3) => Value::Duration(Duration::Forever),
            _ => Value::Object(NO_OBJECT),
        }
    }

    /// Does a call of a body; says whether it happened.
    pub fn call(&mut self, call: &Call, env: &mut Env) -> bool {
        let mut args = self.arguments(call, env);
        if call.verb == Verb::Create {
            let Some(slot) = self.free_token() else {
                self.stop = Some(Stop::Budget);
                return false;
            };
            if let Some(first) = args.first_mut() {
                *first = Value::Object(slot);
            }
            if let Some(var) = call.fresh {
                env.set(var, Value::Object(slot));
            }
        }
        self.act(call.verb, args)
    }

    /// Does a verb, through all its stages; says whether it happened.
    pub fn act(&mut self, verb: Verb, args: Vec<Value>) -> bool {
        if self.depth >= DEPTH_MAX {
            let what = format!(
                "clauses call each other deeper than the limit of {DEPTH_MAX}, last by `{}`",
                super::names::verb(self.reader.law.program, verb)
            );
            self.stop = Some(Stop::Fault(Code::L405, what));
            return false;
        }
        self.depth += 1;
        let done = self.stages(verb, args);
        self.depth -= 1;
        done
    }

    fn stages(&mut self, verb: Verb, args: Vec<Value>) -> bool {
        if self.stopped() || self.speaks_of_nothing(verb, &args) || (verb == Verb::Move && !self.changes(verb, &args)) {
            return false;
        }
        let key = self.event_key(verb, &args);
        let before = self.state.clone();
        if verb == Verb::Pay && !self.changes(verb, &args) {
            return self.refused(verb, args, before);
        }
        if let Some(i) = self.forbidden(verb, &args) {
            self.note(&i, Did::Forbade);
            return self.refused(verb, args, before);
        }
        if verb == Verb::Merge && !self.changes(verb, &args) {
            return self.refused(verb, args, before);
        }
        let applied: Vec<Identity> = self
            .ongoing
            .iter()
            .rev()
            .find(|o| o.verb == verb && o.key == key)
            .map_or(Vec::new(), |o| o.applied.clone());
        let mut instead = self.instances(Kind::Stage(Stage::Instead), verb, &args);
        instead.retain(|i| !applied.contains(&i.identity()));
        if !instead.is_empty() {
            return self.replaced(verb, args, before, applied, self.copies_first(instead));
        }
        if !self.changes(verb, &args) {
            return false;
        }
        self.before_stage(verb, &args);
        if self.stopped() {
            return false;
        }
        let changed = self.change(verb, &args);
        if self.stopped() {
            return false;
        }
        if !changed {
            return self.refused(verb, args, before);
        }
        self.as_stage(verb, &args);
        if self.stopped() {
            return false;
        }
        for o in self.ongoing.iter_mut().filter(|o| o.verb == verb && o.key == key) {
            o.done = true;
        }
        let looked_back = self.each_start.clone().unwrap_or_else(|| before.clone());
        self.happenings.push(Happening { verb, args: args.clone(), before, after: self.state.clone(), done: true });
        if self.together {
            self.deferred.push((verb, args));
        } else {
            self.collect(verb, &args, &looked_back);
        }
        true
    }

    /// Records that a verb was tried and not done.
    fn refused(&mut self, verb: Verb, args: Vec<Value>, before: State) -> bool {
        self.happenings.push(Happening { verb, args, before, after: self.state.clone(), done: false });
        false
    }

    fn replaced(
        &mut self,
        verb: Verb,
        args: Vec<Value>,
        before: State,
        applied: Vec<Identity>,
        instead: Vec<Instance>,
    ) -> bool {
        let key = self.event_key(verb, &args);
        let i = self.order(instead.len());
        let chosen = &instead[i];
        self.note(chosen, Did::Replaced);
        let at = self.happenings.len();
        self.happenings.push(Happening {
            verb,
            args: args.clone(),
            before: before.clone(),
            after: before,
            done: false,
        });
        let mut applied = applied;
        applied.push(chosen.identity());
        self.ongoing.push(Ongoing { verb, key, applied, done: false });
        let law = self.reader.law;
        if let ClauseKind::Stage(_, _, _, body) = &law.program.clauses[chosen.clause.index()].kind {
            let mut env = chosen.env.clone();
            law.timed(Cause::Clause(chosen.clause), || self.block(body, &mut env));
        }
        let done = self.ongoing.pop().is_some_and(|o| o.done);
        let began = self.happenings.get(at).map(|h| h.before.clone());
        self.applied_moment(chosen, verb, began);
        let after = self.state.clone();
        if let Some(h) = self.happenings.get_mut(at) {
            h.after = after;
        }
        done
    }

    /// Of several, those that make a copy, if any does (616.1c).
    fn copies_first(&self, list: Vec<Instance>) -> Vec<Instance> {
        let copying = &self.reader.law.copying;
        if list.len() > 1 && list.iter().any(|i| copying.contains(&i.clause)) {
            return list.into_iter().filter(|i| copying.contains(&i.clause)).collect();
        }
        list
    }

    fn commute(&self, list: &[Instance]) -> bool {
        list.iter().array_combinations().all(|[a, b]| self.reader.law.program.commute(a.clause, b.clause))
    }

    fn before_stage(&mut self, verb: Verb, args: &[Value]) {
        let list = self.instances(Kind::Stage(Stage::Before), verb, args);
        if list.len() < 2 || self.commute(&list) {
            for i in &list {
                self.stage_body(i, verb, Did::Before);
            }
            return;
        }
        if list.len() > super::step::TRIGGERS_MAX {
            let what = format!(
                "{} `before` clauses of one event do not commute; every order of at most {} is tried",
                list.len(),
                super::step::TRIGGERS_MAX
            );
            self.stop = Some(Stop::Fault(Code::L407, what));
            return;
        }
        let orders: Vec<Vec<usize>> = (0..list.len()).permutations(list.len()).collect();
        let n = self.order(orders.len());
        for &k in &orders[n] {
            self.stage_body(&list[k], verb, Did::Before);
        }
    }

    fn as_stage(&mut self, verb: Verb, args: &[Value]) {
        let mut done: Vec<Identity> = Vec::new();
        loop {
            let mut list = self.instances(Kind::Stage(Stage::As), verb, args);
            list.retain(|i| !done.contains(&i.identity()));
            if list.is_empty() || self.stopped() {
                return;
            }
            // Ghosts watch what the law has done, and come when there is no more of that.
            let program = self.reader.law.program;
            if list.iter().any(|i| !program.is_ghost(i.clause)) {
                list.retain(|i| !program.is_ghost(i.clause));
            }
            let (list, k) = if list.len() < 2 || self.commute(&list) || program.is_ghost(list[0].clause) {
                (list, 0)
            } else {
                let list = self.copies_first(list);
                let k = self.order(list.len());
                (list, k)
            };
            done.push(list[k].identity());
            self.stage_body(&list[k], verb, Did::As);
        }
    }

    fn stage_body(&mut self, i: &Instance, verb: Verb, did: Did) {
        self.note(i, did);
        let law = self.reader.law;
        let before = self.state.clone();
        if let ClauseKind::Stage(_, _, _, body) = &law.program.clauses[i.clause.index()].kind {
            let mut env = i.env.clone();
            law.timed(Cause::Clause(i.clause), || self.block(body, &mut env));
        }
        self.applied_moment(i, verb, Some(before));
    }

    /// Records that an object's `instead`, `before` or `as` was applied.
    fn applied_moment(&mut self, i: &Instance, verb: Verb, before: Option<State>) {
        if i.carrier != NO_OBJECT {
            self.moment(Verb::Apply, i.carrier, i.name, verb);
            if let (Some(h), Some(before)) = (self.happenings.last_mut(), before) {
                h.before = before;
            }
        }
    }

    /// A verb on no object does not happen, and leaves no trace: the first argument that is to be an object is none.
    pub fn speaks_of_nothing(&self, verb: Verb, args: &[Value]) -> bool {
        let Some(Value::Object(o)) = self.object_place(verb).and_then(|i| args.get(i)) else { return false };
        if *o == NO_OBJECT || verb == Verb::Create {
            return *o == NO_OBJECT;
        }
        if usize::from(*o) < self.state.slots.len() {
            return !self.reader.exists(&self.state, usize::from(*o));
        }
        verb.needs_slot() || self.reader.zone(&self.state, *o).is_none()
    }

    /// What makes two calls of a verb the same event: its object, or all its arguments if it has none.
    fn event_key(&self, verb: Verb, args: &[Value]) -> Vec<Value> {
        match self.object_place(verb).and_then(|i| args.get(i)) {
            Some(object) => vec![*object],
            None => args.to_vec(),
        }
    }

    /// The place of the first argument that is an object.
    fn object_place(&self, verb: Verb) -> Option<usize> {
        match verb {
            Verb::Procedure(p) => {
                let params = &self.reader.law.program.procedures[p.index()].params;
                params.iter().position(|(_, _, ty)| *ty == Ty::Object)
            }
            built_in => built_in.signature().iter().position(|p| p.ty == Ty::Object),
        }
    }

    /// Records a moment that physics makes: a trigger, or that an ability was applied.
    pub fn moment(&mut self, what: Verb, o: Obj, on: EventName, because: Verb) {
        let args = vec![Value::Object(o), Value::Event(on), Value::Event(EventName::Verb(because))];
        let (before, after) = (self.state.clone(), self.state.clone());
        self.happenings.push(Happening { verb: what, args, before, after, done: true });
    }

    /// Notes which clause did what.
    pub fn note(&mut self, i: &Instance, did: Did) {
        self.notes.push(Note { clause: i.clause, did, carrier: i.carrier });
        self.reader.law.named(i.name);
    }

    /// The record of a slot, to be written.
    pub fn slot(&mut self, o: Obj) -> &mut crate::game::record::SlotRec {
        self.reader.log.full(usize::from(o));
        Rc::make_mut(&mut self.state.slots[usize::from(o)])
    }
}
