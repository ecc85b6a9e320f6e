//! Breadth-first search by full levels. What is found, and in which level, does not depend on the number of threads, on
//! the store, on how steps are made, on memory, nor on the numbers that records happen to get.

use super::bounds::{Bounds, Progress, Steps, StoreKind};
use super::compiled::Compiled;
use super::disk::checkpoint::Checkpoint;
use super::disk::files::{Disk, Fault, Real, scratch};
use super::disk::levels::Level;
use super::disk::runs::{Room, Spilled};
use super::expand::{Batch, parallel, pick, plain};
use super::kept::{Hit, Kept, Tally};
use super::key::Key;
use super::ready::{Miss, Ready};
use super::save::{Saved, bytes_of};
use super::store::Store;
use super::store::flat::Flat;
use super::store::visited::Visited;
use crate::law::profile::clocked;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Blocks of a level that one round of workers takes, 2,048 states each: a constant, never derived from the number of
/// threads.
const BATCH: usize = 32;
/// The trees are laid out anew when they were asked so many times, for each of their leaves, since the last time.
const PATIENCE: u64 = 4;
/// As long as to ask the trees once takes so much effort on diagrams.
const AS_LONG: u64 = 8;
/// What may be spent on diagrams for each state that is expanded ([`Compiled::of`]).
pub(super) const EFFORT_A_STATE: u64 = 2;

/// What was measured of a search. It may depend on memory and threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// How often the trees were laid out.
    pub laid_out: u64,
    /// Groups that had a diagram when they were laid out last.
    pub drawn: u64,
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
    /// Where the time went.
    pub phases: Phases,
}

/// What a search spends time on. What is kept for a search to be taken up again, and its files, count where they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Running the law in states that nothing was known of, its claims with it.
    pub law: Duration,
    /// Laying out what was learned.
    pub laying_out: Duration,
    /// Expanding states by what was learned, and looking their successors up.
    pub expanding: Duration,
    /// Making a level of what was found.
    pub ending: Duration,
    /// Writing checkpoints.
    pub saving: Duration,
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

/// The states known.
pub(super) enum Seen<K, S> {
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
    /// What may be spent on diagrams, and with how much they were tried last.
    effort: u64,
    tried: u64,
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
        effort: 0,
        tried: 0,
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
            let (level, took) = clocked(|| self.end_level(depth + 1));
            self.measured.phases.ending += took;
            self.levels.push(level?);
            let (kept, took) = clocked(|| self.keep());
            self.measured.phases.saving += took;
            kept?;
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
            let ((), laid_out) = clocked(|| self.lay_out(first == 0));
            let wanted: Vec<bool> =
                self.ready.verdicts.iter().map(|bits| bits.iter().any(|b| !self.known.contains(b))).collect();
            let batch = Batch {
                level: &self.levels[depth as usize],
                blocks: first..(first + BATCH).min(blocks),
                wanted: &wanted,
                steps: self.bounds.steps,
            };
            let running = self.ready.running;
            let (done, took) = clocked(|| match self.bounds.threads {
                0 | 1 => plain(self.ready, &mut self.seen, &batch),
                _ => parallel(self.ready, &mut self.seen, &batch),
            });
            let done = done?;
            self.tally.steps += done.steps;
            self.tally.events = self.tally.events.wrapping_add(done.events);
            self.tally.cap_met |= done.incomplete;
            self.measured.by_trees += done.by_trees;
            let phases = &mut self.measured.phases;
            phases.laying_out += laid_out;
            phases.expanding += took.saturating_sub(self.ready.running - running);
            self.asked += done.by_trees;
            self.effort += EFFORT_A_STATE * done.states;
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
        let leaves = self.ready.walk.leaves() as u64;
        let compiled = &self.ready.compiled;
        let worth = !compiled.is_drawn() && self.effort > (4 * self.tried).max(PATIENCE * leaves);
        let due = match self.bounds.steps {
            Steps::Ready => worth || self.asked > PATIENCE * leaves + compiled.effort / AS_LONG,
            Steps::Compiled => level_begins,
            Steps::Traced | Steps::Walker => false,
        };
        if due {
            self.ready.compiled = Compiled::of(&self.ready.walk, self.effort);
            self.tried = self.effort;
            self.effort = self.effort.saturating_sub(self.ready.compiled.effort);
            self.measured.laid_out += 1;
            self.asked = 0;
        }
    }

    /// The states found for the first time, as a level.
    fn end_level(&mut self, number: u32) -> Result<Level<K>, Halt> {
        match &mut self.seen {
            Seen::Held(store) => {
                let mut fresh = store.take_fresh();
                sort(&mut fresh, self.bounds.threads);
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
        self.measured.drawn = self.ready.compiled.drawn() as u64;
        self.measured.phases.law = self.ready.running;
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

/// Sorts keys by so many threads. The sort of the standard library is faster than the parallel one of `rayon`.
fn sort<K: Key>(keys: &mut [K], threads: usize) {
    if threads <= 1 || keys.len() < 1 << 14 {
        return keys.sort_unstable();
    }
    let (low, _, high) = keys.select_nth_unstable(keys.len() / 2);
    rayon::join(|| sort(low, threads / 2), || sort(high, threads.div_ceil(2)));
}

/// The file of a level: in the checkpoint, or in the folder of what is on disk.
fn level_path(checkpoint: Option<&Checkpoint>, dir: &Path, number: u32) -> PathBuf {
    checkpoint.map_or_else(|| dir.join(format!("level-{number}")), |c| c.level_path(number))
}
