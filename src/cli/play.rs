//! `facedown play`: plays rulings of a file, a saved trace, or the one-line form of a play, and says where one stops
//! being legal.

use std::path::{Path, PathBuf};

use super::args::{self, Format, Play as Args};
use super::engine::Engine;
use super::io::{Failure, Io};
use super::load::{self, ReadError};
use super::worlds::{check_program, folders, guarded, world_named};
use crate::judge::play::Play;
use crate::judge::run::Replayed;
use crate::judge::script::Script;
use crate::judge::verdict::{STATUS_FAILED, STATUS_INPUT, STATUS_OK, winning_status};
use crate::lang::check::Options;
use crate::report::{model::place, trace};

/// The largest saved trace that is read, in bytes.
const TRACE_BYTES_MAX: u64 = 64 << 20;

pub(super) fn run(args: &Args, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    if let Some(world) = &args.world {
        let [line] = args.plays.as_slice() else {
            return Err(Failure::input("with --world there is one play string; quote it"));
        };
        let script = Script::parse(line).map_err(|why| Failure::input(format!("the play string is wrong: {why}")))?;
        let (_, program) = args.model.check(args.model.load()?)?;
        let world = world_named(&program, world)?;
        let replayed = guarded("the replay", || engine.replay(&program, world, &script))?;
        return show(args, &replayed, None, io);
    }
    if let Some(other) = args.plays.iter().find(|p| !ends(p, "rulings") && !ends(p, "json")) {
        let help = Some("give files that end in .rulings or .json, or --world and a play string".to_owned());
        return Err(Failure::helped(format!("`{other}` is no file of rulings and no saved trace"), help));
    }
    let mut applying = vec![STATUS_OK];
    let rulings: Vec<PathBuf> = args.plays.iter().filter(|p| ends(p, "rulings")).map(PathBuf::from).collect();
    if !rulings.is_empty() {
        applying.push(play_rulings(args, &rulings, engine, io)?);
    }
    for path in args.plays.iter().filter(|p| ends(p, "json")) {
        applying.push(play_trace(args, path, engine, io)?);
    }
    Ok(winning_status(&applying))
}

fn ends(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|e| e == ending)
}

/// Plays the rulings of these files and no others.
fn play_rulings(args: &Args, paths: &[PathBuf], engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    let folders = folders(args.model.model.as_deref(), args.model.properties.as_deref());
    let loaded = load::with_files(&folders, paths)?;
    let (sources, program) = args.model.check(loaded)?;
    let true_paths: Vec<PathBuf> = paths.iter().filter_map(|p| p.canonicalize().ok()).collect();
    let asked: Vec<bool> = sources
        .files
        .iter()
        .map(|f| Path::new(&f.path).canonicalize().is_ok_and(|p| true_paths.contains(&p)))
        .collect();
    let (mut passed, mut failed) = (0, 0);
    for (at, ruling) in program.rulings.iter().enumerate() {
        if !asked.get(usize::from(ruling.span.file)).copied().unwrap_or(false) {
            continue;
        }
        let result = guarded(&format!("playing ruling {}", ruling.name), || engine.ruling(&program, at))?;
        let cites = if ruling.cites.is_empty() { String::new() } else { format!(" [{}]", ruling.cites.join(", ")) };
        match &result.failure {
            None => {
                passed += 1;
                io.print(&format!("passes {}{cites}\n", ruling.name))?;
            }
            Some((code, span, message)) => {
                failed += 1;
                io.print(&format!("FAILS {}{cites}\n", ruling.name))?;
                let say = |language: &str| ruling.says.iter().find(|(l, _)| l == language);
                if let Some((_, sentence)) = say(args.lang.as_str()).or_else(|| say("en")) {
                    io.print(&format!("  {sentence}\n"))?;
                }
                io.print(&format!("  {}: {message} [{}]\n", place(&sources, *span), code.as_str()))?;
            }
        }
    }
    if passed + failed == 0 {
        return Err(Failure::input("nothing to play: no ruling of these files is in force"));
    }
    io.print(&format!("{}  {passed} pass, {failed} fail\n", if failed == 0 { "PASS" } else { "FAIL" }))?;
    Ok(if failed == 0 { STATUS_OK } else { STATUS_FAILED })
}

/// Replays a saved trace, in its own edition and readings unless others are asked for.
fn play_trace(args: &Args, path: &str, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    let bytes = load::read_limited(Path::new(path), TRACE_BYTES_MAX).map_err(|error| match error {
        ReadError::TooLarge => Failure::input(format!("`{path}` is larger than the limit of {TRACE_BYTES_MAX} bytes")),
        ReadError::Io(error) => Failure::input(format!("`{path}` can't be read: {}", load::words(&error))),
    })?;
    let saved: Play =
        serde_json::from_slice(&bytes).map_err(|e| Failure::input(format!("`{path}` is no saved trace: {e}")))?;
    let wrong = |why: String| Failure::input(format!("`{path}`: {why}"));
    let mut options = Options { edition: args.model.edition, readings: args.model.readings.clone() };
    if options.edition.is_none() && !saved.edition.is_empty() {
        let why = |why| wrong(format!("the edition `{}`: {why}", saved.edition));
        options.edition = Some(args::date(&saved.edition).map_err(why)?);
    }
    if options.readings.is_empty() {
        let parse = |text: &String| args::reading(text).map_err(|why| wrong(format!("the reading `{text}`: {why}")));
        options.readings = saved.readings.iter().map(parse).collect::<Result<_, _>>()?;
    }
    let (_, program) = check_program(args.model.load()?, options)?;
    let world = world_named(&program, &saved.world)?;
    let replayed = guarded("the replay", || engine.replay(&program, world, &Script::of(&saved)))?;
    show(args, &replayed, Some(&saved), io)
}

fn show(args: &Args, replayed: &Replayed, saved: Option<&Play>, io: &mut Io) -> Result<u8, Failure> {
    match args.format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&replayed.play).map_err(|e| Failure::Fault(e.to_string()))?;
            io.print(&format!("{json}\n"))?;
        }
        Format::Text => io.print(&trace::text(&replayed.play, &args.model.replay(), ""))?,
    }
    let mut told = String::new();
    let mut status = STATUS_OK;
    if let Some(stopped) = &replayed.stopped {
        (status, told) = match stopped.step {
            0 => (STATUS_INPUT, format!("the play can't start: {}\n", stopped.why)),
            step => (STATUS_FAILED, format!("STOPS at step {step}: {}\n", stopped.why)),
        };
    }
    if let Some(step) = saved.and_then(|saved| first_difference(saved, &replayed.play)) {
        status = winning_status(&[status, STATUS_FAILED]);
        told.push_str(&format!("DIFFERS from the saved trace at step {step}\n"));
    }
    match args.format {
        Format::Json => io.tell(&told),
        Format::Text => io.print(&told)?,
    }
    Ok(status)
}

/// The first step, from 1, that is played otherwise than it was saved. What was not played differs in nothing.
fn first_difference(saved: &Play, played: &Play) -> Option<usize> {
    saved.steps.iter().zip(&played.steps).position(|(a, b)| a != b).map(|at| at + 1)
}
