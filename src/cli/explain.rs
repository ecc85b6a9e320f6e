//! `facedown explain`: what a name of the model, a citation or an error code means. It reads the files as they are
//! written, whatever edition is in force, so it also helps with a model that does not check.

use super::args::Explain;
use super::io::{Failure, Io};
use super::load::{self, Loaded};
use super::worlds::{folders, nearest};
use crate::judge::verdict::STATUS_OK;
use crate::lang::ast::{Clause, ClauseKind, Header, Ident, Item, PropertyKind, Says, Span};
use crate::lang::diag::Code;
use crate::lang::source::Sources;
use crate::report::model::{day, place};

pub(super) fn run(args: &Explain, io: &mut Io) -> Result<u8, Failure> {
    let subject = args.subject.trim();
    if let Some(code) = Code::ALL.iter().find(|c| c.as_str().eq_ignore_ascii_case(subject)) {
        io.print(&format!("{}: {}\n", code.as_str(), code.meaning()))?;
        return Ok(STATUS_OK);
    }
    let loaded = load::folders(&folders(args.model.as_deref(), args.properties.as_deref()))?;
    let entries = entries(&loaded);
    let text = if subject.starts_with(|c: char| c.is_ascii_digit()) {
        citation(subject, &entries, &loaded.sources)
    } else {
        let named: Vec<&Entry> = entries.iter().filter(|e| e.name == subject).collect();
        let texts: Vec<String> = named.iter().map(|e| explained(e, &entries, &loaded.sources)).collect();
        texts.join("\n")
    };
    if text.is_empty() {
        return Err(miss(subject, &entries));
    }
    io.print(&text)?;
    Ok(STATUS_OK)
}

/// Something that has a name.
struct Entry {
    kind: &'static str,
    name: String,
    cites: Vec<String>,
    /// `since …`, `until …`, `under … is …`.
    force: Vec<String>,
    says: Vec<(String, String)>,
    /// Where its name stands.
    span: Span,
    /// Its source text.
    text: String,
    /// The rule or keyword in which it stands.
    inside: Option<String>,
}

fn miss(subject: &str, entries: &[Entry]) -> Failure {
    let cited = subject.starts_with(|c: char| c.is_ascii_digit());
    let names: Vec<&str> = if cited {
        entries.iter().flat_map(|e| &e.cites).map(String::as_str).collect()
    } else {
        let codes = Code::ALL.iter().map(|c| c.as_str());
        entries.iter().map(|e| e.name.as_str()).chain(codes).collect()
    };
    let message = if cited { format!("nothing cites {subject}") } else { format!("nothing is named `{subject}`") };
    Failure::helped(message, nearest(subject, &names))
}

/// Everything that cites a number.
fn citation(number: &str, entries: &[Entry], sources: &Sources) -> String {
    let mut out = String::new();
    for entry in entries.iter().filter(|e| e.cites.iter().any(|c| c == number)) {
        out.push_str(&format!("{} {}  {}\n", entry.kind, entry.name, place(sources, entry.span)));
        if let Some((_, sentence)) = entry.says.first() {
            out.push_str(&format!("  {sentence}\n"));
        }
    }
    out
}

fn explained(entry: &Entry, entries: &[Entry], sources: &Sources) -> String {
    let mut out = format!("{} {}  {}\n", entry.kind, entry.name, place(sources, entry.span));
    if let Some(inside) = &entry.inside {
        out.push_str(&format!("in {inside}\n"));
    }
    if !entry.cites.is_empty() {
        out.push_str(&format!("cites {}\n", entry.cites.join(", ")));
    }
    if !entry.force.is_empty() {
        out.push_str(&format!("in force {}\n", entry.force.join(" ")));
    }
    for (language, sentence) in &entry.says {
        out.push_str(&format!("{language}: {sentence}\n"));
    }
    out.push('\n');
    entry.text.lines().for_each(|line| out.push_str(&format!("  {line}\n")));
    let others: Vec<String> = entries
        .iter()
        .filter(|e| e.inside.is_none() && e.span != entry.span)
        .filter_map(|e| {
            let both: Vec<&str> = e.cites.iter().filter(|c| entry.cites.contains(c)).map(String::as_str).collect();
            (!both.is_empty()).then(|| format!("  {} {} [{}]\n", e.kind, e.name, both.join(", ")))
        })
        .collect();
    if entry.inside.is_none() && !others.is_empty() {
        out.push_str("\nthe same numbers are cited by\n");
        others.iter().for_each(|line| out.push_str(line));
    }
    out
}

fn entries(loaded: &Loaded) -> Vec<Entry> {
    let mut index = Index { sources: &loaded.sources, starts: Vec::new(), entries: Vec::new() };
    for file in &loaded.files {
        index.starts = file.items.iter().filter_map(start_of).collect();
        file.items.iter().for_each(|item| index.item(item));
    }
    index.entries
}

struct Index<'a> {
    sources: &'a Sources,
    /// Where the items of this file have their names, in order.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

