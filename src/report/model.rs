//! The report of a check as data: what `--format json` prints and what the text is written from. Everything that is
//! measured is in [`Run`]; all else is the same on every machine and for every number of threads.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::play::{Exchanged, Play, RulingResult, WorldResult};
use crate::judge::run::Statistics;
use crate::judge::verdict::{Judged, Judgement, Verdict, as_expected};
use crate::lang::ast::{PropertyKind, Span};
use crate::lang::source::Sources;
use crate::lang::tree::{Program, Property};

/// The version of this format; it grows when a field changes its meaning or goes.
pub const FORMAT_VERSION: u32 = 1;

/// The report of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The version of this format.
    pub format_version: u32,
    /// Edition of the law, as `2026-08-07`; absent: the model declares none.
    pub edition: Option<String>,
    /// Every reading with its value.
    pub readings: BTreeMap<String, String>,
    /// The worlds that were run, in the order of the run.
    pub worlds: Vec<WorldReport>,
    /// Every property in force, by name.
    pub properties: Vec<PropertyReport>,
    /// Every ruling in force, by name.
    pub rulings: Vec<RulingReport>,
    /// What is not in force in this edition or reading.
    pub left_out: Vec<LeftOut>,
    /// Differences from the baseline, in words.
    pub differences: Vec<String>,
    /// Faults of the program itself.
    pub faults: Vec<String>,
    /// What was proved, in one sentence and in numbers.
    pub summary: Summary,
    /// What was measured.
    pub run: Run,
}

/// A world that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldReport {
    /// Its name.
    pub name: String,
    /// Different states.
    pub unique_states: u64,
    /// Outcomes of all actions in all states.
    pub steps: u64,
    /// Steps from a start to the farthest state.
    pub depth: u32,
    /// Whether everything was explored.
    pub complete: bool,
    /// Why not.
    pub why: Option<String>,
    /// Attributes that are left out of its states, since nothing reads them.
    pub left_out: Vec<String>,
    /// The checksum of what happens in all its steps; absent where not every state and step was explored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<String>,
    /// With `--symmetry`: how interchangeable objects were explored once, so that states, steps and depth are those of
    /// what is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<Exchanged>,
}

/// What kind of property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Must hold.
    Invariant,
    /// Must be reached.
    Witness,
    /// Must be refuted.
    Conjecture,
}

impl Kind {
    /// Its word in text.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Invariant => "invariant",
            Kind::Witness => "witness",
            Kind::Conjecture => "conjecture",
        }
    }

    pub(super) fn of(kind: PropertyKind) -> Kind {
        match kind {
            PropertyKind::Property => Kind::Invariant,
            PropertyKind::Witness => Kind::Witness,
            PropertyKind::Conjecture => Kind::Conjecture,
        }
    }
}

/// A verdict, as in section 8 of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", remote = "Verdict")]
enum VerdictWords {
    Holds,
    Violated,
    Vacuous,
    Reached,
    Unreached,
    Refuted,
    Passes,
    Fails,
    Incomplete,
    LeftOut,
}

/// A property with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// Which kind.
    pub kind: Kind,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// Seed sentences and cases that it encodes.
    pub seeds: Vec<String>,
    /// What it means, by language.
    pub says: BTreeMap<String, String>,
    /// Where it stands, as `path:line:column`.
    pub place: String,
    /// The verdict.
    #[serde(with = "VerdictWords")]
    #[schemars(with = "VerdictWords")]
    pub verdict: Verdict,
    /// Whether the verdict is no failure.
    pub as_expected: bool,
    /// The worlds it was judged on.
    pub worlds: Vec<String>,
    /// Worlds it speaks of that were not run.
    pub worlds_missing: Vec<String>,
    /// Whether what it speaks of happened.
    pub premise_reached: bool,
    /// Why nothing is known, or why it is left out.
    pub why: Option<String>,
    /// A shortest play that decides.
    pub trace: Option<Play>,
}

