//! `facedown diff` through the program itself: every edit of `tests/whatif/` is stopped at the line of the rule that it
//! changes, or shown as behaviour; each reading shows a play on which the two sides part; what is no difference is none; bad
//! input is told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod copied;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use copied::Copied;
use facedown::report::diff::{DiffReport, VerdictReport, schema};

/// The report of a diff, and its status.
fn diff(copied: &Copied, words: &[&str]) -> (DiffReport, i32) {
    let words: Vec<&str> = ["diff", "--format", "json"].iter().chain(words).copied().collect();
    let out = copied.run(&words);
    let report = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|e| panic!("{words:?} prints no report: {e}\n{}", String::from_utf8_lossy(&out.stderr)));
    (report, out.status.code().unwrap())
}

/// What a diff prints in words, on both streams.
fn told(copied: &Copied, words: &[&str]) -> (String, i32) {
    let out = copied.run(&[&["diff"], words].concat());
    let text = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
    (text, out.status.code().unwrap())
}

fn worse(report: &DiffReport) -> Vec<&VerdictReport> {
    report.verdicts.iter().filter(|v| v.turn == "worse").collect()
}

/// Whether a play is told and leads somewhere: every step has its line for a replay.
fn parts_somewhere(report: &DiffReport) {
    assert!(!report.behaviour.is_empty(), "{}", report.summary.sentence);
    for p in &report.behaviour {
        let steps = [&p.old_play.steps, &p.new_play.steps, &p.old, &p.new].into_iter().flatten();
        assert!(steps.clone().all(|s| !s.replay.is_empty()), "{p:?}");
        assert_eq!(p.old_play.steps.len(), p.new_play.steps.len());
        assert!(steps.count() > 0 || !p.says.is_empty(), "{p:?}");
    }
}

/// An edit: where it is looked at, a verdict that gets worse, and the item that is changed.
fn stopped(id: &str, worlds: &[&str], properties: &[&str], item: &str) {
    let copied = Copied::old_and_new(id).without_rulings();
    let mut words = vec!["old", "model"];
    worlds.iter().for_each(|w| words.extend(["--world", w]));
    let (report, status) = diff(&copied, &words);
    let all: Vec<_> = worse(&report).iter().map(|v| (&v.name, v.change)).collect();
    assert_eq!(status, 1, "{id}: {}", report.summary.sentence);
    for property in properties {
        let v = worse(&report).into_iter().find(|v| v.name == *property);
        let v = v.unwrap_or_else(|| panic!("{id} leaves {property} alone, and makes worse {all:?}"));
        let change = &report.changes[v.change.unwrap_or_else(|| panic!("{id}: {property} stands nowhere"))];
        assert_eq!(change.name, item, "{id}: {property}");
        let at = change.at().expect("a place");
        let file = fs::read_to_string(copied.path(&at.path)).expect("the file");
        let line = file.lines().nth(at.line as usize - 1).expect("the line");
        assert!(line.contains(item), "{id}: {at} is `{line}`");
        assert_eq!(at.path.starts_with("old/"), change.how == "deleted", "{id}: {at}");
        assert!(v.new_play.is_some() || v.old_play.is_some(), "{id}: {property} is told without a play");
    }
    parts_somewhere(&report);
    let (text, _) = told(&copied, &words);
    for word in [properties[0], item, "DIFFERS by", "replay new: facedown play"] {
        assert!(text.contains(word), "{id}: {word:?} is missing in\n{text}");
    }
}

macro_rules! edits {
    ($($name:ident $id:literal $worlds:expr, $properties:expr, $item:literal;)*) => {
        $(#[test]
        fn $name() {
            stopped($id, &$worlds, &$properties, $item);
        })*

        #[test]
        fn every_edit_is_here() {
            let here: BTreeSet<String> = [$($id),*, "E25"].iter().map(|id| (*id).to_owned()).collect();
            let files = fs::read_dir(copied::patches()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
            assert_eq!(here, files.map(|f| f.trim_end_matches(".patch").to_owned()).collect());
        }
    };
}

edits! {
    e01 "E01" ["tiny"], ["look-and-cause-stay"], "stays-down-once-down";
    e02 "E02" ["tiny"], ["enters-abilities-come-from-entering"], "";
    e02b "E02b" ["tiny"], ["enters-abilities-come-from-entering"], "";
    e03 "E03" ["tiny", "dropped"], ["entering-face-down-triggers-nothing-of-its-own"], "";
    e04 "E04" ["tiny"], ["spell-card-is-never-turned-up"], "";
    e04b "E04b" ["merging"], ["no-merged-instant-is-turned-up"], "";
    e05 "E05" ["tiny", "knowledge"], ["failed-turn-up-shows-the-card"], "";
    e06 "E06" ["tokens"], ["copy-of-face-down-is-made-face-up"], "";
    e07 "E07" ["tiny", "knowledge"], ["what-leaves-face-down-is-shown"], "";
    e08 "E08" ["knowledge"], ["controller-may-look"], "";
    e09 "E09" ["tiny", "tokens"], ["token-copy-with-morph-is-turned-up"], "";
    e10 "E10" ["weakened", "tokens"], ["no-morph-route-without-morph"], "";
    e11 "E11" ["tiny"], ["no-mana-route-for-a-noncreature-card"], "";
    e12 "E12" ["tiny", "double-faced"], ["two-faces-never-turned-down"], "";
    e12b "E12b" ["merging"], ["merged-two-faces-never-turned-down"], "";
    e13 "E13" ["double-faced"], ["down-never-transforms"], "";
    e14 "E14" ["tiny", "casting"], ["cloak-lists-ward"], "";
    e15 "E15" ["tiny", "casting"], ["a-flip-cannot-be-answered"], "";
    e16 "E16" ["tiny", "kept"], ["flip-makes-no-new-object"], "";
    e17 "E17" ["casting"], ["spell-is-never-turned-up"], "";
    e18 "E18" ["kept"], ["megamorph-counter-only-for-its-cost"], "";
    e19 "E19" ["tiny"], ["nameless-shares-no-name"], "";
    e20 "E20" ["tiny"], ["mana-value-is-zero"], "";
    e21 "E21" ["tiny"], ["face-down-looks-as-listed"], "";
    e22 "E22" ["leaving", "tiny"], ["forest-turned-up-for-its-morph-cost"], "morph";
    e23 "E23" ["casting"], ["a-colour-ban-misses-a-face-down-spell"], "";
    e24 "E24" ["tiny", "leaving"], ["hidden-dies-ability-is-silent"], "";
    e26 "E26" ["turns"], ["turned-up-twice-in-one-turn"], "";
    e27 "E27" ["merging", "mixed"], ["a-turn-turns-all-components"], "";
    e28 "E28" ["merging", "mixed"], ["merging-is-not-entering"], "";
}
