//! A small model in a folder of its own and an engine that gives made-up results, for tests of the command line.

#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use facedown::cli::engine::Engine;
use facedown::cli::{self, Io};
use facedown::judge::coverage::Seen;
use facedown::judge::play::{Finding, Play, PlayStep, RuleAtWork, RulingResult, WorldResult};
use facedown::judge::run::{ExploreOptions, Replayed, Stopped};
use facedown::judge::script::Script;
use facedown::lang::check::{self, Options};
use facedown::lang::diag::{Code, Diag};
use facedown::lang::parse;
use facedown::lang::tree::Program;

pub const RULES: &str = r#"edition 2026-08-07
# The smallest law that checks.
rule looking cites 708.2, 708.2b {
  says en "An object is what its card says."
  says it "Un oggetto è ciò che dice la sua carta."
  view now = printed
  define is_down(o: Object): Bool = o.face_down
}
rule turning cites 708.2b {
  permit p on o when o.face_down and o.controller == p: turn_up(o)
}
reading open_question {
  narrow "a few" default
  wide "all"
}
rule resolving cites 608.2 {
  procedure resolve(s: Object) { move(s, to: graveyard) }
}
"#;

pub const CARDS: &str = "archetype bear: {2} creature 2/2\n";

pub const WORLDS: &str = r#"world tiny "One bear" {
  players A, B
  start A library: any 1 of bear
}
world other "One bear too" {
  players A, B
  start A hand: any 1 of bear
}
world deep-one "One bear, deep" {
  players A, B
  start A hand: any 1 of bear
}
"#;

pub const PROPERTIES: &str = r#"property stays cites 708.2b from "s-1" {
  says en "It stays."
  says it "Resta."
  always every o where o.face_down: not o.tapped
}
property both in tiny, other {
  always every o where o.face_down: not o.tapped
}
witness goes-up in tiny {
  possible turn_up(o) when o.tapped
}
conjecture never-up in other {
  always every o where o.tapped: o.face_down
}
"#;

pub const RULINGS: &str = r#"ruling bear-up cites 708.2 from "FD-1" {
  says en "A bear can be turned up."
  given b: "bear" in battlefield of A
  then not b.face_down
}
"#;

/// The program of the small model.
pub fn program() -> Program {
    let files: Vec<_> = [RULES, CARDS, WORLDS, PROPERTIES, RULINGS]
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let (file, diags) = parse::parse(at as u16, text);
            assert_eq!(diags, []);
            file
        })
        .collect();
    check::check(&files, &Options::default()).unwrap()
}

/// A play of one step in a world.
pub fn play(world: &str) -> Play {
    Play {
        world: world.to_owned(),
        edition: "2026-08-07".to_owned(),
        readings: vec!["open_question=narrow".to_owned()],
        start: vec!["Liberator's Leave in hand of A".to_owned(), "bear in library of A".to_owned()],
        steps: vec![PlayStep {
            player: Some("A".to_owned()),
            action: "turn_up bear (morph)".to_owned(),
            cost: Some("{2}".to_owned()),
            choices: vec!["yes".to_owned()],
            rules: vec![RuleAtWork {
                did: "permitted".to_owned(),
                name: "turning".to_owned(),
                cites: vec!["708.2b".to_owned()],
                carrier: None,
            }],
            events: vec!["turn_up(bear)".to_owned()],
            changes: vec!["bear is face up".to_owned()],
            replay: "offer 0 1 / 0.1".to_owned(),
        }],
        broken_for: vec!["o = bear".to_owned()],
    }
}

/// A complete exploration in which everything is as expected.
pub fn good(program: &Program, world: usize) -> WorldResult {
    use facedown::lang::ast::PropertyKind::{Conjecture, Property, Witness};
    let name = &program.worlds[world].name;
    let finding = |kind| match kind {
        Property => Finding { premise_reached: true, ..Finding::default() },
        Witness => Finding { reached: Some(play(name)), ..Finding::default() },
        Conjecture => Finding { violated: Some(play(name)), ..Finding::default() },
    };
    WorldResult {
        name: name.clone(),
        unique_states: 1054,
        steps: 4000 + world as u64,
        depth: 7,
        complete: true,
        findings: program
            .properties
            .iter()
            .map(|p| (p.worlds.is_empty() || p.worlds.contains(&world)).then(|| finding(p.kind)))
            .collect(),
        seconds: 1.5,
        bytes_per_state: 12.5,
        threads: 3,
        engine: "own".to_owned(),
        ..WorldResult::default()
    }
}

