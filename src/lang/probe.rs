//! What must be true of the language whatever bytes it is given. Fuzzing and tests call the same two functions, so that
//! an input which was once found wrong stays a test. It reads no file and knows no model.

use super::ast::{File, Span};
use super::check::{self, Options};
use super::diag::{self, Code, Diag};
use super::lex::FILE_BYTES_MAX;
use super::parse;
use super::source::Sources;
use super::{fmt, tree::Program};

/// What became of an input.
#[derive(Debug)]
pub enum Probed {
    /// It is no text, or longer than a file may be.
    NotRead,
    /// It is wrong, for these reasons; never for none.
    Refused(Vec<Diag>),
    /// It is right so far as it was looked at.
    Accepted,
}

/// The name that the input has in messages.
const NAME: &str = "input";

/// Parses bytes, and formats what parses. An error is a broken promise of ours.
pub fn parse(bytes: &[u8]) -> Result<Probed, String> {
    let Some(text) = readable(bytes) else { return Ok(Probed::NotRead) };
    let (_, diags) = parse::parse(0, text);
    if !diags.is_empty() {
        return refused(text, diags);
    }
    formatted(text)?;
    Ok(Probed::Accepted)
}

/// Parses bytes, and checks what parses as a program of its own. An error is a broken promise of ours.
pub fn check(bytes: &[u8]) -> Result<Probed, String> {
    let Some(text) = readable(bytes) else { return Ok(Probed::NotRead) };
    let (file, diags) = parse::parse(0, text);
    if !diags.is_empty() {
        return refused(text, diags);
    }
    match checked(&file) {
        Ok(program) if check::dump(&program) == checked(&file).map(|p| check::dump(&p)).unwrap_or_default() => {
            Ok(Probed::Accepted)
        }
        Ok(_) => Err("the same text was checked twice with two results".to_owned()),
        Err(diags) => refused(text, diags),
    }
}

fn checked(file: &File) -> Result<Program, Vec<Diag>> {
    check::check(std::slice::from_ref(file), &Options::default())
}

fn readable(bytes: &[u8]) -> Option<&str> {
    if bytes.len() > FILE_BYTES_MAX { None } else { std::str::from_utf8(bytes).ok() }
}

/// Formatting a right file gives a right file, and formatting that changes nothing.
fn formatted(text: &str) -> Result<(), String> {
    let words = |diags: Vec<Diag>| diags.into_iter().map(|d| d.message).collect::<Vec<_>>().join("; ");
    let once = fmt::format(text).map_err(|d| format!("what parses can't be formatted: {}", words(d)))?;
    if once.len() > FILE_BYTES_MAX {
        // Spaces that the formatter adds may carry a file that is almost too large over the limit.
        return Ok(());
    }
    let twice = fmt::format(&once).map_err(|d| format!("what was formatted no longer parses: {}", words(d)))?;
    if once == twice { Ok(()) } else { Err("formatting twice differs from formatting once".to_owned()) }
}

/// Findings say something, lie within the text, and can be shown.
fn refused(text: &str, diags: Vec<Diag>) -> Result<Probed, String> {
    let mut sources = Sources::default();
    sources.add(NAME, text);
    for diag in &diags {
        let Span { start, end, .. } = diag.span;
        if start > end || end as usize > text.len() {
            return Err(format!("{} lies outside of the text, at {start}..{end}", diag.code.as_str()));
        }
        if diag.message.is_empty() || diag.message.ends_with('.') || diag.message.contains('\n') {
            return Err(format!("the message of {} is no sentence of ours: `{}`", diag.code.as_str(), diag.message));
        }
    }
    let shown = diag::render(&sources, &diags, false);
    match diags.iter().map(|d| d.code).find(|code: &Code| !shown.contains(code.as_str())) {
        Some(code) => Err(format!("{} is not shown", code.as_str())),
        None if diags.is_empty() => Err("refused without a reason".to_owned()),
        None => Ok(Probed::Refused(diags)),
    }
}
