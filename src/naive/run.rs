//! One way through one step: statements and the stages of a verb, straight-line, with an *oracle* that is asked wherever
//! the rules leave a choice. Running again with every script of answers gives every outcome.

use std::rc::Rc;

use super::expr::Scene;
use super::looks::bind;
use super::offers::Judged;
use super::oracle::{Choice, Oracle};
use super::stages::{Event, Instance, Record, Wanted};
use super::state::{Obj, Snap, State, Value};
use super::{Fault, Referee, Vars};
use crate::lang::ast::{Span, Stage};
use crate::lang::diag::Code;
use crate::lang::tree::{Block, Call, ClauseKind, EventName, Expr, RuleId, Stmt, Verb};

/// Why a run ends early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Something is wrong with the rulebook or the ruling.
    Fault(Fault),
    /// A budget or cap would be passed.
    Overflow(Limit),
    /// While an offer is judged: a rule forbids it.
    Forbidden(RuleId),
    /// While an offer is judged: a cost within it can't be paid.
    Unpayable,
    /// While an offer is judged: a spell has no target.
    NoTarget,
}

/// What would be passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    /// A budget: the outcome is left out, but of a resolution.
    Budget,
    /// A storage cap: the world is incomplete.
    Cap,
}

/// An event that is being replaced.
#[derive(Clone, Debug)]
struct Replacing {
    event: Event,
    applied: Vec<Instance>,
    happened: bool,
}

/// The state of a run.
pub(super) struct Run<'r, 'a> {
    pub r: &'r Referee<'a>,
    pub snap: Rc<Snap>,
    pub oracle: Oracle,
    pub choices: Vec<Choice>,
    pub records: Vec<Record>,
    /// Triggers that wait to be put onto the stack.
    pub pending: Vec<Instance>,
    /// While an offer is judged.
    pub judging: Option<Judged>,
    /// What is paid for: the object of the offer, or the carrier of the clause that is being done.
    pub subject: Option<Obj>,
    pub next_ability: u16,
    replacing: Vec<Replacing>,
    each_began: Option<Rc<Snap>>,
    /// While all that is done is one event: what happened so far.
    together: Option<Vec<Event>>,
    /// How many verbs are being done, each inside the one before.
    inside: usize,
}

/// Verbs done inside verbs: deeper than this, clauses of the law call each other for ever.
const INSIDE_MAX: usize = 48;

impl<'r, 'a> Run<'r, 'a> {
    pub fn new(r: &'r Referee<'a>, snap: Rc<Snap>, oracle: Oracle) -> Run<'r, 'a> {
        let next_ability = u16::try_from(snap.state.stack.len()).unwrap_or(u16::MAX);
        Run {
            r,
            snap,
            oracle,
            choices: Vec::new(),
            records: Vec::new(),
            pending: Vec::new(),
            judging: None,
            subject: None,
            next_ability,
            replacing: Vec::new(),
            each_began: None,
            together: None,
            inside: 0,
        }
    }

    pub fn state(&self) -> &State {
        &self.snap.state
    }
    pub fn edit(&mut self) -> &mut State {
        Snap::edit(&mut self.snap)
    }
    pub fn eval(&self, vars: &mut Vars, e: &Expr) -> Value {
        self.r.eval(Scene::of(&self.snap), vars, e)
    }
    pub fn yes(&self, vars: &mut Vars, e: &Expr) -> bool {
        self.eval(vars, e).yes()
    }

    pub fn block(&mut self, block: &'a Block, vars: &mut Vars) -> Result<(), Stop> {
        block.stmts.iter().try_for_each(|s| self.statement(s, vars))
    }

    /// A block that is not judged, because it is not outermost.
    pub fn inner(&mut self, block: &'a Block, vars: &mut Vars) -> Result<(), Stop> {
        let judging = self.judging.take();
        let done = self.block(block, vars);
        self.judging = judging;
        done
    }

