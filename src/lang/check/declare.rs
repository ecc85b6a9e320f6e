//! Tables: what is declared gets its number here, in the order of names, before any body is checked.

use std::collections::{BTreeMap, BTreeSet};

use super::collect::{Items, OwnerBody, day, declared};
use super::scope::{Callable, Env, EventBody, Finding, Scope, Where};
use super::taken;
use crate::lang::ast::{self, ClauseKind, Ident, Param};
use crate::lang::diag::Code;
use crate::lang::tree::{
    Block, Counter, CounterId, Define, DefineId, Event, EventId, Expr, Frame, Function, Keyword, KeywordId, Layer,
    Marker, MarkerId, NameId, NamedCost, NamedCostId, Procedure, ProcedureId, Profile, ProfileId, Rule, RuleId, Ty,
    Verb, View, ViewId, WayId, Word, WordId, WordKind,
};

/// A declaring clause with its owner.
#[derive(Clone, Copy)]
pub(super) struct Decl<'a> {
    pub(super) name: &'a Ident,
    pub(super) clause: &'a ast::Clause,
    pub(super) rule: RuleId,
}

/// The declaring clauses by kind, each list sorted by name.
#[derive(Default)]
pub(super) struct Decls<'a> {
    pub(super) defines: Vec<Decl<'a>>,
    pub(super) views: Vec<Decl<'a>>,
    pub(super) events: Vec<Decl<'a>>,
    pub(super) procedures: Vec<Decl<'a>>,
    pub(super) costs: Vec<Decl<'a>>,
    pub(super) profiles: Vec<Decl<'a>>,
    pub(super) markers: Vec<Decl<'a>>,
    pub(super) look_backs: Vec<Decl<'a>>,
}

pub(super) const LAYERS: &[(&str, Layer)] = &[
    ("front", Layer::Front),
    ("printed", Layer::Printed),
    ("joined", Layer::Joined),
    ("unseen", Layer::Unseen),
    ("copied", Layer::Copied),
    ("listed", Layer::Listed),
    ("typed", Layer::Typed),
    ("coloured", Layer::Coloured),
    ("granted", Layer::Granted),
    ("sized", Layer::Sized),
];
pub(super) const TYPES: &[&str] =
    &["creature", "artifact", "enchantment", "land", "planeswalker", "instant", "sorcery", "battle"];
pub(super) const SUPERTYPES: &[&str] = &["legendary", "basic"];
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("top", Function::Top),
    ("second", Function::Second),
    ("value", Function::Value),
    ("even", Function::Even),
    ("xs", Function::Xs),
];

/// Views spelt out one inside the other, at most.
const VIEWS_DEEP_MAX: usize = 8;
/// Layers of a view, at most.
const LAYERS_MAX: usize = 64;
/// The way of whatever is done by no keyword or procedure.
const EFFECT: &str = "effect";
/// The most kinds of counters.
const COUNTERS_MAX: usize = 32;

/// A place in a table as its number.
pub(super) fn number(i: usize) -> u16 {
    u16::try_from(i).unwrap_or(u16::MAX)
}

/// The declaring clauses of all owners.
pub(super) fn decls<'a>(items: &Items<'a>) -> Decls<'a> {
    let mut all = Decls::default();
    for (i, owner) in items.owners.iter().enumerate() {
        let clauses = match owner.body {
            OwnerBody::Rule(r) => &r.clauses,
            OwnerBody::Keyword(k) => &k.clauses,
            OwnerBody::Card(_) | OwnerBody::Ghost(_) => continue,
        };
        for clause in clauses {
            let list = match &clause.kind {
                ClauseKind::Define(..) => &mut all.defines,
                ClauseKind::View(..) => &mut all.views,
                ClauseKind::Event(..) => &mut all.events,
                ClauseKind::Procedure(..) => &mut all.procedures,
                ClauseKind::NamedCost(..) => &mut all.costs,
                ClauseKind::Profile(..) => &mut all.profiles,
                ClauseKind::Marker(..) => &mut all.markers,
                ClauseKind::LookBack(name, _) => {
                    all.look_backs.push(Decl { name, clause, rule: RuleId(number(i)) });
                    continue;
                }
                _ => continue,
            };
            if let Some(name) = declared(clause) {
                list.push(Decl { name, clause, rule: RuleId(number(i)) });
            }
        }
    }
    for list in [
        &mut all.defines,
        &mut all.views,
        &mut all.events,
        &mut all.procedures,
        &mut all.costs,
        &mut all.profiles,
        &mut all.markers,
        &mut all.look_backs,
    ] {
        list.sort_by(|a, b| a.name.text.cmp(&b.name.text));
    }
    all
}

