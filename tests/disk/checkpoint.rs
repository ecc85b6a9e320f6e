//! A checkpoint is there whole or not at all, whatever happens while it is written and whatever happens to its files.

use super::faulty::{End, Faulty};
use facedown::explore::disk::checkpoint::{Checkpoint, Found, LOCK_NAME};
use facedown::explore::disk::files::{Disk, Fault, Kind, Real, Seal};
use facedown::explore::disk::levels::Level;
use facedown::explore::disk::manifest::Identity;
use facedown::explore::disk::refusal::Refusal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn real() -> Arc<dyn Disk> {
    Arc::new(Real)
}

fn identity() -> Identity {
    Identity { program: "facedown".to_string(), version: "0.1.0".to_string(), model: "abc".to_string() }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn keys_of(level: u32) -> Vec<u64> {
    (0..3000).map(|k| k * 1000 + u64::from(level)).collect()
}

fn learned_of(generation: u64) -> Vec<u8> {
    vec![generation as u8; 1000 * generation as usize]
}

/// Generation 1 has level 0, generation 2 the levels 0 and 1, and so on.
fn write_one(to: &mut Checkpoint, disk: &Arc<dyn Disk>, levels: &mut Vec<(PathBuf, Seal)>) -> Result<u64, Fault> {
    let level = levels.len() as u32;
    let file = Level::encode(&keys_of(level))?.write(disk, &to.level_path(level))?;
    levels.extend(file.file().map(|(p, s)| (p.to_path_buf(), s)));
    let generation = u64::from(level) + 1;
    to.write(levels, &learned_of(generation), &serde_json::json!({ "generation": generation }))
}

/// A generation must be what was written as such, by what it says of itself.
fn check(found: &Found) -> u64 {
    let generation = found.progress["generation"].as_u64().unwrap();
    assert_eq!(found.learned, learned_of(generation));
    assert_eq!(found.levels.len() as u64, generation);
    for (i, (path, seal)) in found.levels.iter().enumerate() {
        let level = Level::<u64>::open(path).unwrap();
        assert_eq!(level.file().unwrap().1, *seal);
        assert_eq!(level.iter().map(Result::unwrap).collect::<Vec<_>>(), keys_of(i as u32));
    }
    generation
}

fn written(dir: &Path, generations: u64) {
    let mut resume = Checkpoint::open(&real(), dir, &identity()).unwrap();
    let mut levels = Vec::new();
    for _ in 0..generations {
        write_one(&mut resume.checkpoint, &real(), &mut levels).unwrap();
    }
}

fn refused(dir: &Path, identity: &Identity) -> Refusal {
    let before = names(dir);
    let refusal = Checkpoint::open(&real(), dir, identity).map(|_| ()).unwrap_err();
    assert_eq!(names(dir), before, "a refused directory is left as it is");
    refusal
}

#[test]
fn starts_afresh_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("a/b");
    let resume = Checkpoint::open(&real(), &dir, &identity()).unwrap();
    assert!(resume.found.is_none());
    assert!(
        resume.notes[0].ends_with("holds no checkpoint yet: the search starts at the beginning"),
        "{:?}",
        resume.notes
    );
    drop(resume);
    written(&dir, 4);
    let files = [
        LOCK_NAME,
        "learned-00000003.bin",
        "learned-00000004.bin",
        "level-00000.g1.keys",
        "level-00001.g2.keys",
        "level-00002.g3.keys",
        "level-00003.g4.keys",
        "manifest-00000003.json",
        "manifest-00000004.json",
    ];
    assert_eq!(names(&dir), files, "two generations, and what they name");
    for stray in
        ["level-00004.g5.keys", "level-00004.g5.keys.tmp", "manifest-00000005.json.tmp", "learned-00000005.bin"]
    {
        std::fs::write(dir.join(stray), "half").unwrap();
    }
    std::fs::write(dir.join("mine.txt"), "mine").unwrap();
    let mut resume = Checkpoint::open(&real(), &dir, &identity()).unwrap();
    assert!(resume.notes.is_empty());
    let mut levels = resume.found.as_ref().map(|f| f.levels.clone()).unwrap();
    assert_eq!(check(resume.found.as_ref().unwrap()), 4);
    assert_eq!(names(&dir).len(), files.len() + 1, "what a killed process left is gone, other files stay");
    assert_eq!(write_one(&mut resume.checkpoint, &real(), &mut levels).unwrap(), 5);
    // A search that starts again names only its own files.
    let mut levels = Vec::new();
    assert_eq!(write_one(&mut resume.checkpoint, &real(), &mut levels).unwrap(), 6);
    drop(resume);
    assert_eq!(check(Checkpoint::open(&real(), &dir, &identity()).unwrap().found.as_ref().unwrap()), 1);
}

