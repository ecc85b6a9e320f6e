//! The formats of a report: which were asked for, for standard output and for files, and what each is written from.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::args::ReportFormat;
use super::io::Failure;
use super::load;
use super::write;
use crate::report::proof::Proof;
use crate::report::sheet::Sheet;
use crate::report::{github, junit, markdown, sarif};

/// All that a report is written from.
pub(super) struct Found<'a> {
    /// The whole as text for people.
    pub(super) words: &'a dyn Fn() -> String,
    /// The whole as JSON.
    pub(super) json: &'a dyn Fn() -> serde_json::Result<String>,
    /// Its sheet.
    pub(super) sheet: &'a Sheet,
    /// What was proved; none: it was not asked what holds, but what differs.
    pub(super) proof: Option<&'a Proof>,
}

impl Found<'_> {
    /// The whole in a format.
    pub(super) fn text(&self, format: ReportFormat) -> Result<String, Failure> {
        match format {
            ReportFormat::Text => Ok((self.words)()),
            ReportFormat::Json => Ok((self.json)().map_err(|e| Failure::Fault(e.to_string()))? + "\n"),
            ReportFormat::Proof => match self.proof {
                Some(proof) => proof.to_text().map_err(|e| Failure::Fault(e.to_string())),
                None => Err(no_proof()),
            },
            ReportFormat::Junit => junit::text(self.sheet).map_err(|e| Failure::Fault(e.to_string())),
            ReportFormat::Sarif => sarif::text(self.sheet).map_err(|e| Failure::Fault(e.to_string())),
            ReportFormat::Github => Ok(github::text(self.sheet)),
            ReportFormat::Markdown => Ok(markdown::text(self.sheet)),
        }
    }

    /// Writes every report that was asked for. One that can't be written does not keep the others from being so.
    pub(super) fn write(&self, wanted: &[(ReportFormat, PathBuf)]) -> Result<(), Failure> {
        let mut failed = None;
        for (format, path) in wanted {
            let written = self.text(*format).and_then(|text| write::replace(path, &text));
            failed = failed.or(written.err());
        }
        failed.map_or(Ok(()), Err)
    }
}

/// What is said of a proof that is asked of a diff.
pub(super) fn no_proof() -> Failure {
    let help = "take it from `facedown check --report proof=FILE`".to_owned();
    Failure::helped("a diff has no format `proof`: it tells what differs, not what was proved", Some(help))
}

/// Looks, before a run, for what would keep its reports from being written.
pub(super) fn prepare(wanted: &[(ReportFormat, PathBuf)], taken: &[&Path]) -> Result<(), Failure> {
    let mut seen: BTreeSet<PathBuf> = taken.iter().map(|path| identity(path)).collect();
    for (_, path) in wanted {
        write::try_it(path)?;
        if !seen.insert(identity(path)) {
            let help = Some("give each report a file of its own".to_owned());
            return Err(Failure::helped(format!("`{}` would be written twice", load::shown(path)), help));
        }
    }
    Ok(())
}

/// The path by which a file is known, whether it is there or not.
fn identity(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        path.file_name().map_or_else(|| path.to_owned(), |name| folder.join(name))
    })
}
