//! A world from its text to its results: positions of the start, layout of the key, search, plays.

use super::beside::Beside;
use super::key::{Key, Layout};
use super::ready::{Miss, Ready};
use super::search::{Bounds, Searched, search};
use super::trace::{Path, path, states_to};
use crate::game::record::State;
use crate::lang::diag::Code;
use crate::lang::tracked::{speaks_of, tracked};
use crate::lang::tree::{CardId, Program, World, Zone};
use crate::law::claims::Claims;
use crate::law::ground::{Dealt, Law, Setting};
use crate::law::step::settle_start;
use itertools::Itertools;
use std::sync::atomic::AtomicBool;

/// What the law needs to know of a world.
pub fn setting(program: &Program, world: usize) -> Setting {
    let w = &program.worlds[world];
    let mut deck: Vec<CardId> = w.starts.iter().flat_map(|s| s.options.iter().copied()).collect();
    deck.sort_unstable();
    deck.dedup();
    Setting {
        cards: w.starts.iter().map(|s| usize::from(s.count)).sum(),
        players: w.players.clone(),
        limits: w.limits,
        mana: w.mana.map(|m| m.clamp(0, 9999) as u16),
        allows: w.allows.clone(),
        tracked: tracked(program, world),
        deck,
    }
}

/// Every deal of a world: the cards of each slot.
pub fn deals(world: &World) -> Vec<Vec<Dealt>> {
    let lines = world.starts.iter().map(|start| {
        let n = usize::from(start.count);
        let pick = |cards: Vec<CardId>| -> Vec<Dealt> {
            cards.into_iter().map(|card| Dealt { card, zone: start.zone, owner: start.player }).collect()
        };
        let options = start.options.iter().copied();
        if start.zone == Zone::Library {
            std::iter::repeat_n(options, n).multi_cartesian_product().map(pick).collect::<Vec<_>>()
        } else {
            options.combinations_with_replacement(n).map(pick).collect()
        }
    });
    let mut all: Vec<Vec<Dealt>> = vec![Vec::new()];
    for line in lines {
        all = all.iter().flat_map(|a| line.iter().map(|b| [a.clone(), b.clone()].concat())).collect();
    }
    all
}

/// The settled starts of a world.
pub fn starts(law: &Law, world: &World) -> Result<Vec<State>, (Code, String)> {
    deals(world)
        .iter()
        .map(|deal| {
            let mut state = law.blank();
            for (slot, dealt) in deal.iter().enumerate() {
                law.deal(&mut state, slot, dealt);
            }
            settle_start(law, state)
        })
        .collect()
}

/// The properties that speak of a world.
pub fn claims(program: &Program, world: usize) -> Claims<'_> {
    let all = program.properties.iter().enumerate();
    Claims::new(all.filter(|(i, _)| speaks_of(program, *i, world)).collect())
}

/// Explores a world with our own engine, and hands the result over while everything is still there.
pub fn explore<T>(
    program: &Program,
    world: usize,
    claims: Claims,
    bounds: &Bounds,
    use_it: impl FnOnce(Explored) -> T,
) -> Result<T, (Code, String)> {
    explore_by(&Law::new(program, setting(program, world)), world, claims, bounds, use_it)
}

/// The same, by a law that is laid out for the world.
pub fn explore_by<T>(
    law: &Law,
    world: usize,
    claims: Claims,
    bounds: &Bounds,
    use_it: impl FnOnce(Explored) -> T,
) -> Result<T, (Code, String)> {
    let starts = starts(law, &law.program.worlds[world])?;
    let ready: Ready<u64> = Ready::new(law, claims, Layout::new(first_widths(law)));
    explore_ready(law, world, ready, starts, bounds, use_it)
}

/// Explores what two laws have in common of a world, from starts that both have, and where they part.
pub fn explore_beside<'l, 'p, T>(
    law: &'l Law<'p>,
    world: usize,
    beside: Beside<'l, 'p>,
    starts: Vec<State>,
    bounds: &Bounds,
    use_it: impl FnOnce(Explored) -> T,
) -> Result<T, (Code, String)> {
    let ready: Ready<u64> = Ready::with(law, beside, Layout::new(first_widths(law)));
    explore_ready(law, world, ready, starts, bounds, use_it)
}

