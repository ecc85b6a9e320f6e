//! Three opinions: our search, Stateright's over the same steps, and the referee, which shares no code with the fast path.
//! They must agree on states, steps and every name met; and our result must not depend on threads or on order of files.

#![allow(clippy::unwrap_used, clippy::panic)]

use facedown::cli::load;
use facedown::explore::bounds::Bounds;
use facedown::explore::world::{claims, explore, explore_by, setting};
use facedown::game::memory::Log;
use facedown::judge::agree;
use facedown::judge::play::WorldResult;
use facedown::judge::run::{EngineKind, ExploreOptions, Statistics};
use facedown::judge::world::run_world;
use facedown::lang::tracked::tracked;
use facedown::lang::tree::Program;
use facedown::lang::{check, parse};
use facedown::law::claims::Claims;
use facedown::law::eval::Reader;
use facedown::law::ground::Law;
use facedown::law::step::outcomes;
use facedown::naive::Referee;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

/// Worlds of so many states are small enough for the referee in a test.
const SMALL_MAX: u64 = 2_100;

/// The small worlds, by the sizes that the baseline pins.
fn small() -> Vec<String> {
    let text = std::fs::read_to_string("reports/baseline.json").unwrap();
    let baseline: serde_json::Value = serde_json::from_str(&text).unwrap();
    let worlds = baseline["worlds"].as_object().unwrap().iter();
    let small = worlds.filter(|(_, w)| w["unique_states"].as_u64().unwrap() <= SMALL_MAX);
    let names: Vec<String> = small.map(|(name, _)| name.clone()).collect();
    assert!(names.len() >= 20 && names.contains(&"merging".to_owned()), "{names:?}");
    names
}

fn shipped() -> Program {
    let folders: Vec<PathBuf> = ["model", "properties"].iter().map(PathBuf::from).collect();
    let loaded = load::folders(&folders).unwrap_or_else(|_| panic!("the shipped model loads"));
    check::check(&loaded.files, &check::Options::default()).unwrap()
}

fn place(program: &Program, name: &str) -> usize {
    program.worlds.iter().position(|w| w.name == name).unwrap_or_else(|| panic!("there is a world {name}"))
}

fn run(program: &Program, name: &str, engine: EngineKind, threads: usize) -> WorldResult {
    let options = ExploreOptions { engine, threads, ..ExploreOptions::default() };
    run_world(program, place(program, name), &options).unwrap()
}

/// A result without what is measured.
fn plain(mut r: WorldResult) -> WorldResult {
    (r.seconds, r.bytes_per_state, r.threads, r.engine) = (0.0, 0.0, 0, String::new());
    r.statistics = Statistics::default();
    r
}

#[test]
fn the_referee_counts_the_same_and_says_the_same() {
    let program = shipped();
    for world in &small() {
        let result = run(&program, world, EngineKind::Referee, 1);
        assert_eq!(result.fault, None, "world {world}");
        assert!(result.complete, "world {world}");
    }
}

#[test]
fn stateright_counts_the_same_and_meets_the_same() {
    let program = shipped();
    let big = ["leaving", "library", "mixed", "copies", "flips"].map(str::to_owned);
    for world in small().iter().chain(&big) {
        let result = run(&program, world, EngineKind::Stateright, 2);
        assert_eq!(result.fault, None, "world {world}");
        assert!(result.complete, "world {world}");
    }
}

#[test]
fn the_states_themselves_are_the_same() {
    let program = shipped();
    let stop = AtomicBool::new(false);
    let bounds = Bounds::new(1, &stop);
    for world in ["tiny", "kept", "tokens", "turns"] {
        let at = place(&program, world);
        let ours: BTreeSet<_> = explore(&program, at, claims(&program, at), &bounds, |e| {
            let mut all = BTreeSet::new();
            e.run.each_state(&mut |s| all.extend([agree::translate(e.law, &s)])).unwrap();
            all
        })
        .unwrap();
        let referee = Referee::new(&program, at, tracked(&program, at));
        let mut theirs = HashSet::new();
        let mut open: VecDeque<_> = referee.initial().unwrap().into();
        while let Some(state) = open.pop_front() {
            if theirs.insert(state.clone()) {
                open.extend(referee.steps(&state).unwrap().outcomes.into_iter().map(|o| o.next));
            }
        }
        let theirs: BTreeSet<_> = theirs.into_iter().map(|s| agree::plain(&program, s)).collect();
        assert_eq!(ours, theirs, "world {world}");
    }
}

#[test]
fn a_difference_between_engines_is_a_fault() {
    let program = shipped();
    let mut result = run(&program, "tiny", EngineKind::Own, 1);
    result.unique_states += 1;
    agree::with_referee(&program, place(&program, "tiny"), &mut result);
    assert!(result.fault.is_some_and(|f| f.contains("the referee counts")));
    let mut result = run(&program, "tiny", EngineKind::Own, 1);
    result.events ^= 1;
    agree::with_referee(&program, place(&program, "tiny"), &mut result);
    assert!(result.fault.is_some_and(|f| f.contains("the referee sees other events")));
    let mut result = run(&program, "tiny", EngineKind::Own, 1);
    let finding = result.findings.iter_mut().flatten().find(|f| f.premise_reached).unwrap();
    finding.premise_reached = false;
    agree::with_referee(&program, place(&program, "tiny"), &mut result);
    assert!(result.fault.is_some_and(|f| f.contains("the referee says otherwise")));
}

