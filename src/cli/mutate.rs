//! `facedown mutate`: tries mutants of the law, and prints what tells each from it. It chooses mutants and reads the list
//! of survivors; what kills is decided in `judge`, what is printed in `report`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use indicatif::ProgressBar;

use super::args::{Model as Asked, MutantFormat, Mutate};
use super::check::{BASELINE, pinned};
use super::git::Revision;
use super::io::{Failure, Io};
use super::load::{self, FILE_BYTES_MAX, ReadError};
use super::since;
use super::worlds::{MODEL, nearest};
use crate::judge::mutants::{self, Base, Bounds, Model, budgets};
use crate::judge::verdict::{STATUS_INTERRUPTED, STATUS_OK};
use crate::lang::ast::{File, Span};
use crate::lang::check::Options;
use crate::lang::mutants::{Mutant, mutants as all_mutants, raised, tools};
use crate::lang::source::Sources;
use crate::lang::tree::Program;
use crate::report::budgets::{self as told_budgets, Budgets};
use crate::report::mutants::{self as told, Findings, Report};
use crate::report::survivors::{self, Survivor};

/// Where survivors are explained, unless told otherwise.
const SURVIVORS: &str = "docs/SURVIVORS.md";

pub(super) fn run(args: &Mutate, io: &mut Io) -> Result<u8, Failure> {
    let started = Instant::now();
    let loaded = args.model.load()?;
    let files = loaded.files.clone();
    let (sources, program) = args.model.check(loaded)?;
    let options = options(&args.model);
    let in_force: BTreeSet<Span> = program.rules.iter().map(|r| r.span).collect();
    let all = all_mutants(&sources, &files, args.bodies, |name| in_force.contains(&name));
    let known =
        all_mutants(&sources, &files, true, |name| in_force.contains(&name)).into_iter().map(|m| m.name).collect();
    let chosen = chosen(args, &sources, &files, &program, all)?;
    if args.list {
        let names = chosen.iter().map(|m| format!("{}\n", m.name));
        io.print(&names.collect::<String>())?;
        return Ok(STATUS_OK);
    }
    let (path, explained) = explained(args)?;
    // The baseline knows the worlds of the model that is there without being named.
    let sizes = match pinned(Path::new(BASELINE), false) {
        Ok(Some(baseline)) if args.model.model.is_none() => {
            baseline.worlds.iter().map(|(name, w)| (name.clone(), w.unique_states)).collect()
        }
        Ok(_) | Err(_) => BTreeMap::new(),
    };
    let bar = io.terminal.then(ProgressBar::new_spinner);
    let progress = |what: &str, done: usize, of: usize| {
        if let Some(bar) = &bar {
            bar.set_message(format!("{what}: {done} of {of}"));
            bar.tick();
        }
    };
    let stop = Arc::clone(&io.stop);
    let bounds = Bounds {
        threads: args.threads,
        states_max: args.limit_states,
        matrix: !args.quick,
        sizes: &sizes,
        stop: &stop,
        progress: &progress,
    };
    let model = Model { sources: &sources, files: &files, options: &options, program: &program };
    let base = Base::new(&model, &bounds);
    io.tell(&format!("the law as it is: {:.1} s\n", started.elapsed().as_secs_f64()));
    let (status, text) = if args.worlds {
        let found = budgets::run(&model, &base, &raised(&sources, &files), &bounds);
        let report = Budgets::new(&sources, &found, (&path, &explained));
        let text = match args.format {
            MutantFormat::Json => json(&report)?,
            MutantFormat::Text | MutantFormat::Html | MutantFormat::Markdown => told_budgets::text(&report),
        };
        (report.exit_status, text)
    } else {
        let tried = mutants::run(&model, &base, &chosen, &bounds);
        let report = Report::new(&Findings {
            sources: &sources,
            program: &program,
            tried: &tried,
            worlds: base.sizes().map(|(name, states)| (name.to_owned(), states)).collect(),
            worlds_left_out: &base.left_out,
            matrix: !args.quick,
            whole: args.rules.is_empty() && args.sample.is_none() && args.since.is_none(),
            tools: &tools(&files),
            known: &known,
            explained: (&path, &explained),
        });
        let text = match args.format {
            MutantFormat::Text => told::text(&report),
            MutantFormat::Json => json(&report)?,
            MutantFormat::Html => told::html(&report),
            MutantFormat::Markdown => told::markdown(&report),
        };
        (report.exit_status, text)
    };
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    io.tell(&format!("all of it: {:.1} s\n", started.elapsed().as_secs_f64()));
    io.print(&text)?;
    if io.stop.load(Ordering::SeqCst) {
        io.tell("interrupted: what was not tried by then counts neither as killed nor as surviving\n");
    }
    Ok(if io.stop.load(Ordering::SeqCst) { STATUS_INTERRUPTED } else { status })
}

fn options(model: &Asked) -> Options {
    Options { edition: model.edition, readings: model.readings.clone() }
}

fn json(report: &impl serde::Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(report).map_err(|e| Failure::Fault(e.to_string()))? + "\n")
}

/// The mutants that were asked for.
fn chosen(
    args: &Mutate,
    sources: &Sources,
    files: &[File],
    program: &Program,
    all: Vec<Mutant>,
) -> Result<Vec<Mutant>, Failure> {
    let names: Vec<&str> = program.rules.iter().map(|r| r.name.as_str()).collect();
    if let Some(rule) = args.rules.iter().find(|rule| !names.contains(&rule.as_str())) {
        return Err(Failure::helped(format!("no rule or keyword in force is named `{rule}`"), nearest(rule, &names)));
    }
    let stand = Some(args.model.model.clone().unwrap_or_else(|| PathBuf::from(MODEL)));
    let then = args.since.clone().map(|revision| Revision { revision, folder: "./".to_owned(), stand });
    let changed = then.map(|then| since::changed(&then, sources, files)).transpose()?;
    let asked = |m: &Mutant| {
        (args.rules.is_empty() || args.rules.contains(&m.owner))
            && changed.as_ref().is_none_or(|owners| owners.contains(&m.owner_span))
    };
    let list: Vec<Mutant> = all.into_iter().filter(asked).collect();
    let total = list.len();
    let wanted = args.sample.map_or(total, |n| n as usize).min(total);
    // The i-th is taken where its share of the wanted number grows by one.
    let taken = |i: usize| i * wanted / total != (i + 1) * wanted / total;
    Ok(list.into_iter().enumerate().filter(|(i, _)| taken(*i)).map(|(_, m)| m).collect())
}

/// The page of survivors: its path, and what it explains. Only one that was named must be there.
fn explained(args: &Mutate) -> Result<(String, Vec<Survivor>), Failure> {
    let path = args.survivors.clone().unwrap_or_else(|| PathBuf::from(SURVIVORS));
    let shown = load::shown(&path);
    let text = match load::read_limited(&path, FILE_BYTES_MAX) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| Failure::input(format!("`{shown}` is not UTF-8")))?,
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound && args.survivors.is_none() => {
            String::new()
        }
        Err(ReadError::Io(error)) => {
            return Err(Failure::input(format!("`{shown}` can't be read: {}", load::words(&error))));
        }
        Err(ReadError::TooLarge) => {
            return Err(Failure::input(format!("`{shown}` is larger than the limit of {FILE_BYTES_MAX} bytes")));
        }
    };
    let entries = survivors::entries(&text).map_err(|why| Failure::input(format!("`{shown}`: {why}")))?;
    Ok((shown, entries))
}
