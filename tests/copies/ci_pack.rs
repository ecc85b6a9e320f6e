//! The action, the hooks and the example repository: each file is what its schema wants, and every command in it is run as it
//! stands, on a copy of the example, with files in the place of what a runner gives.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::followed::copy;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(root().join(path)).unwrap();
    serde_saphyr::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A copy of the example under git, with what a runner gives beside it.
struct Runner {
    folder: tempfile::TempDir,
}

impl Runner {
    fn new() -> Runner {
        let runner = Runner { folder: tempfile::tempdir().unwrap() };
        copy(&root().join("examples/ci"), &runner.path("repository"));
        fs::create_dir_all(runner.path("facedown/bin")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_facedown"), runner.path("facedown/bin/facedown")).unwrap();
        for words in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "all"]] {
            assert!(runner.run("git", words, &[]).status.success());
        }
        assert!(runner.run("git", &["update-ref", "refs/remotes/origin/main", "HEAD"], &[]).status.success());
        runner
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What a runner wrote to a file; nothing if it wrote none.
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn change(&self, name: &str, from: &str, to: &str) {
        let path = self.path("repository").join(name);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{name} has no {from}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    fn run(&self, program: &str, words: &[&str], env: &[(String, String)]) -> Output {
        let who = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
        let path = format!("{}:{}", self.path("facedown/bin").display(), std::env::var("PATH").unwrap());
        let mut run = Command::new(program);
        run.args(words).current_dir(self.path("repository")).env("PATH", path).env("CI", "true");
        run.envs(who.map(|name| (name, "somebody"))).envs(env.iter().cloned()).output().unwrap()
    }

    /// Runs a script as a runner does: by bash, which stops at the first command that fails.
    fn bash(&self, script: &str, env: &[(String, String)]) -> (Option<i32>, String) {
        let output = self.run("bash", &["--noprofile", "--norc", "-eo", "pipefail", "-c", script], env);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout) + &text(output.stderr))
    }

    /// Runs a step of the action, with the inputs that are given and the defaults of the others.
    fn step(&self, id: &str, given: &[(&str, &str)]) -> (Option<i32>, String) {
        let action = yaml("action.yml");
        let steps = action["runs"]["steps"].as_array().unwrap();
        let step = steps.iter().find(|s| s["id"] == id).unwrap();
        let inputs = action["inputs"].as_object().unwrap().iter();
        let mut known: BTreeMap<String, String> =
            inputs.map(|(name, input)| (format!("inputs.{name}"), input["default"].as_str().unwrap().into())).collect();
        for (name, value) in given {
            assert!(known.insert(format!("inputs.{name}"), (*value).to_owned()).is_some(), "no input {name}");
        }
        known.insert("runner.temp".to_owned(), self.folder.path().display().to_string());
        known.insert("github.action_path".to_owned(), root().display().to_string());
        let mut env = vec![
            ("GITHUB_STEP_SUMMARY".to_owned(), self.path("summary").display().to_string()),
            ("GITHUB_OUTPUT".to_owned(), self.path("output").display().to_string()),
            ("GITHUB_BASE_REF".to_owned(), "main".to_owned()),
        ];
        for (name, value) in step["env"].as_object().unwrap() {
            env.push((name.clone(), filled(value.as_str().unwrap(), &known)));
        }
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "what a user writes must not become part of a script: {script}");
        self.bash(script, &env)
    }
}

/// A text with the values of its `${{ … }}`.
fn filled(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (name, after) = after.split_once("}}").unwrap();
        out.push_str(before);
        out.push_str(known.get(name.trim()).unwrap_or_else(|| panic!("nothing is known of {name}")));
        rest = after;
    }
    out + rest
}

