//! The record of what was proved: of which law (edition, readings, checksums of its wording), in which worlds, with which
//! verdicts. It stands beside a format that tells defects only. Nothing measured is in it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{Kind, Report, WorldReport};
use super::wording::{Written, checksum, checksums};
use crate::judge::verdict::STATUS_OK;

/// The version of this format; it grows when a field changes its meaning or goes.
pub const FORMAT_VERSION: u32 = 1;

/// What was proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The version of this format.
    pub format_version: u32,
    /// The program.
    pub tool: Tool,
    /// Edition of the law, as `2026-08-07`; absent: the model declares none.
    pub edition: Option<String>,
    /// Every reading with its value.
    pub readings: BTreeMap<String, String>,
    /// The checksum of all that the files of the model and of the properties say.
    pub model: String,
    /// The checksum of rules, keywords, cards and readings alone.
    pub law: String,
    /// Whether all came out as promised, everything that was asked for was explored, and nothing failed.
    pub proved: bool,
    /// What was proved, or what is wrong, in one sentence.
    pub sentence: String,
    /// The exit status.
    pub exit_status: u8,
    /// The worlds that were run.
    pub worlds: BTreeMap<String, World>,
    /// Properties, witnesses and conjectures in force.
    pub properties: BTreeMap<String, Promise>,
    /// Rulings that were played.
    pub rulings: BTreeMap<String, Ruling>,
    /// What is not in force in this edition or with these readings: `kind name`, with the reason.
    pub left_out: BTreeMap<String, String>,
}

/// Which program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Different states.
    pub unique_states: u64,
    /// Outcomes of all actions in all states.
    pub steps: u64,
    /// Steps from a start to the farthest state.
    pub depth: u32,
    /// Whether everything was explored.
    pub complete: bool,
    /// The checksum of what happens in all its steps; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<String>,
    /// Permutations under which states were taken to be the same; absent where each was explored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permutations: Option<u64>,
    /// The checksum of its wording.
    pub wording: String,
}

impl World {
    /// A world that was run, and the checksum of its wording.
    pub fn new(world: &WorldReport, wording: String) -> World {
        World {
            unique_states: world.unique_states,
            steps: world.steps,
            depth: world.depth,
            complete: world.complete,
            events: world.events.clone(),
            permutations: world.symmetry.as_ref().map(|s| s.permutations),
            wording,
        }
    }
}

/// A property, witness or conjecture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// Which kind.
    pub kind: Kind,
    /// The verdict.
    pub verdict: String,
    /// The worlds it was judged on.
    pub worlds: Vec<String>,
    /// The checksum of its wording.
    pub wording: String,
}

/// A ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ruling {
    /// The verdict.
    pub verdict: String,
    /// The checksum of its wording.
    pub wording: String,
}

impl Proof {
    /// The record of a run.
    pub fn new(report: &Report, written: &[Written]) -> Proof {
        let sums = checksums(written);
        let of = |kind: &'static str, name: &str| sums.get(&(kind, name)).cloned().unwrap_or_default();
        let whole = |part: &dyn Fn(&str) -> bool| {
            let parts = sums.iter().filter(|((kind, _), _)| part(kind));
            checksum(parts.flat_map(|((kind, name), sum)| [*kind, *name, sum.as_str()]))
        };
        let promised =
            |kind: &str| matches!(kind, "world" | "property" | "witness" | "conjecture" | "ruling" | "ghost");
        let worlds = report.worlds.iter().map(|w| (w.name.clone(), World::new(w, of("world", &w.name))));
        let properties = report.properties.iter().map(|p| {
            let kind = match p.kind {
                Kind::Invariant => "property",
                Kind::Witness => "witness",
                Kind::Conjecture => "conjecture",
            };
            let (verdict, worlds) = (p.verdict.as_str().to_owned(), p.worlds.clone());
            (p.name.clone(), Promise { kind: p.kind, verdict, worlds, wording: of(kind, &p.name) })
        });
        let rulings = report.rulings.iter().map(|r| {
            (r.name.clone(), Ruling { verdict: r.verdict.as_str().to_owned(), wording: of("ruling", &r.name) })
        });
        Proof {
            format_version: FORMAT_VERSION,
            tool: Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            edition: report.edition.clone(),
            readings: report.readings.clone(),
            model: whole(&|_| true),
            law: whole(&|kind| !promised(kind)),
            proved: report.summary.exit_status == STATUS_OK,
            sentence: report.summary.sentence.clone(),
            exit_status: report.summary.exit_status,
            worlds: worlds.collect(),
            properties: properties.collect(),
            rulings: rulings.collect(),
            left_out: report
                .left_out
                .iter()
                .map(|item| (format!("{} {}", item.kind, item.name), item.reason.clone()))
                .collect(),
        }
    }

    /// The text of a file.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// The published schema, as text that ends with a line feed.
pub fn schema() -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&schemars::schema_for!(Proof))? + "\n")
}
