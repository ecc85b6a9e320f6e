//! What spells and abilities do, what they aim at, and how costs are paid (MEANING 2, after the table of verbs).

use super::Vars;
use super::looks::bind;
use super::run::{Run, Stop};
use super::stages::Event;
use super::state::{Obj, Value, What};
use crate::lang::tree::{ClauseKind, Cost, Stmt, Target, Verb, Zone};

impl<'r, 'a> Run<'r, 'a> {
    pub(super) fn cast(&mut self, o: Option<Obj>, by: Option<u8>) -> Result<bool, Stop> {
        let (Some(o), Some(by)) = (o, by) else { return Ok(false) };
        let args = vec![Some(Value::Object(Some(o))), Some(Value::Zone(Zone::Stack)), Some(Value::Player(by))];
        let mut event = Event { verb: Verb::Move, args: self.with_defaults(Verb::Move, args) };
        if !self.deeper(|run| run.perform(&mut event))? {
            return Ok(false);
        }
        let Some((clause, target)) = self.spell_target(o) else { return Ok(true) };
        let vars = self.r.frame(self.state(), &self.r.program.clauses[clause], Some(o), None);
        let mut candidates = self.candidates(target.var, &[], Some(&target.filter), &vars);
        // 115.5.
        candidates.retain(|x| *x != o);
        if candidates.is_empty() {
            return if self.judging.is_some() { Err(Stop::NoTarget) } else { Ok(true) };
        }
        let aim = self.pick(by, &candidates)?;
        if let Some(e) = self.edit().stack.iter_mut().find(|e| e.object() == o) {
            e.aims = Some(aim);
        }
        self.aim(aim, o)?;
        Ok(true)
    }

    /// The first `spell` clause with a target of what an object now is.
    fn spell_target(&self, o: Obj) -> Option<(usize, &'a Target)> {
        let clauses = self.r.clauses_of(&self.r.now(&self.snap, o));
        clauses.iter().find_map(|(id, toll)| match &self.r.program.clauses[id.index()].kind {
            ClauseKind::Spell(guard, Some(target), _) => {
                let mut vars = self.r.frame(self.state(), &self.r.program.clauses[id.index()], Some(o), toll.as_ref());
                guard.as_ref().is_none_or(|g| self.yes(&mut vars, g)).then_some((id.index(), target))
            }
            _ => None,
        })
    }

    /// `target(x, by: s)` happens.
    pub fn aim(&mut self, at: Obj, by: Obj) -> Result<(), Stop> {
        let args = vec![Value::Object(Some(at)), Value::Object(Some(by))];
        let judging = self.judging.take();
        let done = self.perform(&mut Event { verb: Verb::Target, args });
        self.judging = judging;
        done.map(|_| ())
    }

    /// `run`: what a stack object does, if its target is still right.
    pub(super) fn carry_out(&mut self, o: Option<Obj>) -> Result<(), Stop> {
        let Some((o, entry)) = o.and_then(|o| Some((o, self.state().entry(o)?.clone()))) else { return Ok(()) };
        let program = self.r.program;
        match entry.what {
            What::Ability { clause, source, mut vars, .. } => {
                let (target, body) = match &program.clauses[clause.index()].kind {
                    ClauseKind::Permit { target, body, .. } | ClauseKind::Stage(_, _, target, body) => (target, body),
                    _ => return Ok(()),
                };
                if self.target_fits(target.as_ref(), entry.aims, &mut vars) {
                    self.on_behalf(source, |run| run.inner(body, &mut vars))?;
                }
            }
            What::Spell(_) => {
                let spells: Vec<_> = self.r.clauses_of(&self.r.now(&self.snap, o));
                let mut bodies = Vec::new();
                for (id, toll) in &spells {
                    let clause = &program.clauses[id.index()];
                    let ClauseKind::Spell(guard, target, body) = &clause.kind else { continue };
                    let mut vars = self.r.frame(self.state(), clause, Some(o), toll.as_ref());
                    if !guard.as_ref().is_none_or(|g| self.yes(&mut vars, g)) {
                        continue;
                    }
                    if !self.target_fits(target.as_ref(), entry.aims, &mut vars) {
                        return Ok(());
                    }
                    bodies.push((body, vars));
                }
                for (body, mut vars) in bodies {
                    self.on_behalf(Some(o), |run| run.inner(body, &mut vars))?;
                }
            }
        }
        Ok(())
    }

    fn target_fits(&self, target: Option<&Target>, aim: Option<Obj>, vars: &mut Vars) -> bool {
        let Some(target) = target else { return true };
        let Some(aim) = aim.filter(|&a| self.state().holds(a)) else { return false };
        bind(vars, target.var, Value::Object(Some(aim)));
        self.yes(vars, &target.filter)
    }

    /// Whether a player can pay a cost for an object: it is one, the mana is there, and every `choose` at the top of a
    /// named cost has a candidate.
    pub fn can_pay(&self, p: u8, cost: Option<&Cost>, o: Option<Obj>) -> bool {
        let Some(cost) = cost else { return false };
        let left = self.state().seats[usize::from(p)].mana;
        left.is_none_or(|left| cost.mana.value() <= left)
            && cost.named.iter().all(|n| {
                let named = &self.r.program.named_costs[n.index()];
                let mut vars = vec![Value::Player(p), Value::Object(o)];
                vars.resize(named.frame.vars.len().max(2), Value::Unset);
                named.body.stmts.iter().all(|s| match s {
                    Stmt::Let(var, e) => {
                        let value = self.eval(&mut vars, e);
                        bind(&mut vars, *var, value);
                        true
                    }
                    Stmt::Choose { var, among, filter, .. } => {
                        !self.candidates(*var, among, filter.as_ref(), &vars).is_empty()
                    }
                    _ => true,
                })
            })
    }

    /// The same of a `pay` event.
    pub fn can_pay_event(&self, event: &Event) -> bool {
        let [payer, cost] = &event.args[..] else { return false };
        payer.player().is_some_and(|p| self.can_pay(p, cost.clone().cost().as_ref(), self.subject))
    }

    pub(super) fn pay(&mut self, p: Option<u8>, cost: Option<Cost>) -> Result<(), Stop> {
        let (Some(p), Some(cost)) = (p, cost) else { return Ok(()) };
        if let Some(left) = &mut self.edit().seats[usize::from(p)].mana {
            *left -= cost.mana.value();
        }
        for n in &cost.named {
            let named = &self.r.program.named_costs[n.index()];
            let mut vars = vec![Value::Player(p), Value::Object(self.subject)];
            vars.resize(named.frame.vars.len().max(2), Value::Unset);
            self.inner(&named.body, &mut vars)?;
        }
        Ok(())
    }
}
