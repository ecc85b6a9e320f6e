//! `REPORT.md`: what the baseline says is proved, for somebody who knows the rules of the game and not this program. It is
//! made of the model and the baseline alone, so that whoever has both can make it again; nothing is explored for it.

use std::collections::BTreeMap;

use super::baseline::Baseline;
use super::markdown::escaped;
use super::proof::World;
use super::sheet::Place;
use super::text::{counted, grouped};
use crate::judge::verdict::is_deep;
use crate::lang::ast::{Item, PropertyKind, Span};
use crate::lang::parse;
use crate::lang::source::Sources;
use crate::lang::tree::{Program, Property};

/// The line by which a file is known to be one of ours.
pub const MARK: &str =
    "<!-- Written by `facedown check --update-baseline` from the baseline beside it and the model. -->";

/// All that it is made of.
pub struct Overview<'a> {
    /// The files.
    pub sources: &'a Sources,
    /// The program.
    pub program: &'a Program,
    /// What was proved.
    pub baseline: &'a Baseline,
    /// What leads from the folder of the report to the folder that paths start from, as `../`; none: no links.
    pub root: Option<&'a str>,
}

/// The text of the file.
pub fn text(o: &Overview) -> String {
    let mut out = format!("# What is proved\n\n{MARK}\n\n{}\n\n{INTRODUCTION}\n", sentence(o));
    out.push_str(&not_as_promised(o));
    out.push_str("\n## Invariants\n\nWhat holds in every state and every step of its worlds.\n");
    out.push_str(&promises(o, PropertyKind::Property));
    out.push_str("\n## Worlds\n\n");
    out.push_str(&worlds(o));
    out.push_str("\n## Witnesses\n\nWhat can happen: a play that does it was found.\n");
    out.push_str(&promises(o, PropertyKind::Witness));
    out.push_str("\n## Conjectures refuted\n\nWhat one might believe and is false: a play that breaks it was found.\n");
    out.push_str(&promises(o, PropertyKind::Conjecture));
    out.push_str("\n## Rulings\n\n");
    out.push_str(&rulings(o));
    out.push_str("\n## Readings and editions\n\n");
    out.push_str(&readings(o));
    out.push_str(&format!("\n## What is not proved\n\n{}\n", closing(o)));
    out
}

const INTRODUCTION: &str = "A world is a closed position: a few cards, and all that may be done with them. Of each world every state was
reached that any play of it comes to, of any length, and every invariant was asked in every one of them and of every step
between them. A number in the column \"cites\" is that of a rule of the Comprehensive Rules. `facedown explain NAME` shows
any name below as it is written, and `facedown check --world NAME` proves its world again.";

/// The files that something stands in, those of the headline first, each with what it is about.
fn by_file<T>(sources: &Sources, items: Vec<(Span, T)>) -> Vec<(&str, String, Vec<T>)> {
    let mut files: BTreeMap<(bool, &str), Vec<(Span, T)>> = BTreeMap::new();
    let mut abouts: BTreeMap<&str, String> = BTreeMap::new();
    for (span, item) in items {
        let Some(file) = sources.files.get(usize::from(span.file)) else { continue };
        let headline = file_name(&file.path) == "headline";
        files.entry((!headline, &file.path)).or_default().push((span, item));
        abouts.entry(&file.path).or_insert_with(|| about(&file.text));
    }
    let sorted = files.into_iter().map(|((_, path), mut items)| {
        items.sort_by_key(|(span, _)| *span);
        (path, abouts.remove(path).unwrap_or_default(), items.into_iter().map(|(_, item)| item).collect())
    });
    sorted.collect()
}

/// The comment that a file opens with.
fn about(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#').map(str::trim));
    lines.collect::<Vec<_>>().join(" ")
}

/// `headline` of `properties/headline.props`.
fn file_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn verdict<'a>(o: &'a Overview, property: &Property) -> Option<&'a str> {
    o.baseline.properties.get(&property.name).map(|pinned| pinned.verdict.as_str())
}

