//! Rulings (LANGUAGE 10): a given state, acts with their choices, and what must then be true.

use std::collections::VecDeque;
use std::rc::Rc;

use super::expr::Scene;
use super::offers::{Attempt, Standing, sorted};
use super::oracle::Oracle;
use super::run::{Run, Stop};
use super::stages::{Event, Record};
use super::state::{Obj, Snap, Value};
use super::{Fault, Referee, Vars};
use crate::lang::ast::Span;
use crate::lang::diag::Code;
use crate::lang::tree::{Call, CostExpr, Expr, Pattern, Program, Ruling, RulingStep};

/// How a ruling came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulingResult {
    /// Everything could be done and every claim is true.
    pub passes: bool,
    /// Where it fails, and why. A claim that is false has no code: it is no mistake of writing.
    pub failure: Option<(Span, Option<Code>, String)>,
}

/// Runs a ruling.
pub fn run_ruling(program: &Program, ruling: usize) -> RulingResult {
    let r = Referee::for_ruling(program, ruling);
    match r.play(&program.rulings[ruling]) {
        Ok(()) => RulingResult { passes: true, failure: None },
        Err(failure) => RulingResult { passes: false, failure: Some(failure) },
    }
}

type Failure = (Span, Option<Code>, String);

fn wrong(f: Fault) -> Failure {
    (f.span, Some(f.code), f.message)
}

/// A ruling on its way: the state, the names, and what happened since the last `when`.
struct Play {
    now: Rc<Snap>,
    was: Rc<Snap>,
    records: Vec<Record>,
    vars: Vars,
}

impl Play {
    fn scene(&self) -> Scene<'_> {
        Scene { was: &self.was, records: &self.records, ..Scene::of(&self.now) }
    }
}

impl<'a> Referee<'a> {
    fn play(&self, ruling: &'a Ruling) -> Result<(), Failure> {
        let Some(state) = self.initial().map_err(wrong)?.pop() else { return Ok(()) };
        let now = Snap::new(state);
        let mut play = Play { was: Rc::clone(&now), now, records: Vec::new(), vars: self.given_vars(ruling) };
        for step in &ruling.steps {
            match step {
                RulingStep::Then(e, span) => self.claimed(&mut play, e, *span)?,
                RulingStep::Does { player, pattern, paying, choosing, span } => {
                    let offer = self.find(&mut play, *player, pattern, paying.as_ref(), *span)?;
                    self.act(&mut play, choosing, *span, |run, _| run.take(&offer.offer))?;
                }
                RulingStep::Do(call, choosing, span) => {
                    self.act(&mut play, choosing, *span, |run, vars| run.do_given(call, vars))?;
                }
                RulingStep::Resolve(choosing, span) => {
                    self.act(&mut play, choosing, *span, |run, _| run.resolve())?;
                }
            }
        }
        Ok(())
    }

    fn act(
        &self,
        play: &mut Play,
        choosing: &[Expr],
        span: Span,
        doing: impl FnOnce(&mut Run<'_, 'a>, &mut Vars) -> Result<(), Stop>,
    ) -> Result<(), Failure> {
        self.renumber(play);
        let answers: VecDeque<Value> =
            choosing.iter().map(|e| self.eval(play.scene(), &mut play.vars.clone(), e)).collect();
        let mut run = Run::new(self, Rc::clone(&play.now), Oracle::Given(answers, span));
        let done = doing(&mut run, &mut play.vars).and_then(|()| run.settle());
        match done {
            Ok(()) => {}
            Err(Stop::Fault(f)) => return Err(wrong(f)),
            Err(_) => {
                return Err((
                    span,
                    Some(Code::L407),
                    "more tokens, counters or stack than a ruling has room for".into(),
                ));
            }
        }
        if let Oracle::Given(left, _) = &run.oracle
            && !left.is_empty()
        {
            return Err((span, Some(Code::L406), format!("{} of the choices given were not asked for", left.len())));
        }
        play.was = std::mem::replace(&mut play.now, run.snap);
        play.records = run.records;
        Ok(())
    }

    /// Names abilities by their places again, in the state and in the ruling's variables.
    fn renumber(&self, play: &mut Play) {
        Snap::edit(&mut play.now).renumber(&mut play.vars);
        play.records.clear();
    }

    /// The offer that a player takes; or why there is none.
    fn find(
        &self,
        play: &mut Play,
        player: u8,
        pattern: &Pattern,
        paying: Option<&CostExpr>,
        span: Span,
    ) -> Result<Attempt, Failure> {
        self.renumber(play);
        let sc = play.scene();
        let mut vars = play.vars.clone();
        let costs = paying.map(|p| self.costs(sc, &mut vars, p));
        let pays =
            |a: &Attempt| costs.as_ref().is_none_or(|c| c.iter().flatten().any(|c| sorted(c) == sorted(&a.offer.cost)));
        let all = self.attempts(&play.now, player);
        let matching: Vec<&Attempt> = all.iter().filter(|a| self.matches(sc, &vars, a, pattern)).collect();
        if let Some(found) = matching.iter().find(|a| a.standing == Standing::Stands && pays(a)) {
            return Ok((*found).clone());
        }
        let Some(a) = matching.iter().find(|a| a.standing == Standing::Stands).or(matching.first()) else {
            return Err((span, Some(Code::L401), "the offer is not there: nothing permits it".into()));
        };
        let code = match &a.standing {
            Standing::Stands | Standing::NoTarget => Code::L401,
            Standing::Forbidden(_) => Code::L402,
            Standing::Unpayable => Code::L403,
            Standing::Faulty(f) => return Err(wrong(f.clone())),
        };
        Err((span, Some(code), self.standing(play, a)))
    }

