//! Breadth-first search by full levels. What is found, and in which level, does not depend on the number of threads, on
//! the store, on how steps are made, on memory, nor on the numbers that records happen to get.

use super::bounds::{Bounds, Progress, Steps, StoreKind};
use super::compiled::{Compiled, Glance, Made};
use super::disk::checkpoint::Checkpoint;
use super::disk::files::{Disk, Fault, Real, scratch};
use super::disk::levels::Level;
use super::disk::runs::{Room, Spilled};
use super::kept::{Hit, Kept, Tally};
use super::key::{Key, Layout};
use super::ready::{Leaf, Miss, Ready, Walk};
use super::save::{Saved, bytes_of};
use super::store::flat::Flat;
use super::store::visited::Visited;
use super::store::{Fill, SHARDS, Store};
use super::symmetry::Symmetry;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Blocks of a level that one round of workers takes, 2,048 states each: a constant, never derived from the number of
/// threads.
const BATCH: usize = 32;
/// States whose successors are looked up together, so that the reads of the set do not wait for each other.
const TOGETHER: usize = 64;
/// Successors that are remembered, a power of two: few enough for the fastest cache.
const LATE: usize = 1 << 11;
/// The trees are laid out anew when they were asked so many times, for each of their leaves, since the last time.
const PATIENCE: u64 = 4;

/// What was measured of a search. It may depend on memory and threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// How often the trees were laid out.
    pub laid_out: u64,
    /// Answers that the laid out trees did not know.
    pub by_trees: u64,
    /// Bytes of the visited set alone, at the end.
    pub set_bytes: u64,
    /// How full its tables were at the end, 0 to 1.
    pub load: f64,
    /// Bytes of the levels, in memory or in files.
    pub level_bytes: u64,
    /// Bytes of what was learned.
    pub learned_bytes: u64,
    /// Bytes on disk at the end, where states were moved there.
    pub spilled_bytes: u64,
    /// Bytes held at the peak, as far as the search counts them.
    pub bytes: u64,
}

/// What a search came to.
pub struct Searched<K> {
    /// States known.
    pub states: u64,
    /// What was counted.
    pub tally: Tally<K>,
    /// The last level that holds a state.
    pub depth: u32,
    /// Everything was explored.
    pub complete: bool,
    /// Why not.
    pub why: Option<String>,
    /// Stopped by the user.
    pub interrupted: bool,
    /// The states of each level.
    pub levels: Vec<Level<K>>,
    /// What was measured.
    pub measured: Measured,
    /// Files that the levels are in, while they are needed.
    pub files: Option<tempfile::TempDir>,
}

/// Why a search did not end.
#[derive(Debug)]
pub enum Halt {
    /// The law has a fault, or a component needs a wider place.
    Miss(Miss),
    /// A file could not be written or read.
    Disk(Fault),
    /// The bytes that the search may take are not enough for what it can't move to disk: the least that are.
    Memory(u64),
}

impl From<Miss> for Halt {
    fn from(miss: Miss) -> Halt {
        Halt::Miss(miss)
    }
}
impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Disk(fault)
    }
}

/// What one worker brings back.
struct Haul<K> {
    steps: u64,
    events: u64,
    incomplete: bool,
    /// Keys that may be new, by shard; all in the first box where the set is on disk.
    missing: Vec<Vec<K>>,
    /// States by their place, and groups, that nothing is known of.
    misses: Vec<(K, u16)>,
    flagged: Vec<(u32, K)>,
    by_trees: u64,
}

