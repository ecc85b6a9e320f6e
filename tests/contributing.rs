//! What CONTRIBUTING.md and README.md tell a newcomer to do is done here, word for word, on a copy of the model: each
//! block that names a file is written to it, each command of a `console` block is run, and every line shown under it must
//! be printed. Before a block that says `without NAME` the rule of that name is taken out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a document: the words after the fence, and the lines inside.
struct Block<'a> {
    words: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for line in document.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(words), None) => open = Some(Block { words, lines: Vec::new() }),
            (Some(_), Some(block)) => found.push(block),
            (None, Some(mut block)) => {
                block.lines.push(line);
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is never closed");
    found
}

/// The words of a command line; single quotes keep words together.
fn words(line: &str) -> Vec<String> {
    line.split('\'').enumerate().fold(Vec::new(), |mut words, (at, part)| {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
        words
    })
}

/// Does what a document says, in a folder; what went otherwise than it says.
fn follow(document: &str, folder: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for block in blocks(document) {
        if let Some(path) = block.words.strip_prefix("facedown ") {
            fs::write(folder.join(path), block.lines.join("\n") + "\n").unwrap();
        } else if block.words.starts_with("console") {
            let without = block.words.strip_prefix("console without ").map(|rule| take_out(rule, folder));
            let starts: Vec<usize> = (0..block.lines.len()).filter(|at| block.lines[*at].starts_with("$ ")).collect();
            for (n, start) in starts.iter().enumerate() {
                let end = starts.get(n + 1).copied().unwrap_or(block.lines.len());
                faults.extend(command(block.lines[*start], &block.lines[start + 1..end], folder));
            }
            if let Some((path, text)) = without {
                fs::write(path, text).unwrap();
            }
        }
    }
    faults
}

/// Takes a rule out of the model; gives the file and its text as they were.
fn take_out(rule: &str, folder: &Path) -> (PathBuf, String) {
    let head = format!("rule {rule} ");
    for entry in fs::read_dir(folder.join("model/rules")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        if let Some(start) = text.find(&head) {
            let length = text[start..].find("\n}\n").unwrap() + 3;
            fs::write(&path, text[..start].to_owned() + &text[start + length..]).unwrap();
            return (path, text);
        }
    }
    panic!("no rule `{rule}`");
}

/// Runs one command, and looks for the lines shown under it; `…` stands for what is not shown.
fn command(line: &str, shown: &[&str], folder: &Path) -> Vec<String> {
    let words = words(line.trim_start_matches("$ "));
    assert_eq!(words.first().map(String::as_str), Some("facedown"), "{line}");
    let output = Command::new(env!("CARGO_BIN_EXE_facedown"))
        .args(&words[1..])
        .current_dir(folder)
        .env_remove("CI")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let pieces = |shown: &&str| shown.split('…').map(str::trim).all(|piece| printed.contains(piece));
    let missing = shown.iter().filter(|shown| !pieces(shown));
    missing.map(|missing| format!("{line}\nshould print: {missing}\nbut printed:\n{printed}")).collect()
}

/// A copy of the model, to be changed.
fn copy_of_the_model() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["model", "properties"] {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name), &folder.path().join(name));
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

fn document() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("CONTRIBUTING.md")).unwrap()
}

/// The part of a document under one heading.
fn part<'a>(document: &'a str, heading: &str) -> &'a str {
    let start = document.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no part `{heading}`"));
    let rest = &document[start + 1..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}

#[test]
fn adding_a_ruling_goes_as_it_says() {
    let (document, folder) = (document(), copy_of_the_model());
    let part = part(&document, "Add a ruling");
    assert!(blocks(part).len() >= 3);
    let faults = follow(part, folder.path());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn adding_a_rule_goes_as_it_says() {
    let (document, folder) = (document(), copy_of_the_model());
    let part = part(&document, "Add a rule");
    assert!(blocks(part).len() >= 3);
    let faults = follow(part, folder.path());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn what_the_readme_shows_is_what_is_printed() {
    let folder = copy_of_the_model();
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let faults = follow(&readme, folder.path());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_parts_come_in_the_order_of_their_use() {
    let document = document();
    let headings: Vec<&str> = document.lines().filter_map(|line| line.strip_prefix("## ")).take(3).collect();
    assert_eq!(headings, ["Add a ruling", "Add a rule", "Add a word to the language"]);
}

#[test]
fn a_document_that_says_something_else_is_noticed() {
    let folder = copy_of_the_model();
    let right = "```console\n$ facedown explain L203\nL203…wrong type\n```\n";
    assert_eq!(follow(right, folder.path()), Vec::<String>::new());
    assert_eq!(follow(&right.replace("wrong type", "right type"), folder.path()).len(), 1);
}
