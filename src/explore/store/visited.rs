//! The visited set: exact, although it stores only a part of each key. Where a key stands says the rest. It knows nothing
//! of states or searches.
//!
//! A key becomes an image (see `mix`). The image chooses a shard, then a bucket; the bucket keeps what is left of it.
//!
//! Let u be the head's bits, x < 2^u the head and n the buckets, with t = floor(log2 n). The product x * n is written
//! b * 2^u + r with r < 2^u. Then b < n is the bucket, and the bucket keeps floor(r / 2^t), u - t bits of it.
//!
//! Nothing is lost: the heads of one bucket are consecutive numbers, so their r differ by multiples of n >= 2^t, and no
//! two of them have the same floor(r / 2^t). And x is found again: with q = floor(r / 2^t) the product is in
//! b * 2^u + q * 2^t + (0..2^t), at most one multiple of n is there, and one is, so x = ceil((b * 2^u + q * 2^t) / n).
//!
//! Buckets are in the order of images for any n, so that a shard grows by one walk through the old table and the new one.

use super::bucket::{self, Bucket, Width, with_bucket};
use super::flat::Open;
use super::mix::{Image, Mix, SHARDS};
use super::{Fill, Store};

/// When and by how much a shard grows.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// Keys for which a new shard has room.
    pub first: u64,
    /// Keys for which there shall be room in a shard that has no more room for its keys: more than those.
    pub next: fn(u64) -> u64,
    /// The same, taken instead where [`Growth::bytes_max`] would be exceeded.
    pub tight: fn(u64) -> u64,
    /// By the bits of all keys: bytes a key that a shard that has just grown may take, if it can.
    pub bytes_max: fn(u32) -> u64,
    /// Of buckets with so many slots: keys by slots, in percent, beyond which a shard grows; more than 0.
    pub load_max: fn(u64) -> u64,
}

impl Default for Growth {
    fn default() -> Self {
        Growth {
            first: 1,
            // Growing costs time, and unused room costs memory, of which much is at stake only in large sets.
            next: |keys| keys + if keys < 1 << 16 { keys / 3 } else { keys / 10 } + 4,
            tight: |keys| keys + keys / 10 + 4,
            bytes_max: |bits| match bits {
                ..56 => 7,
                56..65 => 10,
                65.. => 20,
            },
            load_max: |slots| match slots {
                32.. => 91,
                20.. => 87,
                16.. => 82,
                12.. => 79,
                _ => 75,
            },
        }
    }
}

/// Bytes, all zero in the beginning, that start where a cache line starts.
struct Room {
    bytes: Vec<u8>,
    /// Where they start; below 64.
    start: usize,
}

impl Room {
    fn new(len: usize) -> Room {
        let bytes = vec![0; len + 63];
        // An alignment that cannot be told would only be slower.
        let start = bytes.as_ptr().align_offset(64).min(63);
        Room { bytes, start }
    }
    #[inline(always)]
    fn buckets<const N: usize>(&self) -> &[[u8; N]] {
        self.bytes[self.start..].as_chunks().0
    }
    #[inline(always)]
    fn buckets_mut<const N: usize>(&mut self) -> &mut [[u8; N]] {
        self.bytes[self.start..].as_chunks_mut().0
    }
}

/// The bucket of an image among `buckets`, and what the bucket keeps of it.
#[inline(always)]
fn place<K: Image>(image: K, buckets: u64, shift: u32, tail_bits: u32) -> (usize, K) {
    let product = u128::from(image.head()) * u128::from(buckets);
    ((product >> 64) as usize, image.tag((product as u64).wrapping_shr(shift), tail_bits))
}

/// The size of a table.
struct Plan {
    bytes: u64,
    width: Width,
    /// At least 1.
    buckets: u64,
    keys_max: u64,
}

impl Plan {
    /// The smallest table for so many keys.
    fn new(mix: &Mix, keys: u64, growth: &Growth) -> Plan {
        // More buckets than half the heads are never wanted, and t < u is.
        let buckets_most = 1u64 << (mix.head_bits() - 1).min(40);
        let plan = |width: Width| {
            let load = (growth.load_max)(width.slots()).max(1);
            let needed = (keys * 100).div_ceil(width.slots() * load).clamp(1, buckets_most);
            // What a bucket keeps, w - t bits with w = u and the tail's bits, has to fit a slot.
            let t = mix.below().saturating_sub(width.bits());
            let buckets = needed.max(if t < 63 { 1 << t } else { u64::MAX });
            let keys_max = (buckets.saturating_mul(width.slots() * load) / 100).max(keys);
            Plan { bytes: buckets.saturating_mul(width.bytes()), width, buckets, keys_max }
        };
        // What is left of any image fits the widest slot. Other things equal, narrow slots are better: there are more.
        let mut best = plan(Width::Sixteen);
        for width in Width::ALL {
            let other = plan(width);
            if other.buckets <= buckets_most && other.bytes < best.bytes {
                best = other;
            }
        }
        best
    }
}

