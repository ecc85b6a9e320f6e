//! One block of a level: up to 2048 ascending keys as bytes that need nothing else to be read. It knows no file.
//!
//! ```text
//! check u32 | body length u32 | count u16 | widths 4 x u8 | first key | classes, 2 bits a gap | gaps, bit by bit
//! ```
//!
//! All integers are little-endian. A gap is the distance to the key before, less one. Each block has four widths in bits,
//! chosen so that the block is as short as four widths allow: each gap names the least of them that holds it. Random keys
//! and keys in clusters both come out well, and reading has no branch that depends on a gap. `check` is the lower half of
//! the XXH3 of everything after it.

use std::fmt::Debug;
use xxhash_rust::xxh3::xxh3_64;

/// Keys of a full block. Only the last block of a level holds fewer.
pub const BLOCK_KEYS: usize = 2048;
/// Gaps up to this many bits are read with one 64-bit load from any bit of a byte.
const NARROW_BITS: u8 = 57;
/// Gaps up to this many bits are read with one 128-bit load.
const WIDE_BITS: u8 = 121;

/// An integer that can be kept on disk.
pub trait Stored: Copy + Ord + Debug + Send + Sync + 'static {
    /// Bytes of a key: 8 or 16.
    const BYTES: usize;
    /// The same number in 128 bits.
    fn widen(self) -> u128;
    /// The lower bits of a number.
    fn narrow(wide: u128) -> Self;
}

impl Stored for u64 {
    const BYTES: usize = 8;
    #[inline(always)]
    fn widen(self) -> u128 {
        u128::from(self)
    }
    #[inline(always)]
    fn narrow(wide: u128) -> Self {
        wide as u64
    }
}

impl Stored for u128 {
    const BYTES: usize = 16;
    #[inline(always)]
    fn widen(self) -> u128 {
        self
    }
    #[inline(always)]
    fn narrow(wide: u128) -> Self {
        wide
    }
}

/// Bytes before the body.
pub const fn head_bytes<K: Stored>() -> usize {
    14 + K::BYTES
}

/// No block is longer than this many bytes.
pub const fn block_bytes_max<K: Stored>() -> usize {
    head_bytes::<K>() + BLOCK_KEYS / 4 + BLOCK_KEYS * K::BYTES
}

/// A block found at the start of some bytes, not yet read.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a, K> {
    check: u32,
    checked: &'a [u8],
    widths: [u8; 4],
    first: K,
    body: &'a [u8],
    /// Keys in it: 1 to 2048.
    pub count: usize,
    /// Bytes of the whole block, head included.
    pub bytes: usize,
}

