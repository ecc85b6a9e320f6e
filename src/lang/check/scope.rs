//! What is known while one item is checked: the tables, the variables in sight, the findings so far.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::lang::ast::{Ident, Span};
use crate::lang::diag::{Code, Diag};
use crate::lang::tree::{
    CardId, Const, CounterId, DefineId, Duration, EventId, EventName, Frame, Function, KeywordId, MarkerId, Mod, ModId,
    NameId, NamedCostId, Place, ProfileId, Program, Slot, Ty, Verb, ViewId, WayId, WordId, Zone,
};

/// A finding; dormant: it is there only because a name is not in force.
#[derive(Clone)]
pub(super) struct Finding {
    pub(super) diag: Diag,
    pub(super) dormant: bool,
}

impl Finding {
    pub(super) fn new(code: Code, span: Span, message: impl Into<String>) -> Finding {
        Finding { diag: Diag::new(code, span, message), dormant: false }
    }

    pub(super) fn helped(code: Code, span: Span, message: impl Into<String>, help: Option<String>) -> Finding {
        let mut finding = Finding::new(code, span, message);
        finding.diag.help = help;
        finding
    }
}

/// "did you mean", if one of the names is near.
pub(super) fn suggest<'a>(name: &str, pool: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = |n: &str| {
        let distance = strsim::damerau_levenshtein(name, n);
        let close = (distance <= 2 && distance < name.chars().count()) || strsim::jaro(name, n) > 0.85;
        close.then_some(distance)
    };
    let best = pool.into_iter().filter(|n| *n != name).filter_map(|n| near(n).map(|d| (d, n))).min();
    best.map(|(_, n)| format!("did you mean `{n}`?"))
}

/// What a name before brackets can be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Callable {
    Verb(Verb),
    Event(EventId),
    Define(DefineId),
    Marker(MarkerId),
    Function(Function),
    Look,
}

/// The argument of a pattern behind a named event.
#[derive(Clone)]
pub(super) enum EventArg {
    Any,
    Param(usize),
    Is(Const),
}

/// A named event: types of its parameters, and its patterns.
#[derive(Clone, Default)]
pub(super) struct EventBody {
    pub(super) params: Vec<(String, Ty)>,
    pub(super) patterns: Vec<(Verb, Vec<EventArg>)>,
}

/// One argument of a verb, built in or not.
pub(super) struct Spec {
    pub(super) label: Option<String>,
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) optional: bool,
    pub(super) head_only: bool,
}

/// All tables, and what is gathered over all items.
#[derive(Default)]
pub(super) struct Env {
    pub(super) program: Program,
    pub(super) words: BTreeMap<String, WordId>,
    pub(super) keywords: BTreeMap<String, KeywordId>,
    pub(super) counters: BTreeMap<String, CounterId>,
    pub(super) ways: BTreeMap<String, WayId>,
    pub(super) names: BTreeMap<String, NameId>,
    pub(super) profiles: BTreeMap<String, ProfileId>,
    pub(super) named_costs: BTreeMap<String, NamedCostId>,
    pub(super) views: BTreeMap<String, ViewId>,
    pub(super) callables: BTreeMap<String, Callable>,
    /// Parameters of defines: labels, names, types.
    pub(super) define_params: Vec<Vec<(Option<String>, String, Ty)>>,
    pub(super) events: Vec<EventBody>,
    pub(super) cards: BTreeMap<String, CardId>,
    pub(super) dormant: BTreeMap<String, String>,
    pub(super) edition: String,
    /// Cards that are like another: whose clauses they have.
    pub(super) like: BTreeMap<crate::lang::tree::RuleId, crate::lang::tree::RuleId>,
    pub(super) mods: RefCell<Vec<Mod>>,
    pub(super) marker_reads: RefCell<BTreeSet<MarkerId>>,
    pub(super) marker_sets: RefCell<BTreeSet<MarkerId>>,
}

