//! The sheet of a check: for every world, property and ruling what became of it, and for each defect the line of the law
//! that should be looked at first. It judges nothing; verdicts come with the report.

use std::collections::{BTreeMap, BTreeSet};

use super::baseline::Difference;
use super::model::{Findings, Kind, PropertyReport, Report, RulingReport, WorldReport};
use super::sheet::{Case, Defect, FAULTS, Outcome, Place, Sheet};
use super::text::{self, Style, counted, grouped};
use super::trace;
use super::wording::Written;
use crate::judge::play::{Play, PlayStep, RuleAtWork};
use crate::judge::verdict::Verdict;
use crate::lang::ast::Span;
use crate::lang::source::Sources;
use crate::lang::tree::Program;

/// The most rules that are named beside a defect since they cite what it cites.
const RELATED_MAX: usize = 8;

/// The sheet of a check. `written` is how the items of its sources are worded.
pub fn sheet(
    findings: &Findings,
    report: &Report,
    differences: &[Difference],
    written: &[Written],
    style: &Style,
) -> Sheet {
    let law = Places::new(findings.sources, findings.program, written);
    let mut cases: Vec<Case> = report.worlds.iter().map(|w| world(&law, w)).collect();
    for kind in [Kind::Invariant, Kind::Witness, Kind::Conjecture] {
        cases.extend(report.properties.iter().filter(|p| p.kind == kind).map(|p| property(&law, p, style)));
    }
    cases.extend(report.rulings.iter().map(|r| ruling(&law, findings, r, style)));
    let not_in_force = report.left_out.iter().filter_map(|item| {
        let group = group_of(&item.kind)?;
        // In this edition it may be there in other words.
        let judged = report.properties.iter().any(|p| p.name == item.name)
            || (group == "rulings" && report.rulings.iter().any(|r| r.name == item.name));
        if judged {
            return None;
        }
        let place = law.item(&item.kind, &item.name);
        let outcome = Outcome::Skipped(item.reason.clone());
        Some(Case { group: group.to_owned(), name: item.name.clone(), place, outcome, ..Case::default() })
    });
    cases.extend(not_in_force);
    let alike = |a: &Difference, b: &Difference| (&a.kind, &a.name) == (&b.kind, &b.name);
    cases.extend(differences.chunk_by(alike).map(|of_one| difference(&law, of_one)));
    cases.extend(report.faults.iter().enumerate().map(|(at, fault)| {
        let defect = Defect { verdict: "fault".to_owned(), message: fault.clone(), ..Defect::default() };
        let defect = Defect { text: format!("FAULT of the program: {fault}"), ..defect };
        let (group, name) = (FAULTS.to_owned(), format!("fault-{}", at + 1));
        Case { group, name, outcome: Outcome::Failed(defect), ..Case::default() }
    }));
    Sheet {
        title: "facedown check".to_owned(),
        sentence: report.summary.sentence.clone(),
        cases,
        exit_status: report.summary.exit_status,
        base: None,
    }
}

/// The group of items of a kind that is judged.
fn group_of(kind: &str) -> Option<&'static str> {
    match kind {
        "property" => Some("invariants"),
        "witness" => Some("witnesses"),
        "conjecture" => Some("conjectures"),
        "ruling" => Some("rulings"),
        _ => None,
    }
}

fn group(kind: Kind) -> &'static str {
    match kind {
        Kind::Invariant => "invariants",
        Kind::Witness => "witnesses",
        Kind::Conjecture => "conjectures",
    }
}

/// Where rules and other items stand.
struct Places<'a> {
    sources: &'a Sources,
    program: &'a Program,
    /// The whole of an item, by the place of its name.
    whole: BTreeMap<Span, Span>,
    /// The place of an item, by kind and name.
    named: BTreeMap<(&'a str, &'a str), Span>,
}

