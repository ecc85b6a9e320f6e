//! Symmetry against a search of all states: the same orbits, in as many levels, with the same claims met as early; and an
//! opinion of its own about what an orbit is, by trying every permutation on whole states.

#![allow(clippy::unwrap_used, clippy::panic)]

use facedown::cli::load;
use facedown::explore::search::Bounds;
use facedown::explore::symmetry::{Alike, exchanged};
use facedown::explore::world::{claims, explore_by, setting};
use facedown::game::record::{Obj, State};
use facedown::judge::agree;
use facedown::lang::check;
use facedown::lang::tree::Program;
use facedown::law::ground::Law;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

fn shipped() -> Program {
    let folders: Vec<PathBuf> = ["model", "properties"].iter().map(PathBuf::from).collect();
    let loaded = load::folders(&folders).unwrap_or_else(|_| panic!("the shipped model loads"));
    check::check(&loaded.files, &check::Options::default()).unwrap()
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

struct Told {
    steps: u64,
    states: u64,
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
            apart: e.told_apart.clone(),
        };
        (Found { states, hits, lengths }, told)
    })
    .unwrap()
}

#[test]
fn survey() {
    let program = shipped();
    let only = std::env::var("ONLY").ok();
    for (at, world) in program.worlds.iter().enumerate() {
        if only
            .as_ref()
            .map_or(world.name.starts_with("deep") || world.name == "flips", |o| !o.split(',').any(|x| x == world.name))
        {
            continue;
        }
        let law = Law::new(&program, setting(&program, at));
        let t = std::time::Instant::now();
        let (mut all, plain) = found(&program, &law, at, Alike::Apart, 1);
        let a = t.elapsed();
        let law2 = Law::new(&program, setting(&program, at));
        let t = std::time::Instant::now();
        let (mut one, told) = found(&program, &law, at, Alike::Together, 1);
        let b = t.elapsed();
        drop(law2);
        let permutations = told.permutations.unwrap();
        println!(
            "{}: {} -> {} states, {} -> {} steps, {} permutations, {a:?} {b:?}, {:?}",
            world.name,
            plain.states,
            told.states,
            plain.steps,
            told.steps,
            permutations.len(),
            told.apart
        );
        let orbits = levels(all.states.drain(..), &permutations);
        let ones = levels(one.states.drain(..), &permutations);
        assert_eq!(ones.len() as u64, told.states, "{}: two states of one orbit", world.name);
        assert!(orbits == ones, "{}: {} orbits, {} found", world.name, orbits.len(), ones.len());
        assert_eq!(all, one, "{}", world.name);
    }
}
