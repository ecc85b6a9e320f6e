//! The seed table and the coverage of the law, on the small model and on the shipped one.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use crate::stage::{Fake, Outcome, Stage, golden, run_into};

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
        ("", "the first line is not `id words clauses reason`"),
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
fn a_table_is_asked_for() {
    for words in [&["coverage"][..], &["coverage", "--rules", "--seeds"], &["coverage", "--seeds", "--world", "tiny"]] {
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
