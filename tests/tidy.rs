//! The repository checks itself: walls between modules, headers, lengths, words, links, and what every item of the model
//! must say. Each check is a function over texts, so that each is also tried on something that is wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use facedown::lang::ast::{ClauseKind, Header, Item, PropertyKind, Says};
use facedown::lang::diag::Code;
use facedown::lang::parse;
use facedown::report::text::grouped;

/// A file of the repository: its path from the root, with `/`, and its text.
type Text = (String, String);

/// Folders and files at the root that belong to the project; what a build or an editor leaves there does not.
const OURS: [&str; 11] =
    [".ci", ".github", "benches", "docs", "examples", "fuzz", "model", "properties", "reports", "src", "tests"];
/// Folders that are not committed.
const BUILT: [&str; 4] = ["fuzz/target", "fuzz/corpus", "fuzz/artifacts", "target"];
/// The most lines of a file.
const LINES_MAX: usize = 700;
/// The one file of the model whose rules are no law: tools that worlds allow.
const TOOLS: &str = "model/rules/effects.rules";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files of the project that are text, sorted.
fn texts() -> Vec<Text> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // In a linked worktree `.git` is a file.
        if path.is_file() && name != ".git" || OURS.contains(&name.as_str()) {
            walk(&path, &name, &mut found);
        }
    }
    found.sort();
    assert!(found.len() > 100, "only {} files were found", found.len());
    found
}

fn walk(path: &Path, name: &str, found: &mut Vec<Text>) {
    if BUILT.contains(&name) || name.ends_with("Cargo.lock") {
        return;
    }
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{name}/{}", path.file_name().unwrap().to_string_lossy());
            walk(&path, &name, found);
        }
    } else if let Ok(text) = fs::read_to_string(path) {
        found.push((name.to_owned(), text));
    }
}

fn sources(texts: &[Text]) -> Vec<&Text> {
    texts.iter().filter(|(path, _)| path.starts_with("src/") && path.ends_with(".rs")).collect()
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn planted(path: &str, text: &str) -> Vec<Text> {
    vec![(path.to_owned(), text.to_owned())]
}

// Walls.

/// What each module may use beside itself; a module that is not here is unknown.
fn may_use(module: &str) -> Option<&'static [&'static str]> {
    Some(match module {
        "lang" => &[],
        "game" | "naive" => &["lang"],
        "law" => &["game", "lang"],
        "explore" => &["law", "game", "lang"],
        "judge" => &["explore", "law", "game", "lang", "naive"],
        "report" => &["judge", "lang"],
        "cli" => &["report", "judge", "explore", "law", "game", "lang", "naive"],
        _ => return None,
    })
}

/// The module that a source file belongs to; none for `lib.rs` and `main.rs`.
fn module_of(path: &str) -> Option<&str> {
    path.strip_prefix("src/")?.split_once('/').map(|(module, _)| module)
}

fn holes_in_walls(texts: &[Text]) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, text) in sources(texts) {
        let Some(module) = module_of(path) else { continue };
        let Some(allowed) = may_use(module) else {
            faults.push(format!("{path}: the module `{module}` has no place among the walls"));
            continue;
        };
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for used in names_after(line, "crate::").iter().flat_map(|list| split_names(list)) {
                if used != module && !allowed.contains(&used) {
                    faults.push(format!("{path}:{}: `{module}` uses `{used}`", at + 1));
                }
            }
        }
    }
    faults
}

/// What stands behind each `crate::`, up to the end of the names or of the braces.
fn names_after<'a>(line: &'a str, mark: &str) -> Vec<&'a str> {
    line.match_indices(mark)
        .filter(|(at, _)| !line[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$'))
        .map(|(at, mark)| {
            let rest = &line[at + mark.len()..];
            let end = match rest.strip_prefix('{') {
                Some(_) => rest.find('}').unwrap_or(rest.len()),
                None => rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len()),
            };
            &rest[..end]
        })
        .collect()
}

/// `lang` from `lang`; `lang` and `law` from `{lang::ast, law`.
fn split_names(list: &str) -> Vec<&str> {
    let first = |name: &'_ str| name.trim().len();
    match list.strip_prefix('{') {
        Some(inner) => {
            inner.split(',').map(|n| n.trim().split("::").next().unwrap_or("")).filter(|n| first(n) > 0).collect()
        }
        None => vec![list],
    }
}

