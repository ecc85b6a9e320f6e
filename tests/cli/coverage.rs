//! The seed table and the coverage of the law, on the small model and on the shipped one.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use crate::stage::{Fake, Outcome, Stage, golden, run_into};
use facedown::cli::engines::Engines;

/// Sentences of which the small model states the first.
const SEEDS: &str = "id\twords\tclauses\treason\n000-01\tit stays\t708.2b\t\n000-02\ta title\t\ta title\n";

fn seeds(list: &str, properties: &str) -> Outcome {
    let stage = Stage::new();
    stage.write("properties/seeds.tsv", list);
    stage.write("properties/b.props", properties);
    stage.run(&Fake::default(), &["coverage", "--seeds"])
}

/// A property that says from where it comes.
fn from(name: &str, sentence: &str) -> String {
    format!("property {name} from \"{sentence}\" {{ always every o where o.face_down: not o.tapped }}\n")
}

#[test]
fn every_sentence_is_stated_or_has_a_reason() {
    let outcome = seeds(SEEDS, &from("a-claim", "000-01"));
    assert_eq!((outcome.status, outcome.err.as_str()), (0, ""), "{outcome:?}");
    let row = "| 000-01 | it stays | 708.2b | looking, turning | property a-claim |\n";
    assert!(outcome.out.contains(row), "{}", outcome.out);
    assert!(outcome.out.ends_with("| 000-02 | a title |  |  | *none: a title* |\n"), "{}", outcome.out);
    assert!(outcome.out.contains("2 sentences: 1 stated by"), "{}", outcome.out);
}

#[test]
fn sentences_that_are_open_or_doubly_settled_or_unknown_are_told() {
    let told = |list: &str, properties: &str| {
        let outcome = seeds(list, properties);
        assert_eq!(outcome.status, 1, "{outcome:?}");
        outcome.err
    };
    assert_eq!(told(SEEDS, ""), "nothing states 000-01 (it stays), and there is no reason\n");
    let both = from("a-claim", "000-01") + &from("b-claim", "000-02");
    assert_eq!(told(SEEDS, &both), "000-02 has a reason and is stated by property b-claim\n");
    let unknown = from("a-claim", "000-01") + &from("b-claim", "000-03");
    assert_eq!(told(SEEDS, &unknown), "b-claim is from 000-03, which is no sentence\n");
}

#[test]
fn a_seed_list_that_is_none_is_wrong_input() {
    for (list, told) in [
        ("", "the first line is not `id words clauses reason`, parted by tabs"),
        ("id\twords\tclauses\treason\n000-01\tit stays\n", "line 2 has 2 columns, not 4"),
        ("id\twords\tclauses\treason\nFD-1\tit stays\t\t\n", "line 2: `FD-1` is no number of a sentence"),
        ("id\twords\tclauses\treason\n000-01\ta\t\t\n000-01\tb\t\t\n", "line 3: 000-01 is there twice"),
        ("id\twords\tclauses\treason\n000-01\t\t\t\n", "line 2: 000-01 has no words"),
    ] {
        let outcome = seeds(list, "");
        assert_eq!(outcome.status, 2, "{list}");
        assert!(outcome.err.contains(told), "{list}: {}", outcome.err);
    }
    let outcome = Stage::new().run(&Fake::default(), &["coverage", "--seeds"]);
    assert!(outcome.status == 2 && outcome.err.contains("`STAGE/properties/seeds.tsv` is not there"), "{outcome:?}");
}

#[test]
fn the_seed_table_is_asked_for_alone() {
    for words in [&["coverage", "--rules", "--seeds"][..], &["coverage", "--seeds", "--world", "tiny"]] {
        assert_eq!(Stage::new().run(&Fake::default(), words).status, 2, "{words:?}");
    }
}

#[test]
fn the_table_of_the_shipped_model_is_the_one_committed() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let words = ["facedown", "coverage", "--seeds"].map(str::to_owned).into_iter();
    let folders = [format!("--model={folder}/model"), format!("--properties={folder}/properties")];
    let words: Vec<String> = words.chain(folders).collect();
    let mut out = Vec::new();
    run_into(&Fake::default(), &words, &mut out, false);
    golden("properties/SEEDS.md", std::str::from_utf8(&out).unwrap());
}