/// The tables with signatures, still without bodies.
pub(super) fn tables(items: &Items, decls: &Decls, findings: &mut Vec<Finding>) -> Env {
    let mut env = Env { dormant: items.dormant.clone(), ..Env::default() };
    env.edition = items.edition.map_or("this edition".to_string(), |d| format!("the edition {}", day(d)));
    env.program.edition = items.edition;
    env.program.readings.clone_from(&items.readings);
    env.program.left_out.clone_from(&items.left_out);
    rules(items, &mut env);
    taken::check(items, findings);
    words(items, &mut env, findings);
    callables(&mut env);
    let mut declare = Declare { env, findings, fields: BTreeSet::new() };
    declare.keywords(items);
    declare.views(decls);
    declare.markers(items, decls);
    declare.procedures(decls);
    declare.defines(decls);
    declare.events(decls);
    declare.costs_and_profiles(decls);
    declare.env.names = items
        .owners
        .iter()
        .filter(|o| matches!(o.body, OwnerBody::Card(_)))
        .map(|o| (o.name.text.clone(), NameId(0)))
        .collect();
    for (i, (name, id)) in declare.env.names.iter_mut().enumerate() {
        *id = NameId(number(i));
        declare.env.program.names.push(name.clone());
    }
    let env = &mut declare.env;
    let keywords: Vec<String> = env.keywords.keys().cloned().collect();
    let procedures: Vec<String> = env.program.procedures.iter().map(|p| p.name.clone()).collect();
    for way in std::iter::once(EFFECT.to_string()).chain(keywords).chain(procedures) {
        if let std::collections::btree_map::Entry::Vacant(place) = env.ways.entry(way.clone()) {
            place.insert(WayId(number(env.program.ways.len())));
            env.program.ways.push(way);
        }
    }
    declare.env
}

fn rules(items: &Items, env: &mut Env) {
    for owner in &items.owners {
        let empty = ast::Header::default();
        let (header, says): (&ast::Header, &[ast::Says]) = match owner.body {
            OwnerBody::Rule(r) => (&r.header, &r.says),
            OwnerBody::Keyword(k) => (&k.header, &k.says),
            OwnerBody::Card(_) | OwnerBody::Ghost(_) => (&empty, &[]),
        };
        env.program.rules.push(Rule {
            kind: owner.kind,
            name: owner.name.text.clone(),
            cites: header.cites.iter().map(|c| c.text.clone()).collect(),
            says: says_of(says),
            span: owner.name.span,
        });
    }
}

pub(super) fn says_of(says: &[ast::Says]) -> Vec<(String, String)> {
    says.iter().map(|s| (s.language.text.clone(), s.text.text.clone())).collect()
}

