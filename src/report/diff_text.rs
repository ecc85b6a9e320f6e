//! A diff as text: what changed, verdicts that got worse with a play each, then behaviour grouped by the change that makes
//! the difference, then one sentence. Nothing measured is in it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::diff::{ChangeReport, DiffReport, PartingReport, VerdictReport};
use super::text::{Style, counted, status_word};
use super::trace::{self, Replay};
use crate::judge::compare::Turn;
use crate::judge::play::{Play, PlayStep};
use crate::judge::verdict::STATUS_OK;

/// How plays of the two rulebooks are replayed, and in which language sentences are shown.
#[derive(Clone, Debug)]
pub struct DiffStyle {
    /// Of the new rulebook.
    pub new: Style,
    /// Plays of the old one; none: of a revision, which no replay reads.
    pub old: Option<Replay>,
    /// Whether the new one can be replayed.
    pub new_is_folder: bool,
}

/// The whole as text.
pub fn text(report: &DiffReport, style: &DiffStyle) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        // Writing into a string can't fail.
        let _ = writeln!(out, "{text}");
    };
    for (word, side) in [("old", &report.old), ("new", &report.new)] {
        let readings: Vec<String> = differing_readings(report, word == "old");
        let readings = if readings.is_empty() { String::new() } else { format!(", {}", readings.join(", ")) };
        line(format!("{word}: {}, edition {}{readings}", side.name, side.edition.as_deref().unwrap_or("none")));
    }
    for change in &report.changes {
        line(format!("  {}", change.title()));
    }
    for aside in &report.set_aside {
        line(format!("  {} {} does not fit the {} side: {}", aside.kind, aside.name, aside.side, aside.why));
    }
    let told = |v: &&VerdictReport| !matches!(v.turn.as_str(), "new" | "gone");
    for verdict in report.verdicts.iter().filter(told) {
        out.push_str(&verdict_text(verdict, report, style));
    }
    for (turn, words) in [("new", "new"), ("gone", "gone")] {
        let names: Vec<String> =
            report.verdicts.iter().filter(|v| v.turn == turn).map(|v| format!("{} {}", v.kind, v.name)).collect();
        if !names.is_empty() {
            let _ = writeln!(out, "\n{words}, with no verdict to compare: {}", names.join(", "));
        }
    }
    out.push_str(&behaviour(report, style));
    out.push_str(&worlds(report));
    for fault in &report.faults {
        let _ = writeln!(out, "\nFAULT of the program: {fault}");
    }
    let _ = writeln!(out, "\n{}", report.summary.sentence);
    out
}

/// Readings of one side that the other has otherwise.
fn differing_readings(report: &DiffReport, old: bool) -> Vec<String> {
    let (mine, theirs) = if old { (&report.old, &report.new) } else { (&report.new, &report.old) };
    let differ = mine.readings.iter().filter(|(name, value)| theirs.readings.get(*name) != Some(*value));
    differ.map(|(name, value)| format!("{name}={value}")).collect()
}

/// `UNREACHED witness turned-up: reached before [702.37e]` with where to look, and the play.
pub(super) fn verdict_text(v: &VerdictReport, report: &DiffReport, style: &DiffStyle) -> String {
    let mut out = String::new();
    let now = v.new.as_deref().unwrap_or("gone");
    let word = if v.turn == Turn::Worse.as_str() { now.to_uppercase() } else { now.to_owned() };
    let before = v.old.as_deref().map_or_else(|| "new".to_owned(), |old| format!("{old} before"));
    let cites = if v.cites.is_empty() { String::new() } else { format!(" [{}]", v.cites.join(", ")) };
    let _ = writeln!(out, "\n{word} {} {}: {before}{cites}", v.kind, v.name);
    if let Some(sentence) = v.says.get(&style.new.language).or_else(|| v.says.get("en")) {
        let _ = writeln!(out, "  {sentence}");
    }
    if let Some(change) = v.change.and_then(|c| report.changes.get(c)) {
        let _ = writeln!(out, "  look at {}", change.title());
    }
    if let Some(why) = &v.why {
        let _ = writeln!(out, "  {why}");
    }
    match (&v.new_play, &v.old_play) {
        (Some(play), _) => {
            out.push_str("  new:\n");
            out.push_str(&play_text(play, style.new_is_folder.then_some(&style.new.replay), "    "));
        }
        (None, Some(play)) => {
            out.push_str("  old:\n");
            out.push_str(&play_text(play, style.old.as_ref(), "    "));
        }
        (None, None) => {}
    }
    out
}

