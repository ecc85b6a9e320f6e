//! Views: looks built layer by layer. An object that no static ability can touch is seen by its own record alone, which
//! is one read; where statics work, everything is read.

use super::coverage::Part;
use super::eval::{Env, Plain, Reader};
use super::ground::{Ability, projection as at};
use super::profile::Cause;
use crate::game::looks::{self, EMPTY};
use crate::game::memory::Log;
use crate::game::record::{CostId, LookId, NO_OBJECT, Obj, SlotRec, State, Value};
use crate::lang::tree::{ClauseId, ClauseKind, Const, Expr, Layer, Look, ModId, ModKind, ViewId, Zone};
use itertools::Itertools;
use std::rc::Rc;

/// Whether a layer is one of those that effects work in.
fn is_effect(layer: Layer) -> bool {
    matches!(layer, Layer::Typed | Layer::Coloured | Layer::Granted | Layer::Sized)
}

impl Reader<'_, '_> {
    /// The look of an object through a view.
    pub fn look(&self, st: &State, o: Obj, view: ViewId) -> LookId {
        let Some(rec) = st.slots.get(usize::from(o)) else { return EMPTY };
        if self.statics_active(st) {
            return self.full_look(st, o, self.law.layers(view));
        }
        if !self.parts_in_play(st, o).is_empty() {
            let layers = self.law.layers(view);
            let below = self.pile_look(st, o, before_effects(layers));
            let zone = self.zone(st, o).unwrap_or(Zone::Battlefield);
            let own = view != self.law.now && !self.law.statics.is_empty() && self.any_static(below, below, zone);
            return if own { self.full_look(st, o, layers) } else { self.pile_look(st, o, layers) };
        }
        let c = usize::from(o);
        if view != self.law.now && view.0 < 64 && !self.law.statics.is_empty() {
            // A static that it has in this view alone, as one that lies under a face-down look, works on itself there.
            self.log.note(c, at::OWN_STATICS);
            if self.own_static_in(rec, view) {
                return self.full_look(st, o, self.law.layers(view));
            }
        }
        if view.0 >= at::VIEWS {
            self.log.full(c);
            return self.own_look(rec, self.law.layers(view));
        }
        let look = self.own_look(rec, self.law.layers(view));
        self.log.note(c, at::LOOK + view.0 as u8);
        look
    }

    /// The look of an object through layers, by its own record alone.
    pub fn own_look(&self, rec: &SlotRec, layers: &[Layer]) -> LookId {
        let mut look = EMPTY;
        for &layer in layers {
            look = if is_effect(layer) { self.own_effects(rec, look, layer) } else { self.base(rec, rec, look, layer) };
        }
        look
    }

    /// A layer that no effect works in, of an object and its topmost component.
    fn base(&self, rec: &SlotRec, topmost: &SlotRec, look: LookId, layer: Layer) -> LookId {
        match layer {
            Layer::Front => rec.printed,
            Layer::Printed => self.face_up(topmost),
            Layer::Copied => rec.copies.last().map_or(look, |(l, _)| *l),
            Layer::Listed if topmost.face_down => topmost.listed,
            _ => look,
        }
    }

    /// The face that is on the upper side of a card or token.
    pub fn face_up(&self, rec: &SlotRec) -> LookId {
        match self.law.back(rec) {
            Some(back) if rec.transformed => back,
            _ => rec.printed,
        }
    }

    /// Adds the abilities of the components below the topmost: in `joined` of those that lie as the topmost does or lie
    /// face up, in `unseen` of those that lie face down under a face-up one.
    fn abilities_below(&self, st: &State, o: Obj, look: LookId, layer: Layer) -> LookId {
        let Some((&top, below)) = self.parts_in_play(st, o).split_first() else { return look };
        let top_is_down = st.slots[usize::from(top)].face_down;
        let mut new = Look::clone(&self.law.looks.get(look));
        for rec in below.iter().map(|c| &st.slots[usize::from(*c)]) {
            let hidden = rec.face_down && !top_is_down;
            if hidden == (layer == Layer::Unseen) {
                looks::add_abilities(&mut new, &self.law.looks.get(self.face_up(rec)));
            }
        }
        self.law.looks.look(&new)
    }

