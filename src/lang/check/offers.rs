//! What only properties and rulings ask: whether something happened, and what is offered, at what cost, or why not.

use super::scope::{Binding, Scope, Where};
use crate::lang::ast::{self, Ident, Span};
use crate::lang::diag::Code;
use crate::lang::tree::{Because, CostExpr, Expr, Offer, Pattern, RuleId, Ty};

impl Scope<'_> {
    /// An event as an expression of a property or ruling.
    pub(super) fn happens(&mut self, call: &ast::Call, tries: bool) -> Option<Expr> {
        let outer = std::mem::replace(
            &mut self.binding,
            if self.place == Where::Ruling { Binding::Follows } else { Binding::No },
        );
        let patterns = self.pattern(call, tries);
        self.binding = outer;
        let mut list: Vec<Expr> = patterns?.into_iter().map(Expr::Happens).collect();
        if list.len() == 1 { list.pop() } else { Some(Expr::Or(list)) }
    }

    /// `p may v(…)`.
    pub(super) fn offer(
        &mut self,
        player: &ast::Expr,
        negated: bool,
        call: &ast::Call,
        paying: Option<&ast::Cost>,
        because: Option<&Ident>,
        span: Span,
    ) -> Option<Expr> {
        if !self.of_properties(span, "an offer") {
            return None;
        }
        if self.place == Where::Ruling && negated && because.is_none() {
            let help = "name the rule or card that refuses, or say `unpermitted` or `unpayable`";
            self.helped(Code::L235, span, "a ruling refuses without saying because of what", help);
        }
        if let Some(because) = because
            && !(negated && self.place == Where::Ruling)
        {
            self.error(Code::L239, because.span, "`because` belongs to `may not` in a ruling");
        }
        let player = self.typed(player, Ty::Player);
        if call.name.text == "look" {
            let object = self.only_arg("look", &call.args, Ty::Object, call.span);
            if let Some(other) = because.filter(|b| b.text != "unpermitted") {
                self.error(Code::L239, other.span, "a look is refused only as `unpermitted`: nothing forbids one");
            }
            if let Some(cost) = paying {
                self.error(Code::L239, cost.span, "nothing is paid for a look");
            }
            let may = Expr::MayLook(Box::new(player?), Box::new(object?));
            return Some(super::exprs::negate(negated, may));
        }
        let pattern = self.offered(call);
        let paying = self.paying(paying);
        let because = match because {
            None => Some(None),
            Some(b) => self.because(b).map(Some),
        };
        let offer = Offer { player: player?, negated, pattern: pattern?, paying: paying?, because: because? };
        Some(Expr::Offer(Box::new(offer)))
    }

    /// The pattern of an offer: of a verb, not of a named event. It binds nothing.
    pub(super) fn offered(&mut self, call: &ast::Call) -> Option<Pattern> {
        self.verb(&call.name)?;
        let outer = std::mem::replace(&mut self.binding, Binding::No);
        let patterns = self.pattern(call, false);
        self.binding = outer;
        patterns?.pop()
    }

    /// A cost after `paying`, if there is one: the outer none is an error.
    #[allow(clippy::option_option)]
    pub(super) fn paying(&mut self, paying: Option<&ast::Cost>) -> Option<Option<CostExpr>> {
        match paying {
            None => Some(None),
            Some(cost) => self.cost_expr(cost).map(Some),
        }
    }

    fn because(&mut self, name: &Ident) -> Option<Because> {
        match name.text.as_str() {
            "unpermitted" => return Some(Because::Unpermitted),
            "unpayable" => return Some(Because::Unpayable),
            _ => {}
        }
        let env = self.env;
        let refuses = ["rule", "keyword", "card", "archetype"];
        let place = refuses
            .iter()
            .find_map(|kind| env.program.rules.iter().position(|r| r.kind == *kind && r.name == name.text));
        if let Some(i) = place {
            let id = RuleId(u16::try_from(i).unwrap_or(u16::MAX));
            return Some(Because::Rule(env.like.get(&id).copied().unwrap_or(id)));
        }
        let pool: Vec<&str> = env.program.rules.iter().map(|r| r.name.as_str()).collect();
        self.unknown(Code::L201, &name.text, name.span, format!("no rule or card is named `{}`", name.text), &pool);
        None
    }
}
