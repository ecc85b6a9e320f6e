//! The visited set on disk, with delayed detection of duplicates: candidates are collected, sorted and written in runs;
//! at the end of a level they are compared with everything seen, in one pass from the first key to the last. It holds no
//! more memory than it was given.
//!
//! The directory is scratch: whatever a killed process left there is removed, for the run of all keys seen can always be
//! made again from the levels (`adopt`). After any fault this set is as it was, candidates included, and the call that
//! failed can be repeated.

use super::block::{BLOCK_KEYS, Stored};
use super::files::{DRAFT_SUFFIX, Disk, Fault, Lasting};
use super::levels::Level;
use super::lock::{Lock, Unlocked};
use super::merge::{Feed, Source, against, feed_bytes, union};
use super::reader::LevelReader;
use super::writer::{Index, LevelWriter, Written, writer_bytes};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LOCK_NAME: &str = "facedown-runs.lock";
const SUFFIX: &str = ".run";
/// Sources that flow together at most, however much memory there is.
const FEEDS_MAX: usize = 64;
/// Blocks that are read ahead of each source at most.
const BLOCKS_MAX: usize = 256;

/// How the memory is divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Candidates held until they are written as a run.
    pub candidates_max: usize,
    /// Places of the table of keys lately pushed: a power of two, or 0 for none.
    pub lately: usize,
    /// Runs of candidates that flow together at most; at least 2.
    pub feeds_max: usize,
    /// Blocks that are read ahead of each source and held for each file written; at least 1.
    pub blocks: usize,
}

impl Room {
    /// The least memory for keys of this width, in bytes.
    pub const fn bytes_min<K: Stored>() -> usize {
        K::BYTES << 20
    }
    /// Divides so many bytes: a quarter for merging, a sixteenth for keys lately pushed, the rest for candidates.
    pub fn of<K: Stored>(bytes: usize) -> Room {
        let bytes = bytes.max(Room::bytes_min::<K>());
        let merging = bytes / 4;
        let each = feed_bytes::<K>(1).max(writer_bytes::<K>(1));
        let feeds_max = (merging / each / 4).saturating_sub(3).clamp(4, FEEDS_MAX);
        let blocks = (merging / each / (feeds_max + 3)).clamp(1, BLOCKS_MAX);
        let lately = 1usize << (bytes / 16 / K::BYTES).ilog2().min(20);
        let candidates_max = (bytes - merging) / K::BYTES - lately;
        Room { candidates_max, lately, feeds_max, blocks }
    }
    /// The most memory that is held, in bytes. The index of a level that is given away is not in it.
    pub fn bytes<K: Stored>(&self) -> usize {
        let merging = (self.feeds_max + 1) * feed_bytes::<K>(self.blocks) + 2 * writer_bytes::<K>(self.blocks);
        (self.candidates_max + self.lately) * K::BYTES + merging
    }
}

/// A file of ascending keys.
#[derive(Debug)]
struct Run {
    path: PathBuf,
    written: Written,
}

/// All keys seen, on disk, and those that may be new.
pub struct Spilled<K> {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    _lock: Lock,
    room: Room,
    visited: Option<Run>,
    runs: Vec<Run>,
    candidates: Vec<K>,
    lately: Vec<K>,
    serial: u64,
    pushed: u64,
    dropped: u64,
}

