//! Which rules were changed since a revision of git: those whose text stands nowhere in the model as it was then.

use std::collections::BTreeSet;

use super::git::Revision;
use super::io::Failure;
use crate::lang::ast::{File, Ident, Item, Span};
use crate::lang::parse;
use crate::lang::source::Sources;

/// The places of the names of rules and keywords whose text is another than in this revision, or was not there.
pub(super) fn changed(then: &Revision, sources: &Sources, files: &[File]) -> Result<BTreeSet<Span>, Failure> {
    let mut before = BTreeSet::new();
    for (_, text) in then.texts()? {
        let (tree, _) = parse::parse(0, &text);
        before.extend(owners(&tree).into_iter().map(|(span, _)| part(&text, span).to_owned()));
    }
    let here = sources
        .files
        .iter()
        .zip(files)
        .flat_map(|(source, file)| owners(file).into_iter().map(|(span, names)| (part(&source.text, span), names)));
    Ok(here.filter(|(text, _)| !before.contains(*text)).flat_map(|(_, names)| names.iter().map(|n| n.span)).collect())
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
