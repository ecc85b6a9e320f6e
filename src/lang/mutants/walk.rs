//! Walks over a clause as it is written: every expression and every statement, in the order in which they stand.

use crate::lang::ast::{
    Arg, ArgValue, Block, Call, Clause, ClauseKind, Cost, Expr, ExprKind, Head, Mod, Stmt, StmtKind,
};

/// Something that is met on a walk.
pub(super) enum Met<'a> {
    /// An expression, before its parts.
    Expr(&'a Expr),
    /// A statement, before its parts.
    Stmt(&'a Stmt),
}

/// Walks over a clause.
pub(super) fn clause<'a>(clause: &'a Clause, see: &mut dyn FnMut(Met<'a>)) {
    match &clause.kind {
        ClauseKind::Permit { when, pay, target, body, .. } => {
            exprs(when, see);
            pay.iter().for_each(|c| cost(c, see));
            exprs(target.iter().map(|t| &t.filter), see);
            block(body, see);
        }
        ClauseKind::Forbid(h) => head(h, see),
        ClauseKind::Stage(_, h, target, body) => {
            head(h, see);
            exprs(target.iter().map(|t| &t.filter), see);
            block(body, see);
        }
        ClauseKind::Check(_, when, body) => {
            expr(when, see);
            block(body, see);
        }
        ClauseKind::Price { head: h, cost: c, .. } => {
            head(h, see);
            cost(c, see);
        }
        ClauseKind::Static(_, when, mods) => {
            exprs(when, see);
            mods.iter().for_each(|m| modification(m, see));
        }
        ClauseKind::Spell(when, target, body) => {
            exprs(when, see);
            exprs(target.iter().map(|t| &t.filter), see);
            block(body, see);
        }
        ClauseKind::Define(_, _, _, e) => expr(e, see),
        ClauseKind::Procedure(_, _, body) | ClauseKind::NamedCost(_, _, body) => block(body, see),
        ClauseKind::View(..)
        | ClauseKind::Event(..)
        | ClauseKind::LookBack(..)
        | ClauseKind::Profile(..)
        | ClauseKind::Marker(..) => {}
    }
}

fn head<'a>(h: &'a Head, see: &mut dyn FnMut(Met<'a>)) {
    h.patterns.iter().for_each(|p| args(&p.call.args, see));
    exprs(&h.when, see);
}

fn exprs<'a>(list: impl IntoIterator<Item = &'a Expr>, see: &mut dyn FnMut(Met<'a>)) {
    list.into_iter().for_each(|e| expr(e, see));
}

fn cost<'a>(c: &'a Cost, see: &mut dyn FnMut(Met<'a>)) {
    exprs(&c.parts, see);
}

fn call<'a>(c: &'a Call, see: &mut dyn FnMut(Met<'a>)) {
    args(&c.args, see);
}

fn args<'a>(list: &'a [Arg], see: &mut dyn FnMut(Met<'a>)) {
    for arg in list {
        if let ArgValue::Expr(e) = &arg.value {
            expr(e, see);
        }
    }
}

fn modification<'a>(m: &'a Mod, see: &mut dyn FnMut(Met<'a>)) {
    match m {
        Mod::Has(_, c) => c.iter().for_each(|c| cost(c, see)),
        Mod::Sized(a, b) => exprs(std::iter::once(a).chain(b), see),
        Mod::LosesAbilities(_) | Mod::LosesText(_) | Mod::IsAlso(_) | Mod::Becomes(_) | Mod::Gets(..) => {}
    }
}

fn block<'a>(b: &'a Block, see: &mut dyn FnMut(Met<'a>)) {
    b.stmts.iter().for_each(|s| stmt(s, see));
}

fn stmt<'a>(s: &'a Stmt, see: &mut dyn FnMut(Met<'a>)) {
    see(Met::Stmt(s));
    match &s.kind {
        StmtKind::Call(c, then, otherwise) => {
            call(c, see);
            then.iter().chain(otherwise).for_each(|b| block(b, see));
        }
        StmtKind::Choose { by, among, filter, body, .. } => {
            expr(by, see);
            exprs(among.iter().chain(filter), see);
            block(body, see);
        }
        StmtKind::Each { among, filter, body, .. } => {
            exprs(among.iter().chain(filter), see);
            block(body, see);
        }
        StmtKind::If(e, then, otherwise) | StmtKind::May(e, then, otherwise) => {
            expr(e, see);
            block(then, see);
            otherwise.iter().for_each(|b| block(b, see));
        }
        StmtKind::Let(_, e) => expr(e, see),
        StmtKind::Give(e, mods, _) => {
            expr(e, see);
            mods.iter().for_each(|m| modification(m, see));
        }
        StmtKind::Set(c, e) => {
            call(c, see);
            expr(e, see);
        }
        StmtKind::Nothing => {}
    }
}

fn expr<'a>(e: &'a Expr, see: &mut dyn FnMut(Met<'a>)) {
    see(Met::Expr(e));
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Mana(_) | ExprKind::Name(_) => {}
        ExprKind::Call(c) | ExprKind::Tries(c) => call(c, see),
        ExprKind::Method(a, _, list) => {
            expr(a, see);
            args(list, see);
        }
        ExprKind::And(list) | ExprKind::Or(list) => exprs(list, see),
        ExprKind::Field(a, _)
        | ExprKind::Not(a)
        | ExprKind::Is(a, ..)
        | ExprKind::Has(a, ..)
        | ExprKind::In(a, ..)
        | ExprKind::Was(a)
        | ExprKind::Ends(a) => expr(a, see),
        ExprKind::Cmp(_, a, b) => {
            expr(a, see);
            expr(b, see);
        }
        ExprKind::Quant { filter, body, .. } => {
            expr(filter, see);
            body.iter().for_each(|b| expr(b, see));
        }
        ExprKind::But(a, m) => {
            expr(a, see);
            modification(m, see);
        }
        ExprKind::May { player, call: c, paying, .. } => {
            expr(player, see);
            call(c, see);
            paying.iter().for_each(|c| cost(c, see));
        }
    }
}
