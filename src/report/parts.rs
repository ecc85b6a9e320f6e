//! What a model is made of, for coverage: of each rule, keyword and card in force its parts and the conjuncts of their
//! guards and bodies, each with its text as the author wrote it. Texts are names here: they stay the same wherever a
//! clause stands.

use std::collections::BTreeMap;

use crate::judge::coverage::{Part, Parts, Place, flattened, of_claims, places};
use crate::lang::ast::{
    self, CardBody, Claim, Clause, ClauseKind, ExprKind, File, Ident, Item, Property, PropertyKind, QuantKind, Span,
    StmtKind,
};
use crate::lang::source::Sources;
use crate::lang::tree::Program;

/// A rule, keyword or card that has parts.
#[derive(Clone, Debug)]
pub struct Owner {
    /// `rule`, `keyword`, `card` or `archetype`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// Where its name stands.
    pub span: Span,
    /// Its parts, in the order in which they stand.
    pub units: Vec<Unit>,
}

/// A part of a rule.
#[derive(Clone, Debug)]
pub struct Unit {
    /// `forbid turn_up(o)`, `procedure draw`.
    pub text: String,
    /// Which part it is.
    pub part: Part,
    /// Where it stands.
    pub span: Span,
    /// The conjuncts of its guard, then those of its target, then those of the conditions and filters of its body.
    pub conjuncts: Vec<Conjunct>,
}

/// A conjunct of a guard, a condition or a filter.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// `o.card is instant | sorcery`.
    pub text: String,
    /// In which expression.
    pub place: Place,
    /// Which of its conjuncts.
    pub number: u16,
    /// Where it stands.
    pub span: Span,
}

/// A property, witness or conjecture, with what it asks.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `property`, `witness` or `conjecture`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// What it asks first (with yes), and what it claims then.
    pub conjuncts: Vec<(Conjunct, bool)>,
}

/// All of a model that can be at work.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    /// The rules and keywords in force, sorted by name; those without parts are left out.
    pub law: Vec<Owner>,
    /// The cards and archetypes, sorted by name, with the clauses that they say themselves.
    pub cards: Vec<Owner>,
    /// The claims in force, sorted by name.
    pub claims: Vec<Asked>,
}

/// What a program is made of. An error is a fault of this program: the texts and what was made of them do not fit.
pub fn owners(sources: &Sources, files: &[File], program: &Program) -> Result<Owners, String> {
    let all = places(program).into_iter().chain(of_claims(program));
    let found = Found {
        sources,
        program,
        parts: Parts::of_program(program),
        sizes: all.map(|(place, e)| (place, flattened(e).len())).collect(),
    };
    let mut owners = Owners::default();
    for item in files.iter().flat_map(|f| &f.items) {
        match item {
            Item::Rule(r) => owners.law.extend(found.owner(&r.name, r.clauses.iter())?.filter(Owner::has_parts)),
            Item::Keyword(k) => {
                if let Some(name) = k.names.first() {
                    owners.law.extend(found.owner(name, k.clauses.iter())?.filter(Owner::has_parts));
                }
            }
            Item::Card(c) => {
                let faces: Vec<&ast::Face> = match &c.body {
                    CardBody::Like(_) => Vec::new(),
                    CardBody::Faces { front, back } => std::iter::once(front).chain(back).collect(),
                };
                owners.cards.extend(found.owner(&c.name, faces.into_iter().flat_map(|f| &f.clauses))?);
            }
            Item::Property(p) => owners.claims.extend(found.asked(p)?),
            Item::Reading(_)
            | Item::Editions(_)
            | Item::Subtypes(_)
            | Item::Counters(_)
            | Item::World(_)
            | Item::Ruling(_)
            | Item::Ghost(_) => {}
        }
    }
    owners.law.sort_by(|a, b| (&a.name, a.kind).cmp(&(&b.name, b.kind)));
    owners.cards.sort_by(|a, b| a.name.cmp(&b.name));
    owners.claims.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(owners)
}

impl Owner {
    fn has_parts(&self) -> bool {
        !self.units.is_empty()
    }
}

/// Names of all rules and keywords of the files, in force or not.
pub fn names(files: &[File]) -> Vec<&str> {
    let items = files.iter().flat_map(|f| &f.items);
    let names = items.flat_map(|item| match item {
        Item::Rule(r) => vec![r.name.text.as_str()],
        Item::Keyword(k) => k.names.iter().map(|n| n.text.as_str()).collect(),
        _ => Vec::new(),
    });
    names.collect()
}

