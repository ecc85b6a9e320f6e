//! The law as it is: what every ruling and world comes to before anything is changed, and what is at work in each.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::world::{Ending, explore};
use super::{Bounds, Model, on_threads};
use crate::judge::coverage::{Mark, Part, Parts, Place, Seen};
use crate::judge::rulings;
use crate::judge::verdict::is_deep;
use crate::lang::ast::{self, Item, Span};
use crate::lang::tree::RulingStep;

/// A ruling of the law as it is.
pub(super) struct BaseRuling {
    pub(super) name: String,
    pub(super) passes: bool,
    pub(super) cites: Vec<String>,
    pub(super) steps: u32,
    pub(super) parts: BTreeSet<Part>,
}

/// A world of the law as it is.
pub(super) struct BaseWorld {
    pub(super) name: String,
    pub(super) states: u64,
    pub(super) parts: BTreeSet<Part>,
    /// By property: whether what it speaks of happened, and the length of the play that hit it.
    pub(super) met: BTreeMap<String, (bool, Option<u32>)>,
}

/// The law as it is.
pub struct Base {
    pub(super) rulings: Vec<BaseRuling>,
    /// By size, then name.
    pub(super) worlds: Vec<BaseWorld>,
    /// Worlds that are not run, and why.
    pub left_out: Vec<(String, String)>,
    /// Of each property, the worlds that it speaks of; the deep ones count only where it names them.
    pub(super) scopes: BTreeMap<String, BTreeSet<String>>,
    /// Parts of the program by the place of their clause.
    pub(super) clauses: BTreeMap<Span, Part>,
    /// Numbers that an owner cites, and its clauses, by the place of its name.
    pub(super) owners: BTreeMap<Span, (Vec<String>, Vec<Span>)>,
}

/// What was at work or was asked.
fn parts(seen: &Seen) -> BTreeSet<Part> {
    let part = |mark: &Mark| match mark {
        Mark::Part(part) | Mark::Truth(Place::Body(part, _), ..) => Some(*part),
        Mark::Truth(Place::Guard(id) | Place::Target(id), ..) | Mark::Carried(_, id) => Some(Part::Clause(*id)),
        Mark::Truth(Place::Define(id), ..) => Some(Part::Define(*id)),
        // What claims ask and what happened is no part of the law.
        Mark::Truth(Place::Premise(_) | Place::Claim(_), ..)
        | Mark::Happened(_)
        | Mark::Heard(_)
        | Mark::With(..)
        | Mark::Moved(..)
        | Mark::Effect(_)
        | Mark::FaceDown(_)
        | Mark::TurnedUp(_) => None,
    };
    seen.iter().filter_map(part).collect()
}

impl Base {
    /// Runs all rulings and all worlds that are not too large.
    pub fn new(model: &Model, bounds: &Bounds) -> Base {
        let program = model.program;
        let (mut clauses, mut owners) = (BTreeMap::new(), BTreeMap::new());
        let found = Parts::of_program(program);
        for item in model.files.iter().flat_map(|f| &f.items) {
            let (names, header, list): (&[ast::Ident], _, &[ast::Clause]) = match item {
                Item::Rule(r) => (std::slice::from_ref(&r.name), &r.header, &r.clauses),
                Item::Keyword(k) => (&k.names, &k.header, &k.clauses),
                _ => continue,
            };
            clauses.extend(list.iter().filter_map(|c| found.of(c).map(|part| (c.span, part))));
            let cites: Vec<String> = header.cites.iter().map(|c| c.text.clone()).collect();
            let spans: Vec<Span> = list.iter().map(|c| c.span).collect();
            owners.extend(names.iter().map(|n| (n.span, (cites.clone(), spans.clone()))));
        }
        let (rulings, worlds, left_out) = on_threads(bounds.threads, || {
            let (worlds, left_out) = worlds(model, bounds);
            (rulings_of(model), worlds, left_out)
        });
        let ordinary = || program.worlds.iter().map(|w| &w.name).filter(|n| !is_deep(n)).cloned().collect();
        let scopes = program.properties.iter().map(|p| {
            let named = p.worlds.iter().map(|w| program.worlds[*w].name.clone());
            (p.name.clone(), if p.worlds.is_empty() { ordinary() } else { named.collect() })
        });
        Base { rulings, worlds, left_out, scopes: scopes.collect(), clauses, owners }
    }

