//! `facedown check`: runs worlds and rulings, judges, compares with the baseline, and prints the report.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::args::{Check, ReportFormat};
use super::engine::Engine;
use super::io::{Failure, Io};
use super::load::{self, ReadError};
use super::reports::{self, Found};
use super::worlds::{explore, guarded, not_begun, selected};
use super::write::{self, cant_write};
use crate::judge::play::{RulingResult, WorldResult};
use crate::judge::verdict::{self, STATUS_OK, is_deep};
use crate::lang::source::Sources;
use crate::lang::tree::Program;
use crate::report::baseline::Baseline;
use crate::report::checked;
use crate::report::model::{Findings, Report, RunWorld, WorldReport};
use crate::report::overview::{self, Overview};
use crate::report::proof::Proof;
use crate::report::text::{self, Style, grouped};
use crate::report::wording::written;

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
    if args.explore.symmetry && (args.baseline.is_some() || args.update_baseline) {
        let help = Some("leave --symmetry out where a baseline is compared or written".to_owned());
        return Err(Failure::helped("a baseline pins all states, and --symmetry explores fewer", help));
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
    let taken = args.baseline.as_deref().or(args.update_baseline.then_some(baseline_path.as_path()));
    reports::prepare(&args.reports, taken.as_slice())?;

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
    let written = written(&sources);
    let different = match &baseline {
        Some(baseline) if !args.update_baseline && !interrupted => {
            baseline.differences(&Report::new(&findings), &program, &written)
        }
        Some(_) | None => Vec::new(),
    };
    let differences: Vec<String> = different.iter().map(ToString::to_string).collect();
    findings.differences = &differences;
    findings.exit_status = verdict::exit_status(&program, &judgement, &worlds, &rulings, &differences);
    let report = Report::new(&findings);

    let style = Style { language: args.lang.as_str().to_owned(), replay: args.model.replay() };
    let mut sheet = checked::sheet(&findings, &report, &different, &written, &style);
    sheet.base.clone_from(&io.source_url);
    let proof = Proof::new(&report, &written);
    let words = || {
        let worlds = report.worlds.iter().map(|world| text::world_line(world) + "\n");
        worlds.collect::<String>() + &text::after_worlds(&report, &style)
    };
    let json = || serde_json::to_string_pretty(&report);
    let found = Found { words: &words, json: &json, sheet: &sheet, proof: Some(&proof) };
    match args.format {
        // The lines of the worlds are printed already, each when it was explored.
        ReportFormat::Text => io.print(&text::after_worlds(&report, &style))?,
        format => io.print(&found.text(format)?)?,
    }
    found.write(&args.reports)?;
    if let Some(folder) = &args.traces {
        write_traces(folder, &report)?;
    }
    if args.update_baseline {
        if interrupted || !judgement.faults.is_empty() {
            io.tell("the baseline is not updated, since the run did not end by itself\n");
        } else {
            let baseline = Baseline::updated(baseline.as_ref(), &report, &program, &written);
            write_baseline(&baseline_path, &baseline)?;
            write_overview(&baseline_path, &sources, &program, &baseline, io)?;
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
            explore(sources, program, world, (&args.explore, &args.keep), engine, io)?
        };
        if args.format == ReportFormat::Text {
            io.print(&format!("{}\n", text::world_line(&WorldReport::of(&result))))?;
            io.flush()?;
        }
        let run = RunWorld::of(&result);
        io.tell(&format!("{}\n", text::measured_line(&result.name, &run)));
        if args.keep.statistics {
            io.tell(&text::statistics(&result.name, &run));
        }
        if args.keep.profile {
            io.tell(&text::profile(&result.name, &run));
        }
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
    let text = baseline.to_text().map_err(|e| Failure::Fault(e.to_string()))?;
    write::replace(path, &text)
}

/// Writes `REPORT.md` beside the baseline, unless somebody else's file is there.
fn write_overview(
    beside: &Path,
    sources: &Sources,
    program: &Program,
    baseline: &Baseline,
    io: &mut Io,
) -> Result<(), Failure> {
    let path = beside.with_file_name("REPORT.md");
    let ours = match load::read_limited(&path, BASELINE_BYTES_MAX) {
        Ok(old) => old.is_empty() || String::from_utf8_lossy(&old).contains(overview::MARK),
        Err(ReadError::Io(error)) => error.kind() == std::io::ErrorKind::NotFound,
        Err(ReadError::TooLarge) => false,
    };
    if !ours {
        io.tell(&format!("`{}` is left as it is: it was not written by this program\n", load::shown(&path)));
        return Ok(());
    }
    let above = beside.parent().filter(|_| beside.is_relative()).map(|f| "../".repeat(f.components().count()));
    let text = overview::text(&Overview { sources, program, baseline, root: above.as_deref() });
    write::replace(&path, &text)
}

/// One file for each play that decides a property.
fn write_traces(folder: &Path, report: &Report) -> Result<(), Failure> {
    for property in &report.properties {
        let Some(play) = &property.trace else { continue };
        let plain = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let path = folder.join(format!("{}.json", property.name.chars().map(plain).collect::<String>()));
        let text = serde_json::to_string_pretty(play).map_err(|e| Failure::Fault(e.to_string()))? + "\n";
        write::replace(&path, &text)?;
    }
    Ok(())
}