struct Found<'a> {
    sources: &'a Sources,
    program: &'a Program,
    parts: Parts<'a>,
    /// How many conjuncts the program has in each place.
    sizes: BTreeMap<Place, usize>,
}

impl Found<'_> {
    /// An item of the files, if it is in force.
    fn owner<'c>(
        &self,
        name: &Ident,
        clauses: impl Iterator<Item = &'c Clause>,
    ) -> Result<std::option::IntoIter<Owner>, String> {
        let Some(rule) = self.program.rules.iter().find(|r| r.span == name.span) else { return Ok(None.into_iter()) };
        let units = clauses.map(|c| self.unit(c)).collect::<Result<_, _>>()?;
        let (kind, name, cites) = (rule.kind, rule.name.clone(), rule.cites.clone());
        Ok(Some(Owner { kind, name, cites, span: rule.span, units }).into_iter())
    }

    /// What a claim asks, if it is in force.
    fn asked(&self, p: &Property) -> Result<Option<Asked>, String> {
        let Some(at) = self.program.properties.iter().position(|q| q.span == p.span) else { return Ok(None) };
        let (first, then) = questions(p);
        let mut conjuncts = Vec::new();
        for (place, e) in [(Place::Premise(at as u16), first), (Place::Claim(at as u16), then)] {
            if let Some(e) = e {
                let list = self.conjuncts(place, e).ok_or_else(|| unlike(&p.name.text))?;
                conjuncts.extend(list.into_iter().map(|c| (c, matches!(place, Place::Premise(_)))));
            }
        }
        let kind = match p.kind {
            PropertyKind::Property => "property",
            PropertyKind::Witness => "witness",
            PropertyKind::Conjecture => "conjecture",
        };
        Ok(Some(Asked { kind, name: p.name.text.clone(), span: p.name.span, conjuncts }))
    }

    /// The conjuncts of an expression in a place; none if the program has others there.
    fn conjuncts(&self, place: Place, e: &ast::Expr) -> Option<Vec<Conjunct>> {
        let mut spans = Vec::new();
        flatten(e, &mut spans);
        if self.sizes.get(&place) != Some(&spans.len()) {
            return None;
        }
        let list = spans.into_iter().enumerate();
        Some(list.map(|(i, span)| Conjunct { text: self.text(span), place, number: i as u16, span }).collect())
    }

    fn unit(&self, clause: &Clause) -> Result<Unit, String> {
        let text = self.head(clause);
        let part = self.parts.of(clause).ok_or_else(|| format!("the program has no `{text}`"))?;
        let mut conjuncts = Vec::new();
        for (place, e) in guards(clause, part) {
            conjuncts.extend(self.conjuncts(place, e).ok_or_else(|| unlike(&text))?);
        }
        Ok(Unit { text, part, span: clause.span, conjuncts })
    }

    /// What a clause is called: its kind and its head, or what it declares.
    fn head(&self, clause: &Clause) -> String {
        let up_to = |end: Span| self.text(Span { end: end.end, ..clause.span });
        match &clause.kind {
            ClauseKind::Permit { player, object, ability, .. } => {
                up_to(object.as_ref().unwrap_or(player).span) + if *ability { " ability" } else { "" }
            }
            ClauseKind::Forbid(head) | ClauseKind::Stage(_, head, ..) | ClauseKind::Price { head, .. } => {
                head.patterns.last().map_or_else(String::new, |p| up_to(p.call.span))
            }
            ClauseKind::Check(names, ..) => names.last().map_or_else(String::new, |n| up_to(n.span)),
            ClauseKind::Static(name, ..) => up_to(name.span),
            ClauseKind::Spell(..) => "spell".to_owned(),
            ClauseKind::Define(n, ..)
            | ClauseKind::View(n, _)
            | ClauseKind::Event(n, ..)
            | ClauseKind::LookBack(n, _)
            | ClauseKind::Procedure(n, ..)
            | ClauseKind::NamedCost(n, ..)
            | ClauseKind::Profile(n, _)
            | ClauseKind::Marker(n, ..) => up_to(n.span),
        }
    }

    /// A stretch of a file, with one space wherever there are some.
    fn text(&self, span: Span) -> String {
        let file = self.sources.files.get(usize::from(span.file));
        let text = file.and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The expressions of a clause that have conjuncts.
fn guards(clause: &Clause, part: Part) -> Vec<(Place, &ast::Expr)> {
    let (guard, target) = match &clause.kind {
        ClauseKind::Permit { when, target, .. } => (when.as_ref(), target.as_ref()),
        ClauseKind::Forbid(head) | ClauseKind::Price { head, .. } => (head.when.as_ref(), None),
        ClauseKind::Stage(_, head, target, _) => (head.when.as_ref(), target.as_ref()),
        ClauseKind::Check(_, when, _) => (Some(when), None),
        ClauseKind::Static(_, when, _) => (when.as_ref(), None),
        ClauseKind::Spell(when, target, _) => (when.as_ref(), target.as_ref()),
        ClauseKind::Define(_, _, ty, e) if ty.text == "Bool" => (Some(e), None),
        ClauseKind::Define(..)
        | ClauseKind::View(..)
        | ClauseKind::Event(..)
        | ClauseKind::LookBack(..)
        | ClauseKind::Procedure(..)
        | ClauseKind::NamedCost(..)
        | ClauseKind::Profile(..)
        | ClauseKind::Marker(..) => (None, None),
    };
    let place = match part {
        Part::Define(id) => Place::Define(id),
        Part::Clause(id) => Place::Guard(id),
        _ => return inside(clause, part),
    };
    let aimed = match part {
        Part::Clause(id) => target.map(|t| (Place::Target(id), &t.filter)),
        _ => None,
    };
    guard.map(|e| (place, e)).into_iter().chain(aimed).chain(inside(clause, part)).collect()
}

/// The conditions and filters of a clause's body, by their number in it.
fn inside(clause: &Clause, part: Part) -> Vec<(Place, &ast::Expr)> {
    let body = match &clause.kind {
        ClauseKind::Permit { body, .. }
        | ClauseKind::Stage(.., body)
        | ClauseKind::Check(.., body)
        | ClauseKind::Spell(.., body)
        | ClauseKind::Procedure(.., body)
        | ClauseKind::NamedCost(.., body) => body,
        ClauseKind::Forbid(..)
        | ClauseKind::Price { .. }
        | ClauseKind::Static(..)
        | ClauseKind::Define(..)
        | ClauseKind::View(..)
        | ClauseKind::Event(..)
        | ClauseKind::LookBack(..)
        | ClauseKind::Profile(..)
        | ClauseKind::Marker(..) => return Vec::new(),
    };
    let mut found = Vec::new();
    conditions(body, &mut found);
    found.into_iter().enumerate().map(|(i, e)| (Place::Body(part, i as u16), e)).collect()
}

/// The conditions and filters of a body, in the order of the text.
fn conditions<'a>(block: &'a ast::Block, found: &mut Vec<&'a ast::Expr>) {
    let blocks = |then: &'a ast::Block, otherwise: Option<&'a ast::Block>, found: &mut Vec<&'a ast::Expr>| {
        conditions(then, found);
        otherwise.iter().for_each(|b| conditions(b, found));
    };
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Call(_, then, otherwise) => {
                then.iter().chain(otherwise).for_each(|b| conditions(b, found));
            }
            StmtKind::Choose { filter, body, .. } | StmtKind::Each { filter, body, .. } => {
                found.extend(filter);
                conditions(body, found);
            }
            StmtKind::If(condition, then, otherwise) => {
                found.push(condition);
                blocks(then, otherwise.as_ref(), found);
            }
            StmtKind::May(_, then, otherwise) => blocks(then, otherwise.as_ref(), found),
            StmtKind::Let(..) | StmtKind::Give(..) | StmtKind::Set(..) | StmtKind::Nothing => {}
        }
    }
}

