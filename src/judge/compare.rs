//! The verdicts of two rulebooks, side by side: what became of each property and ruling, whether that is worse, and which
//! of the changes is to be looked at first. Pure functions of what two checks found.

use std::collections::BTreeMap;

use super::changes::{Change, How};
use super::play::{Play, RulingResult};
use super::verdict::{Judged, Judgement, Verdict, as_expected};
use crate::lang::ast::{PropertyKind, Span};
use crate::lang::diag::Code;
use crate::lang::tree::Program;

/// What a check found of one rulebook.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The program.
    pub program: &'a Program,
    /// The verdicts of its properties.
    pub judgement: &'a Judgement,
    /// What became of its rulings.
    pub rulings: &'a [RulingResult],
}

/// What became of a thing in one rulebook.
#[derive(Clone, Debug)]
pub struct Came {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the author promised it.
    pub as_expected: bool,
    /// Where the thing stands.
    pub span: Span,
    /// A play that decides.
    pub play: Option<Play>,
    /// The worlds it was judged on.
    pub worlds: Vec<String>,
    /// Of a ruling that fails: the code, the place and a sentence.
    pub failure: Option<(Code, Span, String)>,
    /// Why nothing is known.
    pub why: Option<String>,
}

/// How a verdict turned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Turn {
    /// It was as promised and is not; or it is new, and not as promised.
    Worse,
    /// It was as promised or not, and nothing is known now.
    Unknown,
    /// It was not as promised and is.
    Better,
    /// It is another, and neither better nor worse.
    Other,
    /// The new rulebook alone has it, as promised.
    New,
    /// The old rulebook alone has it.
    Gone,
}

impl Turn {
    /// Its word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Turn::Worse => "worse",
            Turn::Unknown => "unknown",
            Turn::Better => "better",
            Turn::Other => "other",
            Turn::New => "new",
            Turn::Gone => "gone",
        }
    }
}

/// A thing whose verdict is another.
#[derive(Clone, Debug)]
pub struct Turned {
    /// `invariant`, `witness`, `conjecture`, `ruling`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// What it means, by language.
    pub says: Vec<(String, String)>,
    /// In the old rulebook; none: it does not have it.
    pub old: Option<Came>,
    /// In the new one.
    pub new: Option<Came>,
    /// How it turned.
    pub turn: Turn,
    /// Of an invariant that is vacuous now: a shortest play of the old rulebook in which what it speaks of happened.
    pub premise: Option<Play>,
    /// The change that is to be looked at first, a place among the changes.
    pub change: Option<usize>,
}

struct Thing {
    kind: &'static str,
    cites: Vec<String>,
    says: Vec<(String, String)>,
    came: Came,
}

/// Every thing whose verdict differs, the worst first, then by name.
pub fn turned(old: &Checked, new: &Checked) -> Vec<Turned> {
    let (mut before, after) = (things(old), things(new));
    let mut list = Vec::new();
    for ((_, name), thing) in after {
        let was = before.remove(&(group(thing.kind), name.clone())).map(|t| t.came);
        if let Some(turn) = turn(was.as_ref(), &thing.came) {
            let Thing { kind, cites, says, came } = thing;
            list.push(Turned { kind, name, cites, says, old: was, new: Some(came), turn, premise: None, change: None });
        }
    }
    for ((_, name), Thing { kind, cites, says, came }) in before {
        let (old, turn) = (Some(came), Turn::Gone);
        list.push(Turned { kind, name, cites, says, old, new: None, turn, premise: None, change: None });
    }
    list.sort_by(|a, b| (a.turn, rank(a.kind), &a.name).cmp(&(b.turn, rank(b.kind), &b.name)));
    list
}

/// A property that becomes a conjecture is still that property; a ruling is a thing of its own.
fn group(kind: &str) -> bool {
    kind == "ruling"
}

fn rank(kind: &str) -> usize {
    ["invariant", "witness", "conjecture", "ruling"].iter().position(|k| *k == kind).unwrap_or(0)
}

