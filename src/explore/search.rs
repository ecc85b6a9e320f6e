//! Breadth-first search by full levels. What is found, and in which level, does not depend on the number of threads, nor
//! on the numbers that records happen to get.

use super::key::Key;
use super::ready::{Leaf, Miss, Ready, Walk};
use super::visited::{SHARDS, Visited};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// States that one round of workers takes: a constant, never derived from the number of threads.
const BATCH: usize = 1 << 16;
/// States that one worker takes at a time.
const CHUNK: usize = 1 << 11;
/// States whose successors are looked up together, so that the reads of the set do not wait for each other.
const TOGETHER: usize = 32;

/// Limits of a search and what is told of it.
pub struct Bounds<'a> {
    /// Threads: one runs the plain loop.
    pub threads: usize,
    /// Stop after a level once so many states are known.
    pub states_max: Option<u64>,
    /// Stop after so many levels.
    pub depth_limit: Option<u32>,
    /// Stop after a level once so many bytes are held.
    pub memory_max: Option<u64>,
    /// Stop as soon as this is set.
    pub stop: &'a AtomicBool,
    /// Told after each batch.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

/// How far a search has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The world.
    pub world: String,
    /// States known.
    pub states: u64,
    /// Steps taken.
    pub steps: u64,
    /// The level being expanded.
    pub depth: u32,
    /// States in it.
    pub frontier: u64,
    /// Bytes held.
    pub bytes: u64,
}

/// A claim met or hit for the first time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hit<K> {
    /// Which bit.
    pub bit: u16,
    /// In which level stands the state from which, or in which, it was.
    pub level: u32,
    /// The least such state by content.
    pub key: K,
}

/// What a search came to.
pub struct Searched<K> {
    /// States known.
    pub states: u64,
    /// Steps.
    pub steps: u64,
    /// The sum, over all steps, of the number of each one's events.
    pub events: u64,
    /// The last level that holds a state.
    pub depth: u32,
    /// Everything was explored.
    pub complete: bool,
    /// Why not.
    pub why: Option<String>,
    /// Stopped by the user.
    pub interrupted: bool,
    /// The first hit of each bit.
    pub hits: Vec<Hit<K>>,
    /// The states of each level.
    pub levels: Vec<Vec<K>>,
    /// Bytes of the visited set and the levels at their largest.
    pub bytes: u64,
}

/// What one worker brings back.
struct Haul<K> {
    steps: u64,
    events: u64,
    missing: Vec<Vec<K>>,
    misses: Vec<(u32, u16)>,
    flagged: Vec<(u32, K)>,
    incomplete: bool,
}

impl<K: Key> Haul<K> {
    fn new() -> Self {
        Haul {
            steps: 0,
            events: 0,
            missing: vec![Vec::new(); SHARDS],
            misses: Vec::new(),
            flagged: Vec::new(),
            incomplete: false,
        }
    }
}

/// Takes what a leaf says of a state; its successors go onto a list.
#[inline(always)]
fn take<K: Key>(walk: &Walk<K>, leaf: &Leaf, key: K, wanted: &[bool], out: &mut Haul<K>, successors: &mut Vec<K>) {
    let flag = |verdict: u32| verdict != 0 && wanted.get(verdict as usize).copied().unwrap_or(true);
    if flag(leaf.verdict) {
        out.flagged.push((leaf.verdict, key));
    }
    out.incomplete |= leaf.incomplete;
    out.steps += u64::from(leaf.count);
    out.events = out.events.wrapping_add(leaf.events);
    for o in walk.outs_of(leaf) {
        if flag(o.verdict) {
            out.flagged.push((o.verdict, key));
        }
        successors.push(key.plus(o.delta));
    }
}

