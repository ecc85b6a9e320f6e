//! Mutants of the law: small edits of the text of one rule, each of which a rule book must not survive. It makes texts,
//! by the grammar alone; whether one is still a program, and what becomes of its verdicts, others find out.

mod clauses;
mod walk;

use std::collections::BTreeSet;

use super::ast::{Clause, ClauseKind, File, Ident, Item, Span, WorldLine};
use super::lex::{self, Token, TokenKind};
use super::source::Sources;

/// What an edit does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Kind {
    /// A rule, a keyword or a clause of one is not there.
    Deleted,
    /// A conjunct, or the only condition, is not asked.
    ConjunctDropped,
    /// A guard, a condition or a define that is yes or no says the opposite.
    Negated,
    /// What an `instead` does in the place of the event is nothing.
    WithoutEffect,
    /// Another view is asked.
    ViewChanged,
    /// A view has a layer less.
    LayerDropped,
    /// What is paid is not, or a part of it is not.
    CostDropped,
    /// Another profile is named, or what one lists is changed.
    ProfileChanged,
    /// `before` stands for `as`, or the other way round.
    StageExchanged,
    /// An event is no longer looked back from.
    LookBackDropped,
    /// A statement of a body is not done.
    StatementDropped,
    /// One of several patterns of a head is not there.
    PatternDropped,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 12] = [
        Kind::Deleted,
        Kind::ConjunctDropped,
        Kind::Negated,
        Kind::WithoutEffect,
        Kind::ViewChanged,
        Kind::LayerDropped,
        Kind::CostDropped,
        Kind::ProfileChanged,
        Kind::StageExchanged,
        Kind::LookBackDropped,
        Kind::StatementDropped,
        Kind::PatternDropped,
    ];

    /// The words of reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Deleted => "deleted",
            Kind::ConjunctDropped => "conjunct dropped",
            Kind::Negated => "guard negated",
            Kind::WithoutEffect => "instead without its effect",
            Kind::ViewChanged => "view changed",
            Kind::LayerDropped => "layer dropped",
            Kind::CostDropped => "cost dropped",
            Kind::ProfileChanged => "profile changed",
            Kind::StageExchanged => "before and as exchanged",
            Kind::LookBackDropped => "look_back dropped",
            Kind::StatementDropped => "statement dropped",
            Kind::PatternDropped => "pattern dropped",
        }
    }
}

/// An edit of one file: this stretch of it becomes this text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

impl Edit {
    /// The whole file, edited.
    pub fn apply(&self, text: &str) -> String {
        let (start, end) = (self.span.start as usize, self.span.end as usize);
        let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
        [part(0..start), &self.text, part(end..text.len())].concat()
    }
}

/// A mutant of a rule or keyword.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// Its name: the rule, the number of the clause, and what was done; it holds no line number.
    pub name: String,
    /// The rule or keyword.
    pub owner: String,
    /// Where the name of that stands.
    pub owner_span: Span,
    /// Its clause; none: all of them.
    pub clause: Option<Span>,
    /// What was done.
    pub kind: Kind,
    /// The edit.
    pub edit: Edit,
}

/// Names that an occurrence can be changed for.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Views, sorted.
    pub views: Vec<String>,
    /// Profiles, sorted.
    pub profiles: Vec<String>,
}

impl Words {
    /// The names that the rules and keywords declare which `counts` lets pass, by the place of their owner's name.
    pub fn of(files: &[File], counts: impl Fn(Span) -> bool) -> Words {
        let mut words = Words::default();
        for clause in owners(files).into_iter().filter(|o| counts(o.name)).flat_map(|o| o.clauses) {
            match &clause.kind {
                ClauseKind::View(name, _) => words.views.push(name.text.clone()),
                ClauseKind::Profile(name, _) => words.profiles.push(name.text.clone()),
                _ => {}
            }
        }
        for list in [&mut words.views, &mut words.profiles] {
            list.sort();
            list.dedup();
        }
        words
    }
}

/// A rule or keyword of the files.
struct Owner<'a> {
    text: &'a str,
    name: Span,
    span: Span,
    clauses: &'a [Clause],
    /// Names of the same list, if it is one of a list of keywords.
    list: Vec<Span>,
}

fn owners(files: &[File]) -> Vec<Owner<'_>> {
    let mut list = Vec::new();
    for item in files.iter().flat_map(|f| &f.items) {
        match item {
            Item::Rule(r) => list.push(Owner {
                text: &r.name.text,
                name: r.name.span,
                span: r.span,
                clauses: &r.clauses,
                list: Vec::new(),
            }),
            Item::Keyword(k) => list.extend(k.names.iter().map(|name| Owner {
                text: &name.text,
                name: name.span,
                span: k.span,
                clauses: &k.clauses,
                list: k.names.iter().map(|n| n.span).collect(),
            })),
            _ => {}
        }
    }
    list
}

/// Rules that are no law but tools of the worlds: each of their clauses is a procedure that a world allows.
pub fn tools(files: &[File]) -> BTreeSet<String> {
    let items = files.iter().flat_map(|f| &f.items);
    let lines = items.filter_map(|i| if let Item::World(w) = i { Some(&w.lines) } else { None }).flatten();
    let allowed = lines.filter_map(|line| if let WorldLine::Allow(names, _) = line { Some(names) } else { None });
    let allowed: BTreeSet<&str> = allowed.flatten().map(|name| name.text.as_str()).collect();
    let tool = |c: &Clause| matches!(&c.kind, ClauseKind::Procedure(n, ..) if allowed.contains(n.text.as_str()));
    let tools = owners(files).into_iter().filter(|o| !o.clauses.is_empty() && o.clauses.iter().all(tool));
    tools.map(|o| o.text.to_owned()).collect()
}

