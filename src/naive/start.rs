//! The states in which plays begin: the deals of a world, or what a ruling gives.

use std::rc::Rc;

use super::oracle::Oracle;
use super::run::Run;
use super::state::{Obj, Piece, Seat, Snap, State, Value};
use super::{Fault, Referee, Vars};
use crate::lang::ast::Span;
use crate::lang::diag::Code;
use crate::lang::tree::{CardId, Ruling, RulingStep, Start, World, Zone};

impl<'a> Referee<'a> {
    /// The initial states: one for each deal, or the one of the ruling.
    pub fn initial(&self) -> Result<Vec<State>, Fault> {
        if let Some(world) = self.world() {
            return self.deals(world).into_iter().map(|deal| self.dealt(world, &deal)).collect();
        }
        let ruling = self.ruling.map(|i| &self.program.rulings[i]);
        Ok(ruling.map(|r| self.given(r)).into_iter().collect())
    }

    fn deals(&self, world: &World) -> Vec<Vec<CardId>> {
        let mut deals: Vec<Vec<CardId>> = vec![Vec::new()];
        for start in &world.starts {
            let hands = choices(start);
            let with = |d: &Vec<CardId>, h: &Vec<CardId>| d.iter().chain(h).copied().collect::<Vec<CardId>>();
            deals = deals.iter().flat_map(|d| hands.iter().map(move |h| with(d, h))).collect();
        }
        deals
    }

    fn dealt(&self, world: &World, deal: &[CardId]) -> Result<State, Fault> {
        let mut state = self.empty(world.players.len(), world.mana);
        let places = world.starts.iter().flat_map(|s| std::iter::repeat_n((s.player, s.zone), usize::from(s.count)));
        for ((player, zone), &card) in places.zip(deal) {
            let counters = vec![0; self.program.counters.len()];
            let piece = Piece {
                card: Some(card),
                zone: Some(zone),
                owner: player,
                controller: player,
                home: player,
                counters,
                ..Piece::default()
            };
            self.put_down(&mut state, piece);
        }
        self.with_tokens(&mut state);
        let s = Snap::new(state);
        if let Some(check) = self.matching_checks(&s).first() {
            let rule = &self.program.rules[self.program.clauses[check.clause.index()].rule.index()].name;
            let message = format!("the world begins in a state that {rule} would change");
            return Err(Fault { code: Code::L405, span: world.span, message });
        }
        Ok(self.learned(s))
    }

    /// The state that a ruling gives.
    fn given(&self, ruling: &Ruling) -> State {
        let mut players = ruling.active.max(1);
        for g in &ruling.given {
            players = players.max(g.owner).max(g.controller);
        }
        for step in &ruling.steps {
            if let RulingStep::Does { player, .. } = step {
                players = players.max(*player);
            }
        }
        let mut state = self.empty(usize::from(players) + 1, None);
        state.active = ruling.active;
        for g in &ruling.given {
            let mut counters = vec![0; self.program.counters.len()];
            for (kind, n) in &g.counters {
                counters[kind.index()] += n;
            }
            let piece = Piece {
                card: Some(g.card),
                zone: Some(g.zone),
                owner: g.owner,
                controller: g.controller,
                home: if g.zone == Zone::Battlefield { g.controller } else { g.owner },
                face_down: g.face_down.is_some(),
                way: g.face_down.map(|(_, way)| way),
                listed: g.face_down.map(|(look, _)| self.program.profiles[look.index()].look.clone()),
                tapped: g.tapped,
                counters,
                ..Piece::default()
            };
            self.put_down(&mut state, piece);
        }
        self.with_tokens(&mut state);
        self.learned(Snap::new(state))
    }

    /// The variables of a ruling: its given objects.
    pub(super) fn given_vars(&self, ruling: &Ruling) -> Vars {
        let mut vars = vec![Value::Unset; ruling.frame.vars.len()];
        for (slot, g) in (0u8..).zip(&ruling.given) {
            super::looks::bind(&mut vars, g.var, Value::Object(Some(Obj::Slot(slot))));
        }
        vars
    }

    fn empty(&self, players: usize, mana: Option<i32>) -> State {
        State {
            slots: Vec::new(),
            libraries: vec![Vec::new(); players],
            stack: Vec::new(),
            active: 0,
            seats: vec![Seat { in_game: true, marks: 0, mana }; players],
            over: false,
            stamps: Vec::new(),
        }
    }

    fn put_down(&self, state: &mut State, piece: Piece) {
        let slot = u8::try_from(state.slots.len()).unwrap_or(u8::MAX);
        match piece.zone {
            Some(Zone::Library) => state.libraries[usize::from(piece.owner)].push(slot),
            Some(Zone::Battlefield | Zone::Phased) if self.tracked.stamps => state.stamps.push(slot),
            Some(Zone::Stack) => state.stack.push(super::state::Entry {
                id: u16::try_from(state.stack.len()).unwrap_or(u16::MAX),
                what: super::state::What::Spell(slot),
                aims: None,
            }),
            _ => {}
        }
        state.slots.push(piece);
    }

    fn with_tokens(&self, state: &mut State) {
        let free = Piece { counters: vec![0; self.program.counters.len()], ..Piece::default() };
        state.slots.extend(std::iter::repeat_n(free, usize::from(self.limits.tokens_budget)));
    }

    fn learned(&self, s: Rc<Snap>) -> State {
        let mut run = Run::new(self, s, Oracle::Given(Vec::new().into(), Span::default()));
        run.learn();
        run.state().clone()
    }
}

/// The ways to deal one line: tuples with repetition for a library, else multisets, in order of declaration.
fn choices(start: &Start) -> Vec<Vec<CardId>> {
    let ordered = start.zone == Zone::Library;
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..start.count {
        let longer = |hand: &Vec<usize>| {
            let from = if ordered { 0 } else { hand.last().copied().unwrap_or(0) };
            let hand = hand.clone();
            (from..start.options.len()).map(move |i| hand.iter().copied().chain([i]).collect::<Vec<usize>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.into_iter().map(|hand| hand.into_iter().map(|i| start.options[i]).collect()).collect()
}
