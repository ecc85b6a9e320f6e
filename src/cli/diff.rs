//! `facedown diff`: two rulebooks side by side. It reads both, runs the checks and the comparisons, and prints; what differs
//! is decided in `judge`, and told in `report`.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::args::{Diff, FailOn, Keep, ReportFormat};
use super::engine::Engine;
use super::git::{self, Revision};
use super::io::{Failure, Io};
use super::load::{self, Loaded};
use super::reports::{self, Found};
use super::worlds::{MODEL, PROPERTIES, exploring, guarded, nearest, not_begun, readings_exist};
use crate::judge::beside::{self, Two};
use crate::judge::changes::{Side, changes};
use crate::judge::compare::{Checked, Turn, Turned, first_to_look_at, turned};
use crate::judge::parting::Beside;
use crate::judge::play::{Play, RulingResult, WorldResult};
use crate::judge::verdict::{
    self, Judgement, STATUS_FAILED, STATUS_FAULT, STATUS_INCOMPLETE, STATUS_INTERRUPTED, STATUS_OK, Verdict, is_deep,
    winning_status,
};
use crate::lang::ast::{File, Item, Span};
use crate::lang::check::{self, Options};
use crate::lang::items::written;
use crate::lang::source::Sources;
use crate::lang::tree::Program;
use crate::report::diff::{DiffFindings, DiffReport, SetAside, SideReport, WorldPair};
use crate::report::diff_sheet;
use crate::report::diff_text::{self, DiffStyle};
use crate::report::text::Style;
use crate::report::trace::Replay;

/// One rulebook as it was read and checked.
struct Book {
    name: String,
    revision: Option<String>,
    replay: Option<Replay>,
    sources: Sources,
    files: Vec<File>,
    program: Program,
    aside: Vec<(&'static str, String, String)>,
}

impl Book {
    fn side(&self) -> Side<'_> {
        Side { sources: &self.sources, files: &self.files, program: &self.program }
    }

    fn report(&self) -> SideReport {
        SideReport::new(self.name.clone(), self.revision.clone(), &self.program)
    }
}

/// What a check found.
struct Checks {
    worlds: Vec<WorldResult>,
    rulings: Vec<RulingResult>,
    judgement: Judgement,
}

impl Checks {
    fn checked<'a>(&'a self, book: &'a Book) -> Checked<'a> {
        Checked { program: &book.program, judgement: &self.judgement, rulings: &self.rulings }
    }
}

