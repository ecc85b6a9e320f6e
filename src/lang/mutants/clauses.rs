//! The mutants of one clause.

use super::walk::{self, Met};
use super::{Kind, Maker};
use crate::lang::ast::{
    Block, Clause, ClauseKind, Cost, Expr, ExprKind, Ident, Look, LookPart, Pattern, Span, Stage, Stmt, StmtKind,
};

/// The number and the stretch of a clause.
type At = Option<(usize, Span)>;

impl Maker<'_> {
    /// All mutants of a clause.
    pub(super) fn clause(&mut self, number: usize, clause: &Clause) {
        let at = Some((number, clause.span));
        let look_back = matches!(clause.kind, ClauseKind::LookBack(..));
        if self.owner.clauses.len() > 1 || look_back {
            let kind = if look_back { Kind::LookBackDropped } else { Kind::Deleted };
            self.push(at, kind, "deleted", clause.span, "");
        }
        match &clause.kind {
            ClauseKind::Permit { when, pay, target, .. } => {
                self.guard(at, when.as_ref());
                if let Some(cost) = pay {
                    self.pay(at, cost);
                }
                self.only_condition(at, target.as_ref().map(|t| &t.filter));
            }
            ClauseKind::Forbid(head) | ClauseKind::Price { head, .. } => {
                self.guard(at, head.when.as_ref());
                self.patterns(at, &head.patterns);
            }
            ClauseKind::Stage(stage, head, target, body) => {
                self.guard(at, head.when.as_ref());
                self.patterns(at, &head.patterns);
                self.only_condition(at, target.as_ref().map(|t| &t.filter));
                self.stage(at, *stage, clause.span, body);
            }
            ClauseKind::Check(_, when, _) => {
                self.negated(at, "guard-negated", when);
                self.only_condition(at, Some(when));
            }
            ClauseKind::Static(_, when, _) => self.guard(at, when.as_ref()),
            ClauseKind::Spell(when, target, _) => {
                self.guard(at, when.as_ref());
                self.only_condition(at, target.as_ref().map(|t| &t.filter));
            }
            ClauseKind::Define(_, _, ty, e) if ty.text == "Bool" => {
                self.negated(at, "guard-negated", e);
                self.only_condition(at, Some(e));
            }
            ClauseKind::View(name, layers) => self.layers(at, name, layers),
            ClauseKind::LookBack(_, view) => self.other_views(at, 1, view),
            ClauseKind::Event(_, _, patterns) => self.patterns(at, patterns),
            ClauseKind::Profile(_, look) => self.look(at, look),
            ClauseKind::Define(..) | ClauseKind::Procedure(..) | ClauseKind::NamedCost(..) | ClauseKind::Marker(..) => {
            }
        }
        self.inside(at, clause);
    }

    /// `when G`: negated, or, if it is one condition, not asked at all.
    fn guard(&mut self, at: At, when: Option<&Expr>) {
        let Some(when) = when else { return };
        self.negated(at, "guard-negated", when);
        if let (false, Some(word)) = (is_and(when), self.word_before(when.span.start, "when")) {
            self.push(at, Kind::ConjunctDropped, "guard-dropped", word.to(when.span), "");
        }
    }

    /// A condition that must be there and has one conjunct is always true.
    fn only_condition(&mut self, at: At, e: Option<&Expr>) {
        if let Some(e) = e.filter(|e| !is_and(e)) {
            self.push(at, Kind::ConjunctDropped, "guard-dropped", e.span, "yes");
        }
    }

    fn negated(&mut self, at: At, what: &str, e: &Expr) {
        let text = match &e.kind {
            ExprKind::Not(inner) => self.text(inner.span).to_owned(),
            _ => format!("not ({})", self.text(e.span)),
        };
        self.push(at, Kind::Negated, what, e.span, &text);
    }

    fn pay(&mut self, at: At, cost: &Cost) {
        if let Some(word) = self.word_before(cost.span.start, "pay") {
            self.push(at, Kind::CostDropped, "cost-dropped", word.to(cost.span), "");
        }
        let spans: Vec<Span> = cost.parts.iter().map(|p| p.span).collect();
        for (i, span) in (1..).zip(without_each(&spans)) {
            self.push(at, Kind::CostDropped, &format!("cost-part-{i}-dropped"), span, "");
        }
    }

    fn patterns(&mut self, at: At, patterns: &[Pattern]) {
        let spans: Vec<Span> = patterns.iter().map(|p| p.call.span).collect();
        for (i, span) in (1..).zip(without_each(&spans)) {
            self.push(at, Kind::PatternDropped, &format!("pattern-{i}-dropped"), span, "");
        }
    }

    fn stage(&mut self, at: At, stage: Stage, clause: Span, body: &Block) {
        let word = |len: usize| Span { end: clause.start + len as u32, ..clause };
        match stage {
            Stage::Instead => {
                if let (Some(first), Some(last)) = (body.stmts.first(), body.stmts.last()) {
                    self.push(at, Kind::WithoutEffect, "without-effect", first.span.to(last.span), "nothing");
                }
            }
            Stage::Before => self.push(at, Kind::StageExchanged, "as-not-before", word("before".len()), "as"),
            Stage::As => self.push(at, Kind::StageExchanged, "before-not-as", word("as".len()), "before"),
            Stage::Whenever => {}
        }
    }

    fn layers(&mut self, at: At, view: &Ident, layers: &[Ident]) {
        let spans: Vec<Span> = layers.iter().map(|l| l.span).collect();
        for (layer, span) in layers.iter().zip(without_each(&spans)) {
            self.push(at, Kind::LayerDropped, &format!("layer-{}-dropped", layer.text), span, "");
        }
        let words = self.words;
        let named = (1..).zip(layers.iter().filter(|l| words.views.contains(&l.text)));
        for (i, layer) in named {
            for other in words.views.iter().filter(|v| **v != layer.text && **v != view.text) {
                let what = format!("view-{i}-{}-as-{other}", layer.text);
                self.push(at, Kind::ViewChanged, &what, layer.span, other);
            }
        }
    }

    fn other_views(&mut self, at: At, number: usize, view: &Ident) {
        let words = self.words;
        for other in words.views.iter().filter(|v| **v != view.text) {
            let what = format!("view-{number}-{}-as-{other}", view.text);
            self.push(at, Kind::ViewChanged, &what, view.span, other);
        }
    }

    /// What a profile lists: each part not there, its size one more.
    fn look(&mut self, at: At, look: &Look) {
        if look.parts.len() + usize::from(look.mana.is_some()) < 2 {
            return;
        }
        for part in &look.parts {
            let (what, span, text) = match part {
                LookPart::Word(word) => (format!("{}-not-listed", word.text), word.span, String::new()),
                LookPart::Keyword(word, cost) => {
                    let end = cost.span.end + 1;
                    (format!("{}-not-listed", word.text), Span { end, ..word.span }, String::new())
                }
                LookPart::Size(power, toughness, span) => {
                    ("size-raised".to_owned(), *span, format!("{}/{}", power + 1, toughness + 1))
                }
            };
            self.push(at, Kind::ProfileChanged, &what, span, &text);
        }
    }

    /// What is found anywhere in a clause: conjuncts, conditions, views, profiles, statements.
    fn inside(&mut self, at: At, clause: &Clause) {
        let mut met = Vec::new();
        walk::clause(clause, &mut |m| met.push(m));
        let only = sole_effect(clause);
        // Conditions of a body, and its statements, are edited only where that is asked for; they are counted always.
        let until = if self.bodies { u32::MAX } else { body_start(clause) };
        let (mut conjuncts, mut conditions, mut views, mut profiles, mut statements) = (0, 0, 0, 0, 0);
        let words = self.words;
        for m in met {
            match m {
                Met::Expr(e) => match &e.kind {
                    ExprKind::And(list) => {
                        let spans: Vec<Span> = list.iter().map(|e| e.span).collect();
                        for (part, span) in list.iter().zip(without_each(&spans)).filter(|(e, _)| !is_and(e)) {
                            debug_assert!(part.span.start >= e.span.start);
                            conjuncts += 1;
                            if span.start < until {
                                let what = format!("conjunct-{conjuncts}-dropped");
                                self.push(at, Kind::ConjunctDropped, &what, span, "");
                            }
                        }
                    }
                    ExprKind::Field(_, name) if words.views.contains(&name.text) => {
                        views += 1;
                        self.other_views(at, views, name);
                    }
                    ExprKind::Name(name) if words.profiles.contains(name) => {
                        profiles += 1;
                        for other in words.profiles.iter().filter(|p| *p != name) {
                            let what = format!("profile-{profiles}-{name}-as-{other}");
                            self.push(at, Kind::ProfileChanged, &what, e.span, other);
                        }
                    }
                    _ => {}
                },
                Met::Stmt(stmt) => {
                    statements += 1;
                    if self.bodies && only != Some(stmt.span) {
                        self.push(
                            at,
                            Kind::StatementDropped,
                            &format!("statement-{statements}-dropped"),
                            stmt.span,
                            "nothing",
                        );
                    }
                    conditions += usize::from(matches!(stmt.kind, StmtKind::If(..)));
                    self.statement(at, stmt, conditions);
                }
            }
        }
    }

    fn statement(&mut self, at: At, stmt: &Stmt, conditions: usize) {
        match &stmt.kind {
            StmtKind::If(e, ..) if self.bodies => self.negated(at, &format!("condition-{conditions}-negated"), e),
            StmtKind::Call(call, Some(then), _) if call.name.text == "pay" => {
                if let (Some(first), Some(last)) = (then.stmts.first(), then.stmts.last()) {
                    let kept = format!("if yes: {{ {} }}", self.text(first.span.to(last.span)));
                    self.push(at, Kind::CostDropped, "cost-dropped", stmt.span, &kept);
                }
            }
            _ => {}
        }
    }
}

