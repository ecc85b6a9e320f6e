//! What players are offered (MEANING 4): guards, dry runs of outermost calls, prices, costs.

use std::rc::Rc;

use super::expr::Scene;
use super::oracle::Oracle;
use super::run::{Run, Stop};
use super::stages::{Event, Wanted};
use super::state::{Obj, Snap, State, Value};
use super::{Fault, Referee, Vars};
use crate::lang::tree::{
    Because, Block, ClauseId, ClauseKind, Cost, CostExpr, Expr, LookField, Offer, RuleId, Target, Verb,
};

/// An offer that stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct OfferFound {
    /// The permit.
    pub clause: ClauseId,
    /// To whom.
    pub player: u8,
    /// On what.
    pub object: Obj,
    /// The toll of the keyword that carries the permit.
    pub toll: Option<Cost>,
    /// The whole cost, prices included.
    pub cost: Cost,
}

/// Whether a permit whose guard holds is an offer, or why not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    Stands,
    Forbidden(RuleId),
    NoTarget,
    Unpayable,
    Faulty(Fault),
}

/// A permit whose guard holds, at one of its costs.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub offer: OfferFound,
    /// The calls it is known by: `take`, `activate`, and the outermost calls of its body.
    pub calls: Vec<Event>,
    pub standing: Standing,
}

/// What is noted while an offer is judged.
#[derive(Clone, Debug, Default)]
pub(super) struct Judged {
    /// How many procedures deep.
    pub depth: usize,
    pub calls: Vec<Event>,
    pub more: Vec<Option<Cost>>,
    pub less: Vec<Cost>,
}

/// The parts of a permit.
#[derive(Clone, Copy)]
pub(super) struct Permit<'a> {
    pub player: u8,
    pub object: u8,
    pub ability: bool,
    pub guard: Option<&'a Expr>,
    pub pay: Option<&'a CostExpr>,
    pub target: Option<&'a Target>,
    pub body: &'a Block,
}

impl<'a> Referee<'a> {
    /// The offers that stand for a player, in order. A full stack is no reason here: [`Referee::steps`] sees to that.
    pub fn offers(&self, state: &State, player: u8) -> Vec<OfferFound> {
        let attempts = self.attempts(&Snap::new(state.clone()), player);
        attempts.iter().filter(|a| a.standing == Standing::Stands).map(|a| a.offer.clone()).collect()
    }