#[test]
fn a_damaged_newest_generation_is_passed_over() {
    let all = tempfile::tempdir().unwrap();
    written(&all.path().join("good"), 3);
    let good = all.path().join("good");
    let only_newest = ["manifest-00000003.json", "learned-00000003.bin", "level-00002.g3.keys"];
    for name in names(&good).into_iter().filter(|n| n != LOCK_NAME) {
        let whole = std::fs::read(good.join(&name)).unwrap();
        let length = whole.len();
        let mut damages =
            vec![None, Some(Vec::new()), Some(whole[..length - 2].to_vec()), Some(whole[..length / 2].to_vec())];
        for at in (0..length - 1).step_by((length / 40).max(1)) {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            damages.push(Some(flipped));
        }
        for damage in damages {
            let dir = all.path().join("bad");
            let _ = std::fs::remove_dir_all(&dir);
            std::fs::create_dir(&dir).unwrap();
            for n in names(&good) {
                std::fs::copy(good.join(&n), dir.join(&n)).unwrap();
            }
            match &damage {
                None => std::fs::remove_file(dir.join(&name)).unwrap(),
                Some(bytes) => std::fs::write(dir.join(&name), bytes).unwrap(),
            }
            if name == "manifest-00000003.json" && damage.is_none() {
                // Without its manifest it is no generation: nothing is there to speak of.
                let resume = Checkpoint::open(&real(), &dir, &identity()).unwrap();
                assert_eq!(check(resume.found.as_ref().unwrap()), 2);
                continue;
            }
            if name.starts_with("level-") && !only_newest.contains(&&*name) {
                // Shared by both generations.
                let refusal = refused(&dir, &identity());
                assert!(matches!(&refusal, Refusal::Damaged(_, why) if why.len() == 2), "{refusal}");
                assert!(refusal.to_string().contains("start again in an empty directory"), "{refusal}");
                continue;
            }
            let mut resume = Checkpoint::open(&real(), &dir, &identity()).unwrap();
            let found = resume.found.as_ref().unwrap();
            if only_newest.contains(&&*name) {
                assert_eq!(check(found), 2, "{name}");
                assert_eq!(resume.notes.len(), 2, "{:?}", resume.notes);
                assert!(resume.notes[0].contains(&name), "{:?}", resume.notes);
                assert!(resume.notes[1].contains("goes on from the generation before, 2"), "{:?}", resume.notes);
            } else {
                // The older one is damaged: nobody needs it.
                assert_eq!(check(found), 3, "{name}");
                assert!(resume.notes.is_empty());
            }
            // And it goes on from there.
            let mut levels = found.levels.clone();
            let told = write_one(&mut resume.checkpoint, &real(), &mut levels).unwrap();
            assert_eq!(told, 4);
            drop(resume);
            let resume = Checkpoint::open(&real(), &dir, &identity()).unwrap();
            assert_eq!(check(resume.found.as_ref().unwrap()), levels.len() as u64);
            assert!(resume.notes.is_empty());
            assert_eq!(names(&dir).iter().filter(|n| n.starts_with("manifest")).count(), 2);
        }
    }
}

#[test]
fn what_is_not_ours_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("thesis.tex"), "").unwrap();
    let refusal = refused(dir.path(), &identity());
    assert!(matches!(refusal, Refusal::Foreign(_)));
    assert!(refusal.to_string().ends_with("holds files that are no checkpoint; give an empty directory or a new one"));

    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 2);
    let other = |what: &str, change: fn(&mut Identity)| {
        let mut identity = identity();
        change(&mut identity);
        let refusal = refused(dir.path(), &identity);
        assert!(matches!(&refusal, Refusal::Other { what: w, .. } if *w == what), "{refusal}");
        refusal.to_string()
    };
    let text = other("model", |i| i.model = "xyz".to_string());
    assert!(text.ends_with("was written with model `abc`, and this is model `xyz`; go on with the model it was written for, or give another directory"), "{text}");
    other("version", |i| i.version = "0.2.0".to_string());
    other("program", |i| i.program = "other".to_string());

    // Another format, as another version would write it: sound, but not for us.
    let path = dir.path().join("manifest-00000002.json");
    let inner = "{\"a\":1}";
    let sum = xxhash_rust::xxh3::xxh3_64(format!("facedown 7 {inner}").as_bytes());
    std::fs::write(
        &path,
        format!("{{\"checkpoint\":\"facedown\",\"format\":7,\"xxh3\":\"{sum:016x}\",\"manifest\":{inner}}}"),
    )
    .unwrap();
    let refusal = refused(dir.path(), &identity());
    assert!(matches!(&refusal, Refusal::Other { what: "format", theirs, .. } if theirs == "7"), "{refusal}");

    // Both damaged.
    std::fs::write(&path, "x").unwrap();
    std::fs::write(dir.path().join("manifest-00000001.json"), "").unwrap();
    assert!(matches!(refused(dir.path(), &identity()), Refusal::Damaged(_, why) if why.len() == 2));
}