impl<K: Stored> Spilled<K> {
    /// An empty set in a directory, which is made if it is not there. Runs that a killed process left are removed.
    pub fn create(disk: &Arc<dyn Disk>, dir: &Path, room: Room) -> Result<Spilled<K>, Fault> {
        std::fs::create_dir_all(dir).map_err(|e| Fault::system("making the directory", dir, e))?;
        let lock = Lock::take(dir, LOCK_NAME).map_err(|why| match why {
            Unlocked::Fault(fault) => fault,
            Unlocked::Taken => {
                Fault::system("locking", dir, std::io::Error::other("another search is using this directory"))
            }
        })?;
        let listing = |e| Fault::system("listing", dir, e);
        for entry in std::fs::read_dir(dir).map_err(listing)? {
            let path = entry.map_err(listing)?.path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
            if name.strip_suffix(DRAFT_SUFFIX).unwrap_or(name).ends_with(SUFFIX) {
                disk.remove(&path)
                    .map_err(|e| Fault::system("removing what is left of an earlier search,", &path, e))?;
            }
        }
        let room = Room { feeds_max: room.feeds_max.max(2), blocks: room.blocks.max(1), ..room };
        let mut candidates = Vec::new();
        let reserved = candidates.try_reserve_exact(room.candidates_max.max(1));
        let lately_places = if room.lately == 0 { 0 } else { room.lately.next_power_of_two() };
        if reserved.is_err() {
            let cause = std::io::Error::other("there is less memory than it was told to use; give a lower limit");
            return Err(Fault::system("making the set in", dir, cause));
        }
        Ok(Spilled {
            disk: Arc::clone(disk),
            dir: dir.to_path_buf(),
            _lock: lock,
            room,
            visited: None,
            runs: Vec::new(),
            candidates,
            lately: vec![K::narrow(0); lately_places],
            serial: 0,
            pushed: 0,
            dropped: 0,
        })
    }