fn play_text(play: &Play, replay: Option<&Replay>, margin: &str) -> String {
    match replay {
        Some(replay) => trace::text(play, replay, margin),
        None => trace::without_replay(play, margin),
    }
}

/// Partings, grouped by the changes that make the difference; of each way the smallest play, and where else.
fn behaviour(report: &DiffReport, style: &DiffStyle) -> String {
    let mut out = String::new();
    let mut last: Option<&[usize]> = None;
    let mut at = 0;
    while let Some(first) = report.behaviour.get(at) {
        let group = report.behaviour[at..].iter().take_while(|p| p.changes == first.changes).count();
        let group = &report.behaviour[at..at + group];
        at += group.len();
        if last != Some(&first.changes) {
            let titles: Vec<String> =
                first.changes.iter().filter_map(|c| report.changes.get(*c)).map(ChangeReport::title).collect();
            let title = if titles.is_empty() { "the changes together".to_owned() } else { titles.join(" with ") };
            let _ = writeln!(out, "\nDIFFERS by {title}");
            last = Some(&first.changes);
        }
        let mut shown: Vec<&str> = Vec::new();
        for p in group {
            if shown.contains(&p.kind.as_str()) {
                continue;
            }
            shown.push(&p.kind);
            out.push_str(&parting(p, style));
            let others = group.iter().filter(|o| o.kind == p.kind && o.world != p.world);
            let others: Vec<String> = others.map(|o| format!("{} ({})", o.world, steps(o))).collect();
            if !others.is_empty() {
                let _ = writeln!(out, "    also in {}", others.join(", "));
            }
        }
    }
    out
}

fn steps(p: &PartingReport) -> String {
    match p.old_play.steps.len() {
        0 => "at the start".to_owned(),
        n => format!("after {}", counted(n as u64, "step")),
    }
}

/// The common play once, then what each side does.
pub(super) fn parting(p: &PartingReport, style: &DiffStyle) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "  world {}, {}: {}", p.world, steps(p), p.meaning);
    if !p.old_play.start.is_empty() {
        let _ = writeln!(out, "    start: {}", p.old_play.start.join(", "));
    }
    let width = (p.old_play.steps.len() + 1).to_string().len();
    for (at, step) in p.old_play.steps.iter().enumerate() {
        let _ = writeln!(out, "    {:>width$}. {}", at + 1, trace::headline(step));
        for part in trace::parts(step) {
            let _ = writeln!(out, "    {:width$}  {part}", "");
        }
    }
    for said in &p.says {
        let _ = writeln!(out, "    {said}");
    }
    let next = p.old_play.steps.len() + 1;
    for (side, steps) in [("old", &p.old), ("new", &p.new)] {
        for step in steps {
            let _ = writeln!(out, "    {side}: {next}. {}", trace::headline(step));
            for part in trace::parts(step) {
                let _ = writeln!(out, "    {:5}{:width$}  {part}", "", "");
            }
        }
    }
    let replays = [
        ("old", style.old.as_ref(), &p.old_play, p.old.first()),
        ("new", style.new_is_folder.then_some(&style.new.replay), &p.new_play, p.new.first()),
    ];
    for (side, replay, play, step) in replays {
        let Some(replay) = replay else { continue };
        let whole: Vec<PlayStep> = play.steps.iter().chain(step).cloned().collect();
        let _ = writeln!(out, "    replay {side}: {}", replay.command(&Play { steps: whole, ..play.clone() }));
    }
    out
}

