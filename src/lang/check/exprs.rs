//! Expressions: names resolved, types checked. A type that is expected decides what a lone name means.

use super::scope::{Callable, Scope, Where, a_ty, ty_name};
use crate::lang::ast::{self, CmpOp, ExprKind, Ident, QuantKind, Span};
use crate::lang::diag::Code;
use crate::lang::tree::{Const, Expr, Function, KeywordId, MarkerId, Ty, WordId};

/// The largest number that a text may name.
pub(super) const NUMBER_MAX: i32 = 999;

/// The functions of physics: argument and result.
pub(super) fn function_types(f: Function) -> (Ty, Ty) {
    match f {
        Function::Top | Function::Second => (Ty::Player, Ty::Object),
        Function::Value | Function::Xs => (Ty::Cost, Ty::Number),
        Function::Even => (Ty::Number, Ty::Bool),
    }
}

impl Scope<'_> {
    /// An expression of a type.
    pub(super) fn typed(&mut self, e: &ast::Expr, want: Ty) -> Option<Expr> {
        if let ExprKind::Name(name) = &e.kind {
            return self.name_as(name, e.span, want);
        }
        if let (ExprKind::Str(name), Ty::Name) = (&e.kind, want) {
            return self.card_name(name, e.span);
        }
        let (expr, ty) = self.infer(e)?;
        if ty != want {
            self.error(Code::L203, e.span, format!("expected {}, found {}", a_ty(want), a_ty(ty)));
            return None;
        }
        Some(expr)
    }

    /// A lone name where a type is expected.
    pub(super) fn name_as(&mut self, name: &str, span: Span, want: Ty) -> Option<Expr> {
        if let Some(c) = self.constant(name, want) {
            return Some(Expr::Const(c));
        }
        if let Some((slot, ty)) = self.var(name) {
            if ty != want {
                self.error(Code::L203, span, format!("expected {}, found {}", a_ty(want), a_ty(ty)));
                return None;
            }
            return Some(Expr::Var(slot));
        }
        match (name, want) {
            ("active", Ty::Player) => return Some(Expr::Active),
            ("self" | "you", _) => {
                self.error(Code::L218, span, format!("`{name}` means nothing outside a card or keyword"));
                return None;
            }
            ("yes" | "no" | "none" | "active", _) => {
                self.error(Code::L203, span, format!("expected {}, found `{name}`", a_ty(want)));
                return None;
            }
            _ => {}
        }
        let mut pool = self.env.constants(want);
        pool.extend(self.names_in_sight());
        let pool: Vec<String> = pool.into_iter().map(str::to_string).collect();
        let pool: Vec<&str> = pool.iter().map(String::as_str).collect();
        self.unknown(Code::L201, name, span, format!("nothing of type {} is named `{name}`", ty_name(want)), &pool);
        None
    }

    /// A constant: those of the program, and in rulings the players.
    pub(super) fn constant(&self, name: &str, ty: Ty) -> Option<Const> {
        if ty == Ty::Player && self.place == Where::Ruling {
            return player_letter(name).filter(|p| *p < self.players).map(Const::Player);
        }
        self.env.constant(name, ty)
    }

    fn card_name(&mut self, name: &str, span: Span) -> Option<Expr> {
        if let Some(&id) = self.env.names.get(name) {
            return Some(Expr::Const(Const::Name(Some(id))));
        }
        let env = self.env;
        let pool: Vec<&str> = env.names.keys().map(String::as_str).collect();
        self.unknown(Code::L216, name, span, format!("a card `{name}` is not there"), &pool);
        None
    }

    /// An expression with its own type.
    pub(super) fn infer(&mut self, e: &ast::Expr) -> Option<(Expr, Ty)> {
        match &e.kind {
            ExprKind::Number(n) => {
                self.within(*n, 0, NUMBER_MAX, e.span).then_some((Expr::Const(Const::Number(*n)), Ty::Number))
            }
            ExprKind::Str(name) => Some((self.card_name(name, e.span)?, Ty::Name)),
            ExprKind::Mana(text) => {
                let mana = self.mana(text, e.span)?;
                let cost = crate::lang::tree::Cost { mana, named: Vec::new() };
                Some((Expr::Const(Const::Cost(Some(cost))), Ty::Cost))
            }
            ExprKind::Name(name) => self.infer_name(name, e.span),
            ExprKind::Call(call) => self.infer_call(call),
            ExprKind::Tries(call) => {
                if !self.of_properties(e.span, "`tries`") {
                    return None;
                }
                Some((self.happens(call, true)?, Ty::Bool))
            }
            ExprKind::Field(of, name) => self.field(of, name),
            ExprKind::Method(of, name, args) => self.method(of, name, args),
            ExprKind::And(list) => Some((Expr::And(self.bools(list)?), Ty::Bool)),
            ExprKind::Or(list) => Some((Expr::Or(self.bools(list)?), Ty::Bool)),
            ExprKind::Not(of) => Some((Expr::Not(Box::new(self.typed(of, Ty::Bool)?)), Ty::Bool)),
            ExprKind::Cmp(op, a, b) => self.compare(*op, a, b, e.span),
            ExprKind::Quant { kind, name, ty, filter, body } => {
                let quant = self.quant(*kind, name, ty.as_ref(), filter, body.as_deref());
                quant.map(|q| (q, if *kind == QuantKind::Count { Ty::Number } else { Ty::Bool }))
            }
            ExprKind::Is(of, negated, words) => {
                let look = self.look(of);
                let words = self.words(words);
                Some((negate(*negated, Expr::Is(Box::new(look?), words?)), Ty::Bool))
            }
            ExprKind::Has(of, negated, keyword) => {
                let look = self.look(of);
                let keyword = if keyword.text == "abilities" { Some(None) } else { self.keyword(keyword).map(Some) };
                Some((negate(*negated, Expr::Has(Box::new(look?), keyword?)), Ty::Bool))
            }
            ExprKind::In(of, negated, zone) => {
                let object = self.typed(of, Ty::Object);
                let zone = self.zone(zone);
                Some((negate(*negated, Expr::In(Box::new(object?), zone?)), Ty::Bool))
            }
            ExprKind::But(of, m) => {
                let look = self.typed(of, Ty::Look);
                let m = self.modification(m);
                Some((Expr::But(Box::new(look?), m?), Ty::Look))
            }
            ExprKind::May { player, negated, call, paying, because } => {
                let offer = self.offer(player, *negated, call, paying.as_ref(), because.as_ref(), e.span);
                offer.map(|o| (o, Ty::Bool))
            }
            ExprKind::Was(of) => {
                let fine = self.of_properties(e.span, "`was`");
                let (inner, ty) = self.infer(of)?;
                fine.then(|| (Expr::Was(Box::new(inner)), ty))
            }
            ExprKind::Ends(of) => {
                let fine = self.of_properties(e.span, "`ends`");
                let (inner, ty) = self.infer(of)?;
                fine.then(|| (Expr::Ends(Box::new(inner)), ty))
            }
        }
    }

    /// Whether this is a property or ruling; else that is an error.
    pub(super) fn of_properties(&mut self, span: Span, what: &str) -> bool {
        let fine = matches!(self.place, Where::Property | Where::Ruling);
        if !fine {
            self.error(Code::L229, span, format!("{what} can be asked only in a property or ruling"));
        }
        fine
    }

    fn bools(&mut self, list: &[ast::Expr]) -> Option<Vec<Expr>> {
        let checked: Vec<Option<Expr>> = list.iter().map(|e| self.typed(e, Ty::Bool)).collect();
        checked.into_iter().collect()
    }

    fn infer_name(&mut self, name: &str, span: Span) -> Option<(Expr, Ty)> {
        if let Some((slot, ty)) = self.var(name) {
            return Some((Expr::Var(slot), ty));
        }
        match name {
            "active" => return Some((Expr::Active, Ty::Player)),
            "yes" | "no" | "true" | "false" => return Some((self.name_as(name, span, Ty::Bool)?, Ty::Bool)),
            "none" => {
                self.error(Code::L203, span, "`none` has no type here");
                return None;
            }
            "self" | "you" => {
                self.error(Code::L218, span, format!("`{name}` means nothing outside a card or keyword"));
                return None;
            }
            _ => {}
        }
        const LONE: &[Ty] =
            &[Ty::Player, Ty::Look, Ty::Zone, Ty::Cost, Ty::Counter, Ty::Duration, Ty::Place, Ty::Way, Ty::Event];
        for &ty in LONE {
            if let Some(c) = self.constant(name, ty) {
                return Some((Expr::Const(c), ty));
            }
        }
        let pool: Vec<String> = self.names_in_sight().into_iter().map(str::to_string).collect();
        let pool: Vec<&str> = pool.iter().map(String::as_str).collect();
        self.unknown(Code::L201, name, span, format!("nothing is named `{name}`"), &pool);
        None
    }

    /// A look: an expression of that type, or an object seen plainly.
    fn look(&mut self, e: &ast::Expr) -> Option<Expr> {
        match self.infer(e)? {
            (look, Ty::Look) => Some(look),
            (object, Ty::Object) => Some(Expr::Plain(Box::new(object))),
            (_, ty) => {
                self.error(Code::L203, e.span, format!("expected an Object or a Look, found {}", a_ty(ty)));
                None
            }
        }
    }

    pub(super) fn word(&mut self, word: &Ident) -> Option<WordId> {
        let found = self.env.words.get(&word.text).copied();
        if found.is_none() {
            let env = self.env;
            let pool: Vec<&str> = env.words.keys().map(String::as_str).collect();
            let message = format!("`{}` is no type, supertype, colour or subtype", word.text);
            self.unknown(Code::L212, &word.text, word.span, message, &pool);
        }
        found
    }

    pub(super) fn words(&mut self, words: &[Ident]) -> Option<Vec<WordId>> {
        let found: Vec<Option<WordId>> = words.iter().map(|w| self.word(w)).collect();
        found.into_iter().collect()
    }

    pub(super) fn keyword(&mut self, keyword: &Ident) -> Option<KeywordId> {
        let found = self.env.keywords.get(&keyword.text).copied();
        if found.is_none() {
            let env = self.env;
            let pool: Vec<&str> = env.keywords.keys().map(String::as_str).collect();
            let message = format!("the keyword `{}` is not declared", keyword.text);
            self.unknown(Code::L213, &keyword.text, keyword.span, message, &pool);
        }
        found
    }

    fn infer_call(&mut self, call: &ast::Call) -> Option<(Expr, Ty)> {
        let name = &call.name;
        match self.env.callables.get(&name.text).copied() {
            Some(Callable::Define(id)) => {
                let params = &self.env.define_params[id.index()];
                let args = self.define_args(&name.text, params, call)?;
                Some((Expr::Define(id, args), self.env.program.defines[id.index()].ty))
            }
            Some(Callable::Marker(id)) => {
                let on = self.env.program.markers[id.index()].on;
                let arg = self.only_arg(&name.text, &call.args, on, call.span);
                self.read_marker(id, name);
                Some((Expr::Marker(id, Box::new(arg?)), Ty::Bool))
            }
            Some(Callable::Function(f)) => {
                let (from, to) = function_types(f);
                let arg = self.only_arg(&name.text, &call.args, from, call.span)?;
                Some((Expr::Function(f, Box::new(arg)), to))
            }
            Some(Callable::Look) => {
                self.error(Code::L225, call.span, "`look` is only permitted, never done");
                None
            }
            Some(Callable::Verb(_) | Callable::Event(_)) => {
                if !matches!(self.place, Where::Property | Where::Ruling) {
                    let message = format!("the law can't ask whether `{}` happened", name.text);
                    self.helped(Code::L230, call.span, message, "set a marker as it happens, and ask the marker");
                    return None;
                }
                Some((self.happens(call, false)?, Ty::Bool))
            }
            None => {
                let env = self.env;
                let pool: Vec<&str> = env.callables.keys().map(String::as_str).collect();
                self.unknown(Code::L201, &name.text, name.span, format!("nothing is named `{}`", name.text), &pool);
                self.poison_args(call);
                None
            }
        }
    }

    fn read_marker(&mut self, id: MarkerId, name: &Ident) {
        self.env.marker_reads.borrow_mut().insert(id);
        if self.env.program.markers[id.index()].ghost && self.place == Where::Law {
            let message = format!("the law can't read the ghost `{}`", name.text);
            self.helped(Code::L228, name.span, message, "declare it with `marker` in a rule");
        }
    }

    /// Whether an expression takes its type from what it is compared with.
    fn is_flexible(&self, e: &ast::Expr) -> bool {
        let ExprKind::Name(name) = &e.kind else { return false };
        let typed = matches!(name.as_str(), "active" | "yes" | "no" | "true" | "false" | "self" | "you");
        !typed && self.vars.iter().all(|v| v.name != *name)
    }

    fn compare(&mut self, op: CmpOp, a: &ast::Expr, b: &ast::Expr, span: Span) -> Option<(Expr, Ty)> {
        let (left, right, ty) = match (self.is_flexible(a), self.is_flexible(b)) {
            (false, true) => {
                let (left, ty) = self.infer(a)?;
                (left, self.other_side(b, ty, span)?, ty)
            }
            (true, false) => {
                let (right, ty) = self.infer(b)?;
                (self.other_side(a, ty, span)?, right, ty)
            }
            _ => {
                let left = self.infer(a);
                let right = self.infer(b);
                let ((left, ty), (right, other)) = (left?, right?);
                if ty != other {
                    let message = format!("{} and {} are never equal", a_ty(ty), a_ty(other));
                    self.error(Code::L204, span, message);
                    return None;
                }
                (left, right, ty)
            }
        };
        if !matches!(op, CmpOp::Eq | CmpOp::Ne) && ty != Ty::Number {
            self.error(Code::L203, span, format!("expected a Number, found {}", a_ty(ty)));
            return None;
        }
        Some((Expr::Cmp(op, Box::new(left), Box::new(right)), Ty::Bool))
    }

    /// A lone name compared with something of a type.
    fn other_side(&mut self, e: &ast::Expr, ty: Ty, span: Span) -> Option<Expr> {
        let ExprKind::Name(name) = &e.kind else { return None };
        if self.constant(name, ty).is_none() {
            let known = name == "none" || super::scope::TYPES.iter().any(|t| self.constant(name, t.1).is_some());
            if known {
                self.error(Code::L204, span, format!("{} is never equal to `{name}`", a_ty(ty)));
                return None;
            }
        }
        self.name_as(name, e.span, ty)
    }

    fn quant(
        &mut self,
        kind: QuantKind,
        name: &Ident,
        ty: Option<&Ident>,
        filter: &ast::Expr,
        body: Option<&ast::Expr>,
    ) -> Option<Expr> {
        let over = match ty {
            None => Some(Ty::Object),
            Some(ty) => self.ty(ty),
        };
        if let (Some(t), Some(ident)) = (over, ty)
            && !matches!(t, Ty::Object | Ty::Player)
        {
            self.error(Code::L203, ident.span, format!("expected Object or Player, found {}", ty_name(t)));
        }
        let over = over.filter(|t| matches!(t, Ty::Object | Ty::Player))?;
        let base = self.vars.len();
        let var = self.bind(name, over);
        let filter = self.typed(filter, Ty::Bool);
        let body = body.map(|b| self.typed(b, Ty::Bool));
        self.vars.truncate(base);
        let body = match body {
            None => None,
            Some(b) => Some(Box::new(b?)),
        };
        Some(Expr::Quant { kind, var, ty: over, filter: Box::new(filter?), body })
    }
}

/// The player of a letter in rulings.
pub(super) fn player_letter(name: &str) -> Option<u8> {
    match name {
        "A" => Some(0),
        "B" => Some(1),
        "C" => Some(2),
        "D" => Some(3),
        _ => None,
    }
}

pub(super) fn negate(negated: bool, e: Expr) -> Expr {
    if negated { Expr::Not(Box::new(e)) } else { e }
}