#[test]
fn the_action_is_what_its_schema_wants() {
    let text = fs::read_to_string(root().join("tests/schemas/github-action.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    let mut action = yaml("action.yml");
    let wrong: Vec<String> = validator.iter_errors(&action).map(|e| e.to_string()).collect();
    assert_eq!(wrong, [""; 0]);
    action["runs"]["steps"][1]["shell"].take();
    assert!(!validator.is_valid(&action));
}

#[test]
fn every_step_passes_on_the_example_and_leaves_its_reports() {
    let runner = Runner::new();
    let (status, printed) = runner.step("check", &[("baseline", "reports/baseline.json")]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(runner.read("summary").contains("PASS"), "{}", runner.read("summary"));
    let folder = runner.path("facedown-reports");
    for name in ["check.sarif", "check.xml", "check.md", "check.json"] {
        assert!(folder.join(name).is_file(), "{name}");
    }
    for line in ["folder=", "sarif=", "junit="] {
        assert!(runner.read("output").lines().any(|l| l.starts_with(line)), "{}", runner.read("output"));
    }
    let (status, printed) = runner.step("coverage", &[]);
    assert!(status == Some(0) && printed.contains("PASS  coverage"), "{printed}");
    assert!(fs::read_to_string(folder.join("lcov.info")).unwrap().contains("SF:model/lanterns.rules"));
    let (status, printed) = runner.step("diff", &[]);
    assert_eq!(status, Some(0), "{printed}");
}

#[test]
fn a_rule_that_breaks_something_is_shown_at_its_line() {
    let runner = Runner::new();
    runner.change("model/lanterns.rules", "forbid turn_down(o) when lit(o)", "forbid turn_down(o) when o.tapped");
    let (status, printed) = runner.step("check", &[("baseline", "reports/baseline.json")]);
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("::error file=") && printed.contains("the-lit-stay-lit"), "{printed}");
    assert!(runner.read("summary").contains("the-lit-stay-lit"));
    assert_eq!(runner.step("coverage", &[]).0, Some(1));
    let (status, printed) = runner.step("diff", &[]);
    assert_eq!(status, Some(1), "{printed}");
    assert!(runner.read("summary").contains("no-hiding-again"), "{}", runner.read("summary"));
}

#[test]
fn more_words_reach_the_check_and_wrong_ones_fail() {
    let runner = Runner::new();
    assert_eq!(runner.step("check", &[("arguments", "--world table --lang it")]).0, Some(0));
    assert_eq!(runner.step("check", &[("arguments", "--wurld table")]).0, Some(2));
}

#[test]
fn the_workflow_names_what_the_action_has() {
    let (action, workflow) = (yaml("action.yml"), yaml("examples/ci/.github/workflows/rules.yml"));
    let steps = workflow["jobs"]["prove"]["steps"].as_array().unwrap();
    let ours = steps.iter().find(|s| s["uses"].as_str().is_some_and(|u| u.starts_with("OWNER/facedown@"))).unwrap();
    for name in ours["with"].as_object().unwrap().keys() {
        assert!(action["inputs"].get(name).is_some(), "the action has no input {name}");
    }
    let id = format!("steps.{}.outputs.", ours["id"].as_str().unwrap());
    let text = serde_json::to_string(&workflow).unwrap();
    for after in text.split(&id).skip(1) {
        let name: String = after.chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(action["outputs"].get(&name).is_some(), "the action has no output {name}");
    }
}

#[test]
fn the_script_for_gitlab_passes_on_the_example() {
    let runner = Runner::new();
    let job = &yaml("examples/ci/.gitlab-ci.yml")["prove"];
    let lines = |name: &str| -> Vec<String> {
        job[name].as_array().unwrap().iter().map(|l| l.as_str().unwrap().to_owned()).collect()
    };
    let script = [lines("before_script"), lines("script")].concat().join("\n");
    let home = runner.path("cargo").display().to_string();
    let env = [("CARGO_HOME", home.as_str()), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "HEAD")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let (status, printed) = runner.bash(&script, &env);
    assert_eq!(status, Some(0), "{printed}");
    for path in job["artifacts"]["reports"].as_object().unwrap().values() {
        assert!(runner.path("repository").join(path.as_str().unwrap()).is_file(), "{path}");
    }
    assert!(runner.path("repository/out/diff.md").is_file());
}

#[test]
fn the_hooks_are_there_and_pass_on_the_example() {
    let runner = Runner::new();
    let hooks = yaml(".pre-commit-hooks.yaml");
    let named = yaml("examples/ci/.pre-commit-config.yaml");
    let files = ["model/lanterns.rules", "model/lanterns.cards", "model/table.world", "properties/lanterns.props"];
    for asked in named["repos"][0]["hooks"].as_array().unwrap() {
        let hook = hooks.as_array().unwrap().iter().find(|h| h["id"] == asked["id"]).unwrap();
        let mut words: Vec<&str> = hook["entry"].as_str().unwrap().split(' ').collect();
        words.extend(asked["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
        if hook["pass_filenames"] != false {
            words.extend(files);
        }
        let output = runner.run(words[0], &words[1..], &[]);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(hook["language"], "rust");
    }
    assert!(runner.run("git", &["diff", "--exit-code"], &[]).status.success(), "the example is not in its spaces");
}
