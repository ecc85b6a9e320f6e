//! Attributes of objects, looks and players: what may stand after a dot.

use super::scope::{Scope, a_ty};
use crate::lang::ast::{self, Ident, Span};
use crate::lang::diag::Code;
use crate::lang::tree::{Const, Expr, Field, LookField, Ty};

pub(super) const FIELDS: &[(&str, Field, Ty)] = &[
    ("owner", Field::Owner, Ty::Player),
    ("controller", Field::Controller, Ty::Player),
    ("home", Field::Home, Ty::Player),
    ("face_down", Field::FaceDown, Ty::Bool),
    ("face_down_by", Field::FaceDownBy, Ty::Way),
    ("listed", Field::Listed, Ty::Look),
    ("tapped", Field::Tapped, Ty::Bool),
    ("transformed", Field::Transformed, Ty::Bool),
    ("damage", Field::Damage, Ty::Number),
    ("host", Field::Host, Ty::Object),
    ("stamp", Field::Stamp, Ty::Number),
    ("cardless", Field::Cardless, Ty::Bool),
    ("ability", Field::Ability, Ty::Bool),
    ("double_faced", Field::DoubleFaced, Ty::Bool),
    ("other_face", Field::OtherFace, Ty::Look),
    ("merged", Field::Merged, Ty::Bool),
    ("pile", Field::Pile, Ty::Object),
    ("topmost", Field::Topmost, Ty::Object),
    ("lies_down", Field::LiesDown, Ty::Bool),
    ("left_with", Field::LeftWith, Ty::Object),
];
pub(super) const LOOK_FIELDS: &[(&str, LookField, Ty)] = &[
    ("name", LookField::Name, Ty::Name),
    ("mana_cost", LookField::ManaCost, Ty::Cost),
    ("power", LookField::Power, Ty::Number),
    ("toughness", LookField::Toughness, Ty::Number),
];
/// Attributes with an argument: its type, and the type of the answer.
pub(super) const METHODS: &[(&str, Ty, Ty)] = &[
    ("known_to", Ty::Player, Ty::Bool),
    ("counters", Ty::Counter, Ty::Number),
    ("aims_at", Ty::Object, Ty::Bool),
    ("watches", Ty::Event, Ty::Bool),
];

/// Whether an attribute of this name is there without any declaration.
pub(super) fn is_attribute(name: &str) -> bool {
    let methods = METHODS.iter().map(|m| m.0);
    let mut all = FIELDS.iter().map(|f| f.0).chain(LOOK_FIELDS.iter().map(|f| f.0)).chain(methods);
    all.any(|known| known == name)
}

impl Scope<'_> {
    pub(super) fn field(&mut self, of: &ast::Expr, name: &Ident) -> Option<(Expr, Ty)> {
        let (base, ty) = self.infer(of)?;
        let text = name.text.as_str();
        match ty {
            Ty::Object => {
                if let Some((_, field, ty)) = FIELDS.iter().find(|f| f.0 == text) {
                    return Some((Expr::Field(Box::new(base), *field), *ty));
                }
                if let Some(&view) = self.env.views.get(text) {
                    return Some((Expr::View(Box::new(base), view), Ty::Look));
                }
                self.look_field(Expr::Plain(Box::new(base)), name, true)
            }
            Ty::Look => self.look_field(base, name, false),
            Ty::Player if text == "in_game" => Some((Expr::InGame(Box::new(base)), Ty::Bool)),
            _ => {
                self.error(Code::L201, name.span, format!("{} has no attribute `{text}`", a_ty(ty)));
                None
            }
        }
    }

    fn look_field(&mut self, look: Expr, name: &Ident, object: bool) -> Option<(Expr, Ty)> {
        let text = name.text.as_str();
        if let Some((_, field, ty)) = LOOK_FIELDS.iter().find(|f| f.0 == text) {
            return Some((Expr::Look(Box::new(look), *field), *ty));
        }
        if let Some(&k) = self.env.keywords.get(text) {
            if !self.env.program.keywords[k.index()].toll {
                self.error(Code::L214, name.span, format!("the keyword `{text}` has no cost"));
                return None;
            }
            return Some((Expr::Look(Box::new(look), LookField::Toll(k)), Ty::Cost));
        }
        let env = self.env;
        let mut pool: Vec<&str> = LOOK_FIELDS.iter().map(|f| f.0).collect();
        pool.extend(env.keywords.keys().map(String::as_str));
        if object {
            pool.extend(FIELDS.iter().map(|f| f.0));
            pool.extend(env.views.keys().map(String::as_str));
        }
        let what = if object { "an Object" } else { "a Look" };
        self.unknown(Code::L201, text, name.span, format!("{what} has no attribute `{text}`"), &pool);
        None
    }

    pub(super) fn method(&mut self, of: &ast::Expr, name: &Ident, args: &[ast::Arg]) -> Option<(Expr, Ty)> {
        let object = self.typed(of, Ty::Object)?;
        let Some(&(_, ty, result)) = METHODS.iter().find(|m| m.0 == name.text) else {
            let pool: Vec<&str> = METHODS.iter().map(|m| m.0).collect();
            let message = format!("an Object has no attribute `{}(…)`", name.text);
            self.unknown(Code::L201, &name.text, name.span, message, &pool);
            return None;
        };
        let arg = self.only_arg(&name.text, args, ty, name.span)?;
        let object = Box::new(object);
        let expr = match (name.text.as_str(), arg) {
            ("known_to", p) => Expr::KnownTo(object, Box::new(p)),
            ("counters", k) => Expr::Counters(object, Box::new(k)),
            ("aims_at", o) => Expr::AimsAt(object, Box::new(o)),
            (_, Expr::Const(Const::Event(e))) => Expr::Watches(object, e),
            (_, _) => {
                self.error(Code::L203, name.span, "`watches` needs the name of a verb, procedure or event");
                return None;
            }
        };
        Some((expr, result))
    }

    /// The one unlabelled argument of a function, marker or attribute.
    pub(super) fn only_arg(&mut self, name: &str, args: &[ast::Arg], ty: Ty, span: Span) -> Option<Expr> {
        match args {
            [ast::Arg { label: None, value: ast::ArgValue::Expr(e) }] => self.typed(e, ty),
            _ => {
                self.error(Code::L207, span, format!("`{name}` takes one argument: {}", a_ty(ty)));
                None
            }
        }
    }
}
