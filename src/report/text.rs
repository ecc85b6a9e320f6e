//! The report as text: a line for each world, then only what needs a reader's eye, then one line that says what was
//! proved. Nothing measured is in it, so that two runs of one model print the same bytes.

use std::collections::BTreeMap;

use super::model::{Kind, PropertyReport, Report, RulingReport, RunWorld, Summary, WorldReport};
use super::trace::{self, Replay};
use crate::judge::verdict::{STATUS_FAULT, STATUS_INCOMPLETE, STATUS_INTERRUPTED, STATUS_OK, Verdict};

/// In which language sentences of the model are shown, and how plays are replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// `en` or `it`; where a sentence is missing in it, the English one is shown.
    pub language: String,
    /// How plays are replayed.
    pub replay: Replay,
}

/// One line of a world, without its end.
pub fn world_line(world: &WorldReport) -> String {
    let end = if world.complete {
        "complete".to_owned()
    } else {
        format!("INCOMPLETE: {}", world.why.as_deref().unwrap_or("not explored to its end"))
    };
    format!(
        "world {}  {} states{}, {} steps, depth {}, {end}",
        world.name,
        grouped(world.unique_states),
        up_to(world),
        grouped(world.steps),
        world.depth
    )
}

/// Up to what the states of a world are told apart.
pub(super) fn up_to(world: &WorldReport) -> String {
    match &world.symmetry {
        Some(symmetry) if symmetry.permutations > 1 => {
            format!(" up to symmetry ({} permutations)", grouped(symmetry.permutations))
        }
        Some(_) => " (nothing is interchangeable)".to_owned(),
        None => String::new(),
    }
}

/// What is explored apart although it may be the same, a line each.
fn told_apart(report: &Report) -> String {
    let told =
        report.worlds.iter().flat_map(|w| w.symmetry.iter().flat_map(|s| &s.told_apart).map(|why| (&w.name, why)));
    told.map(|(name, why)| format!("no symmetry in world {name}: {why}\n")).collect()
}

/// Attributes that states leave out since nothing reads them, in how many worlds; one line.
fn unread(report: &Report) -> String {
    let mut by_attribute: BTreeMap<&str, usize> = BTreeMap::new();
    for attribute in report.worlds.iter().flat_map(|w| &w.left_out) {
        *by_attribute.entry(attribute).or_default() += 1;
    }
    if by_attribute.is_empty() {
        return String::new();
    }
    let worlds = report.worlds.len();
    let items = by_attribute.iter().map(|(attribute, n)| format!("{attribute} ({n} of {worlds} worlds)"));
    format!("not part of a state, since nothing there reads it: {}\n", items.collect::<Vec<_>>().join(", "))
}

/// What was measured of a world, for standard error.
pub fn measured_line(name: &str, world: &RunWorld) -> String {
    format!(
        "world {name}: {:.2} s, {:.1} bytes a state, {} {}, engine {}",
        world.seconds,
        world.bytes_per_state,
        world.threads,
        if world.threads == 1 { "thread" } else { "threads" },
        world.engine
    )
}

/// What the search of a world did and took, as a table for people.
pub fn statistics(name: &str, world: &RunWorld) -> String {
    let s = &world.search;
    let (states, steps) = s.levels.iter().fold((0, 0), |(a, b), l| (a + l.states, b + l.steps));
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let per = |bytes: u64| format!("{} ({:.2} bytes a state)", mib(bytes), bytes as f64 / states.max(1) as f64);
    let mut out = format!(
        "world {name}: {} states, {:.0} a second; {} steps, {:.0} a second; {} led to a state that was known\n",
        grouped(states),
        states as f64 / world.seconds.max(1e-9),
        grouped(steps),
        steps as f64 / world.seconds.max(1e-9),
        grouped(s.duplicates)
    );
    out.push_str(&format!(
        "  visited set {}, {:.0} % full; levels {}; learned {}; on disk {}; at the peak {}{}\n",
        per(s.set_bytes),
        s.set_load * 100.0,
        per(s.level_bytes),
        mib(s.learned_bytes),
        mib(s.spilled_bytes),
        mib(s.peak_bytes),
        s.process_peak_bytes.map_or_else(String::new, |b| format!(", of the whole process {}", mib(b)))
    ));
    out.push_str(&format!(
        "  laid out {} times; {} questions answered before that, or by running the law\n  depth     states      steps\n",
        s.laid_out,
        grouped(s.by_trees)
    ));
    for (depth, level) in s.levels.iter().enumerate() {
        out.push_str(&format!("  {depth:>5} {:>10} {:>10}\n", level.states, level.steps));
    }
    if let Some(firings) = &s.firings {
        out.push_str("       times  rule that did something\n");
        firings.iter().for_each(|f| out.push_str(&format!("  {:>10}  {}\n", f.times, f.rule)));
    }
    out
}

