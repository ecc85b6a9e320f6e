//! What several commands do alike: load and check the model that was asked for, find worlds by name, run one world.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::args::{Explore, Keep, Model};
use super::engine::Engine;
use super::io::{Failure, Io};
use super::load::{self, Loaded};
use super::progress::Line;
use crate::judge::play::{Finding, WorldResult};
use crate::judge::run::{Alike, Checkpointing, EngineKind, ExploreOptions};
use crate::judge::verdict::is_deep;
use crate::lang::ast::{File, Item};
use crate::lang::check::{self, Options};
use crate::lang::diag::Diag;
use crate::lang::source::Sources;
use crate::lang::tree::Program;
use crate::report::trace::Replay;

/// Where rules, cards and worlds are, unless told otherwise.
pub(super) const MODEL: &str = "model";
/// Where properties and rulings are, unless told otherwise.
pub(super) const PROPERTIES: &str = "properties";

/// The folders that were asked for.
pub(super) fn folders(model: Option<&Path>, properties: Option<&Path>) -> Vec<PathBuf> {
    let or = |path: Option<&Path>, default: &str| path.map_or_else(|| PathBuf::from(default), Path::to_owned);
    vec![or(model, MODEL), or(properties, PROPERTIES)]
}

impl Model {
    /// Reads the files of the model.
    pub(super) fn load(&self) -> Result<Loaded, Failure> {
        load::folders(&folders(self.model.as_deref(), self.properties.as_deref()))
    }

    /// How a play of this model is replayed.
    pub(super) fn replay(&self) -> Replay {
        Replay {
            model: self.model.as_deref().map(load::shown),
            properties: self.properties.as_deref().map(load::shown),
        }
    }

    /// The checked program, in the edition and the readings that were asked for.
    pub(super) fn check(&self, loaded: Loaded) -> Result<(Sources, Program), Failure> {
        check_program(loaded, Options { edition: self.edition, readings: self.readings.clone() })
    }
}

/// The checked program.
pub(super) fn check_program(loaded: Loaded, options: Options) -> Result<(Sources, Program), Failure> {
    let Loaded { sources, files } = loaded;
    readings_exist(&files, &options.readings)?;
    match check::check(&files, &options) {
        Ok(program) => Ok((sources, program)),
        Err(diags) => Err(Failure::Model(Box::new(sources), diags)),
    }
}

/// The readings of the command line have no place in a file, so they are compared before the files are checked.
pub(super) fn readings_exist(files: &[File], chosen: &[(String, String)]) -> Result<(), Failure> {
    let declared =
        || files.iter().flat_map(|f| &f.items).filter_map(|i| if let Item::Reading(r) = i { Some(r) } else { None });
    for (at, (name, value)) in chosen.iter().enumerate() {
        let mut values = declared().filter(|r| r.name.text == *name).flat_map(|r| &r.values).peekable();
        if values.peek().is_none() {
            let names: Vec<&str> = declared().map(|r| r.name.text.as_str()).collect();
            return Err(Failure::helped(format!("no reading is named `{name}`"), nearest(name, &names)));
        }
        let values: Vec<&str> = values.map(|v| v.0.text.as_str()).collect();
        if !values.contains(&value.as_str()) {
            let help = Some(format!("its values are {}", values.join(", ")));
            return Err(Failure::helped(format!("the reading `{name}` has no value `{value}`"), help));
        }
        if chosen[..at].iter().any(|(other, first)| other == name && first != value) {
            return Err(Failure::input(format!("the reading `{name}` is given two values")));
        }
    }
    Ok(())
}

/// The place of a world, or an error with a suggestion.
pub(super) fn world_named(program: &Program, name: &str) -> Result<usize, Failure> {
    program.worlds.iter().position(|w| w.name == name).ok_or_else(|| {
        let names: Vec<&str> = program.worlds.iter().map(|w| w.name.as_str()).collect();
        Failure::helped(format!("no world is named `{name}`"), nearest(name, &names))
    })
}

