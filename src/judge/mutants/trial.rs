//! One mutant: is it a program, and what tells it from the law?

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use super::base::{Base, BaseRuling, BaseWorld};
use super::world::{Ending, Explored, explore};
use super::{Bounds, Fate, GROWTH_MAX, GROWTH_STATES_MIN, Killer, MIDDLE_STATES_MAX, Model, SMALL_STATES_MAX, Tried};
use crate::judge::coverage::Part;
use crate::judge::rulings;
use crate::judge::verdict::Verdict;
use crate::lang::ast::{File, Item, PropertyKind, Span};
use crate::lang::check;
use crate::lang::diag::{Code, Diag};
use crate::lang::mutants::Mutant;
use crate::lang::parse;
use crate::lang::tree::Program;

/// Tries a mutant. `files` are the trees of the model; they are left as they were.
pub(super) fn run(model: &Model, base: &Base, files: &mut [File], mutant: &Mutant, bounds: &Bounds) -> Tried {
    let (fate, undecided) = if bounds.stop.load(Ordering::SeqCst) {
        (Fate::NotTried, Vec::new())
    } else {
        tried(model, base, files, mutant, bounds)
    };
    Tried { mutant: mutant.clone(), fate, undecided }
}

fn tried(model: &Model, base: &Base, files: &mut [File], mutant: &Mutant, bounds: &Bounds) -> (Fate, Vec<String>) {
    let file = usize::from(mutant.edit.span.file);
    let (Some(source), true) = (model.sources.files.get(file), file < files.len()) else {
        return (Fate::NoProgram(Code::L303.as_str(), "its file is not there".to_owned()), Vec::new());
    };
    let (tree, diags) = parse::parse(mutant.edit.span.file, &mutant.edit.apply(&source.text));
    let program = match diags.first() {
        Some(diag) => Err(diag.clone()),
        None => {
            let before = std::mem::replace(&mut files[file], tree);
            let program = program(model, files);
            files[file] = before;
            program
        }
    };
    let (program, unsaid) = match program {
        Ok(found) => found,
        Err(diag) => return (Fate::NoProgram(diag.code.as_str(), diag.message), Vec::new()),
    };
    let mut trial = Trial {
        base,
        program: &program,
        bounds,
        changed: changed(base, mutant),
        accounts: BTreeMap::new(),
        complete: BTreeSet::new(),
        run: BTreeSet::new(),
        killers: unsaid,
        undecided: Vec::new(),
    };
    trial.go(base.owners.get(&mutant.owner_span).map_or(&[][..], |(cites, _)| cites));
    if bounds.stop.load(Ordering::SeqCst) {
        return (Fate::NotTried, trial.undecided);
    }
    trial.judge();
    trial.killers.sort();
    trial.killers.dedup();
    let fate = if trial.killers.is_empty() { Fate::Survived } else { Fate::Killed(trial.killers) };
    (fate, trial.undecided)
}

/// The checked program. Properties and rulings alone that are wrong are left aside, and told.
fn program(model: &Model, files: &[File]) -> Result<(Program, Vec<Killer>), Diag> {
    let diags = match check::check(files, model.options) {
        Ok(program) => return Ok((program, Vec::new())),
        Err(diags) => diags,
    };
    let mut unsaid = Vec::new();
    let mut wrong = BTreeSet::new();
    for diag in diags {
        let Some((span, name)) = claim_at(files, diag.span) else { return Err(diag) };
        wrong.insert(span);
        unsaid.push(Killer::Unsaid { name, code: diag.code.as_str() });
    }
    let mut files = files.to_vec();
    for file in &mut files {
        file.items.retain(|item| claim(item).is_none_or(|(span, _)| !wrong.contains(&span)));
    }
    match check::check(&files, model.options) {
        Ok(program) => Ok((program, unsaid)),
        Err(diags) => Err(diags.into_iter().next().unwrap_or_else(|| Diag::new(Code::L303, Span::default(), ""))),
    }
}

/// A property or ruling: its stretch and its name.
fn claim(item: &Item) -> Option<(Span, &str)> {
    match item {
        Item::Property(p) => Some((p.span, &p.name.text)),
        Item::Ruling(r) => Some((r.span, &r.name.text)),
        _ => None,
    }
}

fn claim_at(files: &[File], at: Span) -> Option<(Span, String)> {
    let file = files.get(usize::from(at.file))?;
    let found = file.items.iter().filter_map(claim).find(|(span, _)| span.start <= at.start && at.end <= span.end);
    found.map(|(span, name)| (span, name.to_owned()))
}

/// The parts that a mutant changes.
fn changed(base: &Base, mutant: &Mutant) -> BTreeSet<Part> {
    let all = || base.owners.get(&mutant.owner_span).map_or(&[][..], |(_, clauses)| clauses);
    let clauses = mutant.clause.as_ref().map_or_else(all, std::slice::from_ref);
    clauses.iter().filter_map(|span| base.clauses.get(span).copied()).collect()
}

struct Trial<'a> {
    base: &'a Base,
    program: &'a Program,
    bounds: &'a Bounds<'a>,
    changed: BTreeSet<Part>,
    /// By property: whether its premise happened, and its shortest hit with the world.
    accounts: BTreeMap<String, (bool, Option<(u32, String)>)>,
    /// Worlds that were explored to their end.
    complete: BTreeSet<String>,
    /// Worlds that were run.
    run: BTreeSet<String>,
    killers: Vec<Killer>,
    undecided: Vec<String>,
}