impl Env {
    /// The number of a modification; equal ones are one.
    pub(super) fn intern(&self, m: Mod) -> ModId {
        let mut mods = self.mods.borrow_mut();
        let place = mods.iter().position(|known| *known == m).unwrap_or_else(|| {
            mods.push(m);
            mods.len() - 1
        });
        ModId(u16::try_from(place).unwrap_or(u16::MAX))
    }

    /// The arguments of a verb.
    pub(super) fn specs(&self, verb: Verb) -> Vec<Spec> {
        if let Verb::Procedure(id) = verb {
            let params = &self.program.procedures[id.index()].params;
            let spec = |(label, name, ty): &(Option<String>, String, Ty)| Spec {
                label: label.clone(),
                name: name.clone(),
                ty: *ty,
                optional: false,
                head_only: false,
            };
            return params.iter().map(spec).collect();
        }
        let spec = |p: &crate::lang::tree::Param| Spec {
            label: p.label.map(str::to_string),
            name: p.label.map_or_else(|| ty_name(p.ty).to_lowercase(), str::to_string),
            ty: p.ty,
            optional: p.optional,
            head_only: p.head_only,
        };
        verb.signature().iter().map(spec).collect()
    }

    /// The constant of a type that a name means.
    pub(super) fn constant(&self, name: &str, ty: Ty) -> Option<Const> {
        let none = name == "none";
        match ty {
            Ty::Bool => match name {
                "yes" | "true" => Some(Const::Bool(true)),
                "no" | "false" => Some(Const::Bool(false)),
                _ => None,
            },
            Ty::Number | Ty::Player => None,
            Ty::Object => none.then_some(Const::NoObject),
            Ty::Look => self.profiles.get(name).map(|&p| Const::Profile(p)),
            Ty::Cost if none => Some(Const::Cost(None)),
            Ty::Cost => self.named_costs.get(name).map(|&c| {
                let cost = crate::lang::tree::Cost { named: vec![c], ..Default::default() };
                Const::Cost(Some(cost))
            }),
            Ty::Name => none.then_some(Const::Name(None)),
            Ty::Way if none => Some(Const::Way(None)),
            Ty::Way => self.ways.get(name).map(|&w| Const::Way(Some(w))),
            Ty::Zone => ZONES.iter().find(|z| z.0 == name).map(|z| Const::Zone(z.1)),
            Ty::Duration => DURATIONS.iter().find(|d| d.0 == name).map(|d| Const::Duration(d.1)),
            Ty::Place => PLACES.iter().find(|p| p.0 == name).map(|p| Const::Place(p.1)),
            Ty::Counter => self.counters.get(name).map(|&c| Const::Counter(c)),
            Ty::Event => match self.callables.get(name)? {
                Callable::Verb(v) => Some(Const::Event(EventName::Verb(*v))),
                Callable::Event(e) => Some(Const::Event(EventName::Named(*e))),
                Callable::Define(_) | Callable::Marker(_) | Callable::Function(_) | Callable::Look => None,
            },
        }
    }

    /// The names of the constants of a type.
    pub(super) fn constants(&self, ty: Ty) -> Vec<&str> {
        fn keys<T>(map: &BTreeMap<String, T>) -> Vec<&str> {
            map.keys().map(String::as_str).collect()
        }
        match ty {
            Ty::Bool => vec!["yes", "no"],
            Ty::Number | Ty::Object | Ty::Name => Vec::new(),
            Ty::Player => vec!["active"],
            Ty::Look => keys(&self.profiles),
            Ty::Cost => keys(&self.named_costs),
            Ty::Way => keys(&self.ways),
            Ty::Zone => ZONES.iter().map(|z| z.0).collect(),
            Ty::Duration => DURATIONS.iter().map(|d| d.0).collect(),
            Ty::Place => PLACES.iter().map(|p| p.0).collect(),
            Ty::Counter => keys(&self.counters),
            Ty::Event => {
                let happens = |c: &Callable| matches!(c, Callable::Verb(_) | Callable::Event(_));
                self.callables.iter().filter(|(_, c)| happens(c)).map(|(n, _)| n.as_str()).collect()
            }
        }
    }
}

