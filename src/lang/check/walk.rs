//! Walks over checked expressions and bodies, for what is asked of a program as a whole.

use crate::lang::tree::{ArgPattern, Block, Call, ClauseKind, CostExpr, Expr, Head, Pattern, Stmt};

/// What a walk looks at. Every method does nothing unless it is replaced.
pub(super) trait Visitor {
    /// An expression, before its parts.
    fn expr(&mut self, _: &Expr) {}
    /// A statement, before its parts.
    fn stmt(&mut self, _: &Stmt) {}
    /// A call of a verb, before its arguments.
    fn call(&mut self, _: &Call) {}
}

/// Walks over an expression.
pub(super) fn expr<V: Visitor>(v: &mut V, e: &Expr) {
    v.expr(e);
    match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Active => {}
        Expr::And(list) | Expr::Or(list) | Expr::Define(_, list) => list.iter().for_each(|e| expr(v, e)),
        Expr::Not(a)
        | Expr::Field(a, _)
        | Expr::Watches(a, _)
        | Expr::Marker(_, a)
        | Expr::InGame(a)
        | Expr::View(a, _)
        | Expr::Plain(a)
        | Expr::Look(a, _)
        | Expr::Is(a, _)
        | Expr::Has(a, _)
        | Expr::But(a, _)
        | Expr::In(a, _)
        | Expr::Function(_, a)
        | Expr::Was(a)
        | Expr::Ends(a) => expr(v, a),
        Expr::Cmp(_, a, b) | Expr::Counters(a, b) | Expr::KnownTo(a, b) | Expr::AimsAt(a, b) | Expr::MayLook(a, b) => {
            expr(v, a);
            expr(v, b);
        }
        Expr::Quant { filter, body, .. } => {
            expr(v, filter);
            if let Some(body) = body {
                expr(v, body);
            }
        }
        Expr::Happens(p) => pattern(v, p),
        Expr::Offer(offer) => {
            expr(v, &offer.player);
            pattern(v, &offer.pattern);
            if let Some(paying) = &offer.paying {
                cost(v, paying);
            }
        }
    }
}

/// Walks over a pattern.
pub(super) fn pattern<V: Visitor>(v: &mut V, p: &Pattern) {
    for arg in &p.args {
        if let ArgPattern::Is(e) = arg {
            expr(v, e);
        }
    }
}

/// Walks over a head.
pub(super) fn head<V: Visitor>(v: &mut V, h: &Head) {
    h.patterns.iter().for_each(|p| pattern(v, p));
    if let Some(guard) = &h.guard {
        expr(v, guard);
    }
}

/// Walks over a cost.
pub(super) fn cost<V: Visitor>(v: &mut V, c: &CostExpr) {
    c.parts.iter().for_each(|e| expr(v, e));
}

/// Walks over a body.
pub(super) fn block<V: Visitor>(v: &mut V, b: &Block) {
    for stmt in &b.stmts {
        v.stmt(stmt);
        match stmt {
            Stmt::Call(call, then, otherwise) => {
                v.call(call);
                call.args.iter().flatten().for_each(|e| expr(v, e));
                block(v, then);
                block(v, otherwise);
            }
            Stmt::Choose { by, among, filter, body, .. } => {
                expr(v, by);
                among.iter().chain(filter).for_each(|e| expr(v, e));
                block(v, body);
            }
            Stmt::Each { among, filter, body, .. } => {
                among.iter().chain(filter).for_each(|e| expr(v, e));
                block(v, body);
            }
            Stmt::If(e, then, otherwise) | Stmt::May(e, then, otherwise) => {
                expr(v, e);
                block(v, then);
                block(v, otherwise);
            }
            Stmt::Let(_, e) | Stmt::Give(e, ..) => expr(v, e),
            Stmt::Set(_, a, b) => {
                expr(v, a);
                expr(v, b);
            }
        }
    }
}

/// Walks over all of a clause.
pub(super) fn clause<V: Visitor>(v: &mut V, kind: &ClauseKind) {
    match kind {
        ClauseKind::Permit { guard, pay, target, body, .. } => {
            guard.iter().for_each(|e| expr(v, e));
            pay.iter().for_each(|c| cost(v, c));
            target.iter().for_each(|t| expr(v, &t.filter));
            block(v, body);
        }
        ClauseKind::MayLook { guard, .. } => guard.iter().for_each(|e| expr(v, e)),
        ClauseKind::Forbid(h) => head(v, h),
        ClauseKind::Stage(_, h, target, body) => {
            head(v, h);
            target.iter().for_each(|t| expr(v, &t.filter));
            block(v, body);
        }
        ClauseKind::Check(_, guard, body) => {
            expr(v, guard);
            block(v, body);
        }
        ClauseKind::Price(h, _, c) => {
            head(v, h);
            cost(v, c);
        }
        ClauseKind::Static(_, guard, _) => guard.iter().for_each(|e| expr(v, e)),
        ClauseKind::Spell(guard, target, body) => {
            guard.iter().for_each(|e| expr(v, e));
            target.iter().for_each(|t| expr(v, &t.filter));
            block(v, body);
        }
    }
}