    pub(super) fn permit(&self, id: ClauseId) -> Option<Permit<'a>> {
        match &self.program.clauses[id.index()].kind {
            ClauseKind::Permit { player, object, ability, guard, pay, target, body } => Some(Permit {
                player: *player,
                object: *object,
                ability: *ability,
                guard: guard.as_ref(),
                pay: pay.as_ref(),
                target: target.as_ref(),
                body,
            }),
            _ => None,
        }
    }

    /// Every permit whose guard holds for the player, in order, with what becomes of it.
    pub(super) fn attempts(&self, s: &Rc<Snap>, player: u8) -> Rc<Vec<Attempt>> {
        if let Some(known) = s.attempts.borrow().get(&player) {
            return Rc::clone(known);
        }
        let all = Rc::new(self.find_attempts(s, player));
        s.attempts.borrow_mut().insert(player, Rc::clone(&all));
        all
    }

    fn find_attempts(&self, s: &Rc<Snap>, player: u8) -> Vec<Attempt> {
        if s.state.over || !s.state.seats[usize::from(player)].in_game {
            return Vec::new();
        }
        let mut asked: Vec<(ClauseId, Obj, Option<Cost>)> = Vec::new();
        for &law in &self.law_permits {
            asked.extend(s.state.pieces().map(|o| (law, o, None)));
        }
        if let Some(now) = self.program.now {
            let mine = |o: Obj| s.state.controller(o) == Some(player);
            let carried = self.carried(s, now);
            let permits = carried.iter().filter(|c| mine(c.carrier) && self.permit(c.clause).is_some());
            asked.extend(permits.map(|c| (c.clause, c.carrier, c.toll.clone())));
        }
        asked.sort();
        asked.into_iter().flat_map(|(clause, object, toll)| self.attempt(s, clause, player, object, toll)).collect()
    }

    fn attempt(&self, s: &Rc<Snap>, clause: ClauseId, player: u8, object: Obj, toll: Option<Cost>) -> Vec<Attempt> {
        let Some(permit) = self.permit(clause) else { return Vec::new() };
        let mut vars = self.permit_frame(&s.state, clause, player, object, toll.as_ref());
        if !permit.guard.is_none_or(|g| self.eval(Scene::of(s), &mut vars, g).yes()) {
            return Vec::new();
        }
        let costs = match permit.pay {
            Some(pay) => self.costs(Scene::of(s), &mut vars, pay),
            None => vec![Some(Cost::default())],
        };
        if costs.is_empty() {
            return Vec::new();
        }
        let mut run = Run::new(self, Rc::clone(s), Oracle::Script { script: Vec::new(), widths: Vec::new() });
        run.judging = Some(Judged::default());
        run.subject = Some(object);
        let verdict = run.judge(permit, &vars, player, object);
        let judged = run.judging.take().unwrap_or_default();
        let of_cost = |base: Option<Cost>| {
            let cost = judged.total(base);
            let standing = match &verdict {
                Err(Stop::Forbidden(rule)) => Standing::Forbidden(*rule),
                Err(Stop::NoTarget) => Standing::NoTarget,
                Err(Stop::Fault(f)) => Standing::Faulty(f.clone()),
                Err(Stop::Unpayable) => Standing::Unpayable,
                // What passes a budget is left out when it is taken, outcome by outcome.
                Ok(()) | Err(Stop::Overflow(_)) => {
                    let unchanged = Run::new(self, Rc::clone(s), run.oracle.clone());
                    let can = unchanged.can_pay(player, cost.as_ref(), Some(object));
                    if can { Standing::Stands } else { Standing::Unpayable }
                }
            };
            let cost = cost.unwrap_or_default();
            let offer = OfferFound { clause, player, object, toll: toll.clone(), cost };
            Attempt { offer, calls: judged.calls.clone(), standing }
        };
        costs.into_iter().map(of_cost).collect()
    }

    pub(super) fn permit_frame(&self, s: &State, id: ClauseId, player: u8, o: Obj, toll: Option<&Cost>) -> Vars {
        let clause = &self.program.clauses[id.index()];
        let mut vars = self.frame(s, clause, Some(o), toll);
        if let Some(permit) = self.permit(id) {
            super::looks::bind(&mut vars, permit.player, Value::Player(player));
            super::looks::bind(&mut vars, permit.object, Value::Object(Some(o)));
        }
        vars
    }

    /// The alternatives of a cost: one for each way to take a toll that is there more than once.
    pub(super) fn costs(&self, sc: Scene, vars: &mut Vars, of: &CostExpr) -> Vec<Option<Cost>> {
        let mut all = vec![Some(Cost::default())];
        for part in &of.parts {
            let choices: Vec<Option<Cost>> = match part {
                Expr::Look(look, LookField::Toll(k)) => {
                    let look = self.look(sc, vars, look);
                    look.keywords.iter().filter(|(keyword, _)| keyword == k).map(|(_, cost)| cost.clone()).collect()
                }
                _ => vec![self.eval(sc, vars, part).cost()],
            };
            let sum = |a: &Option<Cost>, b: &Option<Cost>| a.as_ref().zip(b.as_ref()).map(|(a, b)| plus(a, b));
            all = all.iter().flat_map(|a| choices.iter().map(move |b| sum(a, b))).collect();
        }
        all
    }

    /// Whether an offer stands that matches (in a `may not`: that none does, for the reason given).
    pub(super) fn offer_stands(&self, sc: Scene, vars: &mut Vars, offer: &Offer) -> bool {
        let Some(player) = self.eval(sc, vars, &offer.player).player() else { return offer.negated };
        let paying = offer.paying.as_ref().map(|p| self.costs(sc, vars, p));
        let all = self.attempts(sc.now, player);
        let matching: Vec<&Attempt> = all.iter().filter(|a| self.matches(sc, vars, a, &offer.pattern)).collect();
        let pays = |a: &Attempt| {
            paying.as_ref().is_none_or(|p| p.iter().flatten().any(|c| sorted(c) == sorted(&a.offer.cost)))
        };
        let stands = matching.iter().any(|a| a.standing == Standing::Stands && pays(a));
        if !offer.negated {
            return stands;
        }
        !stands
            && match &offer.because {
                None => true,
                Some(Because::Unpermitted) => matching.is_empty(),
                Some(Because::Unpayable) => matching.iter().any(|a| a.standing == Standing::Unpayable),
                Some(Because::Rule(r)) => matching.iter().any(|a| a.standing == Standing::Forbidden(*r)),
            }
    }

    pub(super) fn matches(&self, sc: Scene, vars: &Vars, a: &Attempt, p: &crate::lang::tree::Pattern) -> bool {
        a.calls.iter().any(|call| self.fits(sc, p, call, &mut vars.clone()))
    }
}