pub(super) const ZONES: &[(&str, Zone)] = &[
    ("battlefield", Zone::Battlefield),
    ("stack", Zone::Stack),
    ("hand", Zone::Hand),
    ("library", Zone::Library),
    ("graveyard", Zone::Graveyard),
    ("exile", Zone::Exile),
    ("phased", Zone::Phased),
    ("outside", Zone::Outside),
    ("beneath", Zone::Beneath),
];
pub(super) const DURATIONS: &[(&str, Duration)] =
    &[("forever", Duration::Forever), ("end_of_turn", Duration::EndOfTurn), ("turned_down", Duration::TurnedDown)];
pub(super) const PLACES: &[(&str, Place)] = &[("on_top", Place::OnTop), ("at_bottom", Place::AtBottom)];

/// The types by name.
pub(super) const TYPES: &[(&str, Ty)] = &[
    ("Bool", Ty::Bool),
    ("Number", Ty::Number),
    ("Player", Ty::Player),
    ("Object", Ty::Object),
    ("Look", Ty::Look),
    ("Cost", Ty::Cost),
    ("Name", Ty::Name),
    ("Way", Ty::Way),
    ("Zone", Ty::Zone),
    ("Duration", Ty::Duration),
    ("Place", Ty::Place),
    ("Counter", Ty::Counter),
    ("Event", Ty::Event),
];

/// A type as it is written.
pub(super) fn ty_name(ty: Ty) -> &'static str {
    TYPES.iter().find(|t| t.1 == ty).map_or("", |t| t.0)
}

/// A type with its article.
pub(super) fn a_ty(ty: Ty) -> String {
    let name = ty_name(ty);
    if matches!(ty, Ty::Object | Ty::Event) { format!("an {name}") } else { format!("a {name}") }
}

/// In what kind of item an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Law,
    Ghost(MarkerId),
    Property,
    Ruling,
}

/// A variable in sight.
pub(super) struct Var {
    pub(super) name: String,
    pub(super) slot: Slot,
    pub(super) ty: Ty,
    pub(super) span: Span,
    /// Bound by a pattern of a head, so that it must be used.
    pub(super) head: bool,
    pub(super) used: Cell<bool>,
}

/// What a fresh name in a pattern does.
pub(super) enum Binding {
    /// It is an error.
    No,
    /// It binds, from variable `base` on; `seen` are the names bound in this pattern; `later`: not the first of an `or`.
    Head { base: usize, seen: Vec<String>, later: bool },
    /// It binds for what follows (rulings).
    Follows,
}

/// The state of checking one item.
pub(super) struct Scope<'e> {
    pub(super) env: &'e Env,
    pub(super) place: Where,
    pub(super) frame: Frame,
    pub(super) vars: Vec<Var>,
    pub(super) binding: Binding,
    pub(super) findings: Vec<Finding>,
    /// How many players a ruling has.
    pub(super) players: u8,
    /// Names whose binding failed: asking for them is no second mistake.
    pub(super) poison: BTreeSet<String>,
}

impl<'e> Scope<'e> {
    pub(super) fn new(env: &'e Env, place: Where) -> Scope<'e> {
        let (frame, vars, findings) = (Frame::default(), Vec::new(), Vec::new());
        Scope { env, place, frame, vars, binding: Binding::No, findings, players: 0, poison: BTreeSet::new() }
    }

    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.findings.push(Finding::new(code, span, message));
    }

