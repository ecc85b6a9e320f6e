//! The report as JSON against its published schema, the report as text, the play string, and the baseline.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use crate::stage::{Fake, Outcome, Stage, golden, play};
use facedown::judge::play::Finding;
use facedown::judge::script::Script;
use facedown::report::baseline::Baseline;
use facedown::report::model::{Report, schema};

fn json(outcome: &Outcome) -> serde_json::Value {
    serde_json::from_str(&outcome.out).unwrap()
}

/// A world in which the property `stays` is violated and the rest is as expected.
fn violated() -> Fake {
    Fake::default().with("tiny", |program, result| {
        let at = program.properties.iter().position(|p| p.name == "stays").unwrap();
        result.findings[at] = Some(Finding { violated: Some(play("tiny")), ..Finding::default() });
    })
}

#[test]
fn the_published_schema_is_the_one_of_the_program() {
    golden("docs/report.schema.json", &schema().unwrap());
}

#[test]
fn reports_follow_the_schema() {
    let schema: serde_json::Value = serde_json::from_str(&schema().unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let stage = Stage::new();
    let failing = Fake { ruling_fails: true, ..violated() };
    for engine in [Fake::default(), violated(), failing] {
        let report = json(&stage.run(&engine, &["check", "--format", "json", "--all"]));
        let wrong: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
        assert_eq!(wrong, [""; 0]);
    }
    let mut report = json(&stage.run(&Fake::default(), &["check", "--format", "json"]));
    report["properties"][0]["verdict"] = "perhaps".into();
    assert!(!validator.is_valid(&report));
}

#[test]
fn what_is_measured_is_in_run_alone() {
    let stage = Stage::new();
    let slow = || {
        Fake::default().with("tiny", |_, result| {
            result.seconds = 99.0;
            result.threads = 64;
            result.bytes_per_state = 1.0;
            result.engine = "referee".to_owned();
        })
    };
    let report = |engine: &Fake| {
        let mut report = json(&stage.run(engine, &["check", "--format", "json"]));
        report["run"].take();
        report
    };
    assert_eq!(report(&Fake::default()), report(&slow()));
    let text = |engine: &Fake| stage.run(engine, &["check"]).out;
    assert_eq!(text(&Fake::default()), text(&slow()));
}

#[test]
fn text_of_a_pass() {
    let outcome = Stage::new().run(&Fake::default(), &["check"]);
    assert_eq!(outcome.status, 0);
    assert_eq!(
        outcome.out,
        "world other  1,054 states, 4,001 steps, depth 7, complete\n\
         world tiny  1,054 states, 4,002 steps, depth 7, complete\n\n\
         PASS  2 invariants hold in 2 worlds (2,108 states, 8,003 steps, all plays of any length); \
         1 witness reached; 1 conjecture refuted; 1 ruling passes\n"
    );
    assert!(outcome.err.contains("world tiny: 1.50 s, 12.5 bytes a state, 3 threads, engine own"));
}

#[test]
fn text_of_a_violation() {
    let stage = Stage::new();
    let outcome = stage.run(&violated(), &["check", "--lang", "it"]);
    assert_eq!(outcome.status, 1);
    let block = "\nVIOLATED invariant stays [708.2b] at STAGE/properties/a.props:1:1\n  Resta.\n  \
        world tiny, edition 2026-08-07\n  readings: open_question=narrow\n  \
        start: Liberator's Leave in hand of A, bear in library of A\n  \
        1. A: turn_up bear (morph), paying {2}, choosing yes\n     permitted by turning [708.2b]\n     \
        events: turn_up(bear)\n     now: bear is face up\n  broken for o = bear\n  \
        replay: facedown play --model STAGE/model --properties STAGE/properties --world tiny --edition 2026-08-07 \
        --reading open_question=narrow -- 'Liberator%27s Leave in hand of A | bear in library of A ; offer 0 1 / 0.1'\n";
    assert!(outcome.out.contains(block), "{}", outcome.out);
    assert!(outcome.out.contains("FAIL  1 invariant holds"), "{}", outcome.out);
    assert!(outcome.out.contains("1 invariant VIOLATED"), "{}", outcome.out);
}

#[test]
fn play_strings_round_trip() {
    let script = Script {
        start: vec!["Jace, Vryn's \"Prodigy\" | 100% ; in hand of A".to_owned(), "é\\n\n".to_owned()],
        steps: vec!["offer 12 0 3 5 / 0.2 1.2".to_owned(), "resolve".to_owned()],
    };
    let line = script.to_line();
    assert!(!line.contains(['\'', '\n', '\\']), "{line}");
    assert_eq!(Script::parse(&line).unwrap(), script);
    assert_eq!(Script::parse(&Script::default().to_line()).unwrap(), Script::default());
    assert_eq!(Script::parse("a ; ; b").unwrap_err(), "step 1 of the play is empty");
    assert!(Script::parse("a%4").is_err() && Script::parse("a%é0").is_err() && Script::parse("%ff").is_err());
}

#[test]
fn the_baseline_tells_differences_in_words() {
    let stage = Stage::new();
    let file = stage.path("reports/baseline.json");
    let file = file.to_str().unwrap();
    let good = Fake::default();
    assert_eq!(stage.run(&good, &["check", "--baseline", file]).status, 2);
    assert_eq!(stage.run(&good, &["check", "--all", "--baseline", file, "--update-baseline"]).status, 0);
    let written = std::fs::read_to_string(file).unwrap();
    assert_eq!(stage.run(&good, &["check", "--baseline", file]).status, 0);
    assert_eq!(stage.run(&good, &["check", "--world", "tiny", "--baseline", file]).status, 0);
    assert!(
        stage
            .run(&good, &["check", "--list-worlds", "--baseline", file])
            .out
            .contains("deep-one  1,054 states  One bear, deep (by --all or --world only)\n")
    );

    let grown = || {
        Fake::default().with("tiny", |_, result| {
            result.unique_states += 1;
            result.steps += 2;
            result.depth += 1;
        })
    };
    let outcome = stage.run(&grown(), &["check", "--baseline", file]);
    assert_eq!(outcome.status, 1);
    for line in [
        "\n  world tiny: 1055 states, baseline says 1054\n",
        "\n  world tiny: 4004 steps, baseline says 4002\n",
        "\n  world tiny: depth 8, baseline says 7\n",
        "; 3 differences from the baseline\n",
    ] {
        assert!(outcome.out.contains(line), "{line}{}", outcome.out);
    }
    let failing = Fake { ruling_fails: true, ..violated() };
    let outcome = stage.run(&failing, &["check", "--world", "tiny", "--baseline", file]);
    assert!(
        outcome.out.contains("  invariant stays: violated, baseline says holds (1 step in tiny)\n"),
        "{}",
        outcome.out
    );
    assert!(outcome.out.contains("  ruling bear-up: fails, baseline says passes\n"), "{}", outcome.out);

    // Updating with one world keeps what is known of the others.
    assert_eq!(stage.run(&grown(), &["check", "--world", "tiny", "--baseline", file, "--update-baseline"]).status, 0);
    let updated = Baseline::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
    let old = Baseline::parse(&written).unwrap();
    assert_eq!(updated.worlds["tiny"].unique_states, 1055);
    assert_eq!(
        (&updated.worlds["other"], &updated.worlds["deep-one"]),
        (&old.worlds["other"], &old.worlds["deep-one"])
    );
    assert_eq!((&updated.properties, &updated.rulings), (&old.properties, &old.rulings));

    // What the model no longer has is told, and what is new too.
    stage.write("model/c.world", crate::stage::WORLDS.replace("deep-one", "fresh"));
    let outcome = stage.run(&good, &["check", "--baseline", file]);
    assert!(outcome.out.contains("  world fresh: 1054 states, the baseline does not have it\n"), "{}", outcome.out);
    assert!(outcome.out.contains("  world deep-one: the baseline has it, the model does not\n"), "{}", outcome.out);

    let outcome = stage.run(&good, &["check", "--reading", "open_question=wide", "--baseline", file]);
    let line = "  readings open_question=wide, the baseline is of readings open_question=narrow\n";
    assert!(outcome.out.contains(line), "{}", outcome.out);

    stage.write("reports/baseline.json", "{}");
    assert!(stage.run(&good, &["check", "--baseline", file]).err.contains("it is no baseline"));
}

#[test]
fn the_baseline_tells_what_was_reworded_and_which_rules_changed() {
    use crate::stage::{PROPERTIES, RULES, RULINGS};
    let stage = Stage::new();
    let file = stage.path("reports/baseline.json");
    let words = ["check", "--all", "--baseline", file.to_str().unwrap()];
    let good = Fake::default();
    assert_eq!(stage.run(&good, &[&words[..], &["--update-baseline"]].concat()).status, 0);
    let found = |engine: &Fake| {
        let out = stage.run(engine, &words).out;
        let lines = out.lines().skip_while(|l| !l.starts_with("DIFFERENT")).skip(1).take_while(|l| !l.is_empty());
        lines.map(|l| l.trim().to_owned()).collect::<Vec<_>>()
    };
    // One name a line, so that a change is reviewed as a line.
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\n    \"stays\": {\"verdict\": \"holds\", \"wording\": \""), "{text}");
    assert!(text.contains("\n    \"rule turning\": {\"wording\": \""), "{text}");

    // Comments, spaces and sentences change nothing.
    stage.write(
        "model/a.rules",
        RULES.replace("An object is", "Each  object is").replace("= o.face_down", "=  o.face_down # so"),
    );
    stage.write("properties/a.props", PROPERTIES.replace("It stays.", "It stays put."));
    assert_eq!(found(&good), [""; 0]);

    stage.write("properties/a.props", PROPERTIES.replace("stays cites 708.2b", "stays cites 708.2"));
    stage.write("properties/rulings/b.rulings", RULINGS.replace("not b.face_down", "not b.tapped"));
    stage.write("model/c.world", crate::stage::WORLDS.replacen("players A, B", "players A, B\n  mana 5", 1));
    assert_eq!(
        found(&good),
        [
            "world tiny: its wording changed",
            "invariant stays: its wording changed",
            "ruling bear-up: its wording changed"
        ]
    );

    stage.write("properties/a.props", PROPERTIES);
    stage.write("properties/rulings/b.rulings", RULINGS);
    stage.write("model/c.world", crate::stage::WORLDS);
    let renamed = RULES.replace("rule turning", "rule flipping").replace("\"An object", "\"An  object");
    stage.write("model/a.rules", renamed.replace("= o.face_down", "= o.face_down and o.face_down"));
    assert_eq!(
        found(&violated()),
        [
            "invariant stays: violated, baseline says holds (1 step in tiny; rule flipping was added; \
             rule looking changed; rule turning is gone)",
            "rule flipping: added",
            "rule looking: changed",
            "rule turning: gone"
        ]
    );

    stage.write("reports/baseline.json", "{\"format_version\": 1}");
    let outcome = stage.run(&good, &words);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.err.contains("its format is 1, this program reads 2: remove it and write it anew"),
        "{}",
        outcome.err
    );
}

