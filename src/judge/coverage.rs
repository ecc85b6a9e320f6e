//! What of the law was at work in worlds and rulings, in the words that reports may use.

use std::collections::{BTreeMap, BTreeSet};

use crate::lang::ast::{Clause, ClauseKind, Ident, Span};
use crate::lang::tree::{
    ClauseId, DefineId, EventId, EventName, MarkerId, NamedCostId, ProcedureId, ProfileId, Program, Verb, ViewId,
};

pub use crate::law::coverage::{Mark, Part, Place, Seen, Spoken, Word, flattened, of_claims, places};

/// Where each thing was met: names of worlds and rulings by mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Met {
    worlds: Vec<(String, Seen)>,
    rulings: Vec<(String, Seen)>,
}

impl Met {
    /// Adds what was met in a world.
    pub fn world(&mut self, name: &str, seen: Seen) {
        self.worlds.push((name.to_owned(), seen));
    }

    /// Adds what was met in a ruling.
    pub fn ruling(&mut self, name: &str, seen: Seen) {
        self.rulings.push((name.to_owned(), seen));
    }

    /// The worlds in which one of these was met, sorted.
    pub fn worlds(&self, marks: &[Mark]) -> Vec<String> {
        within(&self.worlds, marks)
    }

    /// The rulings in which one of these was met, sorted.
    pub fn rulings(&self, marks: &[Mark]) -> Vec<String> {
        within(&self.rulings, marks)
    }

    /// Whether something was met anywhere.
    pub fn has(&self, mark: Mark) -> bool {
        self.worlds.iter().chain(&self.rulings).any(|(_, seen)| seen.contains(&mark))
    }
}

fn within(list: &[(String, Seen)], marks: &[Mark]) -> Vec<String> {
    let names = list.iter().filter(|(_, seen)| marks.iter().any(|m| seen.contains(m))).map(|(name, _)| name.clone());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Finds what a clause of a text has become in the program.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    program: &'a Program,
    clauses: BTreeMap<Span, ClauseId>,
}

impl<'a> Parts<'a> {
    /// The parts of a program.
    pub fn of_program(program: &'a Program) -> Parts<'a> {
        let clauses = program.clauses.iter().enumerate().map(|(i, c)| (c.span, ClauseId(i as u16))).collect();
        Parts { program, clauses }
    }

    /// Which part of the program a clause is.
    pub fn of(&self, clause: &Clause) -> Option<Part> {
        let p = self.program;
        let named = |mut names: Box<dyn Iterator<Item = &String> + '_>, name: &Ident| {
            names.position(|n| *n == name.text).map(|i| i as u16)
        };
        match &clause.kind {
            ClauseKind::Define(n, ..) => {
                named(Box::new(p.defines.iter().map(|d| &d.name)), n).map(|i| Part::Define(DefineId(i)))
            }
            ClauseKind::View(n, _) => {
                named(Box::new(p.views.iter().map(|d| &d.name)), n).map(|i| Part::View(ViewId(i)))
            }
            ClauseKind::Event(n, ..) => {
                named(Box::new(p.events.iter().map(|d| &d.name)), n).map(|i| Part::Event(EventId(i)))
            }
            ClauseKind::Procedure(n, ..) => {
                named(Box::new(p.procedures.iter().map(|d| &d.name)), n).map(|i| Part::Procedure(ProcedureId(i)))
            }
            ClauseKind::NamedCost(n, ..) => {
                named(Box::new(p.named_costs.iter().map(|d| &d.name)), n).map(|i| Part::Cost(NamedCostId(i)))
            }
            ClauseKind::Profile(n, _) => {
                named(Box::new(p.profiles.iter().map(|d| &d.name)), n).map(|i| Part::Profile(ProfileId(i)))
            }
            ClauseKind::Marker(n, ..) => {
                named(Box::new(p.markers.iter().map(|d| &d.name)), n).map(|i| Part::Marker(MarkerId(i)))
            }
            ClauseKind::LookBack(n, _) => self.event(n).map(Part::LookBack),
            ClauseKind::Permit { .. }
            | ClauseKind::Forbid(..)
            | ClauseKind::Stage(..)
            | ClauseKind::Check(..)
            | ClauseKind::Price { .. }
            | ClauseKind::Static(..)
            | ClauseKind::Spell(..) => self.clauses.get(&clause.span).map(|id| Part::Clause(*id)),
        }
    }

    fn event(&self, name: &Ident) -> Option<EventName> {
        let p = self.program;
        let named = p.events.iter().position(|e| e.name == name.text).map(|i| EventName::Named(EventId(i as u16)));
        let done = p.procedures.iter().position(|e| e.name == name.text);
        let done = done.map(|i| EventName::Verb(Verb::Procedure(ProcedureId(i as u16))));
        let built_in = Verb::BUILT_IN.iter().find(|(n, _)| *n == name.text).map(|(_, v)| EventName::Verb(*v));
        named.or(done).or(built_in)
    }
}