/// What bytes that should be a block are.
#[derive(Debug)]
pub enum Framed<'a, K> {
    /// A whole block; bytes may follow it.
    Whole(Frame<'a, K>),
    /// The block goes on after these bytes.
    Short,
    /// No block; says what is wrong.
    Flawed(&'static str),
}

impl<'a, K: Stored> Frame<'a, K> {
    /// Finds the block at the start of some bytes. Its check is not compared yet.
    pub fn find(bytes: &'a [u8]) -> Framed<'a, K> {
        let Some((head, rest)) = bytes.split_at_checked(head_bytes::<K>()) else { return Framed::Short };
        let check = number(head, 0, 4) as u32;
        let length = number(head, 4, 4) as usize;
        let count = number(head, 8, 2) as usize;
        let widths = [head[10], head[11], head[12], head[13]];
        let first = K::narrow(number(head, 14, K::BYTES));
        if count == 0 || count > BLOCK_KEYS {
            return Framed::Flawed("a block has no key or too many");
        }
        if widths.iter().any(|w| usize::from(*w) > K::BYTES * 8) {
            return Framed::Flawed("a block has a gap wider than a key");
        }
        if length < (count - 1).div_ceil(4) || head_bytes::<K>() + length > block_bytes_max::<K>() {
            return Framed::Flawed("a block has an impossible length");
        }
        let Some(body) = rest.get(..length) else { return Framed::Short };
        let whole = head_bytes::<K>() + length;
        Framed::Whole(Frame { check, checked: &bytes[4..whole], widths, first, body, count, bytes: whole })
    }

    /// The first and least key.
    pub fn first(&self) -> K {
        self.first
    }

    /// Whether the bytes are those that were written.
    pub fn sound(&self) -> bool {
        xxh3_64(self.checked) as u32 == self.check
    }

    /// Reads the keys into exactly `count` places; fewer or more places are left or skipped.
    pub fn decode(&self, out: &mut [K]) {
        let (classes, gaps) = self.body.split_at((self.count - 1).div_ceil(4).min(self.body.len()));
        let widest = self.widths.iter().copied().max().unwrap_or(0);
        let Some((start, rest)) = out.split_first_mut() else { return };
        *start = self.first;
        if widest <= NARROW_BITS {
            self.fill(classes, rest, |bit| u128::from(load_64(gaps, bit)));
        } else if widest <= WIDE_BITS {
            self.fill(classes, rest, |bit| load_128(gaps, bit));
        } else {
            self.fill(classes, rest, |bit| load_any(gaps, bit));
        }
    }

    #[inline(always)]
    fn fill(&self, classes: &[u8], out: &mut [K], load: impl Fn(usize) -> u128) {
        let masks = self.widths.map(|w| K::narrow(mask(w)));
        let widths = self.widths.map(usize::from);
        let (mut bit, mut key) = (0, self.first.widen());
        for (four, class) in out.chunks_mut(4).zip(classes) {
            let mut class = usize::from(*class);
            for place in four {
                let gap = load(bit) & masks[class & 3].widen();
                bit += widths[class & 3];
                class >>= 2;
                key = K::narrow(key.wrapping_add(gap).wrapping_add(1)).widen();
                *place = K::narrow(key);
            }
        }
    }
}

/// A little-endian number of at most 16 bytes inside some bytes; bytes that are not there are zero.
pub fn number(bytes: &[u8], at: usize, length: usize) -> u128 {
    let mut wide = [0u8; 16];
    for (to, from) in wide.iter_mut().zip(bytes.iter().skip(at).take(length)) {
        *to = *from;
    }
    u128::from_le_bytes(wide)
}

fn mask(bits: u8) -> u128 {
    if bits == 0 { 0 } else { u128::MAX >> (128 - u32::from(bits).min(128)) }
}

#[inline(always)]
fn load_64(bytes: &[u8], bit: usize) -> u64 {
    match bytes.get(bit / 8..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(eight) => u64::from_le_bytes(*eight) >> (bit % 8),
        None => (number(bytes, bit / 8, 8) as u64) >> (bit % 8),
    }
}

#[inline(always)]
fn load_128(bytes: &[u8], bit: usize) -> u128 {
    match bytes.get(bit / 8..).and_then(|rest| rest.first_chunk::<16>()) {
        Some(sixteen) => u128::from_le_bytes(*sixteen) >> (bit % 8),
        None => number(bytes, bit / 8, 16) >> (bit % 8),
    }
}

fn load_any(bytes: &[u8], bit: usize) -> u128 {
    let low = number(bytes, bit / 8, 16);
    match (bit % 8) as u32 {
        0 => low,
        shift => low >> shift | number(bytes, bit / 8 + 16, 1) << (128 - shift),
    }
}

/// Appends the block of 1 to 2048 ascending distinct keys to some bytes. More keys are left out, none gives no bytes.
pub fn encode<K: Stored>(keys: &[K], out: &mut Vec<u8>) {
    let Some((first, rest)) = keys[..keys.len().min(BLOCK_KEYS)].split_first() else { return };
    let widths = choose(&sizes::<K>(*first, rest));
    let mut class_of = [3u8; 129];
    for (bits, class) in class_of.iter_mut().enumerate() {
        *class = widths.iter().position(|w| usize::from(*w) >= bits).unwrap_or(3) as u8;
    }
    let start = out.len();
    out.extend([0; 8]);
    out.extend((rest.len() as u16 + 1).to_le_bytes());
    out.extend(widths);
    out.extend(first.widen().to_le_bytes().iter().take(K::BYTES));
    let body = out.len();
    // The last write of the pen may go some bytes beyond what it keeps.
    out.resize(body + rest.len().div_ceil(4) + rest.len() * K::BYTES + 16, 0);
    let (classes, gaps) = out[body..].split_at_mut(rest.len().div_ceil(4));
    let mut pen = Pen { to: gaps, at: 0, pending: 0, filled: 0 };
    let mut last = *first;
    for (four, classes) in rest.chunks(4).zip(classes) {
        for (i, key) in four.iter().enumerate() {
            let gap = gap(last, *key);
            let class = class_of[bits(gap)];
            *classes |= class << (2 * i);
            pen.put(gap, u32::from(widths[usize::from(class & 3)]));
            last = *key;
        }
    }
    let length = rest.len().div_ceil(4) + pen.end();
    out.truncate(body + length);
    out[start + 4..start + 8].copy_from_slice(&(length as u32).to_le_bytes());
    let check = (xxh3_64(&out[start + 4..]) as u32).to_le_bytes();
    out[start..start + 4].copy_from_slice(&check);
}

/// How many gaps have so many bits.
fn sizes<K: Stored>(first: K, rest: &[K]) -> [u32; 129] {
    // Four counts side by side: neighbours often have the same size, and would wait for each other.
    let mut counts = [[0u32; 4]; 129];
    let mut last = first;
    for four in rest.chunks(4) {
        for (i, key) in four.iter().enumerate() {
            counts[bits(gap(last, *key))][i] += 1;
            last = *key;
        }
    }
    counts.map(|four| four.iter().sum())
}

/// The distance of a key from the one before, less one.
#[inline(always)]
fn gap<K: Stored>(last: K, key: K) -> u128 {
    K::narrow(key.widen().wrapping_sub(last.widen()).wrapping_sub(1)).widen()
}

#[inline(always)]
fn bits(gap: u128) -> usize {
    (128 - gap.leading_zeros()) as usize
}

/// Writes bits one after another.
struct Pen<'a> {
    to: &'a mut [u8],
    /// Whole bytes written.
    at: usize,
    /// Up to seven bits that do not make up a byte yet.
    pending: u64,
    filled: u32,
}

impl Pen<'_> {
    #[inline(always)]
    fn put(&mut self, gap: u128, width: u32) {
        let narrow = u32::from(NARROW_BITS) - 1;
        if width <= narrow {
            self.put_narrow(gap as u64, width);
        } else {
            let (mut gap, mut width) = (gap, width);
            while width > narrow {
                self.put_narrow(gap as u64 & ((1 << narrow) - 1), narrow);
                gap >>= narrow;
                width -= narrow;
            }
            self.put_narrow(gap as u64, width);
        }
    }
    /// At most 56 bits: with those pending they fit in 8 bytes.
    #[inline(always)]
    fn put_narrow(&mut self, bits: u64, width: u32) {
        self.pending |= bits << self.filled;
        self.filled += width;
        if let Some(to) = self.to.get_mut(self.at..self.at + 8) {
            to.copy_from_slice(&self.pending.to_le_bytes());
        }
        let whole = self.filled / 8;
        self.at += whole as usize;
        self.pending = self.pending.checked_shr(whole * 8).unwrap_or(0);
        self.filled %= 8;
    }
    /// Bytes used.
    fn end(self) -> usize {
        self.at + usize::from(self.filled > 0)
    }
}

