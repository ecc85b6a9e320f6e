//! Names that mean the same everywhere, so that nothing else is named so.

use super::collect::{Items, OwnerBody, declared};
use super::scope::Finding;
use crate::lang::ast::{self, Ident};
use crate::lang::diag::Code;

/// The names.
pub(super) const TAKEN: &[&str] = &["self", "you", "active", "none", "yes", "no", "true", "false"];

/// Tells of declarations whose name means something already.
pub(super) fn check(items: &Items, findings: &mut Vec<Finding>) {
    let mut names: Vec<&Ident> = items.subtypes.clone();
    names.extend(items.counters.iter().map(|c| c.0));
    for owner in &items.owners {
        let clauses: &[ast::Clause] = match owner.body {
            OwnerBody::Rule(r) => &r.clauses,
            OwnerBody::Keyword(k) => {
                names.push(owner.name);
                &k.clauses
            }
            OwnerBody::Ghost(_) => {
                names.push(owner.name);
                &[]
            }
            OwnerBody::Card(_) => &[],
        };
        names.extend(clauses.iter().filter_map(declared));
    }
    for name in names.into_iter().filter(|n| TAKEN.contains(&n.text.as_str())) {
        findings.push(taken_name(&name.text, name.span));
    }
}

/// That a name can't be given to anything.
pub(super) fn taken_name(name: &str, span: ast::Span) -> Finding {
    let help = Some("choose another name".to_string());
    Finding::helped(Code::L202, span, format!("`{name}` means something already, and can't be a name"), help)
}
