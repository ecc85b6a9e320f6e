//! Both stores against a hash set.

use facedown::explore::key::Word;
use facedown::explore::store::bucket::Width;
use facedown::explore::store::flat::Flat;
use facedown::explore::store::mix::{Image, Mix};
use facedown::explore::store::visited::{Growth, Visited};
use facedown::explore::store::{Fill, Store};
use proptest::prelude::*;
use std::collections::HashSet;
use std::fmt::Debug;

fn scatter(i: u64) -> u64 {
    let mut z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn listed<K: Word, S: Store<K>>(store: &S) -> Vec<K> {
    let mut all = Vec::new();
    store.for_each(|k| all.push(k));
    all
}

/// Of some keys those that a store has not, found by asking as a search does.
fn absent<K: Word, S: Store<K>>(store: &S, keys: &[K]) -> Vec<(K, K)> {
    let mut out = Vec::new();
    store.doubtful(keys, &mut out);
    let aside = out.len();
    out.retain(|(_, image)| !store.shards()[S::shard_of(*image)].has(*image));
    assert!(store.overflow() > 0 || out.len() == aside, "only what stands aside is there and doubtful");
    out
}

/// Adds keys in batches as a search does, and compares everything that can be asked with a hash set.
fn compare<K: Word, S: Store<K>>(mut store: S, keys: &[K], others: &[K]) -> S {
    let mut known: HashSet<K> = HashSet::new();
    let mut fresh = Vec::new();
    // Batches of fewer keys than there are shards, and of more: they are looked up in different ways.
    let (few, many) = keys.split_at(keys.len() / 3);
    for (n, batch) in few.chunks(37).chain(many.chunks(150)).enumerate() {
        let out = absent(&store, batch);
        let wanted: Vec<K> = batch.iter().copied().filter(|k| !known.contains(k)).collect();
        assert_eq!(out.iter().map(|o| o.0).collect::<Vec<_>>(), wanted);
        for &(key, image) in &out {
            assert_eq!(image, store.image(key));
            let shard = &mut store.shards_mut()[S::shard_of(image)];
            assert_eq!(shard.has(image), known.contains(&key));
            assert_eq!(shard.add(image), known.insert(key));
            assert!(shard.has(image));
            assert!(!shard.add(image));
        }
        if n % 5 == 0 {
            fresh.extend(store.take_fresh());
        }
    }
    fresh.extend(store.take_fresh());
    assert!(store.take_fresh().is_empty());
    assert_eq!(fresh.len(), known.len());
    assert_eq!(fresh.into_iter().collect::<HashSet<K>>(), known);
    assert_eq!(store.count(), known.len() as u64);
    let all = listed(&store);
    assert_eq!(all.len(), known.len());
    assert_eq!(all.iter().copied().collect::<HashSet<K>>(), known);
    for &k in keys {
        assert!(store.has(k));
    }
    assert!(absent(&store, keys).is_empty());
    let out = absent(&store, others);
    let wanted: Vec<K> = others.iter().copied().filter(|k| !known.contains(k)).collect();
    assert_eq!(out.iter().map(|o| o.0).collect::<Vec<_>>(), wanted);
    for &k in others {
        assert_eq!(store.has(k), known.contains(&k));
        assert_eq!(absent(&store, &[k]).is_empty(), known.contains(&k));
    }
    assert!(store.bytes() >= store.table_bytes() && store.table_bytes() > 0);
    assert!(store.overflow() <= store.count());
    store
}

/// Ways to grow that make side tables, and tables of many sizes.
fn growths() -> Vec<Growth> {
    let free = Growth { bytes_max: |_| u64::MAX, ..Growth::default() };
    vec![
        Growth::default(),
        Growth { first: 1, next: |k| k + 1, load_max: |_| 100, ..free },
        Growth { first: 1, next: |k| k + 7, load_max: |_| 400, ..free },
        Growth { first: 3, next: |k| k * 3 / 2 + 1, load_max: |_| 20, ..free },
        Growth { first: 40, next: |k| k * 2, load_max: |_| 150, ..free },
        Growth { first: 1, next: |k| k + k / 8 + 1, load_max: |_| 5, ..free },
    ]
}

fn bijection<K: Image>(bits: u32, low: u64, high: u64) {
    let mix = Mix::new::<K>(bits);
    let width = 8 * size_of::<K>() as u32;
    assert_eq!(mix.bits(), bits);
    for (low, high) in [(low, high), (0, 0), (u64::MAX, u64::MAX), (1, 0), (low >> 40, 0)] {
        let whole = u128::from(high) << 64 | u128::from(low);
        let cut = whole & (u128::MAX >> (128 - bits));
        let key = K::of_halves(cut as u64, (cut >> 64) as u64);
        let image = key.image(&mix);
        assert_eq!(image.key(&mix), key);
        let (l, h) = image.halves();
        let image_whole = u128::from(h) << 64 | u128::from(l);
        assert_eq!(image_whole & ((1u128 << (width - bits)) - 1), 0, "zeros below");
        assert_eq!(image.shard() as u128, image_whole >> (width - 6));
        // And the other way: every number that ends in zeros is an image.
        let other = cut << (width - bits);
        let other = K::of_halves(other as u64, (other >> 64) as u64);
        assert_eq!(other.key(&mix).image(&mix), other);
    }
}

#[test]
fn all_images_of_few_bits_differ() {
    for bits in 8..=16 {
        let mix = Mix::new::<u64>(bits);
        let images: HashSet<u64> = (0..1u64 << bits).map(|k| k.image(&mix)).collect();
        assert_eq!(images.len(), 1 << bits);
        let wide = Mix::new::<u128>(bits);
        let images: HashSet<u128> = (0..1u128 << bits).map(|k| k.image(&wide)).collect();
        assert_eq!(images.len(), 1 << bits);
    }
}

#[test]
fn twelve_bits_against_a_hash_set() {
    for (g, growth) in growths().into_iter().enumerate() {
        for bits in [1, 7, 8, 9, 12] {
            let many = (1u64 << bits) * 3 / 2;
            let keys: Vec<u64> = (0..many).map(|i| scatter(i + g as u64) >> (64 - bits)).collect();
            let others: Vec<u64> = (0..1 << bits).collect();
            compare(Visited::with_growth(bits, growth), &keys, &others);
            compare(Flat::new(bits), &keys, &others);
            // All there are.
            let full = compare(Visited::with_growth(bits, growth), &others, &[]);
            assert_eq!(full.count(), 1 << bits);
        }
    }
}

#[test]
fn wider_keys_go_through_all_widths() {
    let mut seen: HashSet<Width> = HashSet::new();
    let mut aside = 0;
    for (g, growth) in growths().into_iter().enumerate() {
        for bits in [13, 17, 20, 22, 24, 25, 30, 33, 37, 40, 45, 50, 55, 60, 63] {
            let keys: Vec<u64> = (0..6000).map(|i| scatter(i % 4500 + g as u64 * 7919) >> (64 - bits)).collect();
            let others: Vec<u64> = (0..500).map(|i| scatter(!i) >> (64 - bits)).collect();
            for part in [60, 700, 6000] {
                let store = compare(Visited::with_growth(bits, growth), &keys[..part], &others);
                seen.extend(store.widths());
                aside += store.overflow();
            }
        }
        for bits in [12, 40, 63, 64, 65, 69, 70, 71, 72, 77, 80, 88, 90, 96, 101, 110, 118, 120, 126, 127] {
            let key = |i: u64| (u128::from(scatter(i)) << 64 | u128::from(scatter(!i))) >> (128 - bits);
            let keys: Vec<u128> = (0..6000).map(|i| key(i % 4500 + g as u64 * 7919)).collect();
            let others: Vec<u128> = (0..500).map(|i| key(i + 1_000_000)).collect();
            for part in [60, 700, 6000] {
                let store = compare(Visited::with_growth(bits, growth), &keys[..part], &others);
                seen.extend(store.widths());
                aside += store.overflow();
            }
        }
    }
    assert!(aside > 0);
    for width in Width::ALL {
        assert!(seen.contains(&width), "{width:?} was never used");
    }
}

/// One bucket a shard, whose slots have exactly the bits of what is kept: the greatest such number has no slot.
fn greatest_remainder<K: Image>(bits: u32, width: Width) {
    let mix = Mix::new::<K>(bits);
    let place = 8 * size_of::<K>() as u32 - bits;
    let ends = |end: u128| (0..64u128).map(move |shard| ((shard << (bits - 6)) | end) << place);
    let greatest = (1u128 << (bits - 6)) - 1;
    let keys = |end| ends(end).map(|i| K::of_halves(i as u64, (i >> 64) as u64).key(&mix)).collect::<Vec<K>>();
    let growth = Growth { first: 4, next: |k| k * 2, load_max: |_| 100, bytes_max: |_| u64::MAX, ..Growth::default() };
    let mut store = compare(Visited::with_growth(bits, growth), &keys(greatest), &keys(0));
    assert!(store.widths().all(|w| w == width), "{bits} bits");
    assert_eq!(store.overflow(), 64);
    for key in keys(0).into_iter().chain(keys(greatest - 1)) {
        assert!(store.add(key) && !store.add(key));
    }
    assert_eq!((store.count(), store.overflow()), (192, 64));
    let images: Vec<K> = listed(&store).into_iter().map(|k| k.image(&mix)).collect();
    assert_eq!(images.len(), 192);
    assert!(images.is_sorted());
}

#[test]
fn what_no_slot_can_hold_is_kept_aside() {
    greatest_remainder::<u64>(22, Width::Two);
    greatest_remainder::<u64>(30, Width::Three);
    greatest_remainder::<u64>(38, Width::Four);
    greatest_remainder::<u64>(46, Width::Five);
    greatest_remainder::<u64>(54, Width::Six);
    greatest_remainder::<u128>(54, Width::Six);
    greatest_remainder::<u128>(70, Width::Eight);
    greatest_remainder::<u128>(86, Width::Ten);
    greatest_remainder::<u128>(102, Width::Twelve);
}

#[test]
fn plain_counters_spread() {
    // Keys as a search makes them: small numbers side by side.
    for (bits, keys) in [
        (45, (0..200_000u64).collect::<Vec<u64>>()),
        (45, (0..200_000).map(|i| i << 25).collect()),
        (55, (0..200_000).map(|i| ((i % 7) << 50) | ((i / 7 % 100) << 30) | (i / 700)).collect()),
        (63, (0..200_000).map(|i| ((i % 1000) << 53) | ((i / 1000) << 3)).collect()),
    ] {
        let mut store: Visited<u64> = Visited::new(bits);
        for &k in &keys {
            assert!(store.add(k));
        }
        let side = store.overflow() as f64 / store.count() as f64;
        assert!(side < 0.06, "{bits} bits: {side}");
    }
}

fn same_whatever_the_order<K: Word + Debug, S: Store<K>>(new: impl Fn() -> S, keys: &[K]) {
    let lists: Vec<Vec<K>> = (0..4)
        .map(|turn| {
            let mut store = new();
            let mut order: Vec<usize> = (0..keys.len()).collect();
            order.sort_by_key(|i| if turn == 0 { *i as u64 } else { scatter(*i as u64 * 4 + turn) });
            for i in order {
                store.add(keys[i]);
            }
            listed(&store)
        })
        .collect();
    assert!(lists.windows(2).all(|w| w[0] == w[1]));
}

#[test]
fn listing_is_in_the_order_of_images_whatever_the_order_of_insertion() {
    for growth in growths() {
        for bits in [12, 20, 45, 63] {
            let keys: Vec<u64> = (0..3000).map(|i| scatter(i) >> (64 - bits)).collect();
            same_whatever_the_order(|| Visited::with_growth(bits, growth), &keys);
            let mut store = Visited::with_growth(bits, growth);
            keys.iter().for_each(|k| {
                store.add(*k);
            });
            let images: Vec<u64> = listed(&store).iter().map(|k| store.image(*k)).collect();
            assert!(images.is_sorted());
        }
        for bits in [64, 70, 71, 90, 127] {
            let key = |i: u64| (u128::from(scatter(i)) << 64 | u128::from(scatter(!i))) >> (128 - bits);
            let keys: Vec<u128> = (0..3000).map(key).collect();
            same_whatever_the_order(|| Visited::with_growth(bits, growth), &keys);
        }
    }
}

#[test]
fn shards_filled_by_several_workers() {
    use rayon::prelude::*;
    let mut store: Visited<u64> = Visited::new(45);
    let keys: Vec<u64> = (0..100_000).map(|i| scatter(i) >> 19).collect();
    let mut boxes: Vec<Vec<u64>> = vec![Vec::new(); store.shards().len()];
    for &k in &keys {
        let image = store.image(k);
        boxes[<Visited<u64> as Store<u64>>::shard_of(image)].push(image);
    }
    store.shards_mut().par_iter_mut().zip(&boxes).for_each(|(shard, images)| {
        for &image in images {
            shard.add(image);
        }
    });
    let mut plain: Visited<u64> = Visited::new(45);
    keys.iter().for_each(|k| {
        plain.add(*k);
    });
    assert_eq!(store.take_fresh(), plain.take_fresh());
    assert_eq!(listed(&store), listed(&plain));
}

#[test]
fn a_small_set_is_small() {
    let mut store: Visited<u64> = Visited::new(45);
    for i in 0..50 {
        store.add(i);
    }
    assert!(store.bytes() < 16 << 10, "{}", store.bytes());
}

proptest! {
    #[test]
    fn images_have_keys(bits in 8u32..=63, low: u64) {
        bijection::<u64>(bits, low, 0);
    }
    #[test]
    fn wide_images_have_keys(bits in 8u32..=127, low: u64, high: u64) {
        bijection::<u128>(bits, low, high);
    }
    #[test]
    fn any_keys(bits in 8u32..=63, g in 0usize..6, keys in prop::collection::vec(any::<u64>(), 0..400), few in 0u32..50) {
        // Few different keys come again, and many stand close together.
        let keys: Vec<u64> = keys.iter().map(|k| (k >> few.min(63)) & (u64::MAX >> (64 - bits))).collect();
        compare(Visited::with_growth(bits, growths()[g]), &keys, &[0, 1]);
    }
    #[test]
    fn any_wide_keys(bits in 64u32..=127, g in 0usize..6, keys in prop::collection::vec(any::<u128>(), 0..400), few in 0u32..120) {
        let keys: Vec<u128> = keys.iter().map(|k| (k >> few) & (u128::MAX >> (128 - bits))).collect();
        compare(Visited::with_growth(bits, growths()[g]), &keys, &[0, 1]);
    }
}