/// The four widths under which gaps of these sizes take the fewest bits; `counts[b]` gaps have exactly `b` bits.
fn choose(counts: &[u32; 129]) -> [u8; 4] {
    // Sizes that occur, and how many gaps are at most that long.
    let mut sizes: Vec<(u8, u64)> = Vec::new();
    let mut total = 0;
    for (size, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
        total += u64::from(*count);
        sizes.push((size as u8, total));
    }
    let Some((widest, _)) = sizes.last().copied() else { return [0; 4] };
    // Of the first sizes, the least cost under so many widths, and where the last of those widths begins.
    let below = |i: usize| if i == 0 { 0 } else { sizes[i - 1].1 };
    let mut best = vec![[(u64::MAX, 0usize); 5]; sizes.len() + 1];
    best[0] = [(0, 0); 5];
    for end in 1..=sizes.len() {
        let (width, covered) = sizes[end - 1];
        for from in 0..end {
            let cost = (covered - below(from)) * u64::from(width);
            for used in 1..5 {
                let whole = best[from][used - 1].0.saturating_add(cost);
                if whole < best[end][used].0 {
                    best[end][used] = (whole, from);
                }
            }
        }
    }
    let mut widths = [widest; 4];
    let (mut end, mut used) = (sizes.len(), 4);
    while end > 0 && used > 0 {
        widths[used - 1] = sizes[end - 1].0;
        end = best[end][used].1;
        used -= 1;
    }
    for unused in 0..used {
        widths[unused] = widths[used];
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn check<K: Stored>(keys: &BTreeSet<K>) {
        let keys: Vec<K> = keys.iter().copied().take(BLOCK_KEYS).collect();
        let mut bytes = Vec::new();
        encode(&keys, &mut bytes);
        if keys.is_empty() {
            assert!(bytes.is_empty());
            return;
        }
        assert!(bytes.len() <= block_bytes_max::<K>());
        let Framed::Whole(frame) = Frame::<K>::find(&bytes) else { panic!("no block") };
        assert!(frame.sound());
        assert_eq!((frame.count, frame.bytes, frame.first()), (keys.len(), bytes.len(), keys[0]));
        let mut read = vec![K::narrow(0); keys.len()];
        frame.decode(&mut read);
        assert_eq!(read, keys);
        assert!(matches!(Frame::<K>::find(&bytes[..bytes.len() - 1]), Framed::Short));
    }

    /// Keys of all sizes: a random key cut to a random number of bits.
    fn any_size() -> impl Strategy<Value = u128> {
        (any::<u128>(), 0u32..128).prop_map(|(k, s)| k >> s)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_u64(keys in prop::collection::btree_set(any_size().prop_map(|k| k as u64), 0..300)) {
            check(&keys);
        }
        #[test]
        fn what_is_written_is_read_u128(keys in prop::collection::btree_set(any_size(), 0..300)) {
            check(&keys);
        }
        #[test]
        fn clusters_are_read(starts in prop::collection::vec(any::<u64>(), 1..20), run in 1u64..150) {
            check(&starts.iter().flat_map(|s| (0..run).map(move |i| s.wrapping_add(i))).collect::<BTreeSet<u64>>());
        }
        #[test]
        fn bytes_that_are_no_block_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Framed::Whole(frame) = Frame::<u128>::find(&bytes) {
                let mut out = vec![0; frame.count];
                frame.decode(&mut out);
            }
        }
        #[test]
        fn a_flipped_bit_is_noticed(keys in prop::collection::btree_set(any::<u64>(), 1..50), at in any::<prop::sample::Index>(), bit in 0u32..8) {
            let keys: Vec<u64> = keys.into_iter().collect();
            let mut bytes = Vec::new();
            encode(&keys, &mut bytes);
            let at = at.index(bytes.len());
            bytes[at] ^= 1u8 << bit;
            if let Framed::Whole(frame) = Frame::<u64>::find(&bytes) {
                prop_assert!(!frame.sound());
            }
        }
    }

    #[test]
    fn extremes() {
        check(&BTreeSet::from([0u64]));
        check(&BTreeSet::from([u64::MAX]));
        check(&BTreeSet::from([0, u64::MAX]));
        check(&BTreeSet::from([0, u128::MAX]));
        check(&BTreeSet::from([0, 1, u128::MAX - 1, u128::MAX]));
        check(&(0..2048u64).collect());
        check(&(0..2048u128).map(|i| u128::MAX - i * i * i).collect());
        check(&(0..2048u128).map(|i| i << 117).collect());
    }

    #[test]
    fn neighbours_take_two_bits_each() {
        let keys: Vec<u64> = (7..7 + 2048).collect();
        let mut bytes = Vec::new();
        encode(&keys, &mut bytes);
        assert_eq!(bytes.len(), head_bytes::<u64>() + 512);
    }
}
