//! From syntax trees to a checked program: what is in force, names, types, and the rules that a model must keep.
//! All mistakes are found, not the first. It knows no game state.

mod attributes;
mod calls;
mod claims;
mod clauses;
mod collect;
mod declare;
mod effects;
mod events;
mod exprs;
mod law;
mod looks;
mod offers;
pub mod reference;
mod rings;
mod rulings;
mod scope;
mod stmts;
mod taken;
#[cfg(test)]
mod tests;
mod walk;
mod worlds;

use super::ast::{self, Date};
use super::diag::Diag;
use super::tree::Program;
use scope::Finding;

/// For which edition and readings a program is checked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The edition; none: the newest that is declared.
    pub edition: Option<Date>,
    /// Readings with the value chosen; the others take their default.
    pub readings: Vec<(String, String)>,
}

/// Checks all files as one program. The errors are all of them, sorted by place.
pub fn check(files: &[ast::File], options: &Options) -> Result<Program, Vec<Diag>> {
    let mut findings: Vec<Finding> = Vec::new();
    let items = collect::collect(files, options, &mut findings);
    let decls = declare::decls(&items);
    let env = declare::tables(&items, &decls, &mut findings);
    let mut env = law::bodies(&items, &decls, env, &mut findings);
    if rings::ends(&decls, &env.program, &mut findings) {
        effects::fill(&mut env.program, &env.mods.borrow());
    }
    worlds::check(&items, &mut env, &mut findings);
    claims::check(&items, &mut env, &mut findings);
    rulings::check(&items, &mut env, &mut findings);
    rings::check(&items, &decls, &env, &mut findings);
    if findings.is_empty() {
        let mut program = env.program;
        program.mods = env.mods.into_inner();
        program.left_out.sort();
        return Ok(program);
    }
    let mut diags: Vec<Diag> = findings.into_iter().map(|f| f.diag).collect();
    diags.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
    diags.dedup();
    Err(diags)
}

/// The program as text without places in files: equal for equal programs.
pub fn dump(program: &Program) -> String {
    let text = format!("{program:#?}");
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.ends_with("Span {") {
            inside = true;
        } else if inside {
            inside = !trimmed.starts_with('}');
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