/// Searches from the starts. `Err(Miss::Narrow)` asks for another layout, with everything learned kept in `ready`.
pub fn search<K: Key>(ready: &mut Ready<K>, starts: &[K], bounds: &Bounds, world: &str) -> Result<Searched<K>, Miss> {
    let mut visited: Visited<K> = Visited::new();
    let mut found = Searched {
        states: 0,
        steps: 0,
        events: 0,
        depth: 0,
        complete: true,
        why: None,
        interrupted: false,
        hits: Vec::new(),
        levels: Vec::new(),
        bytes: 0,
    };
    let mut known: FxHashSet<u16> = FxHashSet::default();
    for &k in starts {
        visited.add(k);
    }
    let mut level = visited.take_fresh();
    let mut level_bytes = 0u64;
    let mut cap_met = false;
    while !level.is_empty() {
        let depth = found.levels.len() as u32;
        let wanted: Vec<bool> = ready.verdicts.iter().map(|bits| bits.iter().any(|b| !known.contains(b))).collect();
        let mut flagged: Vec<(u32, K)> = Vec::new();
        for batch in level.chunks(BATCH) {
            if bounds.stop.load(Ordering::Relaxed) {
                found.interrupted = true;
                break;
            }
            let done = if bounds.threads <= 1 {
                plain(ready, &mut visited, batch, &wanted)?
            } else {
                parallel(ready, &mut visited, batch, &wanted)?
            };
            found.steps += done.steps;
            found.events = found.events.wrapping_add(done.events);
            cap_met |= done.incomplete;
            flagged.extend(done.flagged);
            if let Some(tell) = bounds.progress {
                tell(&Progress {
                    world: world.to_string(),
                    states: visited.count(),
                    steps: found.steps,
                    depth,
                    frontier: level.len() as u64,
                    bytes: visited.bytes() + level_bytes,
                });
            }
        }
        pick(ready, &flagged, depth, &mut known, &mut found.hits);
        let next = visited.take_fresh();
        level_bytes += (next.capacity() * std::mem::size_of::<K>()) as u64;
        found.bytes = found.bytes.max(visited.bytes() + level_bytes);
        found.levels.push(std::mem::replace(&mut level, next));
        if found.interrupted {
            break;
        }
        let states = visited.count();
        let over = [
            (bounds.states_max.is_some_and(|m| states >= m), "the limit of states (--limit-states) was reached"),
            (bounds.depth_limit.is_some_and(|m| depth + 1 >= m), "the limit of depth (--limit-depth) was reached"),
            (
                bounds.memory_max.is_some_and(|m| visited.bytes() + level_bytes + ready.walk.bytes() >= m),
                "the limit of memory (--memory) was reached",
            ),
        ];
        if let Some((_, why)) = over.iter().find(|(is, _)| *is && !level.is_empty()) {
            found.why = Some((*why).to_string());
            break;
        }
    }
    found.states = visited.count();
    found.depth = (found.levels.len() as u32).saturating_sub(1);
    if !level.is_empty() && found.why.is_some() {
        found.depth += 1;
    }
    if found.interrupted {
        found.why = Some("it was interrupted".to_string());
    }
    if cap_met && found.why.is_none() {
        found.why = Some("a cap was reached by something mandatory; raise it or lower a budget".to_string());
    }
    found.complete = found.why.is_none();
    Ok(found)
}

/// The plain loop of one thread: what is missing is learned at once.
fn plain<K: Key>(
    ready: &mut Ready<K>,
    visited: &mut Visited<K>,
    batch: &[K],
    wanted: &[bool],
) -> Result<Haul<K>, Miss> {
    let mut out = Haul::new();
    let mut numbers = vec![0; ready.law.components()];
    let (mut successors, mut doubtful) = (Vec::new(), Vec::new());
    for group in batch.chunks(TOGETHER) {
        successors.clear();
        for &key in group {
            ready.walk.layout.unpack(key, &mut numbers);
            for g in 0..ready.walk.groups() {
                let leaf = match ready.walk.find(g, &numbers) {
                    Some(leaf) => *leaf,
                    None => ready.learn(g, &numbers)?,
                };
                take(&ready.walk, &leaf, key, wanted, &mut out, &mut successors);
            }
        }
        visited.doubtful(&successors, &mut doubtful);
        for &(k, hash) in &doubtful {
            visited.shards[Visited::<K>::shard(hash)].add(k, hash);
        }
    }
    Ok(out)
}

