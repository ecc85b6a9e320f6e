//! The formats of a report, each read back by a program of another project, or by a small reader of its documented
//! syntax: with a model that passes, with one that fails, and with a sheet of words that try to be more than words.
#![allow(clippy::unwrap_used, clippy::panic)] // A test that can't be set up, or reads what no format allows, fails.

use std::fs;
use std::path::Path;
use std::process::Command;

use facedown::cli::engines::Engines;
use facedown::judge::play::Finding;
use facedown::report::sheet::{Case, Defect, Outcome, Place, Sheet};
use facedown::report::{github, junit, markdown, proof, sarif};
use junit_parser::TestSuites;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use crate::stage::{Fake, Stage, golden, play};

/// Everything that a name, a sentence or a play should never be taken for.
const WORDS: [&str; 14] = [
    "a]]>b",
    "%0A::error::x",
    "::error file=a::b",
    "##[error]c",
    "one|two",
    "<script>alert(1)</script>",
    "</details></table>",
    "\u{1b}[31mred\u{0}\u{7}\u{fffe}\u{202e}",
    "```\n\n````",
    "[a](javascript:b) ![c](d)",
    "@somebody #1",
    "{0} {2}{U}",
    "a, b: c & \"d\" 'e'",
    "line\r\nline\rline\u{2028}line",
];

fn place(line: u32, end_line: u32) -> Place {
    let path = "model/a b|`é`.rules".to_owned();
    Place { path, revision: None, line, column: 3, end_line, end_column: 9 }
}

/// A sheet in which each of the words is everywhere, and one text is very long.
fn attack(long: usize) -> Sheet {
    let case = |(at, word): (usize, &&str)| {
        let long = if at == 0 { "step\n".repeat(long) } else { String::new() };
        let defect = Defect {
            verdict: "violated".to_owned(),
            message: format!("{word} is wrong"),
            text: format!("{word}\n{long}  {word}\n"),
            at: (at != 1).then(|| place(2, if at % 2 == 0 { 2 } else { 7 })),
            related: vec![(place(9, 9), (*word).to_owned())],
            steps: vec![(Some(place(4, 4)), (*word).to_owned()), (None, (*word).to_owned())],
        };
        Case {
            group: (if at < 7 { "invariants" } else { word }).to_owned(),
            name: format!("{word}{at}"),
            says: Some((*word).to_owned()),
            place: Some(place(1, 1)),
            cites: vec![(*word).to_owned(), "708.2".to_owned(), "708.2".to_owned()],
            outcome: Outcome::Failed(defect),
        }
    };
    let mut cases: Vec<Case> = WORDS.iter().enumerate().map(case).collect();
    let told =
        |group: &str, outcome| Case { group: group.to_owned(), name: WORDS.concat(), outcome, ..Case::default() };
    cases.push(told("worlds", Outcome::Skipped(WORDS.concat())));
    cases.push(told("worlds", Outcome::Passed(WORDS.concat())));
    cases.push(told("faults", Outcome::Failed(Defect { message: WORDS.concat(), ..Defect::default() })));
    let old = Place { revision: Some("v1".to_owned()), ..place(3, 3) };
    let differs = Defect { verdict: "differs".to_owned(), at: Some(old), ..Defect::default() };
    cases.push(told("behaviour", Outcome::Failed(differs)));
    let (title, sentence) = (WORDS.concat(), WORDS.concat());
    Sheet { title, sentence, cases, exit_status: 1, base: Some("https://example.org/blob/1a2b".to_owned()) }
}

/// A world in which the property `stays` is violated.
fn violated() -> Fake {
    Fake::default().with("tiny", |program, result| {
        let at = program.properties.iter().position(|p| p.name == "stays").unwrap();
        result.findings[at] = Some(Finding { violated: Some(play("tiny")), ..Finding::default() });
    })
}

/// What a run prints in a format.
fn printed(stage: &Stage, engine: &Fake, format: &str) -> String {
    stage.run(engine, &["check", "--format", format]).out
}