/// A law with a rule that never does anything, and a conjunct that is never false.
pub const LAW: &str = r#"
rule looking cites 708.2 { view now = printed, listed }
rule resolving cites 608.2 {
  as take(_): nothing
  procedure resolve(s: Object) { nothing }
}
rule down-once cites 708.2b { forbid turn_down(o) when o in battlefield and o.face_down }
rule idle cites 110.5 { forbid tap(o) when o.tapped }
rule tools cites 708.2 {
  profile plain = creature 2/2
  procedure hide(by p: Player) { choose o by p where o in battlefield: turn_down(o, look: plain, by: effect) }
}
"#;

pub const BEAR: &str = "archetype bear: {2} creature 2/2\n";

pub const WORLD: &str = "world small { players A  start A battlefield: bear  start A graveyard: bear  allow hide }\n";

/// What is met only where somebody casts.
const CAST: &str = r#"
rule casting cites 601.2 {
  permit p on c when c in hand: cast(c, by: p)
}
"#;

/// What the program says of this law and list, without the summary of cards.
fn covered(law: &str, list: Option<&str>) -> Outcome {
    let stage = Stage::empty();
    stage.write("model/a.rules", law);
    stage.write("model/b.cards", BEAR);
    stage.write("model/c.world", WORLD);
    stage.write("properties/a.props", "");
    if let Some(list) = list {
        stage.write("properties/coverage.list", list);
    }
    stage.run(&Engines, &["coverage", "--rules"])
}

/// The lines that begin with a word.
pub fn lines<'a>(outcome: &'a Outcome, word: &str) -> Vec<&'a str> {
    outcome.out.lines().filter_map(|line| line.strip_prefix(word)).map(str::trim).collect()
}

/// Explains all that is open in the law.
pub const LIST: &str = "# Why.
down-once `forbid turn_down(o)` `o in battlefield` never false: the tool takes
  what is there
idle never: nothing taps
resolving never: nothing is put onto the stack
";

#[test]
fn what_nothing_puts_to_work_is_open() {
    let outcome = covered(LAW, None);
    assert_eq!(outcome.status, 1, "{outcome:?}");
    let open = [
        "down-once `forbid turn_down(o)` `o in battlefield` never false  (STAGE/model/a.rules:7:31)",
        "idle never  (STAGE/model/a.rules:8:6)",
        "resolving never  (STAGE/model/a.rules:3:6)",
    ];
    assert_eq!(lines(&outcome, "OPEN"), open, "{}", outcome.out);
    assert!(outcome.out.contains("FAIL  3 of 5 rules and keywords at work"), "{}", outcome.out);
    assert!(outcome.out.contains("3 open, 0 explained"), "{}", outcome.out);
}

#[test]
fn a_part_and_the_conjuncts_of_it_are_told_apart() {
    let outcome =
        covered(&(LAW.to_owned() + CAST + "rule both { forbid tap(_)  marker m(o: Object) lasts turn }"), None);
    let open = lines(&outcome, "OPEN");
    assert!(open.contains(&"casting never  (STAGE/model/a.rules:14:6)"), "{open:?}");
    let law = LAW.replace("profile plain", "profile other = creature 1/1\n  profile plain");
    let outcome = covered(&law, None);
    let open = lines(&outcome, "OPEN");
    assert!(open.contains(&"tools `profile other` never  (STAGE/model/a.rules:10:3)"), "{open:?}");
}

#[test]
fn what_is_explained_is_not_open_and_no_order_of_rules_matters() {
    let outcome = covered(LAW, Some(LIST));
    assert_eq!((outcome.status, lines(&outcome, "OPEN").len()), (0, 0), "{outcome:?}");
    assert!(outcome.out.contains("PASS  3 of 5") && outcome.out.contains("0 open, 3 explained"), "{}", outcome.out);
    let (first, last) = LAW.split_at(LAW.find("rule idle").unwrap());
    let turned = covered(&(last.to_owned() + first), Some(LIST));
    assert_eq!((turned.status, turned.out), (0, outcome.out));
}

