//! Expressions, calls, costs and looks. It takes no precedence from anywhere but the shape of its functions.

use super::super::ast::{Arg, ArgValue, Call, CmpOp, Cost, Expr, ExprKind, Ident, Look, LookPart, QuantKind, Span};
use super::super::lex::TokenKind;
use super::words;
use super::{NESTING_MAX, Parsed, Parser};

/// The comparisons, as written.
const COMPARISONS: [(&str, CmpOp); 6] =
    [("==", CmpOp::Eq), ("!=", CmpOp::Ne), ("<=", CmpOp::Le), (">=", CmpOp::Ge), ("<", CmpOp::Lt), (">", CmpOp::Gt)];

impl Parser<'_> {
    /// `a and b or c …`
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.joined("or", ExprKind::Or, |p| p.joined("and", ExprKind::And, Self::negation)))
    }

    fn joined(
        &mut self,
        word: &str,
        kind: fn(Vec<Expr>) -> ExprKind,
        mut part: impl FnMut(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let first = part(self)?;
        if !self.at_word(word) {
            return Ok(first);
        }
        let start = first.span;
        let mut parts = vec![first];
        while self.eat_word(word) {
            parts.push(part(self)?);
        }
        Ok(Expr { kind: kind(parts), span: self.since(start) })
    }

    fn negation(&mut self) -> Parsed<Expr> {
        let start = self.peek().span;
        let kind = match self.peek().text {
            "not" if self.eat_word("not") => ExprKind::Not(Box::new(self.nested(Self::negation)?)),
            "some" if self.eat_word("some") => self.quantified(QuantKind::Some)?,
            "every" if self.eat_word("every") => self.quantified(QuantKind::Every)?,
            _ => return self.relation(),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn quantified(&mut self, kind: QuantKind) -> Parsed<ExprKind> {
        let name = self.name("a name for what is asked about")?;
        let ty = if self.eat_symbol(":") { Some(self.name("a type")?) } else { None };
        self.word("where")?;
        let filter = Box::new(self.expr()?);
        let body = match kind {
            QuantKind::Every => {
                self.symbol(":")?;
                Some(Box::new(self.expr()?))
            }
            QuantKind::Some | QuantKind::Count => None,
        };
        Ok(ExprKind::Quant { kind, name, ty, filter, body })
    }

    /// A term, any number of `but`, and at most one question about it.
    fn relation(&mut self) -> Parsed<Expr> {
        let mut left = self.post()?;
        let start = left.span;
        let mut buts = 0;
        while self.eat_word("but") {
            buts += 1;
            if buts > NESTING_MAX {
                return Err(self.too_deep());
            }
            let kind = ExprKind::But(Box::new(left), Box::new(self.modification()?));
            left = Expr { kind, span: self.since(start) };
        }
        let token = self.peek();
        let comparison = COMPARISONS.iter().find(|(text, _)| token.is_symbol(text));
        let kind = if let Some((_, op)) = comparison {
            self.bump();
            let right = self.post()?;
            if COMPARISONS.iter().any(|(text, _)| self.at_symbol(text)) {
                let failed = self.fail("the end of the comparison");
                self.hint("compare two things at a time, and join the comparisons with `and`");
                return Err(failed);
            }
            ExprKind::Cmp(*op, Box::new(left), Box::new(right))
        } else if self.eat_word("is") {
            let not = self.eat_word("not");
            let mut words = vec![self.name("a type, supertype, colour or subtype")?];
            while self.eat_symbol("|") {
                words.push(self.name("a type, supertype, colour or subtype")?);
            }
            ExprKind::Is(Box::new(left), not, words)
        } else if self.eat_word("has") {
            let no = self.eat_word("no");
            ExprKind::Has(Box::new(left), no, self.name("a keyword")?)
        } else if self.at_word("in") || self.at_word("not") && self.peek_after(1).is_word("in") {
            let not = self.eat_word("not");
            self.word("in")?;
            ExprKind::In(Box::new(left), not, self.name("a zone")?)
        } else if self.at_word("may") && !self.peek_after(1).is_symbol("{") {
            self.offer(left)?
        } else {
            return Ok(left);
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn offer(&mut self, player: Expr) -> Parsed<ExprKind> {
        self.word("may")?;
        let negated = self.eat_word("not");
        let call = self.call()?;
        let paying = if self.eat_word("paying") { Some(self.cost()?) } else { None };
        let because = if self.eat_word("because") {
            Some(self.name_or_string("the name of a rule, a card in quotes, `unpermitted` or `unpayable`")?)
        } else {
            None
        };
        Ok(ExprKind::May { player: Box::new(player), negated, call, paying, because })
    }

    /// A term with its attributes.
    pub(super) fn post(&mut self) -> Parsed<Expr> {
        let mut left = self.term()?;
        let start = left.span;
        let mut dots = 0;
        while self.eat_symbol(".") {
            dots += 1;
            if dots > NESTING_MAX {
                return Err(self.too_deep());
            }
            let name = self.any_name("an attribute or a view")?;
            let kind = if self.at_symbol("(") {
                ExprKind::Method(Box::new(left), name, self.args()?)
            } else {
                ExprKind::Field(Box::new(left), name)
            };
            left = Expr { kind, span: self.since(start) };
        }
        Ok(left)
    }

    /// The least part of an expression.
    pub(super) fn term(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let called = self.peek_after(1).is_symbol("(");
        let kind = match token.kind {
            TokenKind::Number => ExprKind::Number(self.number(TokenKind::Number, "a number")?),
            TokenKind::Str => ExprKind::Str(self.string("a string")?.text),
            TokenKind::Mana => ExprKind::Mana(self.mana()?.text),
            TokenKind::Symbol if token.text == "(" => {
                self.bump();
                let inside = self.expr()?;
                self.symbol(")")?;
                inside.kind
            }
            TokenKind::Name => match token.text {
                "count" => {
                    self.bump();
                    self.nested(|p| p.quantified(QuantKind::Count))?
                }
                "tries" if self.peek_after(1).kind == TokenKind::Name => {
                    self.bump();
                    ExprKind::Tries(self.call()?)
                }
                "was" | "ends" if called => {
                    self.bump();
                    self.bump();
                    let inside = Box::new(self.expr()?);
                    self.symbol(")")?;
                    if token.text == "was" { ExprKind::Was(inside) } else { ExprKind::Ends(inside) }
                }
                _ if called && (self.at_callable() || !words::reserved(token.text)) => ExprKind::Call(self.call()?),
                word if words::reserved(word) => return Err(self.fail("an expression")),
                word => {
                    self.bump();
                    ExprKind::Name(word.to_owned())
                }
            },
            _ => return Err(self.fail("an expression")),
        };
        Ok(Expr { kind, span: self.since(token.span) })
    }

    /// `name(args)`
    pub(super) fn call(&mut self) -> Parsed<Call> {
        let expected = "a call, as `turn_up(o)`";
        let name = if self.at_callable() { self.any_name(expected)? } else { self.name(expected)? };
        let start = name.span;
        let args = self.args()?;
        Ok(Call { name, args, span: self.since(start) })
    }

    /// Whether a word that is reserved elsewhere is the name of a verb here.
    fn at_callable(&self) -> bool {
        self.at_word_of(&["target", "pay"]) && self.peek_after(1).is_symbol("(")
    }

    fn args(&mut self) -> Parsed<Vec<Arg>> {
        self.symbol("(")?;
        if self.eat_symbol(")") {
            return Ok(Vec::new());
        }
        let args = self.listed(Self::arg)?;
        if !self.eat_symbol(")") {
            return Err(self.fail("`,` or `)`"));
        }
        Ok(args)
    }

    fn arg(&mut self) -> Parsed<Arg> {
        let labelled = self.peek().kind == TokenKind::Name && self.peek_after(1).is_symbol(":");
        let label = if labelled { Some(self.any_name("a label")?) } else { None };
        if labelled {
            self.symbol(":")?;
        }
        let value = if self.at_word("new") && self.peek_after(1).kind == TokenKind::Name {
            self.bump();
            ArgValue::New(self.name("a fresh name")?)
        } else if labelled && self.lone_word() {
            // The name of a verb may be a word that starts something elsewhere, as `on: target`.
            let name = self.any_name("a name")?;
            ArgValue::Expr(Expr { span: name.span, kind: ExprKind::Name(name.text) })
        } else {
            ArgValue::Expr(self.expr()?)
        };
        Ok(Arg { label, value })
    }

    /// Whether the next word is reserved and is all that stands before the next `,` or `)`.
    fn lone_word(&self) -> bool {
        let ends = self.peek_after(1);
        let token = self.peek();
        token.kind == TokenKind::Name && words::reserved(token.text) && (ends.is_symbol(",") || ends.is_symbol(")"))
    }

    /// `{2}{G} + sacrifice_another`
    pub(super) fn cost(&mut self) -> Parsed<Cost> {
        let start = self.peek().span;
        let mut parts = Vec::new();
        loop {
            let kind = self.peek().kind;
            let opens = kind == TokenKind::Mana || kind == TokenKind::Name || self.at_symbol("(");
            if !opens {
                let failed = self.fail("a cost");
                self.hint("a cost is mana, as `{2}{G}`, the cost of a keyword, or the name of a `cost`");
                return Err(failed);
            }
            parts.push(self.post()?);
            if !self.eat_symbol("+") {
                break;
            }
        }
        Ok(Cost { parts, span: self.since(start) })
    }

    /// Mana symbols, as one.
    fn mana(&mut self) -> Parsed<Ident> {
        let first = self.kind(TokenKind::Mana, "mana, as `{2}{G}`")?;
        let mut text = first.text.to_owned();
        while self.peek().kind == TokenKind::Mana {
            text.push_str(self.bump().text);
        }
        Ok(Ident { text, span: self.since(first.span) })
    }

    /// `{2}{G} creature beast 3/3 morph({G})`, or `nothing`
    pub(super) fn look(&mut self) -> Parsed<Look> {
        let start = self.peek().span;
        if self.peek().kind == TokenKind::Name && self.peek().text == "nothing" {
            self.bump();
            return Ok(Look { mana: None, parts: Vec::new(), span: self.since(start) });
        }
        let mana = if self.peek().kind == TokenKind::Mana { Some(self.mana()?) } else { None };
        let mut parts = Vec::new();
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Number => {
                    let power = self.number(TokenKind::Number, "the power")?;
                    self.symbol("/")?;
                    let toughness = self.number(TokenKind::Number, "the toughness")?;
                    parts.push(LookPart::Size(power, toughness, self.since(token.span)));
                }
                TokenKind::Name if !words::reserved(token.text) && !self.at_item() && !self.at_clause() => {
                    let word = self.name("a word")?;
                    if self.eat_symbol("(") {
                        let cost = self.cost()?;
                        self.symbol(")")?;
                        parts.push(LookPart::Keyword(word, cost));
                    } else {
                        parts.push(LookPart::Word(word));
                    }
                }
                _ => break,
            }
        }
        if mana.is_none() && parts.is_empty() {
            return Err(self.fail("a look, as `creature 2/2` or `nothing`"));
        }
        Ok(Look { mana, parts, span: self.since(start) })
    }

    /// `+1/+0`
    pub(super) fn signed_size(&mut self) -> Parsed<(i32, i32, Span)> {
        let start = self.peek().span;
        let power = self.number(TokenKind::Signed, "a change of power, as `+1`")?;
        self.symbol("/")?;
        let toughness = self.number(TokenKind::Signed, "a change of toughness, as `+0`")?;
        Ok((power, toughness, self.since(start)))
    }
}
