//! States as keys: each component's record has a number, and a state is the numbers as one integer of mixed radix. A
//! transition is one number that is added to the key.

use super::disk::block::Stored;
use super::store::Image;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

/// An integer that can stand in a table.
pub trait Word: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// Bits that may be used: one value is kept free for an empty place of a table.
    const BITS: u32;
    /// No place in a table is as empty as this.
    const EMPTY: Self;
    /// A well mixed hash.
    fn mix(self) -> u64;
}

/// An integer that holds a state: below 2 to the power of [`Word::BITS`].
pub trait Key: Image + Stored {
    /// Some bits from a place on.
    fn bits(self, shift: u32, mask: u64) -> u64;
    /// Addition modulo the integer's size.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Subtraction modulo the integer's size.
    #[must_use]
    fn minus(self, other: Self) -> Self;
}

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let m = u128::from(a) * u128::from(b);
    (m as u64) ^ ((m >> 64) as u64)
}

/// A key in one of the integers: how its halves are mixed.
macro_rules! key {
    ($int:ty, |$key:ident| $mix:expr) => {
        impl Word for $int {
            const BITS: u32 = <$int>::BITS - 1;
            const EMPTY: Self = <$int>::MAX;
            #[inline(always)]
            fn mix(self) -> u64 {
                let $key = self;
                $mix
            }
        }
        impl Key for $int {
            #[inline(always)]
            fn bits(self, shift: u32, mask: u64) -> u64 {
                self.wrapping_shr(shift) as u64 & mask
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    };
}
key!(u64, |k| fold(k ^ ODD, 0xd6e8_feb8_6659_fd93));
key!(u128, |k| fold((k as u64) ^ ODD, ((k >> 64) as u64) ^ 0xd6e8_feb8_6659_fd93));

/// Division by a number that is known beforehand, as a multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Divisor {
    by: u64,
    /// The greatest number whose product with `by` is below 2^64.
    inverse: u64,
}

impl Divisor {
    fn new(by: u64) -> Divisor {
        Divisor { by, inverse: u64::MAX / by }
    }
    /// The quotient. Since `inverse` is at most 1 less than `2^64 / by`, the guess before rounding is less than `x / by`
    /// by `x / 2^64` at most, which is below 1: it is right or one too small.
    #[inline(always)]
    fn divide(self, x: u64) -> u64 {
        let guess = ((u128::from(x) * u128::from(self.inverse)) >> 64) as u64;
        guess + u64::from(x - guess * self.by >= self.by)
    }
}

/// Where a component's number stands in a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    /// Of which part of the key: a key of two words has two parts, each of mixed radix.
    part: usize,
    stride: Divisor,
    radix: Divisor,
}

/// A run of bits of a key that is one integer of mixed radix.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Digits {
    shift: u32,
    mask: u64,
    components: Range<usize>,
}

/// The numbers of a key, and what is needed to get those of the next one from them.
#[derive(Clone, Debug)]
pub struct Numbers {
    of: Vec<u32>,
    /// For each component what stands above its number in its part of the key.
    above: Vec<u64>,
}

impl Numbers {
    /// Of no key yet.
    pub fn new(components: usize) -> Numbers {
        Numbers { of: vec![u32::MAX; components], above: vec![u64::MAX; components] }
    }
    /// For each component its number.
    pub fn all(&self) -> &[u32] {
        &self.of
    }
}

/// Where each component's number stands in a key: how many numbers each may have, and so the size of all together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// How many numbers each component may have, at least 1.
    pub radices: Vec<u32>,
    places: Vec<Place>,
    parts: Vec<Digits>,
    bits: u32,
}

/// Bits that one part of a key may have.
const PART_BITS: u32 = 63;

