//! What was at work of a model, as data and as text: what no world and no ruling puts to work, what of that is
//! explained, and which explanations are not needed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::explained::{Entry, Gap};
use super::model::{WorldReport, day, place};
use super::parts::{Owner, Unit};
use super::text::{counted, grouped, status_word};
use crate::judge::coverage::{Mark, Met, Part, Place, flattened, places};
use crate::judge::play::{RulingResult, WorldResult};
use crate::judge::verdict::{STATUS_FAILED, STATUS_INCOMPLETE, STATUS_INTERRUPTED, STATUS_OK, winning_status};
use crate::lang::source::Sources;
use crate::lang::tree::{ClauseId, Program};

/// The version of this format; it grows when a field changes its meaning or goes.
pub const FORMAT_VERSION: u32 = 1;

/// All that a report is made from.
pub struct Findings<'a> {
    /// The files.
    pub sources: &'a Sources,
    /// The program.
    pub program: &'a Program,
    /// Its rules and keywords with their parts.
    pub owners: &'a [Owner],
    /// Names of all rules and keywords, in force or not.
    pub names: &'a [&'a str],
    /// The worlds that were run.
    pub worlds: &'a [WorldResult],
    /// The rulings that were played.
    pub rulings: &'a [RulingResult],
    /// What was met.
    pub met: &'a Met,
    /// The list of what is explained, and its path.
    pub explained: (&'a str, &'a [Entry]),
}

/// The coverage of a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// The version of this format.
    pub format_version: u32,
    /// Edition of the law, as `2026-08-07`.
    pub edition: Option<String>,
    /// Every reading with its value.
    pub readings: BTreeMap<String, String>,
    /// The worlds that were run.
    pub worlds: Vec<WorldReport>,
    /// The rules and keywords in force that have parts, by name.
    pub rules: Vec<RuleCoverage>,
    /// The cards, as a whole.
    pub cards: Cards,
    /// What was not met and is not explained, as the list would name it, and where it stands.
    pub open: Vec<(String, String)>,
    /// What was not met and is explained, with the reason.
    pub explained: Vec<(String, String)>,
    /// Entries of the list that are not needed, or name nothing.
    pub list_faults: Vec<String>,
    /// Rulings that fail, so that what they would put to work is not known.
    pub rulings_failing: Vec<String>,
    /// What was found, in one sentence.
    pub sentence: String,
    /// The exit status.
    pub exit_status: u8,
}

/// A rule or keyword.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleCoverage {
    /// `rule` or `keyword`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// Where it stands, as `path:line:column`.
    pub place: String,
    /// The worlds in which a part of it was at work.
    pub worlds: Vec<String>,
    /// The rulings in which one was.
    pub rulings: Vec<String>,
    /// Its parts.
    pub parts: Vec<PartCoverage>,
}

/// A part of a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartCoverage {
    /// Its text.
    pub part: String,
    /// The worlds in which it was at work.
    pub worlds: Vec<String>,
    /// The rulings in which it was.
    pub rulings: Vec<String>,
    /// The conjuncts of its guard and target.
    pub conjuncts: Vec<ConjunctCoverage>,
}

/// A conjunct.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConjunctCoverage {
    /// Its text.
    pub conjunct: String,
    /// Whether it was ever true where it was asked.
    pub seen_true: bool,
    /// Whether it was ever false.
    pub seen_false: bool,
}

/// The cards that have clauses.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cards {
    /// Cards and archetypes with clauses.
    pub cards: usize,
    /// Their clauses.
    pub clauses: usize,
    /// Those that were at work.
    pub clauses_at_work: usize,
    /// The conjuncts of their guards and targets.
    pub conjuncts: usize,
    /// Those that were true and false.
    pub conjuncts_both: usize,
    /// Cards of which a clause was never at work, with how many.
    pub not_all_at_work: BTreeMap<String, usize>,
}

