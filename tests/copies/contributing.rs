//! What CONTRIBUTING.md, README.md and the tutorial tell a newcomer to do is done here, word for word, on a copy of the model.

use crate::followed::{blocks, copy_of_the_model, document, follow, part};

#[test]
fn adding_a_ruling_goes_as_it_says() {
    let (document, folder) = (document("CONTRIBUTING.md"), copy_of_the_model());
    let part = part(&document, "Add a ruling");
    assert!(blocks(part).len() >= 3);
    let faults = follow(part, folder.path());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn adding_a_rule_goes_as_it_says() {
    let (document, folder) = (document("CONTRIBUTING.md"), copy_of_the_model());
    let part = part(&document, "Add a rule");
    assert!(blocks(part).len() >= 3);
    let faults = follow(part, folder.path());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn what_the_readme_shows_is_what_is_printed() {
    let folder = copy_of_the_model();
    let faults = follow(&document("README.md"), folder.path());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_parts_come_in_the_order_of_their_use() {
    let document = document("CONTRIBUTING.md");
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
