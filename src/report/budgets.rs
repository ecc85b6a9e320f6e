//! What of a world was so only because a budget or cap was full, as text and JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::survivors::Survivor;
use crate::judge::mutants::budgets::Fate;
use crate::judge::verdict::{STATUS_FAILED, STATUS_OK};
use crate::lang::ast::PropertyKind;
use crate::lang::mutants::Raised;
use crate::lang::source::Sources;

/// All of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Budgets {
    /// What rests on a budget or cap.
    pub found: Vec<Resting>,
    /// Worlds that could not be tried with more: the name of what was raised, and why.
    pub skipped: Vec<(String, String)>,
    /// Budgets and caps that were raised and explored.
    pub tried: usize,
    /// What is found and not explained, or explained and not found.
    pub faults: Vec<String>,
    /// The exit status.
    pub exit_status: u8,
}

/// A verdict that rests on a budget or cap.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Resting {
    /// Its name: `tiny/budget-tokens/some-witness`.
    pub name: String,
    /// One sentence.
    pub sentence: String,
    /// Where the number stands.
    pub place: String,
    /// Why that is as it should be, as explained.
    pub explained: Option<String>,
}

impl Budgets {
    /// Puts together what was found.
    pub fn new(sources: &Sources, found: &[(Raised, Fate)], explained: (&str, &[Survivor])) -> Budgets {
        let (page, entries) = explained;
        let mut report =
            Budgets { found: Vec::new(), skipped: Vec::new(), tried: 0, faults: Vec::new(), exit_status: STATUS_OK };
        for (raised, fate) in found {
            let rests = match fate {
                Fate::Explored(rests) => rests,
                Fate::Skipped(why) => {
                    report.skipped.push((raised.name.clone(), why.clone()));
                    continue;
                }
            };
            report.tried += 1;
            let path = sources.files.get(usize::from(raised.edit.span.file)).map_or("", |f| f.path.as_str());
            let line = sources.line_column(raised.edit.span.file, raised.edit.span.start).0;
            for one in rests {
                let is = match one.kind {
                    PropertyKind::Witness => "witness {P} of world {W} is reached",
                    PropertyKind::Conjecture => "conjecture {P} is refuted in world {W}",
                    PropertyKind::Property if one.steps.is_some() => "invariant {P} holds in world {W}",
                    PropertyKind::Property => "what invariant {P} speaks of happens in world {W}",
                };
                let is = is.replace("{P}", &one.property).replace("{W}", &raised.world);
                let steps = one.steps.map_or(String::new(), |n| format!(" (by a play of {n} steps)"));
                let name = format!("{}/{}", raised.name, one.property);
                report.found.push(Resting {
                    sentence: format!("{is} only because `{}` is full{steps}", raised.what),
                    place: format!("{path}:{line}"),
                    explained: entries.iter().find(|e| e.name == name).map(|e| e.reason.clone()),
                    name,
                });
            }
        }
        let open = report.found.iter().filter(|r| r.explained.is_none());
        report.faults = open.map(|r| format!("{} ({}): {}", r.name, r.place, r.sentence)).collect();
        let ours = |name: &str| name.contains("/budget-") || name.contains("/cap-");
        let gone = entries.iter().filter(|e| ours(&e.name) && !report.found.iter().any(|r| r.name == e.name));
        let gone = gone.map(|e| format!("{page}:{}: {} is not so: take the line away", e.line, e.name));
        report.faults.extend(gone.collect::<Vec<_>>());
        report.exit_status = if report.faults.is_empty() { STATUS_OK } else { STATUS_FAILED };
        report
    }
}

/// The report as text.
pub fn text(report: &Budgets) -> String {
    let mut out = String::new();
    for one in &report.found {
        let why = one.explained.as_deref().unwrap_or("not explained");
        out.push_str(&format!("{}\n  {}: {}\n  {why}\n", one.sentence, one.place, one.name));
    }
    for (name, why) in &report.skipped {
        out.push_str(&format!("skipped {name}: {why}\n"));
    }
    for fault in report.faults.iter().filter(|fault| fault.ends_with("take the line away")) {
        out.push_str(&format!("{fault}\n"));
    }
    out.push_str(&format!(
        "{} budgets and caps raised by one: {} verdicts rest on one that is full; {} skipped\n",
        report.tried,
        report.found.len(),
        report.skipped.len()
    ));
    out
}