/// A ruling with its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulingReport {
    /// Its name.
    pub name: String,
    /// `passes` or `fails`.
    #[serde(with = "VerdictWords")]
    #[schemars(with = "VerdictWords")]
    pub verdict: Verdict,
    /// Why it fails.
    pub failure: Option<Failure>,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// The cases it encodes.
    pub from: Vec<String>,
    /// What it means, by language.
    pub says: BTreeMap<String, String>,
    /// Where it stands, as `path:line:column`.
    pub place: String,
}

/// Why a ruling fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The code, which `facedown explain` knows.
    pub code: String,
    /// The line that fails, as `path:line:column`.
    pub place: String,
    /// One sentence.
    pub message: String,
}

/// An item that is not in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// `rule`, `property`, `ruling`, ….
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// The whole in one sentence and in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// What was proved, or what is wrong.
    pub sentence: String,
    /// The exit status.
    pub exit_status: u8,
    /// States of all worlds together.
    pub unique_states: u64,
    /// Steps of all worlds together.
    pub steps: u64,
    /// Worlds that were explored to their end.
    pub worlds_complete: usize,
    /// Properties, witnesses and conjectures by kind and verdict: `invariant holds`, `witness reached`, ….
    pub properties: BTreeMap<String, usize>,
    /// Rulings that pass.
    pub rulings_pass: usize,
    /// Rulings that fail.
    pub rulings_fail: usize,
}

/// What was measured: the one part of the report that differs from run to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Of each world, by name.
    pub worlds: BTreeMap<String, RunWorld>,
    /// The whole run.
    pub seconds: f64,
    /// Version of the program.
    pub version: String,
}

/// What was measured of one world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunWorld {
    /// Seconds.
    pub seconds: f64,
    /// Memory for each state.
    pub bytes_per_state: f64,
    /// Threads used.
    pub threads: usize,
    /// `own`, `stateright` or `referee`.
    pub engine: String,
    /// What our own search did and took.
    pub search: Statistics,
}

/// Everything that a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// The files, for places.
    pub sources: &'a Sources,
    /// What was checked.
    pub program: &'a Program,
    /// The worlds that were run.
    pub worlds: &'a [WorldResult],
    /// The verdicts.
    pub judgement: &'a Judgement,
    /// The rulings, in order of the program; those that were not run are absent.
    pub rulings: &'a [RulingResult],
    /// Differences from the baseline.
    pub differences: &'a [String],
    /// The exit status.
    pub exit_status: u8,
    /// Seconds of the whole run.
    pub seconds: f64,
}

impl Report {
    /// The report of a run.
    pub fn new(findings: &Findings) -> Report {
        let program = findings.program;
        let mut properties: Vec<PropertyReport> = program
            .properties
            .iter()
            .zip(&findings.judgement.properties)
            .map(|(property, judged)| property_report(findings.sources, property, judged))
            .collect();
        properties.sort_by(|a, b| a.name.cmp(&b.name));
        let mut rulings: Vec<RulingReport> =
            findings.rulings.iter().map(|result| ruling_report(findings, result)).collect();
        rulings.sort_by(|a, b| a.name.cmp(&b.name));
        let mut report = Report {
            format_version: FORMAT_VERSION,
            edition: program.edition.map(day),
            readings: program.readings.iter().cloned().collect(),
            worlds: findings.worlds.iter().map(WorldReport::of).collect(),
            properties,
            rulings,
            left_out: program.left_out.iter().map(left_out).collect(),
            differences: findings.differences.to_vec(),
            faults: findings.judgement.faults.clone(),
            summary: Summary::default(),
            run: run(findings),
        };
        report.summary = summary(&report, findings.exit_status);
        report
    }
}