impl Index<'_> {
    fn item(&mut self, item: &Item) {
        let none = Header::default();
        match item {
            Item::Rule(r) => {
                self.add("rule", &r.name, &r.header, &r.says);
                self.clauses("rule", &r.name, &r.header, &r.clauses);
            }
            Item::Keyword(k) => {
                for name in &k.names {
                    self.add("keyword", name, &k.header, &k.says);
                    self.clauses("keyword", name, &k.header, &k.clauses);
                }
            }
            Item::Card(c) => self.add(if c.archetype { "archetype" } else { "card" }, &c.name, &none, &[]),
            Item::Reading(r) => self.add("reading", &r.name, &none, &[]),
            Item::World(w) => self.add("world", &w.name, &none, &[]),
            Item::Ghost(g) => self.add("ghost", &g.name, &none, &[]),
            Item::Property(p) => {
                let kind = match p.kind {
                    PropertyKind::Property => "property",
                    PropertyKind::Witness => "witness",
                    PropertyKind::Conjecture => "conjecture",
                };
                self.add(kind, &p.name, &p.header, &p.says);
            }
            Item::Ruling(r) => self.add("ruling", &r.name, &r.header, &r.says),
            Item::Counters(counters) => {
                for (name, _) in counters {
                    self.line("counter", name, &none, None, name.span);
                }
            }
            Item::Subtypes(subtypes) => {
                for name in subtypes {
                    self.line("subtype", name, &none, None, name.span);
                }
            }
            Item::Editions(_) => {}
        }
    }

    /// What a rule declares inside, with the citations of the rule.
    fn clauses(&mut self, kind: &str, owner: &Ident, header: &Header, clauses: &[Clause]) {
        for clause in clauses {
            let (what, name) = match &clause.kind {
                ClauseKind::Define(name, ..) => ("define", name),
                ClauseKind::View(name, ..) => ("view", name),
                ClauseKind::Event(name, ..) => ("event", name),
                ClauseKind::Procedure(name, ..) => ("procedure", name),
                ClauseKind::NamedCost(name, ..) => ("cost", name),
                ClauseKind::Profile(name, ..) => ("profile", name),
                ClauseKind::Marker(name, ..) => ("marker", name),
                ClauseKind::Permit { .. }
                | ClauseKind::Forbid(..)
                | ClauseKind::Stage(..)
                | ClauseKind::Check(..)
                | ClauseKind::Price { .. }
                | ClauseKind::Static(..)
                | ClauseKind::Spell(..)
                | ClauseKind::LookBack(..) => continue,
            };
            self.line(what, name, header, Some(format!("{kind} {}", owner.text)), clause.span);
        }
    }

    /// A whole item of a file.
    fn add(&mut self, kind: &'static str, name: &Ident, header: &Header, says: &[Says]) {
        let text = whole_item(self.sources, name.span, &self.starts);
        self.push(kind, name, header, says, text, None);
    }

    /// Something smaller, whose place is known.
    fn line(&mut self, kind: &'static str, name: &Ident, header: &Header, inside: Option<String>, span: Span) {
        let text = self.sources.files.get(usize::from(span.file)).map(|f| {
            let start = f.text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
            let end = f.text[span.end as usize..].find('\n').map_or(f.text.len(), |at| span.end as usize + at);
            f.text[start..end].to_owned()
        });
        self.push(kind, name, header, &[], text.unwrap_or_default(), inside);
    }

    fn push(
        &mut self,
        kind: &'static str,
        name: &Ident,
        header: &Header,
        says: &[Says],
        text: String,
        inside: Option<String>,
    ) {
        let since = header.since.map(|(date, _)| format!("since {}", day(date)));
        let until = header.until.map(|(date, _)| format!("until {}", day(date)));
        let under = header.under.iter().map(|(reading, value)| format!("under {} is {}", reading.text, value.text));
        self.entries.push(Entry {
            kind,
            name: name.text.clone(),
            cites: header.cites.iter().map(|c| c.text.clone()).collect(),
            force: since.into_iter().chain(until).chain(under).collect(),
            says: says.iter().map(|s| (s.language.text.clone(), s.text.text.clone())).collect(),
            span: name.span,
            text: unindented(&text),
            inside,
        });
    }
}

/// The text of an item: from the line of its name to the next item, without the blank and comment lines between.
fn whole_item(sources: &Sources, name: Span, starts: &[u32]) -> String {
    let Some(file) = sources.files.get(usize::from(name.file)) else { return String::new() };
    let line_start = |at: u32| file.text[..at as usize].rfind('\n').map_or(0, |at| at + 1);
    let start = line_start(name.start);
    let next = starts.iter().map(|at| line_start(*at)).find(|at| *at > start).unwrap_or(file.text.len());
    let mut lines: Vec<&str> = file.text[start..next].lines().collect();
    while lines.len() > 1 && lines.last().is_some_and(|l| l.trim().is_empty() || l.trim_start().starts_with('#')) {
        lines.pop();
    }
    lines.join("\n")
}

/// Where an item has its name.
fn start_of(item: &Item) -> Option<u32> {
    let name = match item {
        Item::Rule(r) => &r.name,
        Item::Keyword(k) => k.names.first()?,
        Item::Card(c) => &c.name,
        Item::Reading(r) => &r.name,
        Item::World(w) => &w.name,
        Item::Ghost(g) => &g.name,
        Item::Property(p) => &p.name,
        Item::Ruling(r) => &r.name,
        Item::Counters(counters) => &counters.first()?.0,
        Item::Subtypes(subtypes) => subtypes.first()?,
        Item::Editions(editions) => return editions.first().map(|(_, span)| span.start),
    };
    Some(name.span.start)
}

/// The lines without the spaces that all of them start with.
fn unindented(text: &str) -> String {
    let margin =
        text.lines().filter(|l| !l.trim().is_empty()).map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
    text.lines().map(|l| l.get(margin..).unwrap_or("").to_owned() + "\n").collect()
}