impl Coverage {
    /// The report of a run.
    pub fn new(f: &Findings) -> Coverage {
        let gaps = gaps(f);
        let (path, entries) = f.explained;
        let explains = |gap: &Gap| entries.iter().find(|e| e.gap == *gap);
        let told: BTreeMap<&Gap, String> = gaps.told.iter().map(|(gap, at)| (gap, place(f.sources, *at))).collect();
        let open: Vec<(String, String)> = told
            .iter()
            .filter(|(gap, _)| explains(gap).is_none())
            .map(|(gap, at)| (gap.to_string(), at.clone()))
            .collect();
        let explained = told.keys().filter_map(|gap| explains(gap)).map(|e| (e.gap.to_string(), e.reason.clone()));
        let explained: Vec<_> = explained.collect();
        let faults = entries.iter().filter_map(|e| fault(f, &gaps, e).map(|why| format!("{path}:{}: {why}", e.line)));
        let mut report = Coverage {
            format_version: FORMAT_VERSION,
            edition: f.program.edition.map(day),
            readings: f.program.readings.iter().cloned().collect(),
            worlds: f.worlds.iter().map(WorldReport::of).collect(),
            rules: f.owners.iter().map(|o| rule(f, o)).collect(),
            cards: cards(f),
            open,
            explained,
            list_faults: faults.collect(),
            rulings_failing: f.rulings.iter().filter(|r| r.failure.is_some()).map(|r| r.name.clone()).collect(),
            sentence: String::new(),
            exit_status: STATUS_OK,
        };
        report.exit_status = status(f, &report);
        report.sentence = sentence(&report, f.rulings.len());
        report
    }
}

/// What was not met.
struct Gaps {
    /// All of it.
    all: BTreeSet<Gap>,
    /// What is told: of a rule that was never at work the rule alone, of a part the part alone; with its place.
    told: Vec<(Gap, crate::lang::ast::Span)>,
    /// Everything that an entry may name.
    known: BTreeSet<Gap>,
}

/// Parts of one rule that have one text are one: it is covered if each of them is.
fn gaps(f: &Findings) -> Gaps {
    let mut gaps = Gaps { all: BTreeSet::new(), told: Vec::new(), known: BTreeSet::new() };
    for owner in f.owners {
        let gap = |part: Option<&Unit>, conjunct: Option<(String, bool)>| Gap {
            rule: owner.name.clone(),
            part: part.map(|u| u.text.clone()),
            conjunct,
        };
        let idle = |u: &Unit| !f.met.has(Mark::Part(u.part));
        let all_idle = owner.units.iter().all(idle);
        let mut add = |gap: Gap, open: bool, told: bool, at| {
            gaps.known.insert(gap.clone());
            if open {
                gaps.all.insert(gap.clone());
            }
            if open && told {
                gaps.told.push((gap, at));
            }
        };
        add(gap(None, None), all_idle, true, owner.span);
        for unit in &owner.units {
            add(gap(Some(unit), None), idle(unit), !all_idle, unit.span);
            for c in &unit.conjuncts {
                for truth in [true, false] {
                    let open = !f.met.has(Mark::Truth(c.place, c.number, truth));
                    add(gap(Some(unit), Some((c.text.clone(), truth))), open, !idle(unit), unit.span);
                }
            }
        }
    }
    gaps
}

/// What is wrong with an entry of the list.
fn fault(f: &Findings, gaps: &Gaps, e: &Entry) -> Option<String> {
    let in_force = f.owners.iter().any(|o| o.name == e.gap.rule);
    if gaps.all.contains(&e.gap) || !in_force && f.names.contains(&e.gap.rule.as_str()) {
        return None;
    }
    Some(if gaps.known.contains(&e.gap) {
        format!("this is not needed, since it was met: {}", e.gap)
    } else if in_force {
        format!("the rule has no such part or conjunct: {}", e.gap)
    } else {
        format!("no rule is named `{}`", e.gap.rule)
    })
}

fn rule(f: &Findings, owner: &Owner) -> RuleCoverage {
    let marks: Vec<Mark> = owner.units.iter().map(|u| Mark::Part(u.part)).collect();
    RuleCoverage {
        kind: owner.kind.to_owned(),
        name: owner.name.clone(),
        cites: owner.cites.clone(),
        place: place(f.sources, owner.span),
        worlds: f.met.worlds(&marks),
        rulings: f.met.rulings(&marks),
        parts: owner.units.iter().map(|u| part(f, u)).collect(),
    }
}

fn part(f: &Findings, unit: &Unit) -> PartCoverage {
    let mark = [Mark::Part(unit.part)];
    let seen = |place, number, truth| f.met.has(Mark::Truth(place, number, truth));
    let conjuncts = unit.conjuncts.iter().map(|c| ConjunctCoverage {
        conjunct: c.text.clone(),
        seen_true: seen(c.place, c.number, true),
        seen_false: seen(c.place, c.number, false),
    });
    PartCoverage {
        part: unit.text.clone(),
        worlds: f.met.worlds(&mark),
        rulings: f.met.rulings(&mark),
        conjuncts: conjuncts.collect(),
    }
}

