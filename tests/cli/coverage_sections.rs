//! Coverage by sections, as JSON against its published schema, and as lcov, read by a parser of another project.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use std::collections::BTreeMap;

use crate::coverage::{BEAR, LAW, LIST, WORLD, lines};
use crate::stage::{Outcome, Stage, golden, run_into};
use facedown::cli::engines::Engines;
use facedown::report::coverage::schema;
use lcov::{Reader, Record};

fn staged(law: &str, cards: &str, world: &str, rest: &[(&str, &str)]) -> Stage {
    let stage = Stage::empty();
    stage.write("model/a.rules", law);
    stage.write("model/b.cards", cards);
    stage.write("model/c.world", world);
    stage.write("properties/a.props", "");
    rest.iter().for_each(|(path, text)| stage.write(path, text));
    stage
}

fn covered(stage: &Stage, words: &[&str]) -> Outcome {
    stage.run(&Engines, &[&["coverage"], words].concat())
}

#[test]
fn without_a_switch_all_sections_are_summed_up() {
    let seeds = "id\twords\tclauses\treason\n000-01\ta title\t\ta title\n";
    let stage = staged(LAW, BEAR, WORLD, &[("properties/coverage.list", LIST), ("properties/seeds.tsv", seeds)]);
    let outcome = covered(&stage, &[]);
    assert_eq!(outcome.status, 1, "{outcome:?}");
    assert_eq!(lines(&outcome, "OPEN"), ["event take never", "event tap never"]);
    let list = format!("{LIST}event take never: nothing is offered\nevent tap never: nothing taps\n");
    stage.write("properties/coverage.list", &list);
    let outcome = covered(&stage, &[]);
    assert_eq!(
        outcome.out,
        "world small  2 states, 2 steps, depth 1, complete\n\n\
         rules       3 of 5 rules and keywords at work, 4 of 7 parts of them\n\
         conjuncts   2 of 4 conjuncts both true and false\n\
         events      1 of 36 verbs happen, 1 of 3 events that clauses are written on are met, 1 of 1 words that the law \
         names for an argument occur\n\
         archetypes  1 of 1 cards dealt or given, 0 of 0 clauses at work, 0 of 0 keywords at work on their card; \
         1 cards were face down, 0 turned up\n\
         effects     1 of 1 effects do something where a world allows them; 0 that no world allows\n\
         seeds       0 of 1 sentences stated, 1 with a reason, 0 open\n\
         of cards: 0 of 0 clauses at work, 0 of 0 conjuncts both true and false\n\
         PASS  coverage (1 world, 0 rulings); 0 open, 5 explained\n"
    );
    assert_eq!(outcome.status, 0, "{outcome:?}");
}

#[test]
fn a_section_tells_its_own_and_fails_for_its_own() {
    let stage = staged(LAW, BEAR, WORLD, &[]);
    for (section, status, told) in [
        ("--events", 1, "turn_down  1 world, 0 rulings, 1 clause on it\n  by: effect\n"),
        ("--archetypes", 0, "bear  1 world, 0 rulings, was face down\n"),
        ("--effects", 0, "hide  small; 0 rulings\n"),
        ("--conjuncts", 1, "OPEN  down-once `forbid turn_down(o)` `o in battlefield` never false"),
    ] {
        let outcome = covered(&stage, &[section]);
        assert!(outcome.status == status && outcome.out.contains(told), "{section}: {outcome:?}");
        assert!(section == "--conjuncts" || !outcome.out.contains("never false"), "{section}: {outcome:?}");
    }
}

#[test]
fn a_side_of_an_or_a_condition_and_a_filter_are_told() {
    let law = LAW.replace(
        "forbid turn_down(o) when o in battlefield and o.face_down",
        "forbid turn_down(o) when o.face_down and (o in battlefield or o in stack) and not (o.tapped and o is creature)",
    );
    let law = law
        .replace("turn_down(o, look: plain, by: effect)", "{ if o.owner == p: turn_down(o, look: plain, by: effect) }");
    let outcome = covered(
        &staged(&law, BEAR, "world small { players A  start A battlefield: bear  allow hide }\n", &[]),
        &["--conjuncts"],
    );
    let open: Vec<&str> = lines(&outcome, "OPEN").into_iter().map(|l| l.split("  (").next().unwrap()).collect();
    assert_eq!(
        open,
        [
            "down-once `forbid turn_down(o)` `(o in battlefield or o in stack)` never false",
            "down-once `forbid turn_down(o)` `not (o.tapped and o is creature)` never false",
            "down-once `forbid turn_down(o)` `o in battlefield` never false",
            "down-once `forbid turn_down(o)` `o in stack` never false",
            "down-once `forbid turn_down(o)` `o in stack` never true",
            "down-once `forbid turn_down(o)` `o is creature` never false",
            "down-once `forbid turn_down(o)` `o is creature` never true",
            "down-once `forbid turn_down(o)` `o.tapped` never true",
            "tools `procedure hide` `o in battlefield` never false",
            "tools `procedure hide` `o.owner == p` never false",
        ]
    );
}

