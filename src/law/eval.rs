//! Questions about a state. Every attribute that is read is noted in the log; nothing is ever changed here.

use super::coverage::Part;
use super::ground::{Law, projection as at};
use super::profile::Cause;
use crate::game::looks::EMPTY;
use crate::game::memory::Log;
use crate::game::record::{EntryKind, LookId, NO_OBJECT, Obj, State, Value};
use crate::lang::ast::{CmpOp, QuantKind};
use crate::lang::tree::{
    ArgPattern, ClauseKind, Const, Cost, Expr, Frame, Function, Layer, LookField, ModKind, Pattern, Ty, Verb, ViewId,
    Zone,
};
use std::rc::Rc;

/// How plain `o` is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plain {
    /// Through `now`.
    Now,
    /// Through this view (looking back).
    View(ViewId),
    /// Inside the guard of a static: its object as built so far, others below the layer.
    SoFar {
        /// The object whose view is being built.
        object: Obj,
        /// What it is so far.
        look: LookId,
        /// The layer being applied.
        layer: Layer,
    },
}

/// The variables of a body, and how it sees plain objects.
#[derive(Clone, Debug)]
pub struct Env {
    /// Values by variable.
    pub vars: Vec<Value>,
    /// How plain `o` is seen.
    pub plain: Plain,
}

impl Env {
    /// An environment for a frame, every variable being no object.
    pub fn of(frame: &Frame) -> Env {
        Env { vars: vec![Value::Object(NO_OBJECT); frame.vars.len()], plain: Plain::Now }
    }
    /// Sets a variable.
    pub fn set(&mut self, var: u8, value: Value) {
        if let Some(v) = self.vars.get_mut(usize::from(var)) {
            *v = value;
        }
    }
    /// Reads a variable.
    pub fn get(&self, var: u8) -> Value {
        self.vars.get(usize::from(var)).copied().unwrap_or(Value::Object(NO_OBJECT))
    }
}

/// What happened in a step: a verb was tried, and perhaps done.
#[derive(Clone, Debug)]
pub struct Happening {
    /// The verb.
    pub verb: Verb,
    /// Its arguments, in the order of its signature.
    pub args: Vec<Value>,
    /// The state as the verb began.
    pub before: State,
    /// The state right after.
    pub after: State,
    /// Whether it was done.
    pub done: bool,
}

/// What a property sees of a step: all that happened, the one event that it speaks of, and the end.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// Everything that happened.
    pub happenings: &'a [Happening],
    /// The state in which `was` is asked.
    pub before: &'a State,
    /// The state at the end of the step.
    pub end: &'a State,
}

/// Asks questions of states, for one law, noting its reads.
#[derive(Clone)]
pub struct Reader<'l, 'p> {
    /// The law.
    pub law: &'l Law<'p>,
    /// The log.
    pub log: Rc<Log>,
    /// The step that a property speaks of.
    pub scene: Option<Scene<'l>>,
}

impl<'l, 'p> Reader<'l, 'p> {
    /// A reader.
    pub fn new(law: &'l Law<'p>, log: Rc<Log>) -> Reader<'l, 'p> {
        Reader { law, log, scene: None }
    }

    /// Whether an expression is true.
    pub fn truth(&self, e: &Expr, st: &State, env: &Env) -> bool {
        let is = matches!(self.eval(e, st, env), Value::Bool(true));
        if let Some(coverage) = &self.law.coverage {
            coverage.truth(e, is);
        }
        is
    }

    /// The object that an expression names.
    pub fn object(&self, e: &Expr, st: &State, env: &Env) -> Obj {
        match self.eval(e, st, env) {
            Value::Object(o) => o,
            _ => NO_OBJECT,
        }
    }

    /// The player that an expression names.
    pub fn player(&self, e: &Expr, st: &State, env: &Env) -> u8 {
        match self.eval(e, st, env) {
            Value::Player(p) => p,
            _ => u8::MAX,
        }
    }

    /// The number that an expression gives.
    pub fn number(&self, e: &Expr, st: &State, env: &Env) -> i32 {
        match self.eval(e, st, env) {
            Value::Number(n) => n,
            _ => 0,
        }
    }

    /// The look that an expression gives.
    pub fn look_of(&self, e: &Expr, st: &State, env: &Env) -> LookId {
        match self.eval(e, st, env) {
            Value::Look(l) => l,
            _ => EMPTY,
        }
    }

