//! Rulings, played by the fast path's own evaluator: a given position, what is done, what must be true. The referee plays
//! each ruling too, and the two must agree.

use super::play::RulingResult;
use crate::game::memory::Log;
use crate::game::record::{NO_OBJECT, Obj, State, Value};
use crate::lang::ast::Span;
use crate::lang::diag::Code;
use crate::lang::tracked::Tracked;
use crate::lang::tree::{
    ArgPattern, CardId, CostExpr, Expr, Limits, Offer, Pattern, Program, Ruling, RulingStep, Verb,
};
use crate::law::coverage::Seen;
use crate::law::eval::{Env, Happening, Reader, Scene};
use crate::law::ground::{Dealt, Law, Setting};
use crate::law::names;
use crate::law::offers::Refusal;
use crate::law::verbs::{Run, Stop};
use std::collections::VecDeque;
use std::rc::Rc;

type Failure = (Code, Span, String);

/// Plays a ruling with both evaluators.
pub fn run(program: &Program, ruling: usize) -> RulingResult {
    let r = &program.rulings[ruling];
    let ours = play(&Law::new(program, setting(r)), r).err();
    let theirs = crate::naive::ruling::run_ruling(program, ruling);
    let failure = match (ours, theirs.failure) {
        (None, None) => None,
        (Some(ours), Some(_)) => Some(ours),
        // Two engines that differ are a fault of the program, not of the ruling.
        (Some((code, span, what)), None) => {
            Some((Code::L408, span, format!("{what} [{code:?}] (the referee finds it true)")))
        }
        (None, Some((span, code, what))) => {
            let code = code.unwrap_or(Code::L401);
            Some((Code::L408, span, format!("{what} [{code:?}] (so the referee alone)")))
        }
    };
    RulingResult { name: r.name.clone(), failure }
}

/// Players of a ruling: A and B, and more if it names them.
fn setting(r: &Ruling) -> Setting {
    let named = r.given.iter().flat_map(|g| [g.owner, g.controller]).chain([r.active, 1]).max().unwrap_or(1);
    let mut deck: Vec<CardId> = r.given.iter().map(|g| g.card).collect();
    deck.sort_unstable();
    deck.dedup();
    Setting {
        cards: r.given.len(),
        players: (0..=named).map(|p| char::from(b'A' + p).to_string()).collect(),
        limits: Limits { stack_budget: u8::MAX, tokens_budget: 4, counters_budget: 99, stack_cap: 12 },
        mana: None,
        allows: Vec::new(),
        tracked: Tracked::ALL,
        deck,
    }
}

struct Position<'l, 'p> {
    law: &'l Law<'p>,
    state: State,
    before: State,
    happenings: Vec<Happening>,
    env: Env,
}

/// Plays a ruling by the fast path alone, and tells what of the law was at work.
pub fn seen(program: &Program, ruling: usize) -> (RulingResult, Seen) {
    let r = &program.rulings[ruling];
    let law = Law::new(program, setting(r)).recorded();
    let failure = play(&law, r).err();
    (RulingResult { name: r.name.clone(), failure }, law.seen())
}

/// Plays a ruling by the fast path alone.
pub fn alone(program: &Program, ruling: usize) -> RulingResult {
    let r = &program.rulings[ruling];
    RulingResult { name: r.name.clone(), failure: play(&Law::new(program, setting(r)), r).err() }
}

fn play(law: &Law, r: &Ruling) -> Result<(), Failure> {
    let program = law.program;
    let mut state = law.blank();
    let mut env = Env::of(&r.frame);
    for (slot, g) in r.given.iter().enumerate() {
        law.deal(&mut state, slot, &Dealt { card: g.card, zone: g.zone, owner: g.owner });
        let rec = Rc::make_mut(&mut state.slots[slot]);
        (rec.controller, rec.home, rec.tapped) = (g.controller, g.controller, g.tapped);
        if let Some((profile, way)) = g.face_down {
            rec.face_down = true;
            rec.listed = law.looks.look(&program.profiles[profile.index()].look);
            rec.way = Some(way);
        }
        for (k, n) in &g.counters {
            rec.counters[k.index()] = (*n).clamp(0, 99) as u8;
        }
        env.set(g.var, Value::Object(slot as Obj));
    }
    Rc::make_mut(&mut state.table).active = r.active;
    law.given(&state);
    let mut first = Run::new(Reader::new(law, Rc::new(Log::off())), state.clone(), Vec::new());
    first.knowledge(&state);
    let state = first.state;
    law.looked(&state, &Reader::new(law, Rc::new(Log::off())));
    let mut position = Position { law, before: state.clone(), state, happenings: Vec::new(), env };
    r.steps.iter().try_for_each(|step| position.step(step))
}

impl Position<'_, '_> {
    fn reader(&self) -> Reader<'_, '_> {
        let scene = Scene { happenings: &self.happenings, before: &self.before, end: &self.state };
        Reader { law: self.law, log: Rc::new(Log::off()), scene: Some(scene) }
    }

