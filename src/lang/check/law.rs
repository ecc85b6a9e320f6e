//! The bodies of the law, of keywords, cards and ghosts, put into one program in canonical order.

use super::clauses::{Carrier, act};
use super::collect::{Items, OwnerBody};
use super::declare::{Decl, Decls, number};
use super::events::event_body;
use super::scope::{Callable, Env, Finding, Scope, Where};
use crate::lang::ast::{self, CardBody, ClauseKind, Ident};
use crate::lang::diag::Code;
use crate::lang::tree::{Block, Card, CardId, Clause, ClauseId, Expr, Frame, Look, MarkerId, RuleId, Ty, Verb, ViewId};

/// One face as checked, its clauses still without numbers.
type Face = (Look, Vec<Clause>);

/// Everything that an owner brings.
enum Made {
    Clauses(Vec<Clause>),
    Faces(Box<(Face, Option<Face>)>),
    Like,
    Nothing,
}

/// Fills in all bodies.
pub(super) fn bodies(items: &Items, decls: &Decls, mut env: Env, findings: &mut Vec<Finding>) -> Env {
    events(decls, &mut env, findings);
    look_backs(decls, &mut env, findings);
    profiles(decls, &mut env, findings);
    defines(decls, &mut env, findings);
    procedures(decls, &mut env, findings);
    costs(decls, &mut env, findings);
    let mut made = Vec::new();
    for (i, owner) in items.owners.iter().enumerate() {
        let mut own = Vec::new();
        let rule = RuleId(number(i));
        let result = owner_clauses(owner.body, &env, rule, &mut own);
        // A card or ghost that fails only because of what is not in force is left out.
        let leavable = matches!(owner.body, OwnerBody::Card(_) | OwnerBody::Ghost(_));
        if leavable && let Some(why) = left_out(&own) {
            leave_out(&mut env, owner.kind, owner.name, why);
            made.push(Made::Nothing);
            continue;
        }
        findings.extend(own);
        made.push(result);
    }
    assemble(items, made, &mut env, findings);
    env
}

/// Why an item is left out: every finding of it is of a name not in force.
pub(super) fn left_out(findings: &[Finding]) -> Option<String> {
    let only = !findings.is_empty() && findings.iter().all(|f| f.dormant);
    if !only {
        return None;
    }
    findings.first().map(|f| match &f.diag.help {
        Some(help) => format!("{}: {help}", f.diag.message),
        None => f.diag.message.clone(),
    })
}

pub(super) fn leave_out(env: &mut Env, kind: &str, name: &Ident, why: String) {
    env.dormant.insert(name.text.clone(), format!("{kind} {}, which is left out: {why}", name.text));
    env.program.left_out.push((kind.to_string(), name.text.clone(), why));
}

fn owner_clauses(body: OwnerBody, env: &Env, rule: RuleId, findings: &mut Vec<Finding>) -> Made {
    let (place, carrier) = match body {
        OwnerBody::Rule(_) => (Where::Law, Carrier::Law),
        OwnerBody::Keyword(k) => (Where::Law, Carrier::Keyword(k.param.as_ref())),
        OwnerBody::Card(_) => (Where::Law, Carrier::Card),
        OwnerBody::Ghost(_) => {
            let own = env.program.markers.iter().position(|m| m.ghost && m.rule == rule);
            (Where::Ghost(MarkerId(number(own.unwrap_or(usize::MAX)))), Carrier::Law)
        }
    };
    let mut scope = Scope::new(env, place);
    let made = match body {
        OwnerBody::Rule(r) => Made::Clauses(acts(&mut scope, &r.clauses, rule, carrier, true)),
        OwnerBody::Keyword(k) => Made::Clauses(acts(&mut scope, &k.clauses, rule, carrier, true)),
        OwnerBody::Ghost(g) => Made::Clauses(acts(&mut scope, &g.clauses, rule, carrier, false)),
        OwnerBody::Card(c) => match &c.body {
            CardBody::Like(_) => Made::Like,
            CardBody::Faces { front, back } => {
                let front = face(&mut scope, front, rule);
                let back = back.as_ref().map(|b| face(&mut scope, b, rule));
                Made::Faces(Box::new((front, back)))
            }
        },
    };
    findings.append(&mut scope.findings);
    made
}

fn acts(scope: &mut Scope, clauses: &[ast::Clause], rule: RuleId, carrier: Carrier, declares: bool) -> Vec<Clause> {
    let data = |c: &ast::Clause| super::collect::declared(c).is_some() || matches!(c.kind, ClauseKind::LookBack(..));
    clauses.iter().filter(|c| !(declares && data(c))).filter_map(|c| act(scope, c, rule, carrier)).collect()
}

fn face(scope: &mut Scope, face: &ast::Face, rule: RuleId) -> Face {
    let look = scope.listed_look(&face.look).unwrap_or_default();
    (look, acts(scope, &face.clauses, rule, Carrier::Card, false))
}