    /// A constant as a value.
    pub fn constant(&self, c: &Const) -> Value {
        match c {
            Const::Bool(b) => Value::Bool(*b),
            Const::Number(n) => Value::Number(*n),
            Const::Player(p) => Value::Player(*p),
            Const::NoObject => Value::Object(NO_OBJECT),
            Const::Profile(p) => Value::Look(self.law.looks.look(&self.law.program.profiles[p.index()].look)),
            Const::Cost(c) => Value::Cost(c.as_ref().map(|c| self.law.looks.cost(c))),
            Const::Name(n) => Value::Name(*n),
            Const::Way(w) => Value::Way(*w),
            Const::Zone(z) => Value::Zone(*z),
            Const::Duration(d) => Value::Duration(*d),
            Const::Place(p) => Value::Place(*p),
            Const::Counter(k) => Value::Counter(*k),
            Const::Event(e) => Value::Event(*e),
        }
    }

    /// The value of an expression.
    pub fn eval(&self, e: &Expr, st: &State, env: &Env) -> Value {
        match e {
            Expr::Const(c) => self.constant(c),
            Expr::Var(v) => env.get(*v),
            Expr::Active => Value::Player(self.active(st)),
            Expr::And(list) => Value::Bool(list.iter().all(|e| self.truth(e, st, env))),
            Expr::Or(list) => Value::Bool(list.iter().any(|e| self.truth(e, st, env))),
            Expr::Not(e) => Value::Bool(!self.truth(e, st, env)),
            Expr::Cmp(op, a, b) => Value::Bool(self.compare(*op, a, b, st, env)),
            Expr::Quant { kind, var, ty, filter, body } => {
                self.quantify(*kind, *var, *ty, filter, body.as_deref(), st, env)
            }
            Expr::Field(o, f) => self.field(st, self.object(o, st, env), *f),
            Expr::Counters(o, k) => {
                let o = self.object(o, st, env);
                match self.eval(k, st, env) {
                    Value::Counter(k) => Value::Number(self.counters(st, o, k.0)),
                    _ => Value::Number(0),
                }
            }
            Expr::KnownTo(o, p) => {
                let (o, p) = (self.object(o, st, env), self.player(p, st, env));
                let Some(rec) = st.slots.get(usize::from(o)) else { return Value::Bool(false) };
                self.log.note(usize::from(o), at::KNOWN);
                Value::Bool(p < 8 && rec.known >> p & 1 == 1)
            }
            Expr::AimsAt(s, o) => {
                let (s, o) = (self.object(s, st, env), self.object(o, st, env));
                if self.stack_length(st) == 0 {
                    return Value::Bool(false);
                }
                self.log.full(self.law.stack_component());
                Value::Bool(o != NO_OBJECT && st.entry_of(s).is_some_and(|i| st.stack[i].aims == o))
            }
            Expr::Watches(o, event) => {
                let o = self.object(o, st, env);
                let look = self.look(st, o, self.law.now);
                Value::Bool(self.abilities(look).iter().any(|(c, _)| self.watches(*c, *event)))
            }
            Expr::Marker(m, on) => Value::Bool(self.marks(st, self.eval(on, st, env)) >> m.0 & 1 == 1),
            Expr::InGame(p) => {
                let p = self.player(p, st, env);
                Value::Bool(self.in_game(st, p))
            }
            Expr::View(o, v) => {
                self.law.saw(Part::View(*v));
                Value::Look(self.look(st, self.object(o, st, env), *v))
            }
            Expr::Plain(o) => Value::Look(self.plain(st, self.object(o, st, env), env)),
            Expr::Look(l, f) => self.look_field(self.look_of(l, st, env), *f),
            Expr::Is(l, words) => {
                let look = self.law.looks.get(self.look_of(l, st, env));
                Value::Bool(words.iter().any(|w| look.words >> w.0 & 1 == 1))
            }
            Expr::Has(l, k) => {
                let look = self.law.looks.get(self.look_of(l, st, env));
                Value::Bool(match k {
                    Some(k) => look.keywords.iter().any(|(x, _)| x == k),
                    None => !look.keywords.is_empty() || !look.clauses.is_empty(),
                })
            }
            Expr::But(l, m) => {
                let mut look = crate::lang::tree::Look::clone(&self.law.looks.get(self.look_of(l, st, env)));
                let kind = &self.law.program.mods[m.index()].kind;
                let sized = match kind {
                    ModKind::Sized(p, t) => Some((self.number(p, st, env), self.number(t, st, env))),
                    _ => None,
                };
                crate::game::looks::apply(self.law.program, &mut look, kind, sized);
                Value::Look(self.law.looks.look(&look))
            }
            Expr::In(o, z) => {
                let o = self.object(o, st, env);
                Value::Bool(self.zone(st, o) == Some(*z))
            }
            Expr::Define(d, args) => {
                let define = &self.law.program.defines[d.index()];
                let mut inner = Env::of(&define.frame);
                inner.plain = env.plain;
                for (i, a) in args.iter().enumerate() {
                    inner.set(i as u8, self.eval(a, st, env));
                }
                let value = self.eval(&define.body, st, &inner);
                if let Some(coverage) = &self.law.coverage {
                    coverage.define(*d, &define.body, value);
                }
                value
            }
            Expr::Function(f, a) => self.function(*f, self.eval(a, st, env), st),
            Expr::Was(e) => match self.scene {
                Some(scene) => self.eval(e, scene.before, env),
                None => Value::Bool(false),
            },
            Expr::Ends(e) => match self.scene {
                Some(scene) => self.eval(e, scene.end, env),
                None => Value::Bool(false),
            },
            Expr::Happens(pattern) => {
                let Some(scene) = self.scene else { return Value::Bool(false) };
                Value::Bool(scene.happenings.iter().any(|h| self.happening_fits(pattern, h, st, env)))
            }
            Expr::Offer(offer) => Value::Bool(self.is_offered(offer, st, env)),
            Expr::MayLook(p, o) => {
                let (p, o) = (self.player(p, st, env), self.object(o, st, env));
                Value::Bool(self.may_look(st, p, o))
            }
        }
    }