#[test]
fn entries_that_are_not_needed_or_name_nothing_are_told() {
    for (entry, told) in [
        ("tools never: it is", "5: this is not needed, since it was met: tools never"),
        ("tools `profile plain` never: it is", "5: this is not needed, since it was met: tools `profile plain` never"),
        (
            "down-once `forbid turn_down(o)` `o.face_down` never true: it is",
            "5: this is not needed, since it was met: down-once `forbid turn_down(o)` `o.face_down` never true",
        ),
        ("idel never: it is", "5: no rule is named `idel`"),
        ("tools `profile flat` never: it is", "5: the rule has no such part or conjunct: tools `profile flat` never"),
    ] {
        let list = LIST.replace("  what is there\n", "").replace("takes", "takes what is there") + entry + "\n";
        let outcome = covered(LAW, Some(&list));
        assert_eq!(outcome.status, 1, "{outcome:?}");
        assert_eq!(lines(&outcome, "LIST"), [format!("STAGE/properties/coverage.list:{told}")]);
    }
}

#[test]
fn entries_of_rules_that_are_not_in_force_are_passed_over() {
    let law = format!("edition 2020-01-01, 2021-01-01\n{LAW}rule old until 2021-01-01 {{ forbid tap(_) }}\n");
    assert_eq!(covered(&law, Some(&format!("{LIST}old never: it is old\n"))).status, 0);
}

#[test]
fn a_list_that_is_none_is_wrong_input() {
    for (list, told) in [
        ("idle: nothing taps\n", "line 1 is no entry"),
        ("idle never\n", "line 1 is no entry"),
        ("idle `forbid tap(o)` never true: so\n", "line 1 is no entry"),
        ("idle never:\n", "line 1: idle never has no reason"),
        ("idle never: so\nidle never: so\n", "line 2: this is explained twice: idle never"),
        ("  so\n", "line 1 starts with a space and goes on with no entry"),
    ] {
        let outcome = covered(LAW, Some(list));
        assert!(outcome.status == 2 && outcome.err.contains(told), "{list}: {outcome:?}");
    }
}

#[test]
fn what_an_incomplete_world_leaves_open_is_not_known() {
    let cut = || Fake::default().with("tiny", |_, result| result.complete = false);
    let stage = Stage::new();
    assert_eq!(stage.run(&cut(), &["coverage", "--rules"]).status, 3);
    assert_eq!(stage.run(&cut(), &["coverage", "--rules", "--world", "other"]).status, 1);
    stage.write("properties/coverage.list", "nothing never: so\n");
    assert_eq!(stage.run(&cut(), &["coverage", "--rules"]).status, 1);
}

#[test]
fn a_ruling_that_fails_is_told() {
    let stage = Stage::new();
    let outcome = stage.run(&Fake { ruling_fails: true, ..Fake::default() }, &["coverage", "--rules"]);
    assert_eq!(lines(&outcome, "FAILS"), ["ruling bear-up: `facedown check` says why"]);
}

#[test]
fn where_each_rule_was_at_work_is_in_the_json() {
    let stage = Stage::empty();
    stage.write("model/a.rules", LAW);
    stage.write("model/b.cards", BEAR);
    stage.write("model/c.world", WORLD);
    stage.write(
        "properties/a.rulings",
        "ruling r cites 708.2 { given b: bear in battlefield of A  when do hide(by: A) }",
    );
    let outcome = stage.run(&Engines, &["coverage", "--rules", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&outcome.out).unwrap();
    let rules = json["rules"].as_array().unwrap();
    let named = |name: &str| rules.iter().find(|r| r["name"] == name).unwrap();
    assert_eq!(named("tools")["worlds"], serde_json::json!(["small"]));
    assert_eq!(named("tools")["rulings"], serde_json::json!(["r"]));
    assert_eq!(named("down-once")["rulings"], serde_json::json!([]));
    assert_eq!(named("idle")["worlds"], serde_json::json!([]));
    let conjunct = &named("down-once")["parts"][0]["conjuncts"][0];
    let wanted = serde_json::json!({ "conjunct": "o in battlefield", "seen_true": true, "seen_false": false });
    assert_eq!(*conjunct, wanted);
}
