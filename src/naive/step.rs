//! One step (MEANING 4): resolve, an offer, or an effect of the world; then checks, triggers, knowledge.

use std::rc::Rc;

use super::expr::Scene;
use super::looks::bind;
use super::offers::{Attempt, OfferFound, Standing};
use super::oracle::{Choice, Oracle};
use super::run::{Limit, Run, Stop, fault};
use super::stages::{Event, Instance, Record};
use super::state::{Obj, Snap, State, Value, What};
use super::{Fault, ORDERED_MAX, Referee, Vars, permutations};
use crate::lang::diag::Code;
use crate::lang::tree::{ClauseId, ClauseKind, Cost, ProcedureId, Stmt, Target, Verb};

/// What a step is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Label {
    /// The law's `resolve` of the top of the stack.
    Resolve,
    /// An effect of the world.
    Effect {
        /// Which.
        procedure: ProcedureId,
        /// By whom.
        player: u8,
    },
    /// An offer is taken.
    Offer {
        /// The permit.
        clause: ClauseId,
        /// By whom.
        player: u8,
        /// On what.
        object: Obj,
        /// For how much.
        cost: Cost,
    },
}

/// One outcome of a step.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was done.
    pub label: Label,
    /// The choices that led here, in order.
    pub choices: Vec<Choice>,
    /// The state after it.
    pub next: State,
    /// What was called, in order of completion.
    pub records: Vec<Record>,
    /// The state at its end with the names that the records use for abilities.
    pub end: Rc<Snap>,
}

/// All outcomes of all steps from a state.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// In order: resolve, offers, effects.
    pub outcomes: Vec<Outcome>,
    /// Something was left out that makes the world incomplete.
    pub incomplete: bool,
}

/// What is about to be done.
#[derive(Clone)]
enum Doing {
    Resolve,
    Effect(ProcedureId, u8),
    Offer(OfferFound),
}

impl<'a> Referee<'a> {
    /// Every outcome of every step.
    pub fn steps(&self, state: &State) -> Result<Steps, Fault> {
        let mut all = Steps::default();
        if state.over {
            return Ok(all);
        }
        let s = Snap::new(state.clone());
        if !state.stack.is_empty() && self.program.resolve.is_some() {
            self.outcomes(&s, &Doing::Resolve, &mut all)?;
        }
        if state.stack.len() >= usize::from(self.limits.stack_budget) {
            return Ok(all);
        }
        for player in state.players() {
            for Attempt { offer, standing, .. } in self.attempts(&s, player).iter() {
                match standing {
                    Standing::Stands => self.outcomes(&s, &Doing::Offer(offer.clone()), &mut all)?,
                    Standing::Faulty(fault) => return Err(fault.clone()),
                    Standing::Forbidden(_) | Standing::NoTarget | Standing::Unpayable => {}
                }
            }
        }
        for (procedure, players) in self.world().map_or(&[][..], |w| &w.allows) {
            for &player in players.iter().filter(|&&p| state.seats[usize::from(p)].in_game) {
                if self.can_do_something(&s, *procedure, player) {
                    self.outcomes(&s, &Doing::Effect(*procedure, player), &mut all)?;
                }
            }
        }
        Ok(all)
    }

    /// An effect whose body is one `choose` needs a candidate.
    fn can_do_something(&self, s: &Rc<Snap>, procedure: ProcedureId, player: u8) -> bool {
        let procedure = &self.program.procedures[procedure.index()];
        let [Stmt::Choose { var, among, filter, .. }] = &procedure.body.stmts[..] else { return true };
        let mut vars = vec![Value::Player(player)];
        vars.resize(procedure.frame.vars.len().max(1), Value::Unset);
        let asking = Run::new(self, Rc::clone(s), Oracle::Script { script: Vec::new(), widths: Vec::new() });
        !asking.candidates(*var, among, filter.as_ref(), &vars).is_empty()
    }

    /// All outcomes of one step: every script of answers, in lexicographic order.
    fn outcomes(&self, s: &Rc<Snap>, doing: &Doing, all: &mut Steps) -> Result<(), Fault> {
        let label = match doing {
            Doing::Resolve => Label::Resolve,
            Doing::Effect(procedure, player) => Label::Effect { procedure: *procedure, player: *player },
            Doing::Offer(o) => {
                Label::Offer { clause: o.clause, player: o.player, object: o.object, cost: o.cost.clone() }
            }
        };
        let mut script = Vec::new();
        loop {
            let mut run = Run::new(self, Rc::clone(s), Oracle::Script { script, widths: Vec::new() });
            match run.whole(doing) {
                Ok(()) => {
                    let mut next = run.state().clone();
                    next.renumber(&mut []);
                    let (choices, records, end) = (run.choices, run.records, run.snap);
                    all.outcomes.push(Outcome { label: label.clone(), choices, next, records, end });
                }
                Err(Stop::Fault(fault)) => return Err(fault),
                Err(Stop::Overflow(limit)) => {
                    all.incomplete |= limit == Limit::Cap || label == Label::Resolve;
                }
                Err(Stop::Forbidden(_) | Stop::Unpayable | Stop::NoTarget) => {}
            }
            let Oracle::Script { script: mut answers, widths } = run.oracle else { return Ok(()) };
            while answers.last().is_some_and(|&i| i + 1 == widths[answers.len() - 1]) {
                answers.pop();
            }
            let Some(last) = answers.last_mut() else { return Ok(()) };
            *last += 1;
            script = answers;
        }
    }
}

