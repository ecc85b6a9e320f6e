//! A sweep, told: how much was covered, the smallest play that breaks each broken property with its position as a world
//! that can be kept, in how many positions each conjecture was refuted, and what was exercised nowhere.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{Kind, day, place};
use super::text::{Style, counted, grouped, said, status_word};
use super::trace;
use crate::judge::play::Play;
use crate::judge::sweep::{Asked, Judged, PLACES, Swept};
use crate::judge::verdict::{
    STATUS_FAILED, STATUS_FAULT, STATUS_INCOMPLETE, STATUS_INTERRUPTED, STATUS_OK, winning_status,
};
use crate::lang::source::Sources;
use crate::lang::tree::{Program, World};

/// The version of this format; it grows when a field changes its meaning or goes.
pub const FORMAT_VERSION: u32 = 1;

/// A sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweepReport {
    /// The version of this format.
    pub format_version: u32,
    /// Edition of the law, as `2026-08-07`; absent: the model declares none.
    pub edition: Option<String>,
    /// Every reading with its value.
    pub readings: BTreeMap<String, String>,
    /// What was swept over.
    pub over: Over,
    /// What was covered.
    pub covered: Covered,
    /// Properties, witnesses and conjectures that speak of every world, by name.
    pub properties: Vec<SweptProperty>,
    /// What should never be; a fault of the program.
    pub faults: Vec<String>,
    /// What was proved, or what is wrong, in one sentence.
    pub sentence: String,
    /// The exit status.
    pub exit_status: u8,
    /// What was measured: the one part that differs from run to run.
    pub run: Run,
}

/// What was swept over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// The effects.
    pub effects: Vec<String>,
    /// How many of them a position allows, to both players.
    pub allowed: usize,
    /// The cards.
    pub cards: Vec<String>,
    /// Where one of them starts each.
    pub places: Vec<String>,
    /// Combinations of effects.
    pub combinations: u64,
    /// Choices of cards.
    pub choices: u64,
    /// Positions: both together.
    pub positions: u64,
}

/// What was covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Covered {
    /// Positions that were explored.
    pub positions: u64,
    /// Those that have more states than a position may (`--limit-states`).
    pub over_limit: u64,
    /// Those in which something mandatory went beyond a cap or budget.
    pub capped: u64,
    /// The first position that was not explored to its end, as a world.
    pub first_incomplete: Option<String>,
    /// States of all positions.
    pub states: u64,
    /// Steps of all positions.
    pub steps: u64,
    /// Steps from a start to the farthest state.
    pub depth: u32,
    /// The checksum of what happens in all steps.
    pub events: String,
    /// The most states of a position.
    pub largest_states: u64,
    /// The first position that has them, as a world.
    pub largest: Option<String>,
}

/// A property with what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweptProperty {
    /// Its name.
    pub name: String,
    /// Which kind.
    pub kind: Kind,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// What it means, by language.
    pub says: BTreeMap<String, String>,
    /// Where it stands, as `path:line:column`.
    pub place: String,
    /// What became of it.
    pub verdict: Word,
    /// In how many positions what it speaks of happened.
    pub premise_positions: u64,
    /// In how many positions it is broken; of a witness: reached.
    pub hit_positions: u64,
    /// The position of a smallest play that breaks it, as a world that can be kept in a file.
    pub world: Option<String>,
    /// That play.
    pub play: Option<Play>,
}

/// What became of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// True in all positions that were covered.
    Holds,
    /// A property is broken in some.
    Violated,
    /// A conjecture is refuted in some.
    Refuted,
    /// A conjecture is refuted in none; no failure, since it is to be refuted somewhere else.
    NotRefuted,
    /// A witness is reached in some.
    Reached,
    /// A witness is reached in none; no failure.
    Unreached,
    /// What a property speaks of happens in none; no failure.
    NotExercised,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Seconds.
    pub seconds: f64,
    /// Version of the program.
    pub version: String,
}

/// Everything that a report is made from.
pub struct Findings<'a> {
    /// The files, for places.
    pub sources: &'a Sources,
    /// What was checked.
    pub program: &'a Program,
    /// What was asked for.
    pub asked: &'a Asked,
    /// What was found.
    pub swept: &'a Swept,
    /// Seconds of the whole run.
    pub seconds: f64,
}