    fn statement(&mut self, stmt: &'a Stmt, vars: &mut Vars) -> Result<(), Stop> {
        match stmt {
            Stmt::Call(call, then, otherwise) => {
                let happened = self.call(call, vars)?;
                self.inner(if happened { then } else { otherwise }, vars)
            }
            Stmt::Choose { var, by, among, filter, body } => {
                let by = self.eval(vars, by).player().unwrap_or_default();
                let candidates = self.candidates(*var, among, filter.as_ref(), vars);
                if candidates.is_empty() {
                    return Ok(());
                }
                let picked = self.pick(by, &candidates)?;
                bind(vars, *var, Value::Object(Some(picked)));
                self.inner(body, vars)
            }
            Stmt::Each { var, among, filter, body } => {
                let alone = matches!(&body.stmts[..], [Stmt::Call(_, then, otherwise)]
                    if then.stmts.is_empty() && otherwise.stmts.is_empty());
                let outermost = self.begin_moment(alone);
                for o in self.candidates(*var, among, filter.as_ref(), vars) {
                    bind(vars, *var, Value::Object(Some(o)));
                    self.inner(body, vars)?;
                }
                if outermost {
                    self.end_moment();
                }
                Ok(())
            }
            Stmt::If(e, then, otherwise) => {
                let yes = self.yes(vars, e);
                self.inner(if yes { then } else { otherwise }, vars)
            }
            Stmt::May(by, yes, no) => {
                let by = self.eval(vars, by).player().unwrap_or_default();
                let choice = self.affords(yes, vars) && self.pick_may(by)?;
                self.inner(if choice { yes } else { no }, vars)
            }
            Stmt::Let(var, e) => {
                let value = self.eval(vars, e);
                bind(vars, *var, value);
                Ok(())
            }
            Stmt::Give(o, mods, duration) => {
                if let Some(Obj::Slot(slot)) = self.eval(vars, o).object().filter(|&o| self.state().holds(o)) {
                    for m in mods {
                        let most = self.r.most_given(*m);
                        self.edit().slots[usize::from(slot)].give((*m, *duration), most);
                    }
                }
                Ok(())
            }
            Stmt::Set(marker, of, e) => {
                let of = self.eval(vars, of);
                let on = self.yes(vars, e);
                self.mark(*marker, &of, on);
                Ok(())
            }
        }
    }

    /// Whether a `may` is a choice at all: its first statement, if a payment, can be made.
    fn affords(&self, yes: &Block, vars: &mut Vars) -> bool {
        let Some(Stmt::Call(Call { verb: Verb::Pay, args, .. }, ..)) = yes.stmts.first() else { return true };
        let arg = |i: usize, vars: &mut Vars| {
            args.get(i).and_then(Option::as_ref).map(|e| self.eval(vars, e)).unwrap_or_default()
        };
        let (payer, cost) = (arg(0, vars).player(), arg(1, vars).cost());
        payer.is_some_and(|p| self.can_pay(p, cost.as_ref(), self.subject))
    }

    /// The objects to choose from: as listed, or all in order; with the quality; never `none`.
    pub fn candidates(&self, var: u8, among: &[Expr], filter: Option<&Expr>, vars: &Vars) -> Vec<Obj> {
        let mut vars = vars.clone();
        let mut all = if among.is_empty() {
            self.state().objects()
        } else {
            among.iter().filter_map(|e| self.eval(&mut vars, e).object()).filter(|&o| self.state().holds(o)).collect()
        };
        let mut met = Vec::new();
        all.retain(|&o| {
            if met.contains(&o) {
                return false;
            }
            met.push(o);
            bind(&mut vars, var, Value::Object(Some(o)));
            filter.is_none_or(|f| self.yes(&mut vars, f))
        });
        all
    }

    fn call(&mut self, call: &Call, vars: &mut Vars) -> Result<bool, Stop> {
        let args: Vec<Option<Value>> = call.args.iter().map(|a| a.as_ref().map(|e| self.eval(vars, e))).collect();
        let mut event = Event { verb: call.verb, args: self.with_defaults(call.verb, args) };
        let happened = self.perform(&mut event)?;
        if let (Some(fresh), Some(made)) = (call.fresh, event.args.first()) {
            let made = if happened { made.clone() } else { Value::Object(None) };
            bind(vars, fresh, made);
        }
        Ok(happened)
    }

