//! Which items are in force: dates, readings, citations, and items of one name. It resolves no name inside an item.

use std::collections::{BTreeMap, BTreeSet};

use super::Options;
use super::scope::{Finding, suggest};
use crate::lang::ast::{self, Card, Date, Ghost, Header, Ident, Item, Property, Ruling, Span, World};
use crate::lang::diag::{Code, Diag};

/// What owns clauses.
#[derive(Clone, Copy)]
pub(super) enum OwnerBody<'a> {
    Rule(&'a ast::Rule),
    Keyword(&'a ast::Keyword),
    Card(&'a Card),
    Ghost(&'a Ghost),
}

/// An item that owns clauses; its place in the sorted list is its `RuleId`.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) kind: &'static str,
    pub(super) name: &'a Ident,
    pub(super) body: OwnerBody<'a>,
}

/// All items that are in force, each list sorted by name.
#[derive(Default)]
pub(super) struct Items<'a> {
    pub(super) edition: Option<Date>,
    pub(super) readings: Vec<(String, String)>,
    pub(super) owners: Vec<Owner<'a>>,
    pub(super) subtypes: Vec<&'a Ident>,
    pub(super) counters: Vec<(&'a Ident, Option<(i32, i32)>)>,
    pub(super) worlds: Vec<&'a World>,
    pub(super) properties: Vec<&'a Property>,
    pub(super) rulings: Vec<&'a Ruling>,
    /// Names that are declared and not in force, with the reason.
    pub(super) dormant: BTreeMap<String, String>,
    pub(super) left_out: Vec<(String, String, String)>,
}

/// The readings, declared and chosen.
struct Readings<'a> {
    declared: BTreeMap<&'a str, &'a ast::Reading>,
    chosen: BTreeMap<&'a str, &'a str>,
}

/// A header with what it belongs to, for the search of overlaps.
struct Dated<'a> {
    group: &'static str,
    name: &'a Ident,
    header: &'a Header,
}

static NO_HEADER: Header =
    Header { cites: Vec::new(), since: None, until: None, under: Vec::new(), from: Vec::new(), worlds: Vec::new() };

/// Sorts and filters the items of all files.
pub(super) fn collect<'a>(files: &'a [ast::File], options: &Options, findings: &mut Vec<Finding>) -> Items<'a> {
    let mut items = Items::default();
    let all: Vec<&Item> = files.iter().flat_map(|f| &f.items).collect();
    let newest =
        all.iter().filter_map(|i| if let Item::Editions(e) = i { e.iter().map(|x| x.0).max() } else { None }).max();
    items.edition = options.edition.or(newest);
    let oldest = all.iter().filter_map(|i| if let Item::Editions(e) = i { e.iter().min() } else { None }).min();
    if let (Some((first, span)), Some(asked)) = (oldest, options.edition)
        && asked < *first
    {
        let message =
            format!("the law begins with the edition {}, after the {} that is asked for", day(*first), day(asked));
        let help = Some("ask for a later day, or declare an older edition".to_owned());
        findings.push(Finding::helped(Code::L238, *span, message, help));
    }
    let readings = readings(&all, options, findings);
    items.readings = readings.chosen.iter().map(|(a, b)| ((*a).to_string(), (*b).to_string())).collect();
    let empty = &NO_HEADER;
    let mut dated = Vec::new();
    for item in all {
        match item {
            Item::Rule(r) => {
                dated.push(Dated { group: "rule", name: &r.name, header: &r.header });
                items.owner(
                    &readings,
                    findings,
                    &r.header,
                    Owner { kind: "rule", name: &r.name, body: OwnerBody::Rule(r) },
                );
            }
            Item::Keyword(k) => {
                for name in &k.names {
                    dated.push(Dated { group: "keyword", name, header: &k.header });
                    items.owner(
                        &readings,
                        findings,
                        &k.header,
                        Owner { kind: "keyword", name, body: OwnerBody::Keyword(k) },
                    );
                }
            }
            Item::Card(c) => {
                if c.name.text.trim().is_empty() {
                    findings.push(Finding::new(Code::L239, c.name.span, "a card needs a name"));
                }
                dated.push(Dated { group: "card", name: &c.name, header: empty });
                let kind = if c.archetype { "archetype" } else { "card" };
                items.owners.push(Owner { kind, name: &c.name, body: OwnerBody::Card(c) });
            }
            Item::Ghost(g) => {
                dated.push(Dated { group: "ghost", name: &g.name, header: empty });
                items.owners.push(Owner { kind: "ghost", name: &g.name, body: OwnerBody::Ghost(g) });
            }
            Item::World(w) => {
                dated.push(Dated { group: "world", name: &w.name, header: empty });
                items.worlds.push(w);
            }
            Item::Property(p) => {
                dated.push(Dated { group: "property", name: &p.name, header: &p.header });
                match items.standing(&readings, findings, &p.header) {
                    None => items.properties.push(p),
                    Some(why) => items.left_out.push(("property".into(), p.name.text.clone(), why)),
                }
            }
            Item::Ruling(r) => {
                dated.push(Dated { group: "ruling", name: &r.name, header: &r.header });
                match items.standing(&readings, findings, &r.header) {
                    None => items.rulings.push(r),
                    Some(why) => items.left_out.push(("ruling".into(), r.name.text.clone(), why)),
                }
            }
            Item::Subtypes(list) => items.subtypes.extend(list),
            Item::Counters(list) => items.counters.extend(list.iter().map(|(n, s)| (n, *s))),
            Item::Reading(_) | Item::Editions(_) => {}
        }
    }
    overlaps(&dated, findings);
    items.sort();
    items
}

