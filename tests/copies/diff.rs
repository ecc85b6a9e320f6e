//! `facedown diff` through the program itself: every edit of `tests/whatif/` is stopped at the line of the rule that it
//! changes, or shown as behaviour; each reading shows a play on which the two sides part; what is no difference is none; bad
//! input is told.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::copied::{self, Copied};
use crate::followed::take_out;
use facedown::report::diff::{DiffReport, VerdictReport, schema};
use facedown::report::diff_sheet::sheet;
use facedown::report::diff_text::DiffStyle;
use facedown::report::sheet::{Outcome, Place};
use facedown::report::text::Style;
use facedown::report::trace::Replay;

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

/// Of big worlds a few steps are looked ahead.
fn ahead(words: &mut Vec<&str>, worlds: &[&str]) {
    if worlds.iter().any(|w| ["copies", "double-faced"].contains(w)) {
        words.extend(["--limit-depth", "3"]);
    }
}

/// The forms in which a change is told beside JSON, each with a file of the copy.
const FORMATS: [&str; 5] =
    ["text=diff.txt", "junit=diff.xml", "sarif=diff.sarif", "github=diff.github", "markdown=diff.md"];

/// Every form names the property and the line of the change.
fn everywhere(copied: &Copied, property: &str, at: &Place) {
    let [text, junit, sarif, github, markdown] =
        FORMATS.map(|f| fs::read_to_string(copied.path(f.split_once('=').unwrap().1)).unwrap());
    let line = format!("{}:{}", at.path, at.line);
    let told = |text: &str, mark: &str| text.lines().any(|l| l.contains(mark) && l.contains(property));
    assert!(text.contains(&line) && told(&text, property), "{property} at {line} is not in\n{text}");
    let case = junit.split("<testcase ").find(|c| c.contains(&format!("name=\"{property}\"")));
    assert!(case.is_some_and(|c| c.contains("<failure") && c.contains(&line)), "{property} at {line}: {case:?}");
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let result = sarif["runs"][0]["results"].as_array().unwrap().iter().find(|r| r["ruleId"] == property).cloned();
    let place = &result.unwrap_or_else(|| panic!("{property} is no result"))["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], at.path, "{property}");
    assert_eq!(place["region"]["startLine"], at.line, "{property}");
    assert!(told(&github, &format!("::error file={},line={}", at.path, at.line)), "{property} at {line}: {github}");
    assert!(markdown.contains(property) && markdown.contains(&line), "{property} at {line} is not in\n{markdown}");
}

/// An edit: where it is looked at, a verdict that gets worse, and the item that is changed.
fn stopped(id: &str, worlds: &[&str], properties: &[&str], item: &str) {
    let copied = Copied::old_and_new(id).without_rulings();
    let mut words = vec!["old", "model"];
    worlds.iter().for_each(|w| words.extend(["--world", w]));
    ahead(&mut words, worlds);
    words.extend(FORMATS.iter().flat_map(|format| ["--report", format]));
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
        everywhere(&copied, property, at);
        assert!(v.new_play.is_some() || v.old_play.is_some(), "{id}: {property} is told without a play");
    }
    // What only properties ask parts no step.
    if !["E19", "E20"].contains(&id) {
        parts_somewhere(&report);
    }
}

