//! States as keys: each component's record has a number, and the numbers stand side by side in one integer. A transition
//! is one number that is added to the key.

use std::fmt::Debug;
use std::hash::Hash;

/// An integer that holds a state.
pub trait Key: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// Bits that may be used: one value is kept free for an empty place of a table.
    const BITS: u32;
    /// No place in a table is as empty as this.
    const EMPTY: Self;
    /// A number at a place.
    fn part(number: u32, shift: u32) -> Self;
    /// The number at a place.
    fn get(self, shift: u32, mask: u32) -> u32;
    /// Addition modulo the integer's size.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Subtraction modulo the integer's size.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// A well mixed hash.
    fn mix(self) -> u64;
}

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let m = u128::from(a) * u128::from(b);
    (m as u64) ^ ((m >> 64) as u64)
}

/// A key in one of the integers: its usable bits, and how its halves are mixed.
macro_rules! key {
    ($int:ty, $bits:literal, |$key:ident| $mix:expr) => {
        impl Key for $int {
            const BITS: u32 = $bits;
            const EMPTY: Self = <$int>::MAX;
            #[inline(always)]
            fn part(number: u32, shift: u32) -> Self {
                <$int>::from(number) << shift
            }
            #[inline(always)]
            fn get(self, shift: u32, mask: u32) -> u32 {
                (self >> shift) as u32 & mask
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mix(self) -> u64 {
                let $key = self;
                $mix
            }
        }
    };
}
key!(u64, 63, |k| fold(k ^ ODD, 0xd6e8_feb8_6659_fd93));
key!(u128, 127, |k| fold((k as u64) ^ ODD, ((k >> 64) as u64) ^ 0xd6e8_feb8_6659_fd93));

/// Where each component's number stands in a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bits of each component.
    pub widths: Vec<u32>,
    /// Their places.
    pub shifts: Vec<u32>,
}

impl Layout {
    /// Components side by side.
    pub fn new(widths: Vec<u32>) -> Layout {
        let mut at = 0;
        let shifts = widths
            .iter()
            .map(|w| {
                let here = at;
                at += w;
                here
            })
            .collect();
        Layout { widths, shifts }
    }
    /// All bits together.
    pub fn bits(&self) -> u32 {
        self.widths.iter().sum()
    }
    /// The key of numbers.
    pub fn pack<K: Key>(&self, numbers: &[u32]) -> K {
        numbers.iter().zip(&self.shifts).fold(K::part(0, 0), |k, (n, s)| k.plus(K::part(*n, *s)))
    }
    /// The numbers of a key.
    #[inline(always)]
    pub fn unpack<K: Key>(&self, key: K, numbers: &mut [u32]) {
        for ((n, s), w) in numbers.iter_mut().zip(&self.shifts).zip(&self.widths) {
            *n = key.get(*s, (1u32 << w) - 1);
        }
    }
}