impl<'a> Places<'a> {
    fn new(sources: &'a Sources, program: &'a Program, written: &'a [Written]) -> Places<'a> {
        let whole = written.iter().map(|w| (w.named, w.whole)).collect();
        let named = written.iter().map(|w| ((w.kind, w.name.as_str()), w.whole)).collect();
        Places { sources, program, whole, named }
    }

    fn item(&self, kind: &str, name: &str) -> Option<Place> {
        self.named.get(&(kind, name)).and_then(|span| Place::of(self.sources, *span))
    }

    fn rule(&self, rule: &crate::lang::tree::Rule) -> Option<Place> {
        Place::of(self.sources, *self.whole.get(&rule.span).unwrap_or(&rule.span))
    }

    /// A rule that a play names. A card and a rule may share a name, but not what they cite as well.
    fn at_work(&self, rule: &RuleAtWork) -> Option<Place> {
        // A ghost is a memory of the properties: nothing happens because of it.
        let named = || self.program.rules.iter().filter(|r| r.name == rule.name && r.kind != "ghost");
        named().find(|r| r.cites == rule.cites).or_else(|| named().next()).and_then(|r| self.rule(r))
    }

    /// The rule that was last at work in a step; where none was, the one that says what its action does.
    fn of_step(&self, step: &PlayStep) -> Option<Place> {
        let last = step.rules.iter().rev().find_map(|rule| self.at_work(rule));
        last.or_else(|| {
            let verb = step.action.split([' ', '(']).next()?;
            let procedure = self.program.procedures.iter().find(|p| p.name == verb)?;
            self.rule(self.program.rules.get(procedure.rule.index())?)
        })
    }

    /// The rules that cite some of these numbers, with what they cite; those that share most come first.
    fn citing(&self, cites: &[String]) -> Vec<(Place, String)> {
        let mut found: Vec<_> = self
            .program
            .rules
            .iter()
            .filter(|r| matches!(r.kind, "rule" | "keyword"))
            .map(|r| (r.cites.iter().filter(|c| cites.contains(c)).count(), r))
            .filter(|(shared, _)| *shared > 0)
            .collect();
        found.sort_by(|(a, r), (b, s)| b.cmp(a).then_with(|| (r.kind, &r.name).cmp(&(s.kind, &s.name))));
        let told = |r: &crate::lang::tree::Rule| format!("{} {} cites {}", r.kind, r.name, r.cites.join(", "));
        found.into_iter().filter_map(|(_, r)| Some((self.rule(r)?, told(r)))).take(RELATED_MAX).collect()
    }
}

fn world(law: &Places, world: &WorldReport) -> Case {
    let size = format!(
        "{}{}, {}, depth {}",
        counted(world.unique_states, "state"),
        super::text::up_to(world),
        counted(world.steps, "step"),
        grouped(u64::from(world.depth))
    );
    let outcome = if world.complete {
        Outcome::Passed(format!("{size}, complete"))
    } else {
        Outcome::Skipped(format!(
            "incomplete after {size}: {}",
            world.why.as_deref().unwrap_or("not explored to its end")
        ))
    };
    let place = law.item("world", &world.name);
    Case { group: "worlds".to_owned(), name: world.name.clone(), place, outcome, ..Case::default() }
}

fn property(law: &Places, property: &PropertyReport, style: &Style) -> Case {
    let word = match property.kind {
        Kind::Invariant => "property",
        Kind::Witness => "witness",
        Kind::Conjecture => "conjecture",
    };
    let place = law.item(word, &property.name);
    let worlds = counted(property.worlds.len() as u64, "world");
    let outcome = if !property.as_expected {
        Outcome::Failed(property_defect(law, property, place.as_ref(), style))
    } else {
        match property.verdict {
            Verdict::Incomplete | Verdict::LeftOut => {
                let why = property.why.as_deref().unwrap_or("no reason is known");
                Outcome::Skipped(format!("{}: {why}", property.verdict.as_str().replace('_', " ")))
            }
            verdict => Outcome::Passed(match &property.trace {
                Some(play) => {
                    let steps = counted(play.steps.len() as u64, "step");
                    format!("{} in {steps} of world {}", verdict.as_str(), play.world)
                }
                None => format!("{} in {worlds}", verdict.as_str()),
            }),
        }
    };
    Case {
        group: group(property.kind).to_owned(),
        name: property.name.clone(),
        says: text::said(&property.says, style),
        place,
        cites: property.cites.clone(),
        outcome,
    }
}

fn property_defect(law: &Places, property: &PropertyReport, place: Option<&Place>, style: &Style) -> Defect {
    let kind = property.kind.as_str();
    let said = text::said(&property.says, style).map(|s| format!(": {s}")).unwrap_or_default();
    let name = &property.name;
    let message = match (&property.trace, property.kind) {
        (Some(play), _) => {
            let steps = counted(play.steps.len() as u64, "step");
            format!("{kind} {name} is {} in {steps} of world {}{said}", property.verdict.as_str(), play.world)
        }
        (None, Kind::Conjecture) => format!("{kind} {name} is not refuted: no play of its worlds breaks it{said}"),
        (None, Kind::Witness) => format!("{kind} {name} is unreached: no play of its worlds comes to it{said}"),
        (None, Kind::Invariant) => {
            format!("{kind} {name} is {}: what it speaks of never happens{said}", property.verdict.as_str())
        }
    };
    let own = place.map(|p| (p.clone(), format!("{kind} {name}")));
    let (at, related) = match &property.trace {
        Some(play) => of_play(law, play),
        None => {
            let mut citing = law.citing(&property.cites);
            let at = (!citing.is_empty()).then(|| citing.remove(0).0);
            (at, citing)
        }
    };
    let at = at.or_else(|| place.cloned());
    Defect {
        verdict: property.verdict.as_str().to_owned(),
        message,
        text: text::failed_property(property, style).trim_start_matches('\n').to_owned(),
        related: others(at.as_ref(), own.into_iter().chain(related)),
        at,
        steps: property.trace.as_ref().map(|play| steps(law, play)).unwrap_or_default(),
    }
}

/// The rule that decided a play, and the others that were at work in its last step. Where nothing was at work there, the
/// step before is asked, and so on.
fn of_play(law: &Places, play: &Play) -> (Option<Place>, Vec<(Place, String)>) {
    let Some((at, step)) = play.steps.iter().rev().find_map(|step| Some((law.of_step(step)?, step))) else {
        return (None, Vec::new());
    };
    let related = step.rules.iter().rev().filter_map(|r| Some((law.at_work(r)?, trace::rule_at_work(r))));
    (Some(at), related.collect())
}

fn steps(law: &Places, play: &Play) -> Vec<(Option<Place>, String)> {
    let told = |(at, step): (usize, &PlayStep)| (law.of_step(step), format!("{}. {}", at + 1, trace::headline(step)));
    play.steps.iter().enumerate().map(told).collect()
}

/// Each place once, and not the one that the defect itself is at.
fn others(at: Option<&Place>, related: impl Iterator<Item = (Place, String)>) -> Vec<(Place, String)> {
    let mut seen: BTreeSet<Place> = at.cloned().into_iter().collect();
    related.filter(|(place, _)| seen.insert(place.clone())).collect()
}

fn ruling(law: &Places, findings: &Findings, ruling: &RulingReport, style: &Style) -> Case {
    let place = law.item("ruling", &ruling.name);
    let result = findings.rulings.iter().find(|r| r.name == ruling.name);
    let said = text::said(&ruling.says, style);
    let outcome = match result.and_then(|r| r.failure.as_ref()) {
        None => Outcome::Passed("passes".to_owned()),
        Some((code, span, why)) => {
            let at = Place::of(law.sources, *span).or_else(|| place.clone());
            let own = place.clone().map(|p| (p, format!("ruling {}", ruling.name)));
            let sentence = said.as_ref().map(|s| format!(": {s}")).unwrap_or_default();
            Outcome::Failed(Defect {
                verdict: ruling.verdict.as_str().to_owned(),
                message: format!("ruling {} fails, {why} [{}]{sentence}", ruling.name, code.as_str()),
                text: text::failed_ruling(ruling, style).trim_start_matches('\n').to_owned(),
                related: others(at.as_ref(), own.into_iter().chain(law.citing(&ruling.cites))),
                at,
                steps: Vec::new(),
            })
        }
    };
    Case {
        group: "rulings".to_owned(),
        name: ruling.name.clone(),
        says: said,
        place,
        cites: ruling.cites.clone(),
        outcome,
    }
}

/// The differences of one item are one case.
fn difference(law: &Places, of_one: &[Difference]) -> Case {
    let (kind, name) = of_one.first().map_or(("", ""), |d| (d.kind.as_str(), d.name.as_str()));
    let place = law.item(if kind == "invariant" { "property" } else { kind }, name);
    let told: Vec<String> = of_one.iter().map(ToString::to_string).collect();
    let defect = Defect {
        verdict: "differs".to_owned(),
        message: told.join("; "),
        text: format!("DIFFERENT from the baseline:\n  {}\n", told.join("\n  ")),
        at: place.clone(),
        ..Defect::default()
    };
    let name = format!("{kind} {name}").trim().to_owned();
    let name = if name.is_empty() { "edition and readings".to_owned() } else { name };
    Case { group: "baseline".to_owned(), name, place, outcome: Outcome::Failed(defect), ..Case::default() }
}