impl<'r, 'a> Run<'r, 'a> {
    /// The dry run: `take`, and the outermost calls of the body, or for an ability `activate` and its target.
    fn judge(&mut self, permit: Permit<'a>, vars: &Vars, player: u8, object: Obj) -> Result<(), Stop> {
        self.judge_moment(Verb::Take, player, object)?;
        if permit.ability {
            self.judge_moment(Verb::Activate, player, object)?;
        }
        let no_target = |t: &Target| self.candidates(t.var, &[], Some(&t.filter), vars).is_empty();
        if permit.target.is_some_and(no_target) {
            return Err(Stop::NoTarget);
        }
        if permit.ability {
            // What an ability does is judged when it is done: here its calls are only noted, for patterns to match.
            let kept = self.judging.as_ref().map(|j| (j.more.len(), j.less.len()));
            let _ = self.block(permit.body, &mut vars.clone());
            if let (Some(j), Some((more, less))) = (&mut self.judging, kept) {
                j.more.truncate(more);
                j.less.truncate(less);
            }
            return Ok(());
        }
        self.block(permit.body, &mut vars.clone())
    }

    fn judge_moment(&mut self, verb: Verb, player: u8, object: Obj) -> Result<(), Stop> {
        let event = Event { verb, args: vec![Value::Object(Some(object)), Value::Player(player)] };
        let forbids = self.r.instances(&self.snap, Wanted::Forbid, &event);
        self.collect_prices(&event);
        if let Some(judged) = &mut self.judging {
            judged.calls.push(event);
        }
        match forbids.first() {
            Some(f) => Err(Stop::Forbidden(self.r.program.clauses[f.clause.index()].rule)),
            None => Ok(()),
        }
    }

    /// Notes the prices of a call that is judged.
    pub fn collect_prices(&mut self, event: &Event) {
        if self.judging.is_none() {
            return;
        }
        let (mut more, mut less) = (Vec::new(), Vec::new());
        for i in self.r.instances(&self.snap, Wanted::Price, event) {
            let ClauseKind::Price(_, adds, cost) = &self.r.program.clauses[i.clause.index()].kind else { continue };
            let cost = self.r.costs(Scene::of(&self.snap), &mut i.vars.clone(), cost).into_iter().next().flatten();
            if *adds { more.push(cost) } else { less.extend(cost) }
        }
        if let Some(judged) = &mut self.judging {
            judged.more.extend(more);
            judged.less.extend(less);
        }
    }

    /// Does something one procedure deeper.
    pub fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let step = |run: &mut Self, down: bool| {
            if let Some(j) = &mut run.judging {
                j.depth = if down { j.depth + 1 } else { j.depth.saturating_sub(1) };
            }
        };
        step(self, true);
        let done = f(self);
        step(self, false);
        done
    }
}

impl Judged {
    /// A base cost with all prices: more first, then less.
    fn total(&self, base: Option<Cost>) -> Option<Cost> {
        let mut cost = base?;
        for more in &self.more {
            cost = plus(&cost, more.as_ref()?);
        }
        for less in &self.less {
            cost.mana = cost.mana.less(&less.mana);
        }
        Some(cost)
    }
}

fn plus(a: &Cost, b: &Cost) -> Cost {
    Cost { mana: a.mana.plus(&b.mana), named: a.named.iter().chain(&b.named).copied().collect() }
}

/// A cost with its named parts in order, so that two sums can be compared.
pub(super) fn sorted(c: &Cost) -> Cost {
    let mut c = c.clone();
    c.named.sort();
    c
}