    /// How plain `o` looks here.
    fn plain(&self, st: &State, o: Obj, env: &Env) -> LookId {
        match env.plain {
            Plain::Now => self.look(st, o, self.law.now),
            Plain::View(v) => self.look(st, o, v),
            Plain::SoFar { object, look, .. } if object == o => look,
            Plain::SoFar { layer, .. } => self.below(st, o, layer),
        }
    }

    fn function(&self, f: Function, value: Value, st: &State) -> Value {
        match (f, value) {
            (Function::Top, Value::Player(p)) => Value::Object(self.library_card(st, p, 0)),
            (Function::Second, Value::Player(p)) => Value::Object(self.library_card(st, p, 1)),
            (Function::Value, Value::Cost(Some(c))) => Value::Number(self.law.looks.get_cost(c).mana.value()),
            (Function::Xs, Value::Cost(Some(c))) => Value::Number(i32::from(self.law.looks.get_cost(c).mana.x)),
            (Function::Value | Function::Xs, _) => Value::Number(0),
            (Function::Even, Value::Number(n)) => Value::Bool(n % 2 == 0),
            (Function::Top | Function::Second, _) => Value::Object(NO_OBJECT),
            (Function::Even, _) => Value::Bool(false),
        }
    }

    fn look_field(&self, look: LookId, f: LookField) -> Value {
        let look = self.law.looks.get(look);
        match f {
            LookField::Name => Value::Name(look.name),
            LookField::ManaCost => {
                Value::Cost(look.mana.map(|mana| self.law.looks.cost(&Cost { mana, named: Vec::new() })))
            }
            LookField::Power => Value::Number(look.size.map_or(0, |s| s.0)),
            LookField::Toughness => Value::Number(look.size.map_or(0, |s| s.1)),
            LookField::Toll(k) => {
                let cost = look.keywords.iter().find(|(x, _)| *x == k).and_then(|(_, c)| c.as_ref());
                Value::Cost(cost.map(|c| self.law.looks.cost(c)))
            }
        }
    }

    fn compare(&self, op: CmpOp, a: &Expr, b: &Expr, st: &State, env: &Env) -> bool {
        let (a, b) = (self.eval(a, st, env), self.eval(b, st, env));
        match (op, a, b) {
            (CmpOp::Eq, a, b) => a == b,
            (CmpOp::Ne, a, b) => a != b,
            (CmpOp::Lt, Value::Number(a), Value::Number(b)) => a < b,
            (CmpOp::Le, Value::Number(a), Value::Number(b)) => a <= b,
            (CmpOp::Gt, Value::Number(a), Value::Number(b)) => a > b,
            (CmpOp::Ge, Value::Number(a), Value::Number(b)) => a >= b,
            _ => false,
        }
    }

    /// The objects that a quantifier or `choose` ranges over, with those left out that the filter's zone leaves out.
    pub fn range(&self, st: &State, filter: Option<&Expr>, var: u8) -> Vec<Obj> {
        let zone = filter.and_then(|f| needed_zone(f, var));
        let mut list: Vec<Obj> = Vec::new();
        if zone == Some(Zone::Stack) && self.stack_length(st) == 0 {
            return list;
        }
        list.extend((0..st.slots.len()).filter(|s| self.exists(st, *s)).map(|s| s as Obj));
        if zone.is_none_or(|z| z == Zone::Stack) && self.stack_length(st) > 0 {
            self.log.full(self.law.stack_component());
            let abilities = st.stack.iter().enumerate().filter(|(_, e)| matches!(e.what, EntryKind::Ability { .. }));
            list.extend(abilities.map(|(i, _)| (st.slots.len() + i) as Obj));
        }
        list
    }