/// What came of putting an image into its bucket.
enum Put {
    /// It was there.
    Known,
    /// Now it is there.
    New,
    /// It is not there, and there is no slot for it.
    NoSlot,
}

/// The buckets of a shard.
struct Table {
    room: Room,
    /// n, at least 1.
    buckets: u64,
    /// How far the remainder of the product, which stands at the upper end of 64 bits, is shifted down; below 64.
    shift: u32,
    tail_bits: u32,
    width: Width,
    /// Keys for which there is room.
    keys_max: u64,
}

impl Table {
    /// An empty table.
    fn new(mix: &Mix, plan: Plan) -> Table {
        Table {
            room: Room::new(plan.bytes as usize),
            buckets: plan.buckets,
            shift: plan.buckets.ilog2() + 64 - mix.head_bits(),
            tail_bits: mix.tail_bits(),
            width: plan.width,
            keys_max: plan.keys_max,
        }
    }
    fn bytes(&self) -> u64 {
        self.room.bytes.capacity() as u64
    }
    /// The bucket of an image, and what the bucket keeps of it.
    #[inline(always)]
    fn place<K: Image>(&self, image: K) -> (usize, K) {
        place(image, self.buckets, self.shift, self.tail_bits)
    }
    /// Whether a bucket keeps an image.
    #[inline(always)]
    fn holds<K: Image>(&self, image: K) -> bool {
        let (bucket, tag) = self.place(image);
        with_bucket!(self.width, |B, N| B::holds(&self.room.buckets::<N>()[bucket], tag))
    }
    /// Whether an image that its bucket does not keep may be in the side table.
    #[inline(always)]
    fn full<K: Image>(&self, image: K) -> bool {
        let (bucket, tag) = self.place(image);
        with_bucket!(self.width, |B, N| {
            let bytes = &self.room.buckets::<N>()[bucket];
            <B as Bucket<N>>::full(bytes) | B::void(tag)
        })
    }
    /// Puts an image into its bucket.
    #[inline(always)]
    fn put<K: Image>(&mut self, image: K) -> Put {
        let (bucket, tag) = self.place(image);
        with_bucket!(self.width, |B, N| {
            let bytes = &mut self.room.buckets_mut::<N>()[bucket];
            if B::holds(bytes, tag) {
                return Put::Known;
            }
            let slot = B::filled(bytes);
            if slot == <B as Bucket<N>>::SLOTS || B::void(tag) {
                return Put::NoSlot;
            }
            B::set(bytes, slot, tag);
            Put::New
        })
    }
    /// Tells the images in all buckets, bucket by bucket.
    fn walk<K: Image>(&self, mix: &Mix, shard: usize, mut tell: impl FnMut(u64, K)) {
        let (n, head_bits) = (self.buckets, mix.head_bits());
        let per = 1u128 << head_bits;
        // Division by n is multiplication by 2^64 / n, which gives the quotient or one less.
        let reciprocal = u64::MAX / n;
        // The quotient and the remainder of b * 2^u by n, from bucket to bucket.
        let (step, step_rest) = ((per / u128::from(n)) as u64, (per % u128::from(n)) as u64);
        let (mut first, mut rest) = (0u64, 0u64);
        with_bucket!(self.width, |B, N| {
            for (b, bytes) in (0..n).zip(self.room.buckets::<N>()) {
                for slot in 0..B::filled(bytes) {
                    let (above, tail) = B::get::<K>(bytes, slot).untag(self.tail_bits);
                    let kept = above << (self.shift - (64 - head_bits));
                    let quotient = ((u128::from(kept) * u128::from(reciprocal)) >> 64) as u64;
                    // `rest + kept` by n, rounded up; the sum itself may not fit 64 bits.
                    let over = kept - quotient * n + rest;
                    let head = first + quotient + u64::from(over > 0) + u64::from(over > n) + u64::from(over > 2 * n);
                    tell(b, K::join(shard, head << (64 - head_bits), tail));
                }
                first = first.wrapping_add(step);
                rest += step_rest;
                if rest >= n {
                    rest -= n;
                    first = first.wrapping_add(1);
                }
            }
        });
    }
    /// Puts all of another table's images, and some more, into this one, which is empty; returns those without a slot.
    fn take<K: Image>(&mut self, other: &Table, more: &Open<K>, mix: &Mix, shard: usize) -> Open<K> {
        let mut side = Open::new();
        // Counted beside the buckets: one that was just written is slow to be read as a whole.
        let mut filled = vec![0u8; self.buckets as usize];
        with_bucket!(self.width, |B, N| {
            let mut put = |image| {
                let (bucket, tag) = self.place(image);
                let slot = usize::from(filled[bucket]);
                if slot < <B as Bucket<N>>::SLOTS && !B::void(tag) {
                    B::set(&mut self.room.buckets_mut::<N>()[bucket], slot, tag);
                    filled[bucket] += 1;
                } else {
                    side.add(image);
                }
            };
            other.walk(mix, shard, |_, image| put(image));
            more.iter().for_each(put);
        });
        side
    }
}