/// The schema of SARIF 2.1.0 as the crate that we write it with carries it.
fn sarif_schema() -> jsonschema::Validator {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Packages of other platforms need not be there.
    let rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV").output().unwrap();
    let rustc = String::from_utf8(rustc.stdout).unwrap();
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let args = ["metadata", "--format-version", "1", "--offline", "--filter-platform", host];
    let out = Command::new(cargo).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let metadata: Value = serde_json::from_slice(&out.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let manifest = packages.iter().find(|p| p["name"] == "serde-sarif").unwrap()["manifest_path"].as_str().unwrap();
    let schema = fs::read_to_string(Path::new(manifest).with_file_name("src").join("schema.json")).unwrap();
    // As published, one pattern has a bracket that nothing opens, which a strict reader of patterns refuses.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}\\\\]?$");
    jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
}

fn faults(validator: &jsonschema::Validator, text: &str) -> Vec<String> {
    let log: Value = serde_json::from_str(text).unwrap();
    validator.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

#[test]
fn sarif_follows_the_published_schema() {
    let validator = sarif_schema();
    let stage = Stage::new();
    for text in [
        printed(&stage, &Fake::default(), "sarif"),
        printed(&stage, &violated(), "sarif"),
        printed(&stage, &Fake { ruling_fails: true, ..violated() }, "sarif"),
        sarif::text(&attack(9)).unwrap(),
        sarif::text(&Sheet::default()).unwrap(),
    ] {
        assert_eq!(faults(&validator, &text), [""; 0]);
    }
    assert!(!faults(&validator, "{\"version\": \"2.0.0\", \"runs\": []}").is_empty());
}

#[test]
fn sarif_has_results_for_defects_only_and_places_inside_the_folder() {
    let stage = Stage::new();
    let log = |engine: &Fake| -> Value { serde_json::from_str(&printed(&stage, engine, "sarif")).unwrap() };
    let passing = log(&Fake::default());
    assert_eq!(passing["runs"][0]["results"].as_array().unwrap().len(), 0);
    assert_eq!(passing["runs"][0]["invocations"][0]["exitCode"], 0);
    let failing = log(&violated());
    let run = &failing["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "stays");
    assert_eq!(run["tool"]["driver"]["rules"][0]["shortDescription"]["text"], "It stays.");
    assert_eq!(run["tool"]["driver"]["rules"][0]["properties"]["tags"][1], "708.2b");
    // The rule that was at work in the play, and where the property stands.
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["endLine"]), (&9.into(), &11.into()));
    assert_eq!(result["relatedLocations"][0]["message"]["text"], "invariant stays");
    assert_eq!(result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap().len(), 1);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let messages = sarif::text(&attack(1)).unwrap();
    let attacked: Value = serde_json::from_str(&messages).unwrap();
    let uri = &attacked["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "model/a%20b%7C%60%C3%A9%60.rules");
}

#[test]
fn a_result_is_known_again_after_its_line_moved() {
    let stage = Stage::new();
    let known = |stage: &Stage| {
        let log: Value = serde_json::from_str(&printed(stage, &violated(), "sarif")).unwrap();
        let result = log["runs"][0]["results"][0].clone();
        (result["partialFingerprints"].clone(), result["relatedLocations"][0]["physicalLocation"]["region"].clone())
    };
    let before = known(&stage);
    stage.write("properties/a.props", format!("# One line more.\n{}", crate::stage::PROPERTIES));
    let after = known(&stage);
    assert_eq!(before.0, after.0);
    assert_ne!(before.1, after.1);
}

fn junit_read(text: &str) -> TestSuites {
    let suites = junit_parser::from_reader(text.as_bytes()).unwrap();
    // No character that XML 1.0 forbids, raw or as a reference.
    assert!(!text.contains("&#x") && !text.contains("&#0") && !text.contains('\u{1b}') && !text.contains('\u{fffe}'));
    suites
}

#[test]
fn junit_is_read_by_another_parser() {
    let stage = Stage::new();
    let passing = junit_read(&printed(&stage, &Fake::default(), "junit"));
    assert_eq!((passing.tests, passing.failures, passing.errors), (7, 0, 0));
    let text = printed(&stage, &Fake { ruling_fails: true, ..violated() }, "junit");
    assert!(!text.contains("time"), "{text}");
    let suites = junit_read(&text);
    assert_eq!(suites.failures, 2);
    let names: Vec<&str> = suites.suites.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["worlds", "invariants", "witnesses", "conjectures", "rulings"]);
    let cases = || suites.suites.iter().flat_map(|s| &s.cases);
    let stays = cases().find(|c| c.original_name == "stays").unwrap();
    assert_eq!(stays.classname.as_deref(), Some("STAGE/properties/a.props"));
    let failure = stays.status.failure_as_ref();
    assert_eq!(failure.failure_type, "violated");
    assert_eq!(failure.message, "invariant stays is violated in 1 step of world tiny: It stays.");
    assert!(failure.text.contains("permitted by turning [708.2b]"), "{}", failure.text);
    let left_out = junit_read(&stage.run(&violated(), &["check", "--world", "tiny", "--format", "junit"]).out);
    assert_eq!(left_out.skipped, 2);

    let attacked = junit_read(&junit::text(&attack(100_000)).unwrap());
    assert_eq!(attacked.failures as usize, WORDS.len() + 2);
    let names: Vec<_> = attacked.suites.iter().flat_map(|s| &s.cases).map(|c| c.original_name.clone()).collect();
    assert!(names.contains(&"a]]>b0".to_owned()) && names.contains(&"<script>alert(1)</script>5".to_owned()));
}

/// A command of a workflow: its word, its properties, its message.
type Said = (String, Vec<(String, String)>, String);

/// The commands of an output, as the runner reads them: at the start of a line, spaces aside, unless they are stopped.
fn commands(text: &str) -> Vec<Said> {
    let unescaped = |s: &str| s.replace("%0D", "\r").replace("%0A", "\n");
    let message = |s: &str| unescaped(s).replace("%25", "%");
    let property = |s: &str| unescaped(s).replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
    let mut stopped: Option<String> = None;
    let mut out = Vec::new();
    for line in text.lines() {
        if let Some(token) = &stopped {
            if line.trim() == format!("::{token}::") {
                stopped = None;
            }
            continue;
        }
        let Some((head, said)) = line.trim_start().strip_prefix("::").and_then(|rest| rest.split_once("::")) else {
            panic!("a line that is no command: {line}");
        };
        let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
        let pairs = rest.split(',').filter_map(|pair| pair.split_once('=')).map(|(k, v)| (k.to_owned(), property(v)));
        if word == "stop-commands" {
            stopped = Some(said.to_owned());
        }
        out.push((word.to_owned(), pairs.collect(), message(said)));
    }
    assert_eq!(stopped, None);
    out
}

#[test]
fn github_commands_say_what_they_should_and_nothing_more() {
    let stage = Stage::new();
    let passing = commands(&printed(&stage, &Fake::default(), "github"));
    assert_eq!(passing.len(), 1);
    assert!(passing[0].0 == "notice" && passing[0].2.starts_with("PASS  2 invariants hold"));

    let said = commands(&printed(&stage, &Fake { ruling_fails: true, ..violated() }, "github"));
    let words: Vec<&str> = said.iter().map(|c| c.0.as_str()).collect();
    assert_eq!(words, ["error", "error", "notice", "group", "stop-commands", "endgroup"]);
    let pair = |at: usize, key: &str| said[at].1.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone());
    assert_eq!(pair(0, "file").unwrap(), "STAGE/model/a.rules");
    assert_eq!((pair(0, "line").unwrap(), pair(0, "endLine").unwrap()), ("9".to_owned(), "11".to_owned()));
    assert_eq!(pair(0, "title").unwrap(), "violated stays");
    assert!(said[0].2.starts_with("invariant stays is violated in 1 step of world tiny: It stays.\n"));
    assert_eq!(pair(1, "title").unwrap(), "fails bear-up");

    let text = github::text(&attack(100_000));
    let said = commands(&text);
    assert_eq!(said.iter().filter(|c| c.0 == "error").count(), 10);
    assert!(said.iter().all(|c| ["error", "notice", "group", "stop-commands", "endgroup"].contains(&c.0.as_str())));
    let first = said.iter().find(|c| c.1.iter().any(|(k, v)| k == "title" && v.ends_with("a]]>b0"))).unwrap();
    assert!(first.2.contains("the rest is in the log"));
    let file = first.1.iter().find(|(k, _)| k == "file").unwrap();
    assert_eq!(file.1, "model/a b|`é`.rules");
    assert!(said.iter().any(|c| c.2.contains("more are in the log of this step")));
}