    fn own_effects(&self, rec: &SlotRec, look: LookId, layer: Layer) -> LookId {
        let program = self.law.program;
        if !self.grown(rec, layer) && rec.gives.iter().all(|(m, _)| program.mods[m.index()].layer != layer) {
            return look;
        }
        let mut new = Look::clone(&self.law.looks.get(look));
        for &setting in passes(layer) {
            for (m, _) in &rec.gives {
                self.apply_mod(&mut new, *m, layer, setting, None);
            }
        }
        self.add_counters(rec, &mut new, layer);
        self.law.looks.look(&new)
    }

    fn add_counters(&self, rec: &SlotRec, look: &mut Look, layer: Layer) {
        if layer != Layer::Sized {
            return;
        }
        if let Some(size) = &mut look.size {
            for (n, kind) in rec.counters.iter().zip(&self.law.program.counters) {
                size.0 += i32::from(*n) * kind.size.0;
                size.1 += i32::from(*n) * kind.size.1;
            }
        }
    }

    /// Applies a modification, if it is of the layer and, in `sized`, of the pass.
    fn apply_mod(&self, look: &mut Look, id: ModId, layer: Layer, setting: bool, at: Option<(&State, &Env)>) {
        let program = self.law.program;
        let m = &program.mods[id.index()];
        if m.layer != layer || matches!(m.kind, ModKind::Sized(..)) != setting {
            return;
        }
        let sized = match &m.kind {
            ModKind::Sized(p, t) => Some((self.size_of(p, at), self.size_of(t, at))),
            _ => None,
        };
        looks::apply(program, look, &m.kind, sized);
    }

    fn size_of(&self, e: &Expr, at: Option<(&State, &Env)>) -> i32 {
        match (e, at) {
            (Expr::Const(Const::Number(n)), _) => *n,
            (_, Some((st, env))) => self.number(e, st, env),
            _ => 0,
        }
    }

    /// Whether any static ability works.
    pub fn statics_active(&self, st: &State) -> bool {
        if self.law.statics.is_empty() {
            return false;
        }
        if self.law.statics.iter().any(|c| !self.law.program.clauses[c.index()].carried) {
            return true;
        }
        let known = self.law.memo.full.borrow_mut().active(&self.log, st);
        if let (Some(known), None) = (known, &self.law.coverage) {
            return known;
        }
        let active = self.any_source(st);
        self.law.memo.full.borrow_mut().keep_active(&self.log, st, active);
        active
    }

    /// Whether any object has a static ability that works.
    fn any_source(&self, st: &State) -> bool {
        (0..st.slots.len()).any(|q| {
            if !self.parts_in_play(st, q as Obj).is_empty() {
                return self.pile_is_static_source(st, q as Obj);
            }
            let works = self.static_source(&st.slots[q]);
            self.log.note(q, at::STATIC_SOURCE);
            works
        })
    }

    /// Whether an object has a static ability that works, by its own record.
    pub fn static_source(&self, rec: &Rc<SlotRec>) -> bool {
        if let Some((Some(known), _)) = self.law.memo.records.borrow().get(rec) {
            return *known;
        }
        let is = self.work_out_static_source(rec);
        self.law.memo.records.borrow_mut().entry(rec.clone()).or_default().0 = Some(is);
        is
    }

    fn work_out_static_source(&self, rec: &SlotRec) -> bool {
        let Some(zone) = rec.zone else { return false };
        let look = self.own_look(rec, self.law.layers(self.law.now));
        let below = self.own_look(rec, self.below_effects());
        self.any_static(look, below, zone)
    }

    /// Whether an object has a static ability that works in a view, by its own record.
    fn own_static_in(&self, rec: &SlotRec, view: ViewId) -> bool {
        let Some(zone) = rec.zone else { return false };
        let below = self.own_look(rec, before_effects(self.law.layers(view)));
        self.any_static(below, below, zone)
    }

    /// The views, a bit each of the first 64, in which an object has a static ability that works.
    pub fn own_statics(&self, rec: &SlotRec) -> u64 {
        let views = (0..self.law.program.views.len().min(64) as u16).map(ViewId);
        views.filter(|v| self.own_static_in(rec, *v)).fold(0, |bits, v| bits | 1 << v.0)
    }

    /// As [`Reader::static_source`], of a merged permanent.
    fn pile_is_static_source(&self, st: &State, o: Obj) -> bool {
        let Some(zone) = self.zone(st, o) else { return false };
        let look = self.pile_look(st, o, self.law.layers(self.law.now));
        let below = self.pile_look(st, o, self.below_effects());
        self.any_static(look, below, zone)
    }

    fn below_effects(&self) -> &[Layer] {
        before_effects(self.law.layers(self.law.now))
    }

