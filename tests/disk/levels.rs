//! Levels in memory and in files: what is written is read; what is not as it was written is refused.

use super::faulty::{End, Faulty};
use facedown::explore::disk::block::Stored;
use facedown::explore::disk::files::{Disk, Kind, Lasting, Real, seal_of};
use facedown::explore::disk::levels::Level;
use facedown::explore::disk::reader::LevelReader;
use facedown::explore::disk::writer::{Index, LevelWriter};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

fn real() -> Arc<dyn Disk> {
    Arc::new(Real)
}

fn check<K: Stored>(keys: &[K]) {
    let dir = tempfile::tempdir().unwrap();
    let level = Level::encode(keys).unwrap();
    let read = |level: &Level<K>| level.iter().map(Result::unwrap).collect::<Vec<K>>();
    assert_eq!(level.len(), keys.len() as u64);
    assert_eq!(level.blocks(), keys.len().div_ceil(2048));
    assert_eq!(read(&level), keys);
    let path = dir.path().join("level");
    let written = level.write(&real(), &path).unwrap();
    assert_eq!(read(&written), keys);
    let opened = Level::<K>::open(&path).unwrap();
    assert_eq!(read(&opened), keys);
    assert_eq!((opened.len(), opened.blocks(), opened.bytes()), (level.len(), level.blocks(), level.bytes()));
    assert_eq!(opened.file().unwrap(), (path.as_path(), seal_of(&path).unwrap()));
    assert_eq!(written.file(), opened.file());
    // Written in a stream, whatever the memory and the portions: the same bytes.
    for (blocks, portion) in [(1, 1), (3, 700), (100, 50_000)] {
        let other = dir.path().join("other");
        let mut writer = LevelWriter::create(&real(), &other, blocks, Index::Dropped).unwrap();
        keys.chunks(portion).for_each(|part| writer.extend(part).unwrap());
        let told = writer.finish(Lasting::Process).unwrap();
        assert_eq!((told.keys, told.seal), (keys.len() as u64, seal_of(&path).unwrap()));
        assert_eq!(std::fs::read(&other).unwrap(), std::fs::read(&path).unwrap());
        let reader = LevelReader::<K>::open(&other, blocks).unwrap();
        assert_eq!(reader.map(Result::unwrap).collect::<Vec<K>>(), keys);
    }
    let copy = opened.write(&real(), &dir.path().join("copy")).unwrap();
    assert_eq!(copy.file().unwrap().1, opened.file().unwrap().1);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3, "no draft is left");
}

#[test]
fn round_trips() {
    check::<u64>(&[]);
    check::<u128>(&[]);
    check(&[u64::MAX]);
    check(&[0, u128::MAX]);
    check(&(0..2048u64).collect::<Vec<_>>());
    check(&(0..2049u64).map(|k| k * k).collect::<Vec<_>>());
    check(&(0..50_000u64).map(|k| k * k * 3).collect::<Vec<_>>());
    check(&(0..50_000u128).map(|k| (k * k * k) << 70).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_keys(keys in prop::collection::btree_set(any::<u64>(), 0..6000), shift in 0..60) {
        let keys: BTreeSet<u64> = keys.into_iter().map(|k| k >> shift).collect();
        check(&keys.into_iter().collect::<Vec<_>>());
    }
    #[test]
    fn any_wide_keys(keys in prop::collection::btree_set(any::<u128>(), 0..5000), shift in 0..120) {
        let keys: BTreeSet<u128> = keys.into_iter().map(|k| k >> shift).collect();
        check(&keys.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn threads_do_not_change_bytes() {
    let keys: Vec<u64> = (0..200_000).map(|k| k * 977 + k % 13).collect();
    let with = |threads| {
        let dir = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Level::encode(&keys).unwrap().write(&real(), &dir.path().join("l")).unwrap().file().unwrap().1)
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn keys_out_of_order_are_refused() {
    assert_eq!(Level::encode(&[2u64, 1]).unwrap_err().kind, Kind::Misuse);
    assert_eq!(Level::encode(&[1u64, 1]).unwrap_err().kind, Kind::Misuse);
    let dir = tempfile::tempdir().unwrap();
    let mut writer = LevelWriter::<u64>::create(&real(), &dir.path().join("l"), 1, Index::Kept).unwrap();
    writer.push(5).unwrap();
    assert_eq!(writer.push(5).unwrap_err().kind, Kind::Misuse);
    writer.push(6).unwrap();
}

#[test]
fn every_flipped_bit_and_every_cut_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("level");
    let keys: Vec<u64> = (0..300).map(|k| k * k * k).collect();
    Level::encode(&keys).unwrap().write(&real(), &path).unwrap();
    let good = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        std::fs::write(&path, bytes).unwrap();
        let fault = Level::<u64>::open(&path).map(|_| ()).expect_err(what);
        assert_eq!(fault.kind, Kind::Corrupt, "{what}: {fault}");
        let read = LevelReader::<u64>::open(&path, 1).and_then(|r| r.collect::<Result<Vec<u64>, _>>());
        assert_eq!(read.expect_err(what).kind, Kind::Corrupt, "{what}");
    };
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        refused(&bad, &format!("byte {at}"));
        refused(&good[..at], &format!("cut at {at}"));
    }
    let mut long = good.clone();
    long.extend([0; 7]);
    refused(&long, "seven more bytes");
    std::fs::write(&path, &good).unwrap();
    assert_eq!(Level::<u128>::open(&path).unwrap_err().kind, Kind::Corrupt, "keys of another width");
    assert_eq!(Level::<u64>::open(&dir.path().join("none")).unwrap_err().kind, Kind::System);
}

#[test]
fn a_file_changed_after_it_was_opened_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("level");
    let keys: Vec<u64> = (0..5000).map(|k| k * 12_345).collect();
    let level = Level::encode(&keys).unwrap().write(&real(), &path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&path, bytes).unwrap();
    let found: Vec<_> = level.iter().collect();
    assert_eq!(found.last().unwrap().as_ref().unwrap_err().kind, Kind::Corrupt);
    assert_eq!(found.iter().filter(|k| k.is_err()).count(), 1);
    let mut out = Vec::new();
    assert_eq!(level.decode_block(99, &mut out).unwrap_err().kind, Kind::Misuse);
}

#[test]
fn a_file_whose_writing_failed_never_gets_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("l");
    let faulty = Faulty::new(u64::MAX, 3000, End::Once);
    let mut writer = LevelWriter::create(&faulty.disk(), &path, 1, Index::Kept).unwrap();
    let keys: Vec<u64> = (0..2048).map(|k| k * k * 7919).collect();
    assert_eq!(writer.extend(&keys).unwrap_err().kind, Kind::Full);
    faulty.heal();
    assert_eq!(writer.finish(Lasting::Power).unwrap_err().kind, Kind::Misuse);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