/// Reads Markdown: every row of a table has as many cells as its head, every fold is closed, nothing else is HTML. Gives
/// the text of all cells and the places that links lead to.
fn read_markdown(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut columns, mut cells, mut texts, mut links, mut open) = (0, 0, Vec::new(), Vec::new(), 0);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Table(alignments)) => columns = alignments.len(),
            Event::Start(Tag::TableHead | Tag::TableRow) => cells = 0,
            Event::Start(Tag::TableCell) => {
                cells += 1;
                texts.push(String::new());
            }
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => assert_eq!(cells, columns, "{texts:?}"),
            Event::Text(text) | Event::Code(text) if columns > 0 => {
                if let Some(last) = texts.last_mut() {
                    last.push_str(&text);
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.to_string()),
            Event::Start(Tag::Image { .. }) => panic!("an image"),
            Event::Html(html) | Event::InlineHtml(html) => {
                let html = html.trim();
                open += i32::from(html == "<details>") - i32::from(html == "</details>");
                let summary = html.strip_prefix("<summary>").and_then(|rest| rest.strip_suffix("</summary>"));
                let known = ["<details>", "</details>"].contains(&html) || html.starts_with("<!-- Written by");
                assert!(known || summary.is_some_and(|s| !s.contains('<')), "{html}");
            }
            _ => {}
        }
    }
    assert_eq!(open, 0, "a fold is never closed");
    // Cells are split by a reader of GitHub at every bar that has no backslash, in code too.
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        assert!(row.ends_with(" |"), "{row}");
    }
    (texts, links)
}

