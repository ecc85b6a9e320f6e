//! What was at work of a model, as data: what no world and no ruling puts to work, what of that is explained, and which
//! explanations are not needed. Each section counts its own; what is open in those that were asked for fails.

mod cards;
mod effects;
mod events;
mod gaps;
mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::explained::{Entry, Gap};
use super::model::{WorldReport, day, place};
use super::parts::{Conjunct, Owner, Owners, Unit};
use crate::judge::coverage::{Mark, Met};
use crate::judge::play::{RulingResult, WorldResult};
use crate::judge::verdict::{STATUS_FAILED, STATUS_INCOMPLETE, STATUS_INTERRUPTED, STATUS_OK, winning_status};
use crate::lang::source::Sources;
use crate::lang::tree::Program;
use crate::report::seeds::{Counts, Table};
pub use cards::{CardCoverage, Cards};
pub use effects::{AllowedEffect, EffectCoverage};
pub use events::{EventCoverage, WordCoverage};
pub use words::text;

/// What is told apart, and can be asked for alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Section {
    /// Rules and keywords, and their parts.
    Rules,
    /// What they ask: guards, targets, defines, conditions and filters of bodies.
    Conjuncts,
    /// The verbs of physics and the named events.
    Events,
    /// Cards and archetypes.
    Archetypes,
    /// What worlds allow to happen.
    Effects,
}

impl Section {
    /// All of them.
    pub const ALL: [Section; 5] =
        [Section::Rules, Section::Conjuncts, Section::Events, Section::Archetypes, Section::Effects];
}

/// The version of this format; it grows when a field changes its meaning or goes.
pub const FORMAT_VERSION: u32 = 1;

/// All that a report is made from.
pub struct Findings<'a> {
    /// The files.
    pub sources: &'a Sources,
    /// The program.
    pub program: &'a Program,
    /// What it is made of.
    pub owners: &'a Owners,
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
    /// Which sections are asked for.
    pub sections: &'a [Section],
    /// The seed table, where it is asked for.
    pub seeds: Option<&'a Table>,
}

/// The coverage of a model.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
    /// The events, in the order in which the language lists them; named events after them.
    pub events: Vec<EventCoverage>,
    /// The cards, as a whole.
    pub cards: Cards,
    /// Each card and archetype, by name.
    pub archetypes: Vec<CardCoverage>,
    /// Procedures that worlds allow, or could, by name.
    pub effects: Vec<EffectCoverage>,
    /// What claims ask, where it is never false, or a side of an `or` never true: told, and no gap.
    pub claims: Vec<ClaimCoverage>,
    /// The sentences of the seed documents, where there is a list of them and all sections are asked for.
    pub seeds: Option<Counts>,
    /// Sentences that nothing states and that have no reason, or that have both.
    pub seed_faults: Vec<String>,
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
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PartCoverage {
    /// Its text.
    pub part: String,
    /// The worlds in which it was at work.
    pub worlds: Vec<String>,
    /// The rulings in which it was.
    pub rulings: Vec<String>,
    /// The conjuncts of its guard and target, and of the conditions and filters of its body.
    pub conjuncts: Vec<ConjunctCoverage>,
}

/// A conjunct.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConjunctCoverage {
    /// Its text.
    pub conjunct: String,
    /// Whether it was ever true where it was asked.
    pub seen_true: bool,
    /// Whether it was ever false.
    pub seen_false: bool,
}

/// A conjunct of a claim that is never true, or never false, where it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimCoverage {
    /// `property` or `conjecture`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it stands, as `path:line:column`.
    pub place: String,
    /// The conjunct.
    #[serde(flatten)]
    pub conjunct: ConjunctCoverage,
}