/// Numbers the clauses and finishes the cards.
fn assemble(items: &Items, made: Vec<Made>, env: &mut Env, findings: &mut Vec<Finding>) {
    let mut faces: Vec<Option<(Look, Option<Look>)>> = Vec::new();
    for (owner, made) in items.owners.iter().zip(made) {
        let mut done = None;
        match made {
            Made::Clauses(clauses) => {
                let ids = push(env, clauses);
                if let Some(k) = env.keywords.get(&owner.name.text).filter(|_| owner.kind == "keyword") {
                    let carried = ids.into_iter().filter(|id| env.program.clauses[id.index()].carried).collect();
                    env.program.keywords[k.index()].carried = carried;
                }
            }
            Made::Faces(both) => {
                let (front, back) = *both;
                let name = env.names.get(&owner.name.text).copied();
                let mut finish = |(mut look, clauses): Face| {
                    look.name = name;
                    look.clauses = push(env, clauses);
                    look
                };
                let front = finish(front);
                done = Some((front, back.map(finish)));
            }
            Made::Like | Made::Nothing => {}
        }
        faces.push(done);
    }
    for (i, owner) in items.owners.iter().enumerate() {
        if let OwnerBody::Card(card) = owner.body
            && let CardBody::Like(_) = card.body
            && let Some((root, look)) = like(items, &faces, card, env, findings)
        {
            let name = env.names.get(&owner.name.text).copied();
            let named = |mut l: Look| {
                l.name = name;
                l
            };
            faces[i] = Some((named(look.0), look.1.map(named)));
            env.like.insert(RuleId(number(i)), root);
        }
    }
    for (i, (owner, faces)) in items.owners.iter().zip(faces).enumerate() {
        let Some((front, back)) = faces else { continue };
        env.cards.insert(owner.name.text.clone(), CardId(0));
        env.program.cards.push(Card {
            name: owner.name.text.clone(),
            archetype: owner.kind == "archetype",
            front,
            back,
            rule: RuleId(number(i)),
        });
    }
    env.program.cards.sort_by(|a, b| a.name.cmp(&b.name));
    for (i, card) in env.program.cards.iter().enumerate() {
        env.cards.insert(card.name.clone(), CardId(number(i)));
    }
}

fn push(env: &mut Env, clauses: Vec<Clause>) -> Vec<ClauseId> {
    let first = env.program.clauses.len();
    env.program.clauses.extend(clauses);
    (first..env.program.clauses.len()).map(|i| ClauseId(number(i))).collect()
}

/// The card at the end of a chain of `like`s.
fn like(
    items: &Items,
    faces: &[Option<(Look, Option<Look>)>],
    card: &ast::Card,
    env: &mut Env,
    findings: &mut Vec<Finding>,
) -> Option<(RuleId, (Look, Option<Look>))> {
    let mut seen = vec![card.name.text.as_str()];
    let mut at = card;
    while let CardBody::Like(name) = &at.body {
        let found = items.owners.iter().enumerate().find_map(|(i, o)| match o.body {
            OwnerBody::Card(c) if c.name.text == name.text => Some((i, c)),
            _ => None,
        });
        let Some((i, next)) = found else {
            if std::ptr::eq(at, card) {
                let pool: Vec<&str> = env.names.keys().map(String::as_str).collect();
                let help = super::scope::suggest(&name.text, pool);
                let message = format!("an archetype `{}` is not there", name.text);
                findings.push(Finding::helped(Code::L217, name.span, message, help));
            }
            return None;
        };
        if seen.contains(&name.text.as_str()) {
            let ring = format!("{}, {}", seen.join(", "), name.text);
            findings.push(Finding::new(Code::L211, name.span, format!("cards are like each other in a ring: {ring}")));
            return None;
        }
        if matches!(next.body, CardBody::Faces { .. }) {
            if faces[i].is_none() && env.dormant.contains_key(&name.text) {
                let why = format!("`{}` is left out", name.text);
                leave_out(env, if card.archetype { "archetype" } else { "card" }, &card.name, why);
            }
            return faces[i].clone().map(|f| (RuleId(number(i)), f));
        }
        seen.push(&name.text);
        at = next;
    }
    None
}

/// Words are archetypes, anything else is a card.
pub(super) fn card_code(name: &str) -> Code {
    let word = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if word { Code::L217 } else { Code::L216 }
}

fn events(decls: &Decls, env: &mut Env, findings: &mut Vec<Finding>) {
    let mut made = Vec::new();
    for d in &decls.events {
        let mut scope = Scope::new(env, Where::Law);
        made.push(event_body(&mut scope, d).unwrap_or_default());
        findings.append(&mut scope.findings);
    }
    env.events = made;
}