impl<'a> Items<'a> {
    fn sort(&mut self) {
        self.owners.sort_by(|a, b| (a.kind, &a.name.text).cmp(&(b.kind, &b.name.text)));
        self.subtypes.sort_by(|a, b| a.text.cmp(&b.text));
        self.counters.sort_by(|a, b| a.0.text.cmp(&b.0.text));
        self.worlds.sort_by(|a, b| a.name.text.cmp(&b.name.text));
        self.properties.sort_by(|a, b| a.name.text.cmp(&b.name.text));
        self.rulings.sort_by(|a, b| a.name.text.cmp(&b.name.text));
        self.left_out.sort();
    }

    /// Keeps an owner that is in force; else remembers the names that it declares.
    fn owner(&mut self, readings: &Readings, findings: &mut Vec<Finding>, header: &Header, owner: Owner<'a>) {
        let Some(why) = self.standing(readings, findings, header) else {
            self.owners.push(owner);
            return;
        };
        let clauses = match owner.body {
            OwnerBody::Rule(r) => &r.clauses,
            OwnerBody::Keyword(k) => &k.clauses,
            OwnerBody::Card(_) | OwnerBody::Ghost(_) => return,
        };
        let reason = format!("{} {}: {why}", owner.kind, owner.name.text);
        self.dormant.insert(owner.name.text.clone(), reason.clone());
        for name in clauses.iter().filter_map(declared) {
            self.dormant.insert(name.text.clone(), reason.clone());
        }
        self.left_out.push((owner.kind.into(), owner.name.text.clone(), why));
    }

    /// Checks a header; why its item is not in force, if it is not.
    fn standing(&self, readings: &Readings, findings: &mut Vec<Finding>, header: &Header) -> Option<String> {
        for cite in header.cites.iter().filter(|c| !is_citation(&c.text)) {
            findings.push(Finding::new(Code::L221, cite.span, format!("`{}` is no number of a rule", cite.text)));
        }
        if let (Some((since, _)), Some((until, span))) = (header.since, header.until)
            && since >= until
        {
            findings.push(Finding::new(Code::L223, span, format!("{} is not after {}", day(until), day(since))));
        }
        let mut why = None;
        for (reading, value) in &header.under {
            let Some(declared) = readings.declared.get(reading.text.as_str()) else {
                let help = suggest(&reading.text, readings.declared.keys().copied());
                findings.push(Finding::helped(
                    Code::L201,
                    reading.span,
                    format!("no reading is named `{}`", reading.text),
                    help,
                ));
                continue;
            };
            if !declared.values.iter().any(|(v, _, _)| v.text == value.text) {
                let help = suggest(&value.text, declared.values.iter().map(|v| v.0.text.as_str()));
                let message = format!("the reading `{}` has no value `{}`", reading.text, value.text);
                findings.push(Finding::helped(Code::L222, value.span, message, help));
            } else if readings.chosen.get(reading.text.as_str()) != Some(&value.text.as_str()) {
                why = Some(format!("under {} is {}", reading.text, value.text));
            }
        }
        if let Some((since, _)) = header.since
            && self.edition.is_some_and(|e| e < since)
        {
            why = Some(format!("since {}", day(since)));
        }
        if let Some((until, _)) = header.until
            && self.edition.is_none_or(|e| e >= until)
        {
            why = Some(format!("until {}", day(until)));
        }
        why
    }
}

/// The name that a clause declares, if it declares one.
pub(super) fn declared(clause: &ast::Clause) -> Option<&Ident> {
    match &clause.kind {
        ast::ClauseKind::Define(n, ..)
        | ast::ClauseKind::View(n, _)
        | ast::ClauseKind::Event(n, ..)
        | ast::ClauseKind::Procedure(n, ..)
        | ast::ClauseKind::NamedCost(n, ..)
        | ast::ClauseKind::Profile(n, _)
        | ast::ClauseKind::Marker(n, ..) => Some(n),
        ast::ClauseKind::Permit { .. }
        | ast::ClauseKind::Forbid(_)
        | ast::ClauseKind::Stage(..)
        | ast::ClauseKind::Check(..)
        | ast::ClauseKind::Price { .. }
        | ast::ClauseKind::Static(..)
        | ast::ClauseKind::Spell(..)
        | ast::ClauseKind::LookBack(..) => None,
    }
}