fn words(items: &Items, env: &mut Env, findings: &mut Vec<Finding>) {
    let colours = super::looks::COLOURS.iter().map(|c| (c.0, WordKind::Colour));
    let built_in =
        TYPES.iter().map(|t| (*t, WordKind::Type)).chain(SUPERTYPES.iter().map(|t| (*t, WordKind::Supertype)));
    for (name, kind) in built_in.chain(colours) {
        env.words.insert(name.to_string(), WordId(number(env.program.words.len())));
        env.program.words.push(Word { name: name.to_string(), kind });
    }
    for name in &items.subtypes {
        if env.words.contains_key(&name.text) {
            findings.push(Finding::new(Code::L202, name.span, format!("two words are named `{}`", name.text)));
            continue;
        }
        if env.program.words.len() == 128 {
            findings.push(Finding::new(Code::L302, name.span, "there are more than 128 words"));
            break;
        }
        env.words.insert(name.text.clone(), WordId(number(env.program.words.len())));
        env.program.words.push(Word { name: name.text.clone(), kind: WordKind::Subtype });
    }
    if let Some((name, _)) = items.counters.get(COUNTERS_MAX) {
        findings.push(Finding::new(
            Code::L302,
            name.span,
            format!("there are more than {COUNTERS_MAX} kinds of counters"),
        ));
    }
    for (name, size) in &items.counters {
        if size.is_some_and(|(power, toughness)| [power, toughness].iter().any(|n| !(-99..=99).contains(n))) {
            let message = format!("a `{}` counter changes power and toughness by 99 at most", name.text);
            findings.push(Finding::new(Code::L238, name.span, message));
        }
        if env.counters.insert(name.text.clone(), CounterId(number(env.program.counters.len()))).is_some() {
            findings.push(Finding::new(Code::L202, name.span, format!("two counters are named `{}`", name.text)));
        }
        env.program.counters.push(Counter { name: name.text.clone(), size: size.unwrap_or((0, 0)) });
    }
}

fn callables(env: &mut Env) {
    for (name, verb) in Verb::BUILT_IN {
        env.callables.insert((*name).to_string(), Callable::Verb(*verb));
    }
    for (name, f) in FUNCTIONS {
        env.callables.insert((*name).to_string(), Callable::Function(*f));
    }
    env.callables.insert("look".to_string(), Callable::Look);
}

struct Declare<'f> {
    env: Env,
    findings: &'f mut Vec<Finding>,
    fields: BTreeSet<String>,
}

