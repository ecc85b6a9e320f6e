//! Expressions: what they are worth in a state under a binding. Nothing here changes a state.

use std::rc::Rc;

use super::looks::bind;
use super::stages::{Event, Record};
use super::state::{Obj, Piece, Snap, Value, What};
use super::{Referee, Vars};
use crate::lang::ast::{CmpOp, QuantKind};
use crate::lang::tree::{
    ArgPattern, ClauseKind, Const, Cost, EventName, Expr, Field, Function, Layer, Look, LookField, Mana, Pattern, Ty,
    ViewId,
};

/// Where an expression is asked.
#[derive(Clone, Copy)]
pub(super) struct Scene<'s> {
    /// The state.
    pub now: &'s Rc<Snap>,
    /// For `was(…)`.
    pub was: &'s Rc<Snap>,
    /// For `ends(…)`.
    pub ends: &'s Rc<Snap>,
    /// The step's records, for events in expressions.
    pub records: &'s [Record],
    /// The view of a look-back, for plain objects.
    pub back: Option<ViewId>,
    /// In a static: its object, the look so far, and the layer.
    pub so_far: Option<(Obj, &'s Look, Layer)>,
}

impl<'s> Scene<'s> {
    /// A state alone.
    pub fn of(now: &'s Rc<Snap>) -> Scene<'s> {
        Scene { now, was: now, ends: now, records: &[], back: None, so_far: None }
    }
    /// The same in a look-back.
    pub fn looking_back(self, back: Option<ViewId>) -> Scene<'s> {
        Scene { back, ..self }
    }
    /// The same in a static of that layer.
    pub fn static_guard(self, o: Obj, look: &'s Look, layer: Layer) -> Scene<'s> {
        Scene { so_far: Some((o, look, layer)), ..self }
    }
    /// The same, asked of another state.
    pub fn at(self, now: &'s Rc<Snap>) -> Scene<'s> {
        Scene { now, ..self }
    }
}

impl<'a> Referee<'a> {
    /// The value of an expression.
    pub(super) fn eval(&self, sc: Scene, vars: &mut Vars, e: &Expr) -> Value {
        match e {
            Expr::Const(c) => self.constant(c),
            Expr::Var(v) => vars.get(usize::from(*v)).cloned().unwrap_or_default(),
            Expr::Active => Value::Player(sc.now.state.active),
            Expr::And(all) => Value::Bool(all.iter().all(|e| self.eval(sc, vars, e).yes())),
            Expr::Or(any) => Value::Bool(any.iter().any(|e| self.eval(sc, vars, e).yes())),
            Expr::Not(e) => Value::Bool(!self.eval(sc, vars, e).yes()),
            Expr::Cmp(op, a, b) => {
                let (a, b) = (self.eval(sc, vars, a), self.eval(sc, vars, b));
                Value::Bool(compare(*op, &a, &b))
            }
            Expr::Quant { kind, var, ty, filter, body } => {
                self.quantify(sc, vars, *kind, *var, *ty, filter, body.as_deref())
            }
            Expr::Field(o, field) => {
                let o = self.eval(sc, vars, o).object();
                self.field(sc.now, o, *field)
            }
            Expr::Counters(o, kind) => {
                let o = self.eval(sc, vars, o).object();
                let Value::Counter(kind) = self.eval(sc, vars, kind) else { return Value::Number(0) };
                let piece = o.and_then(|o| sc.now.state.piece(o));
                Value::Number(piece.and_then(|p| p.counters.get(kind.index()).copied()).unwrap_or_default())
            }
            Expr::KnownTo(o, p) => {
                let (o, p) = (self.eval(sc, vars, o).object(), self.eval(sc, vars, p).player());
                let known = o.and_then(|o| sc.now.state.piece(o)).map_or(0, |p| p.known);
                Value::Bool(p.is_some_and(|p| known >> p & 1 == 1))
            }
            Expr::AimsAt(s, o) => {
                let (s, o) = (self.eval(sc, vars, s).object(), self.eval(sc, vars, o).object());
                let aim = s.and_then(|s| sc.now.state.entry(s)).and_then(|e| e.aims);
                Value::Bool(aim.is_some() && aim == o)
            }
            Expr::Watches(o, name) => {
                let o = self.eval(sc, vars, o).object();
                Value::Bool(o.is_some_and(|o| self.watches(sc.now, o, *name)))
            }
            Expr::Marker(m, of) => {
                let marks = match self.eval(sc, vars, of) {
                    Value::Object(Some(o)) => sc.now.state.piece(o).map_or(0, |p| p.marks),
                    Value::Player(p) => sc.now.state.seats.get(usize::from(p)).map_or(0, |s| s.marks),
                    _ => 0,
                };
                Value::Bool(marks >> m.0 & 1 == 1)
            }
            Expr::InGame(p) => {
                let p = self.eval(sc, vars, p).player();
                Value::Bool(p.is_some_and(|p| sc.now.state.seats[usize::from(p)].in_game))
            }
            Expr::View(..) | Expr::Plain(_) | Expr::But(..) => Value::Look((*self.look(sc, vars, e)).clone()),
            Expr::Look(l, field) => {
                let look = self.look(sc, vars, l);
                look_field(&look, *field)
            }
            Expr::Is(l, words) => {
                let look = self.look(sc, vars, l);
                Value::Bool(words.iter().any(|w| look.words >> w.0 & 1 == 1))
            }
            Expr::Has(l, keyword) => {
                let look = self.look(sc, vars, l);
                Value::Bool(match keyword {
                    Some(keyword) => look.keywords.iter().any(|(k, _)| k == keyword),
                    None => look.keywords.len() + look.clauses.len() > 0,
                })
            }
            Expr::In(o, zone) => {
                let o = self.eval(sc, vars, o).object();
                Value::Bool(o.and_then(|o| sc.now.state.zone(o)) == Some(*zone))
            }
            Expr::Define(d, args) => {
                let define = &self.program.defines[d.index()];
                let mut inner: Vars = args.iter().map(|a| self.eval(sc, vars, a)).collect();
                inner.resize(define.frame.vars.len().max(inner.len()), Value::Unset);
                self.eval(sc, &mut inner, &define.body)
            }
            Expr::Function(f, x) => {
                let x = self.eval(sc, vars, x);
                function(sc.now, *f, x)
            }
            Expr::Was(e) => self.eval(sc.at(sc.was), vars, e),
            Expr::Ends(e) => self.eval(sc.at(sc.ends), vars, e),
            Expr::Happens(p) => Value::Bool(self.happens(sc, vars, p)),
            Expr::Offer(offer) => Value::Bool(self.offer_stands(sc, vars, offer)),
            Expr::MayLook(p, o) => {
                let (p, o) = (self.eval(sc, vars, p).player(), self.eval(sc, vars, o).object());
                Value::Bool(p.zip(o).is_some_and(|(p, o)| self.may_look(sc.now, p, o)))
            }
        }
    }

    /// The look that an expression is worth; an object stands for what it plainly looks like.
    pub(super) fn look(&self, sc: Scene, vars: &mut Vars, e: &Expr) -> Rc<Look> {
        match e {
            Expr::Plain(o) => self.eval(sc, vars, o).object().map_or_else(Rc::default, |o| self.plain(sc, o)),
            Expr::View(o, v) => self.eval(sc, vars, o).object().map_or_else(Rc::default, |o| self.view(sc.now, o, *v)),
            Expr::But(l, m) => {
                let mut look = (*self.look(sc, vars, l)).clone();
                self.modify(&mut look, &self.program.mods[m.index()], sc, vars);
                Rc::new(look)
            }
            _ => match self.eval(sc, vars, e) {
                Value::Look(l) => Rc::new(l),
                Value::Object(Some(o)) => self.plain(sc, o),
                _ => Rc::default(),
            },
        }
    }

    fn plain(&self, sc: Scene, o: Obj) -> Rc<Look> {
        match (sc.so_far, sc.back) {
            (Some((own, look, _)), _) if own == o => Rc::new(look.clone()),
            (Some((_, _, layer)), _) => self.before_layer(sc.now, o, layer),
            (None, Some(view)) => self.view(sc.now, o, view),
            (None, None) => self.now(sc.now, o),
        }
    }

    fn constant(&self, c: &Const) -> Value {
        match c {
            Const::Bool(b) => Value::Bool(*b),
            Const::Number(n) => Value::Number(*n),
            Const::Player(p) => Value::Player(*p),
            Const::NoObject => Value::Object(None),
            Const::Profile(p) => Value::Look(self.program.profiles[p.index()].look.clone()),
            Const::Cost(c) => Value::Cost(c.clone()),
            Const::Name(n) => Value::Name(*n),
            Const::Way(w) => Value::Way(*w),
            Const::Zone(z) => Value::Zone(*z),
            Const::Duration(d) => Value::Duration(*d),
            Const::Place(p) => Value::Place(*p),
            Const::Counter(c) => Value::Counter(*c),
            Const::Event(e) => Value::Event(*e),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn quantify(
        &self,
        sc: Scene,
        vars: &mut Vars,
        kind: QuantKind,
        var: u8,
        ty: Ty,
        filter: &Expr,
        body: Option<&Expr>,
    ) -> Value {
        let kept = vars.get(usize::from(var)).cloned().unwrap_or_default();
        let mut count = 0;
        let mut every = true;
        for x in self.range(sc, ty) {
            bind(vars, var, x);
            if self.eval(sc, vars, filter).yes() {
                count += 1;
                every = every && body.is_none_or(|b| self.eval(sc, vars, b).yes());
            }
        }
        bind(vars, var, kept);
        match kind {
            QuantKind::Some => Value::Bool(count > 0),
            QuantKind::Every => Value::Bool(every),
            QuantKind::Count => Value::Number(count),
        }
    }

    /// What a quantifier ranges over: every object, or every player, in the game or not.
    pub(super) fn range(&self, sc: Scene, ty: Ty) -> Vec<Value> {
        match ty {
            Ty::Player => sc.now.state.players().map(Value::Player).collect(),
            _ => sc.now.state.objects().into_iter().map(|o| Value::Object(Some(o))).collect(),
        }
    }

    fn field(&self, s: &Rc<Snap>, o: Option<Obj>, field: Field) -> Value {
        let state = &s.state;
        let piece = o.and_then(|o| state.piece(o));
        let shown = o.and_then(|o| state.shown(o));
        let yes = |f: fn(&Piece) -> bool| Value::Bool(piece.is_some_and(f));
        let player = |p: Option<u8>| p.map_or(Value::Unset, Value::Player);
        match field {
            Field::Owner => player(o.and_then(|o| state.owner(o))),
            Field::Controller => player(o.and_then(|o| state.controller(o))),
            Field::Home => player(piece.map(|p| p.home).or_else(|| o.and_then(|o| state.owner(o)))),
            Field::FaceDown => Value::Bool(shown.is_some_and(|p| p.face_down)),
            Field::FaceDownBy => Value::Way(shown.and_then(|p| p.way)),
            Field::Listed => Value::Look(shown.and_then(|p| p.listed.clone()).unwrap_or_default()),
            Field::LiesDown => yes(|p| p.face_down),
            Field::Merged => yes(|p| !p.parts.is_empty()),
            Field::Pile => Value::Object(o.filter(|&o| state.holds(o)).map(|o| state.pile(o))),
            Field::Topmost => Value::Object(o.filter(|&o| state.holds(o)).map(|o| state.topmost(o))),
            Field::Tapped => yes(|p| p.tapped),
            Field::Transformed => yes(|p| p.transformed),
            Field::Damage => Value::Number(piece.map_or(0, |p| p.damage)),
            Field::Host => Value::Object(piece.and_then(|p| p.host).map(Obj::Slot)),
            Field::LeftWith => Value::Object(piece.and_then(|p| p.left_with).map(Obj::Slot)),
            Field::Stamp => Value::Number(o.map_or(0, |o| state.stamp(o))),
            Field::Cardless => Value::Bool(shown.is_some_and(|p| p.card.is_none())),
            Field::Ability => {
                Value::Bool(o.and_then(|o| state.entry(o)).is_some_and(|e| matches!(e.what, What::Ability { .. })))
            }
            Field::DoubleFaced => Value::Bool(piece.is_some_and(|p| self.back(p).is_some())),
            Field::OtherFace => {
                let two = piece.filter(|p| self.back(p).is_some());
                Value::Look(two.map_or_else(Look::default, |p| self.face(p, !p.transformed)))
            }
        }
    }

    /// Whether an object's `now` has a stage clause on the event name with `self` in its pattern.
    fn watches(&self, s: &Rc<Snap>, o: Obj, name: EventName) -> bool {
        self.clauses_of(&self.now(s, o)).iter().any(|(id, _)| {
            let clause = &self.program.clauses[id.index()];
            let ClauseKind::Stage(_, head, _, _) = &clause.kind else { return false };
            head.patterns.iter().any(|p| {
                let about = |a: &ArgPattern| matches!(a, ArgPattern::Is(Expr::Var(0)));
                clause.carried && name_of(p) == name && p.args.iter().any(about)
            })
        })
    }

    /// Whether the event matches the pattern; binds what the pattern binds.
    pub(super) fn fits(&self, sc: Scene, p: &Pattern, event: &Event, vars: &mut Vars) -> bool {
        p.verb == event.verb
            && p.args.iter().zip(&event.args).all(|(a, v)| match a {
                ArgPattern::Any => true,
                ArgPattern::Bind(var) => {
                    bind(vars, *var, v.clone());
                    true
                }
                ArgPattern::Is(e) => self.eval(sc, vars, e) == *v,
            })
    }

    fn happens(&self, sc: Scene, vars: &mut Vars, p: &Pattern) -> bool {
        for record in sc.records.iter().filter(|r| r.happened || p.tries) {
            let mut tried = vars.clone();
            if self.fits(sc, p, &record.event, &mut tried) {
                *vars = tried;
                return true;
            }
        }
        false
    }

    /// Whether a standing permission lets a player look at an object.
    pub(super) fn may_look(&self, s: &Rc<Snap>, p: u8, o: Obj) -> bool {
        let sc = Scene::of(s);
        let holds = |clause: &crate::lang::tree::Clause, mut vars: Vars| {
            let ClauseKind::MayLook { player, object, guard } = &clause.kind else { return false };
            for (var, value) in [(*player, Value::Player(p)), (*object, Value::Object(Some(o)))] {
                let bound = vars.get(usize::from(var)).cloned().unwrap_or_default();
                if bound != Value::Unset && bound != value {
                    return false;
                }
                bind(&mut vars, var, value);
            }
            guard.as_ref().is_none_or(|g| self.eval(sc, &mut vars, g).yes())
        };
        let clause = |id: crate::lang::tree::ClauseId| &self.program.clauses[id.index()];
        self.law_looks.iter().any(|&id| holds(clause(id), self.frame(&s.state, clause(id), None, None)))
            || self.program.now.is_some_and(|now| {
                self.carried(s, now).iter().any(|c| {
                    let of = clause(c.clause);
                    matches!(of.kind, ClauseKind::MayLook { .. })
                        && holds(of, self.frame(&s.state, of, Some(c.carrier), c.toll.as_ref()))
                })
            })
    }
}

/// The name under which a pattern asks for its event.
pub(super) fn name_of(p: &Pattern) -> EventName {
    p.event.map_or(EventName::Verb(p.verb), EventName::Named)
}

fn compare(op: CmpOp, a: &Value, b: &Value) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Lt => a.number() < b.number(),
        CmpOp::Le => a.number() <= b.number(),
        CmpOp::Gt => a.number() > b.number(),
        CmpOp::Ge => a.number() >= b.number(),
    }
}

fn look_field(look: &Look, field: LookField) -> Value {
    match field {
        LookField::Name => Value::Name(look.name),
        LookField::ManaCost => Value::Cost(look.mana.map(|mana| Cost { mana, named: Vec::new() })),
        LookField::Power => Value::Number(look.size.map_or(0, |s| s.0)),
        LookField::Toughness => Value::Number(look.size.map_or(0, |s| s.1)),
        LookField::Toll(k) => {
            Value::Cost(look.keywords.iter().find(|(keyword, _)| *keyword == k).and_then(|(_, cost)| cost.clone()))
        }
    }
}

fn function(s: &Rc<Snap>, f: Function, x: Value) -> Value {
    let library = |nth: usize, x: &Value| {
        let library = x.player().map(|p| &s.state.libraries[usize::from(p)]);
        Value::Object(library.and_then(|l| l.get(nth)).map(|&slot| Obj::Slot(slot)))
    };
    match f {
        Function::Top => library(0, &x),
        Function::Second => library(1, &x),
        Function::Value => Value::Number(x.cost().map_or(0, |c| Mana::value(&c.mana))),
        Function::Even => Value::Bool(x.number() % 2 == 0),
        Function::Xs => Value::Number(x.cost().map_or(0, |c| i32::from(c.mana.x))),
    }
}