#[test]
fn walls_stand() {
    none(&holes_in_walls(&texts()));
}

#[test]
fn a_hole_in_a_wall_is_found() {
    let found = |path: &str, text: &str| holes_in_walls(&planted(path, text)).len();
    assert_eq!(found("src/lang/a.rs", "use crate::game::looks::Look;"), 1);
    assert_eq!(found("src/naive/a.rs", "use crate::{lang::ast, law::step};"), 1);
    assert_eq!(found("src/law/a.rs", "fn f() { crate::explore::world::starts() }"), 1);
    assert_eq!(found("src/surprise/a.rs", ""), 1);
    assert_eq!(found("src/law/a.rs", "use crate::{game::looks, lang::ast};\nuse crate::law::step;"), 0);
    assert_eq!(found("src/law/a.rs", "//! As [`crate::explore`] says."), 0);
    assert_eq!(found("src/main.rs", "use facedown::cli;"), 0);
}

/// Modules below `main` that know the time or chance. What is measured is seconds, in one place each.
fn clocks_and_dice(texts: &[Text]) -> Vec<String> {
    const MEASURED: [&str; 3] = ["src/cli/", "src/judge/world.rs", "src/law/profile.rs"];
    let dice = ["rand::", "RandomState", "thread_rng", "getrandom"];
    let clocks = ["Instant", "SystemTime"];
    let mut faults = Vec::new();
    for (path, text) in sources(texts) {
        let timed = MEASURED.iter().any(|place| path.starts_with(place));
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let known = dice.iter().chain(clocks.iter().filter(|_| !timed)).find(|word| line.contains(**word));
            faults.extend(known.map(|word| format!("{path}:{}: `{word}`", at + 1)));
        }
    }
    faults
}

#[test]
fn no_clock_and_no_chance() {
    none(&clocks_and_dice(&texts()));
}

#[test]
fn a_clock_is_found() {
    assert_eq!(clocks_and_dice(&planted("src/law/a.rs", "use std::time::Instant;")).len(), 1);
    assert_eq!(clocks_and_dice(&planted("src/judge/world.rs", "use std::time::Instant;")).len(), 0);
    assert_eq!(clocks_and_dice(&planted("src/judge/world.rs", "let x = rand::random();")).len(), 1);
}

/// Exploring, the law and the physics read and write no file.
fn files_touched(texts: &[Text]) -> Vec<String> {
    let pure = ["src/lang/", "src/game/", "src/law/", "src/explore/", "src/naive/", "src/report/"];
    let touch = ["std::fs", "std::net", "std::process", "std::env", "File::open"];
    let mut faults = Vec::new();
    let pure = |path: &str| pure.iter().any(|p| path.starts_with(p)) && !path.starts_with("src/explore/disk/");
    for (path, text) in sources(texts).into_iter().filter(|(path, _)| pure(path)) {
        for (at, line) in text.lines().enumerate() {
            faults.extend(
                touch.iter().find(|word| line.contains(**word)).map(|word| format!("{path}:{}: `{word}`", at + 1)),
            );
        }
    }
    faults.retain(|fault| !fault.contains("/tests"));
    faults
}

#[test]
fn only_judge_the_command_line_and_the_disk_of_a_search_touch_the_machine() {
    none(&files_touched(&texts()));
}

#[test]
fn a_touch_is_found() {
    assert_eq!(files_touched(&planted("src/explore/a.rs", "use std::fs;")).len(), 1);
    assert_eq!(files_touched(&planted("src/explore/disk/a.rs", "use std::fs;")).len(), 0);
    assert_eq!(files_touched(&planted("src/cli/a.rs", "use std::fs;")).len(), 0);
}

/// Modules that know no rule: neither its number nor its name.
fn rules_known(texts: &[Text], names: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    let blind =
        |path: &str| path.starts_with("src/game/") || path.starts_with("src/law/") || path.starts_with("src/explore/");
    for (path, text) in sources(texts).into_iter().filter(|(path, _)| blind(path)) {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let strings = line.split('"').skip(1).step_by(2);
            faults.extend(strings.filter(|s| names.contains(*s)).map(|s| format!("{path}:{}: the rule `{s}`", at + 1)));
        }
    }
    faults
}

