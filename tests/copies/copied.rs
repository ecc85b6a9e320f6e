//! A copy of the shipped model and properties in a folder of its own, with an edit of `tests/whatif/` made on it, and the
//! program run there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use diffy::patch_set::{FileOperation, ParseOptions, PatchSet};
use tempfile::TempDir;

use crate::followed::{copy, copy_of_the_model};

/// A copy of the shipped folders that can be changed.
pub struct Copied {
    folder: TempDir,
}

impl Copied {
    pub fn new() -> Copied {
        Copied { folder: copy_of_the_model() }
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
        self.run(&[&[command, "--model", "model", "--properties", "properties"], words].concat())
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
