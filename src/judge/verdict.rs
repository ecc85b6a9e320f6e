//! From what the explorations found to verdicts and the exit status: section 8 of the design, as pure functions. It
//! runs nothing, reads nothing and prints nothing.
//!
//! **Scope.** A property that names worlds speaks of those. One that names none speaks of every world that a run without
//! options explores (all but the deep ones) and of each deep world that this run was asked for.
//!
//! **Judging.** A violation anywhere decides. Else, if a world of the scope was explored incompletely, nothing is known.
//! Else, if a world of the scope was not asked for, a property that names its worlds is left out, since it was not
//! proved for all of them; one that names none is judged on the worlds that were run. Where nothing of the scope
//! shows what the property speaks of, it is vacuous (unreached, unrefuted) only if the whole scope was explored.

use std::collections::BTreeSet;

use super::play::{Finding, Play, RulingResult, WorldResult};
use crate::lang::ast::PropertyKind;
use crate::lang::diag::Code;
use crate::lang::tree::{Program, Property};

/// Worlds named so, or so and a dash and more, are big: they are run by `--all` or by name only.
pub const DEEP: &str = "deep";

/// Whether a world is left to `--all` and `--world`.
pub fn is_deep(world: &str) -> bool {
    world.strip_prefix(DEEP).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// What became of a property, witness, conjecture or ruling.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// A property: proved for every play of every world judged. A conjecture: a failure, since it should be refuted.
    Holds,
    /// A property is false somewhere.
    Violated,
    /// A property was never false, and what it speaks of never happened.
    Vacuous,
    /// A witness was found.
    Reached,
    /// No play of the worlds leads to the witness.
    Unreached,
    /// A conjecture is false, as it should be.
    Refuted,
    /// A ruling comes out as it says.
    Passes,
    /// A ruling does not.
    Fails,
    /// A limit, a cap or an interrupt came first.
    Incomplete,
    /// Its worlds were not asked for, or it is not in force.
    LeftOut,
}

impl Verdict {
    /// The word of reports and baselines.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Vacuous => "vacuous",
            Verdict::Reached => "reached",
            Verdict::Unreached => "unreached",
            Verdict::Refuted => "refuted",
            Verdict::Passes => "passes",
            Verdict::Fails => "fails",
            Verdict::Incomplete => "incomplete",
            Verdict::LeftOut => "left_out",
        }
    }
}

/// A property with its verdict. Indices are those of the program and of the results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The worlds it was judged on, in order of the run.
    pub worlds: Vec<String>,
    /// Worlds of its scope that were not run.
    pub missing: Vec<String>,
    /// Whether what it speaks of happened somewhere.
    pub premise_reached: bool,
    /// A shortest play that decided.
    pub trace: Option<Play>,
    /// Why nothing is known, or why it is left out.
    pub why: Option<String>,
}

/// All verdicts of a run.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Of each property of the program, in its order.
    pub properties: Vec<Judged>,
    /// What should never be: an engine that tells nothing of a property it was asked about.
    pub faults: Vec<String>,
}

/// Judges every property of the program on the worlds that were run.
pub fn judge(program: &Program, results: &[WorldResult]) -> Judgement {
    let faults = results.iter().filter_map(|r| r.fault.as_ref().map(|why| format!("world {}: {why}", r.name)));
    let mut judgement = Judgement { faults: faults.collect(), ..Judgement::default() };
    for (index, property) in program.properties.iter().enumerate() {
        let scope = scope(program, property, results);
        let mut seen = Vec::new();
        for result in results.iter().filter(|r| scope.contains(r.name.as_str())) {
            match result.findings.get(index) {
                Some(Some(finding)) => seen.push((result, finding)),
                Some(None) | None => judgement
                    .faults
                    .push(format!("the engine tells nothing of {} in world {}", property.name, result.name)),
            }
        }
        judgement.properties.push(judge_one(property, &scope, &seen));
    }
    judgement
}

fn scope<'a>(program: &'a Program, property: &Property, results: &[WorldResult]) -> BTreeSet<&'a str> {
    let names = program.worlds.iter().map(|w| w.name.as_str());
    if property.worlds.is_empty() {
        return names.filter(|name| !is_deep(name) || results.iter().any(|r| r.name == *name)).collect();
    }
    names.enumerate().filter(|(at, _)| property.worlds.contains(at)).map(|(_, name)| name).collect()
}

