//! The world that is written by hand, explored by a loop of its own: how many states and steps, how deep, the sum of the
//! numbers of events, all of which `facedown check --world deep-plain` must say too; and how long the rules alone take.
//!
//! `cargo bench --bench by_hand [-- RUNS]`.

mod hand;

use hand::plain::Plain;
use rustc_hash::FxHashSet;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let runs = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(15);
    tell(&Plain::new(&facedown::lang::digest::of_text), runs);
}

/// Says what the world comes to and what it costs.
fn tell(plain: &Plain, runs: usize) {
    let begun = Instant::now();
    let found = explore(plain);
    let seconds = begun.elapsed().as_secs_f64();
    let Found { states, steps, depth, events } = &found;
    println!("deep-plain by hand: {} states, {steps} steps, depth {depth}, events {events:016x}", states.len());
    println!("explored with a set in {seconds:.3} s, {:.1} ns a step", seconds * 1e9 / *steps as f64);
    let mut nanoseconds: Vec<f64> = (0..runs)
        .map(|_| {
            let begun = Instant::now();
            black_box(rules_alone(plain, black_box(states)));
            begun.elapsed().as_secs_f64() * 1e9 / *steps as f64
        })
        .collect();
    nanoseconds.sort_by(f64::total_cmp);
    let median = nanoseconds.get(runs / 2).copied().unwrap_or_default();
    let least = nanoseconds.first().copied().unwrap_or_default();
    println!("rules alone: {median:.2} ns a step (median of {runs}, least {least:.2})");
}

/// What a search came to; its states level by level.
struct Found {
    states: Vec<u64>,
    steps: u64,
    depth: u32,
    events: u64,
}

/// Breadth-first over everything, one thread, a plain set.
fn explore(plain: &Plain) -> Found {
    let mut visited: FxHashSet<u64> = FxHashSet::default();
    let mut found = Found { states: Plain::starts(), steps: 0, depth: 0, events: 0 };
    visited.extend(&found.states);
    let mut level = 0..found.states.len();
    loop {
        for i in level.clone() {
            let state = found.states[i];
            plain.successors(state, &mut |next, event| {
                found.steps += 1;
                found.events = found.events.wrapping_add(event);
                if visited.insert(next) {
                    found.states.push(next);
                }
            });
        }
        level = level.end..found.states.len();
        if level.is_empty() {
            return found;
        }
        found.depth += 1;
    }
}

/// All steps from all states, added up, with no set: what the rules cost.
fn rules_alone(plain: &Plain, states: &[u64]) -> u64 {
    let mut sum = 0u64;
    for &state in states {
        plain.successors(state, &mut |next, event| sum = sum.wrapping_add(next).wrapping_add(event));
    }
    sum
}
