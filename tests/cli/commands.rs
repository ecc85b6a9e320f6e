//! The commands as users call them, over an engine that gives made-up results.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use std::io::ErrorKind;

use crate::stage::{Broken, Fake, RULES, Stage, play, run_into};
use facedown::judge::play::{Exchanged, Finding};

/// A witness that is asked for is not there.
fn nowhere() -> Fake {
    Fake::default().with("tiny", |_, result| result.findings.fill(Some(Finding::default())))
}

#[test]
fn fmt_checks_and_formats() {
    let stage = Stage::empty();
    stage.write("a.rules", RULES);
    stage.write("sub/b.rules", RULES.replace("  view now", "      view now"));
    let folder = stage.path("");
    let folder = folder.to_str().unwrap();
    let outcome = stage.run(&Fake::default(), &["fmt", "--check", folder]);
    assert_eq!((outcome.status, outcome.out.as_str()), (1, "STAGE/sub/b.rules\n"), "{}", outcome.err);
    assert_eq!(stage.run(&Fake::default(), &["fmt", folder]).status, 0);
    assert_eq!(std::fs::read_to_string(stage.path("sub/b.rules")).unwrap(), RULES);
    assert_eq!(std::fs::read_dir(stage.path("sub")).unwrap().count(), 1);
    let outcome = stage.run(&Fake::default(), &["fmt", "--check", folder]);
    assert_eq!((outcome.status, outcome.out.as_str()), (0, ""));
}

#[test]
fn fmt_leaves_what_does_not_parse() {
    let stage = Stage::empty();
    stage.write("a.rules", "rule {");
    let outcome = stage.run(&Fake::default(), &["fmt", stage.path("a.rules").to_str().unwrap()]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.err.contains("STAGE/a.rules:1:6"), "{}", outcome.err);
    assert_eq!(std::fs::read_to_string(stage.path("a.rules")).unwrap(), "rule {");
}

#[test]
fn a_witness_is_reached_unreached_or_open() {
    let stage = Stage::new();
    let ask = |engine: &Fake| stage.run(engine, &["witness", "--world", "tiny", "turn_up(o) when o.tapped # why not"]);
    let outcome = ask(&Fake::default());
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.out.starts_with("reached in 1 step\nworld tiny, "), "{}", outcome.out);
    assert!(outcome.out.contains("\nreplay: facedown play "));
    let outcome = ask(&nowhere());
    assert_eq!(
        (outcome.status, outcome.out.as_str()),
        (1, "no play of this world reaches it (complete: 1,054 states)\n")
    );
    let outcome = ask(&nowhere().with("tiny", |_, result| {
        result.findings.fill(Some(Finding::default()));
        result.complete = false;
        result.why = Some("stopped".to_owned());
    }));
    assert_eq!(outcome.status, 3);
}

#[test]
fn a_witness_is_one_expression_of_a_known_world() {
    let stage = Stage::new();
    let ask = |world: &str, text: &str| stage.run(&Fake::default(), &["witness", "--world", world, text]);
    for (world, text, told) in [
        ("tinny", "turn_up(o)", "did you mean `tiny`?"),
        ("tiny", "no } property x { always yes", "the expression ends before its end"),
        ("tiny", "", "error[L103]"),
        ("tiny", "some o where nonsense", "<expression>:2:25"),
        ("tiny", "some o where o.face_down", ""),
    ] {
        let outcome = ask(world, text);
        assert_eq!(outcome.status, if told.is_empty() { 0 } else { 2 }, "{text}: {outcome:?}");
        assert!(outcome.err.contains(told), "{text}: {}", outcome.err);
    }
}

#[test]
fn the_printed_replay_command_replays() {
    let stage = Stage::new();
    let outcome = stage.run(&Fake::default(), &["witness", "--world", "tiny", "turn_up(o)"]);
    let command = outcome.out.lines().last().unwrap().strip_prefix("replay: ").unwrap();
    // As a shell would split it: the play string is the part between single quotes.
    let (words, line) = command.split_once(" '").unwrap();
    let folder = stage.folder.path().to_str().unwrap();
    let mut words: Vec<String> = words.split(' ').map(|word| word.replace("STAGE", folder)).collect();
    words.push(line.strip_suffix('\'').unwrap().to_owned());
    let mut out = Vec::new();
    let outcome = run_into(&Fake::default(), &words, &mut out, false);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(String::from_utf8(out).unwrap().contains("1. A: turn_up bear (morph)"));
}

