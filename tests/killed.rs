//! A search that is killed goes on from its checkpoint to the same report, whenever it was killed; and a checkpoint that is
//! not what it should be is refused or passed over, and said to be.

#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A world whose search takes a few seconds here, and has more than twenty levels or so.
const WORLD: &str = "prices";

fn facedown(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_facedown"));
    command.args(["check", "--world", WORLD, "--format", "proof"]).args(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ended(args: &[&str]) -> Output {
    facedown(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The folder of the world in a checkpoint, and its files whose names begin so.
fn files(dir: &Path, begin: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(dir.join(WORLD)).unwrap().map(|e| e.unwrap().path());
    let mut some: Vec<PathBuf> = all.filter(|p| p.file_name().unwrap().to_string_lossy().starts_with(begin)).collect();
    some.sort();
    some
}

#[test]
fn killed_at_twenty_moments_it_comes_to_the_same() {
    let began = Instant::now();
    let whole = ended(&[]);
    let span = began.elapsed();
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stderr));
    let mut killed = 0;
    for moment in 0..20u32 {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("kept");
        let at = at.to_str().unwrap();
        let mut child = facedown(&["--checkpoint", at]).spawn().unwrap();
        // Moments are spread over the whole run, and over whatever lies between.
        let share = (moment * 7 + 3) % 20;
        std::thread::sleep(span.mul_f64(f64::from(share) / 20.0) + Duration::from_millis(u64::from(moment * 13 % 17)));
        child.kill().unwrap();
        killed += u32::from(child.wait().unwrap().code().is_none());
        let resumed = ended(&["--resume", at]);
        assert_eq!(resumed.status.code(), Some(0), "moment {moment}: {}", text(&resumed.stderr));
        assert_eq!(text(&resumed.stdout), text(&whole.stdout), "moment {moment}");
    }
    assert!(killed >= 10, "only {killed} of 20 were killed before they ended");
}

#[test]
fn a_checkpoint_is_what_it_should_be_or_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().join("kept");
    let whole = ended(&["--checkpoint", at.to_str().unwrap()]);
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stderr));
    let go = |args: &[&str]| {
        let output = ended(args);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let resume = ["--resume", at.to_str().unwrap()];

    // It is there already.
    let (status, _, err) = go(&["--checkpoint", at.to_str().unwrap()]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("go on from it with --resume"), "{err}");
    // Another edition is another model.
    let (status, _, err) = go(&["--resume", at.to_str().unwrap(), "--edition", "2025-02-07"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("was written with model"), "{err}");
    // A torn newest generation: the one before.
    let manifests = files(&at, "manifest-");
    assert_eq!(manifests.len(), 2);
    std::fs::write(&manifests[1], "{").unwrap();
    let (status, out, err) = go(&resume);
    assert_eq!((status, out.as_str()), (Some(0), text(&whole.stdout).as_str()), "{err}");
    assert!(err.contains("from the generation before"), "{err}");
    // A level that is not as it was written, in both generations: refused.
    let level = files(&at, "level-").remove(0);
    let mut bytes = std::fs::read(&level).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&level, bytes).unwrap();
    let (status, _, err) = go(&resume);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("no generation of the checkpoint") && err.contains("is damaged"), "{err}");
    // A folder of something else.
    std::fs::create_dir_all(dir.path().join("other").join(WORLD)).unwrap();
    std::fs::write(dir.path().join("other").join(WORLD).join("notes.txt"), "mine").unwrap();
    let (status, _, err) = go(&["--resume", dir.path().join("other").to_str().unwrap()]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("files that are no checkpoint"), "{err}");
    // Nothing there: from the beginning, and that is said.
    let (status, out, err) = go(&["--resume", dir.path().join("new").to_str().unwrap()]);
    assert_eq!((status, out.as_str()), (Some(0), text(&whole.stdout).as_str()), "{err}");
    assert!(err.contains("holds no checkpoint yet: the search starts at the beginning"), "{err}");
}
