//! Buckets: the layouts of a few slots of equal width in one to four cache lines. A slot holds a number that is not zero;
//! zero is an empty slot; slots are filled from the first on. This module knows neither keys nor hashes.

use super::bucket;
use super::mix::Image;

/// One layout. A slot's lower bytes and its upper bytes stand in two arrays, each as wide as an integer of the machine.
pub trait Bucket<const BYTES: usize> {
    /// Slots of a bucket.
    const SLOTS: usize;
    /// Bits of a slot.
    const BITS: u32;
    /// Whether a slot holds the lower `BITS` of `tag`. All slots are compared, without a branch.
    fn holds<K: Image>(bytes: &[u8; BYTES], tag: K) -> bool;
    /// How many slots are filled.
    fn filled(bytes: &[u8; BYTES]) -> usize;
    /// Whether all slots are filled.
    fn full(bytes: &[u8; BYTES]) -> bool;
    /// Whether the lower `BITS` of `tag` are zero, so that no slot can hold it.
    fn void<K: Image>(tag: K) -> bool;
    /// The number in a slot, `slot` being below `SLOTS`.
    fn get<K: Image>(bytes: &[u8; BYTES], slot: usize) -> K;
    /// Writes the lower `BITS` of `tag` into a slot, `slot` being below `SLOTS`.
    fn set<K: Image>(bytes: &mut [u8; BYTES], slot: usize, tag: K);
}

macro_rules! bucket {
    // Slots of one integer.
    ($name:ident, $bytes:literal, $slots:literal of $low:ty) => {
        /// Slots of one integer.
        pub struct $name;
        impl Bucket<$bytes> for $name {
            const SLOTS: usize = $slots;
            const BITS: u32 = <$low>::BITS;
            #[inline(always)]
            fn holds<K: Image>(bytes: &[u8; $bytes], tag: K) -> bool {
                let wanted = tag.halves().0 as $low;
                let slots = bytes.as_chunks::<{ size_of::<$low>() }>().0;
                let mut hit = 0;
                for slot in &slots[..$slots] {
                    hit |= <$low>::from(<$low>::from_le_bytes(*slot) == wanted);
                }
                (hit != 0) & (wanted != 0)
            }
            #[inline(always)]
            fn full(bytes: &[u8; $bytes]) -> bool {
                <$low>::from_le_bytes(bytes.as_chunks().0[$slots - 1]) != 0
            }
            #[inline(always)]
            fn void<K: Image>(tag: K) -> bool {
                tag.halves().0 as $low == 0
            }
            #[inline(always)]
            fn filled(bytes: &[u8; $bytes]) -> usize {
                let slots = bytes.as_chunks::<{ size_of::<$low>() }>().0;
                let mut filled: $low = 0;
                for slot in &slots[..$slots] {
                    filled = filled.wrapping_add(<$low>::from(<$low>::from_le_bytes(*slot) != 0));
                }
                filled as usize
            }
            #[inline(always)]
            fn get<K: Image>(bytes: &[u8; $bytes], slot: usize) -> K {
                K::of_halves(<$low>::from_le_bytes(bytes.as_chunks().0[slot]) as u64, 0)
            }
            #[inline(always)]
            fn set<K: Image>(bytes: &mut [u8; $bytes], slot: usize, tag: K) {
                bytes.as_chunks_mut().0[slot] = (tag.halves().0 as $low).to_le_bytes();
            }
        }
    };
    // Slots whose lower and upper bytes are two integers.
    ($name:ident, $bytes:literal, $slots:literal of $low:ty, $high:ty) => {
        /// Slots of two integers: first all lower ones, then all upper ones.
        pub struct $name;
        impl $name {
            const SPLIT: usize = $slots * size_of::<$low>();
            /// The two parts of a number.
            #[inline(always)]
            fn parts<K: Image>(tag: K) -> ($low, $high) {
                let (low, high) = tag.halves();
                let above = if <$low>::BITS < 64 { low >> (<$low>::BITS % 64) } else { high };
                (low as $low, above as $high)
            }
        }
        impl Bucket<$bytes> for $name {
            const SLOTS: usize = $slots;
            const BITS: u32 = <$low>::BITS + <$high>::BITS;
            #[inline(always)]
            fn holds<K: Image>(bytes: &[u8; $bytes], tag: K) -> bool {
                let (low, high) = Self::parts(tag);
                let (lows, highs) = bytes.split_at(Self::SPLIT);
                let lows = &lows.as_chunks::<{ size_of::<$low>() }>().0[..$slots];
                let highs = &highs.as_chunks::<{ size_of::<$high>() }>().0[..$slots];
                let mut hit = 0;
                for slot in 0..$slots {
                    let low_hit = <$low>::from(<$low>::from_le_bytes(lows[slot]) == low);
                    let high_hit = <$high>::from(<$high>::from_le_bytes(highs[slot]) == high);
                    hit |= low_hit & high_hit as $low;
                }
                (hit != 0) & ((low != 0) | (high != 0))
            }
            #[inline(always)]
            fn full(bytes: &[u8; $bytes]) -> bool {
                let (lows, highs) = bytes.split_at(Self::SPLIT);
                let low = <$low>::from_le_bytes(lows.as_chunks().0[$slots - 1]);
                (low != 0) | (<$high>::from_le_bytes(highs.as_chunks().0[$slots - 1]) != 0)
            }
            #[inline(always)]
            fn void<K: Image>(tag: K) -> bool {
                Self::parts(tag) == (0, 0)
            }
            #[inline(always)]
            fn filled(bytes: &[u8; $bytes]) -> usize {
                let (lows, highs) = bytes.split_at(Self::SPLIT);
                let lows = &lows.as_chunks::<{ size_of::<$low>() }>().0[..$slots];
                let highs = &highs.as_chunks::<{ size_of::<$high>() }>().0[..$slots];
                let mut filled: $low = 0;
                for slot in 0..$slots {
                    let low = <$low>::from(<$low>::from_le_bytes(lows[slot]) != 0);
                    let high = <$high>::from(<$high>::from_le_bytes(highs[slot]) != 0);
                    filled = filled.wrapping_add(low | high as $low);
                }
                filled as usize
            }
            #[inline(always)]
            fn get<K: Image>(bytes: &[u8; $bytes], slot: usize) -> K {
                let (lows, highs) = bytes.split_at(Self::SPLIT);
                let low = <$low>::from_le_bytes(lows.as_chunks().0[slot]) as u64;
                let high = <$high>::from_le_bytes(highs.as_chunks().0[slot]) as u64;
                if <$low>::BITS < 64 {
                    K::of_halves(low | high << (<$low>::BITS % 64), 0)
                } else {
                    K::of_halves(low, high)
                }
            }
            #[inline(always)]
            fn set<K: Image>(bytes: &mut [u8; $bytes], slot: usize, tag: K) {
                let (low, high) = Self::parts(tag);
                let (lows, highs) = bytes.split_at_mut(Self::SPLIT);
                lows.as_chunks_mut().0[slot] = low.to_le_bytes();
                highs.as_chunks_mut().0[slot] = high.to_le_bytes();
            }
        }
    };
}