fn sentence(o: &Overview) -> String {
    let count = |kind: PropertyKind, word: &str| {
        o.program.properties.iter().filter(|p| p.kind == kind && verdict(o, p) == Some(word)).count() as u64
    };
    let sum = |of: fn(&World) -> u64| o.baseline.worlds.values().map(of).sum::<u64>();
    let passing = o.baseline.rulings.values().filter(|pinned| pinned.verdict == "passes").count() as u64;
    let edition = o.baseline.edition.as_ref().map(|e| format!("Of the edition of {e}: ")).unwrap_or_default();
    format!(
        "{edition}**{} in {}** ({}, {}); {} reached, {} refuted, {} as they say.",
        with_verb(count(PropertyKind::Property, "holds"), "invariant", "holds", "hold"),
        counted(o.baseline.worlds.len() as u64, "world"),
        counted(sum(|c| c.unique_states), "state"),
        counted(sum(|c| c.steps), "step"),
        counted(count(PropertyKind::Witness, "reached"), "witness"),
        counted(count(PropertyKind::Conjecture, "refuted"), "conjecture"),
        with_verb(passing, "ruling", "comes out", "come out"),
    )
}

fn with_verb(n: u64, noun: &str, one: &str, many: &str) -> String {
    format!("{} {}", counted(n, noun), if n == 1 { one } else { many })
}

/// What the baseline pins and nobody would promise.
fn not_as_promised(o: &Overview) -> String {
    let good = |p: &Property| match p.kind {
        PropertyKind::Property => "holds",
        PropertyKind::Witness => "reached",
        PropertyKind::Conjecture => "refuted",
    };
    let promised = o.program.properties.iter().filter(|p| verdict(o, p).is_none_or(|v| v != good(p)));
    let mut found: Vec<String> = promised
        .map(|p| {
            format!("- {}: {}\n", escaped(&p.name), verdict(o, p).unwrap_or("not in the baseline").replace('_', " "))
        })
        .collect();
    let failing = o.baseline.rulings.iter().filter(|(_, pinned)| pinned.verdict != "passes");
    found.extend(failing.map(|(name, pinned)| format!("- ruling {}: {}\n", escaped(name), pinned.verdict)));
    let open = o.baseline.worlds.iter().filter(|(_, counts)| !counts.complete);
    found.extend(open.map(|(name, _)| format!("- world {}: incomplete\n", escaped(name))));
    found.sort();
    if found.is_empty() { String::new() } else { format!("\n## Not as promised\n\n{}", found.concat()) }
}

/// The promises of a kind that came out as they should, by file.
fn promises(o: &Overview, kind: PropertyKind) -> String {
    let good = ["holds", "reached", "refuted"];
    let of_kind = o.program.properties.iter().filter(|p| p.kind == kind);
    let kept = of_kind.filter(|p| verdict(o, p).is_some_and(|v| good.contains(&v)));
    let mut out = String::new();
    for (path, about, properties) in by_file(o.sources, kept.map(|p| (p.span, p)).collect()) {
        out.push_str(&format!("\n### {}\n\n", link(o, path, file_name(path))));
        if !about.is_empty() {
            out.push_str(&format!("{}\n\n", escaped(&about)));
        }
        out.push_str("| name | in words | cites | worlds |\n| --- | --- | --- | --- |\n");
        for property in properties {
            let says = property.says.iter().find(|(language, _)| language == "en").map_or("", |(_, text)| text);
            out.push_str(&format!(
                "| {} | {} | {} | {} |\n",
                escaped(&property.name),
                escaped(says),
                escaped(&property.cites.join(", ")),
                escaped(&scope(o.program, property))
            ));
        }
    }
    out
}