impl Trial<'_> {
    fn go(&mut self, cites: &[String]) {
        let base = self.base;
        let (mut near, mut far): (Vec<&BaseRuling>, Vec<&BaseRuling>) =
            base.rulings.iter().filter(|r| r.passes).partition(|r| !r.parts.is_disjoint(&self.changed));
        for list in [&mut near, &mut far] {
            list.sort_by_key(|r| (!r.cites.iter().any(|c| cites.contains(c)), r.parts.len(), &r.name));
        }
        let by_ruling = self.rulings(&near);
        let (near_worlds, far_worlds): (Vec<&BaseWorld>, Vec<&BaseWorld>) =
            base.worlds.iter().partition(|w| !w.parts.is_disjoint(&self.changed));
        let small = |w: &&&BaseWorld| w.states <= SMALL_STATES_MAX;
        let matrix = self.bounds.matrix;
        for world in near_worlds.iter().filter(small) {
            if !matrix && (by_ruling || self.killed()) {
                return;
            }
            self.world(world);
        }
        if by_ruling || self.killed() || self.rulings(&far) {
            return;
        }
        for (list, states_max) in [
            (&near_worlds, MIDDLE_STATES_MAX),
            (&far_worlds, SMALL_STATES_MAX),
            (&far_worlds, MIDDLE_STATES_MAX),
            (&near_worlds, u64::MAX),
        ] {
            for world in list.iter().filter(|w| w.states <= states_max) {
                if !self.run.contains(&world.name) {
                    self.world(world);
                    if self.killed() {
                        return;
                    }
                }
            }
        }
    }

    /// Plays rulings up to the first that fails; whether one does.
    fn rulings(&mut self, list: &[&BaseRuling]) -> bool {
        let places: BTreeMap<&str, usize> =
            self.program.rulings.iter().enumerate().map(|(i, r)| (r.name.as_str(), i)).collect();
        for ruling in list {
            let Some(place) = places.get(ruling.name.as_str()) else { continue };
            if self.bounds.stop.load(Ordering::Relaxed) {
                return false;
            }
            match catch_unwind(AssertUnwindSafe(|| rulings::alone(self.program, *place))) {
                Ok(played) => {
                    if let Some((code, ..)) = played.failure {
                        let (name, code, steps) = (ruling.name.clone(), code.as_str(), ruling.steps);
                        self.killers.push(Killer::Ruling { name, code, steps });
                        return true;
                    }
                }
                Err(_) => self.undecided.push(format!("ruling {} ended in a panic", ruling.name)),
            }
        }
        false
    }

    /// Whether something is known to kill.
    fn killed(&mut self) -> bool {
        self.judge();
        !self.killers.is_empty()
    }

    fn world(&mut self, world: &BaseWorld) {
        self.run.insert(world.name.clone());
        let Some(place) = self.program.worlds.iter().position(|w| w.name == world.name) else { return };
        let states_max = (world.states * GROWTH_MAX).max(GROWTH_STATES_MIN);
        let explored =
            catch_unwind(AssertUnwindSafe(|| explore(self.program, place, states_max, false, self.bounds.stop)));
        match explored {
            Ok(Ok(explored)) => self.explored(world, explored, states_max),
            // More than this program can hold says nothing of the law.
            Ok(Err((code @ (Code::L301 | Code::L302), what))) => {
                self.undecided.push(format!("world {}: {} {what}", world.name, code.as_str()));
            }
            Ok(Err((code, _))) => {
                self.killers.push(Killer::World { name: world.name.clone(), what: code.as_str().to_owned() });
            }
            Err(_) => self.undecided.push(format!("world {} ended in a panic", world.name)),
        }
    }

    fn explored(&mut self, world: &BaseWorld, explored: Explored, states_max: u64) {
        match explored.ending {
            Ending::Complete => {
                self.complete.insert(world.name.clone());
            }
            Ending::Cap => {
                self.killers.push(Killer::World { name: world.name.clone(), what: "cap".to_owned() });
            }
            Ending::Limit => {
                self.undecided.push(format!("world {} grows beyond {states_max} states", world.name));
            }
        }
        for met in explored.met {
            let account = self.accounts.entry(met.name).or_insert((false, None));
            account.0 |= met.premise;
            if let Some(steps) = met.hit
                && account.1.as_ref().is_none_or(|(least, _)| steps < *least)
            {
                account.1 = Some((steps, world.name.clone()));
            }
        }
    }

    /// Compares what is known so far with the law as it is.
    fn judge(&mut self) {
        for property in &self.program.properties {
            let Some(scope) = self.base.scopes.get(&property.name) else { continue };
            let (premise, hit) = self.accounts.get(&property.name).cloned().unwrap_or_default();
            let whole = !scope.is_empty() && scope.iter().all(|w| self.complete.contains(w));
            let (premise_before, hit_before) = self.base.verdict(&property.name, scope);
            let somewhere = || scope.first().cloned().unwrap_or_default();
            let verdict = match (property.kind, hit, hit_before) {
                (PropertyKind::Property, Some((steps, world)), None) => (Verdict::Violated, world, Some(steps)),
                (PropertyKind::Property, None, _) if whole && premise_before && !premise => {
                    (Verdict::Vacuous, somewhere(), None)
                }
                (PropertyKind::Witness, None, Some(steps)) if whole => (Verdict::Unreached, somewhere(), Some(steps)),
                (PropertyKind::Conjecture, None, Some(steps)) if whole => (Verdict::Holds, somewhere(), Some(steps)),
                _ => continue,
            };
            let (verdict, world, steps) = verdict;
            let killer = Killer::Property { name: property.name.clone(), verdict, world, steps };
            if !self.killers.contains(&killer) {
                self.killers.retain(|k| !matches!(k, Killer::Property { name, .. } if *name == property.name));
                self.killers.push(killer);
            }
        }
    }
}