#[test]
fn one_process_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let first = Checkpoint::open(&real(), dir.path(), &identity()).unwrap();
    let refusal = refused(dir.path(), &identity());
    assert!(matches!(refusal, Refusal::Taken(_)), "{refusal}");
    drop(first);
    // The lock file is still there, as after kill -9: it does not matter.
    Checkpoint::open(&real(), dir.path(), &identity()).unwrap();
}

#[test]
fn levels_that_are_not_there_or_not_ours_are_not_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut to = Checkpoint::open(&real(), &dir.path().join("c"), &identity()).unwrap().checkpoint;
    let elsewhere = Level::encode(&[1u64]).unwrap().write(&real(), &dir.path().join("level-00000.g1.keys")).unwrap();
    let (path, seal) = elsewhere.file().map(|(p, s)| (p.to_path_buf(), s)).unwrap();
    assert_eq!(to.write(&[(path, seal)], &[], &()).unwrap_err().kind, Kind::Misuse);
    assert_eq!(to.write(&[(to.level_path(0), seal)], &[], &()).unwrap_err().kind, Kind::System);
    assert_eq!(to.generation(), None);
    assert_eq!(to.write(&[], &[], &()).unwrap(), 3);
    assert_eq!(to.generation(), Some(3));
}

/// The process dies, or the power fails, after each operation in turn.
#[test]
fn killed_after_any_operation() {
    for end in [End::Killed, End::Power, End::PowerLastKept] {
        let mut seen = [0; 5];
        for ops in 0.. {
            let dir = tempfile::tempdir().unwrap();
            let faulty = Faulty::new(ops, u64::MAX, end);
            let disk = faulty.disk();
            let mut acknowledged = 0;
            let mut done = true;
            {
                let mut to = Checkpoint::open(&disk, dir.path(), &identity()).unwrap().checkpoint;
                let mut levels = Vec::new();
                for _ in 0..4 {
                    match write_one(&mut to, &disk, &mut levels) {
                        Ok(generation) => acknowledged = generation,
                        Err(_) => {
                            done = false;
                            break;
                        }
                    }
                }
            }
            if end != End::Killed {
                faulty.lose_power();
            }
            let mut resume = Checkpoint::open(&real(), dir.path(), &identity()).unwrap();
            let got = resume.found.as_ref().map_or(0, check);
            assert!(got == acknowledged || got == acknowledged + 1, "{ops}: {got} after {acknowledged}");
            assert!(names(dir.path()).iter().all(|n| !n.ends_with(".tmp")));
            seen[got as usize] += 1;
            let mut levels = resume.found.map_or_else(Vec::new, |f| f.levels);
            write_one(&mut resume.checkpoint, &real(), &mut levels).unwrap();
            drop(resume.checkpoint);
            let again = Checkpoint::open(&real(), dir.path(), &identity()).unwrap();
            assert_eq!(check(again.found.as_ref().unwrap()), got + 1);
            if done && faulty.ops_done() < ops {
                break;
            }
        }
        assert!(seen.iter().all(|n| *n > 1), "{seen:?}");
    }
}

/// One operation fails and the process lives: the generations are as they were, and the next attempt works.
#[test]
fn a_fault_at_any_operation() {
    for ops in 0.. {
        let dir = tempfile::tempdir().unwrap();
        let faulty = Faulty::new(ops, u64::MAX, End::Once);
        let disk = faulty.disk();
        let mut to = Checkpoint::open(&disk, dir.path(), &identity()).unwrap().checkpoint;
        let mut levels: Vec<(PathBuf, Seal)> = Vec::new();
        while levels.len() < 4 {
            let before = levels.len();
            if write_one(&mut to, &disk, &mut levels).is_err() {
                levels.truncate(before);
            }
        }
        drop(to);
        let resume = Checkpoint::open(&real(), dir.path(), &identity()).unwrap();
        assert_eq!(check(resume.found.as_ref().unwrap()), 4, "{ops}");
        assert!(resume.notes.is_empty());
        if faulty.ops_done() < ops {
            break;
        }
    }
}

/// A disk that fills up at any byte leaves the generations as they were, and says so.
#[test]
fn full_at_any_byte() {
    for bytes in (0..60_000).step_by(977) {
        let dir = tempfile::tempdir().unwrap();
        let faulty = Faulty::new(u64::MAX, bytes, End::Once);
        let disk = faulty.disk();
        let mut to = Checkpoint::open(&disk, dir.path(), &identity()).unwrap().checkpoint;
        let (mut levels, mut last) = (Vec::new(), 0);
        let fault = loop {
            match write_one(&mut to, &disk, &mut levels) {
                Ok(generation) => last = generation,
                Err(fault) => break fault,
            }
        };
        assert_eq!(fault.kind, Kind::Full);
        assert!(fault.to_string().contains("free some space there"), "{fault}");
        drop(to);
        let resume = Checkpoint::open(&real(), dir.path(), &identity()).unwrap();
        assert_eq!(resume.found.as_ref().map_or(0, check), last);
    }
}