/// One shard.
pub struct Shard<K> {
    table: Table,
    /// Images that found no slot.
    side: Open<K>,
    count: u64,
    /// Images added since the last time.
    fresh: Vec<K>,
    mix: Mix,
    number: usize,
    growth: Growth,
}

impl<K: Image> Shard<K> {
    fn new(mix: Mix, number: usize, growth: Growth) -> Shard<K> {
        let table = Table::new(&mix, Plan::new(&mix, growth.first, &growth));
        Shard { table, side: Open::new(), count: 0, fresh: Vec::new(), mix, number, growth }
    }
    /// Whether the side table holds an image that its bucket does not.
    #[inline(always)]
    fn aside(&self, image: K) -> bool {
        self.side.count() > 0 && self.table.full(image) && self.side.has(image)
    }
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let next = |keys: fn(u64) -> u64| Plan::new(&self.mix, keys(self.count).max(self.count + 1), &self.growth);
        let mut plan = next(self.growth.next);
        if plan.bytes > self.count.saturating_mul((self.growth.bytes_max)(self.mix.bits())) {
            plan = next(self.growth.tight);
        }
        let mut table = Table::new(&self.mix, plan);
        self.side = table.take(&self.table, &self.side, &self.mix, self.number);
        self.table = table;
    }
    /// Tells all images in order.
    fn for_each(&self, mut tell: impl FnMut(K)) {
        let mut side: Vec<K> = self.side.iter().collect();
        side.sort_unstable();
        let mut side = side.into_iter().peekable();
        let (mut bucket, mut images) = (0, Vec::new());
        let mut end = |bucket: u64, images: &mut Vec<K>| {
            while let Some(image) = side.next_if(|i| self.table.place(*i).0 as u64 <= bucket) {
                images.push(image);
            }
            images.sort_unstable();
            images.drain(..).for_each(&mut tell);
        };
        self.table.walk(&self.mix, self.number, |b, image| {
            if b != bucket {
                end(bucket, &mut images);
                bucket = b;
            }
            images.push(image);
        });
        end(bucket, &mut images);
        end(u64::MAX, &mut images);
    }
}

impl<K: Image> Fill<K> for Shard<K> {
    #[inline(always)]
    fn add(&mut self, image: K) -> bool {
        if self.count >= self.table.keys_max {
            if self.has(image) {
                return false;
            }
            self.grow();
        }
        match self.table.put(image) {
            Put::Known => return false,
            Put::New => {}
            Put::NoSlot if !self.side.add(image) => return false,
            Put::NoSlot => {}
        }
        self.count += 1;
        self.fresh.push(image);
        true
    }
    #[inline(always)]
    fn has(&self, image: K) -> bool {
        self.table.holds(image) || self.aside(image)
    }
}

/// All keys seen. `for_each` tells them in the order of their images, whatever the order in which they came.
pub struct Visited<K> {
    mix: Mix,
    shards: Vec<Shard<K>>,
}