pub(super) fn run(args: &Diff, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    let started = Instant::now();
    if args.explore.symmetry {
        let help = Some("leave --symmetry out".to_owned());
        return Err(Failure::helped("`diff` compares the two rulebooks in every state", help));
    }
    let mut formats = args.reports.iter().map(|(format, _)| *format).chain([args.format]);
    if formats.any(|format| format == ReportFormat::Proof) {
        return Err(reports::no_proof());
    }
    reports::prepare(&args.reports, &[])?;
    let (old, new) = books(args)?;
    let changes = changes(&old.side(), &new.side());
    let asked = asked(args, &old.program, &new.program)?;
    let aside = set_aside(&old, &new)?;
    let same = aside.is_empty()
        && old.program.readings == new.program.readings
        && changes.iter().all(|c| c.how.says_the_same());
    let (mut turned, mut worlds, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut beside = Vec::new();
    let mut interrupted = false;
    if !same {
        let before = check(args, "old", &old, &asked, engine, io)?;
        let after = check(args, "new", &new, &asked, engine, io)?;
        let clauses = beside::clauses(&old.side(), &new.side());
        let two = Two { old: old.side(), new: new.side(), changes: &changes, clauses: &clauses };
        turned = verdicts(args, (&old, &before), (&new, &after), &two, engine, io)?;
        let unlike;
        (beside, unlike) = compared(args, &two, &old, &asked, engine, io)?;
        worlds = pairs(&asked, &before, &after, &beside, &unlike);
        faults.extend(before.judgement.faults.iter().chain(&after.judgement.faults).cloned());
        interrupted = [&before, &after].iter().any(|f| f.worlds.iter().any(|w| w.interrupted))
            || beside.iter().any(|b| b.interrupted);
    }
    let mut report = DiffReport::new(DiffFindings {
        sources: (&old.sources, &new.sources),
        sides: (old.report(), new.report()),
        changes: &changes,
        set_aside: &aside,
        turned: &turned,
        worlds,
        beside: &beside,
        faults,
        seconds: started.elapsed().as_secs_f64(),
    });
    report.summary.exit_status = status(args, &report, interrupted);
    report.summary.sentence = diff_text::sentence(&report);
    let style = DiffStyle {
        new: Style { language: args.lang.as_str().to_owned(), replay: new.replay.clone().unwrap_or_default() },
        new_is_folder: new.replay.is_some(),
        old: old.replay.clone(),
    };
    let mut sheet = diff_sheet::sheet(&report, &style);
    sheet.base.clone_from(&io.source_url);
    let (words, json) = (|| diff_text::text(&report, &style), || serde_json::to_string_pretty(&report));
    let found = Found { words: &words, json: &json, sheet: &sheet, proof: None };
    io.print(&found.text(args.format)?)?;
    found.write(&args.reports)?;
    Ok(report.summary.exit_status)
}

fn status(args: &Diff, report: &DiffReport, interrupted: bool) -> u8 {
    let count = |turn| report.turned(turn);
    // What was proved and can't be asked any more is no better.
    let worse = [Turn::Worse, Turn::Other, Turn::Gone].into_iter().any(|t| count(t) > 0);
    let any = worse
        || [Turn::Better, Turn::New].into_iter().any(|t| count(t) > 0)
        || report.worlds.iter().any(WorldPair::is_another_position)
        || !report.behaviour.is_empty()
        || report.worlds.iter().any(|w| w.old_states.is_none() != w.new_states.is_none());
    let failed = if args.fail_on == FailOn::Any { any } else { worse };
    let incomplete = count(Turn::Unknown) > 0 || report.worlds.iter().any(|w| !w.complete);
    let mut applying = vec![STATUS_OK];
    applying.extend((!report.faults.is_empty()).then_some(STATUS_FAULT));
    applying.extend(interrupted.then_some(STATUS_INTERRUPTED));
    applying.extend(failed.then_some(STATUS_FAILED));
    applying.extend(incomplete.then_some(STATUS_INCOMPLETE));
    winning_status(&applying)
}

// ---- Reading ----

/// Both rulebooks, each in its edition and readings.
fn books(args: &Diff) -> Result<(Book, Book), Failure> {
    let old = args.old.clone().unwrap_or_else(|| MODEL.to_owned());
    let new = args.new.clone().unwrap_or_else(|| old.clone());
    let properties = args.properties.clone().unwrap_or_else(|| PROPERTIES.to_owned());
    let old_properties = args.old_properties.clone().unwrap_or_else(|| properties.clone());
    let twice = args.editions.is_empty() && args.readings.is_none() && same_place(&old, &new);
    if twice && same_place(&old_properties, &properties) {
        let help = "name two rulebooks, or give --editions or --readings to compare one with itself";
        return Err(Failure::helped(format!("both sides are `{old}`"), Some(help.to_owned())));
    }
    let (before, after) = (load(&old, &old_properties)?, load(&new, &properties)?);
    let mut options = (options(args, 0), options(args, 1));
    if let Some(reading) = &args.readings {
        let (name, default, other) = reading_values(&before.files, reading)?;
        options.0.readings.push((name.clone(), default));
        options.1.readings.push((name, other));
    }
    let old =
        book(old, &old_properties, args.old_properties.is_some() || args.properties.is_some(), before, &options.0)?;
    let new = book(new, &properties, args.properties.is_some(), after, &options.1)?;
    Ok((old, new))
}

fn options(args: &Diff, side: usize) -> Options {
    Options { edition: args.editions.get(side).copied().or(args.edition), readings: args.reading.clone() }
}

/// Whether two names are of one folder or one revision.
fn same_place(a: &str, b: &str) -> bool {
    let place = |name: &str| Path::new(name).canonicalize().unwrap_or_else(|_| PathBuf::from(name));
    place(a) == place(b)
}

/// The default of a reading and its other value.
fn reading_values(files: &[File], asked: &str) -> Result<(String, String, String), Failure> {
    let (name, value) = asked.split_once('=').map_or((asked, None), |(n, v)| (n, Some(v)));
    let readings: Vec<_> = files
        .iter()
        .flat_map(|f| &f.items)
        .filter_map(|i| if let Item::Reading(r) = i { Some(r) } else { None })
        .collect();
    let Some(reading) = readings.iter().find(|r| r.name.text == name) else {
        let names: Vec<&str> = readings.iter().map(|r| r.name.text.as_str()).collect();
        let help = nearest(name, &names).unwrap_or_else(|| format!("the readings are {}", names.join(", ")));
        return Err(Failure::helped(format!("no reading is named `{name}`"), Some(help)));
    };
    let values: Vec<&str> = reading.values.iter().map(|v| v.0.text.as_str()).collect();
    let default = reading.values.iter().find(|v| v.2).or(reading.values.first()).map_or("", |v| v.0.text.as_str());
    let others: Vec<&str> = values.iter().copied().filter(|v| *v != default).collect();
    let other = match (value, others.as_slice()) {
        (Some(value), _) if value == default => {
            let help = format!("name one of its other values: {}", others.join(", "));
            return Err(Failure::helped(format!("`{value}` is the default of the reading `{name}`"), Some(help)));
        }
        (Some(value), _) if values.contains(&value) => value,
        (Some(value), _) => {
            let help = format!("its values are {}", values.join(", "));
            return Err(Failure::helped(format!("the reading `{name}` has no value `{value}`"), Some(help)));
        }
        (None, [one]) => one,
        (None, _) => {
            let help = format!("write one as {name}=VALUE, out of {}", others.join(", "));
            return Err(Failure::helped(format!("the reading `{name}` has not one other value"), Some(help)));
        }
    };
    Ok((name.to_owned(), default.to_owned(), other.to_owned()))
}

/// The files of a rulebook and of its properties, each from a folder or a revision.
fn load(model: &str, properties: &str) -> Result<Loaded, Failure> {
    let sides = [(model, git::revision(model)), (properties, git::revision(properties))];
    if sides.iter().all(|(_, revision)| revision.is_none()) {
        return load::folders(&[PathBuf::from(model), PathBuf::from(properties)]);
    }
    let mut texts = Vec::new();
    let mut revisions = Vec::new();
    for (name, revision) in sides {
        match revision {
            Some(revision) => {
                texts.extend(revision.texts()?);
                revisions.push(revision.revision);
            }
            None => {
                let files = load::folders(&[PathBuf::from(name)])?.sources.files;
                texts.extend(files.into_iter().map(|f| (f.path, f.text)));
            }
        }
    }
    texts.sort();
    texts.dedup();
    let mut loaded = Loaded::default();
    let mut diags = Vec::new();
    texts.into_iter().for_each(|(name, text)| loaded.add(name, text, &mut diags));
    loaded.sources.revisions = revisions;
    if diags.is_empty() { Ok(loaded) } else { Err(Failure::Model(Box::new(loaded.sources), diags)) }
}

/// Checks a rulebook. Properties, rulings and ghosts that do not fit it are left out, and told.
fn book(name: String, properties: &str, named: bool, loaded: Loaded, options: &Options) -> Result<Book, Failure> {
    let Loaded { sources, mut files } = loaded;
    readings_exist(&files, &options.readings)?;
    let mut aside = Vec::new();
    let program = loop {
        let diags = match check::check(&files, options) {
            Ok(program) => break program,
            Err(diags) => diags,
        };
        let mut unfit: Vec<(&'static str, String, Span, String)> = Vec::new();
        for w in written(&sources, &files) {
            let claims = matches!(w.kind, "property" | "witness" | "conjecture" | "ruling" | "ghost");
            let end = w.described.last().map_or(w.head.end, |t| t.span.end);
            let inside = |s: Span| s.file == w.head.file && w.head.start <= s.start && s.end <= end;
            if let Some(diag) = diags.iter().find(|d| claims && inside(d.span)) {
                unfit.push((w.kind, w.name.to_owned(), w.named, format!("{} [{}]", diag.message, diag.code.as_str())));
            }
        }
        if unfit.is_empty() {
            return Err(Failure::Model(Box::new(sources), diags));
        }
        for file in &mut files {
            file.items.retain(|item| match item {
                Item::Property(p) => unfit.iter().all(|u| u.2 != p.name.span),
                Item::Ruling(r) => unfit.iter().all(|u| u.2 != r.name.span),
                Item::Ghost(g) => unfit.iter().all(|u| u.2 != g.name.span),
                _ => true,
            });
        }
        aside.extend(unfit.into_iter().map(|(kind, name, _, why)| (kind, name, why)));
    };
    let folder = |name: &str| git::revision(name).is_none().then(|| load::shown(Path::new(name)));
    let replay = match (folder(&name), folder(properties)) {
        (Some(model), Some(properties)) => {
            Some(Replay { model: (model != MODEL).then_some(model), properties: named.then_some(properties) })
        }
        _ => None,
    };
    let revision = git::revision(&name).map(|Revision { revision, .. }| revision);
    Ok(Book { name, revision, replay, sources, files, program, aside })
}

/// What was set aside; what fits neither rulebook is wrong.
fn set_aside(old: &Book, new: &Book) -> Result<Vec<SetAside>, Failure> {
    let both = new.aside.iter().find(|a| old.aside.iter().any(|b| (a.0, &a.1) == (b.0, &b.1)));
    if let Some((kind, name, why)) = both {
        let help = Some("correct it, or give each side its own with --properties and --old-properties".to_owned());
        return Err(Failure::helped(format!("the {kind} `{name}` fits neither rulebook: {why}"), help));
    }
    let told = |side: &str, book: &Book| -> Vec<SetAside> {
        let each = book.aside.iter().cloned();
        each.map(|(kind, name, why)| SetAside { side: side.to_owned(), kind: kind.to_owned(), name, why }).collect()
    };
    Ok([told("old", old), told("new", new)].concat())
}

/// The names of the worlds that are looked at, sorted.
fn asked(args: &Diff, old: &Program, new: &Program) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = old.worlds.iter().chain(&new.worlds).map(|w| w.name.clone()).collect();
    names.sort();
    names.dedup();
    if args.worlds.is_empty() {
        names.retain(|name| args.all || !is_deep(name));
        return Ok(names);
    }
    let mut asked = args.worlds.clone();
    for name in &asked {
        if !names.contains(name) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            return Err(Failure::helped(format!("neither side has a world named `{name}`"), nearest(name, &names)));
        }
    }
    asked.sort();
    asked.dedup();
    Ok(asked)
}

