//! Writes a level file of any length in constant memory, from keys that come in ascending order.

use super::block::{self, BLOCK_KEYS, Stored};
use super::files::{Disk, Draft, Fault, Lasting, Seal};
use super::reader::{Tail, head};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Blocks that one thread encodes at a time.
const TOGETHER: usize = 8;

/// Whether a writer keeps where each block ends: 8 bytes for each 2048 keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// For a level whose blocks are read one by one.
    Kept,
    /// For a file that is read from its start only.
    Dropped,
}

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Keys.
    pub keys: u64,
    /// Where each block ends, counted from the first block's start; nothing if the index was dropped.
    pub ends: Vec<u64>,
    /// Length and checksum of the whole file.
    pub seal: Seal,
}

/// A level file in the making. It has its name only after `finish`; dropped before, nothing stays of it.
pub struct LevelWriter<K> {
    draft: Draft,
    pending: Vec<K>,
    pending_max: usize,
    last: Option<K>,
    tail: Tail,
    index: Index,
    ends: Vec<u64>,
    end: u64,
}

/// The bytes of keys as blocks, and how many each block has. The same for any number of threads.
pub(crate) fn encode_blocks<K: Stored>(keys: &[K]) -> Vec<(Vec<u8>, Vec<usize>)> {
    let some = |keys: &[K]| {
        let (mut bytes, mut lengths) = (Vec::new(), Vec::new());
        for block in keys.chunks(BLOCK_KEYS) {
            let start = bytes.len();
            block::encode(block, &mut bytes);
            lengths.push(bytes.len() - start);
        }
        (bytes, lengths)
    };
    if keys.len() <= BLOCK_KEYS * TOGETHER {
        return vec![some(keys)];
    }
    keys.par_chunks(BLOCK_KEYS * TOGETHER).map(some).collect()
}

impl<K: Stored> LevelWriter<K> {
    /// Begins a file. `blocks` is how many blocks of keys are held until they are encoded together, at least 1: each
    /// takes `writer_bytes(1)` of memory.
    pub fn create(disk: &Arc<dyn Disk>, path: &Path, blocks: usize, index: Index) -> Result<LevelWriter<K>, Fault> {
        let mut draft = Draft::create(disk, path)?;
        draft.write(&head::<K>())?;
        let pending_max = blocks.max(1) * BLOCK_KEYS;
        let pending = Vec::with_capacity(pending_max);
        let tail = Tail { keys: 0, blocks: 0, xxh3: 0 };
        Ok(LevelWriter { draft, pending, pending_max, last: None, tail, index, ends: Vec::new(), end: 0 })
    }
    /// Whether nothing was appended.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }
    /// Appends one key, greater than all before it.
    pub fn push(&mut self, key: K) -> Result<(), Fault> {
        self.extend(&[key])
    }
    /// Appends keys in ascending order, all greater than those before.
    pub fn extend(&mut self, mut keys: &[K]) -> Result<(), Fault> {
        let ascending = keys.is_sorted_by(|a, b| a < b);
        if !ascending || self.last.zip(keys.first().copied()).is_some_and(|(a, b)| a >= b) {
            return Err(Fault::misuse("keys out of order were to be written", self.draft.path()));
        }
        self.last = keys.last().copied().or(self.last);
        while !keys.is_empty() {
            let (now, later) = keys.split_at(keys.len().min(self.pending_max - self.pending.len()));
            self.pending.extend_from_slice(now);
            keys = later;
            if self.pending.len() == self.pending_max {
                self.flush()?;
            }
        }
        Ok(())
    }
    fn flush(&mut self) -> Result<(), Fault> {
        for (bytes, lengths) in encode_blocks(&self.pending) {
            self.draft.write(&bytes)?;
            self.tail.blocks += lengths.len() as u64;
            for length in lengths {
                self.end += length as u64;
                if self.index == Index::Kept {
                    self.ends.push(self.end);
                }
            }
        }
        self.tail.keys += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }
    /// Completes the file.
    pub fn finish(mut self, lasting: Lasting) -> Result<Written, Fault> {
        self.flush()?;
        self.tail.xxh3 = self.draft.digest();
        self.draft.write(&self.tail.bytes())?;
        let keys = self.tail.keys;
        Ok(Written { keys, ends: self.ends, seal: self.draft.finish(lasting)? })
    }
}

/// The most memory that a writer of so many blocks holds, in bytes.
pub const fn writer_bytes<K: Stored>(blocks: usize) -> usize {
    blocks * (BLOCK_KEYS * K::BYTES + 2 * block::block_bytes_max::<K>())
}
