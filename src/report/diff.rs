//! What a diff found as data: what `--format json` prints, and what the text and the sheet are written from. Everything that
//! is measured is in [`DiffRun`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::day;
use super::sheet::Place;
use crate::judge::changes::Change;
use crate::judge::compare::{Came, Turn, Turned};
use crate::judge::parting::{Beside, Parting};
use crate::judge::play::{Play, PlayStep};
use crate::lang::ast::Span;
use crate::lang::source::Sources;
use crate::lang::tree::Program;

/// The version of this format; it grows when a field changes its meaning or goes.
pub const FORMAT_VERSION: u32 = 1;

/// What a diff found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffReport {
    /// The version of this format.
    pub format_version: u32,
    /// The old rulebook.
    pub old: SideReport,
    /// The new one.
    pub new: SideReport,
    /// Every item that differs as it is in force.
    pub changes: Vec<ChangeReport>,
    /// Properties, rulings and ghosts that do not fit one of the rulebooks, and are left out there.
    pub set_aside: Vec<SetAside>,
    /// Every thing whose verdict differs, the worst first.
    pub verdicts: Vec<VerdictReport>,
    /// The worlds that were looked at.
    pub worlds: Vec<WorldPair>,
    /// Where the two part, smallest first, grouped by the change that makes the difference.
    pub behaviour: Vec<PartingReport>,
    /// Faults of the program itself.
    pub faults: Vec<String>,
    /// The whole in one sentence and in numbers.
    pub summary: DiffSummary,
    /// What was measured.
    pub run: DiffRun,
}

/// One of the two rulebooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SideReport {
    /// As it was named: a folder, or `REV:FOLDER`.
    pub name: String,
    /// The git revision it was read from, if it was.
    pub revision: Option<String>,
    /// Edition of the law, as `2026-08-07`.
    pub edition: Option<String>,
    /// Every reading with its value.
    pub readings: BTreeMap<String, String>,
}

impl SideReport {
    /// Of a program.
    pub fn new(name: String, revision: Option<String>, program: &Program) -> SideReport {
        let readings = program.readings.iter().cloned().collect();
        SideReport { name, revision, edition: program.edition.map(day), readings }
    }
}

/// An item that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeReport {
    /// `rule`, `keyword`, `card`, `world`, `property`, ….
    pub kind: String,
    /// Its name.
    pub name: String,
    /// `added`, `deleted`, `changed`, `reworded`.
    pub how: String,
    /// Whether it changes what may happen.
    pub of_the_law: bool,
    /// Where it stands in the old rulebook.
    pub old: Option<Place>,
    /// Where it stands in the new one.
    pub new: Option<Place>,
    /// Where the two first differ, in the old one.
    pub old_first: Option<Place>,
    /// The same in the new one.
    pub new_first: Option<Place>,
}

impl ChangeReport {
    fn of(change: &Change, old: &Sources, new: &Sources) -> ChangeReport {
        let place = |sources, span: Option<Span>| span.and_then(|s| Place::as_read(sources, s));
        ChangeReport {
            kind: change.kind.to_owned(),
            name: change.name.clone(),
            how: change.how.as_str().to_owned(),
            of_the_law: change.is_of_the_law(),
            old: place(old, change.old),
            new: place(new, change.new),
            old_first: place(old, change.first.map(|f| f.0)),
            new_first: place(new, change.first.map(|f| f.1)),
        }
    }

    /// Where to look: in the new rulebook, or in the old one for what is deleted.
    pub fn at(&self) -> Option<&Place> {
        self.new.as_ref().or(self.old.as_ref())
    }

    /// `rule stays-down (deleted) at model/rules/face-down.rules:3:1`
    pub fn title(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" {}", self.name) };
        let at = self.at().map_or_else(String::new, |at| format!(" at {at}"));
        format!("{}{name} ({}){at}", self.kind, self.how)
    }
}

/// Something that does not fit one of the rulebooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetAside {
    /// `old` or `new`.
    pub side: String,
    /// `property`, `witness`, `conjecture`, `ruling`, `ghost`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
}

