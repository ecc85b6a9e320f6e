//! `facedown check`: runs worlds and rulings, judges, compares with the baseline, and prints the report.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::args::{Check, Format};
use super::engine::Engine;
use super::io::{Failure, Io};
use super::load::{self, ReadError};
use super::worlds::{explore, guarded, not_begun, selected};
use crate::judge::play::{RulingResult, WorldResult};
use crate::judge::verdict::{self, STATUS_OK, is_deep};
use crate::lang::source::Sources;
use crate::lang::tree::Program;
use crate::report::baseline::Baseline;
use crate::report::model::{Findings, Report, RunWorld, WorldReport};
use crate::report::text::{self, Style, grouped};

/// Where the baseline is, unless told otherwise.
pub(super) const BASELINE: &str = "reports/baseline.json";
/// The largest baseline that is read, in bytes.
const BASELINE_BYTES_MAX: u64 = 64 << 20;

pub(super) fn run(args: &Check, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    let started = Instant::now();
    if args.update_baseline && io.ci {
        let help = Some("run it on your own machine, and say in the commit why it changed".to_owned());
        return Err(Failure::helped("the baseline is not updated where CI is set", help));
    }
    let (sources, program) = args.model.check(args.model.load()?)?;
    let baseline_path = args.baseline.clone().unwrap_or_else(|| PathBuf::from(BASELINE));
    if args.list_worlds {
        return list_worlds(&program, pinned(&baseline_path, args.baseline.is_some())?.as_ref(), io);
    }
    if program.worlds.is_empty() && program.rulings.is_empty() {
        return Err(Failure::input(format!(
            "nothing to check: the model has no world and no ruling ({})",
            folders(args)
        )));
    }
    let asked = selected(&program, &args.worlds, args.all)?;
    let baseline = match (&args.baseline, args.update_baseline) {
        (Some(path), update) => pinned(path, !update)?,
        (None, true) => pinned(&baseline_path, false)?,
        (None, false) => None,
    };
    if let Some(folder) = &args.traces {
        fs::create_dir_all(folder).map_err(|e| cant_write(folder, &e))?;
    }

    let worlds = run_worlds(args, &sources, &program, &asked, engine, io)?;
    let rulings = run_rulings(&program, engine, io)?;
    let judgement = verdict::judge(&program, &worlds);
    let mut findings = Findings {
        sources: &sources,
        program: &program,
        worlds: &worlds,
        judgement: &judgement,
        rulings: &rulings,
        differences: &[],
        exit_status: STATUS_OK,
        seconds: started.elapsed().as_secs_f64(),
    };
    let interrupted = worlds.iter().any(|w| w.interrupted);
    let differences = match &baseline {
        Some(baseline) if !args.update_baseline && !interrupted => {
            baseline.differences(&Report::new(&findings), &program)
        }
        Some(_) | None => Vec::new(),
    };
    findings.differences = &differences;
    findings.exit_status = verdict::exit_status(&program, &judgement, &worlds, &rulings, &differences);
    let report = Report::new(&findings);

    match args.format {
        Format::Json => io.print(&json(&report)?)?,
        Format::Text => {
            let style = Style { language: args.lang.as_str().to_owned(), replay: args.model.replay() };
            io.print(&text::after_worlds(&report, &style))?;
        }
    }
    if let Some(folder) = &args.traces {
        write_traces(folder, &report)?;
    }
    if args.update_baseline {
        if interrupted || !judgement.faults.is_empty() {
            io.tell("the baseline is not updated, since the run did not end by itself\n");
        } else {
            write_baseline(&baseline_path, &Baseline::updated(baseline.as_ref(), &report, &program))?;
        }
    }
    Ok(findings.exit_status)
}

fn folders(args: &Check) -> String {
    let folders = super::worlds::folders(args.model.model.as_deref(), args.model.properties.as_deref());
    folders.iter().map(|f| load::shown(f)).collect::<Vec<_>>().join(", ")
}