fn place(program: &Program, world: &str) -> Option<usize> {
    program.worlds.iter().position(|w| w.name == world)
}

// ---- Running ----

/// The check of one side.
fn check(
    args: &Diff,
    side: &str,
    book: &Book,
    asked: &[String],
    engine: &dyn Engine,
    io: &mut Io,
) -> Result<Checks, Failure> {
    let program = &book.program;
    let mut worlds = Vec::new();
    for world in asked.iter().filter_map(|name| place(program, name)) {
        let result = if io.stop.load(Ordering::SeqCst) {
            not_begun(program, world)
        } else {
            super::worlds::explore(&book.sources, program, world, (&args.explore, &Keep::default()), engine, io)?
        };
        io.tell(&format!("{side}: world {}: {:.2} s\n", result.name, result.seconds));
        worlds.push(result);
    }
    let mut rulings = Vec::new();
    for (at, ruling) in program.rulings.iter().enumerate() {
        if io.stop.load(Ordering::SeqCst) {
            break;
        }
        rulings.push(guarded(&format!("playing ruling {}", ruling.name), || engine.ruling(program, at))?);
    }
    let judgement = verdict::judge(program, &worlds);
    Ok(Checks { worlds, rulings, judgement })
}

/// The verdicts that differ, each with the change that is to be looked at first.
fn verdicts(
    args: &Diff,
    (old, before): (&Book, &Checks),
    (new, after): (&Book, &Checks),
    two: &Two,
    engine: &dyn Engine,
    io: &mut Io,
) -> Result<Vec<Turned>, Failure> {
    let mut list = turned(&before.checked(old), &after.checked(new));
    let failing = |t: &&Turned| t.turn == Turn::Worse && t.kind == "ruling";
    let names: Vec<String> = list.iter().filter(failing).map(|t| t.name.clone()).collect();
    let named: Vec<&str> = names.iter().map(String::as_str).collect();
    let tried = guarded("trying the changes one by one", || beside::rulings_by(two, &named))?;
    for t in &mut list {
        if t.turn == Turn::Worse && t.new.as_ref().is_some_and(|n| n.verdict == Verdict::Vacuous) {
            t.premise = premise(args, old, before, &t.name, engine, io)?;
        }
        let by = names.iter().position(|n| t.kind == "ruling" && *n == t.name).and_then(|at| tried[at]);
        t.change = first_to_look_at(t, two.changes, by);
    }
    Ok(list)
}