    fn claimed(&self, play: &mut Play, e: &Expr, span: Span) -> Result<(), Failure> {
        let mut vars = play.vars.clone();
        let holds = self.eval(play.scene(), &mut vars, e).yes();
        play.vars = vars;
        if holds { Ok(()) } else { Err((span, None, self.found(play, e))) }
    }

    /// What is the case instead of a false claim, as far as it is easily said.
    fn found(&self, play: &Play, e: &Expr) -> String {
        let mut vars = play.vars.clone();
        match e {
            Expr::And(all) => {
                let no = all.iter().find(|e| !self.eval(play.scene(), &mut vars, e).yes());
                no.map_or_else(|| "this is false".into(), |e| self.found(play, e))
            }
            Expr::Cmp(_, a, b) => {
                let (a, b) = (self.eval(play.scene(), &mut vars, a), self.eval(play.scene(), &mut vars, b));
                format!("this is false: {} against {}", self.words_of(&play.now, &a), self.words_of(&play.now, &b))
            }
            Expr::In(o, _) => {
                let zone = self.eval(play.scene(), &mut vars, o).object().and_then(|o| play.now.state.zone(o));
                zone.map_or_else(
                    || "this is false: it is nowhere".into(),
                    |z| format!("this is false: it is in {}", z.name()),
                )
            }
            Expr::Offer(offer) => {
                let player = self.eval(play.scene(), &mut vars, &offer.player).player().unwrap_or_default();
                let all = self.attempts(&play.now, player);
                let of: Vec<&Attempt> =
                    all.iter().filter(|a| self.matches(play.scene(), &vars, a, &offer.pattern)).collect();
                let why: Vec<String> = of.iter().map(|a| self.standing(play, a)).collect();
                if why.is_empty() { "nothing permits it".into() } else { why.join("; ") }
            }
            Expr::Happens(_) => "no such event since the last `when`".into(),
            _ => "this is false".into(),
        }
    }

    fn standing(&self, play: &Play, a: &Attempt) -> String {
        match &a.standing {
            Standing::Stands => {
                format!("the offer is there for {}", self.words_of(&play.now, &Value::Cost(Some(a.offer.cost.clone()))))
            }
            Standing::Forbidden(rule) => {
                let rule = &self.program.rules[rule.index()];
                format!("the offer is refused by {} {}", rule.kind, rule.name)
            }
            Standing::NoTarget => "the offer has no target".into(),
            Standing::Unpayable => "the cost can't be paid".into(),
            Standing::Faulty(f) => f.message.clone(),
        }
    }

    fn words_of(&self, s: &Rc<Snap>, v: &Value) -> String {
        let name =
            |n: Option<crate::lang::tree::NameId>| n.map_or("none".into(), |n| self.program.names[n.index()].clone());
        match v {
            Value::Unset | Value::Object(None) | Value::Cost(None) => "none".into(),
            Value::Bool(b) => if *b { "yes" } else { "no" }.into(),
            Value::Number(n) => n.to_string(),
            Value::Player(p) => char::from(b'A'.saturating_add(*p)).to_string(),
            Value::Object(Some(o @ Obj::Slot(i))) => {
                let card = s.state.piece(*o).and_then(|p| p.card);
                card.map_or_else(|| format!("token {i}"), |c| self.program.cards[c.index()].name.clone())
            }
            Value::Object(Some(Obj::Ability(i))) => format!("ability {i}"),
            Value::Look(l) => format!("a look named {}", name(l.name)),
            Value::Cost(Some(c)) => {
                let mut text: String = std::iter::repeat_n("{X}", usize::from(c.mana.x)).collect();
                if c.mana.generic > 0 || c.mana.value() == 0 && c.mana.x == 0 && c.named.is_empty() {
                    text.push_str(&format!("{{{}}}", c.mana.generic));
                }
                for (symbol, &n) in "WUBRGC".chars().zip(&c.mana.symbols) {
                    (0..n).for_each(|_| text.push_str(&format!("{{{symbol}}}")));
                }
                for n in &c.named {
                    let joint = if text.is_empty() { "" } else { " + " };
                    text.push_str(&format!("{joint}{}", self.program.named_costs[n.index()].name));
                }
                text
            }
            Value::Name(n) => name(*n),
            Value::Way(w) => w.map_or("none".into(), |w| self.program.ways[w.index()].clone()),
            Value::Zone(z) => z.name().into(),
            Value::Duration(_) | Value::Place(_) | Value::Event(_) => "another".into(),
            Value::Counter(c) => self.program.counters[c.index()].name.clone(),
        }
    }
}

impl<'r, 'a> Run<'r, 'a> {
    /// `do call` of a ruling.
    fn do_given(&mut self, call: &Call, vars: &mut Vars) -> Result<(), Stop> {
        let args: Vec<Option<Value>> = call.args.iter().map(|a| a.as_ref().map(|e| self.eval(vars, e))).collect();
        let mut event = Event { verb: call.verb, args: self.with_defaults(call.verb, args) };
        self.perform(&mut event).map(|_| ())
    }
}
