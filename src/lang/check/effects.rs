//! What clauses may read and write, coarsely and never too little: whether the order of two can matter hangs on it.
//! A call counts with all that its verb may set off: procedures, named costs, and clauses on the verb.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::walk::{self, Visitor};
use crate::lang::ast::Stage;
use crate::lang::tree::{
    ArgPattern, Attr, AttrSet, Block, Call, ClauseId, ClauseKind, Const, DefineId, Expr, Field, Function, Head, Layer,
    Mod, ModId, ModKind, NamedCostId, Pattern, ProcedureId, Program, Stmt, Ty, Verb, ViewId, Zone,
};

/// For each verb the clauses that forbid it or are done with it, with what is done.
type ByVerb<'p> = FxHashMap<Verb, Vec<(ClauseId, &'p Head, Option<&'p Block>)>>;

fn by_verb(program: &Program) -> ByVerb<'_> {
    let mut all = ByVerb::default();
    for (i, clause) in program.clauses.iter().enumerate() {
        let (head, body) = match &clause.kind {
            ClauseKind::Forbid(head) => (head, None),
            ClauseKind::Stage(Stage::Instead | Stage::Before | Stage::As, head, _, body) => (head, Some(body)),
            _ => continue,
        };
        for verb in head.patterns.iter().map(|p| p.verb) {
            let list = all.entry(verb).or_default();
            let id = ClauseId(super::declare::number(i));
            if list.last().is_none_or(|(last, ..)| *last != id) {
                list.push((id, head, body));
            }
        }
    }
    all
}

/// Fills in `reads` and `writes` of every clause.
pub(super) fn fill(program: &mut Program, mods: &[Mod]) {
    let heard = by_verb(program);
    let statics = statics(program, mods, &heard);
    let mut sets = Vec::new();
    for clause in &program.clauses {
        let mut seen = Effects::new(program, mods, &heard, statics);
        walk::clause(&mut seen, &clause.kind);
        if let ClauseKind::Static(_, _, list) = &clause.kind {
            seen.mods(list);
        }
        if clause.carried && matches!(clause.kind, ClauseKind::Stage(Stage::As, ..)) {
            // Whether its object still has it is asked again after each other `as`.
            seen.view(program.now);
            seen.reads.add(Attr::Zone);
            seen.reads.add(Attr::Controller);
        }
        sets.push((seen.reads, seen.writes));
    }
    for (clause, (reads, writes)) in program.clauses.iter_mut().zip(sets) {
        (clause.reads, clause.writes) = (reads, writes);
    }
}

/// What static abilities read, if there are any: added to every view that their layers reach.
fn statics(program: &Program, mods: &[Mod], heard: &ByVerb) -> AttrSet {
    let mut seen = Effects::new(program, mods, heard, AttrSet::default());
    let mut any = false;
    for clause in &program.clauses {
        if let ClauseKind::Static(_, _, list) = &clause.kind {
            any = true;
            walk::clause(&mut seen, &clause.kind);
            seen.mods(list);
        }
    }
    if !any {
        return AttrSet::default();
    }
    let coarse = [Attr::Zone, Attr::Controller, Attr::Host, Attr::Owner, Attr::Stamp, Attr::Exists];
    let of_looks = [Attr::Transformed, Attr::Copies, Attr::FaceDown, Attr::Listed, Attr::Gives, Attr::Counters];
    coarse.into_iter().chain(of_looks).for_each(|a| seen.reads.add(a));
    seen.reads
}

struct Effects<'p> {
    program: &'p Program,
    mods: &'p [Mod],
    heard: &'p ByVerb<'p>,
    statics: AttrSet,
    reads: AttrSet,
    writes: AttrSet,
    /// How many calls deep.
    depth: usize,
    clauses: BTreeSet<ClauseId>,
    procedures: BTreeSet<ProcedureId>,
    costs: BTreeSet<NamedCostId>,
    defines: BTreeSet<DefineId>,
}

impl Visitor for Effects<'_> {
    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Active => self.reads.add(Attr::Active),
            Expr::Quant { ty: Ty::Object, .. } => self.reads.add(Attr::Exists),
            Expr::Field(_, field) => self.field(*field),
            Expr::Counters(..) => self.reads.add(Attr::Counters),
            Expr::KnownTo(..) => self.reads.add(Attr::Known),
            Expr::AimsAt(..) => self.reads.add(Attr::Stack),
            Expr::Watches(..) | Expr::Plain(_) => self.view(self.program.now),
            Expr::View(_, v) => self.view(Some(*v)),
            Expr::Marker(m, _) => self.reads.add_marker(*m),
            Expr::InGame(_) => self.reads.add(Attr::InGame),
            Expr::In(..) => self.reads.add(Attr::Zone),
            Expr::But(_, m) => self.mods(&[*m]),
            Expr::Function(Function::Top | Function::Second, _) => self.reads.add(Attr::Libraries),
            Expr::Define(id, _) => {
                if self.defines.insert(*id) {
                    let program = self.program;
                    walk::expr(self, &program.defines[id.index()].body);
                }
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Not(_)
            | Expr::Cmp(..)
            | Expr::Quant { .. }
            | Expr::Look(..)
            | Expr::Is(..)
            | Expr::Has(..)
            | Expr::Function(Function::Value | Function::Even | Function::Xs, _)
            | Expr::Was(_)
            | Expr::Ends(_)
            | Expr::Happens(_)
            | Expr::Offer(_)
            | Expr::MayLook(..) => {}
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Give(_, mods, _) => {
                self.writes.add(Attr::Gives);
                self.mods(mods);
            }
            Stmt::Set(m, ..) => self.writes.add_marker(*m),
            Stmt::Choose { among, .. } | Stmt::Each { among, .. } if among.is_empty() => self.reads.add(Attr::Exists),
            Stmt::Call(..) | Stmt::Choose { .. } | Stmt::Each { .. } | Stmt::If(..) | Stmt::May(..) | Stmt::Let(..) => {
            }
        }
    }

    fn call(&mut self, call: &Call) {
        self.verb(call.verb, &call.args);
    }
}