#[test]
fn the_machine_knows_no_rule_by_name() {
    let texts = texts();
    let mut names = BTreeSet::new();
    for (_, item) in items(&texts, "model/") {
        if let Item::Rule(rule) = item {
            names.insert(rule.name.text);
        }
    }
    assert!(names.len() > 20);
    none(&rules_known(&texts, &names));
    let planted = planted("src/law/a.rs", "if rule == \"instant-stays-down\" {");
    assert_eq!(rules_known(&planted, &names).len(), 1);
}

// Files.

fn headless(texts: &[Text]) -> Vec<String> {
    let headed = |text: &str| text.starts_with("//! ");
    sources(texts)
        .into_iter()
        .filter(|(_, text)| !headed(text))
        .map(|(path, _)| format!("{path}: no `//!` at its top"))
        .collect()
}

#[test]
fn every_source_says_what_it_is() {
    none(&headless(&texts()));
    assert_eq!(headless(&planted("src/law/a.rs", "use crate::lang::ast;\n//! Late.")).len(), 1);
}

fn too_long(texts: &[Text]) -> Vec<String> {
    let counted =
        texts.iter().filter(|(path, _)| path.ends_with(".rs")).map(|(path, text)| (path, text.lines().count()));
    counted.filter(|(_, lines)| *lines > LINES_MAX).map(|(path, lines)| format!("{path}: {lines} lines")).collect()
}

#[test]
fn no_file_is_too_long() {
    none(&too_long(&texts()));
    assert_eq!(too_long(&planted("src/law/a.rs", &"\n".repeat(LINES_MAX + 1))).len(), 1);
    assert_eq!(too_long(&planted("src/law/a.rs", &"\n".repeat(LINES_MAX))).len(), 0);
}

fn unkept_promises(texts: &[Text]) -> Vec<String> {
    // In two parts, so that this file does not hold the words itself.
    let words = [["TO", "DO"], ["FIX", "ME"], ["#[ig", "nore"], ["should_", "panic"], ["todo", "!("]]
        .map(|parts| parts.concat());
    occurrences(texts.iter().filter(|(path, _)| !path.ends_with(".md")), &words)
}

fn occurrences<'a>(texts: impl Iterator<Item = &'a Text>, words: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, text) in texts {
        for (at, line) in text.lines().enumerate() {
            faults.extend(
                words
                    .iter()
                    .filter(|word| line.contains(word.as_str()))
                    .map(|word| format!("{path}:{}: `{word}`", at + 1)),
            );
        }
    }
    faults
}

#[test]
fn nothing_is_put_off_or_passed_over() {
    none(&unkept_promises(&texts()));
    assert_eq!(unkept_promises(&planted("src/a.rs", &["    #[ig", "nore]"].concat())).len(), 1);
    assert_eq!(unkept_promises(&planted("tests/a.rs", &["// TO", "DO: later"].concat())).len(), 1);
}

/// Paths of one machine, and hosts that packages are fetched from: a clone must work where neither is known.
fn places_of_one_machine(texts: &[Text]) -> Vec<String> {
    let words = [
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["/ho", "me/"],
        ["/Us", "ers/"],
        ["/tm", "p/"],
        ["C:", "\\\\"],
        ["index.cra", "tes.io"],
        ["static.cra", "tes.io"],
        ["crates.io", "-index"],
        ["proxy.gol", "ang.org"],
        ["files.python", "hosted"],
        ["registry.npm", "js"],
        ["artifact", "ory"],
    ];
    occurrences(texts.iter(), &words.map(|parts| parts.concat()))
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    none(&places_of_one_machine(&texts()));
    let path = ["let model = \"/ho", "me/someone/model\";"].concat();
    assert_eq!(places_of_one_machine(&planted("src/a.rs", &path)).len(), 1);
}

// Documents.