impl<K: Key> Haul<K> {
    fn new() -> Self {
        Haul {
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
    fn take_leaf(&mut self, key: K, leaf: &Leaf, wanted: &[bool]) {
        self.take(key, (leaf.count, leaf.events, leaf.verdict, leaf.incomplete), wanted);
    }
}

/// The states known.
enum Seen<K, S> {
    /// In memory.
    Held(S),
    /// On disk, where levels without a checkpoint go into a folder; successors are looked up when a level ends.
    Spilled(Box<Spilled<K>>, PathBuf),
}

struct Search<'a, 'l, 'p, K, S> {
    ready: &'a mut Ready<'l, 'p, K>,
    bounds: &'a Bounds<'a>,
    seen: Seen<K, S>,
    levels: Vec<Level<K>>,
    tally: Tally<K>,
    /// Bits met in an earlier level.
    known: FxHashSet<u16>,
    measured: Measured,
    asked: u64,
    files: Option<tempfile::TempDir>,
    checkpoint: Option<&'a mut Checkpoint>,
    disk: Arc<dyn Disk>,
}

/// Searches on from what is kept; at first that is one level, the starts. Where it halts, what was kept at the beginning
/// of the level is handed back: nothing is lost.
pub fn search<K: Key>(
    ready: &mut Ready<K>,
    kept: Kept<K>,
    bounds: &Bounds,
    checkpoint: Option<&mut Checkpoint>,
    world: &str,
) -> Result<Searched<K>, Box<(Halt, Kept<K>)>> {
    match bounds.store {
        StoreKind::Compact | StoreKind::Disk => search_in::<K, Visited<K>>(ready, kept, bounds, checkpoint, world),
        StoreKind::Flat => search_in::<K, Flat<K>>(ready, kept, bounds, checkpoint, world),
    }
}

fn search_in<K: Key, S: Store<K>>(
    ready: &mut Ready<K>,
    kept: Kept<K>,
    bounds: &Bounds,
    checkpoint: Option<&mut Checkpoint>,
    world: &str,
) -> Result<Searched<K>, Box<(Halt, Kept<K>)>> {
    let bits = ready.walk.layout.bits();
    if matches!(bounds.steps, Steps::Traced | Steps::Walker) {
        ready.compiled = Compiled::empty();
    }
    let mut search = Search {
        ready,
        bounds,
        seen: Seen::Held(S::new(bits)),
        levels: kept.levels,
        known: kept.tally.hits.iter().map(|h| h.bit).collect(),
        tally: kept.tally,
        measured: Measured::default(),
        asked: 0,
        files: kept.files,
        checkpoint,
        disk: Arc::new(Real),
    };
    let mut last = search.tally.clone();
    match search.run(world, &mut last) {
        Ok(found) => Ok(found),
        Err(halt) => {
            // Levels are only ever added whole, and the last of them is the one that was being expanded.
            search.levels.truncate(last.by_level.len() + 1);
            Err(Box::new((halt, Kept { levels: search.levels, tally: last, files: search.files })))
        }
    }
}

impl<K: Key, S: Store<K>> Search<'_, '_, '_, K, S> {
    fn run(&mut self, world: &str, last: &mut Tally<K>) -> Result<Searched<K>, Halt> {
        let mut ending = (None, false);
        self.refill()?;
        self.keep()?;
        while self.levels.last().is_some_and(|level| !level.is_empty()) {
            let depth = self.levels.len() as u32 - 1;
            *last = self.tally.clone();
            if self.expand(depth, world)? {
                ending.1 = true;
                break;
            }
            let level = self.end_level(depth + 1)?;
            self.levels.push(level);
            self.keep()?;
            let states = self.count();
            let unfinished = self.levels.last().is_some_and(|level| !level.is_empty());
            if self.bounds.states_max.is_some_and(|m| states >= m) && unfinished {
                ending.0 = Some("the limit of states (--limit-states) was reached");
                break;
            }
            if self.bounds.depth_limit.is_some_and(|m| depth + 1 >= m) && unfinished {
                ending.0 = Some("the limit of depth (--limit-depth) was reached");
                break;
            }
        }
        Ok(self.found(ending))
    }

    /// Fills the set with the states of all levels; as soon as they are more than fit, they go to disk instead.
    fn refill(&mut self) -> Result<(), Halt> {
        let mut keys = Vec::new();
        for level in 0..self.levels.len() {
            for block in 0..self.levels[level].blocks() {
                if block % BATCH == 0 && self.over() {
                    return self.spill();
                }
                self.levels[level].decode_block(block, &mut keys)?;
                if let Seen::Held(store) = &mut self.seen {
                    for key in &keys {
                        store.add(*key);
                    }
                    store.take_fresh();
                }
            }
        }
        if self.bounds.store == StoreKind::Disk || self.over() {
            self.spill()?;
        }
        Ok(())
    }