    // The stages.

    /// Does a verb, stage by stage. Says whether it happened.
    pub fn perform(&mut self, event: &mut Event) -> Result<bool, Stop> {
        if self.inside >= INSIDE_MAX {
            let what = format!("clauses call each other deeper than the limit of {INSIDE_MAX}");
            return Err(fault(Code::L405, Span::default(), what));
        }
        self.inside += 1;
        let happened = self.stages(event);
        self.inside -= 1;
        happened
    }

    fn stages(&mut self, event: &mut Event) -> Result<bool, Stop> {
        let about = self.r.about(event);
        let nothing = event.verb != Verb::Create
            && about.is_some_and(|o| {
                o.is_none_or(|o| !self.state().holds(o) || event.verb.needs_slot() && matches!(o, Obj::Ability(_)))
            });
        if nothing || self.goes_nowhere(event) {
            return Ok(false);
        }
        let began = Rc::clone(&self.snap);
        if let Some(judged) = &mut self.judging {
            judged.calls.extend((judged.depth == 0).then(|| event.clone()));
        }
        if let Some(forbid) = self.r.instances(&self.snap, Wanted::Forbid, event).first() {
            if self.judging.is_some() {
                return Err(Stop::Forbidden(self.r.program.clauses[forbid.clause.index()].rule));
            }
            return Ok(self.refused(event, &began));
        }
        if event.verb == Verb::Pay && !self.can_pay_event(event) {
            if self.judging.is_some() {
                return Err(Stop::Unpayable);
            }
            return Ok(self.refused(event, &began));
        }
        // Nothing forbids it, so that an offer of it stands: it only does not come to pass.
        if event.verb == Verb::Merge && self.merging(event).is_none() {
            return Ok(self.refused(event, &began));
        }
        self.collect_prices(event);

        let same = self.replacing.iter().rposition(|c| self.r.same_event(&c.event, event));
        let applied = same.map(|i| self.replacing[i].applied.clone()).unwrap_or_default();
        let mut instead = self.r.instances(&self.snap, Wanted::Stage(Stage::Instead), event);
        instead.retain(|i| !applied.iter().any(|a| a.same(i)));
        if !instead.is_empty() {
            return self.replace(event, &began, instead, applied, same);
        }

        for clause in self.in_some_order(event)? {
            self.stage_body(&clause, event.verb)?;
        }
        if !self.change(event)? {
            return Ok(self.refused(event, &began));
        }
        let mut done: Vec<Instance> = Vec::new();
        loop {
            let mut now = self.r.instances(&self.snap, Wanted::Stage(Stage::As), event);
            now.retain(|i| !done.iter().any(|d| d.same(i)));
            if now.is_empty() {
                break;
            }
            // Ghosts watch what the law has done.
            let of_law = |i: &Instance| !self.r.program.is_ghost(i.clause);
            let ghosts_alone = !now.iter().any(of_law);
            if !ghosts_alone {
                now.retain(of_law);
            }
            let next = if ghosts_alone || self.all_commute(&now) { now.remove(0) } else { self.one_of_first(now) };
            self.stage_body(&next, event.verb)?;
            done.push(next);
        }
        if let Some(i) = same {
            self.replacing[i].happened = true;
        }
        self.record(event.clone(), true, &began);
        let looked_back = self.each_began.clone().unwrap_or(began);
        match &mut self.together {
            Some(events) => events.push(event.clone()),
            None => self.find_triggers(event, &looked_back),
        }
        Ok(true)
    }

    fn find_triggers(&mut self, event: &Event, looked_back: &Rc<Snap>) {
        let triggered = self.r.triggered(looked_back, &self.snap, event);
        for t in &triggered {
            self.moment(Verb::Trigger, t, event.verb, &Rc::clone(&self.snap));
        }
        self.pending.extend(triggered);
    }

    /// An `each` or a round of checks begins; no if it is inside another. `together`: all of it is one event.
    pub(super) fn begin_moment(&mut self, together: bool) -> bool {
        let outermost = self.each_began.is_none();
        if outermost {
            self.each_began = Some(Rc::clone(&self.snap));
            self.together = together.then(Vec::new);
        }
        outermost
    }