/// Where the time of a search went, as a table for people.
pub fn profile(name: &str, world: &RunWorld) -> String {
    let s = &world.search.seconds;
    let phases = [
        ("running the law", s.law),
        ("laying out", s.laying_out),
        ("expanding", s.expanding),
        ("ending levels", s.ending),
        ("saving", s.saving),
    ];
    let all: f64 = phases.iter().map(|(_, seconds)| seconds).sum();
    let share = |part: f64, all: f64| part / all.max(1e-9) * 100.0;
    let shares = phases.map(|(phase, seconds)| format!("{phase} {seconds:.3} s ({:.1} %)", share(seconds, all)));
    let mut out = format!("world {name}: {}\n", shares.join(", "));
    let spent = world.search.profile.as_deref().unwrap_or_default();
    let of_law: f64 = spent.iter().map(|spent| spent.seconds).sum();
    if !spent.is_empty() {
        out.push_str("  of running the law, with the clock of each part:\n       ms      %      times  part\n");
    }
    for part in spent {
        let (ms, share) = (part.seconds * 1e3, share(part.seconds, of_law));
        out.push_str(&format!("  {ms:>7.1} {share:>6.1} {:>10}  {}\n", part.times, part.of));
    }
    out
}

/// Everything after the lines of the worlds.
pub fn after_worlds(report: &Report, style: &Style) -> String {
    let mut out = String::new();
    for property in report.properties.iter().filter(|p| !p.as_expected) {
        out.push_str(&failed_property(property, style));
    }
    let incomplete = by_reason(report, Verdict::Incomplete);
    if !incomplete.is_empty() {
        out.push('\n');
    }
    for (reason, items) in incomplete {
        out.push_str(&format!("INCOMPLETE ({reason}): {}\n", items.join(", ")));
    }
    for ruling in report.rulings.iter().filter(|r| r.failure.is_some()) {
        out.push_str(&failed_ruling(ruling, style));
    }
    if !report.differences.is_empty() {
        out.push_str("\nDIFFERENT from the baseline:\n");
        report.differences.iter().for_each(|d| out.push_str(&format!("  {d}\n")));
    }
    for fault in &report.faults {
        out.push_str(&format!("\nFAULT of the program: {fault}\n"));
    }
    let aside = unread(report) + &told_apart(report) + &left_out(report);
    if !aside.is_empty() {
        out.push('\n');
        out.push_str(&aside);
    }
    out.push_str(&format!("\n{}\n", report.summary.sentence));
    out
}

pub(super) fn failed_property(property: &PropertyReport, style: &Style) -> String {
    let (word, what) = match (property.kind, property.verdict) {
        (Kind::Conjecture, _) => ("HOLDS", "  it should be refuted: no play of its worlds does; make it a property"),
        (_, Verdict::Vacuous) => ("VACUOUS", "  never false, but what it speaks of never happens: it proves nothing"),
        (_, Verdict::Unreached) => ("UNREACHED", "  no play of its worlds, of any length, reaches it"),
        _ => ("VIOLATED", ""),
    };
    let mut out = format!("\n{}\n", title(word, property));
    push_says(&mut out, &property.says, style);
    if !what.is_empty() {
        out.push_str(&format!("{what} ({})\n", worlds(&property.worlds)));
    }
    push_why(&mut out, property);
    if let Some(play) = &property.trace {
        if play.steps.is_empty() {
            out.push_str("  it is so at the start\n");
        }
        out.push_str(&trace::text(play, &style.replay, "  "));
    }
    out
}

pub(super) fn failed_ruling(ruling: &RulingReport, style: &Style) -> String {
    let mut out = format!("\nFAILS ruling {}{}\n", ruling.name, cited(&ruling.cites));
    push_says(&mut out, &ruling.says, style);
    if let Some(failure) = &ruling.failure {
        out.push_str(&format!("  {}: {} [{}]\n", failure.place, failure.message, failure.code));
    }
    out
}

/// `VIOLATED invariant stays-down [708.2b] at properties/face.props:3:1`
fn title(word: &str, property: &PropertyReport) -> String {
    let cites = cited(&property.cites);
    format!("{word} {} {}{cites} at {}", property.kind.as_str(), property.name, property.place)
}

fn cited(cites: &[String]) -> String {
    if cites.is_empty() { String::new() } else { format!(" [{}]", cites.join(", ")) }
}

fn worlds(names: &[String]) -> String {
    format!("{} {}", if names.len() == 1 { "world" } else { "worlds" }, names.join(", "))
}

fn push_says(out: &mut String, says: &BTreeMap<String, String>, style: &Style) {
    if let Some(sentence) = said(says, style) {
        out.push_str(&format!("  {sentence}\n"));
    }
}

