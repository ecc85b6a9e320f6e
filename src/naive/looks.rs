//! What an object looks like: views, built layer by layer (MEANING 1, LANGUAGE 4), and the clauses that a look carries.

use std::rc::Rc;

use super::expr::Scene;
use super::state::{LookKey, Obj, Piece, Snap, State, Value};
use super::{Referee, Vars};
use crate::lang::tree::{Clause, ClauseId, ClauseKind, Cost, Layer, Look, Mod, ModId, ModKind, ViewId, WordKind, Zone};

/// A clause as an object carries it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Carried {
    pub clause: ClauseId,
    pub carrier: Obj,
    pub toll: Option<Cost>,
}

/// Which modifications a pass over a layer applies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    All,
    Setting,
    Adding,
}

impl Pass {
    fn takes(self, m: &Mod, layer: Layer) -> bool {
        let sized = matches!(m.kind, ModKind::Sized(..));
        m.layer == layer && (self == Pass::All || sized == (self == Pass::Setting))
    }
}

/// What a static's mods are applied to, and with which variables.
struct Source<'c> {
    object: Option<Obj>,
    toll: Option<Cost>,
    id: ClauseId,
    clause: &'c Clause,
}

impl<'a> Referee<'a> {
    /// How often the same modification may be on one object at once.
    pub(super) fn most_given(&self, m: ModId) -> usize {
        match self.program.mods[m.index()].kind {
            ModKind::Gets(..) => usize::from(self.limits.counters_budget) + 1,
            _ => 1,
        }
    }

    /// The object through a view.
    pub(super) fn view(&self, s: &Rc<Snap>, o: Obj, v: ViewId) -> Rc<Look> {
        self.cached(s, o, LookKey::Whole(v), &self.program.views[v.index()].layers)
    }

    /// The object through `now`.
    pub(super) fn now(&self, s: &Rc<Snap>, o: Obj) -> Rc<Look> {
        self.program.now.map_or_else(Rc::default, |v| self.view(s, o, v))
    }

    /// The object through the layers of `now` that stand before the first `layer`; all of them if there is none.
    pub(super) fn before_layer(&self, s: &Rc<Snap>, o: Obj, layer: Layer) -> Rc<Look> {
        let Some(now) = self.program.now else { return Rc::default() };
        let layers = &self.program.views[now.index()].layers;
        let n = layers.iter().position(|&l| l == layer).unwrap_or(layers.len());
        self.cached(s, o, LookKey::Part(n), &layers[..n])
    }

    fn cached(&self, s: &Rc<Snap>, o: Obj, key: LookKey, layers: &[Layer]) -> Rc<Look> {
        if let Some(look) = s.looks.borrow().get(&(o, key)) {
            return Rc::clone(look);
        }
        let look = Rc::new(self.build(s, o, layers));
        s.looks.borrow_mut().insert((o, key), Rc::clone(&look));
        look
    }

    fn build(&self, s: &Rc<Snap>, o: Obj, layers: &[Layer]) -> Look {
        let mut look = Look::default();
        let Some(piece) = s.state.piece(o) else { return look };
        for &layer in layers {
            match layer {
                Layer::Front => look = self.face(piece, false),
                Layer::Printed => look = s.state.shown(o).map_or_else(Look::default, |top| self.face_up(top)),
                Layer::Joined => self.join(s, o, &mut look, |top, part| top.face_down || !part.face_down),
                Layer::Unseen => self.join(s, o, &mut look, |top, part| !top.face_down && part.face_down),
                Layer::Copied => {
                    if let Some((copied, _)) = piece.copies.last() {
                        look = copied.clone();
                    }
                }
                Layer::Listed => {
                    let listed = s.state.shown(o).filter(|top| top.face_down).and_then(|top| top.listed.clone());
                    look = listed.unwrap_or(look);
                }
                Layer::Typed | Layer::Coloured | Layer::Granted => self.apply_layer(s, o, layer, Pass::All, &mut look),
                Layer::Sized => {
                    self.apply_layer(s, o, layer, Pass::Setting, &mut look);
                    self.apply_layer(s, o, layer, Pass::Adding, &mut look);
                    if let Some((power, toughness)) = &mut look.size {
                        for (kind, &n) in self.program.counters.iter().zip(&piece.counters) {
                            *power += kind.size.0 * n;
                            *toughness += kind.size.1 * n;
                        }
                    }
                }
            }
        }
        look
    }

