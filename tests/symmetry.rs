//! Symmetry against a search of all states: the same orbits, in as many levels, with the same claims met as early; and an
//! opinion of its own about what an orbit is, by trying every permutation on whole states.

#![allow(clippy::unwrap_used, clippy::panic)]

use facedown::cli::load;
use facedown::explore::bounds::{Bounds, Steps, StoreKind};
use facedown::explore::save::Save;
use facedown::explore::symmetry::{Alike, exchanged};
use facedown::explore::world::{claims, explore, explore_by, setting};
use facedown::game::record::{Obj, State};
use facedown::judge::agree;
use facedown::judge::play::WorldResult;
use facedown::judge::run::{ExploreOptions, Statistics};
use facedown::judge::world::run_world;
use facedown::lang::tree::Program;
use facedown::lang::{check, parse};
use facedown::law::ground::Law;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// The shipped model, and more text.
fn with(text: &str) -> Program {
    let folders: Vec<PathBuf> = ["model", "properties"].iter().map(PathBuf::from).collect();
    let mut files = load::folders(&folders).unwrap_or_else(|_| panic!("the shipped model loads")).files;
    let (file, diags) = parse::parse(files.len() as u16, text);
    assert_eq!(diags, []);
    files.push(file);
    check::check(&files, &check::Options::default()).unwrap()
}

fn place(program: &Program, name: &str) -> usize {
    program.worlds.iter().position(|w| w.name == name).unwrap_or_else(|| panic!("there is a world {name}"))
}

/// The least of a state's images, by content.
fn orbit(state: &State, permutations: &[Vec<Obj>]) -> State {
    permutations.iter().map(|p| exchanged(state, p).unwrap()).min().unwrap()
}

/// In which level each orbit is met first.
fn levels(states: impl Iterator<Item = (State, usize)>, permutations: &[Vec<Obj>]) -> BTreeMap<State, usize> {
    let mut levels = BTreeMap::new();
    for (state, level) in states {
        let first = levels.entry(orbit(&state, permutations)).or_insert(level);
        *first = level.min(*first);
    }
    levels
}

/// What a search comes to.
#[derive(PartialEq, Debug)]
struct Found {
    /// With their levels.
    states: Vec<(State, usize)>,
    hits: Vec<(u16, u32)>,
    lengths: Vec<(u16, Option<usize>)>,
}

#[derive(PartialEq, Debug)]
struct Told {
    states: u64,
    steps: u64,
    permutations: Option<Vec<Vec<Obj>>>,
    apart: Vec<String>,
}

fn found(program: &Program, law: &Law, world: usize, symmetry: Alike, threads: usize) -> (Found, Told) {
    let stop = AtomicBool::new(false);
    let bounds = Bounds { symmetry, ..Bounds::new(threads, &stop) };
    explore_by(law, world, claims(program, world), &bounds, |e| {
        let levels = e.run.levels().into_iter().enumerate();
        let mut places = levels.flat_map(|(level, (states, _))| std::iter::repeat_n(level, states as usize));
        let mut states = Vec::new();
        e.run.each_state(&mut |s| states.push((s, places.next().unwrap()))).unwrap();
        let mut hits = e.run.hits();
        hits.sort_unstable();
        let lengths = hits.iter().map(|(bit, _)| {
            let path = if bit % 2 == 1 { Some(e.run.path(*bit).unwrap().unwrap()) } else { None };
            if let Some(path) = &path
                && symmetry == Alike::Together
            {
                agree::replayed(e.law, world, path).unwrap();
            }
            (*bit, path.map(|p| p.steps.len()))
        });
        let lengths = lengths.collect();
        let told = Told {
            states: e.run.counts().0,
            steps: e.run.counts().1,
            permutations: e.run.permutations().map(<[_]>::to_vec),
            apart: e.run.told_apart().to_vec(),
        };
        (Found { states, hits, lengths }, told)
    })
    .unwrap()
}

/// Compares both searches of a world: states without symmetry, and what the one with symmetry tells.
fn compared(program: &Program, name: &str) -> (u64, Told) {
    let at = place(program, name);
    let law = Law::new(program, setting(program, at));
    let (mut all, plain) = found(program, &law, at, Alike::Apart, 1);
    assert_eq!((plain.permutations, plain.apart.len()), (None, 0));
    let (mut one, told) = found(program, &law, at, Alike::Together, 1);
    let permutations = told.permutations.clone().unwrap();
    let orbits = levels(all.states.drain(..), &permutations);
    let ones = levels(one.states.drain(..), &permutations);
    assert_eq!(ones.len() as u64, told.states, "world {name}: two states of one orbit");
    assert!(orbits == ones, "world {name}: {} orbits, {} found", orbits.len(), ones.len());
    assert_eq!(all, one, "world {name}");
    (plain.states, told)
}

/// States with and without symmetry, and permutations.
const PINNED: [(&str, u64, u64, usize); 13] = [
    ("tiny", 52, 52, 1),
    ("order", 264, 120, 6),
    ("dropped", 864, 768, 2),
    ("oculus", 897, 256, 240),
    ("knowledge", 694, 694, 1),
    ("three", 1018, 1018, 1),
    ("leaving", 2410, 2410, 1),
    ("true-identity", 2432, 1855, 2),
    ("library", 5939, 1087, 6),
    ("prices", 16590, 15798, 2),
    ("table", 20057, 12889, 2),
    ("reflected", 23518, 17166, 2),
    ("copies", 70564, 67686, 2),
];

#[test]
fn every_orbit_is_reached_and_no_other_as_early_and_with_the_same_claims() {
    let program = with("");
    for (name, states, orbits, permutations) in PINNED {
        let (all, told) = compared(&program, name);
        let counted = told.permutations.unwrap().len();
        assert_eq!((all, told.states, counted), (states, orbits, permutations), "world {name}");
        assert_eq!(told.apart, [""; 0], "world {name}");
    }
}