fn property_report(sources: &Sources, property: &Property, judged: &Judged) -> PropertyReport {
    PropertyReport {
        name: property.name.clone(),
        kind: Kind::of(property.kind),
        cites: property.cites.clone(),
        seeds: property.from.clone(),
        says: property.says.iter().cloned().collect(),
        place: place(sources, property.span),
        verdict: judged.verdict,
        as_expected: as_expected(property.kind, judged.verdict),
        worlds: judged.worlds.clone(),
        worlds_missing: judged.missing.clone(),
        premise_reached: judged.premise_reached,
        why: judged.why.clone(),
        trace: judged.trace.clone(),
    }
}

fn ruling_report(findings: &Findings, result: &RulingResult) -> RulingReport {
    let ruling = findings.program.rulings.iter().find(|r| r.name == result.name);
    let failure = result.failure.as_ref().map(|(code, span, message)| Failure {
        code: code.as_str().to_owned(),
        place: place(findings.sources, *span),
        message: message.clone(),
    });
    RulingReport {
        name: result.name.clone(),
        verdict: if failure.is_some() { Verdict::Fails } else { Verdict::Passes },
        failure,
        cites: ruling.map(|r| r.cites.clone()).unwrap_or_default(),
        from: ruling.map(|r| r.from.clone()).unwrap_or_default(),
        says: ruling.map(|r| r.says.iter().cloned().collect()).unwrap_or_default(),
        place: ruling.map(|r| place(findings.sources, r.span)).unwrap_or_default(),
    }
}

impl WorldReport {
    /// What is reproducible of a result.
    pub fn of(result: &WorldResult) -> WorldReport {
        WorldReport {
            name: result.name.clone(),
            unique_states: result.unique_states,
            steps: result.steps,
            depth: result.depth,
            complete: result.complete,
            why: result.why.clone(),
            left_out: result.left_out.clone(),
            events: (result.complete && result.symmetry.is_none()).then(|| format!("{:016x}", result.events)),
            symmetry: result.symmetry.clone(),
        }
    }
}

impl RunWorld {
    /// What is measured of a result.
    pub fn of(result: &WorldResult) -> RunWorld {
        RunWorld {
            seconds: result.seconds,
            bytes_per_state: result.bytes_per_state,
            threads: result.threads,
            engine: result.engine.clone(),
            search: result.statistics.clone(),
        }
    }
}

fn left_out((kind, name, reason): &(String, String, String)) -> LeftOut {
    LeftOut { kind: kind.clone(), name: name.clone(), reason: reason.clone() }
}

fn run(findings: &Findings) -> Run {
    Run {
        worlds: findings.worlds.iter().map(|r| (r.name.clone(), RunWorld::of(r))).collect(),
        seconds: findings.seconds,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

fn summary(report: &Report, exit_status: u8) -> Summary {
    let mut properties = BTreeMap::new();
    for p in &report.properties {
        *properties.entry(format!("{} {}", p.kind.as_str(), p.verdict.as_str())).or_insert(0) += 1;
    }
    let rulings_fail = report.rulings.iter().filter(|r| r.failure.is_some()).count();
    let mut summary = Summary {
        sentence: String::new(),
        exit_status,
        unique_states: report.worlds.iter().map(|w| w.unique_states).sum(),
        steps: report.worlds.iter().map(|w| w.steps).sum(),
        worlds_complete: report.worlds.iter().filter(|w| w.complete).count(),
        properties,
        rulings_pass: report.rulings.len() - rulings_fail,
        rulings_fail,
    };
    summary.sentence = super::text::sentence(report, &summary);
    summary
}

/// `path:line:column` of a span; empty where no file has it.
pub fn place(sources: &Sources, span: Span) -> String {
    let Some(file) = sources.files.get(usize::from(span.file)) else { return String::new() };
    let (line, column) = sources.line_column(span.file, span.start);
    format!("{}:{line}:{column}", file.path)
}

/// A day as `2026-08-07`.
pub fn day(date: crate::lang::ast::Date) -> String {
    format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)
}

/// The published schema of the report, as text that ends with a line feed.
pub fn schema() -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&schemars::schema_for!(Report))? + "\n")
}
