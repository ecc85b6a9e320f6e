//! What a model is made of, for coverage: of each rule and keyword in force its parts and the conjuncts of their guards,
//! each with its text as the author wrote it. Texts are names here: they stay the same wherever a clause stands.

use std::collections::BTreeMap;

use crate::judge::coverage::{Part, Parts, Place, flattened, places};
use crate::lang::ast::{self, Clause, ClauseKind, ExprKind, File, Item, Span};
use crate::lang::source::Sources;
use crate::lang::tree::Program;

/// A rule or keyword that has parts.
#[derive(Clone, Debug)]
pub struct Owner {
    /// `rule` or `keyword`.
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
    /// The conjuncts of its guard, then those of its target.
    pub conjuncts: Vec<Conjunct>,
}

/// A conjunct of a guard.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// `o.card is instant | sorcery`.
    pub text: String,
    /// In which expression.
    pub place: Place,
    /// Which of its conjuncts.
    pub number: u16,
}

/// The rules and keywords in force, sorted by name; those without parts are left out. An error is a fault of this
/// program: the texts and what was made of them do not fit.
pub fn owners(sources: &Sources, files: &[File], program: &Program) -> Result<Vec<Owner>, String> {
    let found = Found {
        sources,
        parts: Parts::of_program(program),
        sizes: places(program).into_iter().map(|(place, e)| (place, flattened(e).len())).collect(),
    };
    let mut list = Vec::new();
    for item in files.iter().flat_map(|f| &f.items) {
        let (name, clauses) = match item {
            Item::Rule(r) => (&r.name, &r.clauses),
            Item::Keyword(k) => match k.names.first() {
                Some(name) => (name, &k.clauses),
                None => continue,
            },
            _ => continue,
        };
        let Some(rule) = program.rules.iter().find(|r| r.span == name.span) else { continue };
        if clauses.is_empty() {
            continue;
        }
        let units = clauses.iter().map(|c| found.unit(c)).collect::<Result<_, _>>()?;
        list.push(Owner {
            kind: rule.kind,
            name: rule.name.clone(),
            cites: rule.cites.clone(),
            span: rule.span,
            units,
        });
    }
    list.sort_by(|a, b| (&a.name, a.kind).cmp(&(&b.name, b.kind)));
    Ok(list)
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
    parts: Parts<'a>,
    /// How many conjuncts the program has in each place.
    sizes: BTreeMap<Place, usize>,
}

impl Found<'_> {
    fn unit(&self, clause: &Clause) -> Result<Unit, String> {
        let text = self.head(clause);
        let part = self.parts.of(clause).ok_or_else(|| format!("the program has no `{text}`"))?;
        let mut conjuncts = Vec::new();
        for (place, e) in guards(clause, part) {
            let mut spans = Vec::new();
            flatten(e, &mut spans);
            if self.sizes.get(&place) != Some(&spans.len()) {
                return Err(format!("the program has other conjuncts in `{text}` than its text"));
            }
            let list = spans.into_iter().enumerate();
            conjuncts.extend(list.map(|(i, span)| Conjunct { text: self.text(span), place, number: i as u16 }));
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
        _ => return Vec::new(),
    };
    let aimed = match part {
        Part::Clause(id) => target.map(|t| (Place::Target(id), &t.filter)),
        _ => None,
    };
    guard.map(|e| (place, e)).into_iter().chain(aimed).collect()
}

/// Where the conjuncts of an expression stand.
fn flatten(e: &ast::Expr, spans: &mut Vec<Span>) {
    match &e.kind {
        ExprKind::And(list) => list.iter().for_each(|e| flatten(e, spans)),
        _ => spans.push(e.span),
    }
}