    fn step(&mut self, step: &RulingStep) -> Result<(), Failure> {
        match step {
            RulingStep::Then(e, span) => self.claim(e, *span),
            RulingStep::Do(call, choosing, span) => {
                let mut env = self.env.clone();
                self.go(choosing, *span, |run| {
                    run.call(call, &mut env);
                })
            }
            RulingStep::Resolve(choosing, span) => {
                let top = self.state.top_of_stack();
                let Some(resolve) = self.law.program.resolve else { return Ok(()) };
                self.go(choosing, *span, |run| {
                    run.act(Verb::Procedure(resolve), vec![Value::Object(top)]);
                })
            }
            RulingStep::Does { player, pattern, paying, choosing, span } => {
                let found = self.find(*player, pattern, paying.as_ref(), *span)?;
                self.go(choosing, *span, |run| run.take(&found))
            }
        }
    }

    /// The offer that a player takes, or why there is none.
    fn find(
        &self,
        player: u8,
        pattern: &Pattern,
        paying: Option<&CostExpr>,
        span: Span,
    ) -> Result<crate::law::offers::Found, Failure> {
        let offer = Offer {
            player: Expr::Const(crate::lang::tree::Const::Player(player)),
            negated: false,
            pattern: pattern.clone(),
            paying: paying.cloned(),
            because: None,
        };
        let reader = self.reader();
        let (mut found, refused) = reader.matching(&offer, &self.state, &self.env, player);
        if !found.is_empty() {
            return Ok(found.swap_remove(0));
        }
        let program = self.law.program;
        let why = refused.iter().find(|r| **r != Refusal::Unpermitted);
        Err(match why {
            Some(Refusal::Forbidden(r)) => (
                Code::L402,
                span,
                format!("the offer is refused by {} {}", program.rules[r.index()].kind, program.rules[r.index()].name),
            ),
            Some(Refusal::Unpayable) => (Code::L403, span, "the cost can't be paid".into()),
            Some(Refusal::NoTarget) => (Code::L401, span, "the offer has no target".into()),
            Some(Refusal::Unpermitted) | None => {
                let costs = self.reader().matching(&Offer { paying: None, ..offer }, &self.state, &self.env, player).0;
                match costs.first() {
                    Some(f) => (Code::L401, span, format!("the offer costs {}", names::cost_of(self.law, f.cost))),
                    None => (Code::L401, span, "the offer is not there: nothing permits it".into()),
                }
            }
        })
    }

    /// Does something with the choices given, then checks, triggers and knowledge.
    fn go(&mut self, choosing: &[Expr], span: Span, act: impl FnOnce(&mut Run)) -> Result<(), Failure> {
        let answers: VecDeque<Value> = choosing.iter().map(|e| self.reader().eval(e, &self.state, &self.env)).collect();
        let mut run = Run::new(Reader::new(self.law, Rc::new(Log::off())), self.state.clone(), Vec::new());
        run.answers = Some(answers);
        self.law.run_begins();
        act(&mut run);
        run.finish(&self.state);
        self.law.run_ends(&run, &self.state, None);
        match run.stop.take() {
            None => {}
            Some(Stop::Fault(code, what)) | Some(Stop::Choice(code, what)) => return Err((code, span, what)),
            Some(Stop::Budget | Stop::Cap | Stop::Absent) => {
                return Err((Code::L407, span, "more tokens, counters or stack than a ruling has room for".into()));
            }
        }
        let left = run.answers.as_ref().map_or(0, VecDeque::len);
        if left > 0 {
            return Err((Code::L406, span, format!("{left} of the choices given were not asked for")));
        }
        self.happenings = run.happenings;
        self.before = std::mem::replace(&mut self.state, run.state);
        self.law.settled(&self.state, &self.reader());
        Ok(())
    }

    fn claim(&mut self, e: &Expr, span: Span) -> Result<(), Failure> {
        if let Expr::And(list) = e {
            return list.iter().try_for_each(|e| self.claim(e, span));
        }
        if let Expr::Happens(pattern) = e {
            let h = self.happenings.iter().find(|h| self.reader().happening_fits(pattern, h, &self.state, &self.env));
            let Some(h) = h.cloned() else {
                return Err((Code::L401, span, "no such event since the last `when`".into()));
            };
            for (p, v) in pattern.args.iter().zip(&h.args) {
                if let ArgPattern::Bind(var) = p {
                    self.env.set(*var, *v);
                }
            }
            return Ok(());
        }
        if self.reader().truth(e, &self.state, &self.env) {
            return Ok(());
        }
        let found = match e {
            Expr::Cmp(_, a, b) => {
                let reader = self.reader();
                let (a, b) = (reader.eval(a, &self.state, &self.env), reader.eval(b, &self.state, &self.env));
                format!(
                    "this is false: {} against {}",
                    names::value(self.law, &self.state, a),
                    names::value(self.law, &self.state, b)
                )
            }
            Expr::In(o, _) => {
                let o = self.reader().object(o, &self.state, &self.env);
                let zone = (o != NO_OBJECT).then(|| self.reader().zone(&self.state, o)).flatten();
                format!("this is false: it is in {}", zone.map_or("no zone", crate::lang::tree::Zone::name))
            }
            _ => "this is false".to_string(),
        };
        Err((Code::L401, span, found))
    }
}