fn look_backs(decls: &Decls, env: &mut Env, findings: &mut Vec<Finding>) {
    let mut found: Vec<(Callable, ViewId, &Decl)> = Vec::new();
    for d in &decls.look_backs {
        let ClauseKind::LookBack(name, view) = &d.clause.kind else { continue };
        let mut scope = Scope::new(env, Where::Law);
        let target = env.callables.get(&name.text).filter(|c| matches!(c, Callable::Event(_) | Callable::Verb(_)));
        if target.is_none() {
            let pool = env.constants(Ty::Event);
            scope.unknown(
                Code::L201,
                &name.text,
                name.span,
                format!("no verb or event is named `{}`", name.text),
                &pool,
            );
        }
        let seen = env.views.get(&view.text);
        if seen.is_none() {
            let pool: Vec<&str> = env.views.keys().map(String::as_str).collect();
            scope.unknown(Code::L201, &view.text, view.span, format!("no view is named `{}`", view.text), &pool);
        }
        if let (Some(target), Some(view)) = (target, seen) {
            if found.iter().any(|f| f.0 == *target) {
                scope.error(Code::L202, name.span, format!("`{}` looks back twice", name.text));
            }
            found.push((*target, *view, d));
        }
        findings.append(&mut scope.findings);
    }
    for (target, view, _) in found {
        match target {
            Callable::Event(id) => env.program.events[id.index()].look_back = Some(view),
            Callable::Verb(verb) => env.program.verb_look_back.push((verb, view)),
            Callable::Define(_) | Callable::Marker(_) | Callable::Function(_) | Callable::Look => {}
        }
    }
    env.program.verb_look_back.sort();
}

fn profiles(decls: &Decls, env: &mut Env, findings: &mut Vec<Finding>) {
    for (i, d) in decls.profiles.iter().enumerate() {
        let ClauseKind::Profile(_, look) = &d.clause.kind else { continue };
        let mut scope = Scope::new(env, Where::Law);
        let look = scope.listed_look(look);
        findings.append(&mut scope.findings);
        env.program.profiles[i].look = look.unwrap_or_default();
    }
}

fn defines(decls: &Decls, env: &mut Env, findings: &mut Vec<Finding>) {
    for (i, d) in decls.defines.iter().enumerate() {
        let ClauseKind::Define(_, params, _, body) = &d.clause.kind else { continue };
        let types: Vec<Ty> = env.define_params[i].iter().map(|p| p.2).collect();
        let mut scope = Scope::new(env, Where::Law);
        bind_params(&mut scope, params, &types);
        let made = scope.typed(body, env.program.defines[i].ty);
        let frame = std::mem::take(&mut scope.frame);
        findings.append(&mut scope.findings);
        let define = &mut env.program.defines[i];
        (define.frame, define.body) = (frame, made.unwrap_or(Expr::Active));
    }
}

fn bind_params(scope: &mut Scope, params: &[ast::Param], types: &[Ty]) {
    for (i, (p, ty)) in params.iter().zip(types).enumerate() {
        // Two parameters of one name were told of where they are declared.
        if params.iter().take(i).any(|q| q.name.text == p.name.text) {
            scope.bind_as(&p.name.text, p.name.span, *ty, false);
        } else {
            scope.bind(&p.name, *ty);
        }
    }
}

fn procedures(decls: &Decls, env: &mut Env, findings: &mut Vec<Finding>) {
    for (i, d) in decls.procedures.iter().enumerate() {
        let ClauseKind::Procedure(_, params, body) = &d.clause.kind else { continue };
        let types: Vec<Ty> = env.program.procedures[i].params.iter().map(|p| p.2).collect();
        let (frame, body) = body_of(env, params, &types, body, findings);
        let procedure = &mut env.program.procedures[i];
        (procedure.frame, procedure.body) = (frame, body);
    }
}

fn costs(decls: &Decls, env: &mut Env, findings: &mut Vec<Finding>) {
    for (i, d) in decls.costs.iter().enumerate() {
        let ClauseKind::NamedCost(_, params, body) = &d.clause.kind else { continue };
        let types: Vec<Ty> = env.program.named_costs[i].frame.vars.iter().map(|p| p.1).collect();
        let (frame, body) = body_of(env, params, &types, body, findings);
        let cost = &mut env.program.named_costs[i];
        (cost.frame, cost.body) = (frame, body);
    }
}

fn body_of(
    env: &Env,
    params: &[ast::Param],
    types: &[Ty],
    body: &ast::Block,
    findings: &mut Vec<Finding>,
) -> (Frame, Block) {
    let mut scope = Scope::new(env, Where::Law);
    bind_params(&mut scope, params, types);
    let made = scope.block(body);
    findings.append(&mut scope.findings);
    (std::mem::take(&mut scope.frame), made.unwrap_or_default())
}

/// Whether a verb is a procedure that a world can allow: with the one parameter `by p: Player`.
pub(super) fn is_allowed_shape(env: &Env, verb: Verb) -> bool {
    let Verb::Procedure(id) = verb else { return false };
    let params = &env.program.procedures[id.index()].params;
    matches!(params.as_slice(), [(Some(label), _, Ty::Player)] if label == "by")
}
