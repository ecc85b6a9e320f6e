//! Which clauses match an event (MEANING 2): instances, in canonical order. It finds; [`super::run`] does.

use std::rc::Rc;

use super::expr::{Scene, name_of};
use super::looks::Carried;
use super::state::{Obj, Snap, Value};
use super::{Referee, Vars};
use crate::lang::ast::Stage;
use crate::lang::tree::{ClauseId, ClauseKind, Cost, EventName, Head, Pattern, Ty, Verb, ViewId};

/// A verb with its arguments, in the order of its signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The verb.
    pub verb: Verb,
    /// Its arguments.
    pub args: Vec<Value>,
}

/// What was called in a step, whether it happened, and the states around it.
#[derive(Clone, Debug)]
pub struct Record {
    /// What.
    pub event: Event,
    /// No: tried, and refused or replaced.
    pub happened: bool,
    /// As the verb began.
    pub before: Rc<Snap>,
    /// When all of it was done.
    pub after: Rc<Snap>,
}

/// A collection of clauses by what they do to an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    Forbid,
    Price,
    Stage(Stage),
}

/// A clause that matches an event, with its binding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instance {
    pub clause: ClauseId,
    pub carrier: Option<Obj>,
    pub toll: Option<Cost>,
    pub vars: Vars,
    /// The name under which it asked for the event.
    pub name: EventName,
}

impl Instance {
    /// Whether both are the same clause of the same object.
    pub fn same(&self, other: &Instance) -> bool {
        (self.clause, self.carrier, &self.toll) == (other.clause, other.carrier, &other.toll)
    }
}

impl<'a> Referee<'a> {
    /// The clauses of a kind that match an event in a state, in canonical order.
    pub(super) fn instances(&self, s: &Rc<Snap>, wanted: Wanted, event: &Event) -> Vec<Instance> {
        let of = self.candidates(s, self.program.now, wanted, event.verb);
        of.iter()
            .filter_map(|(c, carried)| self.first_match(Scene::of(s), *c, carried.as_ref(), event, |_| true))
            .collect()
    }

    /// Law clauses and carried ones with a head for that verb, sorted by clause and carrier.
    fn candidates(
        &self,
        s: &Rc<Snap>,
        view: Option<ViewId>,
        wanted: Wanted,
        verb: Verb,
    ) -> Vec<(ClauseId, Option<Carried>)> {
        let asks = |id: ClauseId| self.head(id, wanted).is_some_and(|h| h.patterns.iter().any(|p| p.verb == verb));
        let law = self.law_heads.get(&verb).into_iter().flatten().copied();
        let mut all: Vec<(ClauseId, Option<Carried>)> = law.filter(|&id| asks(id)).map(|id| (id, None)).collect();
        if let Some(view) = view {
            let carried = self.carried(s, view);
            all.extend(carried.iter().filter(|c| asks(c.clause)).map(|c| (c.clause, Some(c.clone()))));
        }
        all.sort_by_key(|(id, _)| *id);
        all
    }

    fn head(&self, id: ClauseId, wanted: Wanted) -> Option<&'a Head> {
        match (&self.program.clauses[id.index()].kind, wanted) {
            (ClauseKind::Forbid(head), Wanted::Forbid) | (ClauseKind::Price(head, ..), Wanted::Price) => Some(head),
            (ClauseKind::Stage(stage, head, ..), Wanted::Stage(wanted)) if *stage == wanted => Some(head),
            _ => None,
        }
    }

    /// The first pattern, of those asked for, that matches with the guard.
    fn first_match(
        &self,
        sc: Scene,
        id: ClauseId,
        carried: Option<&Carried>,
        event: &Event,
        asked: impl Fn(&Pattern) -> bool,
    ) -> Option<Instance> {
        let clause = &self.program.clauses[id.index()];
        let (ClauseKind::Forbid(head) | ClauseKind::Price(head, ..) | ClauseKind::Stage(_, head, ..)) = &clause.kind
        else {
            return None;
        };
        let carrier = carried.map(|c| c.carrier);
        let toll = carried.and_then(|c| c.toll.clone());
        head.patterns.iter().filter(|p| asked(p)).find_map(|p| {
            let mut vars = self.frame(&sc.now.state, clause, carrier, toll.as_ref());
            let fits = self.fits(sc, p, event, &mut vars)
                && head.guard.as_ref().is_none_or(|g| self.eval(sc, &mut vars, g).yes());
            fits.then(|| Instance { clause: id, carrier, toll: toll.clone(), vars, name: name_of(p) })
        })
    }

    /// The `whenever` clauses that an event triggers: those with a look-back seen in `before`, the others in `after`.
    pub(super) fn triggered(&self, before: &Rc<Snap>, after: &Rc<Snap>, event: &Event) -> Vec<Instance> {
        let of_verbs = &self.program.verb_look_back;
        let look_back = |p: &Pattern| match p.event {
            Some(e) => self.program.events[e.index()].look_back,
            None => of_verbs.iter().find(|(verb, _)| *verb == p.verb).map(|(_, view)| *view),
        };
        let mut modes: Vec<Option<ViewId>> = vec![None];
        let of_events = self.program.events.iter().filter_map(|e| e.look_back);
        for view in of_events.chain(of_verbs.iter().map(|(_, view)| *view)) {
            if !modes.contains(&Some(view)) {
                modes.push(Some(view));
            }
        }
        let mut found = Vec::new();
        for mode in modes {
            let s = if mode.is_some() { before } else { after };
            let sc = Scene::of(s).looking_back(mode);
            for (id, carried) in
                self.candidates(s, mode.or(self.program.now), Wanted::Stage(Stage::Whenever), event.verb)
            {
                let mut names = Vec::new();
                let head = self.head(id, Wanted::Stage(Stage::Whenever));
                for p in
                    head.into_iter().flat_map(|h| &h.patterns).filter(|p| p.verb == event.verb && look_back(p) == mode)
                {
                    let name = name_of(p);
                    if names.contains(&name) {
                        continue;
                    }
                    names.push(name);
                    let asked = |q: &Pattern| name_of(q) == name;
                    found.extend(self.first_match(sc, id, carried.as_ref(), event, asked));
                }
            }
        }
        found.sort_by(|a, b| (a.clause, a.carrier, &a.toll).cmp(&(b.clause, b.carrier, &b.toll)));
        found
    }

    /// The object that a verb is about: its first argument that is an object. Outer none: the verb has no such argument.
    pub(super) fn about(&self, event: &Event) -> Option<Option<Obj>> {
        let is_object = |ty: &Ty| *ty == Ty::Object;
        let at = match event.verb {
            Verb::Procedure(p) => self.program.procedures[p.index()].params.iter().position(|(_, _, ty)| is_object(ty)),
            built_in => built_in.signature().iter().position(|p| is_object(&p.ty)),
        };
        at.map(|at| event.args.get(at).and_then(Value::object))
    }

    /// Whether two calls are of the same verb on the same object (without an object: of the same arguments).
    pub(super) fn same_event(&self, a: &Event, b: &Event) -> bool {
        a.verb == b.verb
            && match self.about(a) {
                Some(o) => Some(o) == self.about(b),
                None => a.args == b.args,
            }
    }
}
