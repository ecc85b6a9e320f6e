//! Offers: what a player may do now, what it costs, and if not, because of what (601.2e: propose, judge, take back).

use super::eval::{Env, Reader};
use super::ground::Kind;
use super::profile::Cause;
use super::verbs::{Instance, Run};
use crate::game::record::{CostId, NO_OBJECT, Obj, State, Value};
use crate::lang::tree::{
    ArgPattern, Because, Block, Call, ClauseId, ClauseKind, Cost, CostExpr, Expr, LookField, Offer, RuleId, Stmt, Verb,
    Zone,
};
use itertools::Itertools;

/// An offer that stands.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its permit.
    pub clause: ClauseId,
    /// Whose.
    pub player: u8,
    /// On what.
    pub object: Obj,
    /// Its whole cost.
    pub cost: CostId,
    /// Bindings.
    pub env: Env,
}

/// Why a permit offers nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Its guard does not hold.
    Unpermitted,
    /// Something forbids it.
    Forbidden(RuleId),
    /// Its cost can't be paid.
    Unpayable,
    /// There is nothing to aim at.
    NoTarget,
}

/// Prices met while an offer is judged.
#[derive(Default)]
struct Prices {
    more: Vec<Cost>,
    less: Vec<Cost>,
}

impl<'l, 'p> Reader<'l, 'p> {
    /// What one permit offers a player on an object.
    pub fn judge(&self, st: &State, clause: ClauseId, p: u8, o: Obj) -> Result<Vec<Found>, Refusal> {
        self.law.timed(Cause::Clause(clause), || self.judge_for(st, clause, p, o))
    }

    fn judge_for(&self, st: &State, clause: ClauseId, p: u8, o: Obj) -> Result<Vec<Found>, Refusal> {
        let c = &self.law.program.clauses[clause.index()];
        let ClauseKind::Permit { player, object, .. } = &c.kind else { return Err(Refusal::Unpermitted) };
        if !c.carried {
            let mut env = Env::of(&c.frame);
            env.set(*player, Value::Player(p));
            env.set(*object, Value::Object(o));
            return self.judge_bound(st, clause, p, o, env);
        }
        let (mut found, mut refused) = (Vec::new(), None);
        for toll in self.carrier(st, o, clause, self.law.now) {
            if self.controller(st, o) != p {
                return Err(Refusal::Unpermitted);
            }
            match self.judge_bound(st, clause, p, o, self.carried_env(st, c, o, toll)) {
                Ok(list) => found.extend(list),
                Err(r) => refused = refused.or(Some(r)),
            }
        }
        if found.is_empty() { Err(refused.unwrap_or(Refusal::Unpermitted)) } else { Ok(found) }
    }

    /// What it offers with its player, its object and its toll bound.
    fn judge_bound(&self, st: &State, clause: ClauseId, p: u8, o: Obj, env: Env) -> Result<Vec<Found>, Refusal> {
        let ClauseKind::Permit { ability, guard, pay, target, body, .. } =
            &self.law.program.clauses[clause.index()].kind
        else {
            return Err(Refusal::Unpermitted);
        };
        if !self.in_game(st, p) || !guard.as_ref().is_none_or(|g| self.truth(g, st, &env)) {
            return Err(Refusal::Unpermitted);
        }
        let mut run = Run::new(self.clone(), st.clone(), Vec::new());
        let mut prices = Prices::default();
        let moments = if *ability { &[Verb::Take, Verb::Activate][..] } else { &[Verb::Take] };
        for &moment in moments {
            let args = vec![Value::Object(o), Value::Player(p)];
            if let Some(i) = run.forbidden(moment, &args) {
                return Err(self.refusal(&i, &run));
            }
            self.prices(&run, moment, &args, &mut prices);
        }
        if *ability {
            if let Some(t) = target
                && run.aimable(t, &env).is_empty()
            {
                return Err(Refusal::NoTarget);
            }
        } else {
            let mut inner = env.clone();
            self.dry(body, &mut inner, &mut run, &mut prices, false)?;
        }
        let found: Vec<Found> = self
            .alternatives(pay.as_ref(), st, &env)
            .into_iter()
            .filter_map(|cost| {
                let mut cost = cost;
                for more in &prices.more {
                    cost.mana = cost.mana.plus(&more.mana);
                    cost.named.extend(more.named.iter().copied());
                }
                for less in &prices.less {
                    cost.mana = cost.mana.less(&less.mana);
                }
                let cost = self.law.looks.cost(&cost);
                let mut payer = Run::new(self.clone(), st.clone(), Vec::new());
                payer.paying_for = o;
                let payable = payer.can_pay(&[Value::Player(p), Value::Cost(Some(cost))]);
                payable.then(|| Found { clause, player: p, object: o, cost, env: env.clone() })
            })
            .collect();
        if found.is_empty() { Err(Refusal::Unpayable) } else { Ok(found) }
    }

