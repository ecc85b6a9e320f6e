//! The seed table: of each sentence of the documents that this project rests on, what states it here, or why nothing
//! does. It reads the files as they are written, whatever edition is in force, and runs nothing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::lang::ast::{File, Header, Item, PropertyKind};

/// The first line of a seed list.
const COLUMNS: &str = "id\twords\tclauses\treason";

/// A sentence of a seed document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The document and the place in it, as `000-14`.
    pub id: String,
    /// What it says, in our words.
    pub words: String,
    /// The numbers of the rules that it speaks of.
    pub clauses: Vec<String>,
    /// Why nothing states it; empty: something must.
    pub reason: String,
}

/// The sentences of a seed list: a line of column names, then a line for each, columns parted by tabs.
pub fn sentences(text: &str) -> Result<Vec<Sentence>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    if lines.next().is_none_or(|(_, line)| line != COLUMNS) {
        return Err(format!("the first line is not `{}`, parted by tabs", COLUMNS.replace('\t', " ")));
    }
    let mut list: Vec<Sentence> = Vec::new();
    for (at, line) in lines {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, words, clauses, reason] = columns.as_slice() else {
            return Err(format!("line {at} has {} columns, not 4", columns.len()));
        };
        if !is_id(id) {
            return Err(format!("line {at}: `{id}` is no number of a sentence, as 000-14"));
        }
        if list.iter().any(|s| s.id == *id) {
            return Err(format!("line {at}: {id} is there twice"));
        }
        let (words, reason) = (words.trim(), reason.trim());
        if words.is_empty() {
            return Err(format!("line {at}: {id} has no words"));
        }
        let clauses: Vec<String> = clauses.split(", ").filter(|c| !c.is_empty()).map(str::to_owned).collect();
        if let Some(wrong) = clauses.iter().find(|c| !is_clause(c)) {
            return Err(format!("line {at}: `{wrong}` is no clause, as 708.2b; put `, ` between two"));
        }
        list.push(Sentence { id: (*id).into(), words: words.into(), clauses, reason: reason.into() });
    }
    Ok(list)
}

/// Whether a word is the number of a clause: of a section, or of a rule in it.
fn is_clause(text: &str) -> bool {
    let (section, rule) = text.split_once('.').unwrap_or((text, "1"));
    let number = rule.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    section.len() == 3 && digits(section) && digits(number) && rule.len() <= number.len() + 1
}

/// Whether a source is the number of a sentence, and not the name of a case.
fn is_id(text: &str) -> bool {
    let digits = |s: &str, n: usize| s.len() == n && s.bytes().all(|b| b.is_ascii_digit());
    text.split_once('-').is_some_and(|(document, place)| digits(document, 3) && digits(place, 2))
}

/// What rests on sentences, by sentence, and rules by the numbers that they cite.
#[derive(Default)]
struct Found {
    rules: BTreeMap<String, Vec<String>>,
    citing: BTreeMap<String, Vec<String>>,
    claims: BTreeMap<String, Vec<String>>,
    unknown: Vec<String>,
}

impl Found {
    fn rule(&mut self, name: &str, header: &Header) {
        for from in header.from.iter().filter(|f| is_id(&f.text)) {
            self.rules.entry(from.text.clone()).or_default().push(name.to_owned());
        }
        for cite in &header.cites {
            self.citing.entry(cite.text.clone()).or_default().push(name.to_owned());
        }
    }

    fn claim(&mut self, kind: &str, name: &str, header: &Header) {
        for from in header.from.iter().filter(|f| is_id(&f.text)) {
            self.claims.entry(from.text.clone()).or_default().push(format!("{kind} {name}"));
        }
    }

