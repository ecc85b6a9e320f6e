//! Documents that are done word for word, on a copy of the files that they speak of: each block that names a file is written
//! to it, each `diff` is made in its file, each command of a `console` block is run, and every line shown under it must be
//! printed. Before a block that says `without NAME` the rule of that name is taken out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a document: the words after the fence, and the lines inside.
pub struct Block<'a> {
    pub words: &'a str,
    pub lines: Vec<&'a str>,
}

pub fn blocks(document: &str) -> Vec<Block<'_>> {
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
pub fn words(line: &str) -> Vec<String> {
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
pub fn follow(document: &str, folder: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for block in blocks(document) {
        if let Some(path) = block.words.strip_prefix("facedown ") {
            fs::write(folder.join(path), block.lines.join("\n") + "\n").unwrap();
        } else if let Some(path) = block.words.strip_prefix("diff ") {
            faults.extend(edit(&block.lines, &folder.join(path)));
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

/// Makes an edit: the lines that stand behind `-` or a space are there once, and become those behind `+` or a space.
fn edit(lines: &[&str], path: &Path) -> Option<String> {
    let side = |mark: char| -> String {
        let kept = lines.iter().filter(|l| l.starts_with([' ', mark]));
        kept.map(|l| l[1..].to_owned() + "\n").collect()
    };
    let text = fs::read_to_string(path).unwrap();
    let old = side('-');
    if text.matches(&old).count() != 1 {
        return Some(format!("this does not stand once in {}:\n{old}", path.display()));
    }
    fs::write(path, text.replace(&old, &side('+'))).unwrap();
    None
}

/// Takes a rule out of the model; gives the file and its text as they were.
pub fn take_out(rule: &str, folder: &Path) -> (PathBuf, String) {
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
    let program = match words.first().map(String::as_str) {
        Some("facedown") => env!("CARGO_BIN_EXE_facedown"),
        Some("git") => "git",
        other => panic!("{line}: what is {other:?}?"),
    };
    let mut run = Command::new(program);
    run.args(&words[1..]).current_dir(folder).env_remove("CI");
    let who = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    let output = run.envs(who.map(|name| (name, "somebody"))).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let pieces = |shown: &&str| shown.split('…').map(str::trim).all(|piece| printed.contains(piece));
    let missing = shown.iter().filter(|shown| !pieces(shown));
    missing.map(|missing| format!("{line}\nshould print: {missing}\nbut printed:\n{printed}")).collect()
}

/// A copy of the model, to be changed.
pub fn copy_of_the_model() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["model", "properties"] {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name), &folder.path().join(name));
    }
    folder
}

pub fn copy(from: &Path, to: &Path) {
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

/// A document of this repository.
pub fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The part of a document under one heading.
pub fn part<'a>(document: &'a str, heading: &str) -> &'a str {
    let start = document.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no part `{heading}`"));
    let rest = &document[start + 1..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}