/// The sentence of an item in the language of the reader, else the English one.
pub(super) fn said(says: &BTreeMap<String, String>, style: &Style) -> Option<String> {
    says.get(&style.language).or_else(|| says.get("en")).cloned()
}

fn push_why(out: &mut String, property: &PropertyReport) {
    if let Some(why) = &property.why {
        out.push_str(&format!("  {why}\n"));
    }
}

/// Properties of one verdict, by what the verdict gives as its reason.
fn by_reason(report: &Report, verdict: Verdict) -> BTreeMap<&str, Vec<String>> {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for property in report.properties.iter().filter(|p| p.verdict == verdict) {
        let reason = property.why.as_deref().unwrap_or("no reason is known");
        found.entry(reason).or_default().push(format!("{} {}", property.kind.as_str(), property.name));
    }
    found
}

/// One line for each reason that something is left out.
fn left_out(report: &Report) -> String {
    let mut by_reason = by_reason(report, Verdict::LeftOut);
    for item in &report.left_out {
        by_reason.entry(&item.reason).or_default().push(format!("{} {}", item.kind, item.name));
    }
    if by_reason.is_empty() {
        return String::new();
    }
    let lines = by_reason.iter().map(|(reason, items)| format!("left out ({reason}): {}\n", items.join(", ")));
    lines.collect()
}

/// The word that an exit status opens a verdict's sentence with.
pub fn status_word(exit_status: u8) -> &'static str {
    match exit_status {
        STATUS_OK => "PASS",
        STATUS_INCOMPLETE => "INCOMPLETE",
        STATUS_INTERRUPTED => "INTERRUPTED",
        STATUS_FAULT => "FAULT",
        _ => "FAIL",
    }
}

/// The one sentence of a report: what was proved, or how much is wrong.
pub fn sentence(report: &Report, summary: &Summary) -> String {
    let word = status_word(summary.exit_status);
    let count = |key: &str| summary.properties.get(key).copied().unwrap_or(0);
    let holds = count("invariant holds");
    let length =
        if summary.worlds_complete == report.worlds.len() { "all plays of any length" } else { "not all plays" };
    let verb = |n: usize| if n == 1 { "holds" } else { "hold" };
    let mut parts = vec![format!(
        "{} {} in {} ({}{}, {}, {length})",
        counted(holds as u64, "invariant"),
        verb(holds),
        counted(report.worlds.len() as u64, "world"),
        counted(summary.unique_states, "state"),
        if report.worlds.iter().any(|w| w.symmetry.is_some()) { " up to symmetry" } else { "" },
        counted(summary.steps, "step"),
    )];
    for (key, noun, word) in SENTENCE_PARTS {
        let n = count(key);
        if n > 0 {
            parts.push(format!("{} {word}", counted(n as u64, noun)));
        }
    }
    let (pass, fail) = (summary.rulings_pass, summary.rulings_fail);
    if pass > 0 {
        parts.push(format!("{} {}", counted(pass as u64, "ruling"), if pass == 1 { "passes" } else { "pass" }));
    }
    if fail > 0 {
        parts.push(format!("{} {}", counted(fail as u64, "ruling"), if fail == 1 { "FAILS" } else { "FAIL" }));
    }
    let elsewhere = report.left_out.iter().filter(|item| !matches!(item.kind.as_str(), "rule" | "keyword")).count();
    if elsewhere > 0 {
        parts.push(format!("{} not in force", counted(elsewhere as u64, "item")));
    }
    if !report.differences.is_empty() {
        parts.push(format!("{} from the baseline", counted(report.differences.len() as u64, "difference")));
    }
    format!("{word}  {}", parts.join("; "))
}

/// Verdicts in the order in which the sentence tells them: key of [`Summary::properties`], noun, word.
const SENTENCE_PARTS: [(&str, &str, &str); 12] = [
    ("invariant violated", "invariant", "VIOLATED"),
    ("invariant vacuous", "invariant", "VACUOUS"),
    ("invariant incomplete", "invariant", "incomplete"),
    ("witness reached", "witness", "reached"),
    ("witness unreached", "witness", "UNREACHED"),
    ("witness incomplete", "witness", "incomplete"),
    ("conjecture refuted", "conjecture", "refuted"),
    ("conjecture holds", "conjecture", "NOT REFUTED"),
    ("conjecture incomplete", "conjecture", "incomplete"),
    ("invariant left_out", "invariant", "left out"),
    ("witness left_out", "witness", "left out"),
    ("conjecture left_out", "conjecture", "left out"),
];

/// `1 witness`, `1,234 witnesses`
pub(super) fn counted(n: u64, noun: &str) -> String {
    let plural = if noun.ends_with('s') { "es" } else { "s" };
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { plural })
}

/// `1,234,567`
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
