//! Statements, blocks and modifications. Line ends mean nothing to it: a statement ends where its grammar does.

use super::super::ast::{Block, Expr, ExprKind, Mod, Stmt, StmtKind};
use super::super::lex::TokenKind;
use super::words;
use super::{Mark, Parsed, Parser};

impl Parser<'_> {
    /// `: { … }` or `: statement`
    pub(super) fn body(&mut self) -> Parsed<Block> {
        self.symbol(":")?;
        self.branch()
    }

    /// `{ … }` or one statement.
    fn branch(&mut self) -> Parsed<Block> {
        if self.at_symbol("{") {
            return self.block();
        }
        self.mark(Mark::Body);
        let stmt = self.nested(Self::statement)?;
        Ok(Block { stmts: vec![stmt] })
    }

    /// `{ … }`
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let brace = self.peek();
        self.symbol("{")?;
        let mut stmts = Vec::new();
        while !self.eat_symbol("}") {
            if self.at_end() || self.at_outer_item() {
                self.unclosed(brace);
                return Err(super::Failed);
            }
            self.mark(Mark::Line);
            stmts.push(self.nested(Self::statement)?);
        }
        Ok(Block { stmts })
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let token = self.peek();
        let starts = token.kind == TokenKind::Name || token.is_symbol("(");
        if !starts {
            return Err(self.fail("a statement"));
        }
        let kind = match token.text {
            "choose" => {
                self.bump();
                let name = self.name("a name for what is chosen")?;
                self.word("by")?;
                let by = self.post()?;
                let (among, filter) = self.range()?;
                StmtKind::Choose { name, by, among, filter, body: self.body()? }
            }
            "each" => {
                self.bump();
                let name = self.name("a name for each of them")?;
                let (among, filter) = self.range()?;
                StmtKind::Each { name, among, filter, body: self.body()? }
            }
            "if" => {
                self.bump();
                let condition = self.expr()?;
                let then = self.body()?;
                StmtKind::If(condition, then, self.alternative()?)
            }
            "let" => {
                self.bump();
                let name = self.name("a name for the value")?;
                self.symbol("=")?;
                StmtKind::Let(name, self.expr()?)
            }
            "give" => {
                self.bump();
                let object = self.post()?;
                let mods = self.listed(Self::modification)?;
                let until = if self.eat_word("until") { Some(self.name("a duration")?) } else { None };
                StmtKind::Give(object, mods, until)
            }
            "set" => {
                self.bump();
                let call = self.call()?;
                self.symbol("=")?;
                StmtKind::Set(call, self.expr()?)
            }
            "nothing" => {
                self.bump();
                StmtKind::Nothing
            }
            _ => self.call_or_may()?,
        };
        Ok(Stmt { kind, span: self.since(token.span) })
    }

    fn call_or_may(&mut self) -> Parsed<StmtKind> {
        let first = self.peek();
        let subject = self.post()?;
        if self.eat_word("may") {
            let body = self.block()?;
            return Ok(StmtKind::May(subject, body, self.alternative()?));
        }
        match subject.kind {
            ExprKind::Call(call) => {
                let then = if self.eat_word("then") { Some(self.branch()?) } else { None };
                Ok(StmtKind::Call(call, then, self.alternative()?))
            }
            ExprKind::Name(_) => Err(self.fail_at(first, "a statement", &words::STATEMENTS)),
            _ => {
                let failed = self.fail_at(first, "a statement", &[]);
                self.hint(
                    "a statement is a call of a verb, or starts with `choose`, `each`, `if`, `let`, `give` or `set`",
                );
                Err(failed)
            }
        }
    }

    fn alternative(&mut self) -> Parsed<Option<Block>> {
        if self.eat_word("else") { Ok(Some(self.branch()?)) } else { Ok(None) }
    }

    /// `among a, b where E`
    fn range(&mut self) -> Parsed<(Vec<Expr>, Option<Expr>)> {
        let among = if self.eat_word("among") { self.listed(Self::post)? } else { Vec::new() };
        let filter = if self.eat_word("where") { Some(self.expr()?) } else { None };
        Ok((among, filter))
    }

    /// `has k`, `is w`, …
    pub(super) fn modification(&mut self) -> Parsed<Mod> {
        let token = self.peek();
        let known = token.kind == TokenKind::Name && words::MODS.contains(&token.text);
        if !known {
            let failed = self.fail_among("a modification", &words::MODS);
            self.hint("it starts with `has`, `loses`, `is`, `becomes`, `gets` or `sized`");
            return Err(failed);
        }
        self.bump();
        Ok(match token.text {
            "has" => {
                let keyword = self.name("a keyword")?;
                let cost = if self.eat_symbol("(") {
                    let cost = self.cost()?;
                    self.symbol(")")?;
                    Some(cost)
                } else {
                    None
                };
                Mod::Has(keyword, cost)
            }
            "loses" if self.eat_word("text") => Mod::LosesText(self.since(token.span)),
            "loses" => {
                self.word("abilities")?;
                Mod::LosesAbilities(self.since(token.span))
            }
            "is" => Mod::IsAlso(self.name("a type, colour or subtype")?),
            "becomes" => {
                let mut words = vec![self.name("a type or subtype")?];
                while self.at_further_word() {
                    words.push(self.name("a type or subtype")?);
                }
                Mod::Becomes(words)
            }
            "gets" => {
                let (power, toughness, span) = self.signed_size()?;
                Mod::Gets(power, toughness, span)
            }
            _ => {
                let power = self.post()?;
                let toughness = if self.eat_symbol("/") { Some(self.post()?) } else { None };
                Mod::Sized(power, toughness)
            }
        })
    }

    /// Whether the list of words after `becomes` goes on: a name that starts the next statement, clause or item does not.
    fn at_further_word(&self) -> bool {
        let token = self.peek();
        let after = self.peek_after(1);
        let starts_call = after.is_symbol("(") || after.is_symbol(".") || after.is_word("may");
        token.kind == TokenKind::Name
            && !words::reserved(token.text)
            && !starts_call
            && !self.at_item()
            && !self.at_clause()
    }
}
