//! Loading: everything that a folder can hold besides small text files is a clear error with status 2.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use std::process::Command;

use crate::stage::{Fake, Stage, WORLDS};

/// Loads the model and gives the error text.
fn refused(stage: &Stage) -> String {
    let outcome = stage.run(&Fake::default(), &["check"]);
    assert_eq!(outcome.status, 2, "{outcome:?}");
    assert_eq!(outcome.out, "");
    outcome.err
}

#[test]
fn a_good_model_loads() {
    assert_eq!(Stage::new().run(&Fake::default(), &["check"]).status, 0);
}

#[test]
fn a_missing_folder() {
    let text = refused(&Stage::empty());
    assert!(text.contains("error[L303]: `STAGE/model` can't be read: no such file or directory"), "{text}");
    assert!(text.contains("name the folders with --model and --properties"), "{text}");
}

#[test]
fn a_file_instead_of_a_folder() {
    let stage = Stage::empty();
    stage.write("model", "");
    stage.write("properties/a.props", "");
    assert!(refused(&stage).contains("`STAGE/model` is not a folder"));
}

#[test]
fn a_folder_named_like_a_file() {
    let stage = Stage::new();
    stage.write("model/x.rules/inside.rules", "");
    assert!(refused(&stage).contains("error[L303]: `STAGE/model/x.rules` is a folder, not a file"));
}

#[test]
fn a_pipe_is_never_opened() {
    let stage = Stage::new();
    let made = Command::new("mkfifo").arg(stage.path("model/pipe.rules")).status();
    assert!(made.unwrap().success());
    assert!(refused(&stage).contains("`STAGE/model/pipe.rules` is no regular file but a pipe, socket or device"));
}

#[test]
#[cfg(unix)]
fn links_in_a_ring_end() {
    let stage = Stage::new();
    std::os::unix::fs::symlink(stage.path("model"), stage.path("model/again")).unwrap();
    assert!(refused(&stage).contains("`STAGE/model/again` is a link that leads back to a folder above it"));
    let stage = Stage::new();
    std::os::unix::fs::symlink("self.rules", stage.path("model/self.rules")).unwrap();
    assert!(refused(&stage).contains("`STAGE/model/self.rules` can't be read"));
}

#[test]
#[cfg(unix)]
fn a_file_reached_twice_is_read_once() {
    let stage = Stage::new();
    std::os::unix::fs::symlink(stage.path("model/a.rules"), stage.path("model/z.rules")).unwrap();
    assert_eq!(stage.run(&Fake::default(), &["check"]).status, 0);
}

#[test]
fn folders_too_deep() {
    let stage = Stage::new();
    stage.write(&format!("model/{}x.rules", "d/".repeat(20)), "");
    assert!(refused(&stage).contains("is nested deeper than the limit 16"));
}

#[test]
fn a_file_too_large() {
    let stage = Stage::new();
    stage.write("model/large.rules", vec![b'#'; (1 << 20) + 1]);
    assert!(
        refused(&stage).contains("error[L104]: `STAGE/model/large.rules` is larger than the limit of 1048576 bytes")
    );
    stage.write("model/large.rules", vec![b'#'; 1 << 20]);
    assert_eq!(stage.run(&Fake::default(), &["check"]).status, 0);
}

#[test]
fn too_many_files() {
    let stage = Stage::new();
    for i in 0..10_001 {
        stage.write(&format!("model/many/{i}.rules"), "");
    }
    assert!(refused(&stage).contains("one file more than the limit 10000"));
}

#[test]
fn bytes_that_are_no_text() {
    let stage = Stage::new();
    stage.write("model/latin.rules", b"# caf\xe9\n");
    let text = refused(&stage);
    assert!(text.contains("error[L101]: the byte 0xe9 is no character of UTF-8"), "{text}");
    assert!(text.contains("STAGE/model/latin.rules:1:6"), "{text}");
    stage.write("model/latin.rules", b"\x7fELF\x02\x01\x01\0\0\0");
    assert!(refused(&stage).contains("error[L101]"));
}

#[test]
fn empty_files_are_fine_and_other_files_are_passed_over() {
    let stage = Stage::new();
    stage.write("model/empty.rules", "");
    stage.write("model/README.md", b"\xff");
    stage.write("model/.hidden/x.rules", "nonsense");
    assert_eq!(stage.run(&Fake::default(), &["check"]).status, 0);
}

#[test]
fn nothing_to_check() {
    let stage = Stage::empty();
    stage.write("model/a.rules", "");
    stage.write("properties/a.props", "");
    let text = refused(&stage);
    assert!(text.contains("nothing to check: "), "{text}");
}

#[test]
fn every_mistake_is_told() {
    let stage = Stage::new();
    stage.write("model/c.world", format!("{WORLDS}\nworld x {{ }}\n"));
    stage.write("properties/z.props", "property { }\n");
    let text = refused(&stage);
    assert!(text.contains("properties/z.props:1:10"), "{text}");
    assert!(text.contains("in the model"), "{text}");
}