    fn of(files: &[File], sentences: &[Sentence]) -> Found {
        let mut found = Found::default();
        for item in files.iter().flat_map(|f| &f.items) {
            let (name, header) = match item {
                Item::Rule(r) => (&r.name, &r.header),
                Item::Keyword(k) => match k.names.first() {
                    Some(name) => (name, &k.header),
                    None => continue,
                },
                Item::Property(p) => (&p.name, &p.header),
                Item::Ruling(r) => (&r.name, &r.header),
                Item::Card(_)
                | Item::Reading(_)
                | Item::Editions(_)
                | Item::Subtypes(_)
                | Item::Counters(_)
                | Item::World(_)
                | Item::Ghost(_) => continue,
            };
            match item {
                Item::Property(p) => found.claim(kind(p.kind), &name.text, header),
                Item::Ruling(_) => found.claim("ruling", &name.text, header),
                _ => found.rule(&name.text, header),
            }
            let there = |id: &str| sentences.iter().any(|s| s.id == id);
            let unknown = header.from.iter().filter(|f| is_id(&f.text) && !there(&f.text));
            found.unknown.extend(unknown.map(|f| format!("{} is from {}, which is no sentence", name.text, f.text)));
        }
        found
    }
}

fn kind(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Property => "property",
        PropertyKind::Witness => "witness",
        PropertyKind::Conjecture => "conjecture",
    }
}

/// The order in which kinds of claim are told.
const KINDS: [&str; 4] = ["property", "witness", "conjecture", "ruling"];

/// The table, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The table, in Markdown.
    pub text: String,
    /// Sentences that nothing states and that have no reason, or that have both; sources that are no sentence.
    pub faults: Vec<String>,
    /// How many sentences are stated, have a reason, or are open.
    pub counts: Counts,
}

/// How many sentences of a seed list are stated, or why not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Stated by a property, witness, conjecture or ruling.
    pub stated: usize,
    /// With a reason why nothing states them.
    pub excused: usize,
    /// With neither, or with both.
    pub open: usize,
}

/// Compares the sentences with what a model says that it takes from them.
pub fn table(files: &[File], sentences: &[Sentence]) -> Table {
    let found = Found::of(files, sentences);
    let mut faults = found.unknown.clone();
    let mut rows = String::new();
    let (mut stated, mut excused) = (0, 0);
    for s in sentences {
        let mut claims = found.claims.get(&s.id).cloned().unwrap_or_default();
        claims.sort_by_key(|c| (KINDS.iter().position(|k| c.starts_with(k)), c.clone()));
        claims.dedup();
        match (claims.is_empty(), s.reason.is_empty()) {
            (true, true) => faults.push(format!("nothing states {} ({}), and there is no reason", s.id, s.words)),
            (false, false) => faults.push(format!("{} has a reason and is stated by {}", s.id, claims.join(", "))),
            (false, true) => stated += 1,
            (true, false) => excused += 1,
        }
        let reason = if s.reason.is_empty() { None } else { Some(format!("*none: {}*", s.reason)) };
        let cells = [
            s.id.clone(),
            s.words.clone(),
            s.clauses.join(", "),
            rules(&found, s).join(", "),
            claims.into_iter().chain(reason).collect::<Vec<_>>().join(", "),
        ];
        rows.push_str(&format!("| {} |\n", cells.map(|c| c.replace('|', "\\|")).join(" | ")));
    }
    faults.sort();
    let open = sentences.len() - stated - excused;
    let text = format!(
        "# The sentences of the seed documents\n\n\
         Written by `facedown coverage --seeds`; `properties/seeds.tsv` has the sentences, and the reason where nothing\n\
         states one. A rule stands here if it names the sentence or cites one of its numbers.\n\n\
         {} sentences: {stated} stated by a property, witness, conjecture or ruling, {excused} with a reason, {open} open.\n\n\
         | sentence | in our words | numbers | rules | stated by |\n| --- | --- | --- | --- | --- |\n{rows}",
        sentences.len()
    );
    Table { text, faults, counts: Counts { stated, excused, open } }
}

/// The rules that name a sentence or cite one of its numbers, each once, sorted.
fn rules(found: &Found, s: &Sentence) -> Vec<String> {
    let named = found.rules.get(&s.id);
    let citing = s.clauses.iter().filter_map(|c| found.citing.get(c));
    let mut list: Vec<String> = named.into_iter().chain(citing).flatten().cloned().collect();
    list.sort();
    list.dedup();
    list
}
