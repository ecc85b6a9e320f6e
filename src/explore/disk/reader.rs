//! Reads a level file from its start to its end in constant memory, and notices whatever in it is not as it was written.
//!
//! ```text
//! magic 8 bytes | format u16 | bytes of a key u16 | keys of a block u32      the head
//! blocks
//! magic 8 bytes | keys u64 | blocks u64 | XXH3 of all before the tail        the tail
//! ```

use super::block::{BLOCK_KEYS, Frame, Framed, Stored, block_bytes_max, number};
use super::files::{Fault, Seal};
use rayon::prelude::*;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The version of the format. Another version is refused.
pub const FORMAT: u16 = 1;
/// Bytes before the blocks.
pub const HEAD_BYTES: usize = 16;
/// Bytes after the blocks.
pub const TAIL_BYTES: usize = 32;
const HEAD_MAGIC: [u8; 8] = *b"fdlevel\n";
const TAIL_MAGIC: [u8; 8] = *b"fdend\n\0\n";
/// Fewer blocks than this are decoded by one thread.
const SHARED_MIN: usize = 8;

/// The head of a file of these keys.
pub(crate) fn head<K: Stored>() -> Vec<u8> {
    let mut head = HEAD_MAGIC.to_vec();
    head.extend(FORMAT.to_le_bytes());
    head.extend((K::BYTES as u16).to_le_bytes());
    head.extend((BLOCK_KEYS as u32).to_le_bytes());
    head
}

/// The tail of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tail {
    pub keys: u64,
    pub blocks: u64,
    pub xxh3: u64,
}

impl Tail {
    pub fn bytes(&self) -> Vec<u8> {
        let mut tail = TAIL_MAGIC.to_vec();
        for field in [self.keys, self.blocks, self.xxh3] {
            tail.extend(field.to_le_bytes());
        }
        tail
    }
}

/// A level file that is being read from its start.
pub struct LevelReader<K> {
    file: File,
    path: PathBuf,
    tail: Tail,
    /// Bytes read and not yet used are `raw[used..]`.
    raw: Vec<u8>,
    used: usize,
    raw_max: usize,
    /// Bytes of blocks that are still to be read from the file.
    left: u64,
    blocks_max: usize,
    hash: Xxh3,
    seen: Tail,
    last: Option<K>,
    /// For the iterator.
    keys: Vec<K>,
    at: usize,
    ended: bool,
}

impl<K: Stored> LevelReader<K> {
    /// Opens a file and looks at its head and tail. `blocks` is how many blocks are read and decoded together, at least 1:
    /// each takes `reader_bytes(1)` of memory.
    pub fn open(path: &Path, blocks: usize) -> Result<LevelReader<K>, Fault> {
        let fault = |cause| Fault::system("opening the level", path, cause);
        let file = File::open(path).map_err(fault)?;
        let length = file.metadata().map_err(fault)?.len();
        let Some(left) = length.checked_sub((HEAD_BYTES + TAIL_BYTES) as u64) else {
            return Err(Fault::corrupt("a level is cut short", path));
        };
        let mut start = [0; HEAD_BYTES];
        let mut end = [0; TAIL_BYTES];
        file.read_exact_at(&mut end, length - TAIL_BYTES as u64).map_err(fault)?;
        (&file).read_exact(&mut start).map_err(fault)?;
        if start[..8] != HEAD_MAGIC {
            return Err(Fault::corrupt("something that is no level stands", path));
        }
        if number(&start, 8, 2) != u128::from(FORMAT) {
            return Err(Fault::corrupt("a level of another version's format stands", path));
        }
        if start != head::<K>()[..] {
            return Err(Fault::corrupt("a level of keys of another width stands", path));
        }
        if end[..8] != TAIL_MAGIC {
            return Err(Fault::corrupt("a level is cut short", path));
        }
        let [keys, blocks_told, xxh3] = [8, 16, 24].map(|at| number(&end, at, 8) as u64);
        let mut hash = Xxh3::new();
        hash.update(&start);
        let blocks_max = blocks.max(1);
        Ok(LevelReader {
            file,
            path: path.to_path_buf(),
            tail: Tail { keys, blocks: blocks_told, xxh3 },
            raw: Vec::new(),
            used: 0,
            raw_max: blocks_max * block_bytes_max::<K>(),
            left,
            blocks_max,
            hash,
            seen: Tail { keys: 0, blocks: 0, xxh3: 0 },
            last: None,
            keys: Vec::new(),
            at: 0,
            ended: false,
        })
    }

    /// Keys in the file, as its tail says.
    pub fn len(&self) -> u64 {
        self.tail.keys
    }
    /// Whether it holds no key, as its tail says.
    pub fn is_empty(&self) -> bool {
        self.tail.keys == 0
    }