    /// Writes a generation of the checkpoint: all levels, the last of them to be expanded.
    fn keep(&mut self) -> Result<(), Halt> {
        let Some(checkpoint) = &mut self.checkpoint else { return Ok(()) };
        if self.levels.last().is_none_or(Level::is_empty) {
            return Ok(());
        }
        let mut files = Vec::with_capacity(self.levels.len());
        for (number, level) in self.levels.iter_mut().enumerate() {
            if level.file().is_none() {
                *level = level.write(&self.disk, &checkpoint.level_path(number as u32))?;
            }
            files.extend(level.file().map(|(path, seal)| (path.to_path_buf(), seal)));
        }
        let learned = bytes_of(self.ready.diary.as_deref().unwrap_or_default());
        checkpoint.write(&files, &learned, &Saved::of(self.ready, &self.tally))?;
        Ok(())
    }

    fn count(&self) -> u64 {
        self.levels.iter().map(Level::len).sum()
    }

    /// Bytes that are not the set's: levels, and what was learned.
    fn others(&self) -> u64 {
        let levels: u64 = self.levels.iter().map(Level::memory_bytes).sum();
        levels + self.ready.bytes()
    }

    fn bytes(&self) -> u64 {
        self.others()
            + match &self.seen {
                Seen::Held(store) => store.bytes(),
                Seen::Spilled(runs, _) => runs.memory_bytes(),
            }
    }

    /// Bytes in which the successors of a batch wait, where they are 16 a state.
    fn boxes(&self) -> u64 {
        let states = self.levels.last().map_or(0, Level::len).min(BATCH as u64 * 2048);
        states * 16 * std::mem::size_of::<K>() as u64
    }

    /// Whether more is held than may be; a batch may add some, and its successors wait in boxes meanwhile.
    fn over(&self) -> bool {
        matches!(self.seen, Seen::Held(_))
            && self.bounds.memory_max.is_some_and(|max| self.bytes() + self.boxes() > max)
    }

    /// Moves the states known to disk. Those found since the level began are candidates like others.
    fn spill(&mut self) -> Result<(), Halt> {
        let least = Room::bytes_min::<K>() as u64;
        let taken = self.ready.bytes() + self.boxes();
        let max = self.bounds.memory_max.unwrap_or(taken + least);
        if taken + least > max {
            return Err(Halt::Memory(taken + least));
        }
        let dir = self.folder()?;
        let room = Room::of::<K>((max - taken) as usize);
        let mut runs = Spilled::create(&self.disk, &dir, room)?;
        for at in 0..self.levels.len() {
            if self.levels[at].file().is_none() {
                let path = level_path(self.checkpoint.as_deref(), &dir, at as u32);
                self.levels[at] = self.levels[at].write(&self.disk, &path)?;
            }
        }
        let fresh = match &mut self.seen {
            Seen::Held(store) => store.take_fresh(),
            Seen::Spilled(..) => Vec::new(),
        };
        // The set goes before its states are read again from the levels.
        self.seen = Seen::Held(S::new(self.ready.walk.layout.bits()));
        runs.adopt(&self.levels)?;
        runs.push(&fresh)?;
        self.seen = Seen::Spilled(Box::new(runs), dir);
        Ok(())
    }

    /// A folder for files that end with the search.
    fn folder(&mut self) -> Result<PathBuf, Halt> {
        if let Some(dir) = &self.files {
            return Ok(dir.path().to_path_buf());
        }
        let dir = scratch(self.bounds.spill_dir)?;
        let path = dir.path().to_path_buf();
        self.files = Some(dir);
        Ok(path)
    }