    /// It ends: what it triggers is found.
    pub(super) fn end_moment(&mut self) {
        let (Some(began), events) = (self.each_began.take(), self.together.take()) else { return };
        for event in events.unwrap_or_default() {
            self.find_triggers(&event, &began);
        }
    }

    fn replace(
        &mut self,
        event: &Event,
        began: &Rc<Snap>,
        instead: Vec<Instance>,
        mut applied: Vec<Instance>,
        same: Option<usize>,
    ) -> Result<bool, Stop> {
        let picked = self.one_of_first(instead);
        applied.push(picked.clone());
        self.replacing.push(Replacing { event: event.clone(), applied, happened: false });
        self.stage_body(&picked, event.verb)?;
        let happened = self.replacing.pop().is_some_and(|c| c.happened);
        if let (Some(i), true) = (same, happened) {
            self.replacing[i].happened = true;
        }
        self.record(event.clone(), false, began);
        Ok(happened)
    }

    /// Those that make a copy come first; if several are left, each is a branch.
    fn one_of_first(&mut self, mut of: Vec<Instance>) -> Instance {
        if of.iter().any(|i| self.r.makes_copy[i.clause.index()]) {
            of.retain(|i| self.r.makes_copy[i.clause.index()]);
        }
        let i = self.order(of.len());
        of.swap_remove(i)
    }

    /// The `before` clauses: as listed if they commute, else in one of their orders.
    fn in_some_order(&mut self, event: &Event) -> Result<Vec<Instance>, Stop> {
        let before = self.r.instances(&self.snap, Wanted::Stage(Stage::Before), event);
        if self.all_commute(&before) {
            return Ok(before);
        }
        let Some(orders) = (before.len() <= super::ORDERED_MAX).then(|| super::permutations(before.len())) else {
            let span = self.r.program.clauses[before[0].clause.index()].span;
            return Err(fault(Code::L407, span, "too many clauses of one event have to be ordered"));
        };
        let order = &orders[self.order(orders.len())];
        Ok(order.iter().map(|&i| before[i].clone()).collect())
    }

    fn all_commute(&self, of: &[Instance]) -> bool {
        (0..of.len()).all(|j| (0..j).all(|i| self.r.program.commute(of[i].clause, of[j].clause)))
    }

    /// Does the body of an `instead`, `before` or `as`.
    fn stage_body(&mut self, i: &Instance, verb: Verb) -> Result<(), Stop> {
        let r = self.r;
        let ClauseKind::Stage(_, _, _, body) = &r.program.clauses[i.clause.index()].kind else { return Ok(()) };
        let began = Rc::clone(&self.snap);
        self.on_behalf(i.carrier, |run| run.inner(body, &mut i.vars.clone()))?;
        if i.carrier.is_some() {
            self.moment(Verb::Apply, i, verb, &began);
        }
        Ok(())
    }

    /// Does something with another subject of payments.
    pub fn on_behalf<T>(&mut self, o: Option<Obj>, f: impl FnOnce(&mut Self) -> T) -> T {
        let kept = std::mem::replace(&mut self.subject, o);
        let done = f(self);
        self.subject = kept;
        done
    }

    // Records.

    fn record(&mut self, event: Event, happened: bool, before: &Rc<Snap>) {
        self.records.push(Record { event, happened, before: Rc::clone(before), after: Rc::clone(&self.snap) });
    }

    fn refused(&mut self, event: &Event, began: &Rc<Snap>) -> bool {
        self.record(event.clone(), false, began);
        false
    }

    fn moment(&mut self, kind: Verb, i: &Instance, because: Verb, before: &Rc<Snap>) {
        let args = vec![Value::Object(i.carrier), Value::Event(i.name), Value::Event(EventName::Verb(because))];
        self.record(Event { verb: kind, args }, true, before);
    }
}

/// A fault that stops a run.
pub(super) fn fault(code: Code, span: Span, message: impl Into<String>) -> Stop {
    Stop::Fault(Fault { code, span, message: message.into() })
}
