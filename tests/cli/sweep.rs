//! Sweeps over a small law: the same bytes for any number of threads, the same counts as `check` has of the same worlds, the
//! smallest play of what is planted, and what is said of wrong options, limits and interrupts.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use facedown::cli::engines::Engines;
use facedown::cli::{self, Io};
use facedown::report::sweep::{SweepReport, Word, schema};
use serde_json::Value;

use crate::stage::{Outcome, Stage, golden};

const LAW: &str = r#"edition 2026-08-07
rule looking cites 613.1 {
  view now  = printed, listed
  view card = front
}
rule plain-look cites 708.2a { profile plain = creature 2/2 }
rule casting cites 601.2 { permit p on c when c in hand and c.owner == p pay c.mana_cost: cast(c, by: p) }
rule resolving { procedure resolve(s: Object) { run(s)  move(s, to: battlefield, under: s.controller) } }
rule tools {
  procedure down(by p: Player) { choose o by p where o in battlefield: turn_down(o, look: plain, by: effect) }
  procedure up(by p: Player) { choose o by p where o in battlefield and o.face_down: turn_up(o) }
  procedure drop(by p: Player) { choose c by p where c in library and c.owner == p: move(c, to: battlefield, under: p) }
  procedure kill(by p: Player) { choose o by p where o in battlefield: move(o, to: graveyard) }
  procedure steal(by p: Player) { choose o by p where o in battlefield and o.controller != p: control(o, to: p) }
}
archetype bear: {1}{G} creature 3/3
archetype ox: {2}{G} creature 4/4
card "Elk": {G} creature 1/1
"#;

const WORLD: &str = r#"world all "One bear" {
  players A, B
  start A hand: bear
  allow down, up, drop, kill, steal by A
}
"#;

const CLAIMS: &str = r#"property down-is-plain { always every o where o.face_down: o.power == 2 }
property bears-alone-go-down cites 708.2b {
  says en "What is turned down is no ox."
  whenever turn_down(o): o.card.power == 3
}
property nothing-is-exiled { always every o where o in exile: o.face_down }
property elsewhere in all { always every o where o in hand: o in library }
conjecture never-stolen { always every o where o in battlefield: o.controller == o.owner }
witness falls { possible move(o, to: graveyard) when o.face_down }
"#;

fn staged() -> Stage {
    let stage = Stage::empty();
    stage.write("model/a.rules", LAW);
    stage.write("model/a.world", WORLD);
    stage.write("properties/a.props", CLAIMS);
    stage
}

fn sweep(stage: &Stage, words: &[&str]) -> Outcome {
    stage.run(&Engines, &[&["sweep"], words].concat())
}

fn report(stage: &Stage, words: &[&str]) -> SweepReport {
    serde_json::from_str(&sweep(stage, &[words, &["--format", "json"]].concat()).out).unwrap()
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let stage = staged();
    let told = |threads: &str| {
        let text = sweep(&stage, &["--effects", "2", "--threads", threads]);
        let mut json = report(&stage, &["--effects", "2", "--threads", threads]);
        json.run = Default::default();
        (text.status, text.out, json)
    };
    let one = told("1");
    assert_eq!((one.0, one.2.over.positions, one.2.covered.positions), (1, 40, 40));
    assert_eq!(one, told("2"));
    assert_eq!(one, told("7"));
}

#[test]
fn a_sweep_counts_what_check_counts() {
    let stage = staged();
    let mut worlds = String::new();
    let (mut names, effects) = (Vec::new(), ["down", "drop", "kill", "steal", "up"]);
    for (i, a) in effects.iter().enumerate() {
        for b in &effects[i + 1..] {
            for (n, (library, hand)) in
                [("bear", "bear"), ("bear", "ox"), ("ox", "bear"), ("ox", "ox")].iter().enumerate()
            {
                names.push(format!("{a}-{b}-{n}"));
                worlds += &format!(
                    "world {a}-{b}-{n} \"x\" {{ players A, B start A library: {library} start A hand: {hand} allow {a}, {b} \
                     budget stack 1, tokens 1, counters 2 }}\n"
                );
            }
        }
    }
    let swept = report(&stage, &["--effects", "2"]);
    stage.write("model/b.world", worlds);
    let mut words = vec!["check".to_owned(), "--format=json".to_owned()];
    words.extend(names.iter().map(|name| format!("--world={name}")));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let checked: Value = serde_json::from_str(&stage.run(&Engines, &words).out).unwrap();
    let worlds = checked["worlds"].as_array().unwrap();
    assert_eq!(worlds.len() as u64, swept.covered.positions);
    let sum = |what: &str| worlds.iter().map(|w| w[what].as_u64().unwrap()).sum::<u64>();
    assert_eq!((swept.covered.states, swept.covered.steps), (sum("unique_states"), sum("steps")));
    let events = worlds.iter().map(|w| u64::from_str_radix(w["events"].as_str().unwrap(), 16).unwrap());
    assert_eq!(swept.covered.events, format!("{:016x}", events.fold(0, u64::wrapping_add)));
    let depth = worlds.iter().map(|w| w["depth"].as_u64().unwrap()).max().unwrap();
    assert_eq!((u64::from(swept.covered.depth), sum("unique_states") > 200), (depth, true));
}