    /// Expands a level; says whether the user wanted an end.
    fn expand(&mut self, depth: u32, world: &str) -> Result<bool, Halt> {
        let before = self.tally.steps;
        let blocks = self.levels[depth as usize].blocks();
        let mut best: FxHashMap<u16, K> = FxHashMap::default();
        let mut stopped = false;
        for first in (0..blocks).step_by(BATCH) {
            if self.bounds.stop.load(Ordering::Relaxed) {
                stopped = true;
                break;
            }
            self.lay_out(first == 0);
            let wanted: Vec<bool> =
                self.ready.verdicts.iter().map(|bits| bits.iter().any(|b| !self.known.contains(b))).collect();
            let batch = first..(first + BATCH).min(blocks);
            let level = &self.levels[depth as usize];
            let done = if self.bounds.threads <= 1 {
                plain(self.ready, &mut self.seen, level, batch, &wanted, self.bounds.steps)?
            } else {
                parallel(self.ready, &mut self.seen, level, batch, &wanted, self.bounds.steps)?
            };
            self.tally.steps += done.steps;
            self.tally.events = self.tally.events.wrapping_add(done.events);
            self.tally.cap_met |= done.incomplete;
            self.measured.by_trees += done.by_trees;
            self.asked += done.by_trees;
            pick(self.ready, &done.flagged, &self.known, &mut best);
            if self.over() {
                self.spill()?;
            }
            let bytes = self.bytes();
            self.measured.bytes = self.measured.bytes.max(bytes);
            if let Some(tell) = self.bounds.progress {
                let known = match &self.seen {
                    Seen::Held(store) => store.count(),
                    Seen::Spilled(runs, _) => runs.count(),
                };
                tell(&Progress {
                    world: world.to_string(),
                    states: known,
                    steps: self.tally.steps,
                    depth,
                    frontier: self.levels[depth as usize].len(),
                    bytes,
                });
            }
        }
        let mut hits: Vec<Hit<K>> = best.into_iter().map(|(bit, key)| Hit { bit, level: depth, key }).collect();
        hits.sort_by_key(|h| h.bit);
        self.known.extend(hits.iter().map(|h| h.bit));
        self.tally.hits.extend(hits);
        self.tally.by_level.push(self.tally.steps - before);
        Ok(stopped)
    }

    /// Lays the trees out anew, if that is worth it.
    fn lay_out(&mut self, level_begins: bool) {
        let due = match self.bounds.steps {
            Steps::Ready => self.asked > PATIENCE * self.ready.walk.leaves() as u64,
            Steps::Compiled => level_begins,
            Steps::Traced | Steps::Walker => false,
        };
        if due {
            self.ready.compiled = Compiled::of(&self.ready.walk);
            self.measured.laid_out += 1;
            self.asked = 0;
        }
    }

    /// The states found for the first time, as a level.
    fn end_level(&mut self, number: u32) -> Result<Level<K>, Halt> {
        match &mut self.seen {
            Seen::Held(store) => {
                let mut fresh = store.take_fresh();
                fresh.par_sort_unstable();
                Ok(Level::encode(&fresh)?)
            }
            Seen::Spilled(runs, dir) => Ok(runs.end_level(&level_path(self.checkpoint.as_deref(), dir, number))?),
        }
    }

    fn found(&mut self, (why, interrupted): (Option<&str>, bool)) -> Searched<K> {
        let mut levels = std::mem::take(&mut self.levels);
        if let Seen::Held(store) = &self.seen {
            self.measured.set_bytes = store.table_bytes();
            self.measured.load = store.load();
        }
        if let Seen::Spilled(runs, _) = &self.seen {
            self.measured.spilled_bytes = runs.disk_bytes();
        }
        self.measured.level_bytes = levels.iter().map(Level::bytes).sum();
        self.measured.learned_bytes = self.ready.bytes();
        let mut states: u64 = levels.iter().map(Level::len).sum();
        if interrupted && let Seen::Held(store) = &self.seen {
            states = store.count();
        }
        if levels.last().is_some_and(Level::is_empty) {
            levels.pop();
        }
        let cap = "a cap was reached by something mandatory; raise it or lower a budget";
        let why = match (why, interrupted) {
            (_, true) => Some("it was interrupted"),
            (None, false) if self.tally.cap_met => Some(cap),
            (why, false) => why,
        };
        Searched {
            states,
            tally: std::mem::take(&mut self.tally),
            depth: (levels.len() as u32).saturating_sub(1),
            complete: why.is_none(),
            why: why.map(str::to_owned),
            interrupted,
            levels,
            measured: std::mem::take(&mut self.measured),
            files: self.files.take(),
        }
    }
}

