//! Worlds with one budget or cap more: what was so only because it was full?

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::base::{Base, BaseWorld};
use super::world::{Ending, Explored, explore};
use super::{Bounds, GROWTH_MAX, GROWTH_STATES_MIN, Model, on_threads};
use crate::judge::verdict::Verdict;
use crate::lang::ast::PropertyKind;
use crate::lang::check;
use crate::lang::mutants::Raised;
use crate::lang::parse;
use crate::lang::tree::Program;

/// What rests on a budget or cap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rests {
    /// The property, witness or conjecture.
    pub property: String,
    /// Which of them it is.
    pub kind: PropertyKind,
    /// What it comes to in this world with one more.
    pub verdict: Verdict,
    /// The length of the play that there is now, or was.
    pub steps: Option<u32>,
}

/// What became of a world that was given more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was explored: what comes out otherwise than before.
    Explored(Vec<Rests>),
    /// It decides nothing, and why.
    Skipped(String),
}

/// Gives each world more, and explores it.
pub fn run(model: &Model, base: &Base, raised: &[Raised], bounds: &Bounds) -> Vec<(Raised, Fate)> {
    let done = AtomicUsize::new(0);
    let work = || {
        let each = raised.par_iter().with_max_len(1).map(|one| {
            let fate = fate(model, base, one, bounds);
            (bounds.progress)("budgets", done.fetch_add(1, Ordering::Relaxed) + 1, raised.len());
            (one.clone(), fate)
        });
        each.collect()
    };
    on_threads(bounds.threads, work)
}

fn fate(model: &Model, base: &Base, one: &Raised, bounds: &Bounds) -> Fate {
    if bounds.stop.load(Ordering::SeqCst) {
        return Fate::Skipped("it was interrupted".to_owned());
    }
    let Some(world) = base.worlds.iter().find(|w| w.name == one.world) else {
        let why = base.left_out.iter().find(|(name, _)| *name == one.world);
        return Fate::Skipped(why.map_or_else(|| "it is not there".to_owned(), |(_, why)| why.clone()));
    };
    let program = match program(model, one) {
        Ok(program) => program,
        Err(why) => return Fate::Skipped(why),
    };
    let Some(place) = program.worlds.iter().position(|w| w.name == world.name) else {
        return Fate::Skipped("it is not there".to_owned());
    };
    let states_max = (world.states * GROWTH_MAX).max(GROWTH_STATES_MIN).min(bounds.states_max);
    let explored = catch_unwind(AssertUnwindSafe(|| explore(&program, place, states_max, false, bounds.stop)));
    match explored {
        Ok(Ok(e)) if e.ending == Ending::Complete => Fate::Explored(rests(&program, world, &e)),
        Ok(Ok(e)) if e.ending == Ending::Limit => Fate::Skipped(format!("it grows beyond {states_max} states")),
        Ok(Ok(_)) => Fate::Skipped("it meets a cap".to_owned()),
        Ok(Err((code, what))) => Fate::Skipped(format!("{}: {what}", code.as_str())),
        Err(_) => Fate::Skipped("exploring it ended in a panic".to_owned()),
    }
}

fn program(model: &Model, one: &Raised) -> Result<Program, String> {
    let file = one.edit.span.file;
    let text = model.sources.files.get(usize::from(file)).map_or("", |f| f.text.as_str());
    let (tree, diags) = parse::parse(file, &one.edit.apply(text));
    let told = |code: &str, message: &str| format!("it is no world: {code} {message}");
    if let Some(diag) = diags.first() {
        return Err(told(diag.code.as_str(), &diag.message));
    }
    let mut files = model.files.to_vec();
    if let Some(place) = files.get_mut(usize::from(file)) {
        *place = tree;
    }
    check::check(&files, model.options).map_err(|diags| match diags.first() {
        Some(diag) => told(diag.code.as_str(), &diag.message),
        None => told("", ""),
    })
}

/// What a world comes to otherwise than before.
fn rests(program: &Program, before: &BaseWorld, after: &Explored) -> Vec<Rests> {
    let mut list = Vec::new();
    for met in &after.met {
        let Some(property) = program.properties.iter().find(|p| p.name == met.name) else { continue };
        let (premise_before, hit_before) = before.met.get(&met.name).copied().unwrap_or_default();
        let (verdict, steps) = match (property.kind, hit_before, met.hit) {
            (PropertyKind::Property, None, Some(steps)) => (Verdict::Violated, Some(steps)),
            (PropertyKind::Property, None, None) if premise_before && !met.premise => (Verdict::Vacuous, None),
            (PropertyKind::Witness, Some(steps), None) => (Verdict::Unreached, Some(steps)),
            (PropertyKind::Conjecture, Some(steps), None) => (Verdict::Holds, Some(steps)),
            _ => continue,
        };
        list.push(Rests { property: met.name.clone(), kind: property.kind, verdict, steps });
    }
    list.sort();
    list
}