/// In words: the verdict, where to look, and a play with both sides.
#[test]
fn a_parting_is_told_for_people_too() {
    let copied = Copied::old_and_new("E22").without_rulings();
    let (text, status) = told(&copied, &["old", "model", "--world", "leaving"]);
    assert_eq!(status, 1, "{text}");
    for words in [
        "UNREACHED witness forest-turned-up-for-its-morph-cost: reached before",
        "look at keyword morph (changed) at model/rules/morph.rules:2:1",
        "DIFFERS by keyword disguise (changed)",
        "after 1 step: the old side alone offers it",
        "keyword morph does not permit it on the other side",
        "old: 2. A: turn_up (morph) morpher, paying {2}{R}",
        "replay old: facedown play --model old --world leaving",
        "replay new: facedown play --world leaving",
        "DIFFERENT  1 verdict WORSE",
    ] {
        assert!(text.contains(words), "{words:?} is missing in\n{text}");
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
    e02 "E02" ["tiny"], ["enters-abilities-come-from-entering"], "entering-and-leaving";
    e02b "E02b" ["tiny"], ["enters-abilities-come-from-entering"], "entering-and-leaving";
    e03 "E03" ["tiny", "dropped"], ["entering-face-down-triggers-nothing-of-its-own"], "down-before-it-enters";
    e04 "E04" ["tiny"], ["spell-card-is-never-turned-up"], "instant-stays-down";
    e04b "E04b" ["merging"], ["no-merged-instant-is-turned-up"], "merged-instant-stays-down";
    e05 "E05" ["tiny", "knowledge"], ["failed-turn-up-shows-the-card"], "instant-stays-down";
    e06 "E06" ["tokens"], ["copy-of-face-down-is-made-face-up"], "copies-copy-the-face";
    e07 "E07" ["tiny", "knowledge"], ["what-leaves-face-down-is-shown"], "revealed-as-it-leaves";
    e08 "E08" ["knowledge"], ["controller-may-look"], "look-at-your-own";
    e09 "E09" ["tiny", "tokens"], ["token-copy-with-morph-is-turned-up"], "morph";
    e10 "E10" ["weakened", "tokens"], ["no-morph-route-without-morph"], "morph";
    e11 "E11" ["copies"], ["no-mana-route-for-a-noncreature-card"], "manifested-creature-turns-up-for-its-mana-cost";
    e12 "E12" ["tiny"], ["two-faces-never-turned-down"], "two-faces-never-go-down";
    e12b "E12b" ["merging"], ["merged-two-faces-never-turned-down"], "merged-two-faces-never-go-down";
    e13 "E13" ["double-faced"], ["down-never-transforms"], "no-transforming-face-down";
    e14 "E14" ["tiny", "casting"], ["cloak-lists-ward"], "warded-look";
    e15 "E15" ["tiny", "casting"], ["a-flip-cannot-be-answered"], "cloaked-creature-turns-up-for-its-mana-cost";
    e16 "E16" ["tiny"], ["flip-makes-no-new-object"], "zone-change-makes-a-new-object";
    e17 "E17" ["casting"], ["spell-is-never-turned-up"], "spells-are-not-turned-up";
    e18 "E18" ["kept"], ["megamorph-counter-only-for-its-cost"], "megamorph";
    e19 "E19" ["tiny"], ["nameless-shares-no-name"], "the-nameless-share-no-name";
    e20 "E20" ["tiny"], ["mana-value-is-zero"], "mana-value-comes-from-mana-cost";
    e21 "E21" ["copies"], ["face-down-looks-as-listed"], "what-a-view-is";
    e22 "E22" ["leaving", "tiny"], ["forest-turned-up-for-its-morph-cost"], "morph";
    e23 "E23" ["casting"], ["a-colour-ban-misses-a-face-down-spell"], "down-before-it-is-cast";
    e24 "E24" ["tiny", "leaving"], ["hidden-dies-ability-is-silent"], "leaving-looks-back";
    e26 "E26" ["turns"], ["turned-up-twice-in-one-turn"], "one-flip-a-turn";
    e27 "E27" ["merging"], ["a-turn-turns-all-components"], "a-turn-turns-every-component";
    e28 "E28" ["merging"], ["merging-is-not-entering"], "entering-and-leaving";
}

/// What is new alone breaks nothing, and is told as new.
#[test]
fn e25_is_new_behaviour_alone() {
    let copied = Copied::old_and_new("E25").without_rulings();
    let words = ["old", "model", "--world", "tiny", "--world", "casting", "--world", "veils"];
    let (report, status) = diff(&copied, &words);
    assert_eq!((status, worse(&report).len()), (1, 0), "{}", report.summary.sentence);
    let turns: BTreeSet<&str> = report.verdicts.iter().map(|v| v.turn.as_str()).collect();
    assert_eq!(turns, BTreeSet::from(["new"]));
    assert!(
        report.behaviour.iter().all(|p| matches!(p.kind.as_str(), "new_alone" | "start")),
        "{:?}",
        report.behaviour
    );
    let veils = report.worlds.iter().find(|w| w.name == "veils").unwrap();
    assert!(veils.old_states.is_none() && veils.new_states.is_some());
    assert!(report.summary.sentence.contains("no verdict changed"), "{}", report.summary.sentence);
    let (_, status) = diff(&copied, &[&words[..], &["--fail-on", "verdicts"]].concat());
    assert_eq!(status, 0);
}

/// A reading against its default parts somewhere, and the play says where.
#[test]
fn each_reading_shows_a_play_on_which_the_sides_part() {
    let copied = Copied::new().without_rulings();
    let limits = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/LIMITS.md")).unwrap();
    let open = limits.split("## Open readings").nth(1).unwrap().split("\n## ").next().unwrap();
    let readings: BTreeSet<&str> = open.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(readings, READINGS.iter().map(|r| r.0).collect());
    for (reading, worlds) in READINGS {
        let mut words = vec!["--readings", reading];
        worlds.iter().for_each(|w| words.extend(["--world", w]));
        ahead(&mut words, worlds);
        let (report, status) = diff(&copied, &words);
        assert_eq!(status, 1, "{reading}: {}", report.summary.sentence);
        parts_somewhere(&report);
    }
}

/// Where each reading parts.
const READINGS: [(&str, &[&str]); 12] = [
    ("instants", &["dropped"]),
    ("paid_instants", &["copies"]),
    ("spell_copy", &["tokens"]),
    ("turn_up_what", &["leaving"]),
    ("commander_seen", &["knowledge"]),
    ("manifested_x", &["hydra"]),
    ("manifested_together", &["together"]),
    ("two_faced_token", &["double-faced"]),
    ("cast_copy", &["ixidron"]),
    ("merged_mana_cost", &["merging"]),
    ("hidden_components", &["merging"]),
    ("merged_transform", &["merging"]),
];

#[test]
fn two_editions_part() {
    let copied = Copied::new().without_rulings();
    let (report, status) = diff(&copied, &["--editions", "2025-02-07", "2025-09-19", "--world", "tiny"]);
    assert_eq!(status, 1);
    assert_eq!(
        (report.old.edition.as_deref(), report.new.edition.as_deref()),
        (Some("2025-02-07"), Some("2025-09-19"))
    );
    parts_somewhere(&report);
}

/// Comments, spaces, and the order of rules are no difference, and neither is a sentence.
#[test]
fn what_says_the_same_is_no_difference() {
    let same = Copied::old_and_new("E25");
    fs::remove_file(same.path("model/rules/veil.rules")).unwrap();
    let path = same.path("model/rules/face-down.rules");
    let text = fs::read_to_string(&path).unwrap().replace("says en \"", "says en \"Indeed. ");
    fs::write(&path, format!("# A comment.\n\n{text}")).unwrap();
    let (text, status) = told(&same, &["old", "model"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("SAME  no difference") && text.contains("(reworded)"), "{text}");
}

/// Another way to say the same law: everything is run, and nothing differs in these worlds.
#[test]
fn no_difference_is_said_of_these_worlds_alone() {
    let copied = Copied::old_and_new("E25").without_rulings();
    fs::remove_file(copied.path("model/rules/veil.rules")).unwrap();
    let path = copied.path("model/rules/face-down.rules");
    let text = fs::read_to_string(&path).unwrap();
    let other =
        text.replacen("forbid turn_down(o) when o.face_down", "forbid turn_down(o) when not not o.face_down", 1);
    assert_ne!(text, other);
    fs::write(&path, other).unwrap();
    let words = ["old", "model", "--world", "tiny", "--world", "knowledge"];
    let (text, status) = told(&copied, &words);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("SAME  no difference in these worlds: 2 worlds compared"), "{text}");
    assert!(text.contains("nothing is said of other worlds"), "{text}");
    let (text, status) = told(&copied, &[&words[..], &["--limit-states", "10"]].concat());
    assert_eq!(status, 3, "{text}");
}

/// The same bytes for any number of threads, but for what is measured.
#[test]
fn threads_change_nothing() {
    let copied = Copied::old_and_new("E22").without_rulings();
    let run = |threads: &str| {
        let (report, _) = diff(&copied, &["old", "model", "--world", "leaving", "--threads", threads]);
        DiffReport { run: Default::default(), ..report }
    };
    assert_eq!(run("1"), run("3"));
}

/// A property that names what one side does not have is left aside there, and told.
#[test]
fn what_fits_one_side_alone_is_set_aside() {
    let copied = Copied::old_and_new("E25").without_rulings();
    let witness = "witness veiled in tiny { possible turn_up(o, by: veil) }\n";
    fs::write(copied.path("properties/veil.props"), witness).unwrap();
    let (report, status) = diff(&copied, &["old", "model", "--world", "tiny"]);
    assert_eq!(status, 1);
    let aside: Vec<_> = report.set_aside.iter().map(|a| (a.side.as_str(), a.name.as_str())).collect();
    assert_eq!(aside, [("old", "veiled")]);
    // It is new, and nothing in this world reaches it.
    assert_eq!(worse(&report).iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["veiled"]);
    fs::write(copied.path("properties/veil.props"), witness.replace("veil)", "vile)")).unwrap();
    let (text, status) = told(&copied, &["old", "model", "--world", "tiny"]);
    assert!(status == 2 && text.contains("fits neither rulebook"), "{text}");
}

fn git(copied: &Copied, words: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(copied.path("")).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(words);
    let out = git.output().expect("git runs");
    assert!(out.status.success(), "git {words:?}: {out:?}");
}

#[test]
fn a_revision_is_a_rulebook() {
    let copied = Copied::old_and_new("E01").without_rulings();
    let edited = fs::read(copied.path("model/rules/face-down.rules")).unwrap();
    fs::copy(copied.path("old/rules/face-down.rules"), copied.path("model/rules/face-down.rules")).unwrap();
    git(&copied, &["init", "-q"]);
    git(&copied, &["add", "-A"]);
    git(&copied, &["commit", "-qm", "as shipped"]);
    fs::write(copied.path("model/rules/face-down.rules"), edited).unwrap();
    let words = ["HEAD:model", "model", "--world", "tiny"];
    let (report, status) = diff(&copied, &words);
    assert_eq!(status, 1);
    assert_eq!(report.old.revision.as_deref(), Some("HEAD"));
    let change = &report.changes[0];
    let old = change.old.as_ref().unwrap();
    assert_eq!((old.revision.as_deref(), old.path.as_str()), (Some("HEAD"), "model/rules/face-down.rules"));
    assert_eq!(change.new.as_ref().unwrap().revision, None);
    assert!(worse(&report).iter().any(|v| v.name == "look-and-cause-stay"));
    let (text, _) = told(&copied, &[&words[..], &["--old-properties", "HEAD:properties"]].concat());
    assert!(text.contains("old: HEAD:model, edition"), "{text}");
    for (old, told_of) in [
        ("HEAD~7:model", "has no revision `HEAD~7`"),
        ("HEAD:modle", "has no folder `modle`"),
        (":model", "is no revision"),
    ] {
        let (text, status) = told(&copied, &[old, "model"]);
        assert!(status == 2 && text.contains(told_of) && text.contains("help: "), "{old}: {text}");
    }
}

/// A rule that is deleted since a revision is told at its line there, in every form.
#[test]
fn a_rule_deleted_since_a_revision_is_told_at_its_line_there() {
    let copied = Copied::old_and_new("E25").without_rulings();
    git(&copied, &["init", "-q"]);
    git(&copied, &["add", "-A"]);
    git(&copied, &["commit", "-qm", "as shipped"]);
    let (_, text) = take_out("stays-down-once-down", &copied.path(""));
    let start = text.find("rule stays-down-once-down").unwrap();
    let mut words = vec!["HEAD:model", "model", "--world", "tiny"];
    words.extend(FORMATS.iter().flat_map(|format| ["--report", format]));
    let (report, status) = diff(&copied, &words);
    assert_eq!(status, 1);
    let change = report.changes.iter().find(|c| c.name == "stays-down-once-down").unwrap();
    assert_eq!(change.how, "deleted");
    let at = change.at().unwrap();
    let line = text[..start].lines().count() + 1;
    assert_eq!((at.line as usize, at.revision.as_deref()), (line, Some("HEAD")));
    everywhere(&copied, "look-and-cause-stay", at);
}

/// A world that deals more, or bounds otherwise, is another position: nothing is the same, and nothing parts by itself.
#[test]
fn another_position_is_a_difference() {
    for (from, to) in [("any 1 of", "any 2 of"), ("tokens 0", "tokens 1"), ("budget stack 1", "budget stack 2")] {
        let copied = Copied::old_and_new("E25").without_rulings();
        let path = copied.path("model/worlds/tiny.world");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        fs::remove_file(copied.path("model/rules/veil.rules")).unwrap();
        let (text, status) = told(&copied, &["old", "model", "--world", "tiny"]);
        assert_eq!(status, 1, "{to}: {text}");
        assert!(text.contains("1 world another position and not compared step by step"), "{to}: {text}");
        assert!(!text.contains("SAME") && !text.contains("alone offers it"), "{to}: {text}");
    }
}

/// What was proved and is asked no more is no better.
#[test]
fn a_promise_that_is_gone_fails_by_its_verdict() {
    let copied = Copied::old_and_new("E25").without_rulings();
    fs::remove_file(copied.path("model/rules/veil.rules")).unwrap();
    fs::create_dir(copied.path("fewer")).unwrap();
    for entry in fs::read_dir(copied.path("properties")).unwrap().map(|e| e.unwrap()) {
        if entry.path().extension().is_some_and(|end| end == "props") && entry.file_name() != "face.props" {
            fs::copy(entry.path(), copied.path("fewer").join(entry.file_name())).unwrap();
        }
    }
    let words = ["old", "model", "--old-properties", "properties", "--properties", "fewer"];
    let (report, status) = diff(&copied, &[&words[..], &["--world", "tiny", "--fail-on", "verdicts"]].concat());
    let gone = |v: &&VerdictReport| v.turn == "gone" && v.name == "look-and-cause-stay";
    assert!(report.verdicts.iter().any(|v| gone(&v)), "{}", report.summary.sentence);
    assert_eq!((status, worse(&report).len()), (1, 0), "{}", report.summary.sentence);
}

#[test]
fn bad_input_is_told() {
    let copied = Copied::old_and_new("E25").without_rulings();
    fs::create_dir(copied.path("broken")).unwrap();
    fs::write(copied.path("broken/a.rules"), "rule {").unwrap();
    for (words, told_of) in [
        (&["model", "model"][..], "both sides are `model`"),
        (&["nowhere", "model"], "`nowhere` can't be read"),
        (&["HEAD:model", "model"], "this is no git repository"),
        (&["broken", "model"], "broken/a.rules:1:6"),
        (&["old", "model", "--world", "tinny"], "did you mean `tiny`?"),
        (&["--readings", "instant"], "did you mean `instants`?"),
        (&["--readings", "instants=any"], "is the default of the reading"),
        (&["--readings", "instants=some"], "its values are"),
        (&["old"], "<NEW>"),
    ] {
        let (text, status) = told(&copied, words);
        assert!(status == 2 && text.contains(told_of), "{words:?} ({status}): {text}");
    }
}

#[test]
fn the_published_schema_is_the_one_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/diff.schema.json");
    let schema = schema().unwrap();
    if std::env::var_os("UPDATE_GOLDEN").is_some() && std::env::var_os("CI").is_none_or(|v| v.is_empty()) {
        fs::write(path, &schema).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap_or_default() == schema, "UPDATE_GOLDEN=1 rewrites {path}");
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let copied = Copied::old_and_new("E05").without_rulings();
    let (report, _) = diff(&copied, &["old", "model", "--world", "tiny"]);
    let report = serde_json::to_value(&report).unwrap();
    let wrong: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert_eq!(wrong, [""; 0]);
}

