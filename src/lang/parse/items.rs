//! Items of the law: rules, keywords, cards, readings and lists of words, with their headers.

use super::super::ast::{Card, CardBody, Date, Face, File, Header, Item, Keyword, Reading, Rule, Says, Span};
use super::super::diag::{Code, Diag};
use super::super::lex::{self, TokenKind};
use super::words;
use super::{Mark, Parsed, Parser};

impl Parser<'_> {
    /// The whole file.
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        while !self.at_end() {
            let before = self.at;
            self.mark(Mark::Line);
            match self.item() {
                Ok(item) => file.items.push(item),
                Err(_) => self.skip_to_item(before),
            }
        }
        file
    }

    fn item(&mut self) -> Parsed<Item> {
        let word = self.peek();
        let known = word.kind == TokenKind::Name && words::ITEMS.contains(&word.text);
        if !known {
            let failed = self.fail_among("an item", &words::ITEMS);
            if words::CLAUSES.contains(&word.text) {
                self.hint("a clause stands inside `rule NAME { … }`");
            } else if !word.is_symbol("}") {
                self.hint("an item starts with `rule`, `keyword`, `card`, `world`, `property`, `ruling` or the like");
            }
            return Err(failed);
        }
        self.bump();
        match word.text {
            "rule" => self.rule(word.span),
            "keyword" => self.keyword(word.span),
            "card" => self.card(false),
            "archetype" => self.card(true),
            "reading" => self.reading(),
            "edition" => Ok(Item::Editions(self.listed(Self::date)?)),
            "subtype" => Ok(Item::Subtypes(self.names("a subtype")?)),
            "counter" => Ok(Item::Counters(self.listed(|p| {
                let name = p.name("the name of a counter")?;
                let sized = p.peek().kind == TokenKind::Signed;
                let size = if sized { Some(p.signed_size()?) } else { None };
                Ok((name, size.map(|(power, toughness, _)| (power, toughness))))
            })?)),
            "world" => self.world(),
            "ghost" => self.ghost(),
            "ruling" => self.ruling(word.span),
            _ => self.property(word),
        }
    }

    /// Skips to the next item that starts a line outside of all braces, or at the start of a line.
    fn skip_to_item(&mut self, before: usize) {
        while !self.at_end() {
            let outside = self.open == 0 && self.at_item() && self.starts_line();
            if self.at > before && (outside || self.at_outer_item()) {
                break;
            }
            self.bump();
        }
        self.open = 0;
    }

    fn rule(&mut self, start: Span) -> Parsed<Item> {
        let name = self.name("the name of a rule")?;
        let header = self.header(false)?;
        let (mut says, mut clauses) = (Vec::new(), Vec::new());
        self.braced(&words::CLAUSES, |p| {
            if p.at_word("says") {
                says.push(p.says()?);
            } else {
                clauses.push(p.clause()?);
            }
            Ok(())
        })?;
        Ok(Item::Rule(Rule { name, header, says, clauses, span: self.since(start) }))
    }

    fn keyword(&mut self, start: Span) -> Parsed<Item> {
        let names = self.names("the name of a keyword")?;
        let mut keyword = Keyword {
            names,
            param: None,
            header: Header::default(),
            says: Vec::new(),
            clauses: Vec::new(),
            span: self.since(start),
        };
        if keyword.names.len() > 1 {
            if self.at_symbol("{") || self.at_symbol("(") {
                let failed = self.fail("an item");
                self.hint("a list of keywords has no body: declare this keyword alone");
                return Err(failed);
            }
            return Ok(Item::Keyword(keyword));
        }
        if self.eat_symbol("(") {
            keyword.param = Some(self.name("a name for the cost")?);
            self.symbol(":")?;
            self.word("Cost")?;
            self.symbol(")")?;
        }
        keyword.header = self.header(false)?;
        if self.at_symbol("{") {
            self.braced(&words::CLAUSES, |p| {
                if p.at_word("says") {
                    keyword.says.push(p.says()?);
                } else {
                    keyword.clauses.push(p.clause()?);
                }
                Ok(())
            })?;
        }
        keyword.span = self.since(start);
        Ok(Item::Keyword(keyword))
    }

    fn card(&mut self, archetype: bool) -> Parsed<Item> {
        let name = if archetype {
            self.name("the name of an archetype")?
        } else {
            self.string("the name of a card in quotes")?
        };
        if self.eat_word("like") {
            let body = CardBody::Like(self.name("the name of an archetype")?);
            return Ok(Item::Card(Card { name, archetype, body }));
        }
        if !self.eat_symbol(":") {
            return Err(self.fail_among("`:` or `like`", &["like"]));
        }
        let front = self.face()?;
        let back = if self.eat_word("back") { Some(self.face()?) } else { None };
        Ok(Item::Card(Card { name, archetype, body: CardBody::Faces { front, back } }))
    }

    fn face(&mut self) -> Parsed<Face> {
        let look = self.look()?;
        let clauses = if self.at_symbol("{") { self.abilities()? } else { Vec::new() };
        Ok(Face { look, clauses })
    }

    fn reading(&mut self) -> Parsed<Item> {
        let name = self.name("the name of a reading")?;
        let mut values = Vec::new();
        self.braced(&[], |p| {
            p.mark(Mark::Line);
            let value = p.name("a value of the reading")?;
            let meaning = p.string("what the value means, in quotes")?;
            values.push((value, meaning, p.eat_word("default")));
            Ok(())
        })?;
        Ok(Item::Reading(Reading { name, values }))
    }

    /// `says en "…"`
    pub(super) fn says(&mut self) -> Parsed<Says> {
        self.mark(Mark::Line);
        self.word("says")?;
        Ok(Says { language: self.name("a language, as `en`")?, text: self.string("a sentence in quotes")? })
    }

    fn date(&mut self) -> Parsed<(Date, Span)> {
        let token = self.kind(TokenKind::Date, "a date, as 2026-08-07")?;
        // The lexer has told of a day that the calendar lacks.
        Ok((lex::date(token.text).unwrap_or(Date { year: 0, month: 1, day: 1 }), token.span))
    }

    /// Citations, dates, readings, sources and, for a property, worlds: up to the `{`. A part that can't be read is
    /// told and skipped, so that the body is still looked at.
    pub(super) fn header(&mut self, worlds: bool) -> Parsed<Header> {
        let mut header = Header::default();
        loop {
            let word = self.peek();
            let known = self.at_word_of(&words::HEADER) || worlds && self.at_word("in");
            if self.at_symbol("{") || self.at_end() || !known && (self.at_item() || self.starts_line()) {
                return Ok(header);
            }
            let failed = if known {
                self.bump();
                self.header_part(word.text, &mut header).is_err()
            } else {
                self.fail_among("`{`", &words::HEADER);
                self.bump();
                true
            };
            while failed
                && !self.at_end()
                && !self.at_symbol("{")
                && !self.at_item()
                && !self.at_word_of(&words::HEADER)
            {
                self.bump();
            }
        }
    }

    /// Tells of a part of a header that stands there twice.
    fn once(&mut self, again: bool, word: &str, span: Span) {
        if again {
            self.diags
                .push(Diag::new(Code::L202, span, format!("`{word}` stands here twice")).help("keep one of them"));
        }
    }

    fn header_part(&mut self, word: &str, header: &mut Header) -> Parsed<()> {
        match word {
            "cites" => header.cites.extend(self.listed(|p| {
                let token = p.kind(TokenKind::Cite, "the number of a rule, as 708.2b")?;
                Ok(super::Ident { text: token.text.to_owned(), span: token.span })
            })?),
            "since" => {
                let since = self.date()?;
                self.once(header.since.replace(since).is_some(), word, since.1);
            }
            "until" => {
                let until = self.date()?;
                self.once(header.until.replace(until).is_some(), word, until.1);
            }
            "under" => {
                let reading = self.name("the name of a reading")?;
                self.word("is")?;
                header.under.push((reading, self.name("a value of the reading")?));
            }
            "from" => header.from.extend(self.listed(|p| p.string("a source in quotes"))?),
            _ => header.worlds.extend(self.names("the name of a world")?),
        }
        Ok(())
    }
}
