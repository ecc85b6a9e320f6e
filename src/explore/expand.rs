//! States of a level expanded: by the plain loop of one thread, or by workers.

use super::bounds::Steps;
use super::compiled::{Compiled, Glance, Made};
use super::disk::files::Fault;
use super::disk::levels::Level;
use super::key::{Key, Layout};
use super::ready::{Leaf, Miss, Ready, Walk};
use super::search::{Halt, Seen};
use super::store::{Fill, SHARDS, Store};
use super::symmetry::Symmetry;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// States whose successors are looked up together, so that the reads of the set do not wait for each other.
const TOGETHER: usize = 64;
/// Successors that are remembered, a power of two: few enough for the fastest cache. A table 32 times as large gained nothing.
const LATE: usize = 1 << 11;

/// States to be expanded, and what is needed for that.
pub(super) struct Batch<'b, K> {
    pub(super) level: &'b Level<K>,
    pub(super) blocks: Range<usize>,
    /// For each verdict whether it says something new.
    pub(super) wanted: &'b [bool],
    pub(super) steps: Steps,
}

/// What one worker brings back.
pub(super) struct Haul<K> {
    /// States expanded.
    pub(super) states: u64,
    pub(super) steps: u64,
    pub(super) events: u64,
    pub(super) incomplete: bool,
    /// Keys that may be new, by shard; all in the first box where the set is on disk.
    missing: Vec<Vec<K>>,
    /// States by their place, and groups, that nothing is known of.
    misses: Vec<(K, u16)>,
    pub(super) flagged: Vec<(u32, K)>,
    pub(super) by_trees: u64,
}

impl<K: Key> Haul<K> {
    fn new() -> Self {
        Haul {
            states: 0,
            steps: 0,
            events: 0,
            incomplete: false,
            missing: vec![Vec::new(); SHARDS],
            misses: Vec::new(),
            flagged: Vec::new(),
            by_trees: 0,
        }
    }
    /// Takes what a leaf says of a state. Only verdicts that say something new are noted.
    #[inline(always)]
    fn take(&mut self, key: K, (steps, events, verdict, incomplete): (u32, u64, u32, bool), wanted: &[bool]) {
        if verdict != 0 && wanted.get(verdict as usize).copied().unwrap_or(true) {
            self.flagged.push((verdict, key));
        }
        self.incomplete |= incomplete;
        self.steps += u64::from(steps);
        self.events = self.events.wrapping_add(events);
    }
    #[inline(always)]
    fn take_made(&mut self, key: K, made: &Made, wanted: &[bool]) {
        self.take(key, (made.steps, made.events, made.verdict, made.incomplete), wanted);
    }
    /// Takes what the trees say, with the successors.
    fn take_leaf(&mut self, walk: &Walk<K>, key: K, leaf: &Leaf, wanted: &[bool], successors: &mut Vec<K>) {
        self.by_trees += 1;
        self.take(key, (leaf.count, leaf.events, leaf.verdict, leaf.incomplete), wanted);
        successors.extend(walk.outs_of(leaf).iter().map(|d| key.plus(*d)));
    }
}

/// What is written over and over while states are expanded.
struct Desk<K> {
    glance: Glance,
    /// Keys that the states lead to.
    successors: Vec<K>,
    /// Successors of late, each at a place that its hash tells: the set was asked for them already. States that stand side by
    /// side in a level differ in little, and lead to the same states where a step does away with the difference.
    late: Vec<K>,
    /// Groups that the laid out trees do not know in a state.
    unknown: Vec<usize>,
    /// Those of the successors that may not be in the set, as the store names them too.
    doubtful: Vec<(K, K)>,
}

