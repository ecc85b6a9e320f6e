//! The patterns behind a named event.

use super::declare::Decl;
use super::scope::{Callable, EventArg, EventBody, Finding, Scope};
use crate::lang::ast::ClauseKind;
use crate::lang::diag::Code;
use crate::lang::tree::{ArgPattern, Expr};

/// The patterns of a named event: each argument is a parameter or a constant.
pub(super) fn event_body(scope: &mut Scope, d: &Decl) -> Option<EventBody> {
    let ClauseKind::Event(_, params, patterns) = &d.clause.kind else { return None };
    let mut body = EventBody::default();
    let calls = patterns.iter().map(|p| (&p.call, p.tries));
    let mut fine = true;
    for p in patterns {
        if matches!(scope.env.callables.get(&p.call.name.text), Some(Callable::Event(_))) {
            scope.error(Code::L239, p.call.span, "an event is made of verbs and procedures, not of other events");
            fine = false;
        }
    }
    if !fine {
        return None;
    }
    let made = scope.head_patterns(calls)?;
    for (i, param) in params.iter().enumerate() {
        if params.iter().take(i).any(|p| p.text == param.text) {
            scope.error(Code::L202, param.span, format!("two parameters are named `{}`", param.text));
        }
        match scope.vars.iter().find(|v| v.name == param.text) {
            Some(var) => body.params.push((param.text.clone(), var.ty)),
            None => {
                let pool = scope.names_in_sight();
                let help = super::scope::suggest(&param.text, pool);
                let message = format!("no pattern of the event binds `{}`", param.text);
                scope.findings.push(Finding::helped(Code::L201, param.span, message, help));
            }
        }
    }
    for var in &scope.vars {
        if params.iter().all(|p| p.text != var.name) {
            let help = super::scope::suggest(&var.name, scope.env.constants(var.ty));
            let message = format!("`{}` is no parameter of the event and no constant", var.name);
            scope.findings.push(Finding::helped(Code::L201, var.span, message, help));
        }
    }
    for pattern in made {
        let mut args = Vec::new();
        for arg in pattern.args {
            args.push(match arg {
                ArgPattern::Any => EventArg::Any,
                ArgPattern::Bind(slot) | ArgPattern::Is(Expr::Var(slot)) => {
                    let name = scope.frame.vars.get(usize::from(slot)).map(|v| v.0.clone())?;
                    EventArg::Param(params.iter().position(|p| p.text == name)?)
                }
                ArgPattern::Is(Expr::Const(c)) => EventArg::Is(c),
                ArgPattern::Is(_) => {
                    scope.error(Code::L239, d.name.span, "the patterns of an event hold names and constants alone");
                    return None;
                }
            });
        }
        body.patterns.push((pattern.verb, args));
    }
    Some(body)
}