bucket!(Two, 64, 32 of u16);
bucket!(Three, 64, 21 of u16, u8);
bucket!(Four, 64, 16 of u32);
bucket!(Five, 64, 12 of u32, u8);
bucket!(Six, 128, 21 of u32, u16);
bucket!(Eight, 128, 16 of u64);
bucket!(Ten, 128, 12 of u64, u16);
bucket!(Twelve, 128, 10 of u64, u32);
bucket!(Sixteen, 256, 16 of u64, u64);

/// Which layout the buckets of a shard have, by the bytes of a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// 32 slots in one line.
    Two,
    /// 21 slots in one line.
    Three,
    /// 16 slots in one line.
    Four,
    /// 12 slots in one line.
    Five,
    /// 21 slots in two lines.
    Six,
    /// 16 slots in two lines.
    Eight,
    /// 12 slots in two lines.
    Ten,
    /// 10 slots in two lines.
    Twelve,
    /// 16 slots in four lines.
    Sixteen,
}

/// Runs an expression in which `$bucket` is the layout that a width stands for and `$bytes` the bytes of such a bucket.
/// Where it is used, this module has to be in scope.
macro_rules! with_bucket {
    ($width:expr, |$bucket:ident, $bytes:ident| $run:expr) => {
        with_bucket!(@ $width, $bucket, $bytes, $run,
            Two 64, Three 64, Four 64, Five 64, Six 128, Eight 128, Ten 128, Twelve 128, Sixteen 256)
    };
    (@ $width:expr, $bucket:ident, $bytes:ident, $run:expr, $($name:ident $count:literal),*) => {
        match $width {
            $(bucket::Width::$name => {
                type $bucket = bucket::$name;
                const $bytes: usize = $count;
                $run
            })*
        }
    };
}

pub(crate) use with_bucket;

impl Width {
    /// All, from the narrowest.
    pub const ALL: [Width; 9] = [
        Width::Two,
        Width::Three,
        Width::Four,
        Width::Five,
        Width::Six,
        Width::Eight,
        Width::Ten,
        Width::Twelve,
        Width::Sixteen,
    ];
    /// Bits of a slot.
    pub fn bits(self) -> u32 {
        with_bucket!(self, |B, N| <B as Bucket<N>>::BITS)
    }
    /// Slots of a bucket.
    pub fn slots(self) -> u64 {
        with_bucket!(self, |B, N| <B as Bucket<N>>::SLOTS as u64)
    }
    /// Bytes of a bucket: a multiple of 64.
    pub fn bytes(self) -> u64 {
        with_bucket!(self, |_B, N| N as u64)
    }
}
