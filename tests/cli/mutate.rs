//! Mutants: what is planted is found (a rule that nothing needs, an invariant that can't fail, a verdict that rests on a
//! budget), and the mutants of the shipped law are pinned by name.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use crate::stage::{Fake, Outcome, Stage, golden, run_into};

/// A law of which all is needed but one rule.
const LAW: &str = r#"edition 2026-08-07
rule looking cites 613.1 {
  view now  = printed, listed
  view card = front
}
rule plain-look cites 708.2a { profile plain = creature 2/2 }
rule stays-down cites 708.2b { forbid turn_down(o) when o.face_down }
rule nobody-needs-it cites 708.9 { forbid turn_up(o) when o is land }
rule casting cites 601.2 { permit p on c when c in hand and c.owner == p pay c.mana_cost: cast(c, by: p) }
rule resolving { procedure resolve(s: Object) { run(s)  move(s, to: battlefield, under: s.controller) } }
rule tools {
  procedure down(by p: Player) { choose o by p where o in battlefield: turn_down(o, look: plain, by: effect) }
  procedure up(by p: Player) { choose o by p where o in battlefield and o.face_down: turn_up(o) }
  procedure token(by p: Player) { create(new t, look: plain)  move(t, to: battlefield, under: p) }
}
archetype bear: {1}{G} creature 3/3
"#;

const WORLDS: &str = r#"world flat "One bear" {
  players A, B
  start A battlefield: bear
  allow down, up by A
}
world made "One token" {
  players A, B
  start A battlefield: bear
  allow token by A
  budget tokens 1
}
world held "Two bears in two hands, and too little mana for either"  {
  players A, B
  start A hand: bear
  start B hand: bear
  mana 1
}
"#;

const CLAIMS: &str = r#"property down-is-plain in flat { always every o where o.face_down: o.power == 2 and o.card.power == 3 }
property can-not-fail in flat { always every o where o.face_down: o.face_down }
property only-one in made { always every o where o.cardless: not (some x where x.cardless and x != o) }
property down-once in flat { whenever turn_down(o): not was(o.face_down) }
witness too-poor in held { possible some c where c in hand and not (c.owner may cast(c)) }
witness comes-up in flat { possible turn_up(o) when o.power == 3 }
"#;

const RULINGS: &str = r#"ruling nothing-twice cites 708.2b {
  given b: "bear" in battlefield of A, face_down as plain by effect
  when do turn_down(b, look: plain, by: effect)
  then not turn_down(b)
}
"#;

fn planted() -> Stage {
    let stage = Stage::empty();
    stage.write("model/a.rules", LAW);
    stage.write("model/a.world", WORLDS);
    stage.write("properties/a.props", CLAIMS);
    stage.write("properties/a.rulings", RULINGS);
    stage.write("SURVIVORS.md", "# Survivors\n");
    stage
}

/// Runs `mutate` on a stage, with its own page of survivors.
fn mutate(stage: &Stage, words: &[&str]) -> Outcome {
    let page = format!("--survivors={}", stage.path("SURVIVORS.md").display());
    stage.run(&Fake::default(), &[&["mutate", page.as_str()], words].concat())
}

#[test]
fn a_rule_that_nothing_needs_survives_its_deletion() {
    let outcome = mutate(&planted(), &[]);
    assert_eq!(outcome.status, 1, "{outcome:?}");
    let told = "nobody-needs-it/deleted survives (STAGE/model/a.rules:8)";
    assert!(outcome.out.contains(told), "{}", outcome.out);
    assert!(!outcome.out.contains("stays-down/deleted survives"), "{}", outcome.out);
}

#[test]
fn an_invariant_that_can_not_fail_is_told() {
    let outcome = mutate(&planted(), &[]);
    let told =
        outcome.out.lines().find(|line| line.starts_with("invariants that no mutant breaks")).unwrap_or_default();
    assert!(told.contains("can-not-fail") && !told.contains("down-is-plain") && !told.contains("down-once"), "{told}");
}

#[test]
fn a_verdict_that_rests_on_a_budget_is_told() {
    let stage = planted();
    let outcome = mutate(&stage, &["--worlds"]);
    assert_eq!(outcome.status, 1, "{outcome:?}");
    let told = "invariant only-one holds in world made only because `budget tokens 1` is full (by a play of 2 steps)";
    assert!(outcome.out.contains(told), "{}", outcome.out);
    let told = "witness too-poor of world held is reached only because `mana 1` is full (by a play of 0 steps)";
    assert!(outcome.out.contains(told), "{}", outcome.out);
    let explained = "- `made/budget-tokens/only-one`: one token is what it speaks of\n\
        - `held/budget-mana/too-poor`: it is about want\n";
    stage.write("SURVIVORS.md", explained);
    assert_eq!(mutate(&stage, &["--worlds"]).status, 0);
    stage.write("SURVIVORS.md", "- `made/budget-tokens/another`: it is\n");
    let outcome = mutate(&stage, &["--worlds"]);
    assert!(outcome.out.contains("made/budget-tokens/another is not so: take the line away"), "{}", outcome.out);
}