#[test]
fn threads_change_nothing() {
    let program = shipped();
    for world in ["tiny", "casting", "copies", "leaving", "knowledge"] {
        let one = plain(run(&program, world, EngineKind::Own, 1));
        for threads in [2, 8] {
            let many = plain(run(&program, world, EngineKind::Own, threads));
            assert_eq!(format!("{one:?}"), format!("{many:?}"), "world {world}, {threads} threads");
        }
    }
}

#[test]
fn the_order_of_files_and_items_changes_nothing() {
    let folders: Vec<PathBuf> = ["model", "properties"].iter().map(PathBuf::from).collect();
    let loaded = load::folders(&folders).unwrap_or_else(|_| panic!("the shipped model loads"));
    let forward = check::check(&loaded.files, &check::Options::default()).unwrap();
    let mut files = loaded.files.clone();
    files.reverse();
    for f in &mut files {
        f.items.reverse();
    }
    let backward = check::check(&files, &check::Options::default()).unwrap();
    for world in ["tiny", "casting", "leaving"] {
        let a = plain(run(&forward, world, EngineKind::Own, 1));
        let b = plain(run(&backward, world, EngineKind::Own, 1));
        assert_eq!(format!("{a:?}"), format!("{b:?}"), "world {world}");
    }
}

#[test]
fn every_hit_is_replayed_by_the_referee_and_by_its_own_line() {
    let program = shipped();
    for world in ["tiny", "tokens", "casting", "returning"] {
        let at = place(&program, world);
        let stop = AtomicBool::new(false);
        let bounds = Bounds::new(1, &stop);
        explore(&program, at, claims(&program, at), &bounds, |e| {
            for (bit, _) in e.run.hits().into_iter().filter(|(b, _)| b % 2 == 1) {
                let path = e.run.path(bit).unwrap().unwrap();
                agree::replayed(e.law, at, &path).unwrap();
                let play = facedown::judge::world::tell(e.law, world, &path);
                let script = facedown::judge::script::Script::of(&play);
                let line = facedown::judge::script::Script::parse(&script.to_line()).unwrap();
                let again = facedown::judge::replay::replay(&program, at, &line);
                assert_eq!(again.stopped, None, "{line:?}");
                assert_eq!(again.play, play);
            }
        })
        .unwrap();
    }
}

#[test]
fn a_play_that_stops_being_legal_says_where() {
    let program = shipped();
    let at = place(&program, "tiny");
    let script = facedown::judge::script::Script {
        start: vec!["bolt in library of A".into()],
        steps: vec!["effect manifest_top A".into(), "effect turn_any_up A, beast".into()],
    };
    let replayed = facedown::judge::replay::replay(&program, at, &script);
    assert_eq!(replayed.stopped.map(|s| s.step), Some(2));
    assert_eq!(replayed.play.steps.len(), 1);
}

#[test]
fn a_law_that_calls_itself_for_ever_is_a_fault_not_a_hang() {
    let folders: Vec<PathBuf> = vec![PathBuf::from("model")];
    let mut files = load::folders(&folders).unwrap_or_else(|_| panic!("the shipped model loads")).files;
    let text = "rule for-ever cites 101.1 { says en \"x\" says it \"x\" as tap(o): untap(o) as untap(o): tap(o) }";
    let (file, diags) = parse::parse(files.len() as u16, text);
    assert_eq!(diags, []);
    files.push(file);
    let program = check::check(&files, &check::Options::default()).unwrap();
    let options = ExploreOptions { threads: 1, ..ExploreOptions::default() };
    let (code, what) = run_world(&program, place(&program, "kept"), &options).unwrap_err();
    assert_eq!(code.as_str(), "L405");
    assert!(what.contains("call each other"), "{what}");
}

/// Coverage is taken down once for each set of reads. Doing everything again in every state, with nothing passed over,
/// must meet nothing more.
#[test]
fn one_run_for_each_set_of_reads_meets_all_that_every_state_meets() {
    let program = shipped();
    let stop = AtomicBool::new(false);
    let bounds = Bounds::new(1, &stop);
    for world in small().iter().chain(&["leaving".to_owned()]) {
        let at = place(&program, world);
        let law = Law::new(&program, setting(&program, at)).recorded();
        let (once, always) = explore_by(&law, at, Claims::new(Vec::new()), &bounds, |e| {
            let quiet = Reader::new(e.law, Rc::new(Log::off()));
            e.run.each_state(&mut |state| e.law.settled(&state, &quiet)).unwrap();
            let once = e.law.seen();
            let actions: Vec<_> = e.law.actions().into_iter().flat_map(|(_, list)| list).collect();
            e.run
                .each_state(&mut |state| {
                    for action in &actions {
                        outcomes(&quiet, &state, *action);
                    }
                })
                .unwrap();
            (once, e.law.seen())
        })
        .unwrap();
        assert!(once.len() > 50, "world {world}");
        assert_eq!(once, always, "world {world}");
    }
}