impl<'r, 'a> Run<'r, 'a> {
    fn whole(&mut self, doing: &Doing) -> Result<(), Stop> {
        match doing {
            Doing::Resolve => self.resolve()?,
            Doing::Effect(procedure, player) => {
                self.perform(&mut Event { verb: Verb::Procedure(*procedure), args: vec![Value::Player(*player)] })?;
            }
            Doing::Offer(offer) => self.take(offer)?,
        }
        self.settle()
    }

    /// The law's `resolve` of the top of the stack.
    pub fn resolve(&mut self) -> Result<(), Stop> {
        let top = self.state().stack.last().map(super::state::Entry::object);
        if let (Some(resolve), Some(top)) = (self.r.program.resolve, top) {
            self.perform(&mut Event { verb: Verb::Procedure(resolve), args: vec![Value::Object(Some(top))] })?;
        }
        Ok(())
    }

    /// Takes an offer. If `take`, `activate` or `pay` does not happen, or no target is left, nothing follows it.
    pub fn take(&mut self, offer: &OfferFound) -> Result<(), Stop> {
        let Some(permit) = self.r.permit(offer.clause) else { return Ok(()) };
        let mut vars = self.r.permit_frame(self.state(), offer.clause, offer.player, offer.object, offer.toll.as_ref());
        let on = |verb| Event { verb, args: vec![Value::Object(Some(offer.object)), Value::Player(offer.player)] };
        if !self.perform(&mut on(Verb::Take))? || permit.ability && !self.perform(&mut on(Verb::Activate))? {
            return Ok(());
        }
        let mut aims = None;
        if let Some(target) = permit.target {
            aims = self.choose_target(offer.player, target, &vars)?;
            if aims.is_none() {
                return Ok(());
            }
        }
        let args = vec![Value::Player(offer.player), Value::Cost(Some(offer.cost.clone()))];
        let paid = self.on_behalf(Some(offer.object), |run| run.perform(&mut Event { verb: Verb::Pay, args }))?;
        if !paid {
            return Ok(());
        }
        if permit.ability {
            let what = What::Ability { clause: offer.clause, source: Some(offer.object), you: offer.player, vars };
            return self.put(what, aims);
        }
        self.on_behalf(Some(offer.object), |run| run.block(permit.body, &mut vars))
    }

    fn choose_target(&mut self, by: u8, target: &Target, vars: &Vars) -> Result<Option<Obj>, Stop> {
        let candidates = self.candidates(target.var, &[], Some(&target.filter), vars);
        if candidates.is_empty() { Ok(None) } else { self.pick(by, &candidates).map(Some) }
    }

    /// Puts an ability onto the stack; then it aims.
    fn put(&mut self, what: What, aims: Option<Obj>) -> Result<(), Stop> {
        let ability = self.push(what, aims)?;
        aims.map_or(Ok(()), |at| self.aim(at, ability))
    }

    /// Checks, then triggers, then knowledge.
    pub fn settle(&mut self) -> Result<(), Stop> {
        self.checks()?;
        self.triggers()?;
        self.learn();
        Ok(())
    }

    /// Rounds of checks, until none matches or a round leaves everything as it was.
    fn checks(&mut self) -> Result<(), Stop> {
        let program = self.r.program;
        for _ in 0..self.state().slots.len() + 2 {
            let found = self.r.matching_checks(&self.snap);
            let began = Rc::clone(&self.snap);
            self.begin_moment(true);
            for check in found {
                if let ClauseKind::Check(_, _, body) = &program.clauses[check.clause.index()].kind {
                    self.on_behalf(check.carrier, |run| run.inner(body, &mut check.vars.clone()))?;
                }
            }
            self.end_moment();
            if self.snap.state == began.state {
                return Ok(());
            }
        }
        let Some(left) = self.r.matching_checks(&self.snap).into_iter().next() else { return Ok(()) };
        let clause = &program.clauses[left.clause.index()];
        let name = &program.rules[clause.rule.index()].name;
        Err(fault(Code::L405, clause.span, format!("state-based actions do not settle: {name}")))
    }