/// The ending of the files that hold the law; what the rules of other files say is part of cards.
const LAW: &str = ".rules";

/// All mutants of the rules and keywords that `counts` lets pass, by the place of their names, in the files of the law;
/// sorted by name; tools have none. With `bodies` also those of single statements and of conditions that only a body asks.
pub fn mutants(sources: &Sources, files: &[File], bodies: bool, counts: impl Fn(Span) -> bool) -> Vec<Mutant> {
    let words = Words::of(files, &counts);
    let tools = tools(files);
    let mut list = Vec::new();
    for (at, (source, file)) in sources.files.iter().zip(files).enumerate() {
        let owners = owners(std::slice::from_ref(file));
        if !source.path.ends_with(LAW) || !owners.iter().any(|o| counts(o.name)) {
            continue;
        }
        let (tokens, _) = lex::lex(u16::try_from(at).unwrap_or(u16::MAX), &source.text);
        for owner in owners.into_iter().filter(|o| counts(o.name) && !tools.contains(o.text)) {
            let (text, tokens, words, owner) = (&source.text, &tokens, &words, &owner);
            Maker { text, tokens, words, owner, bodies, list: &mut list }.owner();
        }
    }
    list.sort_by(|a, b| (&a.name, a.edit.span).cmp(&(&b.name, b.edit.span)));
    list
}

/// A world with one budget or cap more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raised {
    /// Its name: `tiny/budget-tokens`.
    pub name: String,
    /// The world.
    pub world: String,
    /// What is raised, as it is written: `budget tokens 1`.
    pub what: String,
    /// The edit.
    pub edit: Edit,
}

/// Every budget and every cap that a world writes, each raised by one; sorted by name.
pub fn raised(sources: &Sources, files: &[File]) -> Vec<Raised> {
    let mut list = Vec::new();
    for (at, (source, file)) in sources.files.iter().zip(files).enumerate() {
        let worlds = file.items.iter().filter_map(|i| if let Item::World(w) = i { Some(w) } else { None });
        let lines: Vec<_> = worlds.flat_map(|w| w.lines.iter().map(|line| (&w.name.text, line))).collect();
        let (tokens, _) = lex::lex(u16::try_from(at).unwrap_or(u16::MAX), &source.text);
        for (world, line) in lines {
            if let WorldLine::Mana(Some((number, span))) = line {
                list.push(Raised {
                    name: format!("{world}/budget-mana"),
                    world: world.clone(),
                    what: format!("mana {number}"),
                    edit: Edit { span: *span, text: (number + 1).to_string() },
                });
            }
            let (word, numbers): (_, &[(Ident, i32)]) = match line {
                WorldLine::Budget(numbers) => ("budget", numbers),
                WorldLine::Cap(numbers) => ("cap", numbers),
                _ => continue,
            };
            for (of, number) in numbers {
                let next = tokens.partition_point(|t| t.span.start < of.span.end);
                let Some(token) = tokens.get(next).filter(|t| t.kind == TokenKind::Number) else { continue };
                list.push(Raised {
                    name: format!("{world}/{word}-{}", of.text),
                    world: world.clone(),
                    what: format!("{word} {} {number}", of.text),
                    edit: Edit { span: token.span, text: (number + 1).to_string() },
                });
            }
        }
    }
    list.sort_by(|a, b| (&a.name, a.edit.span).cmp(&(&b.name, b.edit.span)));
    list
}

/// Makes the mutants of one owner.
struct Maker<'a> {
    text: &'a str,
    tokens: &'a [Token<'a>],
    words: &'a Words,
    owner: &'a Owner<'a>,
    /// Whether what only bodies hold is edited too.
    bodies: bool,
    list: &'a mut Vec<Mutant>,
}

impl Maker<'_> {
    fn owner(&mut self) {
        let owner = self.owner;
        self.push(None, Kind::Deleted, "deleted", self.without_owner(), "");
        for (at, clause) in owner.clauses.iter().enumerate() {
            self.clause(at + 1, clause);
        }
    }

    /// The stretch that goes with an owner: all of it, or of a list of keywords one name and a comma.
    fn without_owner(&self) -> Span {
        let Some(at) = self.owner.list.iter().position(|n| *n == self.owner.name) else { return self.owner.span };
        match (self.owner.list.get(at + 1), at.checked_sub(1).and_then(|i| self.owner.list.get(i))) {
            (Some(next), _) => Span { end: next.start, ..self.owner.name },
            (None, Some(last)) => Span { start: last.end, ..self.owner.name },
            (None, None) => self.owner.span,
        }
    }

    /// Adds one: `clause` is its number and stretch.
    fn push(&mut self, clause: Option<(usize, Span)>, kind: Kind, what: &str, span: Span, text: &str) {
        let owner = self.owner.text;
        let name = match clause {
            Some((number, _)) => format!("{owner}/{number}/{what}"),
            None => format!("{owner}/{what}"),
        };
        self.list.push(Mutant {
            name,
            owner: owner.to_owned(),
            owner_span: self.owner.name,
            clause: clause.map(|(_, span)| span),
            kind,
            edit: Edit { span, text: text.to_owned() },
        });
    }

    /// The text of a stretch.
    fn text(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The word right before a place, if it is this one.
    fn word_before(&self, at: u32, word: &str) -> Option<Span> {
        let next = self.tokens.partition_point(|t| t.span.start < at);
        let token = self.tokens.get(next.checked_sub(1)?)?;
        token.is_word(word).then_some(token.span)
    }
}
