//! The baseline: what a model was last seen to prove, committed and reviewed, so that a change of it shows in words: what
//! changed, for which world, promise or rule, and after which change of the law. It holds nothing that is measured.
//! Reading and writing files is done elsewhere.
//!
//! Beside each verdict stands a checksum of the wording that it is a verdict of ([`super::wording`]). It finds a promise
//! that was reworded by mistake; against malice it does nothing.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, Serializer};

use super::model::{PropertyReport, Report, WorldReport};
use super::proof::World;
use super::text::counted;
use super::wording::{Written, checksums, property_kind};
use crate::judge::verdict::Verdict;
use crate::lang::tree::Program;

/// The version of this format.
const FORMAT_VERSION: u32 = 2;
/// The most changes of the law that are named beside a verdict.
const CAUSES_MAX: usize = 3;

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
    pub worlds: BTreeMap<String, World>,
    /// Properties, witnesses and conjectures by name.
    pub properties: BTreeMap<String, Pinned>,
    /// Rulings by name.
    pub rulings: BTreeMap<String, Pinned>,
    /// The wording of every other item, by kind and name: `rule stays-down-once-down`.
    pub law: BTreeMap<String, Law>,
}

/// A verdict and what it is a verdict of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    /// The verdict.
    pub verdict: String,
    /// The checksum of the wording.
    pub wording: String,
}

/// An item of the law.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    /// The checksum of its wording.
    pub wording: String,
    /// The rule numbers that it cites, so that it is known what it was about when it is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<String>,
}

/// A difference: what changed, for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// `world`, `invariant`, `witness`, `conjecture`, `property`, `ruling`, `rule`, …; empty: the whole.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What changed.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind.is_empty() {
            return f.write_str(&self.what);
        }
        write!(f, "{} {}: {}", self.kind, self.name, self.what)
    }
}

/// The checksums of the wording of a model, for looking up.
struct Wordings<'a>(BTreeMap<(&'static str, &'a str), String>);

impl Wordings<'_> {
    fn of(&self, kind: &'static str, name: &str) -> String {
        self.0.get(&(kind, name)).cloned().unwrap_or_default()
    }

    /// Of a property, witness or conjecture.
    fn property(&self, program: &Program, name: &str) -> String {
        let property = program.properties.iter().find(|p| p.name == name);
        property.map(|p| self.of(property_kind(p.kind), name)).unwrap_or_default()
    }
}