/// A day as it is written.
pub(super) fn day(d: Date) -> String {
    format!("{:04}-{:02}-{:02}", d.year, d.month, d.day)
}

/// Three digits, a dot, digits, perhaps a letter.
fn is_citation(text: &str) -> bool {
    let Some((chapter, rest)) = text.split_once('.') else { return false };
    let number = rest.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(rest);
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    chapter.len() == 3 && digits(chapter) && digits(number)
}

fn readings<'a>(all: &[&'a Item], options: &Options, findings: &mut Vec<Finding>) -> Readings<'a> {
    let mut result = Readings { declared: BTreeMap::new(), chosen: BTreeMap::new() };
    for item in all {
        let Item::Reading(r) = item else { continue };
        if result.declared.insert(&r.name.text, r).is_some() {
            findings.push(Finding::new(Code::L202, r.name.span, format!("two readings are named `{}`", r.name.text)));
        }
        reading(r, findings);
        let default = r.values.iter().find(|v| v.2).or(r.values.first());
        if let Some(v) = default {
            result.chosen.insert(&r.name.text, &v.0.text);
        }
    }
    for (name, value) in &options.readings {
        let Some((key, r)) = result.declared.get_key_value(name.as_str()) else {
            let help = suggest(name, result.declared.keys().copied());
            findings.push(Finding::helped(Code::L201, Span::default(), format!("no reading is named `{name}`"), help));
            continue;
        };
        match r.values.iter().find(|v| v.0.text == *value) {
            Some(v) => {
                result.chosen.insert(key, &v.0.text);
            }
            None => {
                let help = suggest(value, r.values.iter().map(|v| v.0.text.as_str()));
                let message = format!("the reading `{name}` has no value `{value}`");
                findings.push(Finding::helped(Code::L222, r.name.span, message, help));
            }
        }
    }
    result
}

/// A reading has values, each once, and one default at most.
fn reading(r: &ast::Reading, findings: &mut Vec<Finding>) {
    if r.values.is_empty() {
        let help = Some("write each as `name \"what it means\"`".to_string());
        findings.push(Finding::helped(
            Code::L239,
            r.name.span,
            format!("the reading `{}` has no values", r.name.text),
            help,
        ));
    }
    for (i, (value, ..)) in r.values.iter().enumerate() {
        if r.values.iter().take(i).any(|v| v.0.text == value.text) {
            findings.push(Finding::new(
                Code::L202,
                value.span,
                format!("two values of the reading are named `{}`", value.text),
            ));
        }
    }
    if let Some((value, ..)) = r.values.iter().filter(|v| v.2).nth(1) {
        let message = format!("the reading `{}` has two defaults", r.name.text);
        findings.push(Finding::new(Code::L202, value.span, message));
    }
}

/// Items of one kind and name may not be in force at one time.
fn overlaps(dated: &[Dated], findings: &mut Vec<Finding>) {
    let mut groups: BTreeMap<(&str, &str), Vec<&Dated>> = BTreeMap::new();
    for d in dated {
        groups.entry((d.group, &d.name.text)).or_default().push(d);
    }
    let mut told = BTreeSet::new();
    for ((group, name), mut list) in groups {
        list.sort_by_key(|d| d.name.span);
        for (i, b) in list.iter().enumerate() {
            if list.iter().take(i).any(|a| overlap(a.header, b.header)) && told.insert(b.name.span) {
                let diag = match group {
                    "rule" | "keyword" => {
                        let message = format!("two {group}s named `{name}` are in force in one edition");
                        Diag::new(Code::L220, b.name.span, message)
                    }
                    "card" => Diag::new(Code::L202, b.name.span, format!("two cards are named `{name}`")),
                    "property" => Diag::new(Code::L202, b.name.span, format!("two properties are named `{name}`")),
                    _ => Diag::new(Code::L202, b.name.span, format!("two {group}s are named `{name}`")),
                };
                findings.push(Finding { diag, dormant: false });
            }
        }
    }
}

fn overlap(a: &Header, b: &Header) -> bool {
    let starts_before_end = |x: &Header, y: &Header| match (x.since, y.until) {
        (Some((since, _)), Some((until, _))) => since < until,
        _ => true,
    };
    let differ = a.under.iter().any(|(r, v)| b.under.iter().any(|(q, w)| r.text == q.text && v.text != w.text));
    starts_before_end(a, b) && starts_before_end(b, a) && !differ
}
