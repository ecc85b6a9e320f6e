//! The command line: what is asked, which files are read, which engine runs, what is printed, with which status it
//! ends. It decides nothing about the game; verdicts are `judge`'s and texts are `report`'s.

mod args;
mod asked;
mod check;
mod coverage;
mod diff;
pub mod engine;
pub mod engines;
mod explain;
mod format;
mod git;
mod io;
pub mod load;
mod mutate;
mod play;
mod progress;
mod reports;
mod since;
mod sweep;
mod worlds;
mod write;

use std::ffi::OsString;

use clap::Parser;

use crate::judge::verdict::{STATUS_FAULT, STATUS_INPUT, STATUS_OK};
use args::{Args, Command};
use engine::Engine;
pub use io::{Failure, Io};

/// Runs one command line and gives the exit status.
pub fn run(words: impl IntoIterator<Item = OsString>, engine: &dyn Engine, io: &mut Io) -> u8 {
    let args = match Args::try_parse_from(words) {
        Ok(args) => args,
        Err(error) => return clap_message(&error, io),
    };
    let result = match &args.command {
        Command::Check(check) => check::run(check, engine, io),
        Command::Play(play) => play::run(play, engine, io),
        Command::Witness(witness) => asked::run(witness, engine, io),
        Command::Coverage(coverage) => coverage::run(coverage, engine, io),
        Command::Mutate(mutate) => mutate::run(mutate, io),
        Command::Sweep(sweep) => sweep::run(sweep, io),
        Command::Diff(diff) => diff::run(diff, engine, io),
        Command::Explain(explain) => explain::run(explain, io),
        Command::Fmt(fmt) => format::run(fmt, io),
        Command::Version => io.print(concat!("facedown ", env!("CARGO_PKG_VERSION"), "\n")).map(|()| STATUS_OK),
    };
    let result = result.and_then(|status| io.flush().map(|()| status));
    match result {
        Ok(status) => status,
        Err(failure) => {
            // What was found before the failure must not be lost behind it.
            let _ = io.flush();
            let status = if matches!(failure, Failure::Fault(_)) { STATUS_FAULT } else { STATUS_INPUT };
            io.tell(&failure.text(io.color));
            status
        }
    }
}

/// Help goes to standard output, mistakes to standard error.
fn clap_message(error: &clap::Error, io: &mut Io) -> u8 {
    let text = if io.color { error.render().ansi().to_string() } else { error.render().to_string() };
    if error.use_stderr() {
        io.tell(&text);
        return STATUS_INPUT;
    }
    match io.print(&text).and_then(|()| io.flush()) {
        Ok(()) => STATUS_OK,
        Err(_) => STATUS_INPUT,
    }
}