    /// Whether a look, or what it was below the effects, has a static ability that works in a zone: an ability that a
    /// static takes away still made its source a candidate.
    fn any_static(&self, look: LookId, below: LookId, zone: Zone) -> bool {
        self.abilities(look).iter().chain(self.abilities(below).iter()).any(|(c, _)| {
            let clause = &self.law.program.clauses[c.index()];
            matches!(clause.kind, ClauseKind::Static(..)) && works_in(clause, zone)
        })
    }

    /// The clauses of a look: its text's and its keywords', with the keyword's cost.
    pub fn abilities(&self, look: LookId) -> Rc<[Ability]> {
        if let Some(known) = self.law.memo.abilities.borrow().get(&look) {
            return known.clone();
        }
        let full = self.law.looks.get(look);
        let mut list: Vec<Ability> = full.clauses.iter().map(|c| (*c, None)).collect();
        for (k, cost) in &full.keywords {
            let cost = cost.as_ref().map(|c| self.law.looks.cost(c));
            list.extend(self.law.program.keywords[k.index()].carried.iter().map(|c| (*c, cost)));
        }
        let list: Rc<[Ability]> = list.into();
        self.law.memo.abilities.borrow_mut().insert(look, list.clone());
        list
    }

    /// The look of a merged permanent where no static works: by the records of its components alone.
    fn pile_look(&self, st: &State, o: Obj, layers: &[Layer]) -> LookId {
        let rec = &st.slots[usize::from(o)];
        self.whole_look(st, o, layers, |look, layer| self.own_effects(rec, look, layer))
    }

    /// A look with statics at work: reads whole records. Of a state that is asked about again and again, as checks and
    /// claims do, it is worked out once for each log, which then has its reads.
    fn full_look(&self, st: &State, o: Obj, layers: &[Layer]) -> LookId {
        let asked = (o, layers.as_ptr(), layers.len());
        let known = self.law.memo.full.borrow_mut().find(&self.log, st, asked);
        // What is at work is taken down each time.
        if let (Some(known), None) = (known, &self.law.coverage) {
            return known;
        }
        let look = self.whole_look(st, o, layers, |look, layer| self.effects(st, o, look, layer));
        self.law.memo.full.borrow_mut().keep(&self.log, st, asked, look);
        look
    }

    /// A look built layer by layer from the whole records of an object and its components, with
    /// `effects` for what a layer of effects does to the look so far.
    fn whole_look(&self, st: &State, o: Obj, layers: &[Layer], effects: impl Fn(LookId, Layer) -> LookId) -> LookId {
        let rec = &st.slots[usize::from(o)];
        self.log.full(usize::from(o));
        let parts = self.parts_in_play(st, o);
        parts.iter().for_each(|c| self.log.full(usize::from(*c)));
        let topmost = parts.first().map_or(rec, |c| &st.slots[usize::from(*c)]);
        layers.iter().fold(EMPTY, |look, &layer| match layer {
            Layer::Joined | Layer::Unseen => self.abilities_below(st, o, look, layer),
            _ if is_effect(layer) => effects(look, layer),
            _ => self.base(rec, topmost, look, layer),
        })
    }

    /// What a look other than the one being built is, below a layer: `now` up to it.
    pub fn below(&self, st: &State, o: Obj, layer: Layer) -> LookId {
        if usize::from(o) >= st.slots.len() {
            return EMPTY;
        }
        let now = self.law.layers(self.law.now);
        let end = now.iter().position(|l| *l == layer).unwrap_or(now.len());
        self.full_look(st, o, &now[..end])
    }

    /// The effects of a layer, one after the other, each guard asked of what the look is by then.
    fn effects(&self, st: &State, o: Obj, look: LookId, layer: Layer) -> LookId {
        let rec = &st.slots[usize::from(o)];
        let mut look = look;
        for &setting in passes(layer) {
            look = self.pass(st, o, look, layer, setting);
        }
        if !self.grown(rec, layer) {
            return look;
        }
        let mut new = Look::clone(&self.law.looks.get(look));
        self.add_counters(rec, &mut new, layer);
        self.law.looks.look(&new)
    }

    /// Whether counters change its size in this layer.
    fn grown(&self, rec: &SlotRec, layer: Layer) -> bool {
        let mut kinds = rec.counters.iter().zip(&self.law.program.counters);
        layer == Layer::Sized && kinds.any(|(n, k)| *n > 0 && k.size != (0, 0))
    }