fn judge_one(property: &Property, scope: &BTreeSet<&str>, seen: &[(&WorldResult, &Finding)]) -> Judged {
    let run: BTreeSet<&str> = seen.iter().map(|(r, _)| r.name.as_str()).collect();
    let missing: Vec<String> = scope.difference(&run).map(|name| (*name).to_owned()).collect();
    let trace = match property.kind {
        PropertyKind::Witness => shortest(seen.iter().filter_map(|(_, f)| f.reached.as_ref())),
        PropertyKind::Property | PropertyKind::Conjecture => {
            shortest(seen.iter().filter_map(|(_, f)| f.violated.as_ref()))
        }
    };
    let premise_reached = trace.is_some() || seen.iter().any(|(_, f)| f.premise_reached);
    let stopped: Vec<String> = seen.iter().filter(|(r, _)| !r.complete).map(|(r, _)| why_incomplete(r)).collect();
    let names_its_worlds = !property.worlds.is_empty();
    let (verdict, why) = if trace.is_some() {
        (if_decided(property.kind), None)
    } else if seen.is_empty() {
        (Verdict::LeftOut, Some("its worlds were not asked for".to_owned()))
    } else if !stopped.is_empty() {
        (Verdict::Incomplete, Some(stopped.join("; ")))
    } else if property.kind == PropertyKind::Property && premise_reached && (missing.is_empty() || !names_its_worlds) {
        (Verdict::Holds, None)
    } else if missing.is_empty() {
        (if_undecided(property.kind), None)
    } else {
        (Verdict::LeftOut, Some(why_left_out(&missing)))
    };
    Judged {
        verdict,
        worlds: seen.iter().map(|(r, _)| r.name.clone()).collect(),
        missing,
        premise_reached,
        trace: trace.cloned(),
        why,
    }
}

/// The verdict when a play decides.
fn if_decided(kind: PropertyKind) -> Verdict {
    match kind {
        PropertyKind::Property => Verdict::Violated,
        PropertyKind::Witness => Verdict::Reached,
        PropertyKind::Conjecture => Verdict::Refuted,
    }
}

/// The verdict when all was explored and no play decides (of a property: and its premise was never there).
fn if_undecided(kind: PropertyKind) -> Verdict {
    match kind {
        PropertyKind::Property => Verdict::Vacuous,
        PropertyKind::Witness => Verdict::Unreached,
        PropertyKind::Conjecture => Verdict::Holds,
    }
}

/// The play with the fewest steps; of several, the one of the first world.
fn shortest<'a>(plays: impl Iterator<Item = &'a Play>) -> Option<&'a Play> {
    plays.min_by_key(|play| play.steps.len())
}

/// `world piles: stopped at 1000 states`
fn why_incomplete(result: &WorldResult) -> String {
    format!("world {}: {}", result.name, result.why.as_deref().unwrap_or("not explored to its end"))
}

/// A few worlds are named; where many were not asked for, those that were are the shorter list.
fn why_left_out(missing: &[String]) -> String {
    match missing {
        [one] => format!("nothing decides it without the world {one}, not asked for"),
        [_, ..] if missing.len() <= 3 => {
            format!("nothing decides it without the worlds {}, not asked for", missing.join(", "))
        }
        _ => "nothing decides it in the worlds that were asked for".to_owned(),
    }
}

/// Whether a verdict is what the author promised.
pub fn as_expected(kind: PropertyKind, verdict: Verdict) -> bool {
    match (kind, verdict) {
        (_, Verdict::Incomplete | Verdict::LeftOut | Verdict::Passes | Verdict::Refuted | Verdict::Reached) => true,
        (PropertyKind::Conjecture, Verdict::Holds) => false,
        (PropertyKind::Property | PropertyKind::Witness, Verdict::Holds) => true,
        (_, Verdict::Violated | Verdict::Vacuous | Verdict::Unreached | Verdict::Fails) => false,
    }
}

/// Exit status: everything is as expected.
pub const STATUS_OK: u8 = 0;
/// Exit status: something is not as promised.
pub const STATUS_FAILED: u8 = 1;
/// Exit status: the input or the command line is wrong.
pub const STATUS_INPUT: u8 = 2;
/// Exit status: a limit or a cap came first.
pub const STATUS_INCOMPLETE: u8 = 3;
/// Exit status: a fault of the program itself.
pub const STATUS_FAULT: u8 = 4;
/// Exit status: interrupted by the user.
pub const STATUS_INTERRUPTED: u8 = 130;

/// The order in which they win where several apply.
const STATUS_ORDER: [u8; 6] =
    [STATUS_INPUT, STATUS_FAULT, STATUS_INTERRUPTED, STATUS_FAILED, STATUS_INCOMPLETE, STATUS_OK];

/// The status that wins.
pub fn winning_status(applying: &[u8]) -> u8 {
    STATUS_ORDER.into_iter().find(|status| applying.contains(status)).unwrap_or(STATUS_OK)
}

/// The exit status of a check: from its verdicts, its rulings and the differences from the baseline.
pub fn exit_status(
    program: &Program,
    judgement: &Judgement,
    results: &[WorldResult],
    rulings: &[RulingResult],
    differences: &[String],
) -> u8 {
    let judged = || program.properties.iter().zip(&judgement.properties);
    let failed = judged().any(|(p, j)| !as_expected(p.kind, j.verdict))
        || rulings.iter().any(|r| r.failure.is_some())
        || !differences.is_empty();
    let incomplete = results.iter().any(|r| !r.complete) || judged().any(|(_, j)| j.verdict == Verdict::Incomplete);
    let mut applying = vec![STATUS_OK];
    let differ = rulings.iter().any(|r| matches!(r.failure, Some((Code::L408, ..))));
    applying.extend((differ || !judgement.faults.is_empty()).then_some(STATUS_FAULT));
    applying.extend(results.iter().any(|r| r.interrupted).then_some(STATUS_INTERRUPTED));
    applying.extend(failed.then_some(STATUS_FAILED));
    applying.extend(incomplete.then_some(STATUS_INCOMPLETE));
    winning_status(&applying)
}
