//! Plays without stored parents: from a state found, back through the levels, each time to the least predecessor by
//! content; then forward again, with names.

use super::disk::files::Fault;
use super::disk::levels::Level;
use super::kept::Hit;
use super::key::Key;
use super::ready::Ready;
use super::search::Searched;
use crate::game::memory::Log;
use crate::game::record::State;
use crate::law::claims::hit_bit;
use crate::law::eval::Reader;
use crate::law::names::content;
use crate::law::step::{Outcome, outcomes};
use rayon::prelude::*;
use std::rc::Rc;

/// The least of some states by content: by the unpacked state, never by its place in a table.
pub fn least<K: Key>(ready: &Ready<K>, keys: &[K]) -> Option<K> {
    let mut distinct: Vec<K> = keys.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() == 1 {
        return distinct.first().copied();
    }
    distinct.into_iter().min_by_key(|k| ready.state_of(*k).map(|s| content(ready.law, &s)))
}

/// A play as states and outcomes.
pub struct Path {
    /// The start.
    pub start: State,
    /// The steps, each from the state before it.
    pub steps: Vec<Outcome>,
}

/// The shortest play to a hit: of a step, the step included; of a state, up to it.
pub fn path<K: Key>(ready: &Ready<K>, found: &Searched<K>, hit: &Hit<K>) -> Result<Option<Path>, Fault> {
    Ok(states_to(ready, found, hit)?.and_then(|states| played(ready, hit, states)))
}

fn played<K: Key>(ready: &Ready<K>, hit: &Hit<K>, states: Vec<State>) -> Option<Path> {
    let start = states.first()?.clone();
    let mut state = start.clone();
    let mut steps = Vec::new();
    for next in states.into_iter().skip(1) {
        let outcome = every_outcome(ready, &state).find(|o| o.state == next)?;
        state = next;
        steps.push(outcome);
    }
    // A hit of a step needs that step too.
    let place = usize::from(hit.bit / 2);
    let of_event = matches!(
        ready.claims.list.get(place)?.1.claim,
        crate::lang::tree::Claim::Whenever(..) | crate::lang::tree::Claim::PossibleEvent(..)
    );
    if of_event {
        let quiet = Reader::new(ready.law, Rc::new(Log::off()));
        let last = every_outcome(ready, &state).find(|o| ready.claims.of_step(&quiet, o).contains(&hit.bit))?;
        steps.push(last);
    }
    debug_assert_eq!(hit.bit, hit_bit(place));
    Some(Path { start, steps })
}

/// The states of a shortest way to the state of a hit, the start first.
pub fn states_to<K: Key>(ready: &Ready<K>, found: &Searched<K>, hit: &Hit<K>) -> Result<Option<Vec<State>>, Fault> {
    let mut target = hit.key;
    let mut keys = vec![target];
    for level in (0..hit.level as usize).rev() {
        let Some(key) = predecessor(ready, &found.levels[level], target)? else { return Ok(None) };
        keys.push(key);
        target = key;
    }
    keys.reverse();
    Ok(match &ready.symmetry {
        None => keys.iter().map(|k| ready.state_of(*k)).collect(),
        Some(_) => dealt(ready, &keys),
    })
}

/// States of a play from a start as it is dealt, through the orbits of these canonical keys: each time the first outcome,
/// in canonical order, that is in the next.
fn dealt<K: Key>(ready: &Ready<K>, keys: &[K]) -> Option<Vec<State>> {
    let (first, rest) = keys.split_first()?;
    let starts = ready.dealt.iter().filter(|start| ready.canonical_of(start) == Some(*first));
    let mut states = vec![starts.min_by_key(|start| content(ready.law, start))?.clone()];
    for key in rest {
        let next = every_outcome(ready, states.last()?).find(|o| ready.canonical_of(&o.state) == Some(*key))?.state;
        states.push(next);
    }
    Some(states)
}

/// Every outcome of every action in a state, in canonical order.
pub fn every_outcome<'a, K: Key>(ready: &'a Ready<K>, state: &'a State) -> impl Iterator<Item = Outcome> + 'a {
    let quiet = Reader::new(ready.law, Rc::new(Log::off()));
    let mut actions: Vec<_> = ready.law.actions().into_iter().flat_map(|(_, list)| list).collect();
    actions.sort_unstable();
    actions.into_iter().flat_map(move |a| outcomes(&quiet, state, a).list)
}

/// The least state by content of a level that has the target as a successor.
fn predecessor<K: Key>(ready: &Ready<K>, level: &Level<K>, target: K) -> Result<Option<K>, Fault> {
    let (walk, symmetry, components) = (&ready.walk, ready.symmetry.as_ref(), ready.law.components());
    let led = |key: K| symmetry.map_or(key, |s| s.canonical(&walk.layout, key));
    let leads = |numbers: &[u32], key: K| {
        let to = |leaf| walk.outs_of(leaf).iter().any(|d| led(key.plus(*d)) == target);
        (0..walk.groups()).any(|g| walk.find(g, numbers).is_some_and(to))
    };
    let fits: Result<Vec<Vec<K>>, Fault> = (0..level.blocks())
        .into_par_iter()
        .map(|block| {
            let (mut numbers, mut keys) = (vec![0; components], Vec::new());
            level.decode_block(block, &mut keys)?;
            keys.retain(|key| {
                walk.layout.unpack(*key, &mut numbers);
                leads(&numbers, *key)
            });
            Ok(keys)
        })
        .collect();
    Ok(least(ready, &fits?.concat()))
}