    fn triggers(&mut self) -> Result<(), Stop> {
        while !self.pending.is_empty() {
            let batch = std::mem::take(&mut self.pending);
            let n = self.state().players().end;
            let active = self.state().active;
            for p in (0..n).map(|k| (active + k) % n) {
                // 800.4d.
                if !self.state().seats[usize::from(p)].in_game {
                    continue;
                }
                let mine: Vec<&Instance> = batch.iter().filter(|t| self.whose(t) == p).collect();
                if mine.len() > ORDERED_MAX {
                    let span = self.r.program.clauses[mine[0].clause.index()].span;
                    return Err(fault(Code::L407, span, "too many triggers of one player have to be ordered"));
                }
                let mut orders: Vec<Vec<&Instance>> = Vec::new();
                for order in permutations(mine.len()) {
                    let order: Vec<&Instance> = order.into_iter().map(|i| mine[i]).collect();
                    if !orders.contains(&order) {
                        orders.push(order);
                    }
                }
                let picked = self.order(orders.len());
                for trigger in orders.swap_remove(picked) {
                    self.place(trigger, p)?;
                }
            }
        }
        Ok(())
    }

    /// Whose a trigger is: `you`; of a law's the active player's.
    fn whose(&self, t: &Instance) -> u8 {
        let you = t.carrier.and_then(|_| t.vars.get(1)).and_then(Value::player);
        you.unwrap_or(self.state().active)
    }

    fn place(&mut self, t: &Instance, you: u8) -> Result<(), Stop> {
        let r = self.r;
        let ClauseKind::Stage(_, _, target, _) = &r.program.clauses[t.clause.index()].kind else { return Ok(()) };
        let mut aims = None;
        if let Some(target) = target {
            aims = self.choose_target(you, target, &t.vars)?;
            if aims.is_none() {
                return Ok(());
            }
        }
        self.put(What::Ability { clause: t.clause, source: t.carrier, you, vars: t.vars.clone() }, aims)
    }

    /// Every standing permission to look is made use of.
    pub fn learn(&mut self) {
        if !self.r.tracked.known {
            return;
        }
        let s = Rc::clone(&self.snap);
        for o in s.state.pieces() {
            let seen = s.state.players().filter(|&p| self.r.may_look(&s, p, o)).fold(0u8, |bits, p| bits | 1 << p);
            let Obj::Slot(i) = o else { continue };
            let had = s.state.slots[usize::from(i)].known;
            if seen & !had != 0 {
                self.edit().slots[usize::from(i)].known = had | seen;
            }
        }
    }
}

impl<'a> Referee<'a> {
    /// The checks that match, in canonical order; of a pair the first order that matches.
    pub(super) fn matching_checks(&self, s: &Rc<Snap>) -> Vec<Instance> {
        let mut asked: Vec<(ClauseId, Option<Obj>, Option<Cost>)> =
            self.law_checks.iter().map(|&c| (c, None, None)).collect();
        if let Some(now) = self.program.now {
            let is_check = |c: ClauseId| matches!(self.program.clauses[c.index()].kind, ClauseKind::Check(..));
            let carried = self.carried(s, now);
            asked.extend(
                carried.iter().filter(|c| is_check(c.clause)).map(|c| (c.clause, Some(c.carrier), c.toll.clone())),
            );
        }
        asked.sort();
        asked.into_iter().flat_map(|(id, carrier, toll)| self.check_instances(s, id, carrier, toll)).collect()
    }

    fn check_instances(&self, s: &Rc<Snap>, id: ClauseId, carrier: Option<Obj>, toll: Option<Cost>) -> Vec<Instance> {
        let clause = &self.program.clauses[id.index()];
        let ClauseKind::Check(names, guard, _) = &clause.kind else { return Vec::new() };
        let objects: Vec<Obj> = s.state.pieces().collect();
        let frame = self.frame(&s.state, clause, carrier, toll.as_ref());
        let ask = |of: &[Obj]| {
            let mut vars = frame.clone();
            for (&var, &o) in names.iter().zip(of) {
                bind(&mut vars, var, Value::Object(Some(o)));
            }
            let name = crate::lang::tree::EventName::Verb(Verb::EndGame);
            self.eval(Scene::of(s), &mut vars, guard).yes().then(|| Instance {
                clause: id,
                carrier,
                toll: toll.clone(),
                vars,
                name,
            })
        };
        match names.len() {
            2 => {
                let pairs =
                    objects.iter().enumerate().flat_map(|(i, &a)| objects[i + 1..].iter().map(move |&b| (a, b)));
                pairs.filter_map(|(a, b)| ask(&[a, b]).or_else(|| ask(&[b, a]))).collect()
            }
            _ => objects.iter().filter_map(|&o| ask(&[o])).collect(),
        }
    }

    /// The world, if the referee is of one.
    pub fn world(&self) -> Option<&'a crate::lang::tree::World> {
        self.world.map(|w| &self.program.worlds[w])
    }
}