#[test]
fn what_is_broken_is_told_with_its_smallest_play_and_its_world() {
    let stage = staged();
    let report = report(&stage, &[]);
    assert_eq!((report.exit_status, report.over.positions), (1, 40));
    let named = |name: &str| report.properties.iter().find(|p| p.name == name).cloned();
    let broken = named("bears-alone-go-down").unwrap();
    assert_eq!(broken.verdict, Word::Violated);
    // An ox is dropped from the library, then turned down.
    let play = broken.play.unwrap();
    let actions: Vec<&str> = play.steps.iter().map(|s| s.action.as_str()).collect();
    assert_eq!(actions, ["drop", "down"]);
    assert!(broken.hit_positions > 0 && broken.hit_positions <= broken.premise_positions);
    assert_eq!(named("down-is-plain").unwrap().verdict, Word::Holds);
    assert_eq!(named("nothing-is-exiled").unwrap().verdict, Word::NotExercised);
    assert_eq!(named("never-stolen").unwrap().verdict, Word::Refuted);
    assert_eq!(named("falls").unwrap().verdict, Word::Reached);
    assert_eq!(named("elsewhere"), None);
    // The world that is told can be kept, and the play be played in it.
    stage.write("model/found.world", broken.world.unwrap());
    let text = sweep(&stage, &[]);
    let replays = text.out.lines().filter_map(|line| line.trim().strip_prefix("replay: facedown play "));
    let replay = replays.into_iter().find(|line| line.contains("sweep-bears-alone-go-down")).unwrap();
    let line = replay.split('\'').nth(1).unwrap().to_owned();
    let played = stage.run(&Engines, &["play", "--world", "sweep-bears-alone-go-down", "--", &line]);
    assert_eq!(played.status, 0, "{played:?}");
    assert_eq!(stage.run(&Engines, &["check", "--world", "sweep-bears-alone-go-down"]).status, 1);
}

#[test]
fn the_text_says_what_was_found() {
    let stage = staged();
    let text = sweep(&stage, &["--effects", "1", "--effect", "kill", "--cards", "1", "--card", "Elk"]);
    assert_eq!(text.status, 0, "{text:?}");
    let lines = "\
        sweep  1 combination of 1 of 1 effect over 1 choice of 1 of 1 card: 1 position\n\
        covered  1 position, 1 state, 0 steps, depth at most 0, at most 1 state a position\n";
    assert!(text.out.starts_with(lines), "{}", text.out);
    assert!(text.out.contains("happens in no position: bears-alone-go-down, down-is-plain, nothing-is-exiled\n"));
}

#[test]
fn the_published_schema_is_the_one_of_the_program() {
    golden("docs/sweep.schema.json", &schema().unwrap());
}

#[test]
fn reports_follow_the_schema() {
    let schema: Value = serde_json::from_str(&schema().unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let stage = staged();
    for words in [&["--effects", "2"][..], &["--effects", "1", "--limit-states", "1"]] {
        let out = sweep(&stage, &[words, &["--format", "json"]].concat()).out;
        let mut json: Value = serde_json::from_str(&out).unwrap();
        let wrong: Vec<String> = validator.iter_errors(&json).map(|e| e.to_string()).collect();
        assert_eq!(wrong, [""; 0]);
        json["covered"]["more"] = 1.into();
        assert!(!validator.is_valid(&json));
    }
}

#[test]
fn a_position_over_the_limit_is_incomplete() {
    let stage = staged();
    let words = ["--effects", "1", "--effect", "drop", "--effect", "kill", "--limit-states", "2"];
    let told = report(&stage, &words);
    assert_eq!((told.exit_status, told.covered.over_limit), (3, 8));
    assert!(told.covered.first_incomplete.unwrap().contains("allow drop\n"));
    let text = sweep(&stage, &words);
    assert_eq!(text.status, 3);
    assert!(text.out.contains("INCOMPLETE, first in this position:\n  world sweep-incomplete"), "{}", text.out);
}

#[test]
fn an_interrupted_sweep_says_what_it_covered() {
    let stage = staged();
    let folder =
        |name: &str| format!("--{name}={}", stage.path(if name == "model" { "model" } else { "properties" }).display());
    let words = ["facedown".to_owned(), "sweep".to_owned(), folder("model"), folder("properties")];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let stop = Arc::new(AtomicBool::new(true));
    let mut io = Io { out: &mut out, err: &mut err, stop, terminal: false, color: false, ci: false, source_url: None };
    let status = cli::run(words.iter().map(OsString::from), &Engines, &mut io);
    let out = String::from_utf8(out).unwrap();
    assert_eq!(status, 130, "{out}");
    assert!(out.contains("INTERRUPTED  0 invariants hold in 0 positions of 40"), "{out}");
}

#[test]
fn wrong_options_say_what_to_do() {
    let stage = staged();
    let told = |words: &[&str], text: &str| {
        let outcome = sweep(&stage, words);
        assert!(outcome.status == 2 && outcome.err.contains(text), "{words:?}: {outcome:?}");
    };
    told(&["--effects", "5"], "a number from 1 to 4 is wanted");
    told(&["--cards", "0"], "a number from 1 to 3 is wanted");
    told(&["--effect", "kil"], "no effect that a world could allow is named `kil`\nhelp: did you mean `kill`?");
    told(&["--effect", "resolve"], "no effect that a world could allow is named `resolve`");
    told(&["--card", "bea"], "no card is named `bea`\nhelp: did you mean `bear`?");
    told(&["--effect", "kill"], "and there are 1\nhelp: name more with --effect, or say --effects 1");
    stage.write("model/a.world", "");
    stage.write("properties/a.props", "");
    told(&[], "and there are 0\nhelp: name effects with --effect, or let a world allow some");
    stage.write(
        "model/a.rules",
        LAW.replace("archetype bear: {1}{G} creature 3/3\narchetype ox: {2}{G} creature 4/4", ""),
    );
    told(&["--effect", "kill"], "the model declares no archetype\nhelp: declare some, or name cards with --card");
}