/// Workers expand chunks against the frozen set; what their trees do not know is learned afterwards, in order; then each
/// shard takes what is new, in order of chunks.
fn parallel<K: Key>(
    ready: &mut Ready<K>,
    visited: &mut Visited<K>,
    batch: &[K],
    wanted: &[bool],
) -> Result<Haul<K>, Miss> {
    let (walk, frozen) = (&ready.walk, &*visited);
    let components = ready.law.components();
    let mut boxes: Vec<Haul<K>> = batch
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(n, chunk)| {
            let mut out = Haul::new();
            let mut numbers = vec![0; components];
            let (mut successors, mut doubtful) = (Vec::new(), Vec::new());
            for (j, group) in chunk.chunks(TOGETHER).enumerate() {
                successors.clear();
                for (i, &key) in group.iter().enumerate() {
                    walk.layout.unpack(key, &mut numbers);
                    for g in 0..walk.groups() {
                        match walk.find(g, &numbers) {
                            Some(leaf) => take(walk, leaf, key, wanted, &mut out, &mut successors),
                            None => out.misses.push(((n * CHUNK + j * TOGETHER + i) as u32, g as u16)),
                        }
                    }
                }
                frozen.doubtful(&successors, &mut doubtful);
                for &(k, hash) in &doubtful {
                    let shard = Visited::<K>::shard(hash);
                    if !frozen.shards[shard].has(k, hash) {
                        out.missing[shard].push(k);
                    }
                }
            }
            out
        })
        .collect();
    let mut late = Haul::new();
    let mut successors = Vec::new();
    let mut numbers = vec![0; components];
    for (i, g) in boxes.iter().flat_map(|b| b.misses.iter().copied()) {
        let key = batch[i as usize];
        ready.walk.layout.unpack(key, &mut numbers);
        let leaf = match ready.walk.find(usize::from(g), &numbers) {
            Some(leaf) => *leaf,
            None => ready.learn(usize::from(g), &numbers)?,
        };
        successors.clear();
        take(&ready.walk, &leaf, key, wanted, &mut late, &mut successors);
        for &k in &successors {
            late.missing[Visited::<K>::shard(k.mix())].push(k);
        }
    }
    boxes.push(late);
    visited.shards.par_iter_mut().enumerate().for_each(|(s, shard)| {
        for b in &boxes {
            for &k in &b.missing[s] {
                shard.add(k, k.mix());
            }
        }
    });
    let mut all = Haul::new();
    for b in boxes {
        all.steps += b.steps;
        all.events = all.events.wrapping_add(b.events);
        all.incomplete |= b.incomplete;
        all.flagged.extend(b.flagged);
    }
    Ok(all)
}

/// Keeps the least state by content for each bit that was met for the first time in this level.
fn pick<K: Key>(
    ready: &Ready<K>,
    flagged: &[(u32, K)],
    level: u32,
    known: &mut FxHashSet<u16>,
    hits: &mut Vec<Hit<K>>,
) {
    let mut by_bit: Vec<(u16, Vec<K>)> = Vec::new();
    for (verdict, key) in flagged {
        for &bit in ready.verdicts[*verdict as usize].iter().filter(|b| !known.contains(b)) {
            match by_bit.iter_mut().find(|(b, _)| *b == bit) {
                Some((_, keys)) => keys.push(*key),
                None => by_bit.push((bit, vec![*key])),
            }
        }
    }
    by_bit.sort_by_key(|(b, _)| *b);
    for (bit, keys) in by_bit {
        if let Some(key) = super::trace::least(ready, &keys) {
            hits.push(Hit { bit, level, key });
        }
        known.insert(bit);
    }
}
