//! Sweeps over the shipped law: what is shared between positions changes nothing of what `check` says of each, and an edit
//! that breaks the law is found with the smallest play.

use std::collections::BTreeMap;
use std::fs;

use crate::copied::Copied;
use facedown::report::model::Report;
use facedown::report::sweep::{SweepReport, Word};

/// Effects of which one lets a player leave, so that more is part of the states of its worlds.
const EFFECTS: [&str; 6] = ["copy_any", "kill_any", "leave_game", "manifest_top", "steal_any", "turn_any_up"];
const CARDS: [&str; 2] = ["from_anywhere", "silencer"];

fn swept(copied: &Copied, words: &[&str]) -> SweepReport {
    let output = copied.facedown("sweep", &[&["--format", "json"], words].concat());
    serde_json::from_slice(&output.stdout).expect("a report")
}

#[test]
fn shared_learning_changes_nothing() {
    let copied = Copied::new().without_rulings();
    let named: Vec<String> = EFFECTS.iter().map(|e| format!("--effect={e}")).collect();
    let named = named.into_iter().chain(CARDS.iter().map(|c| format!("--card={c}")));
    let named: Vec<String> = named.chain(["--effects=2".to_owned(), "--threads=2".to_owned()]).collect();
    let swept = swept(&copied, &named.iter().map(String::as_str).collect::<Vec<_>>());
    let (mut text, mut names) = (String::new(), Vec::new());
    for (i, a) in EFFECTS.iter().enumerate() {
        for b in &EFFECTS[i + 1..] {
            for (n, (library, hand)) in CARDS.iter().flat_map(|x| CARDS.iter().map(move |y| (x, y))).enumerate() {
                names.push(format!("--world={a}-{b}-{n}"));
                text += &format!(
                    "world {a}-{b}-{n} \"One of many\" {{\n  players A, B\n  start A library: {library}\n  start A hand: {hand}\n\
                       allow {a}, {b}\n  mana unlimited\n  budget stack 1, tokens 1, counters 2\n}}\n"
                );
            }
        }
    }
    fs::write(copied.path("model/worlds/many.world"), text).expect("the worlds");
    let words: Vec<&str> = ["--format=json"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let checked: Report = serde_json::from_slice(&copied.facedown("check", &words).stdout).expect("a report");
    assert_eq!(checked.worlds.len() as u64, swept.covered.positions);
    let states: u64 = checked.worlds.iter().map(|w| w.unique_states).sum();
    let steps: u64 = checked.worlds.iter().map(|w| w.steps).sum();
    assert_eq!((swept.covered.states, swept.covered.steps), (states, steps));
    let events = checked.worlds.iter().map(|w| u64::from_str_radix(w.events.as_deref().unwrap(), 16).unwrap());
    assert_eq!(swept.covered.events, format!("{:016x}", events.fold(0, u64::wrapping_add)));
    // The owner of a token that is gone is nobody, whose library is not shuffled; the referee sees the same.
    let words = ["--format=json", "--engine=referee", "--world=copy_any-kill_any-0"];
    let second: Report = serde_json::from_slice(&copied.facedown("check", &words).stdout).expect("a report");
    assert_eq!(second.faults, [""; 0]);
    // What speaks of every world comes out alike, and is exercised alike.
    let premises: BTreeMap<&str, bool> = checked.properties.iter().map(|p| (&*p.name, p.premise_reached)).collect();
    for property in &swept.properties {
        assert_eq!(property.premise_positions > 0, premises[&*property.name], "{}", property.name);
    }
    assert!(swept.properties.iter().filter(|p| p.verdict == Word::Holds).count() > 30);
}

#[test]
fn an_edit_that_breaks_the_law_is_found_with_the_smallest_play() {
    let copied = Copied::edited("E01").without_rulings();
    let words = [
        "--effects",
        "2",
        "--effect",
        "cloak_top",
        "--effect",
        "kill_any",
        "--effect",
        "turn_any_down",
        "--cards",
        "1",
    ];
    let output = copied.facedown("sweep", &words);
    assert_eq!(output.status.code(), Some(1));
    let swept = swept(&copied, &words);
    let broken = swept.properties.iter().find(|p| p.name == "look-and-cause-stay").expect("the property");
    assert_eq!(broken.verdict, Word::Violated);
    let play = broken.play.as_ref().expect("a play");
    let actions: Vec<&str> = play.steps.iter().map(|s| s.action.as_str()).collect();
    assert_eq!(actions, ["cloak_top", "turn_any_down"]);
    fs::write(copied.path("model/worlds/found.world"), broken.world.as_deref().expect("a world")).expect("the world");
    let check = copied.facedown("check", &["--world", "sweep-look-and-cause-stay"]);
    assert_eq!(check.status.code(), Some(1));
    let out = String::from_utf8(check.stdout).expect("text");
    assert!(out.contains("VIOLATED invariant look-and-cause-stay"), "{out}");
}