    /// Replaces the keys by those of the next blocks; by none at the end, and then everything was as it was written.
    pub fn next_keys(&mut self, keys: &mut Vec<K>) -> Result<(), Fault> {
        keys.clear();
        let ranges = self.next_ranges()?;
        let mut frames = Vec::with_capacity(ranges.len());
        for range in ranges {
            frames.push(frame::<K>(&self.raw[range], &self.path)?);
        }
        keys.resize(frames.iter().map(|f| f.count).sum(), K::narrow(0));
        let mut jobs = Vec::with_capacity(frames.len());
        let mut rest = keys.as_mut_slice();
        for frame in frames {
            let (place, later) = rest.split_at_mut(frame.count);
            jobs.push((frame, place));
            rest = later;
        }
        let read = |(frame, place): &mut (Frame<K>, &mut [K])| {
            frame.decode(place);
            frame.sound()
        };
        let sound = match jobs.len() < SHARED_MIN {
            true => jobs.iter_mut().all(read),
            false => jobs.par_iter_mut().with_min_len(SHARED_MIN / 2).all(read),
        };
        if !sound {
            return Err(Fault::corrupt("a block is not what was written", &self.path));
        }
        if self.last.zip(keys.first().copied()).is_some_and(|(a, b)| a >= b) {
            return Err(Fault::corrupt("keys are out of order", &self.path));
        }
        self.last = keys.last().copied().or(self.last);
        Ok(())
    }

    /// Reads to the end without decoding. Gives where each block ends, counted from the first block's start, and the
    /// seal of the whole file.
    pub(crate) fn survey(mut self) -> Result<(Vec<u64>, u64, Seal), Fault> {
        let mut ends = Vec::new();
        let mut end = 0;
        loop {
            let ranges = self.next_ranges()?;
            if ranges.is_empty() {
                break;
            }
            let sound = ranges
                .par_iter()
                .with_min_len(SHARED_MIN)
                .all(|r| matches!(Frame::<K>::find(&self.raw[r.clone()]), Framed::Whole(frame) if frame.sound()));
            if !sound {
                return Err(Fault::corrupt("a block is not what was written", &self.path));
            }
            for range in ranges {
                end += range.len() as u64;
                ends.push(end);
            }
        }
        self.hash.update(&self.tail.bytes());
        let bytes = end + (HEAD_BYTES + TAIL_BYTES) as u64;
        Ok((ends, self.tail.keys, Seal { bytes, xxh3: self.hash.digest() }))
    }

    /// Where the next blocks stand in `raw`; nowhere at the end.
    fn next_ranges(&mut self) -> Result<Vec<Range<usize>>, Fault> {
        let mut ranges = Vec::new();
        loop {
            while ranges.len() < self.blocks_max && self.used < self.raw.len() {
                match Frame::<K>::find(&self.raw[self.used..]) {
                    Framed::Short => break,
                    Framed::Flawed(what) => return Err(Fault::corrupt(what, &self.path)),
                    Framed::Whole(frame) => {
                        ranges.push(self.used..self.used + frame.bytes);
                        self.used += frame.bytes;
                        self.seen.keys += frame.count as u64;
                        self.seen.blocks += 1;
                    }
                }
            }
            if !ranges.is_empty() {
                return Ok(ranges);
            }
            if self.left == 0 {
                self.end()?;
                return Ok(ranges);
            }
            self.refill()?;
        }
    }

    /// Moves what is unused to the front and fills up from the file.
    fn refill(&mut self) -> Result<(), Fault> {
        self.raw.drain(..self.used);
        self.used = 0;
        let before = self.raw.len();
        let more = ((self.raw_max - before) as u64).min(self.left);
        self.raw.resize(before + more as usize, 0);
        let fresh = &mut self.raw[before..];
        match self.file.read_exact(fresh) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
                return Err(Fault::corrupt("a level is cut short", &self.path));
            }
            Err(e) => return Err(Fault::system("reading the level", &self.path, e)),
        }
        self.hash.update(fresh);
        self.left -= more;
        Ok(())
    }

    /// Compares what was read with what the tail says.
    fn end(&mut self) -> Result<(), Fault> {
        self.seen.xxh3 = self.hash.digest();
        if self.used != self.raw.len() || self.seen != self.tail {
            return Err(Fault::corrupt("a level is not what was written", &self.path));
        }
        Ok(())
    }
}

/// Keys one by one. After an error nothing more comes.
impl<K: Stored> Iterator for LevelReader<K> {
    type Item = Result<K, Fault>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.keys.len() {
            if self.ended {
                return None;
            }
            let mut keys = std::mem::take(&mut self.keys);
            let read = self.next_keys(&mut keys);
            self.ended = read.is_err() || keys.is_empty();
            self.at = 0;
            if let Err(fault) = read {
                return Some(Err(fault));
            }
            self.keys = keys;
        }
        let key = self.keys.get(self.at).copied()?;
        self.at += 1;
        Some(Ok(key))
    }
}

/// The block that some bytes are.
pub(crate) fn frame<'a, K: Stored>(bytes: &'a [u8], path: &Path) -> Result<Frame<'a, K>, Fault> {
    match Frame::find(bytes) {
        Framed::Whole(frame) => Ok(frame),
        Framed::Short => Err(Fault::corrupt("a block is cut short", path)),
        Framed::Flawed(what) => Err(Fault::corrupt(what, path)),
    }
}

/// The most memory that a reader of so many blocks holds, in bytes, the keys that it gives included.
pub const fn reader_bytes<K: Stored>(blocks: usize) -> usize {
    blocks * (BLOCK_KEYS * K::BYTES + block_bytes_max::<K>() + 128)
}