/// The file of a level: in the checkpoint, or in the folder of what is on disk.
fn level_path(checkpoint: Option<&Checkpoint>, dir: &Path, number: u32) -> PathBuf {
    checkpoint.map_or_else(|| dir.join(format!("level-{number}")), |c| c.level_path(number))
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
    fn new(walk: &Walk<K>) -> Desk<K> {
        Desk {
            glance: Glance::new(walk.layout.radices.len(), walk.groups()),
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
    out.by_trees += 1;
    let leaf = match ready.walk.find(group, numbers) {
        Some(leaf) if steps != Steps::Walker => *leaf,
        _ => ready.learn(group, numbers, steps != Steps::Walker)?,
    };
    out.take_leaf(key, &leaf, wanted);
    successors.extend(ready.walk.outs_of(&leaf).iter().map(|d| key.plus(*d)));
    if steps == Steps::Walker {
        ready.forget(&leaf);
    }
    Ok(())
}

/// The plain loop of one thread: what is missing is learned at once.
fn plain<K: Key, S: Store<K>>(
    ready: &mut Ready<K>,
    seen: &mut Seen<K, S>,
    level: &Level<K>,
    batch: std::ops::Range<usize>,
    wanted: &[bool],
    steps: Steps,
) -> Result<Haul<K>, Halt> {
    let mut out = Haul::new();
    let mut desk = Desk::new(&ready.walk);
    let mut keys = Vec::new();
    for block in batch {
        level.decode_block(block, &mut keys)?;
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
fn parallel<K: Key, S: Store<K>>(
    ready: &mut Ready<K>,
    seen: &mut Seen<K, S>,
    level: &Level<K>,
    batch: std::ops::Range<usize>,
    wanted: &[bool],
    steps: Steps,
) -> Result<Haul<K>, Halt> {
    let (walk, compiled, symmetry, frozen) = (&ready.walk, &ready.compiled, ready.symmetry.as_ref(), &*seen);
    let boxes: Result<Vec<Haul<K>>, Fault> = batch
        .into_par_iter()
        .map(|block| {
            let mut out = Haul::new();
            let mut desk = Desk::new(walk);
            let mut keys = Vec::new();
            level.decode_block(block, &mut keys)?;
            for some in keys.chunks(TOGETHER) {
                desk.successors.clear();
                for &key in some {
                    desk.expand(walk, compiled, key, wanted, &mut out);
                    for &g in &desk.unknown {
                        match walk.find(g, desk.glance.numbers()) {
                            Some(leaf) if steps != Steps::Walker => {
                                out.by_trees += 1;
                                out.take_leaf(key, leaf, wanted);
                                desk.successors.extend(walk.outs_of(leaf).iter().map(|d| key.plus(*d)));
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
    let mut late = Haul::new();
    let mut desk = Desk::new(&ready.walk);
    let mut numbers = vec![0; ready.walk.layout.radices.len()];
    for (key, g) in boxes.iter().flat_map(|b| b.misses.iter().copied()) {
        ready.walk.layout.unpack(key, &mut numbers);
        desk.successors.clear();
        ask(ready, usize::from(g), key, &numbers, (wanted, steps), &mut late, &mut desk.successors)?;
        desk.narrow(ready.symmetry.as_ref(), &ready.walk.layout);
        for &k in &desk.successors {
            match &*seen {
                Seen::Held(store) => {
                    let image = store.image(k);
                    late.missing[S::shard_of(image)].push(image);
                }
                Seen::Spilled(..) => late.missing[0].push(k),
            }
        }
    }
    boxes.push(late);
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
        all.steps += b.steps;
        all.events = all.events.wrapping_add(b.events);
        all.incomplete |= b.incomplete;
        all.by_trees += b.by_trees;
        all.flagged.extend(b.flagged);
    }
    Ok(all)
}

/// Keeps the least state by content for each bit that was not met in an earlier level.
fn pick<K: Key>(ready: &Ready<K>, flagged: &[(u32, K)], known: &FxHashSet<u16>, best: &mut FxHashMap<u16, K>) {
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