    /// Takes over levels that were found in memory, or by an earlier process: all their keys are seen. Only an empty set
    /// can do this.
    pub fn adopt(&mut self, levels: &[Level<K>]) -> Result<(), Fault> {
        if self.visited.is_some() {
            return Err(Fault::misuse("levels were given to a set that has keys", &self.dir));
        }
        let mut parts = Vec::new();
        let mut merged = Ok(());
        for part in levels.chunks(self.room.feeds_max) {
            let feeds = part.iter().map(|level| Feed::new(Source::Level(level, 0))).collect();
            merged = self.write_union(feeds).map(|run| parts.push(run));
            if merged.is_err() {
                break;
            }
        }
        match merged.and_then(|()| self.reduce(&mut parts, 1)) {
            Ok(()) => self.visited = parts.pop(),
            Err(fault) => {
                self.discard(parts);
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Adds candidates, in any order, known or not. After a fault push the same keys again.
    pub fn push(&mut self, keys: &[K]) -> Result<(), Fault> {
        let places = self.lately.len();
        for &key in keys {
            self.pushed += 1;
            let place = if places == 0 { 0 } else { place_of(key, places) };
            // The key 0 stands for an empty place, so it is never dropped.
            if self.lately.get(place) == Some(&key) && key != K::narrow(0) {
                self.dropped += 1;
                continue;
            }
            if self.candidates.len() >= self.room.candidates_max.max(1) {
                self.spill()?;
            }
            if let Some(lately) = self.lately.get_mut(place) {
                *lately = key;
            }
            self.candidates.push(key);
        }
        Ok(())
    }

    /// Ends a level: of all keys pushed, those not seen before become a level in a file of this name, and are seen from
    /// now on. The file has its name only once it is complete, and lasts through a power failure.
    pub fn end_level(&mut self, path: &Path) -> Result<Level<K>, Fault> {
        self.candidates.par_sort_unstable();
        self.candidates.dedup();
        let mut runs = std::mem::take(&mut self.runs);
        let reduced = self.reduce(&mut runs, self.room.feeds_max - 1);
        self.runs = runs;
        reduced?;
        let (level, whole) = self.compare(path)?;
        // Everything new is complete: from here on nothing can fail.
        if let Some(whole) = whole {
            let old = self.visited.replace(whole);
            self.discard(old.into_iter().collect());
        }
        let runs = std::mem::take(&mut self.runs);
        self.discard(runs);
        self.candidates.clear();
        Ok(level)
    }

    /// Keys seen, those of ended levels only.
    pub fn count(&self) -> u64 {
        self.visited.as_ref().map_or(0, |run| run.written.keys)
    }
    /// Bytes of the files of this set at rest. While a level ends there are for a time the run of all keys seen twice, and
    /// the new level.
    pub fn disk_bytes(&self) -> u64 {
        self.runs.iter().chain(&self.visited).map(|run| run.written.seal.bytes).sum()
    }
    /// Bytes of memory held now; `Room::bytes` are never passed.
    pub fn memory_bytes(&self) -> u64 {
        ((self.candidates.capacity() + self.lately.capacity()) * K::BYTES) as u64
    }
    /// Keys pushed, and how many of them the table of keys lately pushed dropped.
    pub fn pushed(&self) -> (u64, u64) {
        (self.pushed, self.dropped)
    }

    /// Makes place for candidates: by dropping those that are there twice, or else by writing them as a run.
    fn spill(&mut self) -> Result<(), Fault> {
        self.candidates.par_sort_unstable();
        self.candidates.dedup();
        if self.candidates.len() <= self.room.candidates_max / 2 {
            return Ok(());
        }
        let run_path = self.run_path();
        let mut writer = LevelWriter::create(&self.disk, &run_path, self.room.blocks, Index::Dropped)?;
        writer.extend(&self.candidates)?;
        self.runs.push(Run { written: writer.finish(Lasting::Process)?, path: run_path });
        self.candidates.clear();
        Ok(())
    }

    /// The new level, and the run of all keys seen if it is another than before.
    fn compare(&mut self, path: &Path) -> Result<(Level<K>, Option<Run>), Fault> {
        let blocks = self.room.blocks;
        let run_path = self.run_path();
        let portion = blocks * BLOCK_KEYS;
        let known = match &self.visited {
            Some(run) => Source::Streamed(Box::new(LevelReader::open(&run.path, blocks)?)),
            None => Source::Kept(&[], portion),
        };
        let mut feeds = self.feeds(&self.runs)?;
        feeds.push(Feed::new(Source::Kept(&self.candidates, portion)));
        let mut level = LevelWriter::create(&self.disk, path, blocks, Index::Kept)?;
        let mut whole = LevelWriter::create(&self.disk, &run_path, blocks, Index::Dropped)?;
        against(known, feeds, |all, fresh| {
            whole.extend(all)?;
            level.extend(fresh)
        })?;
        if level.is_empty() && self.visited.is_some() {
            return Ok((Level::of_file(path, level.finish(Lasting::Power)?)?, None));
        }
        let whole = Run { written: whole.finish(Lasting::Power)?, path: run_path };
        match level.finish(Lasting::Power).and_then(|written| Level::of_file(path, written)) {
            Ok(level) => Ok((level, Some(whole))),
            Err(fault) => {
                self.discard(vec![whole]);
                Err(fault)
            }
        }
    }

    /// Merges runs until there are at most so many, at least 1. After a fault all keys are still in the runs.
    fn reduce(&mut self, runs: &mut Vec<Run>, most: usize) -> Result<(), Fault> {
        while runs.len() > most {
            let some = (runs.len() - most + 1).min(self.room.feeds_max);
            let merged = self.write_union(self.feeds(&runs[..some])?)?;
            self.discard(runs.drain(..some).collect());
            runs.push(merged);
        }
        Ok(())
    }

    fn feeds<'a>(&self, runs: &[Run]) -> Result<Vec<Feed<'a, K>>, Fault> {
        let open =
            |run: &Run| Ok(Feed::new(Source::Streamed(Box::new(LevelReader::open(&run.path, self.room.blocks)?))));
        runs.iter().map(open).collect()
    }

    fn write_union(&mut self, feeds: Vec<Feed<K>>) -> Result<Run, Fault> {
        let path = self.run_path();
        let mut writer = LevelWriter::create(&self.disk, &path, self.room.blocks, Index::Dropped)?;
        union(feeds, |keys| writer.extend(keys))?;
        Ok(Run { written: writer.finish(Lasting::Process)?, path })
    }

    /// Removes runs. One that the system keeps stays until the directory is used again: it is never read.
    fn discard(&self, runs: Vec<Run>) {
        for run in runs {
            let _ = self.disk.remove(&run.path);
        }
    }

    /// A name that no file of this directory had.
    fn run_path(&mut self) -> PathBuf {
        self.serial += 1;
        self.dir.join(format!("{:08}{SUFFIX}", self.serial))
    }
}

impl<K> Drop for Spilled<K> {
    fn drop(&mut self) {
        for run in self.runs.iter().chain(&self.visited) {
            let _ = self.disk.remove(&run.path);
        }
    }
}

fn place_of<K: Stored>(key: K, places: usize) -> usize {
    let wide = key.widen();
    let mixed = ((wide >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ wide as u64;
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (places - 1)
}