    /// A face of the card, or of a token: the looks that it was made with.
    pub(super) fn face(&self, piece: &Piece, other: bool) -> Look {
        match self.back(piece) {
            Some(back) if other => back.clone(),
            _ => piece.card.map_or(&piece.printed, |c| &self.program.cards[c.index()].front).clone(),
        }
    }

    /// The face that lies up, or would if it were not face down.
    pub(super) fn face_up(&self, piece: &Piece) -> Look {
        self.face(piece, piece.transformed)
    }

    /// The back of what has two faces.
    pub(super) fn back<'p>(&'p self, piece: &'p Piece) -> Option<&'p Look> {
        match piece.card {
            Some(card) => self.program.cards[card.index()].back.as_ref(),
            None => Some(&piece.back).filter(|back| **back != Look::default()),
        }
    }

    /// Adds the abilities of those components below the topmost for which it is so, asked of the topmost and of them.
    fn join(&self, s: &Rc<Snap>, o: Obj, look: &mut Look, so: impl Fn(&Piece, &Piece) -> bool) {
        let Some(top) = s.state.shown(o) else { return };
        let below = s.state.below(o).iter().filter_map(|&i| s.state.piece(Obj::Slot(i)));
        below.filter(|part| so(top, part)).for_each(|part| add_abilities(look, &self.face_up(part)));
    }

    /// Applies the statics of a layer in order of their sources, then the given effects by age.
    fn apply_layer(&self, s: &Rc<Snap>, o: Obj, layer: Layer, pass: Pass, look: &mut Look) {
        for &id in &self.law_statics {
            let clause = &self.program.clauses[id.index()];
            self.apply_static(s, o, layer, pass, look, &Source { object: None, toll: None, id, clause });
        }
        if self.static_layers.contains(&layer) {
            let mut sources: Vec<Obj> = s.state.pieces().collect();
            sources.sort_by_key(|&x| s.state.stamp(x));
            for source in sources {
                let seen = if source == o { Rc::new(look.clone()) } else { self.before_layer(s, source, layer) };
                for (id, toll) in self.clauses_of(&seen) {
                    let clause = &self.program.clauses[id.index()];
                    let from = Source { object: Some(source), toll, id, clause };
                    if works(clause, &s.state, source) {
                        self.apply_static(s, o, layer, pass, look, &from);
                    }
                }
            }
        }
        let Some(piece) = s.state.piece(o) else { return };
        for &(id, _) in &piece.gives {
            let m = &self.program.mods[id.index()];
            if pass.takes(m, layer) {
                let so_far = look.clone();
                self.modify(look, m, Scene::of(s).static_guard(o, &so_far, layer), &mut Vec::new());
            }
        }
    }

    fn apply_static(&self, s: &Rc<Snap>, o: Obj, layer: Layer, pass: Pass, look: &mut Look, from: &Source) {
        let ClauseKind::Static(var, guard, mods) = &from.clause.kind else { return };
        let wanted: Vec<&Mod> =
            mods.iter().map(|m: &ModId| &self.program.mods[m.index()]).filter(|m| pass.takes(m, layer)).collect();
        if wanted.is_empty() || (from.clause.carried && *var == 0 && from.object != Some(o)) {
            return;
        }
        // A clause that the object itself has lost within this layer is gone.
        if from.object == Some(o)
            && !self.clauses_of(look).iter().any(|(id, toll)| (*id, toll) == (from.id, &from.toll))
        {
            return;
        }
        let mut vars = self.frame(&s.state, from.clause, from.object, from.toll.as_ref());
        bind(&mut vars, *var, Value::Object(Some(o)));
        let so_far = look.clone();
        let scene = Scene::of(s).static_guard(o, &so_far, layer);
        if guard.as_ref().is_none_or(|g| self.eval(scene, &mut vars, g).yes()) {
            for m in wanted {
                self.modify(look, m, scene, &mut vars);
            }
        }
    }