impl Baseline {
    /// From the text of a file; else what is wrong with it.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        #[derive(Deserialize)]
        struct Version {
            format_version: u32,
        }
        let version: Version = serde_json::from_str(text).map_err(|e| format!("it is no baseline: {e}"))?;
        if version.format_version != FORMAT_VERSION {
            return Err(format!(
                "its format is {}, this program reads {FORMAT_VERSION}: remove it and write it anew with --all --update-baseline",
                version.format_version
            ));
        }
        serde_json::from_str(text).map_err(|e| format!("it is no baseline: {e}"))
    }

    /// The text of a file: one name a line.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut out = format!("{{\n  \"format_version\": {},\n", self.format_version);
        out.push_str(&format!("  \"edition\": {},\n", spaced(&self.edition)?));
        let parts = [
            lines("readings", &self.readings)?,
            lines("worlds", &self.worlds)?,
            lines("properties", &self.properties)?,
            lines("rulings", &self.rulings)?,
            lines("law", &self.law)?,
        ];
        out.push_str(&parts.join(",\n"));
        out.push_str("\n}\n");
        Ok(out)
    }

    /// What this run makes of an older baseline: what was run is new, what was not asked for stays, what the model no
    /// longer has goes. One of another edition or readings is left behind.
    #[must_use]
    pub fn updated(old: Option<&Baseline>, report: &Report, program: &Program, written: &[Written]) -> Baseline {
        let wordings = Wordings(checksums(written));
        let mut new = Baseline {
            format_version: FORMAT_VERSION,
            edition: report.edition.clone(),
            readings: report.readings.clone(),
            law: law(program, &wordings),
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
        new.worlds.extend(report.worlds.iter().map(|w| (w.name.clone(), world_of(w, &wordings))));
        let decided = report.properties.iter().filter(|p| p.verdict != Verdict::LeftOut);
        for property in decided {
            let verdict = property.verdict.as_str().to_owned();
            if speaks_for_all(property) || !new.properties.contains_key(&property.name) {
                let wording = wordings.property(program, &property.name);
                new.properties.insert(property.name.clone(), Pinned { verdict, wording });
            }
        }
        new.rulings.extend(report.rulings.iter().map(|r| {
            let wording = wordings.of("ruling", &r.name);
            (r.name.clone(), Pinned { verdict: r.verdict.as_str().to_owned(), wording })
        }));
        new
    }

    /// The differences, in a fixed order: worlds, promises, rulings, then the law.
    pub fn differences(&self, report: &Report, program: &Program, written: &[Written]) -> Vec<Difference> {
        if let Some(other) = self.other_law(report) {
            return vec![difference("", "", other)];
        }
        let wordings = Wordings(checksums(written));
        let changes = self.law_changes(program, &wordings);
        let mut out = Vec::new();
        for world in &report.worlds {
            let found = world_of(world, &wordings);
            match self.worlds.get(&world.name) {
                Some(pinned) => out.extend(world_differences(&world.name, &found, pinned)),
                None => {
                    let what = format!("{} states, the baseline does not have it", world.unique_states);
                    out.push(difference("world", &world.name, what));
                }
            }
        }
        out.extend(gone("world", self.worlds.keys(), |name| program.worlds.iter().any(|w| w.name == name)));
        for property in &report.properties {
            let pinned = self.properties.get(&property.name);
            let (kind, now) = (property.kind.as_str(), property.verdict);
            let judged = now != Verdict::LeftOut && (speaks_for_all(property) || decides_alone(now));
            let why = || causes(&changes, &property.cites, property.trace.as_ref().filter(|_| !property.as_expected));
            if judged {
                out.extend(verdict_difference(kind, &property.name, now.as_str(), pinned, why));
            }
            let wording = wordings.property(program, &property.name);
            out.extend(reworded(kind, &property.name, &wording, pinned));
        }
        let known = |name: &str| program.properties.iter().any(|p| p.name == name);
        out.extend(gone("property", self.properties.keys(), known));
        for ruling in &report.rulings {
            let pinned = self.rulings.get(&ruling.name);
            let why = || causes(&changes, &ruling.cites, None);
            out.extend(verdict_difference("ruling", &ruling.name, ruling.verdict.as_str(), pinned, why));
            out.extend(reworded("ruling", &ruling.name, &wordings.of("ruling", &ruling.name), pinned));
        }
        out.extend(gone("ruling", self.rulings.keys(), |name| program.rulings.iter().any(|r| r.name == name)));
        out.extend(changes.into_iter().map(|(change, _)| change));
        out
    }

    /// What changed of the law, each with the numbers that it cites now or cited then.
    fn law_changes(&self, program: &Program, wordings: &Wordings) -> Vec<(Difference, Vec<String>)> {
        let now = law(program, wordings);
        let mut out = Vec::new();
        let names: std::collections::BTreeSet<&String> = now.keys().chain(self.law.keys()).collect();
        for name in names {
            let (new, old) = (now.get(name), self.law.get(name));
            let what = match (new, old) {
                (Some(new), Some(old)) if new.wording == old.wording => continue,
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "added",
                (None, _) => "gone",
            };
            let cites = [new, old].into_iter().flatten().flat_map(|law| law.cites.iter().cloned());
            let (kind, name) = name.split_once(' ').unwrap_or((name, ""));
            out.push((difference(kind, name, what.to_owned()), cites.collect()));
        }
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

/// The wording of everything but worlds, promises and rulings.
fn law(program: &Program, wordings: &Wordings) -> BTreeMap<String, Law> {
    let cites = |kind: &str, name: &str| {
        let rule = program.rules.iter().find(|r| r.kind == kind && r.name == name);
        rule.map(|r| r.cites.clone()).unwrap_or_default()
    };
    let promised = ["world", "property", "witness", "conjecture", "ruling"];
    let others = wordings.0.iter().filter(|((kind, _), _)| !promised.contains(kind));
    let entry = |((kind, name), wording): (&(&'static str, &str), &String)| {
        (format!("{kind} {name}"), Law { wording: wording.clone(), cites: cites(kind, name) })
    };
    others.map(entry).collect()
}

fn world_of(world: &WorldReport, wordings: &Wordings) -> World {
    World::new(world, wordings.of("world", &world.name))
}

fn difference(kind: &str, name: &str, what: String) -> Difference {
    Difference { kind: kind.to_owned(), name: name.to_owned(), what }
}

fn world_differences(name: &str, now: &World, pinned: &World) -> Vec<Difference> {
    let mut out = Vec::new();
    if now.unique_states != pinned.unique_states {
        out.push(format!("{} states, baseline says {}", now.unique_states, pinned.unique_states));
    }
    if now.steps != pinned.steps {
        out.push(format!("{} steps, baseline says {}", now.steps, pinned.steps));
    }
    if now.depth != pinned.depth {
        out.push(format!("depth {}, baseline says {}", now.depth, pinned.depth));
    }
    if now.complete != pinned.complete {
        let word = |complete| if complete { "complete" } else { "incomplete" };
        out.push(format!("{}, baseline says {}", word(now.complete), word(pinned.complete)));
    }
    if let (Some(now), Some(then)) = (&now.events, &pinned.events)
        && now != then
    {
        out.push(format!("other events in its steps ({now}, baseline says {then})"));
    }
    if now.wording != pinned.wording {
        out.push("its wording changed".to_owned());
    }
    out.into_iter().map(|what| difference("world", name, what)).collect()
}

fn verdict_difference(
    kind: &str,
    name: &str,
    now: &str,
    pinned: Option<&Pinned>,
    why: impl Fn() -> String,
) -> Option<Difference> {
    let what = match pinned {
        Some(pinned) if pinned.verdict == now => return None,
        Some(pinned) => format!("{now}, baseline says {}{}", pinned.verdict, why()),
        None => format!("{now}, the baseline does not have it"),
    };
    Some(difference(kind, name, what))
}

fn reworded(kind: &str, name: &str, wording: &str, pinned: Option<&Pinned>) -> Option<Difference> {
    let changed = pinned.is_some_and(|pinned| pinned.wording != wording);
    changed.then(|| difference(kind, name, "its wording changed".to_owned()))
}

/// ` (2 steps in tiny; rule stays-down-once-down is gone)`: the play that decides, and what changed of the law that
/// cites what the promise cites; where nothing of it does, whatever changed, if that is little.
fn causes(changes: &[(Difference, Vec<String>)], cites: &[String], play: Option<&crate::judge::play::Play>) -> String {
    let mut parts = Vec::new();
    parts.extend(play.map(|play| format!("{} in {}", counted(play.steps.len() as u64, "step"), play.world)));
    let mut near: Vec<&Difference> =
        changes.iter().filter(|(_, c)| c.iter().any(|cite| cites.contains(cite))).map(|(d, _)| d).collect();
    if near.is_empty() && changes.len() <= CAUSES_MAX {
        near = changes.iter().map(|(d, _)| d).collect();
    }
    for change in near.iter().take(CAUSES_MAX) {
        let verb = if change.what == "changed" {
            ""
        } else if change.what == "added" {
            "was "
        } else {
            "is "
        };
        parts.push(format!("{} {} {verb}{}", change.kind, change.name, change.what));
    }
    if near.len() > CAUSES_MAX {
        parts.push(format!("{} more changed", near.len() - CAUSES_MAX));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
}

fn gone<'a>(kind: &str, names: impl Iterator<Item = &'a String>, known: impl Fn(&str) -> bool) -> Vec<Difference> {
    names
        .filter(|name| !known(name.as_str()))
        .map(|name| difference(kind, name, "the baseline has it, the model does not".to_owned()))
        .collect()
}

/// `"name": {` and a line for each entry.
fn lines<T: Serialize>(name: &str, entries: &BTreeMap<String, T>) -> Result<String, serde_json::Error> {
    let line = |(key, value): (&String, &T)| Ok(format!("    {}: {}", spaced(key)?, spaced(value)?));
    let lines: Vec<String> = entries.iter().map(line).collect::<Result<_, serde_json::Error>>()?;
    if lines.is_empty() {
        return Ok(format!("  \"{name}\": {{}}"));
    }
    Ok(format!("  \"{name}\": {{\n{}\n  }}", lines.join(",\n")))
}

/// JSON on one line with spaces after colons and commas.
fn spaced<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    struct Spaced;
    impl Formatter for Spaced {
        fn begin_array_value<W: ?Sized + std::io::Write>(&mut self, w: &mut W, first: bool) -> std::io::Result<()> {
            w.write_all(if first { b"" } else { b", " })
        }
        fn begin_object_key<W: ?Sized + std::io::Write>(&mut self, w: &mut W, first: bool) -> std::io::Result<()> {
            w.write_all(if first { b"" } else { b", " })
        }
        fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, w: &mut W) -> std::io::Result<()> {
            w.write_all(b": ")
        }
    }
    let mut out = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut out, Spaced))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
