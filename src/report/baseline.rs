//! The baseline: what a model was last seen to prove, committed and reviewed, so that a change of it shows in words.
//! It holds nothing that is measured. Reading and writing files is done elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::{PropertyReport, Report};
use crate::judge::verdict::Verdict;
use crate::lang::tree::Program;

/// The version of this format.
const FORMAT_VERSION: u32 = 1;

/// What was promised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The version of this format.
    pub format_version: u32,
    /// The edition it was made for.
    pub edition: Option<String>,
    /// The readings it was made for.
    pub readings: BTreeMap<String, String>,
    /// Worlds by name.
    pub worlds: BTreeMap<String, Counts>,
    /// Verdicts of properties, witnesses and conjectures by name.
    pub properties: BTreeMap<String, String>,
    /// Verdicts of rulings by name.
    pub rulings: BTreeMap<String, String>,
}

/// The size of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Different states.
    pub unique_states: u64,
    /// Steps.
    pub steps: u64,
    /// Depth.
    pub depth: u32,
    /// Whether everything was explored.
    pub complete: bool,
}

impl Baseline {
    /// From the text of a file; else what is wrong with it.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let baseline: Baseline = serde_json::from_str(text).map_err(|e| format!("it is no baseline: {e}"))?;
        if baseline.format_version != FORMAT_VERSION {
            return Err(format!("its format is {}, this program reads {FORMAT_VERSION}", baseline.format_version));
        }
        Ok(baseline)
    }

    /// The text of a file.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// What this run makes of an older baseline: what was run is new, what was not asked for stays, what the model no
    /// longer has goes. One of another edition or readings is left behind.
    #[must_use]
    pub fn updated(old: Option<&Baseline>, report: &Report, program: &Program) -> Baseline {
        let mut new = Baseline {
            format_version: FORMAT_VERSION,
            edition: report.edition.clone(),
            readings: report.readings.clone(),
            ..Baseline::default()
        };
        if let Some(old) = old.filter(|old| old.other_law(report).is_none()) {
            new.worlds.clone_from(&old.worlds);
            new.properties.clone_from(&old.properties);
            new.rulings.clone_from(&old.rulings);
        }
        new.worlds.retain(|name, _| program.worlds.iter().any(|w| w.name == *name));
        new.properties.retain(|name, _| program.properties.iter().any(|p| p.name == *name));
        new.rulings.retain(|name, _| program.rulings.iter().any(|r| r.name == *name));
        new.worlds.extend(report.worlds.iter().map(|w| (w.name.clone(), counts(w))));
        let decided = report.properties.iter().filter(|p| p.verdict != Verdict::LeftOut);
        for property in decided {
            let word = property.verdict.as_str().to_owned();
            if speaks_for_all(property) || !new.properties.contains_key(&property.name) {
                new.properties.insert(property.name.clone(), word);
            }
        }
        new.rulings.extend(report.rulings.iter().map(|r| (r.name.clone(), r.verdict.as_str().to_owned())));
        new
    }

    /// The differences in words, in a fixed order.
    pub fn differences(&self, report: &Report, program: &Program) -> Vec<String> {
        if let Some(other) = self.other_law(report) {
            return vec![other];
        }
        let mut out = Vec::new();
        for world in &report.worlds {
            match self.worlds.get(&world.name) {
                Some(pinned) => out.extend(world_differences(&world.name, counts(world), *pinned)),
                None => out.push(format!(
                    "world {}: {} states, the baseline does not have it",
                    world.name, world.unique_states
                )),
            }
        }
        out.extend(gone("world", self.worlds.keys(), |name| program.worlds.iter().any(|w| w.name == name)));
        for property in report.properties.iter().filter(|p| p.verdict != Verdict::LeftOut) {
            let pinned = self.properties.get(&property.name).map(String::as_str);
            let (kind, now) = (property.kind.as_str(), property.verdict.as_str());
            if pinned != Some(now) && (speaks_for_all(property) || decides_alone(property.verdict)) {
                out.push(verdict_difference(kind, &property.name, now, pinned));
            }
        }
        let known = |name: &str| program.properties.iter().any(|p| p.name == name);
        out.extend(gone("property", self.properties.keys(), known));
        for ruling in &report.rulings {
            let pinned = self.rulings.get(&ruling.name).map(String::as_str);
            if pinned != Some(ruling.verdict.as_str()) {
                out.push(verdict_difference("ruling", &ruling.name, ruling.verdict.as_str(), pinned));
            }
        }
        out.extend(gone("ruling", self.rulings.keys(), |name| program.rulings.iter().any(|r| r.name == name)));
        out
    }

    /// Whether it was made for another edition or other readings.
    fn other_law(&self, report: &Report) -> Option<String> {
        let named = |edition: &Option<String>| edition.clone().unwrap_or_else(|| "none".to_owned());
        if self.edition != report.edition {
            let (now, then) = (named(&report.edition), named(&self.edition));
            return Some(format!("edition {now}, the baseline is of edition {then}"));
        }
        let listed = |r: &BTreeMap<String, String>| {
            if r.is_empty() {
                return "none".to_owned();
            }
            r.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
        };
        (self.readings != report.readings).then(|| {
            format!("readings {}, the baseline is of readings {}", listed(&report.readings), listed(&self.readings))
        })
    }
}

/// Whether every world that a property speaks of was run.
fn speaks_for_all(property: &PropertyReport) -> bool {
    property.worlds_missing.is_empty()
}

/// Whether one world is enough for a verdict.
fn decides_alone(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Violated | Verdict::Reached | Verdict::Refuted)
}

fn counts(world: &super::model::WorldReport) -> Counts {
    Counts { unique_states: world.unique_states, steps: world.steps, depth: world.depth, complete: world.complete }
}

fn world_differences(name: &str, now: Counts, pinned: Counts) -> Vec<String> {
    let mut out = Vec::new();
    if now.unique_states != pinned.unique_states {
        out.push(format!("world {name}: {} states, baseline says {}", now.unique_states, pinned.unique_states));
    }
    if now.steps != pinned.steps {
        out.push(format!("world {name}: {} steps, baseline says {}", now.steps, pinned.steps));
    }
    if now.depth != pinned.depth {
        out.push(format!("world {name}: depth {}, baseline says {}", now.depth, pinned.depth));
    }
    if now.complete != pinned.complete {
        let word = |complete| if complete { "complete" } else { "incomplete" };
        out.push(format!("world {name}: {}, baseline says {}", word(now.complete), word(pinned.complete)));
    }
    out
}

fn verdict_difference(kind: &str, name: &str, now: &str, pinned: Option<&str>) -> String {
    match pinned {
        Some(pinned) => format!("{kind} {name}: {now}, baseline says {pinned}"),
        None => format!("{kind} {name}: {now}, the baseline does not have it"),
    }
}

fn gone<'a>(kind: &str, names: impl Iterator<Item = &'a String>, known: impl Fn(&str) -> bool) -> Vec<String> {
    names
        .filter(|name| !known(name.as_str()))
        .map(|name| format!("{kind} {name}: the baseline has it, the model does not"))
        .collect()
}
