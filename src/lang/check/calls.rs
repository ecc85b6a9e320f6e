//! Calls and patterns: which verb, which argument is which parameter, what a name in a head binds.

use super::scope::{Binding, Callable, EventArg, Scope, Spec, a_ty};
use crate::lang::ast::{self, Arg, ArgValue, ExprKind, Ident, Span};
use crate::lang::diag::Code;
use crate::lang::tree::{ArgPattern, Call, Const, EventId, Expr, Head, Pattern, Slot, Ty, Verb, Zone};

/// Whether things of a type may get a name where they are first met: there is no closed list of their names.
pub(super) fn open(ty: Ty) -> bool {
    matches!(ty, Ty::Object | Ty::Player | Ty::Number | Ty::Look | Ty::Cost | Ty::Name | Ty::Bool)
}

impl Scope<'_> {
    /// The verb that a name calls.
    pub(super) fn verb(&mut self, name: &Ident) -> Option<Verb> {
        match self.env.callables.get(&name.text) {
            Some(Callable::Verb(v)) => return Some(*v),
            Some(Callable::Event(_)) => {
                let message = format!("`{}` is an event, and can't be done", name.text);
                self.error(Code::L209, name.span, message);
            }
            Some(Callable::Look) => {
                self.helped(Code::L225, name.span, "`look` is only permitted, never done", "use `show`");
            }
            Some(Callable::Define(_) | Callable::Marker(_) | Callable::Function(_)) => {
                self.error(
                    Code::L203,
                    name.span,
                    format!("expected a verb, found `{}`, which does nothing", name.text),
                );
            }
            None => self.no_verb(name),
        }
        None
    }

    fn no_verb(&mut self, name: &Ident) {
        let env = self.env;
        let does = |c: &Callable| matches!(c, Callable::Verb(_) | Callable::Event(_));
        let pool: Vec<&str> = env.callables.iter().filter(|(_, c)| does(c)).map(|(n, _)| n.as_str()).collect();
        self.unknown(Code::L201, &name.text, name.span, format!("no verb is named `{}`", name.text), &pool);
    }

    /// Which argument stands for which parameter.
    fn place_args<'a>(
        &mut self,
        name: &str,
        specs: &[Spec],
        args: &'a [Arg],
        span: Span,
    ) -> Option<Vec<Option<&'a Arg>>> {
        let mut placed: Vec<Option<&Arg>> = vec![None; specs.len()];
        let mut fine = true;
        let mut positions = specs.iter().enumerate().filter(|(_, s)| s.label.is_none()).map(|(i, _)| i);
        for arg in args {
            let Some(label) = &arg.label else {
                match positions.next() {
                    Some(i) => placed[i] = Some(arg),
                    None => {
                        let count = specs.iter().filter(|s| s.label.is_none()).count();
                        let message =
                            format!("`{name}` takes {count} unlabelled argument{}", if count == 1 { "" } else { "s" });
                        self.error(Code::L207, span, message);
                        return None;
                    }
                }
                continue;
            };
            match specs.iter().position(|s| s.label.as_deref() == Some(label.text.as_str())) {
                Some(i) if placed[i].is_none() => placed[i] = Some(arg),
                Some(_) => {
                    self.error(Code::L205, label.span, format!("the label `{}:` stands here twice", label.text));
                    fine = false;
                }
                None => {
                    let help = super::scope::suggest(&label.text, specs.iter().filter_map(|s| s.label.as_deref()));
                    let message = format!("`{name}` has no label `{}:`", label.text);
                    self.findings.push(super::scope::Finding::helped(Code::L205, label.span, message, help));
                    fine = false;
                }
            }
        }
        fine.then_some(placed)
    }

    /// A call of a verb in a body.
    pub(super) fn call(&mut self, call: &ast::Call) -> Option<Call> {
        let verb = self.verb(&call.name)?;
        let name = &call.name.text;
        if matches!(verb, Verb::Trigger | Verb::Apply) {
            self.error(Code::L209, call.name.span, format!("`{name}` happens of itself, and can't be done"));
            return None;
        }
        let specs = self.env.specs(verb);
        let Some(placed) = self.place_args(name, &specs, &call.args, call.span) else {
            let new = call
                .args
                .iter()
                .filter_map(|a| if let ArgValue::New(n) = &a.value { Some(n.text.clone()) } else { None });
            self.poison.extend(new);
            return None;
        };
        let mut fine = true;
        let (mut args, mut fresh) = (Vec::new(), None);
        for (i, (spec, arg)) in specs.iter().zip(&placed).enumerate() {
            let Some(arg) = arg else {
                if verb == Verb::Create && i == 0 {
                    self.no_new(call.span);
                    fine = false;
                } else if !spec.optional {
                    let what = spec.label.as_ref().map_or_else(|| a_ty(spec.ty), |l| format!("`{l}:`"));
                    self.error(Code::L206, call.span, format!("`{name}` needs its argument {what}"));
                    fine = false;
                }
                args.push(None);
                continue;
            };
            if spec.head_only {
                let label = spec.label.as_deref().unwrap_or_default();
                let span = arg.label.as_ref().map_or(call.span, |l| l.span);
                self.error(Code::L205, span, format!("`{label}:` of `{name}` can be asked only in a head"));
                fine = false;
                args.push(None);
                continue;
            }
            match &arg.value {
                ArgValue::New(new) if verb == Verb::Create && i == 0 => {
                    if self.vars.iter().any(|v| v.name == new.text) || super::taken::TAKEN.contains(&new.text.as_str())
                    {
                        self.error(Code::L226, new.span, format!("`{}` is in use already", new.text));
                        fine = false;
                    }
                    fresh = Some(new);
                    args.push(None);
                }
                ArgValue::New(new) => {
                    self.error(Code::L226, new.span, format!("`new` stands only in `create`, not in `{name}`"));
                    fine = false;
                    args.push(None);
                }
                ArgValue::Expr(_) if verb == Verb::Create && i == 0 => {
                    self.no_new(call.span);
                    fine = false;
                    args.push(None);
                }
                ArgValue::Expr(e) => {
                    let typed = self.typed(e, spec.ty);
                    fine &= typed.is_some();
                    if verb == Verb::Move && matches!(typed, Some(Expr::Const(Const::Zone(Zone::Beneath)))) {
                        let help = "write `merge(…, with: …, at: …)`";
                        self.helped(Code::L239, e.span, "nothing moves beneath a permanent but by merging", help);
                        fine = false;
                    }
                    let e = typed;
                    args.push(e);
                }
            }
        }
        let fresh = fresh.map(|new| self.bind_as(&new.text, new.span, Ty::Object, false));
        fine.then_some(Call { verb, args, fresh, span: call.span })
    }

    fn no_new(&mut self, span: Span) {
        self.error(Code::L226, span, "`create` needs `new` and a fresh name as its first argument");
    }

    /// The arguments of a define, all of them.
    pub(super) fn define_args(
        &mut self,
        name: &str,
        params: &[(Option<String>, String, Ty)],
        call: &ast::Call,
    ) -> Option<Vec<Expr>> {
        let spec = |(label, name, ty): &(Option<String>, String, Ty)| Spec {
            label: label.clone(),
            name: name.clone(),
            ty: *ty,
            optional: false,
            head_only: false,
        };
        let specs: Vec<Spec> = params.iter().map(spec).collect();
        let placed = self.place_args(name, &specs, &call.args, call.span)?;
        let mut args = Vec::new();
        for (spec, arg) in specs.iter().zip(placed) {
            match arg.map(|a| &a.value) {
                Some(ArgValue::Expr(e)) => args.push(self.typed(e, spec.ty)),
                Some(ArgValue::New(new)) => {
                    self.error(Code::L226, new.span, "`new` stands only in `create`");
                    args.push(None);
                }
                None => {
                    self.error(Code::L206, call.span, format!("`{name}` needs its argument `{}`", spec.name));
                    args.push(None);
                }
            }
        }
        args.into_iter().collect()
    }

    /// A head: its patterns bind, then its guard is asked. The caller leaves the scope.
    pub(super) fn head(&mut self, head: &ast::Head) -> Option<Head> {
        let patterns = self.head_patterns(head.patterns.iter().map(|p| (&p.call, p.tries)));
        let guard = self.guard(head.when.as_ref());
        Some(Head { patterns: patterns?, guard: guard? })
    }

    /// A guard, if there is one: the outer none is an error.
    #[allow(clippy::option_option)]
    pub(super) fn guard(&mut self, when: Option<&ast::Expr>) -> Option<Option<Expr>> {
        match when {
            None => Some(None),
            Some(e) => self.typed(e, Ty::Bool).map(Some),
        }
    }

    /// Patterns joined by `or`: the first binds, the others bind the same.
    pub(super) fn head_patterns<'a>(
        &mut self,
        calls: impl Iterator<Item = (&'a ast::Call, bool)>,
    ) -> Option<Vec<Pattern>> {
        let base = self.vars.len();
        let (mut patterns, mut fine) = (Vec::new(), true);
        for (i, (call, tries)) in calls.enumerate() {
            if tries && !self.of_properties(call.span, "`tries`") {
                fine = false;
            }
            let before = self.findings.len();
            self.binding = Binding::Head { base, seen: Vec::new(), later: i > 0 };
            let made = self.pattern(call, tries);
            let binding = std::mem::replace(&mut self.binding, Binding::No);
            if let Binding::Head { seen, later: true, .. } = binding
                && self.findings.len() == before
            {
                let missing = self.vars[base..].iter().find(|v| !seen.contains(&v.name)).map(|v| v.name.clone());
                if let Some(name) = missing {
                    self.error(
                        Code::L233,
                        call.span,
                        format!("`{name}` is bound by the first pattern, and not by this one"),
                    );
                    fine = false;
                }
            }
            match made {
                Some(made) => patterns.extend(made),
                None => {
                    self.poison_args(call);
                    fine = false;
                }
            }
        }
        fine.then_some(patterns)
    }

    /// The names that a call would have bound: asking for them is no second mistake.
    pub(super) fn poison_args(&mut self, call: &ast::Call) {
        let lone = call.args.iter().filter_map(|a| match &a.value {
            ArgValue::Expr(ast::Expr { kind: ExprKind::Name(name), .. }) => Some(name.clone()),
            _ => None,
        });
        self.poison.extend(lone);
    }

    /// A call as patterns: one of a verb; of a named event, one for each of its patterns.
    pub(super) fn pattern(&mut self, call: &ast::Call, tries: bool) -> Option<Vec<Pattern>> {
        if let Some(Callable::Event(id)) = self.env.callables.get(&call.name.text).copied() {
            return self.event_patterns(call, id, tries);
        }
        let verb = self.verb(&call.name)?;
        let specs = self.env.specs(verb);
        let args = self.arg_patterns(&call.name.text, &specs, call)?;
        Some(vec![Pattern { tries, event: None, verb, args }])
    }

    fn arg_patterns(&mut self, name: &str, specs: &[Spec], call: &ast::Call) -> Option<Vec<ArgPattern>> {
        let placed = self.place_args(name, specs, &call.args, call.span)?;
        let mut args = Vec::new();
        for (spec, arg) in specs.iter().zip(placed) {
            args.push(match arg.map(|a| &a.value) {
                None => Some(ArgPattern::Any),
                Some(ArgValue::New(new)) => {
                    self.error(Code::L226, new.span, "`new` stands only in a call of `create`, not in a pattern");
                    None
                }
                Some(ArgValue::Expr(e)) => self.arg_pattern(e, spec.ty),
            });
        }
        args.into_iter().collect()
    }

    fn event_patterns(&mut self, call: &ast::Call, id: EventId, tries: bool) -> Option<Vec<Pattern>> {
        let env = self.env;
        let event = &env.events[id.index()];
        let spec = |(name, ty): &(String, Ty)| Spec {
            label: None,
            name: name.clone(),
            ty: *ty,
            optional: true,
            head_only: false,
        };
        let specs: Vec<Spec> = event.params.iter().map(spec).collect();
        let given = self.arg_patterns(&call.name.text, &specs, call)?;
        let pattern = |(verb, args): &(Verb, Vec<EventArg>)| {
            let mut bound: Vec<Slot> = Vec::new();
            let args = args.iter().map(|arg| match arg {
                EventArg::Any => ArgPattern::Any,
                EventArg::Is(c) => ArgPattern::Is(Expr::Const(c.clone())),
                EventArg::Param(i) => match given.get(*i) {
                    Some(ArgPattern::Bind(slot)) if bound.contains(slot) => ArgPattern::Is(Expr::Var(*slot)),
                    Some(ArgPattern::Bind(slot)) => {
                        bound.push(*slot);
                        ArgPattern::Bind(*slot)
                    }
                    Some(other) => other.clone(),
                    None => ArgPattern::Any,
                },
            });
            Pattern { tries, event: Some(id), verb: *verb, args: args.collect() }
        };
        Some(event.patterns.iter().map(pattern).collect())
    }

    /// An argument of a pattern: any, a constant, a variable, a binder, or an expression.
    fn arg_pattern(&mut self, e: &ast::Expr, ty: Ty) -> Option<ArgPattern> {
        let ExprKind::Name(name) = &e.kind else {
            return self.typed(e, ty).map(ArgPattern::Is);
        };
        let constant = self.constant(name, ty).is_some() || super::taken::TAKEN.contains(&name.as_str());
        if name == "_" {
            return Some(ArgPattern::Any);
        }
        if constant {
            return self.name_as(name, e.span, ty).map(ArgPattern::Is);
        }
        if !matches!(ty, Ty::Object | Ty::Player | Ty::Number) && self.env.dormant.contains_key(name) {
            self.unknown(Code::L201, name, e.span, String::new(), &[]);
            return None;
        }
        match &self.binding {
            Binding::Head { base, seen, later } => {
                let (base, later) = (*base, *later);
                if seen.contains(name) || self.vars[..base].iter().any(|v| v.name == *name) {
                    return self.name_as(name, e.span, ty).map(ArgPattern::Is);
                }
                self.head_binder(name, e.span, ty, base, later)
            }
            // In a ruling objects and the like get names; a way, a zone, a counter or an event has one already.
            Binding::Follows if open(ty) && self.vars.iter().all(|v| v.name != *name) => {
                let slot = self.bind_as(name, e.span, ty, false);
                Some(ArgPattern::Bind(slot))
            }
            Binding::Follows | Binding::No => self.name_as(name, e.span, ty).map(ArgPattern::Is),
        }
    }

    fn head_binder(&mut self, name: &str, span: Span, ty: Ty, base: usize, later: bool) -> Option<ArgPattern> {
        let slot = if later {
            match self.vars[base..].iter().find(|v| v.name == name).map(|v| (v.slot, v.ty)) {
                Some((slot, known)) if known == ty => slot,
                Some((_, known)) => {
                    let message = format!("`{name}` is {} here and {} in the first pattern", a_ty(ty), a_ty(known));
                    self.error(Code::L233, span, message);
                    return None;
                }
                None => {
                    self.error(Code::L233, span, format!("`{name}` is not bound by the first pattern"));
                    return None;
                }
            }
        } else {
            self.bind_as(name, span, ty, true)
        };
        if let Binding::Head { seen, .. } = &mut self.binding {
            seen.push(name.to_string());
        }
        Some(ArgPattern::Bind(slot))
    }
}