    fn refusal(&self, i: &Instance, run: &Run<'l, 'p>) -> Refusal {
        self.law.judged(i, run);
        Refusal::Forbidden(self.law.program.clauses[i.clause.index()].rule)
    }

    fn prices(&self, run: &Run<'l, 'p>, verb: Verb, args: &[Value], prices: &mut Prices) {
        for i in run.instances(Kind::Price, verb, args) {
            let ClauseKind::Price(_, more, cost) = &self.law.program.clauses[i.clause.index()].kind else { continue };
            let Some(cost) = self.alternatives(Some(cost), &run.state, &i.env).into_iter().next() else { continue };
            self.law.judged(&i, run);
            if *more { prices.more.push(cost) } else { prices.less.push(cost) }
        }
    }

    /// Judges the outermost calls of a body one after the other, each in the state that those before it would make.
    fn dry(
        &self,
        body: &Block,
        env: &mut Env,
        run: &mut Run<'l, 'p>,
        prices: &mut Prices,
        more: bool,
    ) -> Result<(), Refusal> {
        let last = body.stmts.iter().rposition(|s| matches!(s, Stmt::Call(..)));
        for (i, stmt) in body.stmts.iter().enumerate() {
            let more = more || last.is_some_and(|l| i < l);
            match stmt {
                Stmt::Call(call, ..) => self.dry_call(call, env, run, prices, more)?,
                Stmt::Let(var, e) => {
                    let value = self.eval(e, &run.state, env);
                    env.set(*var, value);
                }
                Stmt::If(..)
                | Stmt::Choose { .. }
                | Stmt::Each { .. }
                | Stmt::May(..)
                | Stmt::Give(..)
                | Stmt::Set(..) => {}
            }
        }
        Ok(())
    }

    fn dry_call(
        &self,
        call: &Call,
        env: &mut Env,
        run: &mut Run<'l, 'p>,
        prices: &mut Prices,
        more: bool,
    ) -> Result<(), Refusal> {
        if call.verb == Verb::Create {
            return Ok(());
        }
        let args = run.arguments(call, env);
        if run.speaks_of_nothing(call.verb, &args) {
            return Ok(());
        }
        if let Some(i) = run.forbidden(call.verb, &args) {
            return Err(self.refusal(&i, run));
        }
        self.prices(run, call.verb, &args, prices);
        match call.verb {
            Verb::Procedure(p) => {
                let procedure = &self.law.program.procedures[p.index()];
                let mut inner = Env::of(&procedure.frame);
                for (i, a) in args.iter().enumerate() {
                    inner.set(i as u8, *a);
                }
                self.dry(&procedure.body, &mut inner, run, prices, more)
            }
            Verb::Cast => {
                let (Some(Value::Object(o)), Some(by)) = (args.first().copied(), args.get(1).copied()) else {
                    return Ok(());
                };
                let from = self.zone(&run.state, o).map_or(Value::Bool(false), Value::Zone);
                let step = vec![Value::Object(o), Value::Zone(Zone::Stack), by, from];
                if let Some(i) = run.forbidden(Verb::Move, &step) {
                    return Err(self.refusal(&i, run));
                }
                if run.may_target(o) && self.law.beforehand(|| self.lacks_target(&run.state, o, step)) {
                    return Err(Refusal::NoTarget);
                }
                if more {
                    self.law.beforehand(|| run.act(call.verb, args));
                }
                Ok(())
            }
            _ => {
                if more {
                    self.law.beforehand(|| run.act(call.verb, args));
                }
                Ok(())
            }
        }
    }

    /// Whether a spell, once it is on the stack by this move, would need a target that is not there.
    fn lacks_target(&self, st: &State, o: Obj, step: Vec<Value>) -> bool {
        let mut run = Run::new(self.clone(), st.clone(), Vec::new());
        if !run.act(Verb::Move, step) {
            return false;
        }
        let Some((clause, target)) = run.spell_target(o) else { return false };
        let spell = run.spell_env(o, clause);
        run.aimable(target, &spell).iter().all(|x| *x == o)
    }

    /// What a cost comes to: one alternative for each keyword that a toll part finds; none that can't be paid.
    pub fn alternatives(&self, pay: Option<&CostExpr>, st: &State, env: &Env) -> Vec<Cost> {
        let mut list = vec![Cost::default()];
        for part in pay.map_or(&[][..], |p| &p.parts) {
            let options: Vec<Cost> = match part {
                Expr::Look(look, LookField::Toll(k)) => {
                    let look = self.law.looks.get(self.look_of(look, st, env));
                    look.keywords.iter().filter(|(x, _)| x == k).filter_map(|(_, c)| c.clone()).collect()
                }
                e => match self.eval(e, st, env) {
                    Value::Cost(Some(c)) => vec![Cost::clone(&self.law.looks.get_cost(c))],
                    _ => Vec::new(),
                },
            };
            list = list
                .iter()
                .flat_map(|a| {
                    options.iter().map(|b| {
                        let mut named = a.named.clone();
                        named.extend(b.named.iter().copied());
                        Cost { mana: a.mana.plus(&b.mana), named }
                    })
                })
                .collect();
        }
        list
    }

