//! Effects: what worlds allow to happen at any time. Each must do something in each world that allows it; what no world
//! allows is told.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::gaps::Gaps;
use super::{Findings, Section};
use crate::judge::coverage::{Mark, Part};
use crate::lang::tree::{ProcedureId, Ty, World};
use crate::report::explained::{About, Gap};
use crate::report::model::place;

/// A procedure that a world allows, or could allow.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EffectCoverage {
    /// The procedure.
    pub effect: String,
    /// Where the rule stands that has it, as `path:line:column`.
    pub place: String,
    /// The worlds that allow it; none: what no world allows.
    pub worlds: Vec<AllowedEffect>,
    /// The rulings in which it was done.
    pub rulings: Vec<String>,
}

/// An effect in a world.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AllowedEffect {
    /// The world.
    pub world: String,
    /// Whether it happened there as an effect and changed something.
    pub done: bool,
}

/// The worlds that were run.
fn run<'f>(f: &'f Findings) -> impl Iterator<Item = &'f World> {
    f.worlds.iter().filter_map(|w| f.program.worlds.iter().find(|world| world.name == w.name))
}

fn done(f: &Findings, world: &World, effect: ProcedureId) -> bool {
    f.met.worlds(&[Mark::Effect(effect)]).contains(&world.name)
}

/// Procedures that a world allows or could allow: those that ask for nothing but a player.
pub(super) fn effects(f: &Findings) -> Vec<EffectCoverage> {
    let procedures = f.program.procedures.iter().enumerate();
    let could = procedures.filter(|(_, p)| matches!(p.params.as_slice(), [(_, _, Ty::Player)]));
    let mut list: Vec<EffectCoverage> = could
        .map(|(i, p)| {
            let id = ProcedureId(i as u16);
            let allowing = run(f).filter(|w| w.allows.iter().any(|(q, _)| *q == id));
            EffectCoverage {
                effect: p.name.clone(),
                place: place(f.sources, f.program.rules[p.rule.index()].span),
                worlds: allowing.map(|w| AllowedEffect { world: w.name.clone(), done: done(f, w, id) }).collect(),
                rulings: f.met.rulings(&[Mark::Part(Part::Procedure(id))]),
            }
        })
        .collect();
    list.sort_by(|a, b| a.effect.cmp(&b.effect));
    list
}

/// An effect that a world allows and that never does anything there.
pub(super) fn gaps(f: &Findings, gaps: &mut Gaps) {
    for world in &f.program.worlds {
        let ran = run(f).any(|w| w.name == world.name);
        let allowed: BTreeSet<ProcedureId> = world.allows.iter().map(|(p, _)| *p).collect();
        for effect in allowed {
            let part = format!("allow {}", f.program.procedures[effect.index()].name);
            let gap = Gap { about: About::World, name: world.name.clone(), part: Some(part), conjunct: None };
            // Of a world that was not run nothing is known, and its entries are passed over.
            let open = !ran || !done(f, world, effect);
            gaps.add(gap, Section::Effects, world.span, open, ran);
        }
    }
}