#[test]
fn markdown_is_whole_and_stays_below_the_limit() {
    let stage = Stage::new();
    let (cells, _) = read_markdown(&printed(&stage, &Fake::default(), "markdown"));
    assert!(cells.contains(&"1,054 states, 4,001 steps, depth 7, complete".to_owned()), "{cells:?}");
    let text = printed(&stage, &violated(), "markdown");
    let (cells, _) = read_markdown(&text);
    assert!(cells.contains(&"stays".to_owned()) && cells.contains(&"STAGE/model/a.rules:9".to_owned()), "{cells:?}");
    assert!(text.contains("1. A: turn_up bear (morph), paying {2}, choosing yes"));

    let (cells, links) = read_markdown(&markdown::text(&attack(1)));
    let shown = |word: &str| cells.iter().any(|c| c.contains(word));
    assert!(shown("one|two") && shown("<script>alert(1)</script>") && shown("@somebody #1"), "{cells:?}");
    assert!(links.iter().all(|l| l.starts_with("https://example.org/blob/1a2b/model/a%20b%7C")), "{links:?}");
    assert!(links.iter().any(|l| l.ends_with("#L2-L7")));

    let many = |n: usize| {
        let mut sheet = attack(if n > 100 { 1 } else { 100_000 });
        let cases = sheet.cases.clone();
        sheet.cases.extend((0..n).flat_map(|_| cases.clone()));
        markdown::text(&sheet)
    };
    for n in [0, 10, 3_000] {
        let text = many(n);
        assert!(text.len() <= 1 << 20, "{}", text.len());
        read_markdown(&text);
        assert_eq!(text.contains("bytes more"), n != 3_000);
        assert_eq!(text.contains("more left out: the table would be too long"), n == 3_000);
    }
}

