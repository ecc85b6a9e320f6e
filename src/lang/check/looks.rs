//! Looks, costs and modifications.

use super::scope::Scope;
use crate::lang::ast::{self, ExprKind, Ident, LookPart, Span};
use crate::lang::diag::Code;
use crate::lang::tree::{Cost, CostExpr, Expr, Layer, Look, Mana, Mod, ModId, ModKind, Ty, WordKind};

/// Colours in the order of the symbols.
pub(super) const COLOURS: [(&str, char); 5] =
    [("white", 'W'), ("blue", 'U'), ("black", 'B'), ("red", 'R'), ("green", 'G')];

impl Scope<'_> {
    /// Mana symbols, as `{2}{G}`.
    pub(super) fn mana(&mut self, text: &str, span: Span) -> Option<Mana> {
        let mut mana = Mana::default();
        for symbol in text.split('{').skip(1).map(|s| s.trim().trim_end_matches('}')) {
            if let Ok(n) = symbol.parse::<u32>() {
                let Some(sum) = u8::try_from(n).ok().and_then(|n| mana.generic.checked_add(n)).filter(|n| *n <= 99)
                else {
                    self.error(Code::L238, span, format!("`{{{symbol}}}` is more mana than 99"));
                    return None;
                };
                mana.generic = sum;
                continue;
            }
            match ["W", "U", "B", "R", "G", "C"].iter().position(|s| *s == symbol) {
                Some(i) => mana.symbols[i] = mana.symbols[i].saturating_add(1),
                None if symbol == "X" => mana.x = mana.x.saturating_add(1),
                None => {
                    self.error(Code::L215, span, format!("`{{{symbol}}}` is no mana symbol"));
                    return None;
                }
            }
        }
        Some(mana)
    }

    /// A cost as an expression: mana, tolls, named costs, joined by `+`.
    pub(super) fn cost_expr(&mut self, cost: &ast::Cost) -> Option<CostExpr> {
        let parts: Vec<Option<Expr>> = cost.parts.iter().map(|e| self.cost_part(e)).collect();
        Some(CostExpr { parts: parts.into_iter().collect::<Option<_>>()? })
    }

    fn cost_part(&mut self, e: &ast::Expr) -> Option<Expr> {
        if let ExprKind::Name(name) = &e.kind {
            let known = name == "none" || self.env.named_costs.contains_key(name);
            let local = self.vars.iter().rev().find(|v| v.name == *name).map(|v| v.ty);
            if !known && local != Some(Ty::Cost) {
                let env = self.env;
                let pool: Vec<&str> = env.named_costs.keys().map(String::as_str).collect();
                self.unknown(Code::L215, name, e.span, format!("`{name}` is no cost"), &pool);
                return None;
            }
            return self.name_as(name, e.span, Ty::Cost);
        }
        let (part, ty) = self.infer(e)?;
        if ty != Ty::Cost {
            self.error(Code::L215, e.span, format!("{} is no cost", super::scope::a_ty(ty)));
            return None;
        }
        Some(part)
    }

    /// A cost that is known before anything happens: of a card's keyword.
    fn fixed_cost(&mut self, cost: &ast::Cost) -> Option<Cost> {
        let mut sum = Cost::default();
        for part in self.cost_expr(cost)?.parts {
            match part {
                Expr::Const(crate::lang::tree::Const::Cost(Some(c))) => {
                    sum.mana = sum.mana.plus(&c.mana);
                    sum.named.extend(c.named);
                }
                _ => {
                    let help = "write mana symbols or the name of a `cost`";
                    self.helped(Code::L215, cost.span, "the cost of a keyword must be fixed here", help);
                    return None;
                }
            }
        }
        Some(sum)
    }

    /// A keyword with its cost, if it has one.
    fn keyword_with_cost(
        &mut self,
        name: &Ident,
        cost: Option<&ast::Cost>,
    ) -> Option<(crate::lang::tree::KeywordId, Option<Cost>)> {
        let id = self.keyword(name)?;
        match (self.env.program.keywords[id.index()].toll, cost) {
            (true, Some(cost)) => Some((id, Some(self.fixed_cost(cost)?))),
            (false, None) => Some((id, None)),
            (true, None) => {
                self.error(Code::L214, name.span, format!("`{}` needs its cost in brackets", name.text));
                None
            }
            (false, Some(_)) => {
                self.error(Code::L214, name.span, format!("the keyword `{}` has no cost", name.text));
                None
            }
        }
    }

    /// Characteristics as listed. Colours come from the mana cost.
    pub(super) fn listed_look(&mut self, look: &ast::Look) -> Option<Look> {
        let mut result = Look::default();
        let mut fine = true;
        if let Some(mana) = &look.mana {
            result.mana = self.mana(&mana.text, mana.span);
            fine &= result.mana.is_some();
        }
        for (i, (colour, _)) in COLOURS.iter().enumerate() {
            if result.mana.is_some_and(|m| m.symbols[i] > 0)
                && let Some(word) = self.env.words.get(*colour)
            {
                result.words |= 1 << word.0;
            }
        }
        for part in &look.parts {
            match part {
                LookPart::Word(name) if self.env.keywords.contains_key(&name.text) => {
                    match self.keyword_with_cost(name, None) {
                        Some(k) => result.keywords.push(k),
                        None => fine = false,
                    }
                }
                LookPart::Word(name) => match self.env.words.get(&name.text) {
                    Some(word) => result.words |= 1 << word.0,
                    None => {
                        let env = self.env;
                        let pool: Vec<&str> = env.words.keys().chain(env.keywords.keys()).map(String::as_str).collect();
                        let message = format!("`{}` is no type, supertype, colour, subtype or keyword", name.text);
                        self.unknown(Code::L212, &name.text, name.span, message, &pool);
                        fine = false;
                    }
                },
                LookPart::Keyword(name, cost) => match self.keyword_with_cost(name, Some(cost)) {
                    Some(k) => result.keywords.push(k),
                    None => fine = false,
                },
                LookPart::Size(power, toughness, span) => {
                    fine &= self.within(*power, 0, 99, *span) & self.within(*toughness, 0, 99, *span);
                    if result.size.replace((*power, *toughness)).is_some() {
                        self.error(Code::L239, *span, "power and toughness stand here twice");
                        fine = false;
                    }
                }
            }
        }
        result.keywords.sort();
        result.keywords.dedup();
        fine.then_some(result)
    }

    /// Whether a number is in a range; else that is an error.
    pub(super) fn within(&mut self, n: i32, least: i32, most: i32, span: Span) -> bool {
        let fine = (least..=most).contains(&n);
        if !fine {
            self.error(Code::L238, span, format!("{n} is not between {least} and {most}"));
        }
        fine
    }

    /// Modifications, numbered.
    pub(super) fn modifications(&mut self, mods: &[ast::Mod]) -> Option<Vec<ModId>> {
        let ids: Vec<Option<ModId>> = mods.iter().map(|m| self.modification(m)).collect();
        ids.into_iter().collect()
    }

    /// Modifications that stay on an object: they can't ask for anything later.
    pub(super) fn fixed_modifications(&mut self, mods: &[ast::Mod]) -> Option<Vec<ModId>> {
        for m in mods {
            let ast::Mod::Sized(power, toughness) = m else { continue };
            let asks = |e: &ast::Expr| !matches!(e.kind, ExprKind::Number(_));
            if let Some(e) = std::iter::once(power).chain(toughness).find(|e| asks(e)) {
                let help = "what asks for a number again and again is a `static` of a card or keyword";
                self.helped(Code::L239, e.span, "what is given is sized by numbers, as `sized 1/1`", help);
                return None;
            }
        }
        self.modifications(mods)
    }

    pub(super) fn modification(&mut self, m: &ast::Mod) -> Option<ModId> {
        let (layer, kind) = match m {
            ast::Mod::Has(name, cost) => {
                let (keyword, cost) = self.keyword_with_cost(name, cost.as_ref())?;
                (Layer::Granted, ModKind::Has(keyword, cost))
            }
            ast::Mod::LosesAbilities(_) => (Layer::Granted, ModKind::LosesAbilities),
            // Before anything is granted: what the card says is gone, what effects give stays (305.7).
            ast::Mod::LosesText(_) => (Layer::Typed, ModKind::LosesAbilities),
            ast::Mod::IsAlso(name) => {
                let word = self.word(name)?;
                let colour = self.env.program.words[word.index()].kind == WordKind::Colour;
                (if colour { Layer::Coloured } else { Layer::Typed }, ModKind::IsAlso(word))
            }
            ast::Mod::Becomes(names) => {
                let mut words = self.words(names)?;
                words.sort();
                words.dedup();
                (Layer::Typed, ModKind::Becomes(words))
            }
            ast::Mod::Gets(power, toughness, span) => {
                if !(self.within(*power, -99, 99, *span) & self.within(*toughness, -99, 99, *span)) {
                    return None;
                }
                (Layer::Sized, ModKind::Gets(*power, *toughness))
            }
            ast::Mod::Sized(power, toughness) => {
                let power = self.typed(power, Ty::Number);
                let toughness = match toughness {
                    None => power.clone(),
                    Some(t) => self.typed(t, Ty::Number),
                };
                (Layer::Sized, ModKind::Sized(power?, toughness?))
            }
        };
        Some(self.env.intern(Mod { layer, kind }))
    }
}
