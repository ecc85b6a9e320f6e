//! What a search can be taken up from: its levels, and what was counted up to the last of them.

use super::disk::checkpoint::Checkpoint;
use super::disk::files::{Disk, Fault, Lasting, Real};
use super::disk::levels::Level;
use super::disk::writer::{Index, LevelWriter};
use super::key::{Key, Layout};
use std::sync::Arc;

/// Blocks that are written together where a level is coded anew.
const TOGETHER: usize = 32;

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

/// What was counted up to the beginning of a level.
#[derive(Clone, Debug)]
pub struct Tally<K> {
    /// Steps.
    pub steps: u64,
    /// The sum, over all steps, of the number of each one's events.
    pub events: u64,
    /// An outcome went beyond a cap.
    pub cap_met: bool,
    /// The first hit of each bit.
    pub hits: Vec<Hit<K>>,
    /// Steps from each level.
    pub by_level: Vec<u64>,
}

impl<K> Default for Tally<K> {
    fn default() -> Self {
        Tally { steps: 0, events: 0, cap_met: false, hits: Vec::new(), by_level: Vec::new() }
    }
}

/// What a search can be taken up from: every level found, the last of them not expanded yet.
pub struct Kept<K> {
    /// The levels.
    pub levels: Vec<Level<K>>,
    /// What was counted.
    pub tally: Tally<K>,
    /// The folder of the files that levels are in, if it ends with the search.
    pub files: Option<tempfile::TempDir>,
}

impl<K: Key> Kept<K> {
    /// One level: some starts.
    pub fn starts(mut keys: Vec<K>) -> Result<Kept<K>, Fault> {
        keys.sort_unstable();
        keys.dedup();
        Ok(Kept { levels: vec![Level::encode(&keys)?], tally: Tally::default(), files: None })
    }

    /// The same for another layout. The order of keys does not change: it is that of the numbers, the last component first.
    pub fn recode<K2: Key>(
        self,
        old: &Layout,
        new: &Layout,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Kept<K2>, Fault> {
        let mut numbers = vec![0; old.radices.len()];
        let mut again = |key: K| -> K2 {
            old.unpack(key, &mut numbers);
            new.pack(&numbers)
        };
        let mut levels = Vec::with_capacity(self.levels.len());
        let mut keys = Vec::new();
        for (number, level) in self.levels.iter().enumerate() {
            let Some((path, _)) = level.file() else {
                let all = level.iter().map(|k| Ok(again(k?))).collect::<Result<Vec<K2>, Fault>>()?;
                levels.push(Level::encode(&all)?);
                continue;
            };
            let path = match checkpoint {
                Some(checkpoint) => checkpoint.level_path(number as u32),
                None => path.with_extension(format!("{}bits", new.bits())),
            };
            let disk: Arc<dyn Disk> = Arc::new(Real);
            let mut writer = LevelWriter::create(&disk, &path, TOGETHER, Index::Kept)?;
            for block in 0..level.blocks() {
                level.decode_block(block, &mut keys)?;
                let all: Vec<K2> = keys.iter().map(|k| again(*k)).collect();
                writer.extend(&all)?;
            }
            levels.push(Level::of_file(&path, writer.finish(Lasting::Power)?)?);
        }
        let hits = self.tally.hits.iter().map(|h| Hit { bit: h.bit, level: h.level, key: again(h.key) }).collect();
        let Tally { steps, events, cap_met, by_level, .. } = self.tally;
        Ok(Kept { levels, tally: Tally { steps, events, cap_met, hits, by_level }, files: self.files })
    }
}