    #[allow(clippy::too_many_arguments)]
    fn quantify(
        &self,
        kind: QuantKind,
        var: u8,
        ty: Ty,
        filter: &Expr,
        body: Option<&Expr>,
        st: &State,
        env: &Env,
    ) -> Value {
        // "Something is on the stack" is one read.
        if ty == Ty::Object
            && kind != QuantKind::Every
            && matches!(filter, Expr::In(o, Zone::Stack) if matches!(**o, Expr::Var(v) if v == var))
        {
            let n = self.stack_length(st);
            return if kind == QuantKind::Some { Value::Bool(n > 0) } else { Value::Number(n as i32) };
        }
        let values: Vec<Value> = if ty == Ty::Player {
            (0..st.players.len() as u8).map(Value::Player).collect()
        } else {
            self.range(st, Some(filter), var).into_iter().map(Value::Object).collect()
        };
        let mut env = env.clone();
        let mut count = 0;
        for v in values {
            env.set(var, v);
            if !self.truth(filter, st, &env) {
                continue;
            }
            match kind {
                QuantKind::Some => return Value::Bool(true),
                QuantKind::Every if !body.is_none_or(|b| self.truth(b, st, &env)) => return Value::Bool(false),
                QuantKind::Every => {}
                QuantKind::Count => count += 1,
            }
        }
        match kind {
            QuantKind::Some => Value::Bool(false),
            QuantKind::Every => Value::Bool(true),
            QuantKind::Count => Value::Number(count),
        }
    }

    fn watches(&self, clause: crate::lang::tree::ClauseId, event: crate::lang::tree::EventName) -> bool {
        let ClauseKind::Stage(_, head, ..) = &self.law.program.clauses[clause.index()].kind else { return false };
        head.patterns
            .iter()
            .any(|p| pattern_name(p) == event && p.args.iter().any(|a| matches!(a, ArgPattern::Is(Expr::Var(0)))))
    }

    /// Whether a happening fits a pattern whose arguments are all known.
    pub fn happening_fits(&self, pattern: &Pattern, h: &Happening, st: &State, env: &Env) -> bool {
        pattern.verb == h.verb
            && (pattern.tries || h.done)
            && pattern.args.iter().zip(&h.args).all(|(p, a)| match p {
                ArgPattern::Any | ArgPattern::Bind(_) => true,
                ArgPattern::Is(e) => self.eval(e, st, env) == *a,
            })
    }

    /// Whether a player may look at an object, by a standing permission.
    pub fn may_look(&self, st: &State, p: u8, o: Obj) -> bool {
        self.law.may_look.iter().any(|(c, _)| self.look_permitted(st, *c, p, o))
    }

    /// Whether one standing permission lets a player look at an object.
    pub fn look_permitted(&self, st: &State, clause: crate::lang::tree::ClauseId, p: u8, o: Obj) -> bool {
        self.law.timed(Cause::Clause(clause), || self.permits_look(st, clause, p, o))
    }

    fn permits_look(&self, st: &State, clause: crate::lang::tree::ClauseId, p: u8, o: Obj) -> bool {
        let c = &self.law.program.clauses[clause.index()];
        let ClauseKind::MayLook { player, object, guard } = &c.kind else { return false };
        let holds = |env: &Env| guard.as_ref().is_none_or(|g| self.truth(g, st, env));
        if c.carried {
            let mut envs =
                self.carrier(st, o, clause, self.law.now).into_iter().map(|cost| self.carried_env(st, c, o, cost));
            return envs.any(|env| env.get(1) == Value::Player(p) && holds(&env));
        }
        let mut env = Env::of(&c.frame);
        env.set(*player, Value::Player(p));
        env.set(*object, Value::Object(o));
        holds(&env)
    }
}

/// The name by which a pattern was written.
pub fn pattern_name(p: &Pattern) -> crate::lang::tree::EventName {
    match p.event {
        Some(e) => crate::lang::tree::EventName::Named(e),
        None => crate::lang::tree::EventName::Verb(p.verb),
    }
}

/// The zone that a filter asks of its variable in a conjunct, if it does.
fn needed_zone(filter: &Expr, var: u8) -> Option<Zone> {
    match filter {
        Expr::In(o, z) if matches!(**o, Expr::Var(v) if v == var) => Some(*z),
        Expr::And(list) => list.iter().find_map(|e| needed_zone(e, var)),
        _ => None,
    }
}