fn explore_ready<'l, 'p, T>(
    law: &'l Law<'p>,
    world: usize,
    ready: Ready<'l, 'p, u64>,
    starts: Vec<State>,
    bounds: &Bounds,
    use_it: impl FnOnce(Explored) -> T,
) -> Result<T, (Code, String)> {
    let name = &law.program.worlds[world].name;
    match attempt(ready, &starts, bounds, name)? {
        Attempt::Done(ready, found) => Ok(use_it(Explored { law, world, run: &mut Run64 { ready: *ready, found } })),
        Attempt::Wide(ready) => match attempt::<u128>(*ready, &starts, bounds, name)? {
            Attempt::Done(ready, found) => {
                Ok(use_it(Explored { law, world, run: &mut Run128 { ready: *ready, found } }))
            }
            Attempt::Wide(_) => Err((Code::L301, "a state of this world needs more than 127 bits".into())),
        },
    }
}

/// Places in the first key, which must fit it however many slots there are; what needs more is given more later.
fn first_widths(law: &Law) -> Vec<u32> {
    let others = law.components() - law.slots;
    let room = (<u64 as Key>::BITS as usize).saturating_sub(OTHER_WIDTH as usize * others);
    let slot = room.checked_div(law.slots).map_or(SLOT_WIDTH, |each| (each as u32).clamp(1, SLOT_WIDTH));
    (0..law.components()).map(|c| if c < law.slots { slot } else { OTHER_WIDTH }).collect()
}

/// Bits of a slot, and of any other component, at first.
const SLOT_WIDTH: u32 = 7;
const OTHER_WIDTH: u32 = 4;

enum Attempt<'l, 'p, K> {
    Done(Box<Ready<'l, 'p, K>>, Searched<K>),
    Wide(Box<Ready<'l, 'p, u128>>),
}

/// Searches, with wider places in the key as often as a component outgrows its own. Nothing learned is lost.
fn attempt<'l, 'p, K: Key>(
    mut ready: Ready<'l, 'p, K>,
    starts: &[State],
    bounds: &Bounds,
    name: &str,
) -> Result<Attempt<'l, 'p, K>, (Code, String)> {
    loop {
        let keys: Result<Vec<K>, Miss> = starts.iter().map(|s| ready.key(s)).collect();
        let missed = match keys.and_then(|keys| search(&mut ready, &keys, bounds, name)) {
            Ok(found) => return Ok(Attempt::Done(Box::new(ready), found)),
            Err(Miss::Fault(code, what)) => return Err((code, what)),
            Err(Miss::Narrow(c)) => c,
        };
        // Each component gets room for what it has and as much again; the one that was too narrow for four times that.
        let widths: Vec<u32> = ready
            .words()
            .iter()
            .zip(&ready.walk.layout.widths)
            .enumerate()
            .map(|(c, (words, old))| {
                let needed = usize::BITS - words.leading_zeros() + u32::from(c == missed) + 1;
                needed.max(if c == missed { old + 1 } else { 0 })
            })
            .collect();
        let layout = Layout::new(widths);
        let fault = |m: Miss| match m {
            Miss::Fault(code, what) => (code, what),
            Miss::Narrow(_) => (Code::L301, "a component outgrew its place twice".to_string()),
        };
        if layout.bits() <= K::BITS {
            ready = ready.relay(layout).map_err(fault)?;
        } else if K::BITS < u128::BITS && layout.bits() <= <u128 as Key>::BITS {
            return Ok(Attempt::Wide(Box::new(ready.relay(layout).map_err(fault)?)));
        } else {
            return Err((
                Code::L301,
                format!("a state of world {name} needs {} bits, the limit is 127", layout.bits()),
            ));
        }
    }
}

struct Run64<'l, 'p> {
    ready: Ready<'l, 'p, u64>,
    found: Searched<u64>,
}
struct Run128<'l, 'p> {
    ready: Ready<'l, 'p, u128>,
    found: Searched<u128>,
}

