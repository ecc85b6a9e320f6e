//! A level: the distinct keys of one distance from the start, ascending, in blocks that can be read one by one, in memory
//! or in a file. It never changes once it is there.

use super::block::{BLOCK_KEYS, Stored};
use super::files::{Disk, Draft, Fault, Lasting, Seal};
use super::reader::{HEAD_BYTES, LevelReader, Tail, frame, head};
use super::writer::{Written, encode_blocks};
use std::fs::File;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Blocks that are read together when a file is opened.
const SURVEYED: usize = 64;

/// A level.
#[derive(Debug)]
pub struct Level<K> {
    place: Place,
    /// Where each block ends, counted from the first block's start.
    ends: Vec<u64>,
    keys: u64,
    of: PhantomData<K>,
}

#[derive(Debug)]
enum Place {
    Memory(Vec<u8>),
    File { file: File, path: PathBuf, seal: Seal },
}

impl<K: Stored> Level<K> {
    /// A level in memory, of ascending distinct keys. Its bytes do not depend on the number of threads. Keys out of order
    /// are refused.
    pub fn encode(keys: &[K]) -> Result<Level<K>, Fault> {
        if !keys.is_sorted_by(|a, b| a < b) {
            return Err(Fault::misuse("keys out of order were to be kept", Path::new("memory")));
        }
        let parts = encode_blocks(keys);
        let mut bytes = Vec::with_capacity(parts.iter().map(|(b, _)| b.len()).sum());
        let mut ends = Vec::with_capacity(keys.len().div_ceil(BLOCK_KEYS));
        let mut end = 0;
        for (part, lengths) in parts {
            bytes.extend(part);
            for length in lengths {
                end += length as u64;
                ends.push(end);
            }
        }
        Ok(Level { place: Place::Memory(bytes), ends, keys: keys.len() as u64, of: PhantomData })
    }

    /// A level in a file. Reads all of it once: a file that is not as it was written is refused.
    pub fn open(path: &Path) -> Result<Level<K>, Fault> {
        let (ends, keys, seal) = LevelReader::<K>::open(path, SURVEYED)?.survey()?;
        let file = File::open(path).map_err(|e| Fault::system("opening the level", path, e))?;
        Ok(Level { place: Place::File { file, path: path.to_path_buf(), seal }, ends, keys, of: PhantomData })
    }

    /// The level in a file that this process has just written with its index.
    pub fn of_file(path: &Path, written: Written) -> Result<Level<K>, Fault> {
        if written.keys.div_ceil(BLOCK_KEYS as u64) != written.ends.len() as u64 {
            return Err(Fault::misuse("a level without its index was to be read", path));
        }
        let file = File::open(path).map_err(|e| Fault::system("opening the level", path, e))?;
        let place = Place::File { file, path: path.to_path_buf(), seal: written.seal };
        Ok(Level { place, ends: written.ends, keys: written.keys, of: PhantomData })
    }

    /// Writes a level in memory to a file, which has its name only once it is complete and lasts through a power failure,
    /// and gives the level in that file. A level that is in a file already is read and written again.
    pub fn write(&self, disk: &Arc<dyn Disk>, path: &Path) -> Result<Level<K>, Fault> {
        let mut draft = Draft::create(disk, path)?;
        draft.write(&head::<K>())?;
        match &self.place {
            Place::Memory(bytes) => draft.write(bytes)?,
            Place::File { .. } => {
                for i in 0..self.blocks() {
                    draft.write(&self.block_bytes(i)?)?;
                }
            }
        }
        let tail = Tail { keys: self.keys, blocks: self.ends.len() as u64, xxh3: draft.digest() };
        draft.write(&tail.bytes())?;
        let seal = draft.finish(Lasting::Power)?;
        Level::of_file(path, Written { keys: self.keys, ends: self.ends.clone(), seal })
    }

    /// Keys.
    pub fn len(&self) -> u64 {
        self.keys
    }
    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.keys == 0
    }
    /// Blocks: each of 2048 keys but the last.
    pub fn blocks(&self) -> usize {
        self.ends.len()
    }
    /// Bytes of all blocks, wherever they are.
    pub fn bytes(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }
    /// Bytes held in memory.
    pub fn memory_bytes(&self) -> u64 {
        let blocks = match &self.place {
            Place::Memory(bytes) => bytes.capacity(),
            Place::File { .. } => 0,
        };
        (blocks + self.ends.capacity() * 8) as u64
    }
    /// The file it is in, with its seal.
    pub fn file(&self) -> Option<(&Path, Seal)> {
        match &self.place {
            Place::Memory(_) => None,
            Place::File { path, seal, .. } => Some((path, *seal)),
        }
    }

    /// Replaces the keys by those of one block. There are `blocks()` of them.
    pub fn decode_block(&self, block: usize, keys: &mut Vec<K>) -> Result<(), Fault> {
        let (from, to) = self.range(block)?;
        match &self.place {
            Place::Memory(bytes) => {
                let frame = frame::<K>(&bytes[from as usize..to as usize], self.path())?;
                keys.resize(frame.count, K::narrow(0));
                frame.decode(keys);
            }
            Place::File { path, .. } => {
                let bytes = self.block_bytes(block)?;
                let frame = frame::<K>(&bytes, path)?;
                if !frame.sound() {
                    return Err(Fault::corrupt("a block is no longer what was written", path));
                }
                keys.resize(frame.count, K::narrow(0));
                frame.decode(keys);
            }
        }
        Ok(())
    }

    /// All keys, ascending. After an error nothing more comes.
    pub fn iter(&self) -> Keys<'_, K> {
        Keys { level: self, block: 0, keys: Vec::new(), at: 0 }
    }

    fn path(&self) -> &Path {
        match &self.place {
            Place::Memory(_) => Path::new("memory"),
            Place::File { path, .. } => path,
        }
    }

    /// Where a block begins and ends, counted from the first block's start.
    fn range(&self, block: usize) -> Result<(u64, u64), Fault> {
        let from = if block == 0 { Some(0) } else { self.ends.get(block - 1).copied() };
        let range = from.zip(self.ends.get(block).copied());
        range.ok_or_else(|| Fault::misuse("a block that is not there was asked for", self.path()))
    }

    fn block_bytes(&self, block: usize) -> Result<Vec<u8>, Fault> {
        let (from, to) = self.range(block)?;
        match &self.place {
            Place::Memory(bytes) => Ok(bytes[from as usize..to as usize].to_vec()),
            Place::File { file, path, .. } => {
                let mut bytes = vec![0; (to - from) as usize];
                let read = file.read_exact_at(&mut bytes, HEAD_BYTES as u64 + from);
                read.map_err(|e| Fault::system("reading the level", path, e))?;
                Ok(bytes)
            }
        }
    }
}

/// The keys of a level, one by one.
pub struct Keys<'a, K> {
    level: &'a Level<K>,
    block: usize,
    keys: Vec<K>,
    at: usize,
}

impl<K: Stored> Iterator for Keys<'_, K> {
    type Item = Result<K, Fault>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.keys.len() {
            if self.block == self.level.blocks() {
                return None;
            }
            if let Err(fault) = self.level.decode_block(self.block, &mut self.keys) {
                self.block = self.level.blocks();
                self.at = self.keys.len();
                return Some(Err(fault));
            }
            self.block += 1;
            self.at = 0;
        }
        let key = self.keys.get(self.at).copied()?;
        self.at += 1;
        Some(Ok(key))
    }
}