fn turn(was: Option<&Came>, is: &Came) -> Option<Turn> {
    let unknown = |v: Verdict| matches!(v, Verdict::Incomplete | Verdict::LeftOut);
    let Some(was) = was else { return Some(if is.as_expected { Turn::New } else { Turn::Worse }) };
    // What was left out because its worlds were not asked for has no verdict that could be another now.
    if was.verdict == is.verdict || was.verdict == Verdict::LeftOut && is.as_expected {
        return None;
    }
    Some(match (was.as_expected && !unknown(was.verdict), is.as_expected) {
        _ if unknown(is.verdict) => Turn::Unknown,
        (true, false) => Turn::Worse,
        (false, true) => Turn::Better,
        (false, false) if unknown(was.verdict) => Turn::Worse,
        _ => Turn::Other,
    })
}

fn things(side: &Checked) -> BTreeMap<(bool, String), Thing> {
    let properties = side.program.properties.iter().zip(&side.judgement.properties).map(|(p, j)| {
        let kind = match p.kind {
            PropertyKind::Property => "invariant",
            PropertyKind::Witness => "witness",
            PropertyKind::Conjecture => "conjecture",
        };
        let came = came(j, as_expected(p.kind, j.verdict), p.span);
        ((false, p.name.clone()), Thing { kind, cites: p.cites.clone(), says: p.says.clone(), came })
    });
    let rulings = side.rulings.iter().filter_map(|result| {
        let ruling = side.program.rulings.iter().find(|r| r.name == result.name)?;
        let passes = result.failure.is_none();
        let came = Came {
            verdict: if passes { Verdict::Passes } else { Verdict::Fails },
            as_expected: passes,
            span: ruling.span,
            play: None,
            worlds: Vec::new(),
            failure: result.failure.clone(),
            why: None,
        };
        let (cites, says) = (ruling.cites.clone(), ruling.says.clone());
        Some(((true, ruling.name.clone()), Thing { kind: "ruling", cites, says, came }))
    });
    properties.chain(rulings).collect()
}

fn came(judged: &Judged, as_expected: bool, span: Span) -> Came {
    Came {
        verdict: judged.verdict,
        as_expected,
        span,
        play: judged.trace.clone(),
        worlds: judged.worlds.clone(),
        failure: None,
        why: judged.why.clone(),
    }
}

/// The change that is to be looked at first for a verdict: the one change of the law; else the one that was last at work in
/// the play that decides, of the new rulebook where something happens that must not, of the old one where something happens
/// no longer; else the first of them that is gone, or changed, or new; else the change of the thing itself.
///
/// `tried` is the change that was found by trying, if one was.
pub fn first_to_look_at(turned: &Turned, changes: &[Change], tried: Option<usize>) -> Option<usize> {
    let law: Vec<usize> = (0..changes.len()).filter(|c| changes[*c].is_of_the_law()).collect();
    let itself = || {
        let kind = if turned.kind == "invariant" { "property" } else { turned.kind };
        changes.iter().position(|c| c.how != How::Reworded && c.kind == kind && c.name == turned.name)
    };
    if law.len() == 1 && itself().is_none() {
        return law.first().copied();
    }
    let plays = [
        turned.new.as_ref().and_then(|n| n.play.as_ref()),
        turned.old.as_ref().and_then(|o| o.play.as_ref()),
        turned.premise.as_ref(),
    ];
    let at_work = plays.into_iter().flatten().find_map(|play| {
        let rules = play.steps.iter().rev().flat_map(|s| s.rules.iter().rev());
        rules.filter_map(|r| law.iter().copied().find(|c| changes[*c].name == r.name)).next()
    });
    let by = |how: How| law.iter().copied().find(|c| changes[*c].how == how);
    tried.or(at_work).or_else(itself).or(by(How::Deleted)).or(by(How::Changed)).or(by(How::Added))
}