/// What every format for machines is written from: a defect at the line of the change, and behaviour that is none.
#[test]
fn the_sheet_has_a_defect_for_each_verdict_that_is_worse() {
    let style = DiffStyle {
        new: Style { language: "en".to_owned(), replay: Replay::default() },
        old: None,
        new_is_folder: true,
    };
    let copied = Copied::old_and_new("E07").without_rulings();
    let (report, status) = diff(&copied, &["old", "model", "--world", "tiny"]);
    let sheet = sheet(&report, &style);
    assert_eq!((i32::from(sheet.exit_status), sheet.defects().count()), (status, worse(&report).len()));
    let defects: Vec<_> = sheet.defects().collect();
    let (case, defect) = defects.iter().find(|(case, _)| case.name == "what-leaves-face-down-is-shown").unwrap();
    assert_eq!((case.group.as_str(), defect.verdict.as_str()), ("invariants", "violated"));
    let at = defect.at.as_ref().unwrap();
    let file = fs::read_to_string(copied.path(&at.path)).unwrap();
    assert!(file.lines().nth(at.line as usize - 1).unwrap().starts_with("rule revealed-as-it-leaves"), "{at:?}");
    assert!(defect.message.contains("what-leaves-face-down-is-shown") && defect.text.contains("events: "));
    assert!(defect.related.iter().any(|(place, _)| place.path.starts_with("properties/")), "{:?}", defect.related);
    let behaviour = sheet.cases.iter().filter(|c| c.group == "behaviour");
    assert!(behaviour.clone().count() > 0);
    assert!(behaviour.into_iter().all(|c| matches!(c.outcome, Outcome::Passed(_))));
}
