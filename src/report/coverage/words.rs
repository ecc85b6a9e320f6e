//! Coverage in words: what is open, a line for each section, each item of a section that is asked for alone, and the one
//! sentence at the end.

use super::{ConjunctCoverage, Coverage, PartCoverage, Section};
use crate::report::seeds::Counts;
use crate::report::text::{counted, grouped, status_word};

fn met(worlds: &[String], rulings: &[String]) -> bool {
    !worlds.is_empty() || !rulings.is_empty()
}

/// `3 of 5`
fn of(n: usize, all: usize) -> String {
    format!("{} of {}", grouped(n as u64), grouped(all as u64))
}

fn parts(report: &Coverage) -> Vec<&PartCoverage> {
    report.rules.iter().flat_map(|r| &r.parts).collect()
}

/// What was found in a section, in half a line.
fn found(report: &Coverage, section: Section) -> String {
    let cards = &report.cards;
    match section {
        Section::Rules => {
            let parts = parts(report);
            format!(
                "{} rules and keywords at work, {} parts of them",
                of(report.rules.iter().filter(|r| met(&r.worlds, &r.rulings)).count(), report.rules.len()),
                of(parts.iter().filter(|p| met(&p.worlds, &p.rulings)).count(), parts.len()),
            )
        }
        Section::Conjuncts => {
            let conjuncts: Vec<&ConjunctCoverage> = parts(report).into_iter().flat_map(|p| &p.conjuncts).collect();
            let both = conjuncts.iter().filter(|c| c.seen_true && c.seen_false).count();
            format!("{} conjuncts both true and false", of(both, conjuncts.len()))
        }
        Section::Events => {
            let verbs: Vec<_> = report.events.iter().filter(|e| e.kind == "verb").collect();
            let words: Vec<_> = report.events.iter().flat_map(|e| &e.words).filter(|w| w.named).collect();
            format!(
                "{} verbs happen, {} events that clauses are written on are met, {} words that the law names for an \
                 argument occur",
                of(verbs.iter().filter(|e| met(&e.worlds, &e.rulings)).count(), verbs.len()),
                of(
                    report.events.iter().filter(|e| e.listening > 0 && e.heard).count(),
                    report.events.iter().filter(|e| e.listening > 0).count()
                ),
                of(words.iter().filter(|w| w.worlds + w.rulings > 0).count(), words.len()),
            )
        }
        Section::Archetypes => format!(
            "{} cards dealt or given, {} clauses at work, {} keywords at work on their card; {} cards were face down, {} \
             turned up",
            of(cards.dealt, cards.cards),
            of(cards.clauses_at_work, cards.clauses),
            of(cards.keywords_at_work, cards.keywords),
            cards.face_down,
            cards.turned_up,
        ),
        Section::Effects => {
            let allowed: Vec<_> = report.effects.iter().flat_map(|e| &e.worlds).collect();
            format!(
                "{} effects do something where a world allows them; {} that no world allows",
                of(allowed.iter().filter(|e| e.done).count(), allowed.len()),
                report.effects.iter().filter(|e| e.worlds.is_empty()).count(),
            )
        }
    }
}

fn heading(section: Section) -> &'static str {
    match section {
        Section::Rules => "rules",
        Section::Conjuncts => "conjuncts",
        Section::Events => "events",
        Section::Archetypes => "archetypes",
        Section::Effects => "effects",
    }
}

/// The one sentence: what was found in the sections that were asked for.
pub(super) fn sentence(report: &Coverage, sections: &[Section], rulings: usize) -> String {
    let all = sections.len() == Section::ALL.len();
    let found: Vec<String> = sections.iter().map(|s| found(report, *s)).collect();
    let found = if all { "coverage".to_owned() } else { found.join(", ") };
    format!(
        "{}  {found} ({}, {}); {} open, {} explained",
        status_word(report.exit_status),
        counted(report.worlds.len() as u64, "world"),
        counted(rulings as u64, "ruling"),
        report.open.len(),
        report.explained.len(),
    )
}

/// `12 worlds, 1 ruling`
fn places(worlds: usize, rulings: usize) -> String {
    format!("{}, {}", counted(worlds as u64, "world"), counted(rulings as u64, "ruling"))
}