/// Relative links of Markdown files that lead nowhere.
fn broken_links(texts: &[Text], exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| path.ends_with(".md")) {
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '\n']).next()) {
            let file = link.split('#').next().unwrap_or_default();
            if link.contains("://") || link.starts_with("mailto:") || file.is_empty() {
                continue;
            }
            if !exists(&folder.join(file)) {
                faults.push(format!("{path}: `{link}` leads nowhere"));
            }
        }
    }
    faults
}

#[test]
fn links_lead_somewhere() {
    none(&broken_links(&texts(), |path| root().join(path).exists()));
}

#[test]
fn a_broken_link_is_found() {
    let exists = |path: &Path| path == Path::new("docs/a.md");
    assert_eq!(broken_links(&planted("docs/b.md", "[a](a.md#part) [b](https://example.org/x)"), exists).len(), 0);
    assert_eq!(broken_links(&planted("docs/b.md", "[a](../a.md)"), exists).len(), 1);
}

// The model.

/// The items of all model files below a folder, each with its file.
fn items(texts: &[Text], folder: &str) -> Vec<(String, Item)> {
    let ours = ["rules", "cards", "world", "props", "rulings"];
    let mut found = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| path.starts_with(folder)) {
        if path.rsplit_once('.').is_some_and(|(_, end)| ours.contains(&end)) {
            let (file, diags) = parse::parse(0, text);
            assert!(diags.is_empty(), "{path}: {diags:?}");
            found.extend(file.items.into_iter().map(|item| (path.clone(), item)));
        }
    }
    found
}

/// What an item leaves out that it must say: both languages, and where it comes from.
fn unsaid(name: &str, header: &Header, says: &[Says], owes_a_source: bool, may_be_from: bool) -> Vec<String> {
    let mut faults = Vec::new();
    for language in ["en", "it"] {
        if !says.iter().any(|s| s.language.text == language && !s.text.text.trim().is_empty()) {
            faults.push(format!("{name} has no `says {language}`"));
        }
    }
    if owes_a_source && header.cites.is_empty() && (!may_be_from || header.from.is_empty()) {
        faults.push(format!("{name} cites nothing"));
    }
    faults
}

fn silent_items(items: &[(String, Item)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, item) in items {
        let told = match item {
            Item::Rule(rule) => {
                let tools = path == TOOLS && rule.clauses.iter().all(|c| matches!(c.kind, ClauseKind::Procedure(..)));
                unsaid(&rule.name.text, &rule.header, &rule.says, !tools, false)
            }
            Item::Keyword(keyword) if keyword.clauses.is_empty() => Vec::new(),
            Item::Keyword(keyword) => unsaid(&keyword.names[0].text, &keyword.header, &keyword.says, true, false),
            Item::Property(property) => {
                let owes = property.kind == PropertyKind::Property;
                unsaid(&property.name.text, &property.header, &property.says, owes, true)
            }
            Item::Ruling(ruling) if ruling.header.cites.is_empty() => {
                vec![format!("{} cites nothing", ruling.name.text)]
            }
            _ => Vec::new(),
        };
        faults.extend(told.into_iter().map(|fault| format!("{path}: {fault}")));
    }
    faults
}

#[test]
fn every_rule_and_property_says_what_it_is_and_whence() {
    let texts = texts();
    none(&silent_items(&[items(&texts, "model/"), items(&texts, "properties/")].concat()));
}

#[test]
fn a_silent_item_is_found() {
    let faults = |text: &str| silent_items(&items(&planted("model/a.rules", text), "model/")).len();
    let says = "says en \"Yes.\" says it \"Sì.\"";
    assert_eq!(faults(&format!("rule a cites 708.2 {{ {says} forbid turn_up(_) }}")), 0);
    assert_eq!(faults(&format!("rule a {{ {says} forbid turn_up(_) }}")), 1);
    assert_eq!(faults("rule a cites 708.2 { says en \"Yes.\" forbid turn_up(_) }"), 1);
    assert_eq!(faults(&format!("property a from \"000-01\" {{ {says} always yes }}")), 0);
    assert_eq!(faults(&format!("property a {{ {says} always yes }}")), 1);
    assert_eq!(faults(&format!("witness a {{ {says} possible yes }}")), 0);
    assert_eq!(faults("ruling a { given d: \"Bear\" in hand of A }"), 1);
}