/// The places of the worlds that are named, or of all but the deep ones, sorted by name.
pub(super) fn selected(program: &Program, names: &[String], deep: bool) -> Result<Vec<usize>, Failure> {
    let mut asked = if names.is_empty() {
        let all = program.worlds.iter().enumerate();
        all.filter(|(_, world)| deep || !is_deep(&world.name)).map(|(at, _)| at).collect()
    } else {
        names.iter().map(|name| world_named(program, name)).collect::<Result<Vec<_>, _>>()?
    };
    asked.sort_by_key(|at| &program.worlds[*at].name);
    asked.dedup();
    Ok(asked)
}

/// What is known of a world that an interrupt kept from being begun.
pub(super) fn not_begun(program: &Program, world: usize) -> WorldResult {
    let world = &program.worlds[world];
    WorldResult {
        name: world.name.clone(),
        why: Some("interrupted before it began".to_owned()),
        interrupted: true,
        findings: program.properties.iter().map(|_| Some(Finding::default())).collect(),
        ..WorldResult::default()
    }
}

/// `did you mean …?`, if one of the names is near.
pub(super) fn nearest(name: &str, names: &[&str]) -> Option<String> {
    let name = name.to_lowercase();
    let distance = |other: &str| {
        if !name.is_empty() && other.starts_with(&name) { 0 } else { strsim::damerau_levenshtein(&name, other) }
    };
    let near = names.iter().map(|other| (distance(&other.to_lowercase()), *other));
    let (distance, other) = near.min()?;
    (distance <= name.chars().count().div_ceil(3).max(1)).then(|| format!("did you mean `{other}`?"))
}

/// Runs one world, with progress on a terminal. A panic of an engine is told as a fault of the program.
pub(super) fn explore(
    sources: &Sources,
    program: &Program,
    world: usize,
    (asked, keep): (&Explore, &Keep),
    engine: &dyn Engine,
    io: &mut Io,
) -> Result<WorldResult, Failure> {
    exploring(sources, program, world, (asked, keep), |options| engine.world(program, world, options), io)
}

/// The same, and what is told besides.
pub(super) fn exploring<T>(
    sources: &Sources,
    program: &Program,
    world: usize,
    (asked, keep): (&Explore, &Keep),
    run: impl FnOnce(&ExploreOptions) -> Result<T, Vec<Diag>>,
    io: &mut Io,
) -> Result<T, Failure> {
    if asked.symmetry && asked.engine.kind() != EngineKind::Own {
        let help = Some("leave --symmetry out, or --engine".to_owned());
        let engine = asked.engine.kind().as_str();
        return Err(Failure::helped(
            format!("--symmetry is of the engine `own`; `{engine}` explores every state"),
            help,
        ));
    }
    let line = io.terminal.then(Line::new);
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let options = ExploreOptions {
        threads: asked.threads,
        engine: asked.engine.kind(),
        limit_states: asked.limit_states,
        limit_depth: asked.limit_depth,
        memory: asked.memory,
        spill_dir: asked.spill_dir.clone(),
        symmetry: if asked.symmetry { Alike::Together } else { Alike::Apart },
        checkpoint: keep.resume.as_ref().or(keep.checkpoint.as_ref()).map(|dir| Checkpointing {
            dir: dir.clone(),
            resume: keep.resume.is_some(),
            note: Arc::new({
                let notes = Arc::clone(&notes);
                move |note: &str| notes.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_owned())
            }),
        }),
        stop: Arc::clone(&io.stop),
        progress: line.as_ref().map(Line::listener),
        firings: keep.statistics,
        profile: keep.profile,
    };
    let name = &program.worlds[world].name;
    let explored = guarded(&format!("exploring world {name}"), || run(&options));
    for note in notes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        io.tell(&format!("world {name}: {note}\n"));
    }
    explored?.map_err(|diags| Failure::Model(Box::new(sources.clone()), diags))
}

/// The result, or a fault if it panics. What the panic says is on standard error already.
pub(super) fn guarded<T>(doing: &str, what: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(what)).map_err(|_| Failure::Fault(format!("{doing} ended in a panic")))
}
