//! The shipped model passes, and its worlds have the sizes that the reviewed baseline pins. The largest default world is
//! left to the main job, which compares all of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::Command;

fn check(more: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_facedown")).arg("check").args(more).output().unwrap();
    (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Every default world but the largest: no deep one.
fn worlds() -> Vec<String> {
    let text = std::fs::read_to_string("reports/baseline.json").unwrap();
    let baseline: serde_json::Value = serde_json::from_str(&text).unwrap();
    let names: Vec<String> = baseline["worlds"].as_object().unwrap().keys().cloned().collect();
    assert!(names.iter().any(|n| n == "deep") && names.len() >= 9);
    names
        .into_iter()
        .filter(|n| !n.starts_with("deep") && n != "flips")
        .flat_map(|n| ["--world".to_string(), n])
        .collect()
}

#[test]
fn counts_and_verdicts_are_those_of_the_baseline() {
    let worlds = worlds();
    let mut args: Vec<&str> = worlds.iter().map(String::as_str).collect();
    args.extend(["--baseline", "reports/baseline.json"]);
    let (status, out) = check(&args);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.lines().last().unwrap().starts_with("PASS"), "{out}");
}

#[test]
fn another_count_is_a_difference() {
    let text = std::fs::read_to_string("reports/baseline.json").unwrap();
    let mut baseline: serde_json::Value = serde_json::from_str(&text).unwrap();
    let states = &mut baseline["worlds"]["tiny"]["unique_states"];
    *states = (states.as_u64().unwrap() + 1).into();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baseline.json");
    std::fs::write(&path, baseline.to_string()).unwrap();
    let (status, out) = check(&["--world", "tiny", "--baseline", path.to_str().unwrap()]);
    assert_eq!(status, Some(1));
    assert!(out.contains("world tiny: 52 states, baseline says 53"), "{out}");
}

#[test]
fn output_does_not_depend_on_threads() {
    let run =
        |threads: &str| check(&["--world", "casting", "--world", "tokens", "--threads", threads, "--format", "text"]);
    let one = run("1");
    assert_eq!(one.0, Some(0));
    assert_eq!(one, run("2"));
    assert_eq!(one, run("8"));
}
