//! How each item of a model is worded: a checksum of its tokens without comments, spaces and `says` sentences, so that
//! an item that was reworded is told apart from one that was laid out anew. It knows where items stand, not what they
//! mean. The checksums find mistakes; they are too short to stop somebody who wants two wordings to have one.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::lang::ast::{Ident, Item, PropertyKind, Span};
use crate::lang::lex::{self, Token, TokenKind};
use crate::lang::parse;
use crate::lang::source::Sources;

/// An item as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// `rule`, `keyword`, `card`, `archetype`, `reading`, `world`, `ghost`, `property`, `witness`, `conjecture`,
    /// `ruling`, `edition`, `subtype`, `counter`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The checksum of its wording.
    pub hash: String,
    /// Where its name stands.
    pub named: Span,
    /// The whole, from its first word to its last.
    pub whole: Span,
}

/// Every item of the files, in force or not, in order of files and places.
pub fn written(sources: &Sources) -> Vec<Written> {
    let mut out = Vec::new();
    for (file, source) in sources.files.iter().enumerate() {
        let Ok(file) = u16::try_from(file) else { break };
        let (parsed, _) = parse::parse(file, &source.text);
        let (tokens, _) = lex::lex(file, &source.text);
        let tokens: Vec<Token> =
            tokens.into_iter().filter(|t| !matches!(t.kind, TokenKind::Comment | TokenKind::End)).collect();
        let heads: Vec<(&'static str, Vec<(String, Span)>)> = parsed.items.iter().map(head).collect();
        // An item begins with the word before its first name.
        let begins = |(_, names): &(&str, Vec<(String, Span)>)| {
            let first = names.first().map_or(0, |(_, span)| span.start);
            tokens.partition_point(|t| t.span.start < first).saturating_sub(1)
        };
        let starts: Vec<usize> = heads.iter().map(begins).collect();
        for (at, (kind, names)) in heads.iter().enumerate() {
            let end = starts.get(at + 1).copied().unwrap_or(tokens.len());
            let Some(body) = tokens.get(starts[at]..end).filter(|body| !body.is_empty()) else { continue };
            let whole = Span { end: body[body.len() - 1].span.end, ..body[0].span };
            let list = names.len() > 1 || matches!(*kind, "edition" | "subtype" | "counter");
            for (name, named) in names {
                // In a list each name is worded by itself: by what stands before the next comma.
                let hash = if list { checksum(element(body, *named)) } else { checksum(without_says(body)) };
                out.push(Written { kind, name: name.clone(), hash, named: *named, whole });
            }
        }
    }
    out
}

/// The checksum of every item by kind and name; where several (of other editions) share a name, of all of them.
pub fn checksums(written: &[Written]) -> BTreeMap<(&'static str, &str), String> {
    let mut all: BTreeMap<(&'static str, &str), Vec<&str>> = BTreeMap::new();
    for item in written {
        all.entry((item.kind, &item.name)).or_default().push(&item.hash);
    }
    let one = |mut hashes: Vec<&str>| {
        hashes.sort_unstable();
        if let [only] = hashes.as_slice() { (*only).to_owned() } else { checksum(hashes) }
    };
    all.into_iter().map(|(key, hashes)| (key, one(hashes))).collect()
}

/// Sixteen hexadecimal digits of the SHA-256 of some words.
pub fn checksum<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for word in words {
        hasher.update(word.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The kind of an item and its names.
fn head(item: &Item) -> (&'static str, Vec<(String, Span)>) {
    let one = |name: &Ident| vec![(name.text.clone(), name.span)];
    match item {
        Item::Rule(rule) => ("rule", one(&rule.name)),
        Item::Keyword(keyword) => ("keyword", keyword.names.iter().flat_map(one).collect()),
        Item::Card(card) => (if card.archetype { "archetype" } else { "card" }, one(&card.name)),
        Item::Reading(reading) => ("reading", one(&reading.name)),
        Item::Editions(days) => ("edition", days.iter().map(|(day, span)| (super::model::day(*day), *span)).collect()),
        Item::Subtypes(names) => ("subtype", names.iter().flat_map(one).collect()),
        Item::Counters(counters) => ("counter", counters.iter().flat_map(|(name, _)| one(name)).collect()),
        Item::World(world) => ("world", one(&world.name)),
        Item::Ghost(ghost) => ("ghost", one(&ghost.name)),
        Item::Property(property) => (property_kind(property.kind), one(&property.name)),
        Item::Ruling(ruling) => ("ruling", one(&ruling.name)),
    }
}

/// The word that opens an item of this kind.
pub fn property_kind(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Property => "property",
        PropertyKind::Witness => "witness",
        PropertyKind::Conjecture => "conjecture",
    }
}

fn element<'a>(body: &'a [Token], named: Span) -> impl Iterator<Item = &'a str> {
    body.iter().skip_while(move |t| t.span.start < named.start).take_while(|t| !t.is_symbol(",")).map(|t| t.text)
}

/// The tokens without `says en "…"`.
fn without_says<'a>(body: &'a [Token]) -> Vec<&'a str> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        match rest {
            [says, language, sentence, more @ ..]
                if says.is_word("says") && language.kind == TokenKind::Name && sentence.kind == TokenKind::Str =>
            {
                rest = more;
            }
            [token, more @ ..] => {
                out.push(token.text);
                rest = more;
            }
            [] => return out,
        }
    }
}