/// Each item of a section that has items of its own.
fn items(report: &Coverage, section: Section) -> String {
    let mut out = String::new();
    match section {
        Section::Rules | Section::Conjuncts => {}
        Section::Events => {
            for e in &report.events {
                let listening = counted(e.listening as u64, "clause");
                out.push_str(&format!("{}  {}, {listening} on it", e.name, places(e.worlds.len(), e.rulings.len())));
                if e.listening > 0 && !e.heard {
                    out.push_str(", none met it");
                }
                let words: Vec<String> = e
                    .words
                    .iter()
                    .map(|w| if w.worlds + w.rulings > 0 { w.word.clone() } else { format!("{} (never)", w.word) })
                    .collect();
                for list in [&words, &e.moves].into_iter().filter(|list| !list.is_empty()) {
                    out.push_str(&format!("\n  {}", list.join(", ")));
                }
                out.push('\n');
            }
        }
        Section::Archetypes => {
            for c in &report.archetypes {
                let parts: Vec<_> = c.parts.iter().filter(|p| met(&p.worlds, &p.rulings)).collect();
                out.push_str(&format!("{}  {}", c.name, places(c.worlds.len(), c.rulings.len())));
                if !c.parts.is_empty() {
                    out.push_str(&format!(", {} clauses at work", of(parts.len(), c.parts.len())));
                }
                let idle = c.keywords.iter().filter(|k| !met(&k.worlds, &k.rulings));
                idle.for_each(|k| out.push_str(&format!(", {} never at work", k.keyword)));
                out.push_str(if c.face_down > 0 { ", was face down" } else { "" });
                out.push_str(if c.turned_up > 0 { ", turned up" } else { "" });
                out.push('\n');
            }
        }
        Section::Effects => {
            for e in &report.effects {
                let (done, idle): (Vec<_>, Vec<_>) = e.worlds.iter().partition(|w| w.done);
                let names: Vec<&str> = done.iter().map(|w| w.world.as_str()).collect();
                let worlds = if names.is_empty() { "no world".to_owned() } else { names.join(", ") };
                out.push_str(&format!("{}  {worlds}; {}", e.effect, counted(e.rulings.len() as u64, "ruling")));
                idle.iter().for_each(|w| out.push_str(&format!("; does nothing in {}", w.world)));
                out.push('\n');
            }
        }
    }
    out
}

/// Everything after the lines of the worlds.
pub fn text(report: &Coverage, sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections.iter().filter(|_| sections.len() < Section::ALL.len()) {
        out.push_str(&items(report, *section));
    }
    for (gap, at) in &report.open {
        let at = if at.is_empty() { String::new() } else { format!("  ({at})") };
        out.push_str(&format!("OPEN  {gap}{at}\n"));
    }
    for fault in &report.list_faults {
        out.push_str(&format!("LIST  {fault}\n"));
    }
    for name in &report.rulings_failing {
        out.push_str(&format!("FAILS  ruling {name}: `facedown check` says why\n"));
    }
    for fault in &report.seed_faults {
        out.push_str(&format!("SEED  {fault}\n"));
    }
    if sections.contains(&Section::Conjuncts) && sections.len() < Section::ALL.len() {
        for c in &report.claims {
            let truth = if c.conjunct.seen_true { "false" } else { "true" };
            out.push_str(&format!(
                "TOLD  {} {} `{}` never {truth}  ({})\n",
                c.kind, c.name, c.conjunct.conjunct, c.place
            ));
        }
    }
    out.push('\n');
    if sections.len() == Section::ALL.len() {
        for section in sections {
            out.push_str(&format!("{:10}  {}\n", heading(*section), found(report, *section)));
        }
        if let Some(Counts { stated, excused, open }) = report.seeds {
            out.push_str(&format!(
                "seeds       {} sentences stated, {excused} with a reason, {open} open\n",
                of(stated, stated + excused + open)
            ));
        }
    }
    if sections.contains(&Section::Conjuncts) {
        let cards = &report.cards;
        out.push_str(&format!(
            "of cards: {} of {} clauses at work, {} of {} conjuncts both true and false\n",
            cards.clauses_at_work, cards.clauses, cards.conjuncts_both, cards.conjuncts
        ));
    }
    out.push_str(&format!("{}\n", report.sentence));
    out
}