impl SweepReport {
    /// The report of a sweep.
    pub fn new(findings: &Findings) -> SweepReport {
        let Findings { program, asked, swept, .. } = findings;
        let tally = &swept.tally;
        let effect = |e: &crate::lang::tree::ProcedureId| program.procedures[e.index()].name.clone();
        let mut properties: Vec<SweptProperty> = swept.properties.iter().map(|j| property(findings, j)).collect();
        properties.sort_by(|a, b| a.name.cmp(&b.name));
        let mut applying = vec![STATUS_OK];
        applying.extend((!swept.faults.is_empty()).then_some(STATUS_FAULT));
        applying.extend(tally.interrupted.then_some(STATUS_INTERRUPTED));
        applying.extend(properties.iter().any(|p| p.verdict == Word::Violated).then_some(STATUS_FAILED));
        applying.extend((tally.over_limit + tally.capped > 0).then_some(STATUS_INCOMPLETE));
        let mut report = SweepReport {
            format_version: FORMAT_VERSION,
            edition: program.edition.map(day),
            readings: program.readings.iter().cloned().collect(),
            over: Over {
                effects: asked.effects.iter().map(effect).collect(),
                allowed: asked.allowed,
                cards: asked.cards.iter().map(|c| program.cards[c.index()].name.clone()).collect(),
                places: PLACES.iter().take(asked.dealt).map(|z| z.name().to_owned()).collect(),
                combinations: swept.combinations,
                choices: swept.choices,
                positions: swept.combinations * swept.choices,
            },
            covered: Covered {
                positions: tally.positions,
                over_limit: tally.over_limit,
                capped: tally.capped,
                first_incomplete: swept.incomplete.as_ref().map(|w| world_text(program, w)),
                states: tally.states,
                steps: tally.steps,
                depth: tally.depth,
                events: format!("{:016x}", tally.events),
                largest_states: tally.largest.map_or(0, |(states, _)| states),
                largest: swept.largest.as_ref().map(|w| world_text(program, w)),
            },
            properties,
            faults: swept.faults.clone(),
            sentence: String::new(),
            exit_status: winning_status(&applying),
            run: Run { seconds: findings.seconds, version: env!("CARGO_PKG_VERSION").to_owned() },
        };
        report.sentence = sentence(&report);
        report
    }
}

fn property(findings: &Findings, judged: &Judged) -> SweptProperty {
    let property = &findings.program.properties[judged.property];
    let kind = Kind::of(property.kind);
    let verdict = match kind {
        Kind::Invariant if judged.hit > 0 => Word::Violated,
        Kind::Invariant if judged.premise > 0 => Word::Holds,
        Kind::Invariant => Word::NotExercised,
        Kind::Conjecture if judged.hit > 0 => Word::Refuted,
        Kind::Conjecture => Word::NotRefuted,
        Kind::Witness if judged.hit > 0 => Word::Reached,
        Kind::Witness => Word::Unreached,
    };
    SweptProperty {
        name: property.name.clone(),
        kind,
        cites: property.cites.clone(),
        says: property.says.iter().cloned().collect(),
        place: place(findings.sources, property.span),
        verdict,
        premise_positions: judged.premise,
        hit_positions: judged.hit,
        world: judged.smallest.as_ref().map(|s| world_text(findings.program, &s.world)),
        play: judged.smallest.as_ref().map(|s| s.play.clone()),
    }
}

/// A world as the language writes it.
pub fn world_text(program: &Program, world: &World) -> String {
    let mut out = format!("world {} \"{}\" {{\n  players {}\n", world.name, world.title, world.players.join(", "));
    // Writing into a string can't fail.
    for start in &world.starts {
        let cards: Vec<String> = start.options.iter().map(|c| card(program, *c)).collect();
        let player = &world.players[usize::from(start.player)];
        let _ = writeln!(out, "  start {player} {}: {}", start.zone.name(), cards.join(", "));
    }
    let effects: Vec<&str> = world.allows.iter().map(|(e, _)| program.procedures[e.index()].name.as_str()).collect();
    let limits = &world.limits;
    if !effects.is_empty() {
        let _ = writeln!(out, "  allow {}", effects.join(", "));
    }
    let _ = writeln!(
        out,
        "  mana unlimited\n  budget stack {}, tokens {}, counters {}\n}}",
        limits.stack_budget, limits.tokens_budget, limits.counters_budget
    );
    out
}

/// A card's name as the language writes it: of an archetype bare, of a card in quotes.
fn card(program: &Program, card: crate::lang::tree::CardId) -> String {
    let card = &program.cards[card.index()];
    if card.archetype { card.name.clone() } else { format!("\"{}\"", card.name) }
}

