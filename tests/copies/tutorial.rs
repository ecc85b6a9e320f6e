//! The tutorial is done here, word for word, on a copy of the model under git, and the README of the example repository on
//! a copy of that.

use crate::followed::{blocks, copy, copy_of_the_model, document, follow};
use std::path::Path;

#[test]
fn the_tutorial_goes_as_it_says() {
    let (document, folder) = (document("docs/TUTORIAL.md"), copy_of_the_model());
    assert!(blocks(&document).len() >= 15);
    let faults = follow(&document, folder.path());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_tutorial_is_short_and_has_four_parts() {
    let document = document("docs/TUTORIAL.md");
    assert!(document.lines().count() <= 200);
    let headings: Vec<&str> = document.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert!(headings.iter().enumerate().all(|(at, h)| h.starts_with(&format!("{}. ", at + 1))), "{headings:?}");
    assert_eq!(headings.len(), 4);
}

#[test]
fn an_edit_that_does_not_fit_is_noticed() {
    let folder = copy_of_the_model();
    let faults = follow("```diff model/rules/manifest.rules\n-rule manifold\n+rule\n```\n", folder.path());
    assert_eq!(faults.len(), 1);
}

#[test]
fn the_example_repository_does_what_its_readme_says() {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci"), folder.path());
    let faults = follow(&document("examples/ci/README.md"), folder.path());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
