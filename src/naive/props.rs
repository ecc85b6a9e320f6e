//! Properties over states and steps (MEANING 5, LANGUAGE 9).

use std::rc::Rc;

use super::expr::Scene;
use super::looks::bind;
use super::offers::{OfferFound, Standing};
use super::stages::Record;
use super::state::{Obj, Snap, State, Value};
use super::step::Outcome;
use super::{Referee, Vars};
use crate::lang::ast::QuantKind;
use crate::lang::tree::{CardId, Claim, Expr, Head};

/// What one state or step says of every property of the program, by its index. Those that do not speak of the world
/// stay as they are: no, no.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdicts {
    /// Its premise was reached; of `possible`: it was witnessed.
    pub reached: Vec<bool>,
    /// It does not hold here.
    pub violated: Vec<bool>,
}

impl Verdicts {
    fn none(n: usize) -> Verdicts {
        Verdicts { reached: vec![false; n], violated: vec![false; n] }
    }

    /// Adds what another state or step says.
    pub fn join(&mut self, other: &Verdicts) {
        let or = |a: &mut Vec<bool>, b: &[bool]| a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
        or(&mut self.reached, &other.reached);
        or(&mut self.violated, &other.violated);
    }

    /// Nothing said of any property of a program.
    pub fn empty(program: &crate::lang::tree::Program) -> Verdicts {
        Verdicts::none(program.properties.len())
    }
}

impl<'a> Referee<'a> {
    /// What a state between steps says: `always`, `possible` of a state, `blind`.
    pub fn judge_state(&self, state: &State) -> Verdicts {
        let s = Snap::new(state.clone());
        let sc = Scene::of(&s);
        self.judge(|claim, vars| match claim {
            Claim::Always(e) => self.always(sc, vars, e),
            Claim::PossibleState(e) => (self.eval(sc, vars, e).yes(), false),
            Claim::Blind(guard) => self.blind(&s, vars, guard),
            Claim::Whenever(..) | Claim::PossibleEvent(_) => (false, false),
        })
    }

    /// What a step says: `whenever`, `possible` of an event.
    pub fn judge_step(&self, _from: &State, outcome: &Outcome) -> Verdicts {
        self.judge(|claim, vars| {
            let mut verdict = (false, false);
            for record in &outcome.records {
                let sc = Scene {
                    was: &record.before,
                    ends: &outcome.end,
                    records: &outcome.records,
                    ..Scene::of(&record.after)
                };
                let (head, holds) = match claim {
                    Claim::Whenever(head, e) => (head, Some(e)),
                    Claim::PossibleEvent(head) => (head, None),
                    Claim::Always(_) | Claim::PossibleState(_) | Claim::Blind(_) => return (false, false),
                };
                if let Some(mut vars) = self.heard(sc, vars, head, record) {
                    verdict.0 = true;
                    verdict.1 |= holds.is_some_and(|e| !self.eval(sc, &mut vars, e).yes());
                }
            }
            verdict
        })
    }

    fn judge(&self, of: impl Fn(&Claim, &mut Vars) -> (bool, bool)) -> Verdicts {
        let mut all = Verdicts::empty(self.program);
        for &i in &self.properties {
            let property = &self.program.properties[i];
            let mut vars = vec![Value::Unset; property.frame.vars.len()];
            (all.reached[i], all.violated[i]) = of(&property.claim, &mut vars);
        }
        all
    }

    /// The binding under which a head hears a record: that of its first pattern that matches with the guard.
    fn heard(&self, sc: Scene, vars: &Vars, head: &Head, record: &Record) -> Option<Vars> {
        head.patterns.iter().filter(|p| record.happened || p.tries).find_map(|p| {
            let mut vars = vars.clone();
            let heard = self.fits(sc, p, &record.event, &mut vars)
                && head.guard.as_ref().is_none_or(|g| self.eval(sc, &mut vars, g).yes());
            heard.then_some(vars)
        })
    }

    /// Premise and violation of `always`: an outermost `every x where P: Q` has a premise, anything else is one.
    fn always(&self, sc: Scene, vars: &mut Vars, e: &Expr) -> (bool, bool) {
        let violated = !self.eval(sc, vars, e).yes();
        let Expr::Quant { kind: QuantKind::Every, var, ty, filter, .. } = e else { return (true, violated) };
        let reached = self.range(sc, *ty).into_iter().any(|x| {
            bind(vars, *var, x);
            self.eval(sc, vars, filter).yes()
        });
        (reached, violated)
    }

    /// Premise and violation of `blind`: whether another card in place of a hidden one changes what a player is offered.
    fn blind(&self, s: &Rc<Snap>, vars: &mut Vars, guard: &Expr) -> (bool, bool) {
        let (mut reached, mut violated) = (false, false);
        for p in s.state.players() {
            for o in s.state.objects() {
                bind(vars, 0, Value::Player(p));
                bind(vars, 1, Value::Object(Some(o)));
                if !self.eval(Scene::of(s), vars, guard).yes() {
                    continue;
                }
                reached = true;
                let Obj::Slot(i) = o else { continue };
                let Some(own) = s.state.slots[usize::from(i)].card else { continue };
                for &other in self.deal.iter().filter(|&&c| c != own) {
                    violated |= self.offered(s, p) != self.offered(&self.with_card(&s.state, i, other), p);
                }
            }
        }
        (reached, violated)
    }

    fn offered(&self, s: &Rc<Snap>, p: u8) -> Vec<OfferFound> {
        self.attempts(s, p).iter().filter(|a| a.standing == Standing::Stands).map(|a| a.offer.clone()).collect()
    }

    fn with_card(&self, state: &State, slot: u8, card: CardId) -> Rc<Snap> {
        let mut state = state.clone();
        state.slots[usize::from(slot)].card = Some(card);
        Snap::new(state)
    }
}