    pub(super) fn helped(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Finding::helped(code, span, message, Some(help.into())));
    }

    /// A name that is not there: not in force, or unknown, with the nearest of a pool.
    pub(super) fn unknown(&mut self, code: Code, name: &str, span: Span, message: String, pool: &[&str]) {
        if self.poison.contains(name) {
            return;
        }
        if let Some(why) = self.env.dormant.get(name) {
            let text = format!("`{name}` is not in force in {}", self.env.edition);
            let mut finding = Finding::helped(Code::L201, span, text, Some(format!("it belongs to {why}")));
            finding.dormant = true;
            self.findings.push(finding);
        } else {
            let help = suggest(name, pool.iter().copied());
            self.findings.push(Finding::helped(code, span, message, help));
        }
    }

    /// A new variable of the frame that has no name in sight.
    pub(super) fn slot(&mut self, name: &str, ty: Ty, span: Span) -> Slot {
        let slot = Slot::try_from(self.frame.vars.len()).unwrap_or_else(|_| {
            self.error(Code::L238, span, "more than 255 names are bound in one body");
            Slot::MAX
        });
        self.frame.vars.push((name.to_string(), ty));
        slot
    }

    /// A new variable in sight, of a name that means nothing else there.
    pub(super) fn bind(&mut self, name: &Ident, ty: Ty) -> Slot {
        if super::taken::TAKEN.contains(&name.text.as_str()) {
            self.findings.push(super::taken::taken_name(&name.text, name.span));
        } else if name.text != "_" && self.vars.iter().any(|v| v.name == name.text) {
            let message = format!("`{}` is bound already where it is bound again", name.text);
            self.helped(Code::L202, name.span, message, "choose another name");
        }
        self.bind_as(&name.text, name.span, ty, false)
    }

    pub(super) fn bind_as(&mut self, name: &str, span: Span, ty: Ty, head: bool) -> Slot {
        let slot = self.slot(name, ty, span);
        if name != "_" {
            self.vars.push(Var { name: name.to_string(), slot, ty, span, head, used: Cell::new(false) });
        }
        slot
    }

    /// The newest variable of a name, which is used by that.
    pub(super) fn var(&self, name: &str) -> Option<(Slot, Ty)> {
        let var = self.vars.iter().rev().find(|v| v.name == name)?;
        var.used.set(true);
        Some((var.slot, var.ty))
    }

    /// Forgets the variables from `base` on. If there was no finding since `clean`, binders of heads must have been used.
    pub(super) fn leave(&mut self, base: usize, clean: usize) {
        let gone: Vec<Var> = self.vars.drain(base..).collect();
        if self.findings.len() > clean {
            return;
        }
        for var in gone.iter().filter(|v| v.head && !v.used.get()) {
            let mut pool = self.env.constants(var.ty);
            pool.extend(gone.iter().map(|v| v.name.as_str()));
            let help = suggest(&var.name, pool).unwrap_or_else(|| "write `_`, or leave the argument out".to_string());
            self.helped(Code::L208, var.span, format!("`{}` is bound and never used", var.name), help);
        }
    }

    /// All names in sight.
    pub(super) fn names_in_sight(&self) -> Vec<&str> {
        self.vars.iter().map(|v| v.name.as_str()).collect()
    }

    /// A type by name.
    pub(super) fn ty(&mut self, name: &Ident) -> Option<Ty> {
        let found = TYPES.iter().find(|t| t.0 == name.text).map(|t| t.1);
        if found.is_none() {
            let pool: Vec<&str> = TYPES.iter().map(|t| t.0).collect();
            self.unknown(Code::L201, &name.text, name.span, format!("there is no type `{}`", name.text), &pool);
        }
        found
    }

    /// A zone by name.
    pub(super) fn zone(&mut self, name: &Ident) -> Option<Zone> {
        let found = ZONES.iter().find(|z| z.0 == name.text).map(|z| z.1);
        if found.is_none() {
            let pool: Vec<&str> = ZONES.iter().map(|z| z.0).collect();
            self.unknown(Code::L201, &name.text, name.span, format!("there is no zone `{}`", name.text), &pool);
        }
        found
    }
}
