//! The items of files as they are written: their kind, their name, and the tokens that mean something. Spaces and comments
//! are gone, and so is what only describes: sentences, citations, sources, dates and readings (which decide whether an item
//! is in force, not what it says). Two items of equal tokens are one and the same law.

use super::ast::{File, Ident, Item, PropertyKind, Span};
use super::lex::{self, Token, TokenKind};
use super::source::Sources;

/// An item as it is written.
#[derive(Clone, Debug)]
pub struct Written<'a> {
    /// `rule`, `keyword`, `card`, `archetype`, `ghost`, `world`, `property`, `witness`, `conjecture`, `ruling`, `subtype`,
    /// `counter`, `reading`, `edition`.
    pub kind: &'static str,
    /// Its name; of a list of editions, nothing.
    pub name: &'a str,
    /// Where its name stands.
    pub named: Span,
    /// From its first word to its name.
    pub head: Span,
    /// What it says.
    pub tokens: Vec<Token<'a>>,
    /// The same with what only describes it.
    pub described: Vec<Token<'a>>,
}

impl Written<'_> {
    /// Whether two items say the same.
    pub fn says_what(&self, other: &Written) -> bool {
        same(&self.tokens, &other.tokens)
    }
    /// Whether they do so in the same words.
    pub fn is_worded_as(&self, other: &Written) -> bool {
        same(&self.described, &other.described)
    }
}

fn same(a: &[Token], b: &[Token]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.text == b.text)
}

/// Where two items first differ: the place in each, or the end of the one that is shorter.
pub fn first_difference(a: &Written, b: &Written) -> Option<(Span, Span)> {
    let at = a.tokens.iter().zip(&b.tokens).position(|(x, y)| x.text != y.text);
    let at = at.unwrap_or_else(|| a.tokens.len().min(b.tokens.len()));
    let place = |tokens: &[Token]| tokens.get(at).or(tokens.last()).map(|t| t.span);
    Some((place(&a.tokens)?, place(&b.tokens)?))
}

/// The tokens of a stretch of a file, with one space between: equal for texts that say the same.
pub fn text_of(sources: &Sources, span: Span) -> String {
    let text = sources.files.get(usize::from(span.file)).map_or("", |f| f.text.as_str());
    let part = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let (tokens, _) = lex::lex(span.file, part);
    let words = tokens.iter().filter(|t| t.kind != TokenKind::Comment).map(|t| t.text);
    words.collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// All items of all files, in the order in which they stand; the trees are of these sources.
pub fn written<'a>(sources: &'a Sources, files: &'a [File]) -> Vec<Written<'a>> {
    let mut list = Vec::new();
    for (n, (source, file)) in (0u16..).zip(sources.files.iter().zip(files)) {
        let (tokens, _) = lex::lex(n, &source.text);
        let tokens: Vec<Token> =
            tokens.into_iter().filter(|t| !matches!(t.kind, TokenKind::Comment | TokenKind::End)).collect();
        let find = |span: Span| tokens.partition_point(|t| t.span.start < span.start);
        let starts: Vec<usize> = file.items.iter().map(|i| find(anchor(i)).saturating_sub(1)).collect();
        for (at, item) in file.items.iter().enumerate() {
            let end = starts.get(at + 1).copied().unwrap_or(tokens.len());
            let Some(all) = tokens.get(starts[at]..end) else { continue };
            item_of(item, all, &mut list);
        }
    }
    list
}

/// The token behind the first word of an item.
fn anchor(item: &Item) -> Span {
    let first = |list: &[Ident]| list.first().map_or(Span::default(), |n| n.span);
    match item {
        Item::Rule(r) => r.name.span,
        Item::Keyword(k) => first(&k.names),
        Item::Card(c) => c.name.span,
        Item::Reading(r) => r.name.span,
        Item::Editions(e) => e.first().map_or(Span::default(), |e| e.1),
        Item::Subtypes(list) => first(list),
        Item::Counters(list) => list.first().map_or(Span::default(), |c| c.0.span),
        Item::World(w) => w.name.span,
        Item::Ghost(g) => g.name.span,
        Item::Property(p) => p.name.span,
        Item::Ruling(r) => r.name.span,
    }
}

fn item_of<'a>(item: &'a Item, all: &[Token<'a>], list: &mut Vec<Written<'a>>) {
    let Some(first) = all.first() else { return };
    let mut add = |kind: &'static str, name: &'a Ident, described: Vec<Token<'a>>| {
        let tokens = without_description(kind, &described);
        list.push(Written {
            kind,
            name: &name.text,
            named: name.span,
            head: first.span.to(name.span),
            tokens,
            described,
        });
    };
    match item {
        Item::Rule(r) => add("rule", &r.name, all.to_vec()),
        // Each name of a list is an item of its own: what stands after the names belongs to each.
        Item::Keyword(k) => {
            let last = k.names.last().map_or(first.span, |n| n.span);
            for name in &k.names {
                let tail = all.iter().filter(|t| t.span == name.span || t.span.start > last.start).copied();
                add("keyword", name, std::iter::once(*first).chain(tail).collect());
            }
        }
        Item::Card(c) => add(if c.archetype { "archetype" } else { "card" }, &c.name, all.to_vec()),
        Item::Reading(r) => add("reading", &r.name, all.to_vec()),
        Item::Editions(_) => list.push(Written {
            kind: "edition",
            name: "",
            named: first.span,
            head: first.span,
            tokens: all.to_vec(),
            described: all.to_vec(),
        }),
        Item::Subtypes(names) => {
            for name in names {
                add("subtype", name, all.iter().filter(|t| t.span == name.span).copied().collect());
            }
        }
        Item::Counters(counters) => {
            for (name, _) in counters {
                let from = all.iter().skip_while(|t| t.span != name.span);
                add("counter", name, from.take_while(|t| !t.is_symbol(",")).copied().collect());
            }
        }
        Item::World(w) => add("world", &w.name, all.to_vec()),
        Item::Ghost(g) => add("ghost", &g.name, all.to_vec()),
        Item::Property(p) => {
            let kind = match p.kind {
                PropertyKind::Property => "property",
                PropertyKind::Witness => "witness",
                PropertyKind::Conjecture => "conjecture",
            };
            add(kind, &p.name, all.to_vec());
        }
        Item::Ruling(r) => add("ruling", &r.name, all.to_vec()),
    }
}

/// Leaves out sentences, citations, sources, dates, readings and the title of a world.
fn without_description<'a>(kind: &str, tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut in_header = true;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        in_header &= !token.is_symbol("{");
        let after = |n: usize| tokens.get(at + n).map(|t| t.kind);
        let listed = |kind: TokenKind| {
            let rest = tokens[at + 1..].iter();
            1 + rest.take_while(|t| t.kind == kind || t.is_symbol(",")).count()
        };
        let skip = match token.text {
            "says" if after(1) == Some(TokenKind::Name) && after(2) == Some(TokenKind::Str) => 3,
            "cites" if in_header && after(1) == Some(TokenKind::Cite) => listed(TokenKind::Cite),
            "from" if in_header && after(1) == Some(TokenKind::Str) => listed(TokenKind::Str),
            "since" | "until" if in_header && after(1) == Some(TokenKind::Date) => 2,
            "under" if in_header && tokens.get(at + 2).is_some_and(|t| t.is_word("is")) => 4,
            _ if kind == "world" && in_header && token.kind == TokenKind::Str => 1,
            _ => 0,
        };
        if skip == 0 {
            kept.push(*token);
            at += 1;
        } else {
            at += skip;
        }
    }
    kept
}