impl Coverage {
    /// The report of a run.
    pub fn new(f: &Findings) -> Coverage {
        let gaps = gaps::gaps(f);
        let (path, entries) = f.explained;
        let explains = |gap: &Gap| entries.iter().find(|e| e.gap == *gap);
        let asked = gaps.told.iter().filter(|told| f.sections.contains(&told.section));
        let told: BTreeMap<&Gap, String> = asked.map(|told| (&told.gap, place(f.sources, told.at))).collect();
        let open: Vec<(String, String)> = told
            .iter()
            .filter(|(gap, _)| explains(gap).is_none())
            .map(|(gap, at)| (gap.to_string(), at.clone()))
            .collect();
        let explained = told.keys().filter_map(|gap| explains(gap)).map(|e| (e.gap.to_string(), e.reason.clone()));
        let explained: Vec<_> = explained.collect();
        let faults = entries.iter().filter_map(|e| gaps.fault(f, e).map(|why| format!("{path}:{}: {why}", e.line)));
        let archetypes: Vec<CardCoverage> = f.owners.cards.iter().filter_map(|o| cards::card(f, o)).collect();
        let mut report = Coverage {
            format_version: FORMAT_VERSION,
            edition: f.program.edition.map(day),
            readings: f.program.readings.iter().cloned().collect(),
            worlds: f.worlds.iter().map(WorldReport::of).collect(),
            rules: f.owners.law.iter().map(|o| rule(f, o)).collect(),
            events: events::events(f),
            cards: Cards::of(&archetypes),
            archetypes,
            effects: effects::effects(f),
            claims: claims(f),
            seeds: f.seeds.map(|t| t.counts),
            seed_faults: f.seeds.map_or_else(Vec::new, |t| t.faults.clone()),
            open,
            explained,
            list_faults: faults.collect(),
            rulings_failing: f.rulings.iter().filter(|r| r.failure.is_some()).map(|r| r.name.clone()).collect(),
            sentence: String::new(),
            exit_status: STATUS_OK,
        };
        report.exit_status = status(f, &report);
        report.sentence = words::sentence(&report, f.sections, f.rulings.len());
        report
    }
}

/// The published schema, as text that ends with a line feed.
pub fn schema() -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&schemars::schema_for!(Coverage))? + "\n")
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
    PartCoverage {
        part: unit.text.clone(),
        worlds: f.met.worlds(&mark),
        rulings: f.met.rulings(&mark),
        conjuncts: unit.conjuncts.iter().map(|c| conjunct(f, c)).collect(),
    }
}

fn conjunct(f: &Findings, c: &Conjunct) -> ConjunctCoverage {
    let seen = |truth| f.met.has(Mark::Truth(c.place, c.number, truth));
    ConjunctCoverage { conjunct: c.text.clone(), seen_true: seen(true), seen_false: seen(false) }
}

/// Of claims: what is asked first and never false could be left out; what is claimed is never false where the claim
/// holds, so of that the sides of an `or` that are never true are told, and what is never false before another side.
fn claims(f: &Findings) -> Vec<ClaimCoverage> {
    let mut list = Vec::new();
    for asked in &f.owners.claims {
        for (c, premise) in &asked.conjuncts {
            let conjunct = conjunct(f, c);
            let idle = !conjunct.seen_true || *premise && !conjunct.seen_false;
            if idle {
                let (kind, name) = (asked.kind.to_owned(), asked.name.clone());
                list.push(ClaimCoverage { kind, name, place: place(f.sources, c.span), conjunct });
            }
        }
    }
    list
}

/// What is open is known to be so only where everything was explored.
fn status(f: &Findings, report: &Coverage) -> u8 {
    let incomplete = f.worlds.iter().any(|w| !w.complete);
    let failed = !report.list_faults.is_empty()
        || !report.rulings_failing.is_empty()
        || !report.seed_faults.is_empty()
        || !report.open.is_empty() && !incomplete;
    let mut applying = vec![STATUS_OK];
    applying.extend(f.worlds.iter().any(|w| w.interrupted).then_some(STATUS_INTERRUPTED));
    applying.extend(failed.then_some(STATUS_FAILED));
    applying.extend(incomplete.then_some(STATUS_INCOMPLETE));
    winning_status(&applying)
}
