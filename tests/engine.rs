//! The search against itself: every way to make steps, every store, any number of threads, with and without learning
//! beforehand, in memory and on disk. What all of them come to is compared with Stateright and the referee elsewhere.

#![allow(clippy::unwrap_used, clippy::panic)]

use facedown::cli::load;
use facedown::explore::bounds::{Bounds, Steps, StoreKind};
use facedown::explore::world::{claims, explore, setting};
use facedown::game::memory::Log;
use facedown::judge::run::ExploreOptions;
use facedown::judge::world::run_world;
use facedown::lang::check;
use facedown::lang::tree::{Program, RuleId};
use facedown::law::eval::Reader;
use facedown::law::ground::Law;
use facedown::law::step::outcomes;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
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
    let mut drawn = Vec::new();
    for world in worlds(&program, 3_500) {
        let groups = explore(&program, world, claims(&program, world), &Bounds::new(1, &stop), |e| {
            let (states, steps, depth) = e.run.counts();
            let all = Ok((states, steps, e.run.events(), depth));
            for kind in [Steps::Ready, Steps::Compiled, Steps::Traced] {
                assert_eq!(e.run.again(&Bounds { steps: kind, ..Bounds::new(1, &stop) }), all);
            }
            e.run.lay_out();
            assert_eq!(e.run.again(&Bounds::new(2, &stop)), all);
            assert_eq!(e.run.steps_alone().unwrap().0, steps);
            e.run.measured().drawn
        })
        .unwrap();
        drawn.push(groups);
    }
    // Diagrams were at work, and not only in a world or two.
    assert!(drawn.iter().filter(|groups| **groups > 0).count() > 10, "{drawn:?}");
}

#[test]
fn memory_that_is_too_little_is_named() {
    let program = shipped();
    let world = program.worlds.iter().position(|w| w.name == "tiny").unwrap();
    let stop = AtomicBool::new(false);
    let bounds = Bounds { memory_max: Some(1 << 10), ..Bounds::new(1, &stop) };
    let (code, what) = explore(&program, world, claims(&program, world), &bounds, |_| ()).unwrap_err();
    assert_eq!(code.as_str(), "L302");
    assert!(what.contains("MiB together so far: allow more than that with --memory"), "{what}");
}

/// A part of a check's guard is asked of a record in any slot, so it must not say which object the record is of.
#[test]
fn a_gate_does_not_ask_which_object_it_is() {
    let of_guard = |guard: &str| {
        let own = tempfile::tempdir().unwrap();
        let text = format!(
            "rule narcissus cites 704.5 {{\n  says en \"None.\"\n  says it \"Nessuno.\"\n  check o when {guard}: destroy(o)\n}}\n"
        );
        std::fs::write(own.path().join("narcissus.rules"), text).unwrap();
        let folders = [PathBuf::from("model"), own.path().to_path_buf()];
        let files = load::folders(&folders).unwrap_or_else(|_| panic!("the model loads")).files;
        let program = check::check(&files, &check::Options::default()).unwrap();
        let place = program.rules.iter().position(|r| r.name == "narcissus").unwrap();
        let law = Law::new(&program, setting(&program, 0));
        let check = law.checks.iter().find(|c| program.clauses[c.clause.index()].rule.index() == place).unwrap();
        check.gates[0].len()
    };
    assert_eq!(of_guard("o in battlefield and o.damage == 3"), 2);
    assert_eq!(of_guard("o in battlefield and o.host == o"), 1);
    assert_eq!(of_guard("o.host == o"), 0);
}

/// Counted as the search does, and by running the law once more in every state.
#[test]
fn firings_are_those_of_every_step() {
    let program = shipped();
    let stop = AtomicBool::new(false);
    for world in worlds(&program, 1_500) {
        let name = &program.worlds[world].name;
        let noted = Bounds { firings: true, ..Bounds::new(1, &stop) };
        explore(&program, world, claims(&program, world), &noted, |e| {
            let mut fired: BTreeMap<RuleId, u64> = BTreeMap::new();
            let reader = Reader::new(e.law, Rc::new(Log::off()));
            let actions: Vec<_> = e.law.actions().into_iter().flat_map(|(_, actions)| actions).collect();
            e.run
                .each_state(&mut |state| {
                    for action in &actions {
                        for note in outcomes(&reader, &state, *action).list.iter().flat_map(|o| &o.notes) {
                            *fired.entry(program.clauses[note.clause.index()].rule).or_default() += 1;
                        }
                    }
                })
                .unwrap();
            let fired: Vec<(RuleId, u64)> = fired.into_iter().collect();
            assert_eq!(e.run.firings().unwrap(), Some(fired), "world {name}");
        })
        .unwrap();
    }
}

#[test]
fn firings_are_told_only_of_levels_that_were_expanded() {
    let program = shipped();
    let stop = AtomicBool::new(false);
    let world = program.worlds.iter().position(|w| w.name == "tiny").unwrap();
    let told = |bounds: Bounds| {
        let firings = |e: facedown::explore::world::Explored| e.run.firings().unwrap();
        explore(&program, world, claims(&program, world), &bounds, firings).unwrap()
    };
    let bounds = || Bounds { firings: true, ..Bounds::new(1, &stop) };
    let all = told(bounds()).unwrap();
    let sum = |fired: &[(RuleId, u64)]| fired.iter().map(|f| f.1).sum::<u64>();
    let begun = told(Bounds { depth_limit: Some(2), ..bounds() }).unwrap();
    assert!(0 < sum(&begun) && sum(&begun) < sum(&all));
    assert_eq!(told(Bounds { threads: 2, store: StoreKind::Disk, ..bounds() }), Some(all));
    assert_eq!(told(Bounds { steps: Steps::Walker, ..bounds() }), None, "what was made is forgotten");
    assert_eq!(told(Bounds::new(1, &stop)), None, "nothing was noted");
}

#[test]
fn a_profile_tells_the_parts_of_the_law_and_the_properties() {
    let program = shipped();
    let world = program.worlds.iter().position(|w| w.name == "tiny").unwrap();
    let options = ExploreOptions { threads: 1, profile: true, ..ExploreOptions::default() };
    let statistics = run_world(&program, world, &options).unwrap().statistics;
    let profile = statistics.profile.unwrap();
    let times = |of: &str| profile.iter().find(|part| part.of == of).map_or(0, |part| part.times);
    for of in ["properties", "the rest", "procedure cloak_top", "rule stays-down-once-down"] {
        assert!(times(of) > 0, "{of}: {profile:?}");
    }
    assert!(profile.is_sorted_by(|a, b| a.seconds >= b.seconds));
    assert_eq!(statistics.firings, None);
    let quiet = ExploreOptions { threads: 1, firings: true, ..ExploreOptions::default() };
    let statistics = run_world(&program, world, &quiet).unwrap().statistics;
    assert_eq!(statistics.profile, None);
    assert!(statistics.firings.is_some_and(|f| f.is_sorted_by_key(|f| std::cmp::Reverse(f.times)) && f.len() > 3));
}
