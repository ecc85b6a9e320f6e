//! A sheet as Markdown for the summary of a job: the sentence, what failed with links to its lines, the plays folded away,
//! the groups and the worlds in tables. It is shorter than GitHub's limit, and says what it left out to be so.

use super::sheet::{Case, Defect, Outcome, Place, Sheet, clean, one_line};
use crate::report::text::counted;

/// GitHub shows no summary of a step that is larger, in bytes.
const BYTES_MAX: usize = 1 << 20;
/// Of that, what is kept free for the sentences that say what was left out.
const RESERVE: usize = 4 << 10;
/// The most bytes of one table.
const TABLE_BYTES_MAX: usize = BYTES_MAX / 4;
/// The most bytes of one play.
const PLAY_BYTES_MAX: usize = 64 << 10;

/// The text of a file.
pub fn text(sheet: &Sheet) -> String {
    let defects = sheet.defects_ranked();
    let mut out = format!("## {}\n\n**{}**\n", escaped(&sheet.title), escaped(&sheet.sentence));
    if !defects.is_empty() {
        out.push_str("\n### What failed\n\n");
        let rows = defects.iter().map(|(case, defect)| failed(sheet, case, defect));
        out.push_str(&table(&["verdict", "name", "cites", "look at", "what is wrong"], rows, "defect"));
    }
    let after = groups(sheet) + &worlds(sheet);
    let mut plays = String::new();
    let mut left = 0u64;
    for (case, defect) in defects.iter().filter(|(_, d)| !d.text.is_empty()) {
        let folded = fold(case, defect);
        if left > 0 || out.len() + plays.len() + folded.len() + after.len() + RESERVE > BYTES_MAX {
            left += 1;
        } else {
            plays.push_str(&folded);
        }
    }
    out.push_str(&plays);
    if left > 0 {
        out.push_str(&format!("\n_{} more left out: the summary would be too long._\n", counted(left, "text")));
    }
    out + &after
}

fn failed(sheet: &Sheet, case: &Case, defect: &Defect) -> Vec<String> {
    let at = defect.at.as_ref().map(|at| link(sheet, at)).unwrap_or_default();
    let cites = escaped(&case.cites.join(", "));
    vec![escaped(&defect.verdict), escaped(&case.name), cites, at, escaped(&defect.message)]
}

/// A play or a reason, folded away.
fn fold(case: &Case, defect: &Defect) -> String {
    let text = clean(&defect.text);
    let cut = (0..=PLAY_BYTES_MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let shown = text[..cut].trim_end();
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let rest = if cut < text.len() { format!("\n… {} bytes more", text.len() - cut) } else { String::new() };
    let summary = html(&format!("{} {}", defect.verdict, case.name));
    format!("\n<details>\n<summary>{summary}</summary>\n\n{fence}text\n{shown}{rest}\n{fence}\n\n</details>\n")
}

/// How many of each group came out how.
fn groups(sheet: &Sheet) -> String {
    let rows = sheet.groups().into_iter().map(|(group, cases)| {
        let count = |is: fn(&Outcome) -> bool| cases.iter().filter(|c| is(&c.outcome)).count().to_string();
        vec![
            escaped(group),
            count(|o| matches!(o, Outcome::Passed(_))),
            count(|o| matches!(o, Outcome::Failed(_))),
            count(|o| matches!(o, Outcome::Skipped(_))),
        ]
    });
    format!("\n### In numbers\n\n{}", table(&["of", "as promised", "not as promised", "not known"], rows, "group"))
}

fn worlds(sheet: &Sheet) -> String {
    let rows: Vec<Vec<String>> = sheet
        .cases
        .iter()
        .filter(|case| case.group == "worlds")
        .map(|case| {
            let found = match &case.outcome {
                Outcome::Passed(found) | Outcome::Skipped(found) => found,
                Outcome::Failed(defect) => &defect.message,
            };
            vec![escaped(&case.name), escaped(found)]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("\n### Worlds\n\n{}", table(&["world", "explored"], rows.into_iter(), "world"))
}

/// A table, cut with a stated rest where it would be too long.
fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>, noun: &str) -> String {
    let mut out = format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
    let mut left = 0u64;
    for row in rows {
        let line = format!("| {} |\n", row.join(" | "));
        if left > 0 || out.len() + line.len() > TABLE_BYTES_MAX {
            left += 1;
        } else {
            out.push_str(&line);
        }
    }
    if left > 0 {
        out.push_str(&format!("\n_{} more left out: the table would be too long._\n", counted(left, noun)));
    }
    out
}

/// A link to a line: to the place where the files can be read if that is known, else relative.
fn link(sheet: &Sheet, place: &Place) -> String {
    let shown = match &place.revision {
        Some(revision) => format!("{}:{} of {revision}", place.path, place.line),
        None => format!("{}:{}", place.path, place.line),
    };
    if place.revision.is_some() || !Place::is_relative(&place.path) {
        return escaped(&shown);
    }
    let path = Place::uri_path(&place.path);
    let base = sheet.base.as_ref().map(|base| format!("{}/", base.trim_end_matches('/'))).unwrap_or_default();
    let lines = if place.end_line > place.line {
        format!("L{}-L{}", place.line, place.end_line)
    } else {
        format!("L{}", place.line)
    };
    format!("[{}]({base}{path}#{lines})", escaped(&shown))
}

/// Text that Markdown and HTML show as it is, on one line.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' => out.push_str("&#124;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' | '#' => {
                out.push('\\');
                out.push(c);
            }
            // A name of somebody would call them.
            '@' => out.push_str("&#64;"),
            _ => out.push(c),
        }
    }
    out
}

fn html(text: &str) -> String {
    one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
