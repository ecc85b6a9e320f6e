//! The visited set: exact, sharded by hash, without locks. Workers ask frozen shards; each shard is then filled by one
//! worker, in an order that does not depend on how many there are.

use super::key::Key;

/// How many shards: a constant, so that the order of states never depends on the number of threads.
pub const SHARDS: usize = 64;

/// One shard: open addressing over whole keys.
pub struct Shard<K> {
    slots: Vec<K>,
    count: usize,
    /// Keys added since the last level ended.
    pub fresh: Vec<K>,
}

/// All keys seen.
pub struct Visited<K> {
    /// The shards.
    pub shards: Vec<Shard<K>>,
}

impl<K: Key> Shard<K> {
    fn new() -> Shard<K> {
        Shard { slots: vec![K::EMPTY; 64], count: 0, fresh: Vec::new() }
    }
    #[inline(always)]
    fn start(&self, hash: u64) -> usize {
        (hash >> 6) as usize & (self.slots.len() - 1)
    }
    /// The key at the place where one of this hash is looked for first.
    #[inline(always)]
    pub fn first(&self, hash: u64) -> K {
        self.slots[self.start(hash)]
    }
    /// Whether a key is there.
    #[inline(always)]
    pub fn has(&self, key: K, hash: u64) -> bool {
        let mut i = self.start(hash);
        loop {
            let k = self.slots[i];
            if k == key {
                return true;
            }
            if k == K::EMPTY {
                return false;
            }
            i = (i + 1) & (self.slots.len() - 1);
        }
    }
    /// Adds a key; says whether it is new.
    #[inline(always)]
    pub fn add(&mut self, key: K, hash: u64) -> bool {
        let mut i = self.start(hash);
        loop {
            let k = self.slots[i];
            if k == key {
                return false;
            }
            if k == K::EMPTY {
                break;
            }
            i = (i + 1) & (self.slots.len() - 1);
        }
        self.slots[i] = key;
        self.count += 1;
        self.fresh.push(key);
        if self.count * 4 > self.slots.len() * 3 {
            self.grow();
        }
        true
    }
    #[cold]
    fn grow(&mut self) {
        let mut bigger = vec![K::EMPTY; self.slots.len() * 2];
        let mask = bigger.len() - 1;
        for &k in self.slots.iter().filter(|k| **k != K::EMPTY) {
            let mut i = (k.mix() >> 6) as usize & mask;
            while bigger[i] != K::EMPTY {
                i = (i + 1) & mask;
            }
            bigger[i] = k;
        }
        self.slots = bigger;
    }
}

impl<K: Key> Visited<K> {
    /// An empty set.
    pub fn new() -> Visited<K> {
        Visited { shards: (0..SHARDS).map(|_| Shard::new()).collect() }
    }
    /// Which shard a hash belongs to.
    #[inline(always)]
    pub fn shard(hash: u64) -> usize {
        hash as usize % SHARDS
    }
    /// Of some keys those that are not at their first place, with their hashes. Nearly all successors are known, and
    /// nearly all of those stand at their first place; the reads do not wait for each other.
    #[inline(always)]
    pub fn doubtful(&self, keys: &[K], doubtful: &mut Vec<(K, u64)>) {
        doubtful.clear();
        for &key in keys {
            let hash = key.mix();
            if self.shards[Self::shard(hash)].first(hash) != key {
                doubtful.push((key, hash));
            }
        }
    }
    /// Adds a key; says whether it is new.
    #[inline(always)]
    pub fn add(&mut self, key: K) -> bool {
        let hash = key.mix();
        self.shards[Self::shard(hash)].add(key, hash)
    }
    /// How many keys.
    pub fn count(&self) -> u64 {
        self.shards.iter().map(|s| s.count as u64).sum()
    }
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let places: usize = self.shards.iter().map(|s| s.slots.capacity() + s.fresh.capacity()).sum();
        (places * std::mem::size_of::<K>()) as u64
    }
    /// The keys added since the last time, in shard order.
    pub fn take_fresh(&mut self) -> Vec<K> {
        let total = self.shards.iter().map(|s| s.fresh.len()).sum();
        let mut all = Vec::with_capacity(total);
        for s in &mut self.shards {
            all.append(&mut s.fresh);
            s.fresh = Vec::new();
        }
        all
    }
}

impl<K: Key> Default for Visited<K> {
    fn default() -> Self {
        Visited::new()
    }
}