fn sentence(report: &SweepReport) -> String {
    let (over, covered) = (&report.over, &report.covered);
    let count = |word: Word| report.properties.iter().filter(|p| p.verdict == word).count() as u64;
    let holds = count(Word::Holds);
    let verb = if holds == 1 { "holds" } else { "hold" };
    let of =
        if covered.positions == over.positions { String::new() } else { format!(" of {}", grouped(over.positions)) };
    let mut parts = vec![format!(
        "{} {verb} in {}{of} ({}, {})",
        counted(holds, "invariant"),
        counted(covered.positions, "position"),
        counted(covered.states, "state"),
        counted(covered.steps, "step"),
    )];
    let told = [
        (Word::Violated, "invariant", "VIOLATED"),
        (Word::NotExercised, "invariant", "not exercised"),
        (Word::Refuted, "conjecture", "refuted"),
        (Word::NotRefuted, "conjecture", "not refuted here"),
        (Word::Reached, "witness", "reached"),
        (Word::Unreached, "witness", "not reached here"),
    ];
    for (word, noun, told) in told {
        let n = count(word);
        if n > 0 {
            parts.push(format!("{} {told}", counted(n, noun)));
        }
    }
    if covered.over_limit > 0 {
        parts.push(format!("{} incomplete by --limit-states", counted(covered.over_limit, "position")));
    }
    if covered.capped > 0 {
        parts.push(format!("{} incomplete by a cap", counted(covered.capped, "position")));
    }
    format!("{}  {}", status_word(report.exit_status), parts.join("; "))
}

/// The report as text.
pub fn text(report: &SweepReport, style: &Style) -> String {
    let (over, covered) = (&report.over, &report.covered);
    let mut out = format!(
        "sweep  {} of {} over {} of {}: {}\n",
        counted(over.combinations, "combination"),
        named(over.allowed, over.effects.len(), "effect"),
        counted(over.choices, "choice"),
        named(over.places.len(), over.cards.len(), "card"),
        counted(over.positions, "position"),
    );
    let _ = writeln!(
        out,
        "covered  {}, {}, {}, depth at most {}, at most {} a position",
        counted(covered.positions, "position"),
        counted(covered.states, "state"),
        counted(covered.steps, "step"),
        covered.depth,
        counted(covered.largest_states, "state"),
    );
    for word in [Word::Refuted, Word::Violated] {
        for property in report.properties.iter().filter(|p| p.verdict == word) {
            out.push_str(&broken(property, style));
        }
    }
    for (word, title) in [
        (Word::NotExercised, "not exercised, since what they speak of happens in no position"),
        (Word::NotRefuted, "conjectures that no position refutes"),
        (Word::Unreached, "witnesses that no position reaches"),
    ] {
        let names: Vec<&str> =
            report.properties.iter().filter(|p| p.verdict == word).map(|p| p.name.as_str()).collect();
        if !names.is_empty() {
            let _ = write!(out, "\n{title}: {}\n", names.join(", "));
        }
    }
    if let Some(world) = &covered.first_incomplete {
        let _ = write!(out, "\nINCOMPLETE, first in this position:\n{}", indented(world, "  "));
    }
    for fault in &report.faults {
        let _ = write!(out, "\nFAULT of the program: {fault}\n");
    }
    let _ = write!(out, "\n{}\n", report.sentence);
    out
}

/// `3 of 37 effects`
fn named(n: usize, of: usize, noun: &str) -> String {
    format!("{n} of {}", counted(of as u64, noun))
}

fn broken(property: &SweptProperty, style: &Style) -> String {
    let word = if property.verdict == Word::Violated { "VIOLATED" } else { "refuted" };
    let cites = if property.cites.is_empty() { String::new() } else { format!(" [{}]", property.cites.join(", ")) };
    let mut out = format!("\n{word} {} {}{cites} at {}\n", property.kind.as_str(), property.name, property.place);
    if let Some(sentence) = said(&property.says, style) {
        let _ = writeln!(out, "  {sentence}");
    }
    let _ = writeln!(out, "  in {}; a smallest play:", counted(property.hit_positions, "position"));
    if let Some(play) = &property.play {
        if play.steps.is_empty() {
            out.push_str("  it is so at the start\n");
        }
        out.push_str(&trace::text(play, &style.replay, "  "));
    }
    if let Some(world) = &property.world {
        out.push_str("  where this stands in a file of the model:\n");
        out.push_str(&indented(world, "    "));
    }
    out
}

fn indented(text: &str, margin: &str) -> String {
    text.lines().map(|line| format!("{margin}{line}\n")).collect()
}

/// The published schema of the report, as text that ends with a line feed.
pub fn schema() -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&schemars::schema_for!(SweepReport))? + "\n")
}
