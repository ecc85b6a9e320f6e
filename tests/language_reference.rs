//! docs/LANGUAGE.md says nothing that the implementation does not: its programs are checked, its lists and tables are
//! compared. UPDATE_GOLDEN=1 writes the lists and the table of errors anew, which is refused where CI is set.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use facedown::lang::check::{Options, check, reference};
use facedown::lang::diag::{Code, render};
use facedown::lang::fmt::format;
use facedown::lang::parse::parse;
use facedown::lang::source::Sources;

/// What a fragment of the page stands beside.
const PRELUDE: &str = r#"
edition 2026-08-07
counter plus +1/+1
keyword flying
keyword morph(toll: Cost)
rule prelude {
  view now = printed, copied, listed, typed, coloured, granted, sized
  view card = front
  profile plain = creature 2/2
  procedure resolve(s: Object) { run(s) }
  procedure turn_any_up(by p: Player) { choose o by p where o in battlefield: turn_up(o) }
  procedure pass_turn(by p: Player) { if p == active: end_turn(p) }
}
archetype bear: {1}{G} creature 2/2
card "Hill Giant": {3}{R} creature 3/3
"#;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/LANGUAGE.md")
}

fn page() -> String {
    fs::read_to_string(path()).unwrap()
}

/// A fenced block: the line it starts at, what its fence says, its text.
struct Block {
    line: usize,
    marks: Vec<String>,
    text: String,
}

fn blocks() -> Vec<Block> {
    let page = page();
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (i, line) in page.lines().enumerate() {
        if let Some(fence) = line.strip_prefix("```") {
            open = !open;
            if open {
                let marks = fence.split(',').map(str::to_owned).collect();
                blocks.push(Block { line: i + 1, marks, text: String::new() });
            }
        } else if open && let Some(block) = blocks.last_mut() {
            writeln!(block.text, "{line}").unwrap();
        }
    }
    assert!(!open, "a fence is not closed");
    blocks
}

#[test]
fn every_program_of_the_page_is_checked() {
    let mut told = String::new();
    let (mut programs, mut errors) = (0, 0);
    for block in blocks() {
        let at = format!("docs/LANGUAGE.md:{}", block.line);
        let (language, marks) = block.marks.split_first().unwrap();
        assert_eq!(language, "facedown", "{at}: a block in another language");
        let fragment = marks.iter().any(|m| m == "fragment");
        let expected: BTreeSet<&str> = marks.iter().filter_map(|m| m.strip_prefix("error=")).collect();
        assert_eq!(marks.len(), usize::from(fragment) + expected.len(), "{at}: an unknown mark");
        let mut sources = Sources::default();
        let (mut files, mut diags) = (Vec::new(), Vec::new());
        for text in [if fragment { PRELUDE } else { "" }, &block.text] {
            let id = sources.add(at.clone(), text);
            let (file, mut wrong) = parse(id, text);
            diags.append(&mut wrong);
            files.push(file);
        }
        if diags.is_empty() {
            diags = check(&files, &Options::default()).err().unwrap_or_default();
        }
        let found: BTreeSet<&str> = diags.iter().map(|d| d.code.as_str()).collect();
        if found != expected {
            write!(told, "{at}: expected {expected:?}, found {found:?}\n{}", render(&sources, &diags, false)).unwrap();
        }
        if expected.is_empty() {
            programs += 1;
            if let Ok(formatted) = format(&block.text)
                && formatted != block.text
            {
                write!(told, "{at}: is formatted as\n{formatted}").unwrap();
            }
        } else {
            errors += 1;
        }
    }
    assert!(told.is_empty(), "{told}");
    assert!(programs > 15 && errors > 5, "{programs} {errors}");
}

/// The page with what stands between two markers written anew.
fn with_part(page: &str, name: &str, text: &str) -> String {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = page.find(&start).unwrap_or_else(|| panic!("docs/LANGUAGE.md has no `{start}`")) + start.len();
    let to = from + page[from..].find(&end).unwrap_or_else(|| panic!("docs/LANGUAGE.md has no `{end}`"));
    format!("{}{text}{}", &page[..from], &page[to..])
}

/// A list as a paragraph: its name, then its words.
fn listed(name: &str, words: &[String]) -> String {
    let mut name = name.to_owned();
    name[..1].make_ascii_uppercase();
    let words: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    let mut text = format!("{name}: {}.\n\n", words.join(", "));
    text.insert(0, '\n');
    text
}

fn errors() -> String {
    let mut table = "\n| code | what it means, and what to do |\n| --- | --- |\n".to_owned();
    for code in Code::ALL {
        writeln!(table, "| {} | {} |", code.as_str(), code.meaning().replace('|', "\\|")).unwrap();
    }
    table + "\n"
}

#[test]
fn lists_and_errors_are_those_of_the_implementation() {
    let page = page();
    let mut made = page.clone();
    for (name, words) in reference::lists() {
        made = with_part(&made, name, &listed(name, &words));
    }
    made = with_part(&made, "errors", &errors());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        assert!(std::env::var_os("CI").is_none(), "goldens are not updated where CI is set");
        fs::write(path(), &made).unwrap();
        return;
    }
    for (there, wanted) in page.lines().zip(made.lines()) {
        assert_eq!(there, wanted, "docs/LANGUAGE.md is not what the implementation says");
    }
    assert!(page == made);
}

/// The first column of the table whose head starts with a word.
fn column(head: &str) -> Vec<String> {
    let page = page();
    let table = page.lines().skip_while(|l| !l.starts_with(&format!("| {head} |"))).take_while(|l| l.starts_with('|'));
    table.skip(2).map(|row| row.split(" | ").next().unwrap().trim_start_matches("| ").to_owned()).collect()
}

#[test]
fn the_table_of_verbs_is_that_of_the_implementation() {
    let wanted: Vec<String> = reference::verbs().into_iter().map(|(_, signature)| format!("`{signature}`")).collect();
    assert_eq!(column("verb"), wanted);
}

/// Tables with a text of their own for each word leave none out.
#[test]
fn tables_leave_nothing_out() {
    let lists = reference::lists();
    let words = |name: &str| lists.iter().find(|l| l.0 == name).unwrap().1.iter().cloned().collect::<BTreeSet<_>>();
    let table = |head: &str| {
        let cells = column(head).join(" ");
        cells.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    assert_eq!(table("layer"), words("layers"));
    assert_eq!(table("type"), words("types"));
}

/// Each code that the text of the page names is a code.
#[test]
fn codes_that_are_named_exist() {
    let known: BTreeSet<&str> = Code::ALL.iter().map(|c| c.as_str()).collect();
    let page = page();
    for (at, _) in page.match_indices('L') {
        let Some(word) = page.get(at..at + 4) else { continue };
        if word[1..].chars().all(|c| c.is_ascii_digit()) {
            assert!(known.contains(word), "{word}");
        }
    }
}
