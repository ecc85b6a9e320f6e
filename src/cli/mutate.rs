//! `facedown mutate`: tries mutants of the law, and prints what tells each from it. It chooses mutants and reads the list
//! of survivors; what kills is decided in `judge`, what is printed in `report`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::args::{MutantFormat, Mutate};
use super::io::{Failure, Io};
use super::worlds::nearest;
use crate::judge::mutants::{self, Base, Bounds, Model};
use crate::judge::verdict::{STATUS_INTERRUPTED, STATUS_OK};
use crate::lang::ast::Span;
use crate::lang::check::{self, Options};
use crate::lang::mutants::{Mutant, mutants as all_mutants};
use crate::lang::tree::Program;
use crate::report::mutants::{self as told, Findings, Report};

pub(super) fn run(args: &Mutate, io: &mut Io) -> Result<u8, Failure> {
    let started = Instant::now();
    let loaded = args.model.load()?;
    let files = loaded.files.clone();
    let (sources, program) = args.model.check(loaded)?;
    let options = Options { edition: args.model.edition, readings: args.model.readings.clone() };
    let in_force: BTreeSet<Span> = program.rules.iter().map(|r| r.span).collect();
    let all = all_mutants(&sources, &files, |name| in_force.contains(&name));
    let chosen = chosen(args, &program, all)?;
    if args.list {
        for m in &chosen {
            io.print(&format!("{}\n", m.name))?;
        }
        return Ok(STATUS_OK);
    }
    let sizes = BTreeMap::new();
    let stop = std::sync::Arc::clone(&io.stop);
    let terminal = io.terminal;
    let progress = move |what: &str, done: usize, of: usize| {
        if terminal || done % 50 == 0 {
            eprint!("\r{what}: {done} of {of}");
        }
    };
    let bounds =
        Bounds { threads: args.threads, states_max: args.limit_states, sizes: &sizes, stop: &stop, progress: &progress };
    let model = Model { sources: &sources, files: &files, options: &options, program: &program };
    let base = Base::new(&model, &bounds);
    io.tell(&format!("\nthe law as it is: {:.1} s\n", started.elapsed().as_secs_f64()));
    let tried = mutants::run(&model, &base, &chosen, &bounds);
    io.tell(&format!("\nall: {:.1} s\n", started.elapsed().as_secs_f64()));
    let report = Report::new(&Findings {
        sources: &sources,
        program: &program,
        tried: &tried,
        worlds: base.sizes().map(|(n, s)| (n.to_owned(), s)).collect(),
        worlds_left_out: &base.left_out,
        whole: args.rules.is_empty() && args.sample.is_none() && args.since.is_none(),
        explained: ("docs/SURVIVORS.md", &[]),
    });
    match args.format {
        MutantFormat::Json => {
            let json = serde_json::to_string_pretty(&report).map_err(|e| Failure::Fault(e.to_string()))?;
            io.print(&(json + "\n"))?;
        }
        _ => io.print(&told::text(&report))?,
    }
    let _ = (PathBuf::new(), check::check as fn(&[_], &_) -> _);
    Ok(if io.stop.load(Ordering::SeqCst) { STATUS_INTERRUPTED } else { report.exit_status })
}

/// The mutants that were asked for.
fn chosen(args: &Mutate, program: &Program, all: Vec<Mutant>) -> Result<Vec<Mutant>, Failure> {
    let names: Vec<&str> = program.rules.iter().map(|r| r.name.as_str()).collect();
    for rule in &args.rules {
        if !names.contains(&rule.as_str()) {
            return Err(Failure::helped(format!("no rule or keyword in force is named `{rule}`"), nearest(rule, &names)));
        }
    }
    let list: Vec<Mutant> =
        all.into_iter().filter(|m| args.rules.is_empty() || args.rules.contains(&m.owner)).collect();
    let Some(n) = args.sample.map(|n| n as usize).filter(|n| *n < list.len()) else { return Ok(list) };
    let (all, len) = (list.into_iter().enumerate(), n);
    let total = all.len();
    Ok(all.filter(|(i, _)| i * len / total != (i + 1) * len / total).map(|(_, m)| m).collect())
}