impl Layout {
    /// Components of so many numbers each, the first with the smallest stride.
    pub fn new(radices: Vec<u32>) -> Layout {
        let radices: Vec<u32> = radices.into_iter().map(|r| r.max(1)).collect();
        let (mut places, mut sizes) = (Vec::with_capacity(radices.len()), vec![1u64]);
        for &radix in &radices {
            let last = sizes.len() - 1;
            let fits = sizes[last].checked_mul(u64::from(radix)).filter(|size| *size <= 1 << PART_BITS);
            let (part, stride) = match fits {
                Some(_) => (last, sizes[last]),
                None => (last + 1, 1),
            };
            match fits {
                Some(size) => sizes[last] = size,
                None => sizes.push(u64::from(radix)),
            }
            places.push(Place { part, stride: Divisor::new(stride), radix: Divisor::new(u64::from(radix)) });
        }
        let (mut parts, mut bits) = (Vec::new(), 0);
        for (part, size) in sizes.into_iter().enumerate() {
            let width = u64::BITS - (size - 1).leading_zeros();
            let components = places.partition_point(|p| p.part < part)..places.partition_point(|p| p.part <= part);
            parts.push(Digits { shift: bits.min(u128::BITS - 1), mask: (1u64 << width) - 1, components });
            bits += width;
        }
        Layout { radices, places, parts, bits }
    }
    /// Bits of the greatest key.
    pub fn bits(&self) -> u32 {
        self.bits
    }
    /// What a number of a component adds to a key.
    pub fn digit<K: Key>(&self, component: usize, number: u32) -> K {
        let place = self.places[component];
        K::narrow((u128::from(place.stride.by) * u128::from(number)) << self.parts[place.part].shift)
    }
    /// The number of a component in a key.
    #[inline(always)]
    pub fn number<K: Key>(&self, key: K, component: usize) -> u32 {
        let place = &self.places[component];
        let digits = &self.parts[place.part];
        let upper = place.stride.divide(key.bits(digits.shift, digits.mask));
        (upper - place.radix.divide(upper) * place.radix.by) as u32
    }
    /// The key of numbers.
    pub fn pack<K: Key>(&self, numbers: &[u32]) -> K {
        numbers.iter().enumerate().fold(K::narrow(0), |key, (c, n)| key.plus(self.digit(c, *n)))
    }
    /// The numbers of a key.
    #[inline(always)]
    pub fn unpack<K: Key>(&self, key: K, numbers: &mut [u32]) {
        for (n, place) in numbers.iter_mut().zip(&self.places) {
            let digits = &self.parts[place.part];
            let upper = place.stride.divide(key.bits(digits.shift, digits.mask));
            *n = (upper - place.radix.divide(upper) * place.radix.by) as u32;
        }
    }
    /// The numbers of a key, which were those of another: says which components have another number now. Keys near to
    /// each other have most numbers in common, and where nothing above a number differs no more is divided.
    #[inline(always)]
    pub fn follow<K: Key>(&self, key: K, numbers: &mut Numbers, mut changed: impl FnMut(usize, u32)) {
        for digits in &self.parts {
            let mut rest = key.bits(digits.shift, digits.mask);
            for c in digits.components.clone() {
                let radix = self.places[c].radix;
                let above = radix.divide(rest);
                let number = (rest - above * radix.by) as u32;
                if numbers.of[c] != number {
                    numbers.of[c] = number;
                    changed(c, number);
                }
                if numbers.above[c] == above {
                    break;
                }
                numbers.above[c] = above;
                rest = above;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_their_key() {
        let radices = vec![70_000, 3, 1, 99, 40, 17, 5, 1_000_000, 2, 65_536, 12, 7];
        let layout = Layout::new(radices.clone());
        assert!(layout.bits() > 64 && layout.bits() <= <u128 as Word>::BITS, "{} bits", layout.bits());
        let mut followed = Numbers::new(radices.len());
        for salt in 0..1000u32 {
            let of = |(c, r): (usize, &u32)| match salt {
                0 => 0,
                1 => r - 1,
                _ => salt.wrapping_mul(2_654_435_761).rotate_left(c as u32) % r,
            };
            let numbers: Vec<u32> = radices.iter().enumerate().map(of).collect();
            let key: u128 = layout.pack(&numbers);
            assert!(key >> layout.bits() == 0);
            let mut back = vec![0; numbers.len()];
            layout.unpack(key, &mut back);
            assert_eq!(back, numbers);
            let mut before = followed.all().to_vec();
            layout.follow(key, &mut followed, |c, number| before[c] = number);
            assert_eq!((followed.all(), before.as_slice()), (numbers.as_slice(), numbers.as_slice()));
            let stepped = key.plus(layout.digit(3, 98)).minus(layout.digit(3, numbers[3]));
            layout.unpack(stepped, &mut back);
            assert_eq!(back[3], 98);
            layout.follow(stepped, &mut followed, |c, _| assert_eq!(c, 3));
            assert_eq!(followed.all(), back);
            assert_eq!((&back[..3], &back[4..]), (&numbers[..3], &numbers[4..]));
        }
    }

    #[test]
    fn a_product_needs_no_more_bits_than_it_has() {
        assert_eq!(Layout::new(vec![5, 5, 5]).bits(), 7);
        assert_eq!(Layout::new(vec![1, 1]).bits(), 0);
        assert_eq!(Layout::new(vec![1 << 31, 1 << 31, 2]).bits(), 63);
    }
}
