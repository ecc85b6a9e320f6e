//! A play as text for people: each step with who did what at what cost, the rules at work with their citations, the
//! events, and only what changed. The last line is a command that plays it again and takes no other input.

use std::fmt::Write;

use crate::judge::play::{Play, PlayStep, RuleAtWork};
use crate::judge::script::Script;

/// How a play is replayed from the place where the user stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// `--model` as given; none: the default.
    pub model: Option<String>,
    /// `--properties` as given; none: the default.
    pub properties: Option<String>,
}

impl Replay {
    /// The command.
    pub fn command(&self, play: &Play) -> String {
        let mut words = vec!["facedown".to_owned(), "play".to_owned()];
        let mut option = |name: &str, value: &str| words.extend([format!("--{name}"), quoted(value)]);
        if let Some(model) = &self.model {
            option("model", model);
        }
        if let Some(properties) = &self.properties {
            option("properties", properties);
        }
        option("world", &play.world);
        if !play.edition.is_empty() {
            option("edition", &play.edition);
        }
        for reading in &play.readings {
            option("reading", reading);
        }
        words.push("--".to_owned());
        words.push(format!("'{}'", Script::of(play).to_line()));
        words.join(" ")
    }
}

/// The play as text, each line with `margin` before it.
pub fn text(play: &Play, replay: &Replay, margin: &str) -> String {
    format!("{}{margin}replay: {}\n", without_replay(play, margin), replay.command(play))
}

/// The same without the command that plays it again.
pub fn without_replay(play: &Play, margin: &str) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        // Writing into a string can't fail.
        let _ = writeln!(out, "{margin}{text}");
    };
    line(&format!("world {}, edition {}", play.world, if play.edition.is_empty() { "none" } else { &play.edition }));
    if !play.readings.is_empty() {
        line(&format!("readings: {}", play.readings.join(", ")));
    }
    if !play.start.is_empty() {
        line(&format!("start: {}", play.start.join(", ")));
    }
    let width = play.steps.len().to_string().len();
    for (at, step) in play.steps.iter().enumerate() {
        line(&format!("{:>width$}. {}", at + 1, headline(step)));
        for part in parts(step) {
            line(&format!("{:width$}  {part}", ""));
        }
    }
    if !play.broken_for.is_empty() {
        line(&format!("broken for {}", play.broken_for.join(", ")));
    }
    out
}

/// `A: turn_up morpher (morph), paying {2}{G}, choosing yes`
pub(super) fn headline(step: &PlayStep) -> String {
    let mut out = match &step.player {
        Some(player) => format!("{player}: {}", step.action),
        None => step.action.clone(),
    };
    if let Some(cost) = &step.cost {
        out.push_str(&format!(", paying {cost}"));
    }
    if !step.choices.is_empty() {
        out.push_str(&format!(", choosing {}", step.choices.join(", ")));
    }
    out
}

/// The rules at work, the events, and what changed, a line each.
pub(super) fn parts(step: &PlayStep) -> Vec<String> {
    let mut out: Vec<String> = step.rules.iter().map(rule_at_work).collect();
    if !step.events.is_empty() {
        out.push(format!("events: {}", step.events.join(", ")));
    }
    out.extend(step.changes.iter().map(|change| format!("now: {change}")));
    out
}

/// `permitted by morph [702.37e] of morpher`
pub(super) fn rule_at_work(rule: &RuleAtWork) -> String {
    let link = match rule.did.as_str() {
        "before" | "as" => ":",
        _ => " by",
    };
    let mut out = format!("{}{link} {}", rule.did, rule.name);
    if !rule.cites.is_empty() {
        out.push_str(&format!(" [{}]", rule.cites.join(", ")));
    }
    if let Some(carrier) = &rule.carrier {
        out.push_str(&format!(" of {carrier}"));
    }
    out
}

/// A word of a command line, quoted where a shell would change it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