/// Changes a result of a world.
pub type Change = Box<dyn Fn(&Program, &mut WorldResult) + Sync>;

/// An engine that gives good results, changed as a test says.
#[derive(Default)]
pub struct Fake {
    pub changes: BTreeMap<String, Change>,
    pub ruling_fails: bool,
    pub panics: bool,
}

impl Fake {
    pub fn with(mut self, world: &str, change: impl Fn(&Program, &mut WorldResult) + Sync + 'static) -> Fake {
        self.changes.insert(world.to_owned(), Box::new(change));
        self
    }
}

impl Engine for Fake {
    fn world(&self, program: &Program, world: usize, _: &ExploreOptions) -> Result<WorldResult, Vec<Diag>> {
        assert!(!self.panics, "made to panic");
        let mut result = good(program, world);
        if let Some(change) = self.changes.get(&result.name) {
            change(program, &mut result);
        }
        Ok(result)
    }

    fn ruling(&self, program: &Program, ruling: usize) -> RulingResult {
        let ruling = &program.rulings[ruling];
        let failure = self.ruling_fails.then(|| (Code::L402, ruling.span, "the offer is refused".to_owned()));
        RulingResult { name: ruling.name.clone(), failure }
    }

    fn world_seen(
        &self,
        program: &Program,
        world: usize,
        options: &ExploreOptions,
    ) -> Result<(WorldResult, Seen), Vec<Diag>> {
        self.world(program, world, options).map(|result| (result, Seen::new()))
    }

    fn ruling_seen(&self, program: &Program, ruling: usize) -> (RulingResult, Seen) {
        (self.ruling(program, ruling), Seen::new())
    }

    fn replay(&self, program: &Program, world: usize, script: &Script) -> Replayed {
        let mut play = play(&program.worlds[world].name);
        let legal = *script == Script::of(&play);
        if !legal {
            play.steps.clear();
        }
        let stopped = (!legal).then(|| Stopped { step: 1, why: "nothing permits it".to_owned() });
        Replayed { play, stopped }
    }
}

/// What a command came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub status: u8,
    pub out: String,
    pub err: String,
}

/// A folder with the small model.
pub struct Stage {
    pub folder: tempfile::TempDir,
}

impl Stage {
    pub fn new() -> Stage {
        let stage = Stage { folder: tempfile::tempdir().unwrap() };
        stage.write("model/a.rules", RULES);
        stage.write("model/b.cards", CARDS);
        stage.write("model/c.world", WORLDS);
        stage.write("properties/a.props", PROPERTIES);
        stage.write("properties/rulings/b.rulings", RULINGS);
        stage
    }

    pub fn empty() -> Stage {
        Stage { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs a command on the model of this folder; in what it prints the folder is called `STAGE`.
    pub fn run(&self, engine: &dyn Engine, words: &[&str]) -> Outcome {
        let folder = self.folder.path().to_str().unwrap();
        let mut all: Vec<String> =
            std::iter::once("facedown").chain(words.iter().copied()).map(str::to_owned).collect();
        if ["check", "coverage", "play", "witness", "explain", "mutate", "sweep"].contains(&words[0]) {
            let options = [format!("--model={folder}/model"), format!("--properties={folder}/properties")];
            all.splice(2..2, options);
        }
        let mut out = Vec::new();
        let Outcome { status, err, .. } = run_into(engine, &all, &mut out, false);
        let named = |text: String| text.replace(folder, "STAGE");
        Outcome { status, out: named(String::from_utf8(out).unwrap()), err: named(err) }
    }
}

/// Runs a command line and prints into `out`.
pub fn run_into(engine: &dyn Engine, words: &[String], out: &mut dyn Write, ci: bool) -> Outcome {
    let mut err = Vec::new();
    let stop = Arc::new(AtomicBool::new(false));
    let mut io = Io { out, err: &mut err, stop, terminal: false, color: false, ci, source_url: None };
    let status = cli::run(words.iter().map(OsString::from), engine, &mut io);
    Outcome { status, out: String::new(), err: String::from_utf8(err).unwrap() }
}

/// An output that fails with an error of this kind.
pub struct Broken(pub io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::new(self.0, "made to fail"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::Error::new(self.0, "made to fail"))
    }
}

/// Compares a text with a committed file; UPDATE_GOLDEN=1 rewrites it, but not where CI is set.
pub fn golden(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|v| v == "1") {
        assert!(std::env::var_os("CI").is_none_or(|v| v.is_empty()), "goldens are not rewritten where CI is set");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "{} differs; rewrite it with UPDATE_GOLDEN=1", path.display());
}
