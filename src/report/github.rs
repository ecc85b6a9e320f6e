//! A sheet as commands of a GitHub workflow: an annotation for each of the defects that matter most, one with the
//! sentence, and the full text of all defects in a group that is closed until somebody opens it.

use super::sheet::{Defect, Place, Sheet, clean, one_line};
use super::wording::checksum;
use crate::judge::verdict::STATUS_OK;

/// GitHub shows so many annotations of one kind for a step.
const SHOWN_MAX: usize = 10;
/// The most characters of a play that an annotation carries; the rest is in the group.
const MESSAGE_CHARS_MAX: usize = 4_000;

/// The lines for standard output.
pub fn text(sheet: &Sheet) -> String {
    let defects = sheet.defects_ranked();
    let mut out = String::new();
    for (case, defect) in defects.iter().take(SHOWN_MAX) {
        let title = format!("{} {}", defect.verdict, case.name);
        out.push_str(&command("error", defect.at.as_ref(), &title, &annotation(defect)));
    }
    let rest = defects.len().saturating_sub(SHOWN_MAX);
    let more = if rest > 0 { format!(" ({rest} more are in the log of this step)") } else { String::new() };
    let kind = if sheet.exit_status == STATUS_OK || !defects.is_empty() { "notice" } else { "error" };
    out.push_str(&command(kind, None, &sheet.title, &format!("{}{more}", sheet.sentence)));
    if !defects.is_empty() {
        let texts: Vec<String> = defects.iter().map(|(_, d)| clean(&d.text).trim_end().to_owned()).collect();
        let text = texts.join("\n\n");
        // What stands in a text must not be taken for a command: commands are off until a word that no text contains.
        let token = format!("facedown-{}", checksum([text.as_str()]));
        out.push_str(&format!("::group::{}\n", escaped(&one_line(&format!("{}: what failed", sheet.title)))));
        out.push_str(&format!("::stop-commands::{token}\n{text}\n::{token}::\n::endgroup::\n"));
    }
    out
}

/// The message, and of the text as much as is useful beside a line.
fn annotation(defect: &Defect) -> String {
    let mut out = clean(&defect.message);
    if let Some(Place { revision: Some(_), .. }) = &defect.at {
        out.push_str(&defect.at.as_ref().map(|at| format!("\nat {}", at.shown())).unwrap_or_default());
    }
    let text: String = defect.text.chars().take(MESSAGE_CHARS_MAX).collect();
    if !text.is_empty() {
        out.push_str("\n\n");
        out.push_str(clean(&text).trim_end());
        if text.len() < defect.text.len() {
            out.push_str("\n… (the rest is in the log of this step)");
        }
    }
    out
}

/// `::error file=…,line=…,endLine=…,col=…,title=…::message`. Of several lines no columns are told, which GitHub would
/// drop. A place in another revision is told by its line there: GitHub shows it in the file as it is now, if that is still
/// there, and the message says of which revision the line is.
fn command(kind: &str, at: Option<&Place>, title: &str, message: &str) -> String {
    let mut words = Vec::new();
    if let Some(at) = at {
        words.push(format!("file={}", property(&at.path)));
        words.push(format!("line={}", at.line));
        words.push(format!("endLine={}", at.end_line));
        if at.line == at.end_line {
            words.push(format!("col={}", at.column));
            words.push(format!("endColumn={}", at.end_column));
        }
    }
    words.push(format!("title={}", property(&one_line(title))));
    format!("::{kind} {}::{}\n", words.join(","), escaped(message))
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