/// A shortest play of the old rulebook, in the smallest world that has one, in which what a property speaks of happens.
fn premise(
    args: &Diff,
    old: &Book,
    before: &Checks,
    name: &str,
    engine: &dyn Engine,
    io: &mut Io,
) -> Result<Option<Play>, Failure> {
    let Some(at) = old.program.properties.iter().position(|p| p.name == name) else { return Ok(None) };
    let met = |w: &&WorldResult| w.findings.get(at).and_then(Option::as_ref).is_some_and(|f| f.premise_reached);
    let Some(world) = before.worlds.iter().filter(met).min_by_key(|w| w.unique_states) else { return Ok(None) };
    let Some(world) = place(&old.program, &world.name) else { return Ok(None) };
    let ask = |options: &_| engine.premise(&old.program, world, at, options);
    exploring(&old.sources, &old.program, world, (&args.explore, &Keep::default()), ask, io)
}

/// The worlds that both have, compared step by step.
fn compared(
    args: &Diff,
    two: &Two,
    old: &Book,
    asked: &[String],
    engine: &dyn Engine,
    io: &mut Io,
) -> Result<(Vec<Beside>, Vec<Unlike>), Failure> {
    let (mut list, mut unlike) = (Vec::new(), Vec::new());
    for name in asked {
        let (Some(a), Some(b)) = (place(two.old.program, name), place(two.new.program, name)) else { continue };
        if let Some(why) = beside::unlike(two, (a, b)) {
            unlike.push((name.clone(), why));
            continue;
        }
        if io.stop.load(Ordering::SeqCst) {
            break;
        }
        let run = |options: &_| engine.beside(two, (a, b), options);
        let found = exploring(&old.sources, &old.program, a, (&args.explore, &Keep::default()), run, io)?;
        io.tell(&format!("both: world {name}: {:.2} s\n", found.seconds));
        list.push(found);
    }
    Ok((list, unlike))
}

/// A world that can't be compared step by step, and why.
type Unlike = (String, String);

fn pairs(asked: &[String], before: &Checks, after: &Checks, beside: &[Beside], unlike: &[Unlike]) -> Vec<WorldPair> {
    let of = |name: &String| {
        let find = |found: &Checks| -> Option<WorldResult> { found.worlds.iter().find(|w| w.name == *name).cloned() };
        let (old, new) = (find(before), find(after));
        let both = beside.iter().find(|b| b.world == *name);
        let unlike = unlike.iter().find(|u| u.0 == *name).map(|u| u.1.clone());
        let why = [&old, &new].into_iter().flatten().find(|w| !w.complete).and_then(|w| w.why.clone());
        WorldPair {
            name: name.clone(),
            complete: old.iter().chain(&new).all(|w| w.complete) && both.is_none_or(|b| b.complete),
            old_states: old.map(|w| w.unique_states),
            new_states: new.map(|w| w.unique_states),
            common_states: both.map(|b| b.states),
            common_steps: both.map_or(0, |b| b.steps),
            why: why.or_else(|| both.and_then(|b| b.why.clone())).or(unlike),
            parts: both.is_some_and(|b| !b.partings.is_empty()),
        }
    };
    asked.iter().map(of).collect()
}