/// What a claim asks before it claims, and what it claims.
fn questions(p: &Property) -> (Option<&ast::Expr>, Option<&ast::Expr>) {
    match &p.claim {
        Claim::Always(e) => match &e.kind {
            ExprKind::Quant { kind: QuantKind::Every, filter, body, .. } => (Some(filter), body.as_deref()),
            _ => (None, Some(e)),
        },
        Claim::Whenever(head, e) => (head.when.as_ref(), Some(e)),
        Claim::Blind(_, _, when, _) => (Some(when), None),
        Claim::Possible(..) => (None, None),
    }
}

fn unlike(text: &str) -> String {
    format!("the program has other conjuncts in `{text}` than its text")
}

/// Where the conjuncts of an expression stand, as `flattened` has them.
fn flatten(e: &ast::Expr, spans: &mut Vec<Span>) {
    match &e.kind {
        ExprKind::And(list) => list.iter().for_each(|e| flatten(e, spans)),
        ExprKind::Or(sides) => {
            spans.push(e.span);
            sides.iter().for_each(|e| flatten(e, spans));
        }
        ExprKind::Not(inner) => {
            spans.push(e.span);
            if let ExprKind::And(list) | ExprKind::Or(list) = &inner.kind {
                list.iter().for_each(|e| flatten(e, spans));
            }
        }
        _ => spans.push(e.span),
    }
}