impl<K: Key> Desk<K> {
    fn new(walk: &Walk<K>, compiled: &Compiled<K>) -> Desk<K> {
        Desk {
            glance: compiled.glance(walk),
            successors: Vec::new(),
            late: vec![K::EMPTY; LATE],
            unknown: Vec::new(),
            doubtful: Vec::new(),
        }
    }
    /// Takes what the laid out trees know of a state, and notes the groups that they do not know.
    #[inline(always)]
    fn expand(&mut self, walk: &Walk<K>, compiled: &Compiled<K>, key: K, wanted: &[bool], out: &mut Haul<K>) {
        self.unknown.clear();
        compiled.look(&walk.layout, key, &mut self.glance, |g, made| match made {
            Some(made) => {
                out.take_made(key, made, wanted);
                self.successors.extend(compiled.moves(made).iter().map(|d| key.plus(*d)));
            }
            None => self.unknown.push(g),
        });
        // What is learned when gives records their numbers: it must not depend on how groups are laid out.
        if self.unknown.len() > 1 {
            self.unknown.sort_unstable();
        }
    }
    /// The successors become the states that stand for them, where interchangeable objects are explored once; those that were
    /// there of late are dropped.
    fn narrow(&mut self, symmetry: Option<&Symmetry<K>>, layout: &Layout) {
        if let Some(symmetry) = symmetry {
            symmetry.canonise(layout, &mut self.successors);
        }
        let mut kept = 0;
        for i in 0..self.successors.len() {
            let key = self.successors[i];
            let late = &mut self.late[key.mix() as usize % LATE];
            self.successors[kept] = key;
            kept += usize::from(*late != key);
            *late = key;
        }
        self.successors.truncate(kept);
    }
}

/// What a group comes to in a state that the laid out trees do not know: told by the trees, or learned. The successors
/// go onto a list.
#[cold]
#[inline(never)]
fn ask<K: Key>(
    ready: &mut Ready<K>,
    group: usize,
    key: K,
    numbers: &[u32],
    (wanted, steps): (&[bool], Steps),
    out: &mut Haul<K>,
    successors: &mut Vec<K>,
) -> Result<(), Miss> {
    let leaf = match ready.walk.find(group, numbers) {
        Some(leaf) if steps != Steps::Walker => *leaf,
        _ => ready.learn(group, numbers, steps != Steps::Walker)?,
    };
    out.take_leaf(&ready.walk, key, &leaf, wanted, successors);
    if steps == Steps::Walker {
        ready.forget(&leaf);
    }
    Ok(())
}

/// The plain loop of one thread: what is missing is learned at once.
pub(super) fn plain<K: Key, S: Store<K>>(
    ready: &mut Ready<K>,
    seen: &mut Seen<K, S>,
    batch: &Batch<K>,
) -> Result<Haul<K>, Halt> {
    let &Batch { level, ref blocks, wanted, steps } = batch;
    let mut out = Haul::new();
    let mut desk = Desk::new(&ready.walk, &ready.compiled);
    let mut keys = Vec::new();
    for block in blocks.clone() {
        level.decode_block(block, &mut keys)?;
        out.states += keys.len() as u64;
        for some in keys.chunks(TOGETHER) {
            desk.successors.clear();
            for &key in some {
                desk.expand(&ready.walk, &ready.compiled, key, wanted, &mut out);
                for &g in &desk.unknown {
                    ask(ready, g, key, desk.glance.numbers(), (wanted, steps), &mut out, &mut desk.successors)?;
                }
            }
            desk.narrow(ready.symmetry.as_ref(), &ready.walk.layout);
            match seen {
                Seen::Held(store) => {
                    store.doubtful(&desk.successors, &mut desk.doubtful);
                    for &(_, image) in &desk.doubtful {
                        store.shards_mut()[S::shard_of(image)].add(image);
                    }
                }
                Seen::Spilled(runs, _) => runs.push(&desk.successors)?,
            }
        }
    }
    Ok(out)
}

