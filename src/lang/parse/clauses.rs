//! The clauses of rules, keywords and cards. Which of them may stand where is told apart by [`is_data`] alone.

use super::super::ast::{Clause, ClauseKind, Cost, Expr, Head, Ident, Param, Pattern, Stage, Target};
use super::super::diag::{Code, Diag};
use super::super::lex::TokenKind;
use super::words;
use super::{Mark, Parsed, Parser};

/// Whether a clause declares something, which only a rule or keyword can.
fn is_data(kind: &ClauseKind) -> bool {
    match kind {
        ClauseKind::Permit { .. }
        | ClauseKind::Forbid(..)
        | ClauseKind::Stage(..)
        | ClauseKind::Check(..)
        | ClauseKind::Price { .. }
        | ClauseKind::Static(..)
        | ClauseKind::Spell(..) => false,
        ClauseKind::Define(..)
        | ClauseKind::View(..)
        | ClauseKind::Event(..)
        | ClauseKind::LookBack(..)
        | ClauseKind::Procedure(..)
        | ClauseKind::NamedCost(..)
        | ClauseKind::Profile(..)
        | ClauseKind::Marker(..) => true,
    }
}

impl Parser<'_> {
    /// Whether a clause starts at the next token, rather than a word of a list.
    pub(super) fn at_clause(&self) -> bool {
        let after = self.peek_after(1);
        self.at_word_of(&words::CLAUSES) && (after.kind == TokenKind::Name || after.is_symbol(":"))
    }

    /// `{ clause … }` of a card: abilities, no declarations.
    pub(super) fn abilities(&mut self) -> Parsed<Vec<Clause>> {
        let mut clauses = Vec::new();
        self.braced(&words::CLAUSES, |p| {
            let word = p.peek();
            let clause = p.clause()?;
            if is_data(&clause.kind) {
                let message = format!("`{}` can't stand on a card", word.text);
                p.diags.push(Diag::new(Code::L239, word.span, message).help("put it into a rule"));
            } else {
                clauses.push(clause);
            }
            Ok(())
        })?;
        Ok(clauses)
    }

    /// One clause.
    pub(super) fn clause(&mut self) -> Parsed<Clause> {
        self.mark(Mark::Line);
        let word = self.peek();
        let known = word.kind == TokenKind::Name && words::CLAUSES[1..].contains(&word.text);
        if !known {
            return Err(self.fail_among("a clause or `}`", &words::CLAUSES));
        }
        self.bump();
        let kind = match word.text {
            "permit" => self.permit()?,
            "forbid" => ClauseKind::Forbid(self.head()?),
            "instead" => self.stage(Stage::Instead)?,
            "before" => self.stage(Stage::Before)?,
            "as" => self.stage(Stage::As)?,
            "whenever" => self.stage(Stage::Whenever)?,
            "check" => {
                let names = self.names("a name for what is checked")?;
                self.word("when")?;
                ClauseKind::Check(names, self.expr()?, self.body()?)
            }
            "price" => self.price()?,
            "static" => {
                let object = self.name("a name for what it applies to, or `self`")?;
                let when = self.guard()?;
                self.symbol(":")?;
                ClauseKind::Static(object, when, self.listed(Self::modification)?)
            }
            "spell" => ClauseKind::Spell(self.guard()?, self.target()?, self.body()?),
            "marker" => {
                let name = self.name("the name of a marker")?;
                let params = self.params()?;
                self.word("lasts")?;
                ClauseKind::Marker(name, params, self.name("`turn` or `object`")?)
            }
            "define" => {
                let name = self.name("a name to define")?;
                let params = self.params()?;
                self.symbol(":")?;
                let ty = self.name("a type")?;
                self.symbol("=")?;
                ClauseKind::Define(name, params, ty, self.expr()?)
            }
            "view" => {
                let name = self.name("the name of a view")?;
                self.symbol("=")?;
                ClauseKind::View(name, self.names("a layer")?)
            }
            "event" => self.event()?,
            "look_back" => {
                let event = self.name("the name of an event")?;
                self.word("as")?;
                ClauseKind::LookBack(event, self.name("the name of a view")?)
            }
            "procedure" => ClauseKind::Procedure(self.name("the name of a procedure")?, self.params()?, self.block()?),
            "cost" => ClauseKind::NamedCost(self.name("the name of a cost")?, self.params()?, self.block()?),
            _ => {
                let name = self.name("the name of a profile")?;
                self.symbol("=")?;
                ClauseKind::Profile(name, self.look()?)
            }
        };
        Ok(Clause { kind, span: self.since(word.span) })
    }

    fn permit(&mut self) -> Parsed<ClauseKind> {
        let player = self.name("a name for the player who is permitted, or `you`")?;
        let object = if self.eat_word("on") { Some(self.name("a name for the object")?) } else { None };
        let ability = self.eat_word("ability");
        let when = self.guard()?;
        let pay = if self.eat_word("pay") { Some(self.cost()?) } else { None };
        let target = self.target()?;
        Ok(ClauseKind::Permit { player, object, ability, when, pay, target, body: self.body()? })
    }

    fn stage(&mut self, stage: Stage) -> Parsed<ClauseKind> {
        Ok(ClauseKind::Stage(stage, self.head()?, self.target()?, self.body()?))
    }

    fn price(&mut self) -> Parsed<ClauseKind> {
        let head = self.head()?;
        self.symbol(":")?;
        let more = self.eat_word("more");
        if !more && !self.eat_word("less") {
            return Err(self.fail_among("`more` or `less`", &["more", "less"]));
        }
        let cost: Cost = self.cost()?;
        Ok(ClauseKind::Price { head, more, cost })
    }

    fn event(&mut self) -> Parsed<ClauseKind> {
        let name = self.name("the name of an event")?;
        self.symbol("(")?;
        let params = self.names("a name")?;
        self.symbol(")")?;
        self.symbol("=")?;
        let patterns = self.patterns()?;
        if self.at_word("when") {
            let failed = self.fail("a clause or `}`");
            self.hint("an event has no guard: put it into the clauses that name the event");
            return Err(failed);
        }
        Ok(ClauseKind::Event(name, params, patterns))
    }

    /// `pattern or pattern when E`
    pub(super) fn head(&mut self) -> Parsed<Head> {
        Ok(Head { patterns: self.patterns()?, when: self.guard()? })
    }

    fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        let mut patterns = vec![self.pattern()?];
        while self.eat_word("or") {
            patterns.push(self.pattern()?);
        }
        Ok(patterns)
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        let tries = self.at_word("tries") && !self.peek_after(1).is_symbol("(");
        if tries {
            self.bump();
        }
        Ok(Pattern { tries, call: self.call()? })
    }

    /// `when E`, if it is there.
    pub(super) fn guard(&mut self) -> Parsed<Option<Expr>> {
        if self.eat_word("when") { Ok(Some(self.expr()?)) } else { Ok(None) }
    }

    fn target(&mut self) -> Parsed<Option<Target>> {
        if !self.eat_word("target") {
            return Ok(None);
        }
        let name = self.name("a name for the target")?;
        self.word("where")?;
        Ok(Some(Target { name, filter: self.expr()? }))
    }

    /// `(by p: Player, c: Object)`
    pub(super) fn params(&mut self) -> Parsed<Vec<Param>> {
        self.symbol("(")?;
        if self.eat_symbol(")") {
            return Ok(Vec::new());
        }
        let params = self.listed(|p| {
            let labelled = p.peek_after(1).kind == TokenKind::Name;
            let label: Option<Ident> = if labelled { Some(p.any_name("a label")?) } else { None };
            let name = p.name("a parameter, as `o: Object`")?;
            p.symbol(":")?;
            Ok(Param { label, name, ty: p.name("a type")? })
        })?;
        if !self.eat_symbol(")") {
            return Err(self.fail("`,` or `)`"));
        }
        Ok(params)
    }
}
