//! A diff as a sheet: a case for each verdict that is another and for each way in which the two rulebooks part, at the line
//! of the change that makes the difference. Where no verdict got worse, behaviour that differs is told and is no defect.

use super::diff::{ChangeReport, DiffReport, PartingReport, VerdictReport};
use super::diff_text;
use super::sheet::{Case, Defect, Outcome, Place, Sheet};
use crate::judge::compare::Turn;

/// The sheet of a diff.
pub fn sheet(report: &DiffReport, style: &diff_text::DiffStyle) -> Sheet {
    let mut cases: Vec<Case> = report.verdicts.iter().map(|v| of_verdict(v, report, style)).collect();
    cases.extend(report.behaviour.iter().map(|p| of_parting(p, report, style)));
    Sheet {
        title: "facedown diff".to_owned(),
        sentence: report.summary.sentence.clone(),
        cases,
        exit_status: report.summary.exit_status,
        base: None,
    }
}

fn of_verdict(v: &VerdictReport, report: &DiffReport, style: &diff_text::DiffStyle) -> Case {
    let group = match v.kind.as_str() {
        "invariant" => "invariants",
        "witness" => "witnesses",
        "conjecture" => "conjectures",
        _ => "rulings",
    };
    let (old, new) = (v.old.as_deref().unwrap_or("not there"), v.new.as_deref().unwrap_or("not there"));
    // A ruling `fails`, all else `is` what it is.
    let is = if v.kind == "ruling" { new.to_owned() } else { format!("is {new}") };
    let outcome = if v.turn == Turn::Worse.as_str() {
        let change = v.change.and_then(|c| report.changes.get(c));
        let place = v.place.clone();
        Outcome::Failed(Defect {
            verdict: new.to_owned(),
            message: match change {
                Some(c) => format!("{} {} {is} ({old} before) by {}", v.kind, v.name, c.title()),
                None => format!("{} {} {is} ({old} before)", v.kind, v.name),
            },
            text: diff_text::verdict_text(v, report, style).trim().to_owned(),
            at: change.and_then(ChangeReport::at).cloned().or_else(|| place.clone()),
            related: related(v, change, report),
            steps: Vec::new(),
        })
    } else if v.turn == Turn::Unknown.as_str() {
        Outcome::Skipped(format!("{old} before; {}", v.why.as_deref().unwrap_or("nothing is known now")))
    } else {
        Outcome::Passed(format!("{new}; {old} before"))
    };
    let place = v.place.clone();
    Case { group: group.to_owned(), name: v.name.clone(), says: None, place, cites: v.cites.clone(), outcome }
}

/// Where the change begins to differ, the other changes of the law, and the property.
fn related(v: &VerdictReport, change: Option<&ChangeReport>, report: &DiffReport) -> Vec<(Place, String)> {
    let mut list = Vec::new();
    if let Some(c) = change {
        let first = c.new_first.as_ref().map(|p| (p.clone(), "here the new text first differs".to_owned()));
        list.extend(first);
        let before = c.new.as_ref().and(c.old.as_ref());
        list.extend(before.map(|p| (p.clone(), format!("{} {} as it was", c.kind, c.name))));
    }
    let others = report.changes.iter().filter(|c| c.of_the_law && Some(*c) != change);
    list.extend(others.filter_map(|c| Some((c.at()?.clone(), format!("{} {} is {} too", c.kind, c.name, c.how)))));
    list.extend(
        v.place.as_ref().map(|p| (p.clone(), format!("the {} that is {}", v.kind, v.new.as_deref().unwrap_or("gone")))),
    );
    list
}

fn of_parting(p: &PartingReport, report: &DiffReport, style: &diff_text::DiffStyle) -> Case {
    let change = p.changes.first().and_then(|c| report.changes.get(*c));
    let name = change.map_or_else(|| "changes together".to_owned(), |c| format!("{} {}", c.kind, c.name));
    Case {
        group: "behaviour".to_owned(),
        name: format!("{name}: {} in world {}", p.kind, p.world),
        place: change.and_then(ChangeReport::at).cloned(),
        says: None,
        cites: Vec::new(),
        outcome: Outcome::Passed(diff_text::parting(p, style).trim_end().to_owned()),
    }
}
