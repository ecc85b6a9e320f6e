//! `facedown coverage`: what the worlds and rulings leave untouched of the law, and what states each seed sentence. It
//! reads the lists of what is explained and prints; what counts as covered is decided in `law` and `report`.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use super::args::{Coverage, EngineWord, Explore, Format};
use super::engine::Engine;
use super::io::{Failure, Io};
use super::load::{self, FILE_BYTES_MAX, ReadError};
use super::worlds::{PROPERTIES, exploring, guarded, not_begun, selected};
use crate::judge::coverage::{Met, Seen};
use crate::judge::verdict::{STATUS_FAILED, STATUS_OK};
use crate::report::coverage::{self, Coverage as Report, Findings};
use crate::report::model::WorldReport;
use crate::report::{explained, parts, seeds, text};

/// What is explained, in the folder of properties.
const EXPLAINED: &str = "coverage.list";

/// The sentences, in the folder of properties.
const SEEDS: &str = "seeds.tsv";

pub(super) fn run(args: &Coverage, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    if args.seeds { table(args, io) } else { rules(args, engine, io) }
}

/// Runs worlds and rulings, and prints what was at work.
fn rules(args: &Coverage, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    let (path, list) = beside_properties(args, EXPLAINED)?;
    let entries = explained::entries(list.as_deref().unwrap_or_default())
        .map_err(|why| Failure::input(format!("`{path}`: {why}")))?;
    let loaded = args.model.load()?;
    let files = loaded.files.clone();
    let (sources, program) = args.model.check(loaded)?;
    if program.worlds.is_empty() && program.rulings.is_empty() {
        return Err(Failure::input("nothing to run: the model has no world and no ruling"));
    }
    let owners = parts::owners(&sources, &files, &program).map_err(Failure::Fault)?;
    let asked = selected(&program, &args.worlds, false)?;
    let mut met = Met::default();
    let mut worlds = Vec::new();
    for world in asked {
        let (result, seen) = if io.stop.load(Ordering::SeqCst) {
            (not_begun(&program, world), Seen::default())
        } else {
            let told = |options: &_| engine.world_seen(&program, world, options);
            exploring(&sources, &program, world, &options(args), told, io)?
        };
        if args.format == Format::Text {
            io.print(&format!("{}\n", text::world_line(&WorldReport::of(&result))))?;
            io.flush()?;
        }
        met.world(&result.name, seen);
        worlds.push(result);
    }
    let mut rulings = Vec::new();
    for (at, ruling) in program.rulings.iter().enumerate() {
        if io.stop.load(Ordering::SeqCst) {
            break;
        }
        let (result, seen) = guarded(&format!("playing ruling {}", ruling.name), || engine.ruling_seen(&program, at))?;
        met.ruling(&result.name, seen);
        rulings.push(result);
    }
    let report = Report::new(&Findings {
        sources: &sources,
        program: &program,
        owners: &owners,
        names: &parts::names(&files),
        worlds: &worlds,
        rulings: &rulings,
        met: &met,
        explained: (&path, &entries),
    });
    match args.format {
        Format::Text => io.print(&coverage::text(&report))?,
        Format::Json => {
            let json = serde_json::to_string_pretty(&report).map_err(|e| Failure::Fault(e.to_string()))?;
            io.print(&(json + "\n"))?;
        }
    }
    Ok(report.exit_status)
}

/// How worlds are explored: to their end, by our own engine.
fn options(args: &Coverage) -> Explore {
    Explore { threads: args.threads, engine: EngineWord::Own, limit_states: None, limit_depth: None, memory: None }
}

/// A file in the folder of properties, and its text if it is there.
fn beside_properties(args: &Coverage, name: &str) -> Result<(String, Option<String>), Failure> {
    let folder = args.model.properties.clone().unwrap_or_else(|| PathBuf::from(PROPERTIES));
    let path = folder.join(name);
    let shown = load::shown(&path);
    match load::read_limited(&path, FILE_BYTES_MAX) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok((shown, Some(text))),
            Err(_) => Err(Failure::input(format!("`{shown}` is not UTF-8"))),
        },
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok((shown, None)),
        Err(ReadError::Io(error)) => Err(Failure::input(format!("`{shown}` can't be read: {}", load::words(&error)))),
        Err(ReadError::TooLarge) => {
            Err(Failure::input(format!("`{shown}` is larger than the limit of {FILE_BYTES_MAX} bytes")))
        }
    }
}

/// Prints the seed table.
fn table(args: &Coverage, io: &mut Io) -> Result<u8, Failure> {
    let loaded = args.model.load()?;
    let (shown, text) = beside_properties(args, SEEDS)?;
    let Some(text) = text else {
        return Err(Failure::input(format!("`{shown}` is not there, which lists the sentences")));
    };
    let sentences = seeds::sentences(&text).map_err(|why| Failure::input(format!("`{shown}`: {why}")))?;
    let table = seeds::table(&loaded.files, &sentences);
    io.print(&table.text)?;
    table.faults.iter().for_each(|fault| io.tell(&format!("{fault}\n")));
    Ok(if table.faults.is_empty() { STATUS_OK } else { STATUS_FAILED })
}