#[test]
fn survivors_are_explained_and_no_others() {
    let stage = planted();
    let rule = ["--rule", "nobody-needs-it"];
    stage.write("SURVIVORS.md", "- `nobody-needs-it/deleted`: no land is there\n");
    let outcome = mutate(&stage, &rule);
    assert!(outcome.out.contains("    no land is there\n"), "{}", outcome.out);
    assert!(!outcome.out.contains("nobody-needs-it/deleted survives"), "{}", outcome.out);
    stage.write("SURVIVORS.md", "- `stays-down/deleted`: it is not needed\n");
    let outcome = mutate(&stage, &["--rule", "stays-down"]);
    assert_eq!(outcome.status, 1, "{outcome:?}");
    assert!(
        outcome.out.contains("SURVIVORS.md:1: stays-down/deleted is killed: take the line away"),
        "{}",
        outcome.out
    );
    stage.write("SURVIVORS.md", "- `gone/deleted`: it was there\n");
    assert!(mutate(&stage, &[]).out.contains("there is no mutant gone/deleted: take the line away"));
    assert!(!mutate(&stage, &rule).out.contains("there is no mutant"), "a part of them is no ground to tell");
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_every_format() {
    let stage = planted();
    for format in ["text", "json", "html", "markdown"] {
        let one = mutate(&stage, &["--format", format, "--threads", "1"]).out;
        assert_eq!(one, mutate(&stage, &["--format", format, "--threads", "4"]).out, "{format}");
        assert!(one.contains("nobody-needs-it"), "{format}");
    }
    let page = mutate(&stage, &["--format", "html"]).out;
    assert!(page.starts_with("<!doctype html>") && !page.contains("<script") && !page.contains("http"), "{page}");
}

#[test]
fn what_kills_is_told_with_its_length() {
    let out = mutate(&planted(), &["--rule", "stays-down", "--format", "json"]).out;
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let mutant = report["mutants"].as_array().unwrap().iter().find(|m| m["name"] == "stays-down/deleted").unwrap();
    let killer = |name: &str| mutant["killers"].as_array().unwrap().iter().find(|k| k["name"] == name).cloned();
    assert_eq!(killer("nothing-twice").unwrap()["steps"], 1);
    let broken = killer("down-once").unwrap();
    assert_eq!(
        (&broken["verdict"], &broken["steps"], &broken["world"]),
        (&"violated".into(), &2.into(), &"flat".into())
    );
}

#[test]
fn a_sample_is_the_same_part_each_time() {
    let list = |words: &[&str]| mutate(&planted(), &[&["--list"], words].concat()).out;
    let all = list(&[]);
    let some = list(&["--sample", "5"]);
    assert_eq!(some.lines().count(), 5);
    assert!(some.lines().all(|name| all.lines().any(|other| other == name)));
    assert_eq!(some, list(&["--sample", "5"]));
    assert_eq!(list(&["--sample", "100000"]), all);
}

#[test]
fn wrong_words_are_wrong_input() {
    let stage = planted();
    for (words, told) in [
        (&["--rule", "stays-dawn"][..], "did you mean `stays-down`?"),
        (&["--since", "no-such-revision"], "git"),
        (&["--sample", "0"], "0"),
    ] {
        let outcome = mutate(&stage, words);
        assert!(outcome.status == 2 && outcome.err.contains(told), "{words:?}: {outcome:?}");
    }
    stage.write("SURVIVORS.md", "- `a`\n");
    let outcome = mutate(&stage, &[]);
    assert!(outcome.status == 2 && outcome.err.contains("line 1 is no entry"), "{outcome:?}");
}

#[test]
fn the_mutants_of_rules_that_were_changed_are_chosen() {
    let stage = planted();
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.arg("-C").arg(stage.folder.path());
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]).args(words);
        assert!(git.output().unwrap().status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    assert_eq!(mutate(&stage, &["--since", "HEAD", "--list"]).out, "");
    stage.write("model/a.rules", LAW.replace("when o is land", "when o is artifact"));
    let chosen = mutate(&stage, &["--since", "HEAD", "--list"]).out;
    let owners: Vec<&str> = chosen.lines().filter_map(|name| name.split('/').next()).collect();
    assert!(!owners.is_empty() && owners.iter().all(|owner| *owner == "nobody-needs-it"), "{chosen}");
}

#[test]
fn the_mutants_of_the_shipped_law_are_these() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let words = ["facedown", "mutate", "--list"].map(str::to_owned).into_iter();
    let folders = [format!("--model={folder}/model"), format!("--properties={folder}/properties")];
    let words: Vec<String> = words.chain(folders).collect();
    let mut out = Vec::new();
    run_into(&Fake::default(), &words, &mut out, false);
    golden("tests/fixtures/mutants.txt", std::str::from_utf8(&out).unwrap());
}
