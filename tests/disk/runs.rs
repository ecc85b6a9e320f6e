//! The visited set on disk does what a set in memory does, with any memory, and survives a disk that fails.

use super::faulty::{End, Faulty};
use facedown::explore::disk::block::Stored;
use facedown::explore::disk::files::{Disk, Kind, Real};
use facedown::explore::disk::levels::Level;
use facedown::explore::disk::runs::{Room, Spilled};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn real() -> Arc<dyn Disk> {
    Arc::new(Real)
}

fn keys<K: Stored>(level: &Level<K>) -> Vec<K> {
    level.iter().map(Result::unwrap).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn tiny() -> impl Strategy<Value = Room> {
    (1usize..60, 0u32..5, 2usize..5, 1usize..3).prop_map(|(candidates_max, lately, feeds_max, blocks)| Room {
        candidates_max,
        lately: (1 << lately) & !1,
        feeds_max,
        blocks,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn levels_are_those_of_a_set(
        room in tiny(),
        adopted in prop::collection::vec(prop::collection::btree_set(0u64..500, 0..30), 0..9),
        pushes in prop::collection::vec(prop::collection::vec(0u64..500, 0..200), 1..6),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut set = Spilled::create(&real(), &dir.path().join("runs"), room).unwrap();
        let mut seen: BTreeSet<u64> = adopted.iter().flatten().copied().collect();
        let levels: Vec<_> = adopted.iter().map(|l| Level::encode(&l.iter().copied().collect::<Vec<_>>()).unwrap()).collect();
        set.adopt(&levels).unwrap();
        prop_assert_eq!(set.count(), seen.len() as u64);
        for (i, part) in pushes.iter().enumerate() {
            for some in part.chunks(7) {
                set.push(some).unwrap();
            }
            let level = set.end_level(&dir.path().join(format!("{i}"))).unwrap();
            let fresh: BTreeSet<u64> = part.iter().copied().filter(|k| !seen.contains(k)).collect();
            seen.extend(&fresh);
            prop_assert_eq!(keys(&level), fresh.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(set.count(), seen.len() as u64);
            prop_assert_eq!(level.file().unwrap().1, *Level::<u64>::open(&dir.path().join(format!("{i}"))).unwrap().file().map(|(_, s)| s).as_ref().unwrap());
            let files = names(&dir.path().join("runs"));
            prop_assert!(files.len() <= 2, "{:?}", files);
        }
        drop(set);
        prop_assert_eq!(names(&dir.path().join("runs")), vec!["facedown-runs.lock"]);
    }

    #[test]
    fn a_fault_anywhere_changes_nothing(
        room in tiny(),
        first in prop::collection::vec(any::<u128>(), 1..150),
        second in prop::collection::vec(any::<u128>(), 1..150),
        at in any::<prop::sample::Index>(),
        full in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = |i: u32| dir.path().join(format!("{i}"));
        let faulty = Faulty::new(u64::MAX, u64::MAX, End::Once);
        let mut set = Spilled::create(&faulty.disk(), &dir.path().join("runs"), room).unwrap();
        set.push(&first).unwrap();
        let one = set.end_level(&path(1)).unwrap();
        let before = faulty.ops_done();
        match full {
            true => faulty.limit_bytes(at.index(6000) as u64),
            false => faulty.limit_ops(at.index(before as usize) as u64),
        }
        let mut faults = 0;
        let mut heal = |fault: facedown::explore::disk::files::Fault| {
            assert_eq!(fault.kind, if full { Kind::Full } else { Kind::System }, "{fault}");
            faults += 1;
            assert!(faults < 3);
            assert_eq!(keys(&Level::<u128>::open(&path(1)).unwrap()), keys(&one));
            faulty.heal();
        };
        while let Err(fault) = set.push(&second) {
            heal(fault);
        }
        let two = loop {
            match set.end_level(&path(2)) {
                Ok(level) => break level,
                Err(fault) => {
                    assert!(!path(2).exists());
                    heal(fault);
                }
            }
        };
        let seen: BTreeSet<u128> = first.iter().copied().collect();
        let fresh: BTreeSet<u128> = second.into_iter().filter(|k| !seen.contains(k)).collect();
        prop_assert_eq!(keys(&two), fresh.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(set.count() as usize, seen.len() + fresh.len());
        prop_assert!(names(&dir.path().join("runs")).iter().all(|n| !n.ends_with(".tmp")));
        // The removal of a run may be the operation that failed.
        let most = if full { 2 } else { 3 };
        prop_assert!(names(&dir.path().join("runs")).len() <= most, "{:?}", names(&dir.path().join("runs")));
    }
}

#[test]
fn big_blocks_flow_together() {
    let dir = tempfile::tempdir().unwrap();
    for room in [
        Room { candidates_max: 9000, lately: 64, feeds_max: 2, blocks: 1 },
        Room { candidates_max: 9000, lately: 0, feeds_max: 3, blocks: 20 },
        Room::of::<u64>(0),
    ] {
        let mut set = Spilled::create(&real(), &dir.path().join("runs"), room).unwrap();
        let mut seen = BTreeSet::new();
        let mut x = 7u64;
        for i in 0..4 {
            let part: Vec<u64> = (0..60_000)
                .map(|_| {
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    x >> 46
                })
                .collect();
            set.push(&part).unwrap();
            let level = set.end_level(&dir.path().join(format!("{i}"))).unwrap();
            let fresh: BTreeSet<u64> = part.into_iter().filter(|k| !seen.contains(k)).collect();
            assert_eq!(keys(&level), fresh.iter().copied().collect::<Vec<_>>());
            seen.extend(fresh);
            assert_eq!(set.count(), seen.len() as u64);
        }
    }
}

#[test]
fn the_division_of_memory_keeps_within_it() {
    for bytes in [Room::bytes_min::<u64>(), 1 << 24, 1 << 26, 1 << 30, 1 << 34] {
        let room = Room::of::<u64>(bytes);
        assert!(room.bytes::<u64>() <= bytes, "{room:?} of {bytes}");
        assert!(room.candidates_max * 8 * 3 > bytes * 2 - bytes / 8 * 3 / 2, "{room:?} of {bytes}");
        let bytes = bytes.max(Room::bytes_min::<u128>());
        assert!(Room::of::<u128>(bytes).bytes::<u128>() <= bytes);
    }
}

#[test]
fn one_search_a_directory_and_leftovers_go() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("00000007.run"), "x").unwrap();
    std::fs::write(dir.path().join("00000008.run.tmp"), "x").unwrap();
    std::fs::write(dir.path().join("mine.txt"), "x").unwrap();
    let room = Room { candidates_max: 10, lately: 0, feeds_max: 2, blocks: 1 };
    let set = Spilled::<u64>::create(&real(), dir.path(), room).unwrap();
    assert_eq!(names(dir.path()), ["facedown-runs.lock", "mine.txt"]);
    let fault = Spilled::<u64>::create(&real(), dir.path(), room).map(|_| ()).unwrap_err();
    assert!(fault.to_string().contains("another search is using this directory"), "{fault}");
    drop(set);
    Spilled::<u64>::create(&real(), dir.path(), room).unwrap();
}

#[test]
fn a_flipped_bit_in_the_visited_run_is_refused_and_nothing_else_changes() {
    let dir = tempfile::tempdir().unwrap();
    let room = Room { candidates_max: 50, lately: 0, feeds_max: 2, blocks: 1 };
    let mut set = Spilled::<u64>::create(&real(), &dir.path().join("runs"), room).unwrap();
    set.push(&(0..40).map(|k| k * 1000).collect::<Vec<_>>()).unwrap();
    set.end_level(&dir.path().join("0")).unwrap();
    let run = dir.path().join("runs").join(names(&dir.path().join("runs")).remove(0));
    let good = std::fs::read(&run).unwrap();
    set.push(&[5]).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        std::fs::write(&run, bad).unwrap();
        assert_eq!(set.end_level(&dir.path().join("1")).unwrap_err().kind, Kind::Corrupt, "byte {at}");
        assert!(!dir.path().join("1").exists());
    }
    std::fs::write(&run, good).unwrap();
    assert_eq!(keys(&set.end_level(&dir.path().join("1")).unwrap()), [5]);
}