#[test]
fn the_readable_report_is_written_beside_the_baseline() {
    let stage = Stage::new();
    let file = stage.path("reports/baseline.json");
    let words = ["check", "--all", "--baseline", file.to_str().unwrap(), "--update-baseline"];
    assert_eq!(stage.run(&Fake::default(), &words).status, 0);
    let text = std::fs::read_to_string(stage.path("reports/REPORT.md")).unwrap();
    for part in [
        "Of the edition of 2026-08-07: **2 invariants hold in 3 worlds** (3,162 states, 12,003 steps); 1 witness reached, \
         1 conjecture refuted, 1 ruling comes out as they say.",
        "| stays | It stays. | 708.2b | all |",
        "| both |  |  | tiny, other |",
        "| deep-one | One bear, deep (with `--all`) | 1,054 | 4,000 | 7 |",
        "| open\\_question | narrow | a few | wide: all |",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // What somebody else wrote there is left alone.
    stage.write("reports/REPORT.md", "mine\n");
    let outcome = stage.run(&Fake::default(), &words);
    assert!(outcome.err.contains("REPORT.md` is left as it is"), "{}", outcome.err);
    assert_eq!(std::fs::read_to_string(stage.path("reports/REPORT.md")).unwrap(), "mine\n");
}

#[test]
fn the_readable_report_of_this_repository_is_current() {
    use facedown::lang::check::{self, Options};
    use facedown::report::overview::{self, Overview};
    let loaded = facedown::cli::load::folders(&["model".into(), "properties".into()]).unwrap();
    let program = check::check(&loaded.files, &Options::default()).unwrap();
    let baseline = Baseline::parse(&std::fs::read_to_string("reports/baseline.json").unwrap()).unwrap();
    let overview = Overview { sources: &loaded.sources, program: &program, baseline: &baseline, root: Some("../") };
    golden("reports/REPORT.md", &overview::text(&overview));
}

#[test]
fn a_report_reads_back() {
    let outcome = Stage::new().run(&violated(), &["check", "--format", "json"]);
    let report: Report = serde_json::from_str(&outcome.out).unwrap();
    assert_eq!(report.summary.exit_status, 1);
    assert_eq!(report.summary.properties["invariant violated"], 1);
}