/// A thing whose verdict differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictReport {
    /// `invariant`, `witness`, `conjecture`, `ruling`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// What it means, by language.
    pub says: BTreeMap<String, String>,
    /// Where it stands.
    pub place: Option<Place>,
    /// The verdict in the old rulebook; none: it does not have it.
    pub old: Option<String>,
    /// The verdict in the new one.
    pub new: Option<String>,
    /// `worse`, `unknown`, `better`, `other`, `new`, `gone`.
    pub turn: String,
    /// The change to be looked at first, a place among the changes.
    pub change: Option<usize>,
    /// Why nothing is known, or why a ruling fails.
    pub why: Option<String>,
    /// A play of the new rulebook that decides.
    pub new_play: Option<Play>,
    /// A play of the old rulebook: one that decided, or in which what it speaks of happened.
    pub old_play: Option<Play>,
}

/// A world in the two rulebooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldPair {
    /// Its name.
    pub name: String,
    /// Its states in the old rulebook; none: it does not have the world.
    pub old_states: Option<u64>,
    /// Its states in the new one.
    pub new_states: Option<u64>,
    /// States that both have in common and that were compared step by step; none: it was not compared.
    pub common_states: Option<u64>,
    /// Steps that both take from these.
    pub common_steps: u64,
    /// Whether everything was explored and compared.
    pub complete: bool,
    /// Why not.
    pub why: Option<String>,
    /// Whether the two part there.
    pub parts: bool,
}

impl WorldPair {
    /// Whether both sides have a world of this name that is not the same position, so that it was not compared.
    pub fn is_another_position(&self) -> bool {
        self.old_states.is_some() && self.new_states.is_some() && self.common_states.is_none()
    }
}

/// Where the two part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartingReport {
    /// The world.
    pub world: String,
    /// In what: `old_alone`, `new_alone`, `cost`, `choices`, `events`, `knowledge`, `state`, `look`, `may_look`, `start`.
    pub kind: String,
    /// The same as a sentence.
    pub meaning: String,
    /// The changes that make the difference, places among the changes; none: it is not known which.
    pub changes: Vec<usize>,
    /// The common play, as the old rulebook tells it.
    pub old_play: Play,
    /// The same as the new one tells it.
    pub new_play: Play,
    /// What the old rulebook does then.
    pub old: Vec<PlayStep>,
    /// What the new one does then.
    pub new: Vec<PlayStep>,
    /// What differs, in words.
    pub says: Vec<String>,
}

/// The whole in one sentence and in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffSummary {
    /// What differs, or that nothing does and what that says.
    pub sentence: String,
    /// The exit status.
    pub exit_status: u8,
    /// Verdicts by how they turned.
    pub verdicts: BTreeMap<String, usize>,
    /// Worlds that were compared step by step.
    pub worlds_compared: usize,
    /// Common states of all of them together.
    pub common_states: u64,
    /// How often the two part.
    pub partings: usize,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffRun {
    /// Seconds of each comparison, by world.
    pub worlds: BTreeMap<String, f64>,
    /// The whole run.
    pub seconds: f64,
    /// Version of the program.
    pub version: String,
}

/// Everything that a report is made from.
#[derive(Clone, Debug)]
pub struct DiffFindings<'a> {
    /// The files of the old and the new rulebook.
    pub sources: (&'a Sources, &'a Sources),
    /// The two.
    pub sides: (SideReport, SideReport),
    /// What differs.
    pub changes: &'a [Change],
    /// What was set aside.
    pub set_aside: &'a [SetAside],
    /// The verdicts that differ.
    pub turned: &'a [Turned],
    /// The worlds.
    pub worlds: Vec<WorldPair>,
    /// What the comparisons came to.
    pub beside: &'a [Beside],
    /// Faults of the program.
    pub faults: Vec<String>,
    /// Seconds of the whole run.
    pub seconds: f64,
}