#[test]
fn what_a_property_asks_in_vain_is_told_and_is_no_gap() {
    let property =
        "property stays { always every o where o.face_down and o in battlefield: not o.tapped or o is creature }\n";
    let list = LIST.to_owned();
    let stage = staged(LAW, BEAR, WORLD, &[("properties/b.props", property), ("properties/coverage.list", &list)]);
    let outcome = covered(&stage, &["--conjuncts"]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert_eq!(
        lines(&outcome, "TOLD"),
        [
            "property stays `o in battlefield` never false  (STAGE/properties/b.props:1:55)",
            "property stays `o is creature` never true  (STAGE/properties/b.props:1:89)",
        ]
    );
}

#[test]
fn a_planted_card_effect_and_word_are_found() {
    let law = format!(
        "{LAW}rule idle-tool {{ procedure rest(by p: Player) {{ choose o by p where o in exile: tap(o) }}\n  procedure unused(by p: Player) {{ turn_up(o: o) }} }}\n"
    );
    let law = law.replace(
        "procedure unused(by p: Player) { turn_up(o: o) }",
        "procedure away(by p: Player) { each o where o in exile: move(o, to: hand) }",
    );
    let cards = format!("{BEAR}card \"Old Bear\": {{2}} creature 2/2 {{ forbid tap(o) when o == self }}\n");
    let world = WORLD.replace("allow hide", "allow hide, rest");
    let stage = staged(&law, &cards, &world, &[]);
    let open = |section: &str| {
        let outcome = covered(&stage, &[section]);
        lines(&outcome, "OPEN").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(open("--archetypes"), ["card \"Old Bear\" never  (STAGE/model/b.cards:2:6)"]);
    assert_eq!(open("--effects"), ["world small `allow rest` never  (STAGE/model/c.world:1:7)"]);
    let events = open("--events");
    assert!(events.contains(&"event move never".to_owned()), "{events:?}");
    let told = covered(&stage, &["--effects"]).out;
    assert!(
        told.contains("away  no world; 0 rulings\n")
            && told.contains("rest  no world; 0 rulings; does nothing in small\n"),
        "{told}"
    );

    let given = "ruling r cites 708.2 { given b: \"Old Bear\" in battlefield of A  when do hide(by: A) choosing b }";
    stage.write("properties/a.rulings", given);
    assert_eq!(open("--archetypes"), ["card \"Old Bear\" `forbid tap(o)` never  (STAGE/model/b.cards:2:37)"]);
    let list =
        "card \"Old Bear\" `forbid tap(o)` never: nothing taps\nworld small `allow rest` never: nothing is exiled\n";
    stage.write("properties/coverage.list", list);
    assert_eq!((covered(&stage, &["--archetypes"]).status, covered(&stage, &["--effects"]).status), (0, 0));
    for (entry, told) in [
        ("card bear never: so", "1: this is not needed, since it was met: card bear never"),
        ("card bare never: so", "1: nothing is named so: card bare never"),
        ("event move `to: hand` never: so", ""),
        ("event move `to: nowhere` never: so", "1: there is no such part of it: event move `to: nowhere` never"),
    ] {
        stage.write("properties/coverage.list", format!("{entry}\n"));
        let outcome = covered(&stage, &["--archetypes"]);
        assert_eq!(lines(&outcome, "LIST").join("").replace("STAGE/properties/coverage.list:", ""), told, "{entry}");
    }
}

#[test]
fn the_published_schema_is_the_one_of_the_program() {
    golden("docs/coverage.schema.json", &schema().unwrap());
}

#[test]
fn coverage_follows_the_schema() {
    let schema: serde_json::Value = serde_json::from_str(&schema().unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let stage = staged(LAW, BEAR, WORLD, &[]);
    for section in [&[][..], &["--rules"], &["--events"]] {
        let outcome = covered(&stage, &[section, &["--format", "json"]].concat());
        let mut json: serde_json::Value = serde_json::from_str(&outcome.out).unwrap();
        let wrong: Vec<String> = validator.iter_errors(&json).map(|e| e.to_string()).collect();
        assert_eq!(wrong, [""; 0]);
        json["events"][0]["listening"] = "many".into();
        assert!(!validator.is_valid(&json));
    }
}

/// What a parser of another project reads of an lcov file: counts by line and by rule, and truths by line.
type Read = (BTreeMap<u32, u64>, BTreeMap<String, u64>, Vec<(u32, u32, Option<u64>)>);

fn read(text: &str) -> BTreeMap<String, Read> {
    let mut files = BTreeMap::new();
    let mut file = Read::default();
    let mut name = String::new();
    for record in Reader::new(text.as_bytes()) {
        match record.unwrap() {
            Record::SourceFile { path } => name = path.display().to_string(),
            Record::LineData { line, count, .. } => assert_eq!(file.0.insert(line, count), None, "line {line} twice"),
            Record::FunctionData { name, count } => assert_eq!(file.1.insert(name, count), None),
            Record::BranchData { line, branch, taken, .. } => file.2.push((line, branch, taken)),
            Record::LinesFound { found } => assert_eq!(found as usize, file.0.len()),
            Record::LinesHit { hit } => assert_eq!(hit as usize, file.0.values().filter(|n| **n > 0).count()),
            Record::BranchesFound { found } => assert_eq!(found as usize, file.2.len()),
            Record::BranchesHit { hit } => {
                assert_eq!(hit as usize, file.2.iter().filter(|b| b.2.is_some_and(|n| n > 0)).count());
            }
            Record::FunctionsFound { found } => assert_eq!(found as usize, file.1.len()),
            Record::FunctionsHit { hit } => assert_eq!(hit as usize, file.1.values().filter(|n| **n > 0).count()),
            Record::EndOfRecord => assert!(files.insert(name.clone(), std::mem::take(&mut file)).is_none()),
            Record::FunctionName { .. } | Record::TestName { .. } => {}
        }
    }
    files
}

#[test]
fn lcov_is_read_by_another_parser_and_counts_worlds_and_rulings() {
    let ruling = "ruling r cites 708.2 { given b: bear in battlefield of A  when do hide(by: A) choosing b }";
    let stage = staged(LAW, BEAR, WORLD, &[("properties/a.rulings", ruling)]);
    let outcome = covered(&stage, &["--format", "lcov"]);
    let files = read(&outcome.out);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["STAGE/model/a.rules"]);
    let (lines, rules, truths) = &files["STAGE/model/a.rules"];
    assert_eq!((rules["down-once"], rules["idle"], rules["tools"]), (1, 0, 2));
    assert_eq!((lines[&7], lines[&8], lines[&10], lines[&11]), (1, 0, 2, 2));
    // `o in battlefield` was true in the world and the ruling and never false; then `o.face_down` was both in the world.
    let seventh: Vec<_> = truths.iter().filter(|t| t.0 == 7).map(|t| (t.1, t.2)).collect();
    assert_eq!(seventh, [(0, Some(2)), (1, Some(0)), (0, Some(1)), (1, Some(2))]);
    let eighth: Vec<_> = truths.iter().filter(|t| t.0 == 8).map(|t| t.2).collect();
    assert_eq!(eighth, [None, None]);
}

#[test]
fn no_number_of_threads_changes_anything() {
    // The shipped law on some of its worlds, without the rulings, which would take their time.
    let stage = staged("", "", "", &[]);
    let model = format!("--model={}/model", env!("CARGO_MANIFEST_DIR"));
    let of = |threads: &str, format: &str| {
        let words =
            ["--threads", threads, "--format", format, "--world", "tiny", "--world", "chained", "--world", "order"];
        let properties = stage.path("properties");
        let properties = format!("--properties={}", properties.display());
        run(&[&["facedown", "coverage", &model, &properties], &words[..]].concat())
    };
    let lcov = of("1", "lcov");
    assert!(lcov.contains("/model/rules/face-down.rules\n"), "{lcov}");
    assert_eq!(lcov, of("3", "lcov"));
    assert_eq!(of("1", "json"), of("4", "json"));
}

fn run(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
    let mut out = Vec::new();
    run_into(&Engines, &words, &mut out, false);
    String::from_utf8(out).unwrap()
}
