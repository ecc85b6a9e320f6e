//! What a command found, case by case, in the shape that every format for machines is written from: JUnit, SARIF, GitHub
//! annotations, Markdown. A check and a diff both make a sheet; no format knows which of them it came from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lang::ast::Span;
use crate::lang::source::Sources;

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlaceReport")]
pub struct Place {
    /// The path as it was read; of a revision, the path inside the repository.
    pub path: String,
    /// The git revision; none: the folder as it lies on the disk.
    pub revision: Option<String>,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 1.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// The column after the last.
    pub end_column: u32,
}

/// As a reader of git writes it: `HEAD:model/rules/morph.rules:2:1`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(revision) = &self.revision {
            write!(f, "{revision}:")?;
        }
        write!(f, "{}:{}:{}", self.path, self.line, self.column)
    }
}

impl Place {
    /// The place of a span, with the path as it was named; none where no file has it. Files of a revision are named
    /// `REV:PATH` among the sources.
    pub fn as_read(sources: &Sources, span: Span) -> Option<Place> {
        let path = &sources.files.get(usize::from(span.file))?.path;
        let (revision, path) = match sources.revision_of(path) {
            Some((revision, path)) => (Some(revision.to_owned()), path),
            None => (None, path.as_str()),
        };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (line, column) = sources.line_column(span.file, span.start);
        let (end_line, end_column) = sources.line_column(span.file, span.end.max(span.start));
        Some(Place {
            path: path.to_owned(),
            revision,
            line: number(line),
            column: number(column),
            end_line: number(end_line),
            end_column: number(end_column),
        })
    }

    /// The same with a path that begins with the name of a file or folder, as formats for machines want it.
    pub fn of(sources: &Sources, span: Span) -> Option<Place> {
        let place = Place::as_read(sources, span)?;
        Some(Place { path: place.path.strip_prefix("./").unwrap_or(&place.path).to_owned(), ..place })
    }

    /// Whether a path leads from the folder in which the command was given.
    pub fn is_relative(path: &str) -> bool {
        !path.starts_with('/') && path.as_bytes().get(1) != Some(&b':')
    }

    /// The path as part of a URI.
    pub fn uri_path(path: &str) -> String {
        let mut out = String::new();
        for byte in path.replace('\\', "/").bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                out.push(char::from(byte));
            } else {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
        out
    }

    /// `path:line:column`, and the revision if it has one.
    pub fn shown(&self) -> String {
        let at = format!("{}:{}:{}", self.path, self.line, self.column);
        self.revision.as_ref().map_or_else(|| at.clone(), |revision| format!("{at} of {revision}"))
    }
}

/// What something is wrong with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defect {
    /// The verdict in a word: `violated`, `vacuous`, `unreached`, `fails`, `differs`, ….
    pub verdict: String,
    /// One line that names the property and says what is wrong.
    pub message: String,
    /// All there is to say, with the play: several lines of text.
    pub text: String,
    /// The line that should be looked at first: of the rule that was changed, else of the rule that was last at work in
    /// the play, else of the property.
    pub at: Option<Place>,
    /// Other places, each with a few words that say what stands there.
    pub related: Vec<(Place, String)>,
    /// The play, step by step: what was done, and the rule that was last at work in it.
    pub steps: Vec<(Option<Place>, String)>,
}

/// How a case came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As promised, with what was found: `holds in 37 worlds`.
    Passed(String),
    /// Not as promised.
    Failed(Defect),
    /// Nothing is known, with the reason.
    Skipped(String),
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome::Passed(String::new())
    }
}

/// One thing that was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// What kind of thing, in the plural: `invariants`, `witnesses`, `conjectures`, `rulings`, `worlds`, `baseline`,
    /// `behaviour`, `faults`.
    pub group: String,
    /// Its name.
    pub name: String,
    /// What it means, in one sentence.
    pub says: Option<String>,
    /// Where it is written, if it is.
    pub place: Option<Place>,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// How it came out.
    pub outcome: Outcome,
}

/// Everything that a command found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The command, in words: `facedown check`.
    pub title: String,
    /// The summary: what was proved, or what is wrong.
    pub sentence: String,
    /// Every case, in a fixed order.
    pub cases: Vec<Case>,
    /// The exit status of the command.
    pub exit_status: u8,
    /// Where the files can be read by a browser, as `https://example.org/blob/1a2b`; none: links are relative.
    pub base: Option<String>,
}

/// The group of faults of the program itself, which are no defects of the model.
pub const FAULTS: &str = "faults";

impl Sheet {
    /// The cases that failed, with their defects.
    pub fn defects(&self) -> impl Iterator<Item = (&Case, &Defect)> {
        self.cases.iter().filter_map(|case| match &case.outcome {
            Outcome::Failed(defect) => Some((case, defect)),
            Outcome::Passed(_) | Outcome::Skipped(_) => None,
        })
    }

    /// The same, those that matter most first: faults, what is false, what proves nothing, what differs.
    pub fn defects_ranked(&self) -> Vec<(&Case, &Defect)> {
        let mut defects: Vec<_> = self.defects().collect();
        defects.sort_by_key(|(case, defect)| match (case.group.as_str(), defect.verdict.as_str()) {
            (FAULTS, _) => 0,
            (_, "violated") => 1,
            (_, "fails") => 2,
            (_, "vacuous" | "unreached" | "holds") => 3,
            _ => 4,
        });
        defects
    }

    /// The groups in the order in which they come first, each with its cases.
    pub fn groups(&self) -> Vec<(&str, Vec<&Case>)> {
        let mut groups: Vec<(&str, Vec<&Case>)> = Vec::new();
        for case in &self.cases {
            match groups.iter_mut().find(|(name, _)| *name == case.group) {
                Some((_, cases)) => cases.push(case),
                None => groups.push((&case.group, vec![case])),
            }
        }
        groups
    }
}

/// The text with every character that a terminal, a browser or an XML reader takes for more than itself made visible.
pub fn clean(text: &str) -> String {
    let odd = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.replace("\r\n", "\n").replace(odd, "\u{fffd}")
}

/// The same on one line.
pub fn one_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}