    /// Objects on which a permit can be asked.
    pub fn askable(&self, st: &State, clause: ClauseId) -> Vec<Obj> {
        if self.law.program.clauses[clause.index()].carried {
            return self.carriers(st, clause, self.law.now).into_iter().map(|(q, _)| q).dedup().collect();
        }
        (0..st.slots.len()).filter(|s| self.exists(st, *s)).map(|s| s as Obj).collect()
    }

    /// All offers that stand for a player.
    pub fn offers(&self, st: &State, p: u8) -> Vec<Found> {
        let permits = self.law.permits.iter();
        let asked = permits.flat_map(|c| self.askable(st, *c).into_iter().map(move |o| (*c, o)));
        asked.filter_map(|(c, o)| self.judge(st, c, p, o).ok()).flatten().collect()
    }

    /// Offers that match a question, and the refusals of those that would.
    pub fn matching(&self, offer: &Offer, st: &State, env: &Env, p: u8) -> (Vec<Found>, Vec<Refusal>) {
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        let pattern = &offer.pattern;
        for &clause in &self.law.permits {
            let c = &self.law.program.clauses[clause.index()];
            let ClauseKind::Permit { object, body, player, ability, .. } = &c.kind else { continue };
            let calls: Vec<&Call> = body
                .stmts
                .iter()
                .filter_map(|s| match s {
                    Stmt::Call(call, ..) if call.verb == pattern.verb => Some(call),
                    _ => None,
                })
                .collect();
            let take = pattern.verb == Verb::Take || (pattern.verb == Verb::Activate && *ability);
            if calls.is_empty() && !take {
                continue;
            }
            let on_object =
                take || calls.iter().all(|c| matches!(c.args.first(), Some(Some(Expr::Var(v))) if v == object));
            let objects = match pattern.args.first() {
                Some(ArgPattern::Is(e)) if on_object => vec![self.object(e, st, env)],
                _ => self.askable(st, clause),
            };
            for o in objects {
                if o == NO_OBJECT || (usize::from(o) < st.slots.len() && !self.exists(st, usize::from(o))) {
                    continue;
                }
                let envs: Vec<Env> = if c.carried {
                    let tolls = self.carrier(st, o, clause, self.law.now).into_iter();
                    tolls.map(|toll| self.carried_env(st, c, o, toll)).collect()
                } else {
                    let mut env = Env::of(&c.frame);
                    env.set(*player, Value::Player(p));
                    env.set(*object, Value::Object(o));
                    vec![env]
                };
                let fits = |inner: &Env| take || calls.iter().any(|call| self.call_fits(pattern, call, st, inner, env));
                if !envs.iter().any(fits) {
                    continue;
                }
                match self.judge(st, clause, p, o) {
                    Ok(list) => found.extend(list),
                    Err(r) => refused.push(r),
                }
            }
        }
        if let Some(paying) = &offer.paying {
            let wanted: Vec<CostId> =
                self.alternatives(Some(paying), st, env).iter().map(|c| self.law.looks.cost(c)).collect();
            found.retain(|f| wanted.contains(&f.cost));
        }
        (found, refused)
    }

    fn call_fits(
        &self,
        pattern: &crate::lang::tree::Pattern,
        call: &Call,
        st: &State,
        inner: &Env,
        outer: &Env,
    ) -> bool {
        let run = Run::new(self.clone(), st.clone(), Vec::new());
        let args = run.arguments(call, inner);
        pattern.args.iter().zip(&args).all(|(p, a)| match p {
            ArgPattern::Any | ArgPattern::Bind(_) => true,
            ArgPattern::Is(e) => self.eval(e, st, outer) == *a,
        })
    }

    /// Whether a question about offers is answered with yes.
    pub fn is_offered(&self, offer: &Offer, st: &State, env: &Env) -> bool {
        let p = self.player(&offer.player, st, env);
        let (found, refused) = self.matching(offer, st, env, p);
        if !offer.negated {
            return !found.is_empty();
        }
        found.is_empty()
            && match &offer.because {
                None => true,
                Some(Because::Unpermitted) => refused.iter().all(|r| *r == Refusal::Unpermitted),
                Some(Because::Unpayable) => refused.contains(&Refusal::Unpayable),
                Some(Because::Rule(r)) => refused.contains(&Refusal::Forbidden(*r)),
            }
    }
}