/// What can be asked of a finished search, whatever its key.
pub trait Finished {
    /// States, steps, depth.
    fn counts(&self) -> (u64, u64, u32);
    /// The sum, over all steps, of the number of each one's events.
    fn events(&self) -> u64;
    /// Complete, and if not why; interrupted.
    fn ending(&self) -> (bool, Option<String>, bool);
    /// Bytes of visited set and levels.
    fn bytes(&self) -> u64;
    /// First hits: bit and level.
    fn hits(&self) -> Vec<(u16, u32)>;
    /// The shortest play to a hit.
    fn path(&self, bit: u16) -> Option<Path>;
    /// The states of a shortest way to a hit of a state.
    fn states_to(&self, bit: u16) -> Option<Vec<State>>;
    /// The law beside, if there is one.
    fn beside(&self) -> Option<&Beside<'_, '_>>;
    /// The properties.
    fn claims(&self) -> &Claims<'_>;
    /// Every state, unpacked, by content.
    fn states(&self) -> Vec<State>;
    /// Shows every state.
    fn each_state(&self, see: &mut dyn FnMut(&State));
    /// The same world by Stateright: unique states, steps, bits met.
    fn stateright(&mut self, threads: usize, judged: bool) -> super::stateright::Counted;
    /// Drops the levels but the first: no play is asked for any more.
    fn forget(&mut self);
    /// States again by our search alone, everything being ready.
    fn again(&mut self, threads: usize) -> u64;
}

macro_rules! finished {
    ($($run:ident),*) => { $(
        impl Finished for $run<'_, '_> {
            fn counts(&self) -> (u64, u64, u32) { (self.found.states, self.found.steps, self.found.depth) }
            fn events(&self) -> u64 { self.found.events }
            fn ending(&self) -> (bool, Option<String>, bool) {
                (self.found.complete, self.found.why.clone(), self.found.interrupted)
            }
            fn bytes(&self) -> u64 { self.found.bytes }
            fn hits(&self) -> Vec<(u16, u32)> { self.found.hits.iter().map(|h| (h.bit, h.level)).collect() }
            fn path(&self, bit: u16) -> Option<Path> {
                path(&self.ready, &self.found, self.found.hits.iter().find(|h| h.bit == bit)?)
            }
            fn states_to(&self, bit: u16) -> Option<Vec<State>> {
                states_to(&self.ready, &self.found, self.found.hits.iter().find(|h| h.bit == bit)?)
            }
            fn beside(&self) -> Option<&Beside<'_, '_>> { self.ready.beside.as_deref() }
            fn claims(&self) -> &Claims<'_> { &self.ready.claims }
            fn states(&self) -> Vec<State> {
                self.found.levels.iter().flatten().filter_map(|k| self.ready.state_of(*k)).collect()
            }
            fn each_state(&self, see: &mut dyn FnMut(&State)) {
                self.found.levels.iter().flatten().filter_map(|k| self.ready.state_of(*k)).for_each(|st| see(&st));
            }
            fn stateright(&mut self, threads: usize, judged: bool) -> super::stateright::Counted {
                super::stateright::count(&mut self.ready.walk, &self.ready.verdicts, &self.found.levels[0], threads, judged)
            }
            fn forget(&mut self) { self.found.levels.truncate(1); self.found.levels.shrink_to_fit(); }
            fn again(&mut self, threads: usize) -> u64 {
                let stop = AtomicBool::new(false);
                let bounds = Bounds { threads, states_max: None, depth_limit: None, memory_max: None, stop: &stop, progress: None };
                let starts = self.found.levels[0].clone();
                search(&mut self.ready, &starts, &bounds, "").map_or(0, |f| f.states)
            }
        }
    )* };
}
finished!(Run64, Run128);

/// A finished search with its law.
pub struct Explored<'a> {
    /// The law.
    pub law: &'a Law<'a>,
    /// The world, a place in the program.
    pub world: usize,
    /// The search.
    pub run: &'a mut dyn Finished,
}
