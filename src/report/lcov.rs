//! Coverage by lines, in the format that viewers of coverage read: for each file of rules and cards the functions are the
//! rules, the lines are those on which a part stands, and the branches are the two truths of each conjunct. A count is the
//! number of worlds and rulings in which something was met, so it does not hang on threads or on the order of the search.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::coverage::Findings;
use super::parts::{Owner, Unit};
use crate::judge::coverage::Mark;
use crate::lang::ast::Span;
use crate::lang::source::Sources;

/// What stands in one file.
#[derive(Default)]
struct File {
    /// Name of a rule, with its line, and how often it was at work.
    functions: Vec<(usize, String, usize)>,
    /// How often the part was at work that stands on a line; of several the most.
    lines: BTreeMap<usize, usize>,
    /// Line, number of the conjunct in the file, how often it was asked, true, and false.
    branches: Vec<(usize, usize, bool, [usize; 2])>,
}

/// The coverage of rules and cards by lines.
pub fn lcov(f: &Findings) -> String {
    let mut files: BTreeMap<u16, File> = BTreeMap::new();
    let mut owners: Vec<&Owner> = f.owners.law.iter().chain(&f.owners.cards).filter(|o| !o.units.is_empty()).collect();
    owners.sort_by_key(|o| o.span);
    for owner in owners {
        let file = files.entry(owner.span.file).or_default();
        let marks: Vec<Mark> = owner.units.iter().map(|u| Mark::Part(u.part)).collect();
        file.functions.push((line(f.sources, owner.span), owner.name.clone(), times(f, &marks)));
        for unit in &owner.units {
            add(f, unit, file);
        }
    }
    let mut out = String::new();
    for (at, file) in &files {
        if let Some(source) = f.sources.files.get(usize::from(*at)) {
            record(&source.path, file, &mut out);
        }
    }
    out
}

/// In how many worlds and rulings one of these was met.
fn times(f: &Findings, marks: &[Mark]) -> usize {
    f.met.worlds(marks).len() + f.met.rulings(marks).len()
}

fn line(sources: &Sources, span: Span) -> usize {
    sources.line_column(span.file, span.start).0
}

fn add(f: &Findings, unit: &Unit, file: &mut File) {
    let count = times(f, &[Mark::Part(unit.part)]);
    let last = f.sources.line_column(unit.span.file, unit.span.end.saturating_sub(1)).0;
    for line in line(f.sources, unit.span)..=last {
        let most = file.lines.entry(line).or_default();
        *most = count.max(*most);
    }
    for c in &unit.conjuncts {
        let mark = |truth| Mark::Truth(c.place, c.number, truth);
        let asked = [true, false].into_iter().any(|truth| f.met.has(mark(truth)));
        let taken = [true, false].map(|truth| times(f, &[mark(truth)]));
        file.branches.push((line(f.sources, c.span), file.branches.len(), asked, taken));
    }
}

fn record(path: &str, file: &File, out: &mut String) {
    // Nothing fails as a string is written to.
    let mut put = |line: std::fmt::Arguments| {
        let _ = writeln!(out, "{line}");
    };
    put(format_args!("TN:"));
    put(format_args!("SF:{path}"));
    for (line, name, _) in &file.functions {
        put(format_args!("FN:{line},{name}"));
    }
    for (_, name, count) in &file.functions {
        put(format_args!("FNDA:{count},{name}"));
    }
    put(format_args!("FNF:{}", file.functions.len()));
    put(format_args!("FNH:{}", file.functions.iter().filter(|f| f.2 > 0).count()));
    let mut branches: Vec<_> = file.branches.iter().collect();
    branches.sort_by_key(|b| (b.0, b.1));
    for (line, block, asked, taken) in &branches {
        for (branch, count) in taken.iter().enumerate() {
            let count = if *asked { count.to_string() } else { "-".to_owned() };
            put(format_args!("BRDA:{line},{block},{branch},{count}"));
        }
    }
    put(format_args!("BRF:{}", branches.len() * 2));
    put(format_args!("BRH:{}", branches.iter().flat_map(|b| b.3).filter(|n| *n > 0).count()));
    for (line, count) in &file.lines {
        put(format_args!("DA:{line},{count}"));
    }
    put(format_args!("LF:{}", file.lines.len()));
    put(format_args!("LH:{}", file.lines.values().filter(|n| **n > 0).count()));
    put(format_args!("end_of_record"));
}