fn run_worlds(
    args: &Check,
    sources: &Sources,
    program: &Program,
    asked: &[usize],
    engine: &dyn Engine,
    io: &mut Io,
) -> Result<Vec<WorldResult>, Failure> {
    let mut results = Vec::with_capacity(asked.len());
    for &world in asked {
        let result = if io.stop.load(Ordering::SeqCst) {
            not_begun(program, world)
        } else {
            explore(sources, program, world, &args.explore, engine, io)?
        };
        if args.format == Format::Text {
            io.print(&format!("{}\n", text::world_line(&WorldReport::of(&result))))?;
            io.flush()?;
        }
        io.tell(&format!("{}\n", text::measured_line(&result.name, &RunWorld::of(&result))));
        results.push(result);
    }
    Ok(results)
}

fn run_rulings(program: &Program, engine: &dyn Engine, io: &Io) -> Result<Vec<RulingResult>, Failure> {
    let mut results = Vec::new();
    for (at, ruling) in program.rulings.iter().enumerate() {
        if io.stop.load(Ordering::SeqCst) {
            break;
        }
        results.push(guarded(&format!("playing ruling {}", ruling.name), || engine.ruling(program, at))?);
    }
    Ok(results)
}

/// Prints the worlds with the size that the baseline pins.
fn list_worlds(program: &Program, baseline: Option<&Baseline>, io: &mut Io) -> Result<u8, Failure> {
    let mut worlds: Vec<_> = program.worlds.iter().collect();
    worlds.sort_by_key(|w| &w.name);
    for world in worlds {
        let size = match baseline.and_then(|b| b.worlds.get(&world.name)) {
            Some(counts) => format!("{} states", grouped(counts.unique_states)),
            None => "not in the baseline".to_owned(),
        };
        let deep = if is_deep(&world.name) { " (by --all or --world only)" } else { "" };
        io.print(&format!("{}  {size}  {}{deep}\n", world.name, world.title))?;
    }
    Ok(STATUS_OK)
}

/// The baseline, if it is there; if it must be and is not, an error.
pub(super) fn pinned(path: &Path, must_be: bool) -> Result<Option<Baseline>, Failure> {
    let name = load::shown(path);
    let bytes = match load::read_limited(path, BASELINE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound && !must_be => return Ok(None),
        Err(ReadError::Io(error)) => {
            let help = Some("write it with --update-baseline".to_owned());
            return Err(Failure::helped(format!("the baseline `{name}` can't be read: {}", load::words(&error)), help));
        }
        Err(ReadError::TooLarge) => {
            return Err(Failure::input(format!("`{name}` is larger than the limit of {BASELINE_BYTES_MAX} bytes")));
        }
    };
    let text = String::from_utf8(bytes).map_err(|_| Failure::input(format!("`{name}` is not UTF-8")))?;
    Baseline::parse(&text).map(Some).map_err(|why| Failure::input(format!("`{name}`: {why}")))
}

fn write_baseline(path: &Path, baseline: &Baseline) -> Result<(), Failure> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| cant_write(folder, &e))?;
    }
    let text = baseline.to_text().map_err(|e| Failure::Fault(e.to_string()))?;
    fs::write(path, text).map_err(|e| cant_write(path, &e))
}

/// One file for each play that decides a property.
fn write_traces(folder: &Path, report: &Report) -> Result<(), Failure> {
    for property in &report.properties {
        let Some(play) = &property.trace else { continue };
        let plain = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let path = folder.join(format!("{}.json", property.name.chars().map(plain).collect::<String>()));
        let text = serde_json::to_string_pretty(play).map_err(|e| Failure::Fault(e.to_string()))? + "\n";
        fs::write(&path, text).map_err(|e| cant_write(&path, &e))?;
    }
    Ok(())
}

fn cant_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("`{}` can't be written: {}", load::shown(path), load::words(error)))
}

fn json(report: &Report) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(report).map_err(|e| Failure::Fault(e.to_string()))? + "\n")
}
