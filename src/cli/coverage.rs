//! `facedown coverage`: what the worlds and rulings leave untouched of the law, the cards and the effects, and what states
//! each seed sentence. It reads the lists of what is explained, runs and prints; what counts as covered is decided in `law`
//! and `report`.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::args::{Coverage, CoverageFormat};
use super::engine::Engine;
use super::io::{Failure, Io};
use super::load::{self, FILE_BYTES_MAX, ReadError};
use super::worlds::{PROPERTIES, guarded, not_begun, selected};
use crate::judge::coverage::{Met, Seen};
use crate::judge::play::{RulingResult, WorldResult};
use crate::judge::run::{EngineKind, ExploreOptions};
use crate::judge::verdict::{STATUS_FAILED, STATUS_OK};
use crate::lang::diag::Diag;
use crate::lang::source::Sources;
use crate::lang::tree::Program;
use crate::report::coverage::{self, Coverage as Report, Findings, Section};
use crate::report::model::WorldReport;
use crate::report::{explained, lcov, parts, seeds, text};

/// What is explained, in the folder of properties.
const EXPLAINED: &str = "coverage.list";

/// The sentences, in the folder of properties.
const SEEDS: &str = "seeds.tsv";

pub(super) fn run(args: &Coverage, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    if args.seeds { table(args, io) } else { law(args, engine, io) }
}

/// The sections that are asked for. What rules do and what they ask go together.
fn sections(args: &Coverage) -> Vec<Section> {
    let asked = &args.sections;
    let wanted = |section: &Section| match section {
        Section::Rules => asked.rules,
        Section::Conjuncts => asked.rules || asked.conjuncts,
        Section::Events => asked.events,
        Section::Archetypes => asked.archetypes,
        Section::Effects => asked.effects,
    };
    let some: Vec<Section> = Section::ALL.into_iter().filter(wanted).collect();
    if some.is_empty() { Section::ALL.to_vec() } else { some }
}

/// Runs worlds and rulings, and prints what was at work.
fn law(args: &Coverage, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    let (path, list) = beside_properties(args, EXPLAINED)?;
    let entries = explained::entries(list.as_deref().unwrap_or_default())
        .map_err(|why| Failure::input(format!("`{path}`: {why}")))?;
    let sections = sections(args);
    let loaded = args.model.load()?;
    let files = loaded.files.clone();
    let (sources, program) = args.model.check(loaded)?;
    if program.worlds.is_empty() && program.rulings.is_empty() {
        return Err(Failure::input("nothing to run: the model has no world and no ruling"));
    }
    let (shown, sentences) =
        if sections.len() == Section::ALL.len() { seed_list(args)? } else { (String::new(), None) };
    let sentences = sentences.map(|text| seeds::sentences(&text)).transpose();
    let sentences = sentences.map_err(|why| Failure::input(format!("`{shown}`: {why}")))?;
    let owners = parts::owners(&sources, &files, &program).map_err(Failure::Fault)?;
    let mut met = Met::default();
    let (worlds, rulings) = all(args, engine, (&sources, &program), &mut met, io)?;
    let seeds = sentences.map(|s| seeds::table(&files, &s));
    let findings = Findings {
        sources: &sources,
        program: &program,
        owners: &owners,
        names: &parts::names(&files),
        worlds: &worlds,
        rulings: &rulings,
        met: &met,
        explained: (&path, &entries),
        sections: &sections,
        seeds: seeds.as_ref(),
    };
    let report = Report::new(&findings);
    match args.format {
        CoverageFormat::Text => io.print(&coverage::text(&report, &sections))?,
        CoverageFormat::Json => {
            let json = serde_json::to_string_pretty(&report).map_err(|e| Failure::Fault(e.to_string()))?;
            io.print(&(json + "\n"))?;
        }
        CoverageFormat::Lcov => io.print(&lcov::lcov(&findings))?,
    }
    Ok(report.exit_status)
}

/// Runs the worlds that are asked for and all rulings, several at once, and tells of each world in the order of names.
fn all(
    args: &Coverage,
    engine: &dyn Engine,
    (sources, program): (&Sources, &Program),
    met: &mut Met,
    io: &mut Io,
) -> Result<(Vec<WorldResult>, Vec<RulingResult>), Failure> {
    let asked = selected(program, &args.worlds, false)?;
    let stop = Arc::clone(&io.stop);
    let stopped = || stop.load(Ordering::SeqCst);
    let world = |at: usize| {
        if stopped() {
            return Ok(Ok((not_begun(program, asked[at]), Seen::default())));
        }
        let options = options(&stop);
        let name = &program.worlds[asked[at]].name;
        guarded(&format!("exploring world {name}"), || engine.world_seen(program, asked[at], &options))
    };
    let mut worlds = Vec::new();
    at_once(args.threads, asked.len(), world, |found: Result<Result<_, Vec<Diag>>, Failure>| {
        let (result, seen) = found?.map_err(|diags| Failure::Model(Box::new(sources.clone()), diags))?;
        if args.format == CoverageFormat::Text {
            io.print(&format!("{}\n", text::world_line(&WorldReport::of(&result))))?;
            io.flush()?;
        }
        met.world(&result.name, seen);
        worlds.push(result);
        Ok(())
    })?;
    let ruling = |at: usize| {
        let name = &program.rulings[at].name;
        let play = || guarded(&format!("playing ruling {name}"), || engine.ruling_seen(program, at));
        (!stopped()).then(play).transpose()
    };
    let mut rulings = Vec::new();
    at_once(args.threads, program.rulings.len(), ruling, |found| {
        if let Some((result, seen)) = found? {
            met.ruling(&result.name, seen);
            rulings.push(result);
        }
        Ok(())
    })?;
    Ok((worlds, rulings))
}

/// Works on so many things, on several threads, and hands each on in order as soon as it and those before it are there.
fn at_once<T: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let available = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if threads == 0 { available() } else { threads }.min(count);
    let next = AtomicUsize::new(0);
    let (done, ready) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (done, next, work) = (done.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::SeqCst);
                    // Nobody listens any more where an earlier one has failed.
                    if at >= count || done.send((at, work(at))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        let mut waiting = BTreeMap::new();
        let mut wanted = 0;
        for (at, value) in ready {
            waiting.insert(at, value);
            while let Some(value) = waiting.remove(&wanted) {
                take(value)?;
                wanted += 1;
            }
        }
        Ok(())
    })
}

/// How a world is explored: to its end, by our own engine, on the thread that took it.
fn options(stop: &Arc<std::sync::atomic::AtomicBool>) -> ExploreOptions {
    ExploreOptions { threads: 1, engine: EngineKind::Own, stop: Arc::clone(stop), ..ExploreOptions::default() }
}

/// The list of seed sentences.
fn seed_list(args: &Coverage) -> Result<(String, Option<String>), Failure> {
    beside_properties(args, SEEDS)
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
    let (shown, text) = seed_list(args)?;
    let Some(text) = text else {
        return Err(Failure::input(format!("`{shown}` is not there, which lists the sentences")));
    };
    let sentences = seeds::sentences(&text).map_err(|why| Failure::input(format!("`{shown}`: {why}")))?;
    let table = seeds::table(&loaded.files, &sentences);
    io.print(&table.text)?;
    table.faults.iter().for_each(|fault| io.tell(&format!("{fault}\n")));
    Ok(if table.faults.is_empty() { STATUS_OK } else { STATUS_FAILED })
}