impl<'p> Effects<'p> {
    fn new(program: &'p Program, mods: &'p [Mod], heard: &'p ByVerb<'p>, statics: AttrSet) -> Effects<'p> {
        Effects {
            program,
            mods,
            heard,
            statics,
            reads: AttrSet::default(),
            writes: AttrSet::default(),
            depth: 0,
            clauses: BTreeSet::new(),
            procedures: BTreeSet::new(),
            costs: BTreeSet::new(),
            defines: BTreeSet::new(),
        }
    }

    fn field(&mut self, field: Field) {
        let attrs: &[Attr] = match field {
            Field::Owner => &[Attr::Owner],
            Field::Controller => &[Attr::Controller],
            Field::Home => &[Attr::Home],
            Field::FaceDown => &[Attr::FaceDown, Attr::Parts],
            Field::FaceDownBy => &[Attr::FaceDown, Attr::Way, Attr::Parts],
            Field::Listed => &[Attr::FaceDown, Attr::Listed, Attr::Parts],
            Field::LeftWith => &[Attr::Parts, Attr::Zone],
            Field::LiesDown => &[Attr::FaceDown],
            Field::Merged | Field::Topmost => &[Attr::Parts],
            Field::Pile => &[Attr::Parts, Attr::Zone],
            Field::Tapped => &[Attr::Tapped],
            Field::Transformed | Field::OtherFace => &[Attr::Transformed],
            Field::Damage => &[Attr::Damage],
            Field::Host => &[Attr::Host],
            Field::Stamp => &[Attr::Stamp],
            Field::Cardless => &[Attr::Exists, Attr::Parts],
            Field::Ability => &[Attr::Stack],
            Field::DoubleFaced => &[],
        };
        attrs.iter().for_each(|a| self.reads.add(*a));
    }

    fn view(&mut self, view: Option<ViewId>) {
        let Some(view) = view else { return };
        for layer in &self.program.views[view.index()].layers {
            match layer {
                Layer::Front => {}
                Layer::Printed => {
                    self.reads.add(Attr::Transformed);
                    self.reads.add(Attr::Parts);
                }
                Layer::Joined | Layer::Unseen => {
                    self.reads.add(Attr::Transformed);
                    self.reads.add(Attr::FaceDown);
                    self.reads.add(Attr::Parts);
                }
                Layer::Copied => self.reads.add(Attr::Copies),
                Layer::Listed => {
                    self.reads.add(Attr::FaceDown);
                    self.reads.add(Attr::Listed);
                    self.reads.add(Attr::Parts);
                }
                Layer::Typed | Layer::Coloured | Layer::Granted => {
                    self.reads.add(Attr::Gives);
                    self.reads.join(self.statics);
                }
                Layer::Sized => {
                    self.reads.add(Attr::Gives);
                    self.reads.add(Attr::Counters);
                    self.reads.join(self.statics);
                }
            }
        }
    }

    fn mods(&mut self, mods: &[ModId]) {
        let known = self.mods;
        for m in mods {
            if let Some(Mod { kind: ModKind::Sized(power, toughness), .. }) = known.get(m.index()) {
                walk::expr(self, power);
                walk::expr(self, toughness);
            }
        }
    }

    /// A call of a verb, with all that may be set off by it.
    fn verb(&mut self, verb: Verb, args: &[Option<Expr>]) {
        if self.depth > DEPTH_MAX {
            // What sets off so much may do anything.
            (self.reads, self.writes) = (AttrSet::ALL, AttrSet::ALL);
            return;
        }
        self.depth += 1;
        self.verb_and_clauses(verb, args);
        self.depth -= 1;
    }

    fn verb_and_clauses(&mut self, verb: Verb, args: &[Option<Expr>]) {
        let (reads, writes) = change(verb);
        reads.iter().for_each(|a| self.reads.add(*a));
        writes.iter().for_each(|a| self.writes.add(*a));
        if matches!(verb, Verb::Renew | Verb::Cease | Verb::Merge | Verb::EndTurn) {
            self.writes.add_markers();
        }
        let program = self.program;
        match verb {
            Verb::Procedure(id) if self.procedures.insert(id) => {
                walk::block(self, &program.procedures[id.index()].body);
            }
            Verb::Run => {
                // A spell or ability may do anything.
                self.reads = AttrSet::ALL;
                self.writes = AttrSet::ALL;
            }
            Verb::Cast => {
                self.view(program.now);
                let to_stack = [None, Some(Expr::Const(Const::Zone(Zone::Stack))), None, None];
                self.verb(Verb::Move, &to_stack);
                self.verb(Verb::Target, &[]);
            }
            Verb::Pay => self.pay(args.get(1).and_then(Option::as_ref)),
            _ => {}
        }
        for &(id, head, body) in self.heard.get(&verb).into_iter().flatten() {
            if meets(head, verb, args) && self.clauses.insert(id) {
                walk::head(self, head);
                body.into_iter().for_each(|body| walk::block(self, body));
            }
        }
    }

    fn pay(&mut self, cost: Option<&Expr>) {
        let program = self.program;
        let named: Vec<NamedCostId> = match cost {
            Some(Expr::Const(Const::Cost(Some(cost)))) => cost.named.clone(),
            _ => (0..program.named_costs.len()).map(|i| NamedCostId(super::declare::number(i))).collect(),
        };
        for id in named {
            if self.costs.insert(id) {
                walk::block(self, &program.named_costs[id.index()].body);
            }
        }
    }
}