    /// The worlds that are run, with their sizes, smallest first.
    pub fn sizes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.worlds.iter().map(|w| (w.name.as_str(), w.states))
    }

    /// Of all worlds in a scope together: whether the premise happened, and the shortest play that hit.
    pub(super) fn verdict(&self, property: &str, scope: &BTreeSet<String>) -> (bool, Option<u32>) {
        let met = self.worlds.iter().filter(|w| scope.contains(&w.name)).filter_map(|w| w.met.get(property));
        met.fold((false, None), |(premise, hit), (p, h)| (premise || *p, shorter(hit, *h)))
    }
}

/// The shorter of two lengths.
fn shorter(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    a.into_iter().chain(b).min()
}

fn rulings_of(model: &Model) -> Vec<BaseRuling> {
    let program = model.program;
    let rulings = model.files.iter().flat_map(|f| &f.items).filter_map(|item| match item {
        Item::Ruling(r) => Some((r.name.text.as_str(), r.header.cites.iter().map(|c| c.text.clone()).collect())),
        _ => None,
    });
    let cites: BTreeMap<&str, Vec<String>> = rulings.collect();
    let each = program.rulings.par_iter().enumerate().map(|(i, r)| {
        let played = catch_unwind(AssertUnwindSafe(|| rulings::seen(program, i)));
        let (passes, seen) = played.map_or((false, Seen::default()), |(result, seen)| (result.failure.is_none(), seen));
        let steps = r.steps.iter().filter(|s| !matches!(s, RulingStep::Then(..))).count();
        BaseRuling {
            name: r.name.clone(),
            passes,
            cites: cites.get(r.name.as_str()).cloned().unwrap_or_default(),
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            parts: parts(&seen),
        }
    });
    each.collect()
}

fn worlds(model: &Model, bounds: &Bounds) -> (Vec<BaseWorld>, Vec<(String, String)>) {
    let program = model.program;
    let done = AtomicUsize::new(0);
    let each = program.worlds.par_iter().enumerate().map(|(i, world)| {
        let pinned = bounds.sizes.get(&world.name).copied();
        if pinned.is_some_and(|n| n > bounds.states_max) {
            return Err((world.name.clone(), format!("it has {} states", pinned.unwrap_or_default())));
        }
        if is_deep(&world.name) {
            return Err((world.name.clone(), "it is a deep one".to_owned()));
        }
        let explored = catch_unwind(AssertUnwindSafe(|| explore(program, i, bounds.states_max + 1, true, bounds.stop)));
        (bounds.progress)("worlds", done.fetch_add(1, Ordering::Relaxed) + 1, program.worlds.len());
        match explored {
            Ok(Ok(e)) if e.ending == Ending::Complete => Ok(BaseWorld {
                name: world.name.clone(),
                states: e.states,
                parts: parts(&e.seen),
                met: e.met.into_iter().map(|m| (m.name, (m.premise, m.hit))).collect(),
            }),
            Ok(Ok(e)) if e.ending == Ending::Cap => Err((world.name.clone(), "it meets a cap".to_owned())),
            Ok(Ok(_)) => Err((world.name.clone(), format!("it has more than {} states", bounds.states_max))),
            Ok(Err((code, what))) => Err((world.name.clone(), format!("{}: {what}", code.as_str()))),
            Err(_) => Err((world.name.clone(), "exploring it ended in a panic".to_owned())),
        }
    });
    let (mut worlds, mut left_out) = (Vec::new(), Vec::new());
    for result in each.collect::<Vec<_>>() {
        match result {
            Ok(world) => worlds.push(world),
            Err(why) => left_out.push(why),
        }
    }
    worlds.sort_by(|a, b| (a.states, &a.name).cmp(&(b.states, &b.name)));
    left_out.sort();
    (worlds, left_out)
}