/// The worlds that a property speaks of, in words.
fn scope(program: &Program, property: &Property) -> String {
    if property.worlds.is_empty() {
        return "all".to_owned();
    }
    let names = property.worlds.iter().filter_map(|at| program.worlds.get(*at)).map(|w| w.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

fn worlds(o: &Overview) -> String {
    let mut out = "| world | position | states | steps | depth |\n| --- | --- | ---: | ---: | ---: |\n".to_owned();
    let mut worlds: Vec<_> = o.program.worlds.iter().collect();
    worlds.sort_by_key(|w| &w.name);
    for world in worlds {
        let path = o.sources.files.get(usize::from(world.span.file)).map_or("", |file| file.path.as_str());
        let size = match o.baseline.worlds.get(&world.name) {
            Some(c) => format!("{} | {} | {}", grouped(c.unique_states), grouped(c.steps), grouped(u64::from(c.depth))),
            None => "not explored | |".to_owned(),
        };
        let deep = if is_deep(&world.name) { " (with `--all`)" } else { "" };
        out.push_str(&format!("| {} | {}{deep} | {size} |\n", link(o, path, &world.name), escaped(&world.title)));
    }
    out
}

fn rulings(o: &Overview) -> String {
    let pinned = o.program.rulings.iter().filter_map(|r| Some((r.span, o.baseline.rulings.get(&r.name)?)));
    let mut out = "| file | about | rulings | as they say |\n| --- | --- | ---: | ---: |\n".to_owned();
    for (path, about, verdicts) in by_file(o.sources, pinned.collect()) {
        let good = verdicts.iter().filter(|pinned| pinned.verdict == "passes").count();
        let name = link(o, path, file_name(path));
        out.push_str(&format!("| {name} | {} | {} | {good} |\n", escaped(&about), verdicts.len()));
    }
    out
}

/// Where the text of the law leaves something open, what was taken; and the days from which it changed.
fn readings(o: &Overview) -> String {
    let mut readings = Vec::new();
    let mut editions: Vec<String> = Vec::new();
    for (at, file) in o.sources.files.iter().enumerate() {
        let (parsed, _) = parse::parse(u16::try_from(at).unwrap_or(u16::MAX), &file.text);
        for item in parsed.items {
            match item {
                Item::Reading(reading) => readings.push(reading),
                Item::Editions(days) => editions.extend(days.into_iter().map(|(day, _)| super::model::day(day))),
                _ => {}
            }
        }
    }
    readings.sort_by(|a, b| a.name.text.cmp(&b.name.text));
    editions.sort();
    let mut out = String::new();
    if !readings.is_empty() {
        out.push_str("Where the text leaves a choice, this one was taken:\n\n");
        out.push_str("| reading | taken | that is | or |\n| --- | --- | --- | --- |\n");
    }
    for reading in readings {
        let taken = o.baseline.readings.get(&reading.name.text).cloned().unwrap_or_default();
        let told = |text: &str| escaped(text.trim_matches('"'));
        let meaning = reading.values.iter().find(|v| v.0.text == taken).map_or(String::new(), |v| told(&v.1.text));
        let others = reading.values.iter().filter(|v| v.0.text != taken);
        let others: Vec<String> = others.map(|v| format!("{}: {}", escaped(&v.0.text), told(&v.1.text))).collect();
        let name = escaped(&reading.name.text);
        out.push_str(&format!("| {name} | {} | {meaning} | {} |\n", escaped(&taken), others.join("; ")));
    }
    if !editions.is_empty() {
        out.push_str(&format!("\nThe law changes on {}; `--edition DAY` takes another one.\n", editions.join(", ")));
    }
    out
}

fn closing(o: &Overview) -> String {
    let left_out = o.program.left_out.iter().filter(|(kind, ..)| !matches!(kind.as_str(), "rule" | "keyword")).count();
    let limits = o.root.map_or("LIMITS.md".to_owned(), |root| format!("[LIMITS.md]({root}LIMITS.md)"));
    format!(
        "Nothing about positions that are no world above, nor about what the model leaves out; {limits} lists its bounds,\n\
         its abstractions and what is not modelled. {} of other editions or readings {} not judged here.",
        counted(left_out as u64, "item"),
        if left_out == 1 { "was" } else { "were" }
    )
}

fn link(o: &Overview, path: &str, shown: &str) -> String {
    let shown = escaped(shown);
    match o.root.filter(|_| Place::is_relative(path)) {
        Some(root) => format!("[{shown}]({root}{})", Place::uri_path(path)),
        None => shown,
    }
}