/// Whether a head may match a call: constants that differ never do.
fn meets(head: &Head, verb: Verb, args: &[Option<Expr>]) -> bool {
    let fits = |(pattern, arg): (&ArgPattern, &Option<Expr>)| match (pattern, arg) {
        (ArgPattern::Is(Expr::Const(a)), Some(Expr::Const(b))) => a == b,
        _ => true,
    };
    let meets = |p: &Pattern| p.verb == verb && p.args.iter().zip(args).all(fits);
    head.patterns.iter().any(meets)
}

/// How many calls deep effects are followed.
const DEPTH_MAX: usize = 64;

/// What the change of a verb itself reads and writes.
fn change(verb: Verb) -> (&'static [Attr], &'static [Attr]) {
    use Attr::*;
    match verb {
        Verb::Move => {
            (&[Zone, Owner, Controller, Stack], &[Zone, Owner, Controller, Home, Stack, Libraries, Stamp, Parts])
        }
        Verb::Create => (&[Exists, Active], &[Exists, Zone, Owner, Controller, Home]),
        // It renews, and of a token nothing is left.
        Verb::Cease => (
            &[Exists, Stack],
            &[
                Exists,
                Zone,
                Stack,
                Stamp,
                Libraries,
                Parts,
                Owner,
                Controller,
                Home,
                FaceDown,
                Way,
                Listed,
                Tapped,
                Transformed,
                Damage,
                Host,
                Copies,
                Gives,
                Counters,
                Known,
            ],
        ),
        Verb::Run => (&[Stack], &[]),
        Verb::Cast => (&[Zone, Owner, Controller], &[Stack]),
        Verb::TurnDown => (&[Parts], &[FaceDown, Way, Listed, Stamp, Copies, Gives]),
        Verb::TurnUp => (&[Parts], &[FaceDown, Way, Listed, Stamp]),
        Verb::Bare | Verb::Cover => (&[], &[FaceDown, Way, Listed]),
        Verb::Renew => (&[], &[Tapped, Transformed, Damage, Host, Stamp, Copies, Gives, Counters, Stack]),
        Verb::Reveal => (&[Controller], &[Known]),
        Verb::Show | Verb::Forget => (&[], &[Known]),
        Verb::Shuffle => (&[Libraries], &[Libraries]),
        Verb::BecomeCopy => (&[], &[Copies]),
        Verb::Attach => (&[], &[Host, Stamp]),
        Verb::Detach => (&[], &[Host]),
        Verb::Tap | Verb::Untap => (&[], &[Tapped]),
        Verb::AddCounter | Verb::RemoveCounter => (&[Counters], &[Counters]),
        Verb::Deal => (&[Damage], &[Damage]),
        Verb::Control => (&[], &[Controller]),
        Verb::Phase => (&[Zone], &[Zone]),
        Verb::Transform => (&[Transformed, Parts], &[Transformed, Stamp]),
        Verb::TurnOver => (&[Transformed], &[Transformed]),
        // What is added is made new, and what it had goes over to the permanent.
        Verb::Merge => (
            &[Zone, Owner, Gives, Parts, Transformed, Stack],
            &[
                Zone,
                Controller,
                Home,
                Tapped,
                Transformed,
                Damage,
                Host,
                Stamp,
                Copies,
                Gives,
                Counters,
                Stack,
                Libraries,
                Parts,
            ],
        ),
        Verb::Target | Verb::Take | Verb::Activate | Verb::Trigger | Verb::Apply | Verb::Procedure(_) => (&[], &[]),
        Verb::Pay => (&[Mana], &[Mana]),
        Verb::EndTurn => (&[Active, InGame], &[Active, Gives, Copies, Damage]),
        Verb::Quit => (&[], &[InGame]),
        Verb::EndGame => (&[], &[InGame]),
    }
}