impl DiffReport {
    /// The report of a diff; its status is set by [`super::diff_text::sentence`].
    pub fn new(found: DiffFindings) -> DiffReport {
        let (old, new) = found.sources;
        let changes: Vec<_> = found.changes.iter().map(|c| ChangeReport::of(c, old, new)).collect();
        let mut behaviour: Vec<PartingReport> =
            found.beside.iter().flat_map(|b| b.partings.iter().map(|p| parting(&b.world, p))).collect();
        sort(&mut behaviour, &changes);
        let mut verdicts = BTreeMap::new();
        for t in found.turned {
            *verdicts.entry(t.turn.as_str().to_owned()).or_insert(0) += 1;
        }
        let summary = DiffSummary {
            verdicts,
            worlds_compared: found.beside.len(),
            common_states: found.beside.iter().map(|b| b.states).sum(),
            partings: behaviour.len(),
            ..DiffSummary::default()
        };
        DiffReport {
            format_version: FORMAT_VERSION,
            old: found.sides.0,
            new: found.sides.1,
            changes,
            set_aside: found.set_aside.to_vec(),
            verdicts: found.turned.iter().map(|t| verdict(t, old, new)).collect(),
            worlds: found.worlds,
            behaviour,
            faults: found.faults,
            summary,
            run: DiffRun {
                worlds: found.beside.iter().map(|b| (b.world.clone(), b.seconds)).collect(),
                seconds: found.seconds,
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
        }
    }

    /// How many verdicts turned so.
    pub fn turned(&self, turn: Turn) -> usize {
        self.summary.verdicts.get(turn.as_str()).copied().unwrap_or(0)
    }
}

/// By the changes that make the difference, those with the smallest play first; inside by the length of the play.
fn sort(behaviour: &mut [PartingReport], changes: &[ChangeReport]) {
    let names = |p: &PartingReport| -> Vec<String> { p.changes.iter().map(|c| changes[*c].title()).collect() };
    let mut smallest: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for p in behaviour.iter() {
        let n = p.old_play.steps.len();
        let least = smallest.entry(names(p)).or_insert(n);
        *least = n.min(*least);
    }
    behaviour.sort_by_cached_key(|p| {
        let names = names(p);
        let unknown = names.is_empty();
        let least = smallest.get(&names).copied().unwrap_or(0);
        (unknown, least, names, p.old_play.steps.len(), p.kind.clone(), p.world.clone())
    });
}

fn parting(world: &str, p: &Parting) -> PartingReport {
    PartingReport {
        world: world.to_owned(),
        kind: p.kind.as_str().to_owned(),
        meaning: p.kind.meaning().to_owned(),
        changes: p.changes.clone(),
        old_play: p.old_play.clone(),
        new_play: p.new_play.clone(),
        old: p.old.clone(),
        new: p.new.clone(),
        says: p.says.clone(),
    }
}

fn verdict(t: &Turned, old: &Sources, new: &Sources) -> VerdictReport {
    let word = |came: &Option<Came>| came.as_ref().map(|c| c.verdict.as_str().to_owned());
    let place = match (&t.new, &t.old) {
        (Some(came), _) => Place::as_read(new, came.span),
        (None, Some(came)) => Place::as_read(old, came.span),
        (None, None) => None,
    };
    let why = t.new.as_ref().and_then(|came| match &came.failure {
        Some((code, span, message)) => {
            let at = Place::as_read(new, *span).map_or_else(String::new, |at| format!("{at}: "));
            Some(format!("{at}{message} [{}]", code.as_str()))
        }
        None => came.why.clone(),
    });
    let play = |came: &Option<Came>| came.as_ref().and_then(|c| c.play.clone());
    VerdictReport {
        kind: t.kind.to_owned(),
        name: t.name.clone(),
        cites: t.cites.clone(),
        says: t.says.iter().cloned().collect(),
        // A name is enough: the whole of a property may be long.
        place: place.map(|p| Place { end_line: p.line, end_column: p.column, ..p }),
        old: word(&t.old),
        new: word(&t.new),
        turn: t.turn.as_str().to_owned(),
        change: t.change,
        why,
        new_play: play(&t.new),
        old_play: play(&t.old).or_else(|| t.premise.clone()),
    }
}

/// The published schema of the report, as text that ends with a line feed.
pub fn schema() -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&schemars::schema_for!(DiffReport))? + "\n")
}
