//! The plain visited set: open addressing over whole keys. It is the one to compare the other with, and it shares neither
//! the bijection nor the buckets. Its table is also the side table of a shard of the other.

use super::mix::SHARDS;
use super::{Fill, Store};
use crate::explore::key::Word;

/// Open addressing over whole numbers, none of which is `K::EMPTY`.
pub struct Open<K> {
    /// None, or a power of two.
    slots: Vec<K>,
    count: usize,
}

impl<K: Word> Open<K> {
    /// An empty table, which holds no memory.
    pub fn new() -> Open<K> {
        Open { slots: Vec::new(), count: 0 }
    }
    /// Where a number is looked for first. The lower bits of its hash choose the shard.
    #[inline(always)]
    fn start(slots: &[K], key: K) -> usize {
        (key.mix() >> 6) as usize & (slots.len() - 1)
    }
    /// The place of a number, or the empty one where it would stand; `slots` is not empty and has an empty place.
    #[inline(always)]
    fn seek(slots: &[K], key: K) -> usize {
        let mut i = Self::start(slots, key);
        while slots[i] != key && slots[i] != K::EMPTY {
            i = (i + 1) & (slots.len() - 1);
        }
        i
    }
    /// Whether a number stands at the place where it is looked for first.
    #[inline(always)]
    fn leads(&self, key: K) -> bool {
        !self.slots.is_empty() && self.slots[Self::start(&self.slots, key)] == key
    }
    /// Whether a number is there.
    #[inline(always)]
    pub fn has(&self, key: K) -> bool {
        !self.slots.is_empty() && self.slots[Self::seek(&self.slots, key)] == key
    }
    /// Adds a number; says whether it is new.
    #[inline(always)]
    pub fn add(&mut self, key: K) -> bool {
        if (self.count + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let i = Self::seek(&self.slots, key);
        if self.slots[i] == key {
            return false;
        }
        self.slots[i] = key;
        self.count += 1;
        true
    }
    #[cold]
    fn grow(&mut self) {
        let mut bigger = vec![K::EMPTY; (self.slots.len() * 2).max(4)];
        for key in self.iter() {
            let i = Self::seek(&bigger, key);
            bigger[i] = key;
        }
        self.slots = bigger;
    }
    /// All numbers, in no order.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        self.slots.iter().copied().filter(|k| *k != K::EMPTY)
    }
    /// How many.
    pub fn count(&self) -> u64 {
        self.count as u64
    }
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.slots.capacity() * size_of::<K>()) as u64
    }
}

impl<K: Word> Default for Open<K> {
    fn default() -> Self {
        Open::new()
    }
}

/// One shard.
pub struct FlatShard<K> {
    table: Open<K>,
    fresh: Vec<K>,
}

impl<K: Word> Fill<K> for FlatShard<K> {
    #[inline(always)]
    fn add(&mut self, image: K) -> bool {
        let new = self.table.add(image);
        if new {
            self.fresh.push(image);
        }
        new
    }
    #[inline(always)]
    fn has(&self, image: K) -> bool {
        self.table.has(image)
    }
}

/// All keys seen, each whole. A key is its own image; `for_each` tells them in no order.
pub struct Flat<K> {
    bits: u32,
    shards: Vec<FlatShard<K>>,
}

impl<K: Word> Store<K> for Flat<K> {
    type Shard = FlatShard<K>;
    fn new(bits: u32) -> Self {
        let shards = (0..SHARDS).map(|_| FlatShard { table: Open::new(), fresh: Vec::new() }).collect();
        Flat { bits: bits.min(K::BITS), shards }
    }
    fn bits(&self) -> u32 {
        self.bits
    }
    #[inline(always)]
    fn image(&self, key: K) -> K {
        key
    }
    #[inline(always)]
    fn shard_of(image: K) -> usize {
        image.mix() as usize % SHARDS
    }
    #[inline(always)]
    fn shards(&self) -> &[FlatShard<K>] {
        &self.shards
    }
    #[inline(always)]
    fn shards_mut(&mut self) -> &mut [FlatShard<K>] {
        &mut self.shards
    }
    fn doubtful(&self, keys: &[K], out: &mut Vec<(K, K)>) {
        out.clear();
        out.resize(keys.len(), (K::EMPTY, K::EMPTY));
        // Nearly all keys are there, and most of them stand where they are looked for first.
        let mut doubtful = 0;
        for &key in keys {
            out[doubtful] = (key, key);
            doubtful += usize::from(!self.shards[Self::shard_of(key)].table.leads(key));
        }
        out.truncate(doubtful);
        out.retain(|(key, _)| !self.shards[Self::shard_of(*key)].has(*key));
    }
    fn take_fresh(&mut self) -> Vec<K> {
        let lists: Vec<Vec<K>> = self.shards.iter_mut().map(|s| std::mem::take(&mut s.fresh)).collect();
        lists.concat()
    }
    fn count(&self) -> u64 {
        self.shards.iter().map(|s| s.table.count()).sum()
    }
    fn table_bytes(&self) -> u64 {
        self.shards.iter().map(|s| s.table.bytes()).sum()
    }
    fn bytes(&self) -> u64 {
        let fresh: usize = self.shards.iter().map(|s| s.fresh.capacity() * size_of::<K>()).sum();
        self.table_bytes() + fresh as u64
    }
    fn slots(&self) -> u64 {
        self.shards.iter().map(|s| s.table.slots.len() as u64).sum()
    }
    fn overflow(&self) -> u64 {
        0
    }
    fn for_each(&self, tell: impl FnMut(K)) {
        self.shards.iter().flat_map(|s| s.table.iter()).for_each(tell);
    }
}
