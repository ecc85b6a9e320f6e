//! The search against itself: every way to make steps, every store, any number of threads, with and without learning
//! beforehand, in memory and on disk. What all of them come to is compared with Stateright and the referee elsewhere.

#![allow(clippy::unwrap_used, clippy::panic)]

use facedown::cli::load;
use facedown::explore::bounds::{Bounds, Steps, StoreKind};
use facedown::explore::world::{claims, explore};
use facedown::lang::check;
use facedown::lang::tree::Program;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

fn shipped() -> Program {
    let files = load::folders(&[PathBuf::from("model"), PathBuf::from("properties")])
        .unwrap_or_else(|_| panic!("the shipped model loads"))
        .files;
    check::check(&files, &check::Options::default()).unwrap()
}

/// States, steps, depth, sum of events, hits, order of the states.
type Came = (u64, u64, u32, u64, Vec<(u16, u32)>, u64);

fn came(program: &Program, world: usize, change: impl Fn(&mut Bounds)) -> Came {
    let stop = AtomicBool::new(false);
    let mut bounds = Bounds::new(1, &stop);
    change(&mut bounds);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(bounds.threads).build().unwrap();
    pool.install(|| {
        explore(program, world, claims(program, world), &bounds, |e| {
            let (states, steps, depth) = e.run.counts();
            assert_eq!(e.run.ending(), (true, None, false));
            let by_level = e.run.levels();
            assert_eq!(by_level.iter().map(|l| l.0).sum::<u64>(), states);
            assert_eq!(by_level.iter().map(|l| l.1).sum::<u64>(), steps);
            let mut hits = e.run.hits();
            hits.sort_unstable();
            (states, steps, depth, e.run.events(), hits, e.run.order().unwrap())
        })
    })
    .unwrap()
}

/// Worlds of at most so many states, as the baseline pins them.
fn worlds(program: &Program, most: u64) -> Vec<usize> {
    let text = std::fs::read_to_string("reports/baseline.json").unwrap();
    let baseline: serde_json::Value = serde_json::from_str(&text).unwrap();
    let states = |name: &str| baseline["worlds"][name]["unique_states"].as_u64().unwrap_or(u64::MAX);
    let all = program.worlds.iter().enumerate();
    let chosen: Vec<usize> = all.filter(|(_, w)| states(&w.name) <= most).map(|(i, _)| i).collect();
    assert!(chosen.len() > 20);
    chosen
}

/// The larger worlds too: `cargo bench --bench explore -- --ways`.
#[test]
fn every_way_to_make_steps_comes_to_the_same() {
    let program = shipped();
    for world in worlds(&program, 3_500) {
        let name = &program.worlds[world].name;
        let ready = came(&program, world, |_| ());
        for steps in [Steps::Compiled, Steps::Traced, Steps::Walker] {
            assert_eq!(came(&program, world, |b| b.steps = steps), ready, "{steps:?} in world {name}");
        }
    }
}

#[test]
fn every_store_comes_to_the_same() {
    let program = shipped();
    for world in worlds(&program, 6_000) {
        let name = &program.worlds[world].name;
        let compact = came(&program, world, |_| ());
        for store in [StoreKind::Flat, StoreKind::Disk] {
            assert_eq!(came(&program, world, |b| b.store = store), compact, "{store:?} in world {name}");
        }
        let on_disk = |b: &mut Bounds| (b.store, b.threads) = (StoreKind::Disk, 2);
        assert_eq!(came(&program, world, on_disk), compact, "on disk by two threads in world {name}");
    }
}

#[test]
fn any_number_of_threads_comes_to_the_same_in_the_same_order() {
    let program = shipped();
    for world in worlds(&program, 6_000) {
        let name = &program.worlds[world].name;
        let one = came(&program, world, |_| ());
        for threads in [2, 7] {
            for steps in [Steps::Ready, Steps::Compiled] {
                let many = came(&program, world, |b| (b.threads, b.steps) = (threads, steps));
                assert_eq!(many, one, "{threads} threads, {steps:?}, in world {name}");
            }
        }
    }
}

#[test]
fn what_was_learned_is_enough_to_search_again() {
    let program = shipped();
    let stop = AtomicBool::new(false);
    for world in worlds(&program, 3_500) {
        explore(&program, world, claims(&program, world), &Bounds::new(1, &stop), |e| {
            let (states, steps, depth) = e.run.counts();
            let all = Ok((states, steps, e.run.events(), depth));
            for kind in [Steps::Ready, Steps::Compiled, Steps::Traced] {
                assert_eq!(e.run.again(&Bounds { steps: kind, ..Bounds::new(1, &stop) }), all);
            }
            assert_eq!(e.run.steps_alone().unwrap().0, steps);
        })
        .unwrap();
    }
}

#[test]
fn memory_that_is_too_little_is_named() {
    let program = shipped();
    let world = program.worlds.iter().position(|w| w.name == "tiny").unwrap();
    let stop = AtomicBool::new(false);
    let bounds = Bounds { memory_max: Some(1 << 10), ..Bounds::new(1, &stop) };
    let (code, what) = explore(&program, world, claims(&program, world), &bounds, |_| ()).unwrap_err();
    assert_eq!(code.as_str(), "L302");
    assert!(what.contains("MiB together: allow so much with --memory"), "{what}");
}