fn is_and(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::And(_))
}

/// Where the body of a clause begins; where there is none, behind everything.
fn body_start(clause: &Clause) -> u32 {
    let body = match &clause.kind {
        ClauseKind::Permit { body, .. }
        | ClauseKind::Stage(_, _, _, body)
        | ClauseKind::Check(_, _, body)
        | ClauseKind::Spell(_, _, body)
        | ClauseKind::Procedure(_, _, body)
        | ClauseKind::NamedCost(_, _, body) => body.stmts.first(),
        ClauseKind::Forbid(_)
        | ClauseKind::Price { .. }
        | ClauseKind::Static(..)
        | ClauseKind::Define(..)
        | ClauseKind::View(..)
        | ClauseKind::Event(..)
        | ClauseKind::LookBack(..)
        | ClauseKind::Profile(..)
        | ClauseKind::Marker(..) => None,
    };
    body.map_or(u32::MAX, |stmt| stmt.span.start)
}

/// The one statement without which a clause does nothing; dropping it is dropping the clause, or told otherwise.
fn sole_effect(clause: &Clause) -> Option<Span> {
    match &clause.kind {
        ClauseKind::Stage(_, _, _, body) | ClauseKind::Check(_, _, body) | ClauseKind::Spell(_, _, body) => {
            match body.stmts.as_slice() {
                [one] => Some(one.span),
                _ => None,
            }
        }
        _ => None,
    }
}

/// For each part of a list of two or more, the stretch that goes with it: the part and the word between it and another.
fn without_each(parts: &[Span]) -> Vec<Span> {
    let span = |i: usize| match (i.checked_sub(1).and_then(|b| parts.get(b)), parts.get(i), parts.get(i + 1)) {
        (Some(before), Some(part), _) => Some(Span { start: before.end, ..*part }),
        (None, Some(part), Some(after)) => Some(Span { end: after.start, ..*part }),
        _ => None,
    };
    (0..parts.len()).filter_map(span).collect()
}
