//! What a search asks of a visited set, so that it can be run with either of two.

pub mod bucket;
pub mod flat;
pub mod mix;
pub mod visited;

pub use mix::{Image, SHARDS};

use super::key::Word;

/// One shard of a store, filled by one worker at a time.
pub trait Fill<K>: Send + Sync {
    /// Adds the key of an image; says whether it is new. The image belongs to this shard.
    fn add(&mut self, image: K) -> bool;
    /// Whether the key of an image is there. The image belongs to this shard.
    fn has(&self, image: K) -> bool;
}

/// A set of keys below 2^B, in 64 shards. Many threads may ask it while none fills it; then each shard may be filled by
/// another worker.
pub trait Store<K: Word>: Sized + Send + Sync {
    /// A shard.
    type Shard: Fill<K>;
    /// An empty set of keys below 2^`bits`; `bits` is at most `K::BITS`.
    fn new(bits: u32) -> Self;
    /// B.
    fn bits(&self) -> u32;
    /// What stands for a key inside this store.
    fn image(&self, key: K) -> K;
    /// The number of the shard that an image belongs to.
    fn shard_of(image: K) -> usize;
    /// The shards.
    fn shards(&self) -> &[Self::Shard];
    /// The shards, to be filled.
    fn shards_mut(&mut self) -> &mut [Self::Shard];
    /// Of some keys those that may not be there, with their images, in order, each as often as it was given: all that are not, and
    /// the few that stand aside, for which [`Fill::has`] is to be asked. What was in `out` is dropped. The reads of the table
    /// do not wait for each other; a few hundred keys at a time are best.
    fn doubtful(&self, keys: &[K], out: &mut Vec<(K, K)>);
    /// The keys added since the last time, in shard order, and in each shard in the order in which they came.
    fn take_fresh(&mut self) -> Vec<K>;
    /// How many keys.
    fn count(&self) -> u64;
    /// Bytes held in tables.
    fn table_bytes(&self) -> u64;
    /// Bytes held: tables and lists of fresh keys.
    fn bytes(&self) -> u64;
    /// Slots, filled or not, without those of side tables.
    fn slots(&self) -> u64;
    /// Keys in side tables.
    fn overflow(&self) -> u64;
    /// Tells all keys. The order depends on the store; see there.
    fn for_each(&self, tell: impl FnMut(K));
    /// Filled slots by all slots; 0 to 1.
    fn load(&self) -> f64 {
        (self.count() - self.overflow()) as f64 / self.slots().max(1) as f64
    }
    /// Adds a key; says whether it is new.
    #[inline(always)]
    fn add(&mut self, key: K) -> bool {
        let image = self.image(key);
        self.shards_mut()[Self::shard_of(image)].add(image)
    }
    /// Whether a key is there.
    #[inline(always)]
    fn has(&self, key: K) -> bool {
        let image = self.image(key);
        self.shards()[Self::shard_of(image)].has(image)
    }
}