#[test]
fn plays_stop_where_they_are_not_legal() {
    let stage = Stage::new();
    let outcome = stage.run(&Fake::default(), &["play", "--world", "tiny", "bear in hand of A ; offer 9"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.out.ends_with("STOPS at step 1: nothing permits it\n"), "{}", outcome.out);
    assert_eq!(stage.run(&Fake::default(), &["play", "--world", "tiny", "%"]).status, 2);
    assert_eq!(stage.run(&Fake::default(), &["play", "x.txt"]).status, 2);
}

#[test]
fn saved_traces_replay_and_tell_differences() {
    let stage = Stage::new();
    let folder = stage.path("traces");
    stage.run(&Fake::default(), &["check", "--traces", folder.to_str().unwrap()]);
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["goes-up.json", "never-up.json"]);
    let trace = folder.join("goes-up.json");
    let outcome = stage.run(&Fake::default(), &["play", trace.to_str().unwrap()]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let mut other = play("tiny");
    other.steps[0].changes.clear();
    stage.write("traces/other.json", serde_json::to_string(&other).unwrap());
    let outcome = stage.run(&Fake::default(), &["play", folder.join("other.json").to_str().unwrap()]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.out.ends_with("DIFFERS from the saved trace at step 1\n"), "{}", outcome.out);
    stage.write("traces/bad.json", "{\"world\": 1}");
    assert_eq!(stage.run(&Fake::default(), &["play", folder.join("bad.json").to_str().unwrap()]).status, 2);
}

#[test]
fn rulings_of_a_file() {
    let stage = Stage::new();
    let file = stage.path("properties/rulings/b.rulings");
    let file = file.to_str().unwrap();
    let outcome = stage.run(&Fake::default(), &["play", file]);
    assert_eq!((outcome.status, outcome.out.as_str()), (0, "passes bear-up [708.2]\nPASS  1 pass, 0 fail\n"));
    let outcome = stage.run(&Fake { ruling_fails: true, ..Fake::default() }, &["play", file]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.out.contains("  STAGE/properties/rulings/b.rulings:1:1: the offer is refused [L402]\n"));
}

#[test]
fn explain_knows_names_citations_and_codes() {
    let stage = Stage::new();
    let explain = |subject: &str| stage.run(&Fake::default(), &["explain", subject]);
    for (subject, told) in [
        ("L203", "L203: an expression has the wrong type"),
        ("708.2b", "rule turning  STAGE/model/a.rules:9:6\n"),
        ("708.2", "ruling bear-up  STAGE/properties/rulings/b.rulings:1:8\n  A bear can be turned up.\n"),
        ("stays", "property stays [708.2b]"),
        ("looking", "the same numbers are cited by\n  rule turning [708.2b]\n"),
        ("is_down", "in rule looking\n"),
        ("bear", "  archetype bear: {2} creature 2/2\n"),
        ("tiny", "world tiny "),
        ("open_question", "    narrow \"a few\" default\n"),
    ] {
        let outcome = explain(subject);
        let found =
            if subject == "stays" { outcome.out.contains("cites 708.2b\n") } else { outcome.out.contains(told) };
        assert!(outcome.status == 0 && found, "{subject}: {outcome:?}");
    }
    let outcome = explain("turnin");
    assert_eq!(
        (outcome.status, outcome.err.as_str()),
        (2, "error: nothing is named `turnin`\nhelp: did you mean `turning`?\n")
    );
    assert!(explain("708.2c").err.contains("nothing cites 708.2c"));
}

#[test]
fn a_closed_pipe_is_no_error_and_keeps_the_status() {
    let stage = Stage::new();
    let folder = |name: &str| stage.path(name).to_str().unwrap().to_owned();
    let words =
        ["facedown", "check", "--model", &folder("model"), "--properties", &folder("properties")].map(str::to_owned);
    let run = |engine: &Fake, kind| run_into(engine, &words, &mut Broken(kind), false);
    assert_eq!(run(&Fake::default(), ErrorKind::BrokenPipe).status, 0);
    let failing = Fake { ruling_fails: true, ..Fake::default() };
    assert_eq!(run(&failing, ErrorKind::BrokenPipe).status, 1);
    let full = run(&Fake::default(), ErrorKind::StorageFull);
    assert!(full.status == 2 && full.err.contains("the output can't be written"), "{full:?}");
}

#[test]
fn the_baseline_is_not_updated_where_ci_is_set() {
    let words = ["facedown", "check", "--update-baseline"].map(str::to_owned);
    let outcome = run_into(&Fake::default(), &words, &mut Vec::new(), true);
    assert!(outcome.status == 2 && outcome.err.contains("not updated where CI is set"), "{outcome:?}");
}

#[test]
fn a_panic_of_an_engine_is_a_fault() {
    let outcome = Stage::new().run(&Fake { panics: true, ..Fake::default() }, &["check"]);
    assert_eq!(outcome.status, 4);
    assert!(outcome.err.contains("fault: exploring world other ended in a panic"), "{}", outcome.err);
}

#[test]
fn mistakes_of_the_command_line() {
    let stage = Stage::new();
    for (words, told) in [
        (&["check", "--edition", "2026-02-30"][..], "not a day of the calendar"),
        (&["check", "--reading", "open_question"], "write it as NAME=VALUE"),
        (&["check", "--reading", "open=wide"], "did you mean `open_question`?"),
        (&["check", "--reading", "open_question=no"], "its values are narrow, wide"),
        (&["check", "--memory", "2X"], "write it as 512M or 2G"),
        (&["check", "--memory", "99999999999G"], "more than any machine has"),
        (&["check", "--world", "tin"], "did you mean `tiny`?"),
        (&["check", "--all", "--world", "tiny"], "cannot be used with"),
        (&["chekc"], "unrecognized subcommand"),
    ] {
        let outcome = stage.run(&Fake::default(), words);
        assert!(outcome.status == 2 && outcome.err.contains(told), "{words:?}: {outcome:?}");
    }
    assert_eq!(stage.run(&Fake::default(), &["version"]).out, concat!("facedown ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(stage.run(&Fake::default(), &["--help"]).status, 0);
}

#[test]
fn symmetry_is_refused_where_all_states_are_meant() {
    let stage = Stage::new();
    let refused = |words: &[&str]| {
        let outcome = stage.run(&Fake::default(), words);
        assert_eq!((outcome.status, outcome.out.as_str()), (2, ""), "{words:?}");
        outcome.err
    };
    let baseline = "error: a baseline pins all states, and --symmetry explores fewer
help: leave --symmetry out where a baseline is compared or written
";
    assert_eq!(refused(&["check", "--symmetry", "--baseline", "b.json"]), baseline);
    assert_eq!(refused(&["check", "--symmetry", "--update-baseline"]), baseline);
    assert_eq!(
        refused(&["check", "--symmetry", "--engine", "referee"]),
        "error: --symmetry is of the engine `own`; `referee` explores every state\nhelp: leave --symmetry out, or --engine\n"
    );
    let other = stage.path("").to_str().unwrap().to_owned();
    assert_eq!(
        refused(&["diff", "--symmetry", &other, &other]),
        "error: `diff` compares the two rulebooks in every state\nhelp: leave --symmetry out\n"
    );
}

#[test]
fn what_symmetry_leaves_is_told_by_every_report() {
    let stage = Stage::new();
    let engine = Fake::default().with("tiny", |_, result| {
        result.symmetry =
            Some(Exchanged { permutations: 6, told_apart: vec!["the step `x` is not the same".to_owned()] });
    });
    let check = |format: &str| stage.run(&engine, &["check", "--symmetry", "--world", "tiny", "--format", format]).out;
    let text = check("text");
    assert!(text.contains("world tiny  1,054 states up to symmetry (6 permutations), "), "{text}");
    assert!(text.contains("no symmetry in world tiny: the step `x` is not the same\n"), "{text}");
    assert!(text.contains("1,054 states up to symmetry, "), "{text}");
    let json: serde_json::Value = serde_json::from_str(&check("json")).unwrap();
    assert_eq!(json["worlds"][0]["symmetry"]["permutations"], 6);
    assert!(json["worlds"][0]["events"].is_null());
    assert!(check("markdown").contains("up to symmetry"));
    let proof: serde_json::Value = serde_json::from_str(&check("proof")).unwrap();
    assert_eq!(proof["worlds"]["tiny"]["permutations"], 6);
    let asked = stage.run(
        &nowhere().with("tiny", |_, result| {
            result.findings.fill(Some(Finding::default()));
            result.symmetry = Some(Exchanged { permutations: 1, told_apart: Vec::new() });
        }),
        &["witness", "--symmetry", "--world", "tiny", "turn_up(o) when o.tapped"],
    );
    assert_eq!(asked.out, "no play of this world reaches it (complete: 1,054 states up to symmetry)\n");
}