impl Declare<'_> {
    fn error(&mut self, code: Code, name: &Ident, message: String) {
        self.findings.push(Finding::new(code, name.span, message));
    }

    fn callable(&mut self, name: &Ident, callable: Callable) {
        if self.env.callables.contains_key(&name.text) {
            self.error(Code::L202, name, format!("two things that can be called are named `{}`", name.text));
        } else {
            self.env.callables.insert(name.text.clone(), callable);
        }
    }

    fn field(&mut self, name: &Ident) {
        if !self.fields.insert(name.text.clone()) || super::attributes::is_attribute(&name.text) {
            self.error(Code::L202, name, format!("two attributes of objects are named `{}`", name.text));
        }
    }

    /// A keyword or procedure is a way up or down, and one way is there without either.
    fn way(&mut self, name: &Ident) {
        if name.text == EFFECT {
            self.error(Code::L202, name, format!("`{EFFECT}` is the way of what no keyword or procedure does"));
        }
    }

    fn ty(&mut self, name: &Ident) -> Ty {
        let mut scope = Scope::new(&self.env, Where::Law);
        let ty = scope.ty(name);
        let found = std::mem::take(&mut scope.findings);
        self.findings.extend(found);
        ty.unwrap_or(Ty::Object)
    }

    fn params(&mut self, params: &[Param]) -> Vec<(Option<String>, String, Ty)> {
        let (mut seen, mut labels) = (BTreeSet::new(), BTreeSet::new());
        let mut list = Vec::new();
        for p in params {
            if !seen.insert(&p.name.text) {
                self.error(Code::L202, &p.name, format!("two parameters are named `{}`", p.name.text));
            }
            if let Some(label) = p.label.as_ref().filter(|l| !labels.insert(l.text.as_str())) {
                self.error(Code::L202, label, format!("two parameters have the label `{}`", label.text));
            }
            let ty = self.ty(&p.ty);
            list.push((p.label.as_ref().map(|l| l.text.clone()), p.name.text.clone(), ty));
        }
        list
    }

    fn keywords(&mut self, items: &Items) {
        for (i, owner) in items.owners.iter().enumerate() {
            let OwnerBody::Keyword(keyword) = owner.body else { continue };
            let id = KeywordId(number(self.env.program.keywords.len()));
            self.env.keywords.insert(owner.name.text.clone(), id);
            if self.env.words.contains_key(&owner.name.text) {
                let message = format!("`{}` is a keyword and a type, supertype, colour or subtype", owner.name.text);
                self.error(Code::L202, owner.name, message);
            }
            self.way(owner.name);
            if keyword.param.is_some() {
                self.field(owner.name);
            }
            self.env.program.keywords.push(Keyword {
                name: owner.name.text.clone(),
                toll: keyword.param.is_some(),
                carried: Vec::new(),
                rule: RuleId(number(i)),
            });
        }
    }

    fn views(&mut self, decls: &Decls) {
        for d in &decls.views {
            let ClauseKind::View(_, names) = &d.clause.kind else { continue };
            self.field(d.name);
            let mut layers = Vec::new();
            self.layers(decls, names, &mut vec![d.name.text.as_str()], &mut layers);
            let id = ViewId(number(self.env.program.views.len()));
            self.env.views.insert(d.name.text.clone(), id);
            self.env.program.views.push(View { name: d.name.text.clone(), layers, names: Vec::new(), rule: d.rule });
        }
        for (i, d) in decls.views.iter().enumerate() {
            if let ClauseKind::View(_, names) = &d.clause.kind {
                let named = names.iter().filter_map(|n| self.env.views.get(&n.text)).copied().collect();
                if let Some(view) = self.env.program.views.get_mut(i) {
                    view.names = named;
                }
            }
        }
        self.env.program.now = self.env.views.get("now").copied();
    }

    /// The layers that names stand for; a view's name stands for all of its own. `inside`: the views being spelt out.
    fn layers<'a>(&mut self, decls: &Decls<'a>, names: &[Ident], inside: &mut Vec<&'a str>, layers: &mut Vec<Layer>) {
        for name in names {
            if let Some((_, layer)) = LAYERS.iter().find(|l| l.0 == name.text) {
                layers.push(*layer);
                continue;
            }
            let view = decls.views.iter().find(|v| v.name.text == name.text);
            let Some((view, ClauseKind::View(_, theirs))) = view.map(|v| (v, &v.clause.kind)) else {
                let views = decls.views.iter().map(|v| v.name.text.as_str());
                let help = super::scope::suggest(&name.text, LAYERS.iter().map(|l| l.0).chain(views));
                let message = format!("the layer or view `{}` does not exist", name.text);
                self.findings.push(Finding::helped(Code::L219, name.span, message, help));
                continue;
            };
            let deep = inside.len() >= VIEWS_DEEP_MAX || layers.len() >= LAYERS_MAX;
            if deep || inside.contains(&view.name.text.as_str()) {
                let message =
                    format!("the view `{}` needs itself, or stands for more than {LAYERS_MAX} layers", name.text);
                let help = Some("write out its layers".to_owned());
                self.findings.push(Finding::helped(Code::L219, name.span, message, help));
                return;
            }
            inside.push(&view.name.text);
            self.layers(decls, theirs, inside, layers);
            inside.pop();
        }
    }

    fn markers(&mut self, items: &Items, decls: &Decls) {
        for d in &decls.markers {
            if let ClauseKind::Marker(_, params, lasts) = &d.clause.kind {
                self.marker(d.name, params, lasts, false, d.rule);
            }
        }
        for (i, owner) in items.owners.iter().enumerate() {
            if let OwnerBody::Ghost(g) = owner.body {
                self.marker(&g.name, &g.params, &g.lasts, true, RuleId(number(i)));
            }
        }
        if self.env.program.markers.len() > 64
            && let Some(last) = decls.markers.last()
        {
            self.error(Code::L302, last.name, "there are more than 64 markers and ghosts".to_string());
        }
    }

    fn marker(&mut self, name: &Ident, params: &[Param], lasts: &Ident, ghost: bool, rule: RuleId) {
        let on = match self.params(params).as_slice() {
            [(_, _, ty @ (Ty::Object | Ty::Player))] => *ty,
            _ => {
                self.error(Code::L203, name, format!("`{}` must be of one Object or one Player", name.text));
                Ty::Object
            }
        };
        if !matches!(lasts.text.as_str(), "turn" | "object") {
            let help = super::scope::suggest(&lasts.text, ["turn", "object"]);
            let message = format!("a marker lasts `turn` or `object`, not `{}`", lasts.text);
            self.findings.push(Finding::helped(Code::L201, lasts.span, message, help));
        }
        let id = MarkerId(number(self.env.program.markers.len()));
        self.callable(name, Callable::Marker(id));
        let turn = lasts.text == "turn";
        self.env.program.markers.push(Marker { name: name.text.clone(), on, turn, ghost, rule });
    }

    fn procedures(&mut self, decls: &Decls) {
        for d in &decls.procedures {
            let ClauseKind::Procedure(_, params, _) = &d.clause.kind else { continue };
            let params = self.params(params);
            let id = ProcedureId(number(self.env.program.procedures.len()));
            self.callable(d.name, Callable::Verb(Verb::Procedure(id)));
            self.way(d.name);
            let is_resolve = d.name.text == "resolve" && matches!(params.as_slice(), [(None, _, Ty::Object)]);
            if is_resolve {
                self.env.program.resolve = Some(id);
            }
            self.env.program.procedures.push(Procedure {
                name: d.name.text.clone(),
                params,
                frame: Frame::default(),
                body: Block::default(),
                rule: d.rule,
            });
        }
    }

    fn defines(&mut self, decls: &Decls) {
        for d in &decls.defines {
            let ClauseKind::Define(_, params, ty, _) = &d.clause.kind else { continue };
            let params = self.params(params);
            let ty = self.ty(ty);
            let id = DefineId(number(self.env.program.defines.len()));
            self.callable(d.name, Callable::Define(id));
            self.env.program.defines.push(Define {
                name: d.name.text.clone(),
                params: params.len(),
                frame: Frame::default(),
                ty,
                body: Expr::Active,
                rule: d.rule,
            });
            self.env.define_params.push(params);
        }
    }

    fn events(&mut self, decls: &Decls) {
        for d in &decls.events {
            let id = EventId(number(self.env.program.events.len()));
            self.callable(d.name, Callable::Event(id));
            self.env.program.events.push(Event { name: d.name.text.clone(), look_back: None, rule: d.rule });
            self.env.events.push(EventBody::default());
        }
    }

    fn costs_and_profiles(&mut self, decls: &Decls) {
        let mut costs = BTreeMap::new();
        for d in &decls.costs {
            let ClauseKind::NamedCost(_, params, _) = &d.clause.kind else { continue };
            let params = self.params(params);
            if !matches!(params.as_slice(), [(_, _, Ty::Player), (_, _, Ty::Object)]) {
                self.error(
                    Code::L203,
                    d.name,
                    "a cost is of one Player who pays and one Object that is paid for".to_string(),
                );
            }
            if costs.insert(d.name.text.clone(), NamedCostId(number(costs.len()))).is_some() {
                self.error(Code::L202, d.name, format!("two costs are named `{}`", d.name.text));
            }
            let frame = Frame { vars: params.into_iter().map(|(_, n, t)| (n, t)).collect() };
            self.env.program.named_costs.push(NamedCost {
                name: d.name.text.clone(),
                frame,
                body: Block::default(),
                rule: d.rule,
            });
        }
        self.env.named_costs = costs;
        for d in &decls.profiles {
            let id = ProfileId(number(self.env.program.profiles.len()));
            if self.env.profiles.insert(d.name.text.clone(), id).is_some() {
                self.error(Code::L202, d.name, format!("two profiles are named `{}`", d.name.text));
            }
            self.env.program.profiles.push(Profile {
                name: d.name.text.clone(),
                look: crate::lang::tree::Look::default(),
                rule: d.rule,
            });
        }
    }
}
