//! Rules for a program as a whole: rings, guards of statics, markers without a writer, a law that can't be played.

use std::collections::BTreeSet;

use super::collect::{Items, OwnerBody};
use super::declare::{Decl, Decls};
use super::scope::{Env, Finding};
use super::walk::{self, Visitor};
use crate::lang::ast::Span;
use crate::lang::diag::Code;
use crate::lang::tree::{Call, ClauseKind, Const, DefineId, Expr, MarkerId, ModKind, Program, Verb};

/// Checks the whole program.
pub(super) fn check(items: &Items, decls: &Decls, env: &Env, findings: &mut Vec<Finding>) {
    let program = &env.program;
    procedures(decls, program, findings);
    defines(decls, program, findings);
    statics(env, findings);
    markers(items, decls, env, findings);
    if let Some(world) = items.worlds.first() {
        let mut scope = super::scope::Scope::new(env, super::scope::Where::Law);
        scope.law_is_playable(world.name.span);
        findings.append(&mut scope.findings);
    }
}

/// The procedures and named costs that a body calls. Costs come after procedures.
struct Calls<'p> {
    program: &'p Program,
    found: BTreeSet<usize>,
}

impl Visitor for Calls<'_> {
    fn call(&mut self, call: &Call) {
        match (call.verb, call.args.get(1)) {
            (Verb::Procedure(id), _) => {
                self.found.insert(id.index());
            }
            (Verb::Pay, Some(Some(Expr::Const(Const::Cost(Some(cost)))))) => {
                self.found.extend(cost.named.iter().map(|c| self.program.procedures.len() + c.index()));
            }
            (Verb::Pay, _) => {
                let costs = self.program.named_costs.len();
                self.found.extend((0..costs).map(|c| self.program.procedures.len() + c));
            }
            _ => {}
        }
    }
}

fn procedures(decls: &Decls, program: &Program, findings: &mut Vec<Finding>) {
    let bodies = program.procedures.iter().map(|p| &p.body).chain(program.named_costs.iter().map(|c| &c.body));
    let edges: Vec<Vec<usize>> = bodies
        .map(|body| {
            let mut calls = Calls { program, found: BTreeSet::new() };
            walk::block(&mut calls, body);
            calls.found.into_iter().collect()
        })
        .collect();
    let nodes: Vec<&Decl> = decls.procedures.iter().chain(&decls.costs).collect();
    tell(Code::L210, "procedures call each other in a ring", &nodes, &edges, findings);
}

#[derive(Default)]
struct Defines(BTreeSet<usize>);

impl Visitor for Defines {
    fn expr(&mut self, e: &Expr) {
        if let Expr::Define(id, _) = e {
            self.0.insert(id.index());
        }
    }
}

fn defines(decls: &Decls, program: &Program, findings: &mut Vec<Finding>) {
    let edges: Vec<Vec<usize>> = program
        .defines
        .iter()
        .map(|d| {
            let mut needs = Defines::default();
            walk::expr(&mut needs, &d.body);
            needs.0.into_iter().collect()
        })
        .collect();
    let nodes: Vec<&Decl> = decls.defines.iter().collect();
    tell(Code::L211, "definitions need each other in a ring", &nodes, &edges, findings);
}

/// One finding for each ring, at its first name.
fn tell(code: Code, what: &str, nodes: &[&Decl], edges: &[Vec<usize>], findings: &mut Vec<Finding>) {
    let mut done: BTreeSet<usize> = BTreeSet::new();
    for start in 0..nodes.len() {
        if done.contains(&start) {
            continue;
        }
        let Some(path) = ring(start, edges) else { continue };
        done.extend(&path);
        let names: Vec<&str> = path.iter().chain([&start]).filter_map(|i| nodes.get(*i)).map(|d| d.name.text.as_str()).collect();
        if let Some(node) = nodes.get(start) {
            findings.push(Finding::new(code, node.name.span, format!("{what}: {}", names.join(", "))));
        }
    }
}

/// The shortest path from a node back to itself.
fn ring(start: usize, edges: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut paths = vec![vec![start]];
    let mut seen = BTreeSet::new();
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        next += 1;
        let last = *path.last()?;
        for &to in edges.get(last).into_iter().flatten() {
            if to == start {
                return Some(path);
            }
            if seen.insert(to) {
                let mut longer = path.clone();
                longer.push(to);
                paths.push(longer);
            }
        }
    }
    None
}

/// Whether an expression asks for a whole view, through defines too.
struct Views<'p> {
    program: &'p Program,
    seen: BTreeSet<DefineId>,
    found: bool,
}

impl Visitor for Views<'_> {
    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::View(..) => self.found = true,
            Expr::Define(id, _) if self.seen.insert(*id) => {
                let program = self.program;
                walk::expr(self, &program.defines[id.index()].body);
            }
            _ => {}
        }
    }
}

fn statics(env: &Env, findings: &mut Vec<Finding>) {
    let known = env.mods.borrow();
    for clause in &env.program.clauses {
        let ClauseKind::Static(_, _, mods) = &clause.kind else { continue };
        let mut views = Views { program: &env.program, seen: BTreeSet::new(), found: false };
        walk::clause(&mut views, &clause.kind);
        for m in mods {
            if let Some(ModKind::Sized(power, toughness)) = known.get(m.index()).map(|m| &m.kind) {
                walk::expr(&mut views, power);
                walk::expr(&mut views, toughness);
            }
        }
        if views.found {
            let message = "the guard of a static asks for a whole view";
            let help = "ask plain `o`, which means the look so far";
            findings.push(Finding::helped(Code::L231, clause.span, message, Some(help.to_string())));
        }
    }
}

fn markers(items: &Items, decls: &Decls, env: &Env, findings: &mut Vec<Finding>) {
    let ghosts = items.owners.iter().filter_map(|o| match o.body {
        OwnerBody::Ghost(g) => Some((g.name.text.as_str(), g.name.span)),
        OwnerBody::Rule(_) | OwnerBody::Keyword(_) | OwnerBody::Card(_) => None,
    });
    let all: Vec<(&str, Span)> =
        decls.markers.iter().map(|d| (d.name.text.as_str(), d.name.span)).chain(ghosts).collect();
    for (i, (name, span)) in all.into_iter().enumerate() {
        let id = MarkerId(super::declare::number(i));
        let read = env.marker_reads.borrow().contains(&id);
        let set = env.marker_sets.borrow().contains(&id);
        if read && !set && !env.dormant.contains_key(name) {
            findings.push(Finding::new(Code::L234, span, format!("`{name}` is read and never set")));
        }
    }
}
