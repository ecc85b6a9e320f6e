//! A copy of the shipped model and properties in a folder of its own, with an edit of `tests/whatif/` made on it, and the
//! program run there.
#![allow(dead_code)] // Each test uses its part of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use diffy::patch_set::{FileOperation, ParseOptions, PatchSet};
use tempfile::TempDir;

/// A copy of the shipped folders that can be changed.
pub struct Copied {
    folder: TempDir,
}

impl Copied {
    pub fn new() -> Copied {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR"));
        copy(&shipped.join("model"), &folder.path().join("model"));
        copy(&shipped.join("properties"), &folder.path().join("properties"));
        Copied { folder }
    }

    /// The copy with one edit made. What happens to the properties is said apart from the rulings, so these stay out.
    pub fn edited(id: &str) -> Copied {
        let copied = Copied::new();
        copied.edit(id);
        copied
    }

    /// Two rulebooks in one copy: `old` as it is shipped, `model` with one edit made.
    pub fn old_and_new(id: &str) -> Copied {
        let copied = Copied::new();
        copy(&copied.path("model"), &copied.path("old"));
        copied.edit(id);
        copied
    }

    /// Makes an edit.
    fn edit(&self, id: &str) {
        let text = patch(id);
        for file in PatchSet::parse(&text, ParseOptions::unidiff()) {
            let file = file.unwrap_or_else(|e| panic!("{id}.patch can't be read: {e}"));
            let (from, to) = match file.operation().strip_prefix(1) {
                FileOperation::Create(to) => (None, to.into_owned()),
                FileOperation::Modify { original, modified } if original == modified => {
                    (Some(original.into_owned()), modified.into_owned())
                }
                other => panic!("{id}.patch does more than change and add files: {other:?}"),
            };
            assert!(to.starts_with("model/rules/") && !to.contains(".."), "{id}.patch changes {to}");
            let before = from.map_or_else(String::new, |from| fs::read_to_string(self.path(&from)).expect(&from));
            let change = file.patch().as_text().expect("a patch of text");
            let after = diffy::apply(&before, change)
                .unwrap_or_else(|e| panic!("{id}.patch no longer fits {to}: {e}; write it anew against the text"));
            fs::write(self.path(&to), after).expect(&to);
        }
    }

    pub fn without_rulings(self) -> Copied {
        fs::remove_dir_all(self.path("properties/rulings")).expect("the rulings");
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a command line in the folder.
    pub fn run(&self, words: &[&str]) -> Output {
        let mut run = Command::new(env!("CARGO_BIN_EXE_facedown"));
        run.current_dir(self.folder.path()).env_remove("CI").args(words);
        run.output().expect("the program runs")
    }

    /// Runs the program on the copy.
    pub fn facedown(&self, command: &str, words: &[&str]) -> Output {
        let mut run = Command::new(env!("CARGO_BIN_EXE_facedown"));
        run.current_dir(self.folder.path()).env_remove("CI").arg(command);
        run.args(["--model", "model", "--properties", "properties"]).args(words);
        run.output().expect("the program runs")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder that is shipped") {
        let entry = entry.expect("a name");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).expect("a file that is shipped");
        }
    }
}

/// The edits, each a patch.
pub fn patches() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/whatif")
}

/// What the edit says, and the edit.
pub fn patch(id: &str) -> String {
    fs::read_to_string(patches().join(format!("{id}.patch"))).unwrap_or_else(|e| panic!("{id}.patch: {e}"))
}
