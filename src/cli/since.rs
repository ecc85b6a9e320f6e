//! Which rules were changed since a revision of git: those whose text is another than in the same file then. It asks the
//! program `git`, and nothing else.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use super::io::Failure;
use crate::lang::ast::{File, Ident, Item, Span};
use crate::lang::parse;
use crate::lang::source::Sources;

/// The places of the names of rules and keywords whose text is another than in this revision, or was not there.
pub(super) fn changed(revision: &str, sources: &Sources, files: &[File]) -> Result<BTreeSet<Span>, Failure> {
    let mut changed = BTreeSet::new();
    let mut known = false;
    for (source, file) in sources.files.iter().zip(files) {
        let here = owners(file);
        if here.is_empty() {
            continue;
        }
        let path = Path::new(&source.path);
        if !known {
            commit(revision, path)?;
            known = true;
        }
        let before = text_of(revision, path)?.unwrap_or_default();
        let (tree, _) = parse::parse(0, &before);
        let texts: BTreeSet<&str> = owners(&tree).into_iter().map(|(span, _)| part(&before, span)).collect();
        for (span, names) in here.into_iter().filter(|(span, _)| !texts.contains(part(&source.text, *span))) {
            debug_assert!(span.start < span.end);
            changed.extend(names.iter().map(|name| name.span));
        }
    }
    Ok(changed)
}

/// The rules and keywords of a file, each with its stretch and its names.
fn owners(file: &File) -> Vec<(Span, &[Ident])> {
    let owners = file.items.iter().filter_map(|item| match item {
        Item::Rule(r) => Some((r.span, std::slice::from_ref(&r.name))),
        Item::Keyword(k) => Some((k.span, k.names.as_slice())),
        _ => None,
    });
    owners.collect()
}

fn part(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize).unwrap_or_default()
}

/// Fails if the revision is none.
fn commit(revision: &str, path: &Path) -> Result<(), Failure> {
    let wanted = format!("{revision}^{{commit}}");
    let (found, told) = git(path, ["rev-parse", "--verify", "--quiet", "--end-of-options", wanted.as_str()])?;
    if found.is_some() {
        return Ok(());
    }
    let help = if told.is_empty() { "name a commit, a branch or a tag".to_owned() } else { told };
    Err(Failure::helped(
        format!("git knows no revision `{revision}` of the folder of `{}`", path.display()),
        Some(help),
    ))
}

/// The text of a file in a revision; none if it was not there.
fn text_of(revision: &str, path: &Path) -> Result<Option<String>, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let object = format!("{revision}:./{name}");
    let (found, _) = git(path, ["show", "--end-of-options", object.as_str()])?;
    Ok(found.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// What git prints, if it ends well, and what it complains of; in the folder of a file.
fn git<const N: usize>(path: &Path, words: [&str; N]) -> Result<(Option<Vec<u8>>, String), Failure> {
    let folder = path.parent().filter(|f| *f != Path::new("")).unwrap_or(Path::new("."));
    let output = Command::new(OsStr::new("git")).arg("-C").arg(folder).args(words).output();
    match output {
        Ok(output) => {
            let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Ok((output.status.success().then_some(output.stdout), told))
        }
        Err(error) => {
            let help = Some("--since needs the program git".to_owned());
            Err(Failure::helped(format!("git can't be started: {}", super::load::words(&error)), help))
        }
    }
}