    /// Applies one modification to a look.
    pub(super) fn modify(&self, look: &mut Look, m: &Mod, scene: Scene, vars: &mut Vars) {
        let words = |kind: WordKind| {
            let of = self.program.words.iter().enumerate().filter(move |(_, w)| w.kind == kind);
            of.fold(0u128, |bits, (i, _)| bits | 1 << i)
        };
        match &m.kind {
            ModKind::Has(keyword, cost) => {
                let had = (*keyword, cost.clone());
                if let Err(at) = look.keywords.binary_search(&had) {
                    look.keywords.insert(at, had);
                }
            }
            ModKind::LosesAbilities => {
                look.keywords.clear();
                look.clauses.clear();
            }
            ModKind::IsAlso(word) => look.words |= 1 << word.0,
            ModKind::Becomes(new) => {
                let bits = new.iter().fold(0u128, |bits, w| bits | 1 << w.0);
                if bits & words(WordKind::Type) != 0 {
                    look.words &= !words(WordKind::Type);
                }
                look.words = look.words & !words(WordKind::Subtype) | bits;
            }
            ModKind::Gets(power, toughness) => look.size = look.size.map(|(p, t)| (p + power, t + toughness)),
            ModKind::Sized(power, toughness) => {
                let number = |e, vars: &mut Vars| self.eval(scene, vars, e).number();
                look.size = Some((number(power, vars), number(toughness, vars)));
            }
        }
    }

    /// The clauses of a look and of its keywords, in canonical order, each with its toll.
    pub(super) fn clauses_of(&self, look: &Look) -> Vec<(ClauseId, Option<Cost>)> {
        let mut all: Vec<_> = look.clauses.iter().map(|&c| (c, None)).collect();
        for (keyword, cost) in &look.keywords {
            for &c in &self.program.keywords[keyword.index()].carried {
                all.push((c, cost.clone().filter(|_| self.program.clauses[c.index()].toll)));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// Every clause that works, with its carrier, by the looks of a view: sorted by clause, carrier, toll.
    pub(super) fn carried(&self, s: &Rc<Snap>, view: ViewId) -> Rc<Vec<Carried>> {
        if let Some(known) = s.carried.borrow().get(&view) {
            return Rc::clone(known);
        }
        let mut all = Vec::new();
        for carrier in s.state.pieces() {
            for (clause, toll) in self.clauses_of(&self.view(s, carrier, view)) {
                if works(&self.program.clauses[clause.index()], &s.state, carrier) {
                    all.push(Carried { clause, carrier, toll });
                }
            }
        }
        all.sort();
        let all = Rc::new(all);
        s.carried.borrow_mut().insert(view, Rc::clone(&all));
        all
    }

    /// The variables of a clause as an object carries it, or of a law clause: all unset but `self`, `you` and the toll.
    pub(super) fn frame(&self, s: &State, clause: &Clause, carrier: Option<Obj>, toll: Option<&Cost>) -> Vars {
        let mut vars = vec![Value::Unset; clause.frame.vars.len()];
        if let (true, Some(o)) = (clause.carried, carrier) {
            bind(&mut vars, 0, Value::Object(Some(o)));
            bind(&mut vars, 1, Value::Player(s.controller(o).unwrap_or_default()));
            if clause.toll {
                bind(&mut vars, 2, Value::Cost(toll.cloned()));
            }
        }
        vars
    }
}

/// Adds the keywords and clauses of a look to another, each once.
pub(super) fn add_abilities(look: &mut Look, of: &Look) {
    look.keywords.extend(of.keywords.iter().cloned());
    look.keywords.sort();
    look.keywords.dedup();
    look.clauses.extend(&of.clauses);
    look.clauses.sort();
    look.clauses.dedup();
}

/// Binds a variable, making room for it.
pub(super) fn bind(vars: &mut Vars, var: u8, value: Value) {
    let at = usize::from(var);
    if vars.len() <= at {
        vars.resize(at + 1, Value::Unset);
    }
    vars[at] = value;
}

/// Whether a clause works where its carrier is: a component of a merged permanent has none of its own.
fn works(clause: &Clause, s: &State, carrier: Obj) -> bool {
    let there = |z: Zone| clause.about_self || z == Zone::Battlefield || clause.zones.contains(&z);
    s.zone(carrier).is_some_and(|z| z != Zone::Beneath && there(z))
}
