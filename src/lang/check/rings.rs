//! Rules for a program as a whole: rings, guards of statics, markers without a writer, a law that can't be played.

use std::collections::{BTreeSet, VecDeque};

use super::collect::{Items, OwnerBody};
use super::declare::{Decl, Decls};
use super::scope::{Env, Finding};
use super::walk::{self, Visitor};
use crate::lang::ast::Span;
use crate::lang::diag::Code;
use crate::lang::tree::{Call, ClauseKind, Const, DefineId, Expr, MarkerId, ModKind, Program, Verb};

/// Checks that every body ends; says whether it does.
pub(super) fn ends(decls: &Decls, program: &Program, findings: &mut Vec<Finding>) -> bool {
    let before = findings.len();
    procedures(decls, program, findings);
    defines(decls, program, findings);
    findings.len() == before
}

/// Checks the whole program.
pub(super) fn check(items: &Items, decls: &Decls, env: &Env, findings: &mut Vec<Finding>) {
    sizes(items, &env.program, findings);
    statics(env, findings);
    markers(items, decls, env, findings);
    let played = items.worlds.first().map(|w| &w.name).or(items.rulings.first().map(|r| &r.name));
    if let Some(name) = played {
        let mut scope = super::scope::Scope::new(env, super::scope::Where::Law);
        scope.law_is_playable(name.span);
        findings.append(&mut scope.findings);
    }
}

/// The most checks of a law.
const CHECKS_MAX: usize = 32;
/// The most entries of any table.
const TABLE_MAX: usize = 60_000;

/// Tables that hold more than their numbers can tell apart.
fn sizes(items: &Items, program: &Program, findings: &mut Vec<Finding>) {
    let checks = program.clauses.iter().filter(|c| matches!(c.kind, ClauseKind::Check(..)));
    if let Some(check) = checks.clone().nth(CHECKS_MAX) {
        findings.push(Finding::new(Code::L302, check.span, format!("there are more than {CHECKS_MAX} checks")));
    }
    let owners = items.owners.len();
    if let Some(owner) =
        items.owners.get(TABLE_MAX).or(items.owners.last().filter(|_| program.clauses.len() > TABLE_MAX))
    {
        let message =
            format!("{owners} items with {} clauses are more than the limit {TABLE_MAX}", program.clauses.len());
        findings.push(Finding::new(Code::L302, owner.name.span, message));
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

/// The longest chain of procedures, or of definitions, of which each needs the next.
const CHAIN_MAX: usize = 32;

/// One finding for each ring, at its first name, and one for each chain that is too long.
fn tell(code: Code, what: &str, nodes: &[&Decl], edges: &[Vec<usize>], findings: &mut Vec<Finding>) {
    let heights = heights(edges);
    let mut done: BTreeSet<usize> = BTreeSet::new();
    for (start, node) in nodes.iter().enumerate() {
        match heights.get(start) {
            // Only the first that is too high is told; those that need it are too high as well.
            Some(Some(height)) if *height == CHAIN_MAX + 1 => {
                let message = format!("`{}` begins a chain longer than the limit {CHAIN_MAX}", node.name.text);
                let help = Some("let fewer of them need each other".to_string());
                findings.push(Finding::helped(Code::L105, node.name.span, message, help));
            }
            Some(None) if !done.contains(&start) => {
                let Some(path) = ring(start, edges) else { continue };
                done.extend(&path);
                let names = path.iter().chain([&start]).filter_map(|i| nodes.get(*i)).map(|d| d.name.text.as_str());
                findings.push(Finding::new(
                    code,
                    node.name.span,
                    format!("{what}: {}", names.collect::<Vec<_>>().join(", ")),
                ));
            }
            _ => {}
        }
    }
}

/// How many nodes a chain from each node has at most; none: it leads into a ring.
fn heights(edges: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    let mut open: Vec<usize> = edges.iter().map(Vec::len).collect();
    for (node, needs) in edges.iter().enumerate() {
        for &need in needs {
            if let Some(list) = users.get_mut(need) {
                list.push(node);
            }
        }
    }
    let mut ready: Vec<usize> = (0..edges.len()).filter(|n| open[*n] == 0).collect();
    let mut heights: Vec<Option<usize>> = vec![None; edges.len()];
    while let Some(node) = ready.pop() {
        let below = edges[node].iter().filter_map(|need| heights[*need]).max().unwrap_or(0);
        heights[node] = Some(below + 1);
        for &user in &users[node] {
            open[user] -= 1;
            if open[user] == 0 {
                ready.push(user);
            }
        }
    }
    heights
}

/// The shortest path from a node back to itself.
fn ring(start: usize, edges: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut from: Vec<Option<usize>> = vec![None; edges.len()];
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for &to in edges.get(node).into_iter().flatten() {
            if to == start {
                let back = std::iter::successors(Some(node), |n| if *n == start { None } else { from[*n] });
                let mut path: Vec<usize> = back.collect();
                path.reverse();
                return Some(path);
            }
            if from[to].is_none() {
                from[to] = Some(node);
                open.push_back(to);
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