    fn pass(&self, st: &State, o: Obj, look: LookId, layer: Layer, setting: bool) -> LookId {
        let program = self.law.program;
        let mut look = look;
        for &c in self.law.statics.iter().filter(|c| !program.clauses[c.index()].carried) {
            let env = Env::of(&program.clauses[c.index()].frame);
            look = self.apply_static(st, o, look, layer, setting, c, env);
        }
        for q in self.sources_in_order(st) {
            self.log.full(usize::from(q));
            let Some(zone) = st.slots[usize::from(q)].zone else { continue };
            let seen = if q == o { look } else { self.below(st, q, layer) };
            for &(c, toll) in self.abilities(seen).iter() {
                let clause = &program.clauses[c.index()];
                // What it has itself lost by now in this layer is gone.
                let kept = q != o || self.abilities(look).contains(&(c, toll));
                if kept && matches!(clause.kind, ClauseKind::Static(..)) && works_in(clause, zone) {
                    let env = self.carried_env(st, clause, q, toll);
                    look = self.apply_static(st, o, look, layer, setting, c, env);
                }
            }
        }
        let gives = &st.slots[usize::from(o)].gives;
        if gives.is_empty() {
            return look;
        }
        let mut new = Look::clone(&self.law.looks.get(look));
        for (m, _) in gives {
            self.apply_mod(&mut new, *m, layer, setting, None);
        }
        self.law.looks.look(&new)
    }

    #[allow(clippy::too_many_arguments)]
    fn apply_static(
        &self,
        st: &State,
        o: Obj,
        look: LookId,
        layer: Layer,
        setting: bool,
        clause: ClauseId,
        env: Env,
    ) -> LookId {
        let program = self.law.program;
        let ClauseKind::Static(var, guard, list) = &program.clauses[clause.index()].kind else { return look };
        let carried = program.clauses[clause.index()].carried;
        if (carried && *var == 0 && env.get(0) != Value::Object(o))
            || list.iter().all(|m| program.mods[m.index()].layer != layer)
        {
            return look;
        }
        let mut env = env;
        env.set(*var, Value::Object(o));
        env.plain = Plain::SoFar { object: o, look, layer };
        if !self.law.timed(Cause::Clause(clause), || guard.as_ref().is_none_or(|g| self.truth(g, st, &env))) {
            return look;
        }
        self.law.saw(Part::Clause(clause));
        if let Value::Object(carrier) = env.get(0) {
            self.law.carried(&self.log, st, carrier, clause);
        }
        let mut new = Look::clone(&self.law.looks.get(look));
        for m in list {
            self.apply_mod(&mut new, *m, layer, setting, Some((st, &env)));
        }
        self.law.looks.look(&new)
    }

    /// Slots in the order in which their statics apply: those without a stamp by slot, then by stamp where tracked.
    fn sources_in_order(&self, st: &State) -> Vec<Obj> {
        if !self.law.setting.tracked.stamps {
            return (0..st.slots.len() as Obj).collect();
        }
        self.log.full(self.law.stamps_component());
        let mut order: Vec<Obj> = (0..st.slots.len() as Obj).filter(|q| !st.stamps.contains(q)).collect();
        order.extend(st.stamps.iter());
        order
    }

    /// The start of a carried clause's variables.
    pub fn carried_env(&self, st: &State, clause: &crate::lang::tree::Clause, q: Obj, toll: Option<CostId>) -> Env {
        let mut env = Env::of(&clause.frame);
        env.set(0, Value::Object(q));
        env.set(1, Value::Player(self.controller(st, q)));
        if clause.toll {
            env.set(2, Value::Cost(toll));
        }
        env
    }

    /// The costs of the keywords by which an object, seen through a view, carries a clause (one `None` if it is by none
    /// with a cost); none if it does not carry it.
    pub fn carries(&self, st: &State, q: Obj, clause: ClauseId, view: ViewId) -> Vec<Option<CostId>> {
        let (Some(rec), Some(&number)) = (st.slots.get(usize::from(q)), self.law.carried.get(&clause)) else {
            return Vec::new();
        };
        if view == self.law.now
            && at::CARRIES + number.min(200) < at::END
            && self.parts_in_play(st, q).is_empty()
            && !self.statics_active(st)
        {
            let look = self.own_look(rec, self.law.layers(view));
            self.log.note(usize::from(q), at::CARRIES + number);
            return self.tolls(look, clause);
        }
        self.tolls(self.look(st, q, view), clause)
    }

