//! `facedown sweep`: explores every combination of some effects over every choice of some cards. What is swept over is
//! chosen here; what a position is and what is found is `judge`'s, and its words are `report`'s.

use std::sync::Arc;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use super::args::{Format, Sweep};
use super::io::{Failure, Io};
use super::worlds::{guarded, nearest};
use crate::judge::sweep::{self, Asked, Bounds};
use crate::lang::diag::Code;
use crate::lang::tree::{CardId, ProcedureId, Program};
use crate::report::sweep::{self as told, Findings, SweepReport};
use crate::report::text::Style;

pub(super) fn run(args: &Sweep, io: &mut Io) -> Result<u8, Failure> {
    let started = Instant::now();
    let (sources, program) = args.model.check(args.model.load()?)?;
    if program.resolve.is_none() || program.now.is_none() {
        let help = Some("define both in a rule".to_owned());
        return Err(Failure::helped("a sweep needs a law with the procedure `resolve` and the view `now`", help));
    }
    let asked = Asked {
        effects: effects(args, &program)?,
        allowed: args.effects,
        cards: cards(args, &program)?,
        dealt: args.cards,
    };
    if asked.effects.len() < asked.allowed {
        return Err(too_few(args, asked.effects.len()));
    }
    let positions = (asked.combinations().len() * asked.choices().len()) as u64;
    let bar = io.terminal.then(|| bar(positions));
    let progress = |done: u64| {
        if let Some(bar) = &bar {
            bar.inc(done);
        }
    };
    let stop = Arc::clone(&io.stop);
    let bounds = Bounds { threads: args.threads, states_max: args.limit_states, stop: &stop, progress: &progress };
    let swept = guarded("the sweep", || sweep::run(&program, &asked, &bounds));
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let swept = swept?.map_err(|(code, what)| fault(code, &what))?;
    let seconds = started.elapsed().as_secs_f64();
    let findings = Findings { sources: &sources, program: &program, asked: &asked, swept: &swept, seconds };
    let report = SweepReport::new(&findings);
    let style = Style { language: args.lang.as_str().to_owned(), replay: args.model.replay() };
    io.tell(&format!("sweep: {seconds:.1} s\n"));
    io.print(&match args.format {
        Format::Text => told::text(&report, &style),
        Format::Json => serde_json::to_string_pretty(&report).map_err(|e| Failure::Fault(e.to_string()))? + "\n",
    })?;
    Ok(report.exit_status)
}

/// There are fewer effects than a position allows.
fn too_few(args: &Sweep, there_are: usize) -> Failure {
    let help = match there_are {
        0 => "name effects with --effect, or let a world allow some".to_owned(),
        n => format!("name more with --effect, or say --effects {n}"),
    };
    let message = format!("a position is to allow {} effects, and there are {there_are}", args.effects);
    Failure::helped(message, Some(help))
}

/// A fault of the law, or of this program.
fn fault(code: Code, what: &str) -> Failure {
    if code == Code::L408 {
        return Failure::Fault(what.to_owned());
    }
    let help = format!("`facedown explain {}` says what it means", code.as_str());
    Failure::helped(format!("{what} [{}]", code.as_str()), Some(help))
}

/// The effects that are named, or all that some world allows.
fn effects(args: &Sweep, program: &Program) -> Result<Vec<ProcedureId>, Failure> {
    let all = sweep::allowable(program);
    let name = |e: &ProcedureId| program.procedures[e.index()].name.as_str();
    if args.only_effects.is_empty() {
        return Ok(sweep::effects(program));
    }
    let names: Vec<&str> = all.iter().map(name).collect();
    for asked in &args.only_effects {
        if !names.contains(&asked.as_str()) {
            let message = format!("no effect that a world could allow is named `{asked}`");
            return Err(Failure::helped(message, nearest(asked, &names)));
        }
    }
    Ok(all.into_iter().filter(|e| args.only_effects.iter().any(|asked| asked == name(e))).collect())
}

/// The cards that are named, or all archetypes.
fn cards(args: &Sweep, program: &Program) -> Result<Vec<CardId>, Failure> {
    if args.only_cards.is_empty() {
        let archetypes = sweep::cards(program);
        if archetypes.is_empty() {
            let help = Some("declare some, or name cards with --card".to_owned());
            return Err(Failure::helped("the model declares no archetype", help));
        }
        return Ok(archetypes);
    }
    let names: Vec<&str> = program.cards.iter().map(|c| c.name.as_str()).collect();
    for asked in &args.only_cards {
        if !names.contains(&asked.as_str()) {
            return Err(Failure::helped(format!("no card is named `{asked}`"), nearest(asked, &names)));
        }
    }
    let all = (0u16..).map(CardId).zip(&program.cards);
    let mut named: Vec<_> = all.filter(|(_, card)| args.only_cards.contains(&card.name)).collect();
    named.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    Ok(named.into_iter().map(|(id, _)| id).collect())
}

/// The line on a terminal: positions, and how long the rest will take.
fn bar(positions: u64) -> ProgressBar {
    let bar = ProgressBar::new(positions);
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} {human_pos} of {human_len} positions, {elapsed}, {eta} left")
    {
        bar.set_style(style);
    }
    bar
}