#[test]
fn the_record_of_what_was_proved_follows_its_schema() {
    golden("docs/proof.schema.json", &proof::schema().unwrap());
    let validator = jsonschema::validator_for(&serde_json::from_str(&proof::schema().unwrap()).unwrap()).unwrap();
    let stage = Stage::new();
    let record = |engine: &Fake| -> Value { serde_json::from_str(&printed(&stage, engine, "proof")).unwrap() };
    let (good, bad) = (record(&Fake::default()), record(&violated()));
    for record in [&good, &bad] {
        assert!(validator.is_valid(record));
    }
    assert_eq!((&good["proved"], &bad["proved"]), (&true.into(), &false.into()));
    assert_eq!(good["worlds"]["tiny"]["unique_states"], 1054);
    assert_eq!(good["model"], bad["model"]);
    // A comment, a space or a sentence is not what the law says; a guard is.
    stage.write(
        "model/a.rules",
        crate::stage::RULES.replace("# The smallest", "\n#  Another").replace("An object", "All"),
    );
    assert_eq!(record(&Fake::default())["model"], good["model"]);
    stage.write("properties/a.props", crate::stage::PROPERTIES.replace("not o.tapped", "o.face_down"));
    let other = record(&Fake::default());
    assert_eq!(other["law"], good["law"]);
    assert_ne!(other["model"], good["model"]);
    assert_ne!(other["properties"]["stays"]["wording"], good["properties"]["stays"]["wording"]);
}

#[test]
fn no_format_holds_anything_measured() {
    let stage = Stage::new();
    let slow = Fake::default().with("tiny", |_, result| {
        result.seconds = 99.0;
        result.threads = 64;
        result.bytes_per_state = 1.0;
        result.engine = "referee".to_owned();
    });
    for format in ["text", "junit", "sarif", "github", "markdown", "proof"] {
        assert_eq!(printed(&stage, &Fake::default(), format), printed(&stage, &slow, format), "{format}");
    }
}

#[test]
fn several_reports_at_once_are_what_each_alone_prints() {
    let stage = Stage::new();
    let formats = ["text", "junit", "sarif", "github", "markdown", "proof"];
    let folder = stage.path("out/deeper");
    let wanted: Vec<String> = formats.iter().map(|f| format!("--report={f}={}/{f}", folder.display())).collect();
    let mut words = vec!["check"];
    words.extend(wanted.iter().map(String::as_str));
    let outcome = stage.run(&violated(), &words);
    assert_eq!(outcome.status, 1);
    let name = stage.folder.path().to_str().unwrap().to_owned();
    for format in formats {
        let written = fs::read_to_string(folder.join(format)).unwrap().replace(&name, "STAGE");
        // A rooted path is a URI with a scheme of its own in SARIF; only the folder's name differs.
        assert_eq!(written, printed(&stage, &violated(), format), "{format}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), formats.len(), "something was left behind");
}

#[test]
fn what_was_found_before_an_interrupt_is_written() {
    let cut = Fake::default().with("tiny", |_, result| {
        result.complete = false;
        result.interrupted = true;
        result.why = Some("interrupted".to_owned());
    });
    let stage = Stage::new();
    let (xml, log) = (stage.path("x.xml"), stage.path("x.sarif"));
    let words = [format!("--report=junit={}", xml.display()), format!("--report=sarif={}", log.display())];
    let outcome = stage.run(&cut, &["check", &words[0], &words[1]]);
    assert_eq!(outcome.status, 130);
    let suites = junit_read(&fs::read_to_string(xml).unwrap());
    assert!(suites.skipped > 0 && suites.failures == 0);
    let log: Value = serde_json::from_str(&fs::read_to_string(log).unwrap()).unwrap();
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &130.into()));
    let told = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap();
    assert!(told.starts_with("world tiny: incomplete after 1,054 states"), "{told}");
}

#[test]
fn what_keeps_a_report_from_being_written_is_told_before_the_run() {
    let stage = Stage::new();
    stage.write("file", "");
    let path = |name: &str| stage.path(name).display().to_string();
    let never = Fake { panics: true, ..Fake::default() };
    let at = |format: &str, name: &str| format!("--report={format}={}", path(name));
    for (words, told) in [
        (
            vec!["--report=xml=x".to_owned()],
            "`xml` is no format: write one of text, json, junit, sarif, github, markdown",
        ),
        (vec!["--report=junit".to_owned()], "write it as FORMAT=FILE, as junit=out.xml"),
        (vec!["--report=junit=".to_owned()], "write it as FORMAT=FILE"),
        (vec!["--report=junit=-".to_owned()], "`-` is no file; --format says what is printed"),
        (vec![at("junit", "model")], "`STAGE/model` can't be written: "),
        (vec![at("junit", "file/x")], "`STAGE/file` can't be written: "),
        (vec![at("junit", "x"), at("sarif", "model/../x")], "x` would be written twice\nhelp: give each report a file"),
        (vec![at("junit", "x"), "--list-worlds".to_owned()], "cannot be used with"),
    ] {
        let all: Vec<&str> = std::iter::once("check").chain(words.iter().map(String::as_str)).collect();
        let outcome = stage.run(&never, &all);
        assert_eq!(outcome.status, 2, "{words:?}");
        assert!(outcome.err.contains(told), "{told}: {}", outcome.err);
    }
    assert!(!stage.path("x").exists());
}

