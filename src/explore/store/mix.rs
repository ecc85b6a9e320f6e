//! The image of a key: a bijection of the B-bit integers that scatters them, with its inverse. Images stand at the upper
//! end of their integer, so that the bits that choose a shard and a bucket are always the upper ones, whatever B is.
//! This module knows no table.

use crate::explore::key::Word;

/// How many shards: a constant, so that the order of states never depends on the number of threads.
pub const SHARDS: usize = 1 << SHARD_BITS;
/// The upper bits of an image that choose its shard.
pub const SHARD_BITS: u32 = 6;
/// The fewest bits that are mixed: two remain below those of the shard.
pub const BITS_MIN: u32 = SHARD_BITS + 2;

/// The bijection of B bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mix {
    /// B: every key is below 2^B.
    bits: u32,
    /// The bits that an image leaves zero at its lower end.
    blank: u32,
    /// Half of B, rounded up: shifting by it twice leaves nothing, so that an xor-shift is its own inverse.
    half: u32,
}

impl Mix {
    /// The bijection for keys below 2^`bits`; `bits` is brought into `BITS_MIN..=K::BITS`.
    pub fn new<K: Image>(bits: u32) -> Mix {
        let bits = bits.clamp(BITS_MIN, K::BITS);
        Mix { bits, blank: 8 * size_of::<K>() as u32 - bits, half: bits.div_ceil(2) }
    }
    /// B.
    pub fn bits(&self) -> u32 {
        self.bits
    }
    /// The bits of an image below those of the shard.
    pub fn below(&self) -> u32 {
        self.bits - SHARD_BITS
    }
    /// The bits of an image that choose the bucket: the 64 highest below those of the shard.
    pub fn head_bits(&self) -> u32 {
        self.below().min(64)
    }
    /// The bits that are left below the head.
    pub fn tail_bits(&self) -> u32 {
        self.below() - self.head_bits()
    }
}

/// A key whose image can be made, taken apart and put together again.
///
/// An image is, from its upper end: 6 bits of the shard, the head (up to 64 bits), the tail (only if B > 70), zeros.
pub trait Image: Word {
    /// The image of a key below 2^B.
    fn image(self, mix: &Mix) -> Self;
    /// The key of an image.
    fn key(self, mix: &Mix) -> Self;
    /// The upper half of the B bits xored onto the lower half: done twice, it is undone.
    #[must_use]
    fn folded(self, mix: &Mix) -> Self;
    /// The shard of an image, below `SHARDS`.
    fn shard(self) -> usize;
    /// The head, at the upper end of 64 bits.
    fn head(self) -> u64;
    /// `above` with the tail, of `tail_bits`, written behind it, plus one; of the sum the lower bits that there is room for.
    fn tag(self, above: u64, tail_bits: u32) -> Self;
    /// What `tag` was made of, without the plus one: `above`, and the tail at the upper end of 64 bits.
    fn untag(self, tail_bits: u32) -> (u64, u64);
    /// The image of its parts, the head and the tail each at the upper end of 64 bits.
    fn join(shard: usize, head: u64, tail: u64) -> Self;
    /// An integer of its lower 64 bits and those above.
    fn of_halves(low: u64, high: u64) -> Self;
    /// The lower 64 bits and those above.
    fn halves(self) -> (u64, u64);
}

/// The inverse of an odd number modulo 2^128 (each round doubles the bits that are right, from three on).
const fn inverse(odd: u128) -> u128 {
    let mut x = odd;
    let mut round = 0;
    while round < 6 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x
}

const FIRST: u128 = 0xd6e8_feb8_6659_fd93_9e37_79b9_7f4a_7c15;
const SECOND: u128 = 0x9e6c_63d0_876a_9a35_d1b5_4a32_d192_ed03;

macro_rules! image {
    ($int:ty) => {
        #[inline(always)]
        fn image(self, mix: &Mix) -> Self {
            debug_assert!(self >> mix.bits == 0, "a key has more bits than were announced");
            // Zeros below stay zero under multiplication, so this is arithmetic modulo 2^B.
            let k = self.wrapping_shl(mix.blank);
            let k = k.folded(mix).wrapping_mul(const { FIRST as $int });
            k.folded(mix).wrapping_mul(const { SECOND as $int })
        }
        #[inline(always)]
        fn folded(self, mix: &Mix) -> Self {
            self ^ (self.wrapping_shr(mix.half) & <$int>::MAX.wrapping_shl(mix.blank))
        }
        #[inline(always)]
        fn key(self, mix: &Mix) -> Self {
            let k = self.wrapping_mul(const { inverse(SECOND) as $int }).folded(mix);
            k.wrapping_mul(const { inverse(FIRST) as $int }).folded(mix) >> mix.blank
        }
        #[inline(always)]
        fn shard(self) -> usize {
            (self >> (<$int>::BITS - SHARD_BITS)) as usize
        }
    };
}

impl Image for u64 {
    image!(u64);
    #[inline(always)]
    fn head(self) -> u64 {
        self << SHARD_BITS
    }
    #[inline(always)]
    fn tag(self, above: u64, _tail_bits: u32) -> u64 {
        above.wrapping_add(1)
    }
    #[inline(always)]
    fn untag(self, _tail_bits: u32) -> (u64, u64) {
        (self.wrapping_sub(1), 0)
    }
    #[inline(always)]
    fn join(shard: usize, head: u64, _tail: u64) -> u64 {
        (shard as u64) << (u64::BITS - SHARD_BITS) | head >> SHARD_BITS
    }
    #[inline(always)]
    fn of_halves(low: u64, _high: u64) -> u64 {
        low
    }
    #[inline(always)]
    fn halves(self) -> (u64, u64) {
        (self, 0)
    }
}

impl Image for u128 {
    image!(u128);
    #[inline(always)]
    fn head(self) -> u64 {
        (self >> (64 - SHARD_BITS)) as u64
    }
    #[inline(always)]
    fn tag(self, above: u64, tail_bits: u32) -> u128 {
        let tail = (self << SHARD_BITS) as u64;
        ((u128::from(above) << 64 | u128::from(tail)) >> (64 - tail_bits)).wrapping_add(1)
    }
    #[inline(always)]
    fn untag(self, tail_bits: u32) -> (u64, u64) {
        let both = self.wrapping_sub(1) << (64 - tail_bits);
        ((both >> 64) as u64, both as u64)
    }
    #[inline(always)]
    fn join(shard: usize, head: u64, tail: u64) -> u128 {
        (shard as u128) << (u128::BITS - SHARD_BITS) | (u128::from(head) << 64 | u128::from(tail)) >> SHARD_BITS
    }
    #[inline(always)]
    fn of_halves(low: u64, high: u64) -> u128 {
        u128::from(high) << 64 | u128::from(low)
    }
    #[inline(always)]
    fn halves(self) -> (u64, u64) {
        (self as u64, (self >> 64) as u64)
    }
}
