//! One golden pair for each error code: `tests/errors/L203.facedown` is the input and `L203.txt` the exact text shown for
//! it. Codes that only a play raises are raised by a ruling or world of the input. UPDATE_GOLDEN=1 writes the texts anew, which
//! is refused where CI is set.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use facedown::judge::run::ExploreOptions;
use facedown::judge::world::run_world;
use facedown::lang::check::{Options, check};
use facedown::lang::diag::{Code, Diag, render};
use facedown::lang::lex::FILE_BYTES_MAX;
use facedown::lang::parse::parse;
use facedown::lang::source::Sources;

/// Codes whose golden has no input beside it, each with its reason.
const ELSEWHERE: &[(&str, &str)] = &[
    ("L104", "a file of a megabyte is no golden: `a_large_file` makes one"),
    ("L408", "no input is known that brings the program to contradict itself"),
    ("L304", "it is about files of a search: tests/killed.rs and tests/disk"),
    ("L303", "it is about files that can't be read: `a_folder_that_is_not_there`"),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// All that is wrong with a text: with its grammar, else with its meaning, else with its rulings and worlds.
fn found(path: &str, text: &str) -> (BTreeSet<Code>, String) {
    let mut sources = Sources::default();
    let file = sources.add(path, text);
    let (tree, mut diags) = parse(file, text);
    if diags.is_empty() {
        match check(&[tree], &Options::default()) {
            Err(wrong) => diags = wrong,
            Ok(program) => {
                for ruling in 0..program.rulings.len() {
                    if let Some((code, span, message)) = facedown::judge::rulings::run(&program, ruling).failure {
                        diags.push(Diag::new(code, span, message));
                    }
                }
                let options = ExploreOptions { threads: 1, limit_states: Some(3000), ..ExploreOptions::default() };
                for (world, declared) in program.worlds.iter().enumerate() {
                    if let Err((code, message)) = run_world(&program, world, &options) {
                        diags.push(Diag::new(code, declared.span, message));
                    }
                }
            }
        }
    }
    (diags.iter().map(|d| d.code).collect(), render(&sources, &diags, false))
}

fn is_updating() -> bool {
    let updating = std::env::var_os("UPDATE_GOLDEN").is_some();
    assert!(!(updating && std::env::var_os("CI").is_some()), "goldens are not updated where CI is set");
    updating
}

#[test]
fn each_code_is_shown_as_its_golden_says() {
    for code in Code::ALL {
        let name = code.as_str();
        let input = folder().join(format!("{name}.facedown"));
        let elsewhere = ELSEWHERE.iter().any(|(c, _)| *c == name);
        assert_ne!(input.exists(), elsewhere, "{name} needs an input in tests/errors, or a reason in ELSEWHERE");
        if elsewhere {
            continue;
        }
        let text = fs::read_to_string(&input).unwrap();
        let (codes, shown) = found(&format!("{name}.facedown"), &text);
        assert_eq!(codes, BTreeSet::from([*code]), "{name}.facedown shows\n{shown}");
        shown_as_golden(name, &shown);
    }
}

/// Compares a text with its golden, or writes that anew.
fn shown_as_golden(name: &str, shown: &str) {
    let golden = folder().join(format!("{name}.txt"));
    if is_updating() {
        fs::write(&golden, shown).unwrap();
    }
    assert_eq!(shown, fs::read_to_string(&golden).unwrap_or_default(), "{name}.txt");
}

#[test]
fn no_golden_is_left_over() {
    let known: BTreeSet<&str> = Code::ALL.iter().map(|c| c.as_str()).collect();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let end = path.extension().unwrap().to_string_lossy().into_owned();
        assert!(known.contains(stem.as_str()) && ["facedown", "txt"].contains(&end.as_str()), "{}", path.display());
    }
    for (code, reason) in ELSEWHERE {
        assert!(known.contains(code) && !reason.is_empty());
    }
}

/// One lowercase sentence without a final dot, and no line of it wider than a screen.
#[test]
fn texts_are_sentences() {
    for code in Code::ALL {
        let meaning = code.meaning();
        assert!(meaning.starts_with(|c: char| c.is_lowercase() || c == '`'), "{} {meaning}", code.as_str());
        assert!(!meaning.ends_with('.'), "{} {meaning}", code.as_str());
        let input = folder().join(format!("{}.facedown", code.as_str()));
        let Ok(text) = fs::read_to_string(input) else { continue };
        let shown = found("x", &text).1;
        assert!(shown.contains("= help: "), "{} says not what to do next\n{shown}", code.as_str());
        for title in shown.lines().filter_map(|l| l.strip_prefix("error[")) {
            let (_, message) = title.split_once("]: ").unwrap();
            let starts = |c: char| c.is_lowercase() || c == '`' || c.is_ascii_digit();
            assert!(message.starts_with(starts) || message.starts_with("a "), "{title}");
            assert!(!message.ends_with('.') && message.len() < 120, "{title}");
            assert!(!message.contains("Some(") && !message.contains("::"), "{title}");
        }
    }
}

#[test]
fn a_large_file() {
    let (codes, shown) = found("large.rules", &" ".repeat(FILE_BYTES_MAX + 1));
    assert_eq!(codes, BTreeSet::from([Code::L104]));
    shown_as_golden("L104", &shown);
}

#[test]
fn a_folder_that_is_not_there() {
    let args = ["fmt", "--check", "no-such-folder"];
    let out = Command::new(env!("CARGO_BIN_EXE_facedown")).args(args).current_dir(folder()).output().unwrap();
    let shown = String::from_utf8(out.stderr).unwrap();
    let (finding, _) = shown.split_once("\n\n").unwrap_or((&shown, ""));
    shown_as_golden("L303", &format!("{finding}\n"));
}