/// Workers expand blocks against the frozen set; what their trees do not know is learned afterwards, in order; then each
/// shard takes what is new, in order of blocks.
pub(super) fn parallel<K: Key, S: Store<K>>(
    ready: &mut Ready<K>,
    seen: &mut Seen<K, S>,
    batch: &Batch<K>,
) -> Result<Haul<K>, Halt> {
    let &Batch { level, ref blocks, wanted, steps } = batch;
    let (walk, compiled, symmetry, frozen) = (&ready.walk, &ready.compiled, ready.symmetry.as_ref(), &*seen);
    let boxes: Result<Vec<Haul<K>>, Fault> = blocks
        .clone()
        .into_par_iter()
        .map(|block| {
            let mut out = Haul::new();
            let mut desk = Desk::new(walk, compiled);
            let mut keys = Vec::new();
            level.decode_block(block, &mut keys)?;
            out.states += keys.len() as u64;
            for some in keys.chunks(TOGETHER) {
                desk.successors.clear();
                for &key in some {
                    desk.expand(walk, compiled, key, wanted, &mut out);
                    for &g in &desk.unknown {
                        match walk.find(g, desk.glance.numbers()) {
                            Some(leaf) if steps != Steps::Walker => {
                                out.take_leaf(walk, key, leaf, wanted, &mut desk.successors);
                            }
                            _ => out.misses.push((key, g as u16)),
                        }
                    }
                }
                desk.narrow(symmetry, &walk.layout);
                match frozen {
                    Seen::Held(store) => {
                        store.doubtful(&desk.successors, &mut desk.doubtful);
                        for &(_, image) in &desk.doubtful {
                            out.missing[S::shard_of(image)].push(image);
                        }
                    }
                    Seen::Spilled(..) => out.missing[0].extend(&desk.successors),
                }
            }
            Ok(out)
        })
        .collect();
    let mut boxes = boxes?;
    let mut learned = Haul::new();
    let mut desk = Desk::new(&ready.walk, &ready.compiled);
    let mut numbers = vec![0; ready.walk.layout.radices.len()];
    for (key, g) in boxes.iter().flat_map(|b| b.misses.iter().copied()) {
        ready.walk.layout.unpack(key, &mut numbers);
        desk.successors.clear();
        ask(ready, usize::from(g), key, &numbers, (wanted, steps), &mut learned, &mut desk.successors)?;
        desk.narrow(ready.symmetry.as_ref(), &ready.walk.layout);
        for &k in &desk.successors {
            match &*seen {
                Seen::Held(store) => {
                    let image = store.image(k);
                    learned.missing[S::shard_of(image)].push(image);
                }
                Seen::Spilled(..) => learned.missing[0].push(k),
            }
        }
    }
    boxes.push(learned);
    match seen {
        Seen::Held(store) => store.shards_mut().par_iter_mut().enumerate().for_each(|(s, shard)| {
            for image in boxes.iter().flat_map(|b| &b.missing[s]) {
                shard.add(*image);
            }
        }),
        Seen::Spilled(runs, _) => {
            for b in &boxes {
                runs.push(&b.missing[0])?;
            }
        }
    }
    let mut all = Haul::new();
    for b in boxes {
        all.states += b.states;
        all.steps += b.steps;
        all.events = all.events.wrapping_add(b.events);
        all.incomplete |= b.incomplete;
        all.by_trees += b.by_trees;
        all.flagged.extend(b.flagged);
    }
    Ok(all)
}

/// Keeps the least state by content for each bit that was not met in an earlier level.
pub(super) fn pick<K: Key>(
    ready: &Ready<K>,
    flagged: &[(u32, K)],
    known: &FxHashSet<u16>,
    best: &mut FxHashMap<u16, K>,
) {
    let mut by_bit: FxHashMap<u16, Vec<K>> = FxHashMap::default();
    for (verdict, key) in flagged {
        for bit in ready.verdicts[*verdict as usize].iter().filter(|b| !known.contains(b)) {
            by_bit.entry(*bit).or_default().push(*key);
        }
    }
    for (bit, mut keys) in by_bit {
        keys.extend(best.get(&bit));
        if let Some(key) = super::trace::least(ready, &keys) {
            best.insert(bit, key);
        }
    }
}
