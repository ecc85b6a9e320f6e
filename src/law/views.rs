//! Views: looks built layer by layer. An object that no static ability can touch is seen by its own record alone, which
//! is one read; where statics work, everything is read.

use super::eval::{Env, Plain, Reader};
use super::ground::{projection as at, Ability};
use crate::game::looks::{self, EMPTY};
use crate::game::record::{CostId, LookId, Obj, SlotRec, State, Value, NO_OBJECT};
use crate::lang::tree::{ClauseId, ClauseKind, Const, Expr, Layer, Look, ModId, ModKind, ViewId, Zone};
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
        let c = usize::from(o);
        if usize::from(view.0) >= 12 {
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
            look = if is_effect(layer) { self.own_effects(rec, look, layer) } else { self.base(rec, look, layer) };
        }
        look
    }

    fn base(&self, rec: &SlotRec, look: LookId, layer: Layer) -> LookId {
        let program = self.law.program;
        match layer {
            Layer::Front => rec.printed,
            Layer::Printed => match rec.card.and_then(|c| program.cards[c.index()].back.as_ref()) {
                Some(back) if rec.transformed => self.law.looks.look(back),
                _ => rec.printed,
            },
            Layer::Copied => rec.copies.last().map_or(look, |(l, _)| *l),
            Layer::Listed if rec.face_down => rec.listed,
            _ => look,
        }
    }

    fn own_effects(&self, rec: &SlotRec, look: LookId, layer: Layer) -> LookId {
        let program = self.law.program;
        let grown = layer == Layer::Sized
            && rec.counters.iter().zip(&program.counters).any(|(n, k)| *n > 0 && k.size != (0, 0));
        if !grown && rec.gives.iter().all(|(m, _)| program.mods[m.index()].layer != layer) {
            return look;
        }
        let mut new = Look::clone(&self.law.looks.get(look));
        let mods: Vec<(ModId, Option<Env>)> = rec.gives.iter().map(|(m, _)| (*m, None)).collect();
        self.apply_mods(&mut new, layer, &mods, None);
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

    /// Applies those of the mods that are of a layer: in `sized` setting goes before adding.
    fn apply_mods(&self, look: &mut Look, layer: Layer, mods: &[(ModId, Option<Env>)], st: Option<&State>) {
        let program = self.law.program;
        let passes: &[bool] = if layer == Layer::Sized { &[true, false] } else { &[false] };
        for &setting in passes {
            for (id, env) in mods {
                let m = &program.mods[id.index()];
                if m.layer != layer || matches!(m.kind, ModKind::Sized(..)) != setting {
                    continue;
                }
                let sized = match &m.kind {
                    ModKind::Sized(p, t) => {
                        Some((self.size_of(p, env.as_ref(), st), self.size_of(t, env.as_ref(), st)))
                    }
                    _ => None,
                };
                looks::apply(program, look, &m.kind, sized);
            }
        }
    }

    fn size_of(&self, e: &Expr, env: Option<&Env>, st: Option<&State>) -> i32 {
        match (e, env, st) {
            (Expr::Const(Const::Number(n)), ..) => *n,
            (_, Some(env), Some(st)) => self.number(e, st, env),
            _ => 0,
        }
    }

    /// Whether any static ability works.
    pub fn statics_active(&self, st: &State) -> bool {
        if self.law.statics.is_empty() {
            return false;
        }
        (0..st.slots.len()).any(|q| {
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
        // An ability that a static takes away still made its source a candidate: look below the effects too.
        let base: Vec<Layer> = self.law.layers(self.law.now).iter().copied().take_while(|l| !is_effect(*l)).collect();
        let below = self.own_look(rec, &base);
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

    /// A look with statics at work: reads whole records.
    fn full_look(&self, st: &State, o: Obj, layers: &[Layer]) -> LookId {
        let mut look = EMPTY;
        self.log.full(usize::from(o));
        let rec = &st.slots[usize::from(o)];
        for &layer in layers {
            look = if is_effect(layer) { self.effects(st, o, look, layer) } else { self.base(rec, look, layer) };
        }
        look
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

    fn effects(&self, st: &State, o: Obj, look: LookId, layer: Layer) -> LookId {
        let program = self.law.program;
        let mut mods: Vec<(ModId, Option<Env>)> = Vec::new();
        for q in self.sources_in_order(st) {
            self.log.full(usize::from(q));
            let Some(zone) = st.slots[usize::from(q)].zone else { continue };
            let seen = if q == o { look } else { self.below(st, q, layer) };
            for &(c, toll) in self.abilities(seen).iter() {
                let clause = &program.clauses[c.index()];
                let ClauseKind::Static(var, guard, list) = &clause.kind else { continue };
                if !works_in(clause, zone) || list.iter().all(|m| program.mods[m.index()].layer != layer) {
                    continue;
                }
                let mut env = self.carried_env(st, clause, q, toll);
                if *var == 0 && q != o {
                    continue;
                }
                env.set(*var, Value::Object(o));
                env.plain = Plain::SoFar { object: o, look, layer };
                if guard.as_ref().is_none_or(|g| self.truth(g, st, &env)) {
                    mods.extend(list.iter().map(|m| (*m, Some(env.clone()))));
                }
            }
        }
        let rec = &st.slots[usize::from(o)];
        mods.extend(rec.gives.iter().map(|(m, _)| (*m, None)));
        let mut new = Look::clone(&self.law.looks.get(look));
        self.apply_mods(&mut new, layer, &mods, Some(st));
        self.add_counters(rec, &mut new, layer);
        self.law.looks.look(&new)
    }

    /// Slots in the order in which their statics apply: by stamp where tracked, those without one by slot behind.
    fn sources_in_order(&self, st: &State) -> Vec<Obj> {
        if !self.law.setting.tracked.stamps {
            return (0..st.slots.len() as Obj).collect();
        }
        self.log.full(self.law.stamps_component());
        let mut order: Vec<Obj> = st.stamps.to_vec();
        order.extend((0..st.slots.len() as Obj).filter(|q| !st.stamps.contains(q)));
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

    /// Whether an object carries a clause (seen through a view), with the keyword's cost.
    pub fn carries(&self, st: &State, q: Obj, clause: ClauseId, view: ViewId) -> Option<Option<CostId>> {
        let rec = st.slots.get(usize::from(q))?;
        let number = self.law.carried.get(&clause).copied()?;
        if view == self.law.now && at::CARRIES + number.min(200) < at::END && !self.statics_active(st) {
            let look = self.own_look(rec, self.law.layers(view));
            self.log.note(usize::from(q), at::CARRIES + number);
            return self.abilities(look).iter().find(|(c, _)| *c == clause).map(|(_, cost)| *cost);
        }
        let look = self.look(st, q, view);
        self.abilities(look).iter().find(|(c, _)| *c == clause).map(|(_, cost)| *cost)
    }

    /// Objects that carry a clause and where it works.
    pub fn carriers(&self, st: &State, clause: ClauseId, view: ViewId) -> Vec<(Obj, Option<CostId>)> {
        (0..st.slots.len() as Obj).filter_map(|q| self.carrier(st, q, clause, view).map(|cost| (q, cost))).collect()
    }

    /// Whether one object carries a clause that works where it is.
    pub fn carrier(&self, st: &State, q: Obj, clause: ClauseId, view: ViewId) -> Option<Option<CostId>> {
        if q == NO_OBJECT {
            return None;
        }
        let cost = self.carries(st, q, clause, view)?;
        let c = &self.law.program.clauses[clause.index()];
        (c.about_self || self.zone(st, q).is_some_and(|z| works_in(c, z))).then_some(cost)
    }
}

/// Whether a clause works while its object is in a zone.
pub fn works_in(clause: &crate::lang::tree::Clause, zone: Zone) -> bool {
    if clause.zones.is_empty() { zone == Zone::Battlefield } else { clause.zones.contains(&zone) }
}