/// Codes without a golden: a file or folder of `tests/errors` that begins with the code. A code that is raised elsewhere
/// stands in `tests/errors.rs`, in a pair with the reason.
fn codes_without_golden(codes: &[&str], files: &[String], exceptions: &str) -> Vec<String> {
    let has = |code: &str| files.iter().any(|file| file.split('/').any(|part| part.to_uppercase().starts_with(code)));
    let excepted = |code: &str| exceptions.contains(&format!("(\"{code}\", \""));
    let missing = codes.iter().filter(|code| !has(code) && !excepted(code));
    missing.map(|code| format!("{code} has no golden in tests/errors")).collect()
}

#[test]
fn every_error_code_has_a_golden() {
    let texts = texts();
    let files: Vec<String> =
        texts.iter().map(|(path, _)| path.clone()).filter(|p| p.starts_with("tests/errors/")).collect();
    let exceptions = texts.iter().find(|(path, _)| path == "tests/errors.rs").map_or("", |(_, text)| text);
    if root().join("tests/errors").is_dir() {
        let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        none(&codes_without_golden(&codes, &files, exceptions));
    }
}

#[test]
fn a_code_without_golden_is_found() {
    let files = ["tests/errors/L101.rules".to_owned(), "tests/errors/l102-open/input".to_owned()];
    assert_eq!(codes_without_golden(&["L101", "L102"], &files, "").len(), 0);
    assert_eq!(codes_without_golden(&["L101", "L103"], &files, "// L103 is missing").len(), 1);
    assert_eq!(codes_without_golden(&["L101", "L103"], &files, "(\"L103\", \"a reason\")").len(), 0);
}

/// Worlds whose size no baseline pins.
fn unpinned_worlds(worlds: &[String], baseline: &serde_json::Value) -> Vec<String> {
    let pinned = |world: &String| baseline["worlds"][world.as_str()].is_object();
    worlds.iter().filter(|world| !pinned(world)).map(|world| format!("world {world} is not in the baseline")).collect()
}

#[test]
fn every_world_is_pinned() {
    let worlds: Vec<String> = items(&texts(), "model/worlds/")
        .into_iter()
        .filter_map(|(_, item)| if let Item::World(world) = item { Some(world.name.text) } else { None })
        .collect();
    assert!(!worlds.is_empty());
    if let Ok(text) = fs::read_to_string(root().join("reports/baseline.json")) {
        none(&unpinned_worlds(&worlds, &serde_json::from_str(&text).unwrap()));
    }
}

#[test]
fn an_unpinned_world_is_found() {
    let baseline = serde_json::json!({ "worlds": { "tiny": { "unique_states": 65 } } });
    assert_eq!(unpinned_worlds(&["tiny".to_owned(), "flips".to_owned()], &baseline).len(), 1);
}

/// `115,701 states` of all worlds that a run without options explores.
fn size_in_words(baseline: &serde_json::Value) -> String {
    let worlds = baseline["worlds"].as_object().unwrap();
    let ordinary = worlds.iter().filter(|(name, _)| *name != "deep" && !name.starts_with("deep-"));
    let total = ordinary.map(|(_, world)| world["unique_states"].as_u64().unwrap()).sum();
    format!("({} states,", grouped(total))
}

/// Each rule that a page shows in full must stand so in the model, or be told there as one to write.
#[test]
fn the_rule_on_the_first_screen_is_the_shipped_one() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let start = readme.find("\nrule ").expect("a rule is shown") + 1;
    let shown = &readme[start..start + readme[start..].find("\n}\n").unwrap()];
    let texts = texts();
    assert!(texts.iter().any(|(path, text)| path.starts_with("model/rules/") && text.contains(shown)), "{shown}");
}

#[test]
fn the_first_screen_tells_the_size_that_is_pinned() {
    let baseline =
        serde_json::json!({ "worlds": { "tiny": { "unique_states": 1052 }, "deep": { "unique_states": 9 } } });
    assert_eq!(size_in_words(&baseline), "(1,052 states,");
    if let Ok(text) = fs::read_to_string(root().join("reports/baseline.json")) {
        let size = size_in_words(&serde_json::from_str(&text).unwrap());
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        assert!(readme.contains(&size), "README.md shows another PASS than the baseline, which has {size}");
    }
}