    /// The costs by which a look has a clause.
    pub fn tolls(&self, look: LookId, clause: ClauseId) -> Vec<Option<CostId>> {
        let with_toll = self.law.program.clauses[clause.index()].toll;
        let abilities = self.abilities(look);
        let tolls = abilities.iter().filter(|(c, _)| *c == clause).map(|(_, cost)| cost.filter(|_| with_toll));
        tolls.dedup().collect()
    }

    /// Objects that carry a clause and where it works.
    pub fn carriers(&self, st: &State, clause: ClauseId, view: ViewId) -> Vec<(Obj, Option<CostId>)> {
        let slots = 0..st.slots.len() as Obj;
        slots.flat_map(|q| self.carrier(st, q, clause, view).into_iter().map(move |cost| (q, cost))).collect()
    }

    /// As [`Reader::carries`], of a clause that works where the object is.
    pub fn carrier(&self, st: &State, q: Obj, clause: ClauseId, view: ViewId) -> Vec<Option<CostId>> {
        if q == NO_OBJECT {
            return Vec::new();
        }
        let tolls = self.carries(st, q, clause, view);
        if tolls.is_empty() {
            return tolls;
        }
        let c = &self.law.program.clauses[clause.index()];
        let beneath = self.law.setting.tracked.merges && self.zone(st, q) == Some(Zone::Beneath);
        let works = !beneath && (c.about_self || self.zone(st, q).is_some_and(|z| works_in(c, z)));
        if works { tolls } else { Vec::new() }
    }
}

/// An object and the layers through which it is looked at.
type Looked = (Obj, *const Layer, usize);

/// Looks with statics at work, of the state that was asked about last. Its records are held, so that whoever changes one
/// makes another.
#[derive(Default)]
pub struct FullLooks {
    of: Option<(Rc<Log>, State)>,
    /// Whether any static ability works in it.
    active: Option<bool>,
    looks: Vec<(Looked, LookId)>,
}

impl FullLooks {
    /// A look that is known; another state or log than last time begins anew.
    fn find(&mut self, log: &Rc<Log>, st: &State, asked: Looked) -> Option<LookId> {
        self.turn_to(log, st);
        self.looks.iter().find(|(known, _)| *known == asked).map(|(_, look)| *look)
    }

    fn keep(&mut self, log: &Rc<Log>, st: &State, asked: Looked, look: LookId) {
        if self.is_of(log, st) {
            self.looks.push((asked, look));
        }
    }

    /// Whether any static ability works, if that is known.
    fn active(&mut self, log: &Rc<Log>, st: &State) -> Option<bool> {
        self.turn_to(log, st);
        self.active
    }

    fn keep_active(&mut self, log: &Rc<Log>, st: &State, active: bool) {
        if self.is_of(log, st) {
            self.active = Some(active);
        }
    }

    fn turn_to(&mut self, log: &Rc<Log>, st: &State) {
        if !self.is_of(log, st) {
            self.looks.clear();
            self.active = None;
            self.of = Some((Rc::clone(log), st.clone()));
        }
    }

    fn is_of(&self, log: &Rc<Log>, st: &State) -> bool {
        self.of.as_ref().is_some_and(|(of, known)| Rc::ptr_eq(of, log) && is_same(known, st))
    }
}

/// Whether two states are made of the very same records.
fn is_same(a: &State, b: &State) -> bool {
    let same = |(a, b): (&Rc<SlotRec>, &Rc<SlotRec>)| Rc::ptr_eq(a, b);
    a.slots.iter().zip(&b.slots).all(same)
        && a.players.iter().zip(&b.players).all(|(a, b)| Rc::ptr_eq(a, b))
        && Rc::ptr_eq(&a.stack, &b.stack)
        && Rc::ptr_eq(&a.table, &b.table)
        && Rc::ptr_eq(&a.stamps, &b.stamps)
}

/// The layers of a view before the first that effects work in.
fn before_effects(layers: &[Layer]) -> &[Layer] {
    &layers[..layers.iter().position(|l| is_effect(*l)).unwrap_or(layers.len())]
}

/// In `sized` setting goes before adding; the other layers have one pass.
fn passes(layer: Layer) -> &'static [bool] {
    if layer == Layer::Sized { &[true, false] } else { &[false] }
}

/// Whether a clause works while its object is in a zone.
pub fn works_in(clause: &crate::lang::tree::Clause, zone: Zone) -> bool {
    zone == Zone::Battlefield || zone != Zone::Beneath && clause.zones.contains(&zone)
}