impl<K: Image> Visited<K> {
    /// An empty set of keys below 2^`bits`, which grows in another way than usual.
    pub fn with_growth(bits: u32, growth: Growth) -> Self {
        debug_assert!(bits <= K::BITS, "keys are too wide");
        let mix = Mix::new::<K>(bits);
        Visited { mix, shards: (0..SHARDS).map(|number| Shard::new(mix, number, growth)).collect() }
    }
    /// The widths of slots in use.
    pub fn widths(&self) -> impl Iterator<Item = Width> + '_ {
        self.shards.iter().map(|s| s.table.width)
    }
    /// Puts onto `out` each key that its bucket does not keep, all shards having the same width.
    #[inline(always)]
    fn sift<B: Bucket<N>, const N: usize>(&self, keys: &[K], out: &mut Vec<(K, K)>) {
        let tables: [(&[[u8; N]], u32); SHARDS] = std::array::from_fn(|shard| {
            let table = &self.shards[shard].table;
            (table.room.buckets::<N>(), table.shift)
        });
        let tail_bits = self.mix.tail_bits();
        out.extend(keys.iter().map(|key| (*key, key.image(&self.mix))));
        // All buckets are touched before any is looked at: so little is done between two reads that many are under way.
        let mut touched = 0;
        for (_, image) in out.iter() {
            let buckets = tables[image.shard()].0;
            let bucket = &buckets[place(*image, buckets.len() as u64, 0, tail_bits).0];
            for line in bucket.as_chunks::<64>().0 {
                touched |= line[0];
            }
        }
        std::hint::black_box(touched);
        // No branch depends on what a bucket holds.
        let mut doubtful = 0;
        for i in 0..out.len() {
            let (key, image) = out[i];
            let (buckets, shift) = tables[image.shard()];
            let (bucket, tag) = place(image, buckets.len() as u64, shift, tail_bits);
            out[doubtful] = (key, image);
            doubtful += usize::from(!B::holds(&buckets[bucket], tag));
        }
        out.truncate(doubtful);
    }
}

impl<K: Image> Store<K> for Visited<K> {
    type Shard = Shard<K>;
    fn new(bits: u32) -> Self {
        Self::with_growth(bits, Growth::default())
    }
    fn bits(&self) -> u32 {
        self.mix.bits()
    }
    #[inline(always)]
    fn image(&self, key: K) -> K {
        key.image(&self.mix)
    }
    #[inline(always)]
    fn shard_of(image: K) -> usize {
        image.shard()
    }
    #[inline(always)]
    fn shards(&self) -> &[Shard<K>] {
        &self.shards
    }
    #[inline(always)]
    fn shards_mut(&mut self) -> &mut [Shard<K>] {
        &mut self.shards
    }
    fn doubtful(&self, keys: &[K], out: &mut Vec<(K, K)>) {
        out.clear();
        let width = self.shards[0].table.width;
        if keys.len() >= SHARDS && self.shards.iter().all(|s| s.table.width == width) {
            with_bucket!(width, |B, N| self.sift::<B, N>(keys, out));
        } else {
            // Few keys, or shards of which some have just changed their width.
            out.extend(keys.iter().map(|key| (*key, key.image(&self.mix))));
            out.retain(|(_, image)| !self.shards[image.shard()].has(*image));
        }
    }
    fn take_fresh(&mut self) -> Vec<K> {
        let mut keys = Vec::with_capacity(self.shards.iter().map(|s| s.fresh.len()).sum());
        for shard in &mut self.shards {
            // The next level is about as large; room for many more is given back.
            let room = 2 * shard.fresh.len();
            keys.extend(shard.fresh.drain(..).map(|image| image.key(&self.mix)));
            shard.fresh.shrink_to(room);
        }
        keys
    }
    fn count(&self) -> u64 {
        self.shards.iter().map(|s| s.count).sum()
    }
    fn table_bytes(&self) -> u64 {
        self.shards.iter().map(|s| s.table.bytes() + s.side.bytes()).sum()
    }
    fn bytes(&self) -> u64 {
        let fresh: usize = self.shards.iter().map(|s| s.fresh.capacity() * size_of::<K>()).sum();
        self.table_bytes() + fresh as u64
    }
    fn slots(&self) -> u64 {
        self.shards.iter().map(|s| s.table.buckets * s.table.width.slots()).sum()
    }
    fn overflow(&self) -> u64 {
        self.shards.iter().map(|s| s.side.count()).sum()
    }
    fn for_each(&self, mut tell: impl FnMut(K)) {
        for s in &self.shards {
            s.for_each(|image| tell(image.key(&self.mix)));
        }
    }
}