fn cards(f: &Findings) -> Cards {
    let mut cards = Cards::default();
    let mut names = BTreeSet::new();
    let of_card = |id: ClauseId| {
        let rule = &f.program.rules[f.program.clauses[id.index()].rule.index()];
        matches!(rule.kind, "card" | "archetype").then_some(&rule.name)
    };
    for id in (0..f.program.clauses.len()).map(|i| ClauseId(i as u16)) {
        let Some(name) = of_card(id) else { continue };
        names.insert(name);
        cards.clauses += 1;
        if f.met.has(Mark::Part(Part::Clause(id))) {
            cards.clauses_at_work += 1;
        } else {
            *cards.not_all_at_work.entry(name.clone()).or_default() += 1;
        }
    }
    cards.cards = names.len();
    for (place, e) in places(f.program) {
        let id = match place {
            Place::Guard(id) | Place::Target(id) => id,
            Place::Define(_) => continue,
        };
        if of_card(id).is_none() {
            continue;
        }
        let n = flattened(e).len();
        let both = |i: &usize| [true, false].iter().all(|t| f.met.has(Mark::Truth(place, *i as u16, *t)));
        cards.conjuncts += n;
        cards.conjuncts_both += (0..n).filter(both).count();
    }
    cards
}

/// What is open is known to be so only where everything was explored.
fn status(f: &Findings, report: &Coverage) -> u8 {
    let incomplete = f.worlds.iter().any(|w| !w.complete);
    let failed =
        !report.list_faults.is_empty() || !report.rulings_failing.is_empty() || !report.open.is_empty() && !incomplete;
    let mut applying = vec![STATUS_OK];
    applying.extend(f.worlds.iter().any(|w| w.interrupted).then_some(STATUS_INTERRUPTED));
    applying.extend(failed.then_some(STATUS_FAILED));
    applying.extend(incomplete.then_some(STATUS_INCOMPLETE));
    winning_status(&applying)
}

fn sentence(report: &Coverage, rulings: usize) -> String {
    let word = status_word(report.exit_status);
    let parts: Vec<&PartCoverage> = report.rules.iter().flat_map(|r| &r.parts).collect();
    let met = |worlds: &[String], rulings: &[String]| !worlds.is_empty() || !rulings.is_empty();
    let at_work = |n: usize, of: usize| format!("{} of {}", grouped(n as u64), grouped(of as u64));
    let conjuncts: Vec<&ConjunctCoverage> = parts.iter().flat_map(|p| &p.conjuncts).collect();
    format!(
        "{word}  {} rules and keywords at work, {} parts of them, {} conjuncts both true and false \
         ({}, {}); {} open, {} explained",
        at_work(report.rules.iter().filter(|r| met(&r.worlds, &r.rulings)).count(), report.rules.len()),
        at_work(parts.iter().filter(|p| met(&p.worlds, &p.rulings)).count(), parts.len()),
        at_work(conjuncts.iter().filter(|c| c.seen_true && c.seen_false).count(), conjuncts.len()),
        counted(report.worlds.len() as u64, "world"),
        counted(rulings as u64, "ruling"),
        report.open.len(),
        report.explained.len(),
    )
}

/// Everything after the lines of the worlds.
pub fn text(report: &Coverage) -> String {
    let mut out = String::new();
    for (gap, at) in &report.open {
        out.push_str(&format!("OPEN  {gap}  ({at})\n"));
    }
    for fault in &report.list_faults {
        out.push_str(&format!("LIST  {fault}\n"));
    }
    for name in &report.rulings_failing {
        out.push_str(&format!("FAILS  ruling {name}: `facedown check` says why\n"));
    }
    let cards = &report.cards;
    out.push_str(&format!(
        "\ncards: {} of {} clauses at work, {} of {} conjuncts both true and false",
        cards.clauses_at_work, cards.clauses, cards.conjuncts_both, cards.conjuncts
    ));
    let idle: Vec<&str> = cards.not_all_at_work.keys().map(String::as_str).collect();
    if !idle.is_empty() {
        out.push_str(&format!("; not all at work: {}", idle.join(", ")));
    }
    out.push_str(&format!("\n{}\n", report.sentence));
    out
}