const TOKENS: &str = r#"
world twins "Two cards and two tokens" {
  players A, B
  start A library: any 2 of beast | morpher
  allow manifest_top, copy_any, turn_any_up by A
  allow kill_any, bounce_any by B
  mana unlimited
  budget stack 1, tokens 2, counters 0
}
world mourned "Tokens whose abilities outlive them" {
  players A, B
  start A library: any 1 of mourner | morpher
  allow manifest_top, copy_any, turn_any_up by A
  allow kill_any by B
  mana unlimited
  budget stack 3, tokens 2, counters 0
}
"#;

#[test]
fn a_new_token_may_take_any_free_slot() {
    let program = with(TOKENS);
    let (all, told) = compared(&program, "twins");
    assert_eq!((all, told.states, told.permutations.unwrap().len()), (1703, 647, 4));
    assert_eq!(told.apart, [""; 0]);
}

/// An ability of a token that is gone names a free slot. A new token that takes this slot is taken for its source, so
/// that it matters which slot it takes.
#[test]
fn free_slots_that_something_names_are_told_apart() {
    let program = with(TOKENS);
    let (all, told) = compared(&program, "mourned");
    assert_eq!((all, told.states, told.permutations.unwrap().len()), (299, 299, 1));
    assert_eq!(
        told.apart,
        [
            "the step `effect copy_any A, mourner` is not the same when a free token slot and a free token slot change places"
        ]
    );
}

const IN_ORDER: &str = r#"
rule gathers cites 101.1 {
  says en "x" says it "x"
  procedure gather(by p: Player) { each b where b in graveyard and b.owner == p: move(b, to: library) }
}
world gathered "A graveyard that goes to the library in the order of its slots" {
  players A, B
  start A graveyard: any 2 of morpher | bolt
  start A battlefield: any 2 of beast | grown
  allow gather, manifest_top by A
  allow kill_any by B
  mana unlimited
  budget stack 1, tokens 0, counters 0
}
"#;

#[test]
fn what_is_told_apart_is_not_exchanged() {
    let program = with(IN_ORDER);
    let (all, told) = compared(&program, "gathered");
    assert_eq!((all, told.states, told.permutations.unwrap().len()), (2886, 2886, 1));
    let why = |card: &str| {
        format!(
            "the step `effect gather A` is not the same when {card} 1 in graveyard and {card} 2 in graveyard change places"
        )
    };
    assert_eq!(told.apart, [why("bolt"), why("beast")]);
}

/// A result without what is measured.
fn plain(mut r: WorldResult) -> WorldResult {
    (r.seconds, r.bytes_per_state, r.threads) = (0.0, 0.0, 0);
    r.statistics = Statistics::default();
    r
}

#[test]
fn threads_change_nothing() {
    let program = with(&[TOKENS, IN_ORDER].concat());
    for world in ["order", "library", "true-identity", "twins", "mourned", "gathered"] {
        let run = |threads| {
            let options = ExploreOptions { threads, symmetry: Alike::Together, ..ExploreOptions::default() };
            let result = run_world(&program, place(&program, world), &options).unwrap();
            assert_eq!(result.fault, None, "world {world}");
            format!("{:?}", plain(result))
        };
        let one = run(1);
        assert_eq!(one, run(2), "world {world}, 2 threads");
        assert_eq!(one, run(7), "world {world}, 7 threads");
    }
}

#[test]
fn neither_ways_to_step_nor_stores_change_anything() {
    let program = with("");
    let at = place(&program, "library");
    let stop = AtomicBool::new(false);
    let counts = |steps, store| {
        let bounds = Bounds { steps, store, symmetry: Alike::Together, ..Bounds::new(1, &stop) };
        explore(&program, at, claims(&program, at), &bounds, |e| (e.run.counts(), e.run.levels(), e.run.hits()))
            .unwrap()
    };
    let usual = counts(Steps::Ready, StoreKind::Compact);
    assert_eq!(usual.0.0, 1087);
    for steps in [Steps::Compiled, Steps::Traced, Steps::Walker] {
        assert_eq!(counts(steps, StoreKind::Compact), usual, "{steps:?}");
    }
    for store in [StoreKind::Flat, StoreKind::Disk] {
        assert_eq!(counts(Steps::Ready, store), usual, "{store:?}");
    }
}

#[test]
fn a_search_goes_on_from_its_checkpoint_with_what_it_exchanged() {
    let program = with(&[TOKENS, IN_ORDER].concat());
    let stop = AtomicBool::new(false);
    let notes = |_: &str| {};
    for world in ["library", "mourned", "gathered"] {
        let at = place(&program, world);
        let law = Law::new(&program, setting(&program, at));
        let (whole, told) = found(&program, &law, at, Alike::Together, 1);
        let dir = tempfile::tempdir().unwrap();
        let go = |resume, depth_limit, symmetry| {
            let save = Save { dir: dir.path(), resume, model: "m", note: &notes };
            let bounds = Bounds { symmetry, depth_limit, save: Some(&save), ..Bounds::new(1, &stop) };
            explore(&program, at, claims(&program, at), &bounds, |e| {
                let mut hits = e.run.hits();
                hits.sort_unstable();
                (e.run.counts().0, hits, e.run.told_apart().to_vec())
            })
        };
        go(false, Some(4), Alike::Together).unwrap();
        let (_, why) = go(true, None, Alike::Apart).unwrap_err();
        assert!(why.contains("it was written with --symmetry"), "{why}");
        assert_eq!(go(true, None, Alike::Together).unwrap(), (told.states, whole.hits, told.apart), "world {world}");
    }
}