fn worlds(report: &DiffReport) -> String {
    let mut out = String::new();
    let mut by: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for w in &report.worlds {
        let what = match (w.old_states, w.new_states, w.common_states) {
            (None, Some(_), _) => "new worlds, with nothing to compare".to_owned(),
            (Some(_), None, _) => "worlds that are gone".to_owned(),
            _ if !w.complete => format!("INCOMPLETE ({})", w.why.as_deref().unwrap_or("not explored to its end")),
            (_, _, None) => match &w.why {
                Some(why) => format!("not compared step by step ({why})"),
                None => continue,
            },
            _ => continue,
        };
        by.entry(what).or_default().push(&w.name);
    }
    for (what, names) in by {
        let _ = writeln!(out, "\n{what}: {}", names.join(", "));
    }
    out
}

/// The one sentence of a diff.
pub fn sentence(report: &DiffReport) -> String {
    let s = &report.summary;
    let count = |turn: Turn| report.turned(turn);
    let all = report.worlds.iter().all(|w| w.complete);
    let compared = format!(
        "{} compared ({} in common, {})",
        counted(s.worlds_compared as u64, "world"),
        counted(s.common_states, "state"),
        if all { "all plays of any length" } else { "not all plays" }
    );
    if s.exit_status == STATUS_OK && report.worlds.is_empty() {
        let what = "the two rulebooks say the same where they are in force, so nothing was run";
        return format!("SAME  no difference: {what}");
    }
    if s.exit_status == STATUS_OK && s.partings == 0 && report.verdicts.is_empty() {
        let not = "nothing is said of other worlds, nor of what the model leaves out";
        return format!("SAME  no difference in these worlds: {compared}; no verdict is another; {not}");
    }
    let word = match status_word(s.exit_status) {
        "FAIL" | "PASS" => "DIFFERENT",
        other => other,
    };
    let mut parts = Vec::new();
    let worse = count(Turn::Worse);
    let changed = worse + count(Turn::Better) + count(Turn::Other) + count(Turn::Unknown);
    if changed == 0 {
        parts.push("no verdict changed".to_owned());
        if count(Turn::New) + count(Turn::Gone) == 0 && s.partings == 0 && !all {
            return format!("{}  no difference so far: {compared}", status_word(s.exit_status));
        }
    }
    for (turn, word) in [
        (Turn::Worse, "WORSE"),
        (Turn::Unknown, "not known any more"),
        (Turn::Better, "better"),
        (Turn::Other, "other than before"),
        (Turn::New, "new"),
        (Turn::Gone, "gone"),
    ] {
        if count(turn) > 0 {
            parts.push(format!("{} {word}", counted(count(turn) as u64, "verdict")));
        }
    }
    let kinds: Vec<&str> = report.behaviour.iter().map(|p| p.kind.as_str()).collect();
    let rules: std::collections::BTreeSet<&[usize]> = report.behaviour.iter().map(|p| p.changes.as_slice()).collect();
    let new_worlds = report.worlds.iter().filter(|w| w.old_states.is_none()).count();
    let mut behaviour = if kinds.is_empty() {
        "no step differs".to_owned()
    } else {
        let of = report.behaviour.iter().map(|p| p.world.as_str()).collect::<std::collections::BTreeSet<_>>().len();
        let what =
            if kinds.iter().all(|k| matches!(*k, "new_alone" | "start")) { "new behaviour" } else { "behaviour" };
        format!("{what} differs in {} by {}", counted(of as u64, "world"), counted(rules.len() as u64, "cause"))
    };
    if new_worlds > 0 {
        let _ = write!(behaviour, ", and {} new", if new_worlds == 1 { "a world is" } else { "worlds are" });
    }
    parts.push(behaviour);
    let others = report.worlds.iter().filter(|w| w.is_another_position()).count();
    if others > 0 {
        parts.push(format!("{} another position and not compared step by step", counted(others as u64, "world")));
    }
    if s.worlds_compared > 0 {
        parts.push(compared);
    }
    format!("{word}  {}", parts.join("; "))
}
