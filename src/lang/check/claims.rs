//! Properties, witnesses and conjectures.

use super::collect::Items;
use super::declare::says_of;
use super::law::{leave_out, left_out};
use super::scope::{Callable, Env, Finding, Scope, Where};
use super::walk::{self, Visitor};
use crate::lang::ast::{self, ExprKind, Ident, PropertyKind, QuantKind, Span};
use crate::lang::diag::Code;
use crate::lang::tree::{Claim, Expr, Head, Property, Ty};

/// Checks all properties.
pub(super) fn check(items: &Items, env: &mut Env, findings: &mut Vec<Finding>) {
    for property in &items.properties {
        let mut scope = Scope::new(env, Where::Property);
        let made = scope.property(property);
        let own = std::mem::take(&mut scope.findings);
        if let Some(why) = left_out(&own) {
            leave_out(env, "property", &property.name, why);
            continue;
        }
        findings.extend(own);
        env.program.properties.extend(made);
    }
}

impl Scope<'_> {
    fn property(&mut self, p: &ast::Property) -> Option<Property> {
        let worlds: Vec<Option<usize>> = p.header.worlds.iter().map(|w| self.world_named(w)).collect();
        let claim = self.claim(p);
        Some(Property {
            kind: p.kind,
            name: p.name.text.clone(),
            cites: p.header.cites.iter().map(|c| c.text.clone()).collect(),
            from: p.header.from.iter().map(|f| f.text.clone()).collect(),
            worlds: worlds.into_iter().collect::<Option<_>>()?,
            says: says_of(&p.says),
            claim: claim?,
            frame: std::mem::take(&mut self.frame),
            span: p.span,
        })
    }

    fn world_named(&mut self, name: &Ident) -> Option<usize> {
        let found = self.env.program.worlds.iter().position(|w| w.name == name.text);
        if found.is_none() {
            let env = self.env;
            let pool: Vec<&str> = env.program.worlds.iter().map(|w| w.name.as_str()).collect();
            self.unknown(Code::L201, &name.text, name.span, format!("no world is named `{}`", name.text), &pool);
        }
        found
    }

    fn claim(&mut self, p: &ast::Property) -> Option<Claim> {
        let possible = matches!(p.claim, ast::Claim::Possible(..));
        if p.kind == PropertyKind::Witness && !possible {
            self.helped(Code::L239, p.name.span, "a witness claims what can be reached", "write `possible …`");
        }
        if p.kind == PropertyKind::Property && possible {
            self.helped(Code::L239, p.name.span, "what is `possible` is no property", "declare it with `witness`");
        }
        match &p.claim {
            ast::Claim::Always(e) => {
                let premise = matches!(&e.kind, ExprKind::Quant { kind: QuantKind::Every, .. });
                if p.kind == PropertyKind::Property && !premise {
                    let help = "say `every x where …: …`, or `whenever …: …`";
                    self.helped(Code::L236, e.span, "the property has no premise that can be witnessed", help);
                }
                let claim = self.typed(e, Ty::Bool)?;
                self.of_states(&claim, e.span);
                Some(Claim::Always(claim))
            }
            ast::Claim::Whenever(head, e) => {
                let clean = self.findings.len();
                let head = self.head(head);
                let e = self.typed(e, Ty::Bool);
                self.leave(0, clean);
                head.zip(e).map(|(h, e)| Claim::Whenever(h, e))
            }
            ast::Claim::Possible(e, when) => self.possible(e, when.as_ref()),
            ast::Claim::Blind(player, object, when, offers) => {
                for name in offers.iter().filter(|o| o.text != "offers") {
                    self.helped(
                        Code::L239,
                        name.span,
                        format!("nobody can be blind in `{}`", name.text),
                        "write `offers`",
                    );
                }
                self.bind(player, Ty::Player);
                self.bind(object, Ty::Object);
                let claim = self.typed(when, Ty::Bool)?;
                self.of_states(&claim, when.span);
                Some(Claim::Blind(claim))
            }
        }
    }

    /// A claim about states knows no event: what was, what happens and what is at the end are asked of steps.
    fn of_states(&mut self, claim: &Expr, span: Span) {
        struct Steps(bool);
        impl Visitor for Steps {
            fn expr(&mut self, e: &Expr) {
                self.0 |= matches!(e, Expr::Was(_) | Expr::Ends(_) | Expr::Happens(_));
            }
        }
        let mut steps = Steps(false);
        walk::expr(&mut steps, claim);
        if steps.0 {
            let help = "say `whenever …: …`, or `possible EVENT when …`";
            self.helped(Code::L239, span, "a claim about states asks what happens in a step", help);
        }
    }

    /// A pattern, or patterns joined by `or`, is an event; all else is asked of a state.
    fn possible(&mut self, e: &ast::Expr, when: Option<&ast::Expr>) -> Option<Claim> {
        let mut calls = Vec::new();
        if self.patterns_of(e, &mut calls) {
            let clean = self.findings.len();
            let patterns = self.head_patterns(calls.into_iter());
            let guard = self.guard(when);
            for var in &self.vars {
                // A witness may name who acts and on what without asking about it.
                if super::calls::open(var.ty) {
                    var.used.set(true);
                }
            }
            self.leave(0, clean);
            return Some(Claim::PossibleEvent(Head { patterns: patterns?, guard: guard? }));
        }
        let span = e.span;
        let e = self.typed(e, Ty::Bool);
        let guard = self.guard(when);
        let claim = match (e?, guard?) {
            (e, None) => e,
            (e, Some(g)) => Expr::And(vec![g, e]),
        };
        self.of_states(&claim, span);
        Some(Claim::PossibleState(claim))
    }

    fn patterns_of<'a>(&self, e: &'a ast::Expr, calls: &mut Vec<(&'a ast::Call, bool)>) -> bool {
        match &e.kind {
            ExprKind::Tries(call) => {
                calls.push((call, true));
                true
            }
            ExprKind::Call(call) => {
                calls.push((call, false));
                matches!(self.env.callables.get(&call.name.text), Some(Callable::Verb(_) | Callable::Event(_)))
            }
            ExprKind::Or(list) => list.iter().all(|e| self.patterns_of(e, calls)),
            _ => false,
        }
    }
}
