//! Items that try the law: worlds, ghosts, properties and rulings.

use super::super::ast::{
    Claim, ClauseKind, Deal, Ghost, Ident, Item, Place, Property, PropertyKind, Ruling, RulingAct, RulingLine, Span,
    Stage, World, WorldLine,
};
use super::super::diag::{Code, Diag};
use super::super::lex::{Token, TokenKind};
use super::words;
use super::{Failed, Mark, Parsed, Parser};

impl Parser<'_> {
    pub(super) fn world(&mut self) -> Parsed<Item> {
        let name = self.name("the name of a world")?;
        let title = if self.peek().kind == TokenKind::Str { Some(self.string("a title")?) } else { None };
        let mut lines = Vec::new();
        self.braced(&words::WORLD, |p| {
            lines.push(p.world_line()?);
            Ok(())
        })?;
        Ok(Item::World(World { name, title, lines }))
    }

    fn world_line(&mut self) -> Parsed<WorldLine> {
        self.mark(Mark::Line);
        let word = self.peek();
        let known = word.kind == TokenKind::Name && words::WORLD.contains(&word.text);
        if !known {
            let failed = self.fail_among("a line of a world or `}`", &words::WORLD);
            self.hint("it starts with `players`, `start`, `allow`, `mana`, `budget` or `cap`");
            return Err(failed);
        }
        self.bump();
        Ok(match word.text {
            "players" => WorldLine::Players(self.names("a player")?),
            "start" => {
                let player = self.name("a player")?;
                let zone = self.name("a zone")?;
                self.symbol(":")?;
                WorldLine::Start(player, zone, self.listed(Self::deal)?)
            }
            "allow" => {
                let procedures = self.names("the name of a procedure")?;
                let by = if self.eat_word("by") { self.names("a player")? } else { Vec::new() };
                WorldLine::Allow(procedures, by)
            }
            "mana" if self.eat_word("unlimited") => WorldLine::Mana(None),
            "mana" => {
                let span = self.peek().span;
                WorldLine::Mana(Some((self.number(TokenKind::Number, "`unlimited` or a number")?, span)))
            }
            "budget" => WorldLine::Budget(self.listed(Self::limit)?),
            _ => WorldLine::Cap(self.listed(Self::limit)?),
        })
    }

    fn limit(&mut self) -> Parsed<(Ident, i32)> {
        Ok((self.name("what is limited, as `stack`")?, self.number(TokenKind::Number, "a number")?))
    }

    fn deal(&mut self) -> Parsed<Deal> {
        let start = self.peek().span;
        let any = self.at_word("any") && self.peek_after(1).kind == TokenKind::Number;
        let mut count = 1;
        if any {
            self.bump();
            count = self.number(TokenKind::Number, "a number")?;
            self.word("of")?;
        }
        let expected = "a card in quotes or an archetype";
        let mut options = vec![self.name_or_string(expected)?];
        while any && self.eat_symbol("|") {
            options.push(self.name_or_string(expected)?);
        }
        Ok(Deal { count, options, span: self.since(start) })
    }

    pub(super) fn ghost(&mut self) -> Parsed<Item> {
        let name = self.name("the name of a ghost")?;
        let params = self.params()?;
        self.word("lasts")?;
        let lasts = self.name("`turn` or `object`")?;
        let mut clauses = Vec::new();
        self.braced(&words::CLAUSES, |p| {
            let word = p.peek();
            let clause = p.clause()?;
            if matches!(clause.kind, ClauseKind::Stage(Stage::As, ..)) {
                clauses.push(clause);
            } else {
                let message = format!("`{}` can't stand in a ghost", word.text);
                p.diags.push(Diag::new(Code::L239, word.span, message).help("a ghost has only `as …: set …`"));
            }
            Ok(())
        })?;
        Ok(Item::Ghost(Ghost { name, params, lasts, clauses }))
    }

    pub(super) fn property(&mut self, word: Token) -> Parsed<Item> {
        let kind = match word.text {
            "witness" => PropertyKind::Witness,
            "conjecture" => PropertyKind::Conjecture,
            _ => PropertyKind::Property,
        };
        let name = self.name("the name of a property")?;
        let header = self.header(true)?;
        let (mut says, mut claim) = (Vec::new(), None);
        let errors = self.diags.len();
        self.braced(&words::CLAIMS, |p| {
            if claim.is_some() {
                let failed = p.fail("`}`");
                p.hint("a property claims one thing: join claims with `and`, or write another property");
                return Err(failed);
            }
            if p.at_word("says") {
                says.push(p.says()?);
            } else {
                claim = Some(p.claim()?);
            }
            Ok(())
        })?;
        let span = self.since(word.span);
        let Some(claim) = claim else {
            if self.diags.len() == errors {
                let message = format!("expected a claim in `{}`, found none", name.text);
                let help = "a claim starts with `always`, `whenever`, `possible` or `blind`";
                self.diags.push(Diag::new(Code::L103, name.span, message).help(help));
            }
            return Err(Failed);
        };
        Ok(Item::Property(Property { kind, name, header, says, claim, span }))
    }

    fn claim(&mut self) -> Parsed<Claim> {
        self.mark(Mark::Line);
        let word = self.peek();
        let known = word.kind == TokenKind::Name && words::CLAIMS[1..].contains(&word.text);
        if !known {
            let failed = self.fail_among("a claim", &words::CLAIMS);
            self.hint("a claim starts with `always`, `whenever`, `possible` or `blind`");
            return Err(failed);
        }
        self.bump();
        Ok(match word.text {
            "always" => Claim::Always(self.expr()?),
            "whenever" => {
                let head = self.head()?;
                self.symbol(":")?;
                Claim::Whenever(head, self.expr()?)
            }
            "possible" => Claim::Possible(self.expr()?, self.guard()?),
            _ => {
                let player = self.name("a name for the player")?;
                self.word("to")?;
                let object = self.name("a name for the object")?;
                self.word("when")?;
                let guard = self.expr()?;
                self.symbol(":")?;
                Claim::Blind(player, object, guard, self.names("`offers`")?)
            }
        })
    }

    pub(super) fn ruling(&mut self, start: Span) -> Parsed<Item> {
        let name = self.name("the name of a ruling")?;
        let header = self.header(false)?;
        let (mut says, mut lines) = (Vec::new(), Vec::new());
        self.braced(&words::RULING, |p| {
            if p.at_word("says") {
                says.push(p.says()?);
            } else {
                lines.push(p.ruling_line()?);
            }
            Ok(())
        })?;
        Ok(Item::Ruling(Ruling { name, header, says, lines, span: self.since(start) }))
    }

    fn ruling_line(&mut self) -> Parsed<RulingLine> {
        self.mark(Mark::Line);
        let word = self.peek();
        if self.eat_word("given") {
            self.given()
        } else if self.eat_word("when") {
            let act = self.act()?;
            let paying = if self.eat_word("paying") { Some(self.cost()?) } else { None };
            let choosing = if self.eat_word("choosing") { self.listed(Self::expr)? } else { Vec::new() };
            Ok(RulingLine::When { act, paying, choosing, span: self.since(word.span) })
        } else if self.eat_word("then") {
            Ok(RulingLine::Then(self.listed(Self::expr)?))
        } else {
            let failed = self.fail_among("a line of a ruling or `}`", &words::RULING);
            self.hint("it starts with `given`, `when` or `then`");
            Err(failed)
        }
    }

    fn given(&mut self) -> Parsed<RulingLine> {
        if self.at_word("active") && !self.peek_after(1).is_symbol(":") {
            self.bump();
            return Ok(RulingLine::Active(self.name("a player")?));
        }
        let name = self.name("a name for the card in this ruling")?;
        self.symbol(":")?;
        let card = self.name_or_string("a card in quotes or an archetype")?;
        self.word("in")?;
        let zone = self.name("a zone")?;
        self.word("of")?;
        let player = self.name("a player")?;
        let places = if self.eat_symbol(",") { self.listed(Self::place)? } else { Vec::new() };
        Ok(RulingLine::Given { name, card, zone, player, places })
    }

    fn place(&mut self) -> Parsed<Place> {
        let token = self.peek();
        if token.kind == TokenKind::Number {
            let count = self.number(TokenKind::Number, "a number")?;
            return Ok(Place::Counters(count, self.name("the name of a counter")?));
        }
        if self.eat_word("face_down") {
            self.word("as")?;
            let look = self.name("the name of a profile")?;
            self.word("by")?;
            return Ok(Place::FaceDown(look, self.name("a way, as `manifest` or `effect`")?));
        }
        if self.eat_word("tapped") {
            return Ok(Place::Tapped(token.span));
        }
        if self.eat_word("under") {
            return Ok(Place::Under(self.name("a player")?));
        }
        let words = ["face_down", "tapped", "under"];
        Err(self.fail_among("`face_down as …`, `tapped`, `under …` or counters", &words))
    }

    fn act(&mut self) -> Parsed<RulingAct> {
        if self.peek_after(1).is_word("does") {
            let player = self.name("a player")?;
            self.bump();
            return Ok(RulingAct::Does(player, self.call()?));
        }
        if self.eat_word("do") {
            return Ok(RulingAct::Do(self.call()?));
        }
        if self.eat_word("resolve") {
            return Ok(RulingAct::Resolve);
        }
        Err(self.fail_among("`A does …`, `do …` or `resolve`", &["resolve", "do"]))
    }
}