/// The shipped model without one rule, and with the rulings that rest on it.
fn without(rule: &str) -> Stage {
    let stage = Stage::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = |folder: &str| {
        for entry in fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_file()) {
            let text = fs::read_to_string(&entry).unwrap();
            let start = text.find(&format!("rule {rule} "));
            let cut = start.map(|at| text[..at].to_owned() + &text[at + text[at..].find("\n}\n").unwrap() + 3..]);
            let name = format!("{folder}/{}", entry.file_name().unwrap().to_str().unwrap());
            stage.write(&name, cut.unwrap_or(text));
        }
    };
    ["model/rules", "model/cards", "model/worlds", "properties"].into_iter().for_each(copy);
    let rulings = fs::read_to_string(root.join("properties/rulings/turned-down.rulings")).unwrap();
    stage.write("properties/rulings/turned-down.rulings", rulings);
    stage
}

#[test]
fn a_rule_less_is_told_in_each_format_with_name_and_line() {
    let stage = without("stays-down-once-down");
    let files = ["junit", "sarif", "github", "markdown", "proof"];
    let wanted: Vec<String> = files.iter().map(|f| format!("--report={f}={}", stage.path(f).display())).collect();
    let mut words = vec!["check", "--world", "tiny"];
    words.extend(wanted.iter().map(String::as_str));
    let outcome = stage.run(&Engines, &words);
    assert_eq!(outcome.status, 1, "{}", outcome.err);
    // What turned it down again stands in this rule.
    let effects = fs::read_to_string(stage.path("model/rules/effects.rules")).unwrap();
    let verb = effects.lines().position(|line| line.contains("procedure turn_any_down")).unwrap();
    let line =
        1 + effects.lines().take(verb + 1).collect::<Vec<_>>().iter().rposition(|l| l.starts_with("rule ")).unwrap();
    let read = |format: &str| fs::read_to_string(stage.path(format)).unwrap();
    let name = "look-and-cause-stay";

    let suites = junit_read(&read("junit"));
    let case = suites.suites.iter().flat_map(|s| &s.cases).find(|c| c.original_name == name).unwrap();
    let failure = case.status.failure_as_ref();
    assert!(failure.text.contains(&format!("model/rules/effects.rules:{line}:1")), "{}", failure.text);
    let log: Value = serde_json::from_str(&read("sarif")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let result = results.iter().find(|r| r["ruleId"] == name).unwrap();
    let at = &result["locations"][0]["physicalLocation"];
    assert_eq!(at["region"]["startLine"], line);
    assert!(at["artifactLocation"]["uri"].as_str().unwrap().ends_with("model/rules/effects.rules"));
    assert_eq!(result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap().len(), 2);
    let said = commands(&read("github"));
    let error = said.iter().find(|c| c.1.iter().any(|(_, v)| v.contains(name))).unwrap();
    assert!(error.1.contains(&("line".to_owned(), line.to_string())), "{:?}", error.1);
    let (cells, _) = read_markdown(&read("markdown"));
    assert!(cells.iter().any(|c| c == name) && cells.iter().any(|c| c.ends_with(&format!("effects.rules:{line}"))));
    let record: Value = serde_json::from_str(&read("proof")).unwrap();
    assert_eq!(record["properties"][name]["verdict"], "violated");
    assert!(results.iter().any(|r| r["ruleId"] == "wall-loses-the-ward-of-its-cloak"));
}
