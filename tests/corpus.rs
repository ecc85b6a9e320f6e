//! The seed corpus of the fuzz targets, replayed through the same functions. The name of a file says what must come of
//! it: `valid-…` is accepted, `broken-L203-…` is refused with that code, `unread-…` is not even text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use facedown::lang::probe::{self, Probed};

/// What came of an input, in the words that file names use.
fn outcome(bytes: &[u8]) -> Result<(&'static str, Vec<&'static str>), String> {
    let parsed = probe::parse(bytes)?;
    let checked = probe::check(bytes)?;
    Ok(match (parsed, checked) {
        (Probed::Accepted, Probed::Accepted) => ("valid", Vec::new()),
        (Probed::NotRead, Probed::NotRead) => ("unread", Vec::new()),
        // What does not parse is not checked, and what is refused later did parse.
        (_, Probed::Refused(diags)) => ("broken", diags.iter().map(|d| d.code.as_str()).collect()),
        (parsed, checked) => return Err(format!("parsing and checking do not agree: {parsed:?}, {checked:?}")),
    })
}

/// Why an outcome is not what the name of a file promises.
fn broken_promise(name: &str, outcome: &(&'static str, Vec<&'static str>)) -> Option<String> {
    let mut parts = name.split('-');
    let (kind, code) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let kept = kind == outcome.0 && (kind != "broken" || outcome.1.contains(&code));
    (!kept).then(|| format!("{name}: {} {}", outcome.0, outcome.1.join(" ")))
}

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

#[test]
fn every_input_of_the_corpus_keeps_its_promise() {
    let corpus = corpus();
    assert!(corpus.len() >= 20, "the corpus has {} inputs", corpus.len());
    let told = |(name, bytes): &(String, Vec<u8>)| match outcome(bytes) {
        Ok(outcome) => broken_promise(name, &outcome),
        Err(why) => Some(format!("{name}: {why}")),
    };
    let faults: Vec<String> = corpus.iter().filter_map(told).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_beginning_of_an_input_is_told_or_accepted() {
    for (name, bytes) in corpus() {
        for end in 0..bytes.len() {
            let beginning = &bytes[..end];
            assert!(probe::parse(beginning).is_ok(), "{name} up to byte {end}: {:?}", probe::parse(beginning));
            assert!(probe::check(beginning).is_ok(), "{name} up to byte {end}: {:?}", probe::check(beginning));
        }
    }
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let bytes = vec![b'#'; (1 << 20) + 1];
    assert_eq!(outcome(&bytes), Ok(("unread", Vec::new())));
    assert_eq!(outcome(&bytes[1..]), Ok(("valid", Vec::new())));
}

#[test]
fn a_wrong_promise_is_noticed() {
    assert_eq!(broken_promise("valid-a.txt", &("valid", vec![])), None);
    assert_eq!(broken_promise("broken-L203-a.txt", &("broken", vec!["L201", "L203"])), None);
    assert!(broken_promise("broken-L203-a.txt", &("broken", vec!["L201"])).is_some());
    assert!(broken_promise("valid-a.txt", &("broken", vec!["L201"])).is_some());
}
