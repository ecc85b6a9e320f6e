//! A world from its text to its results: positions of the start, layout of the key, search, plays.

use super::beside::Beside;
use super::bounds::Bounds;
use super::compiled::Compiled;
use super::disk::checkpoint::Checkpoint;
use super::disk::files::Fault;
use super::disk::levels::Level;
use super::exchange::Uneven;
use super::firings::Firings;
use super::kept::Kept;
use super::key::{Key, Layout, Word};
use super::ready::{Miss, Ready};
use super::save::{Open, Trouble, take_up};
use super::search::{EFFORT_A_STATE, Halt, Measured, Searched, search};
use super::symmetry::{Alike, Exchange, Symmetry};
use super::trace::{Path, path, states_to};
use crate::game::record::{Obj, State};
use crate::lang::diag::Code;
use crate::lang::tracked::{speaks_of, tracked};
use crate::lang::tree::{CardId, Program, RuleId, World, Zone};
use crate::law::claims::Claims;
use crate::law::ground::{Dealt, Law, Setting};
use crate::law::step::settle_start;
use itertools::Itertools;
use std::hash::{Hash, Hasher};

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
    let mut exchange = match bounds.symmetry {
        Alike::Apart => None,
        Alike::Together => Some(Exchange::of(&law.program.worlds[world].starts, law.slots)),
    };
    let (mut claims, mut use_it, mut open) = (claims, Some(use_it), None);
    loop {
        let mut ready: Ready<u64> = Ready::new(law, claims, Layout::new(first_radices(law)));
        ready.firings = bounds.firings.then(Firings::default);
        if let Some(exchange) = &exchange {
            ready = ready.exchanging(exchange.clone());
            ready.dealt.clone_from(&starts);
        }
        let used = |explored: Explored| use_it.take().map(|use_it| use_it(explored));
        match explore_ready(law, world, ready, (&starts, open), bounds, used)? {
            Ended::Used(Some(used)) => return Ok(used),
            Ended::Used(None) => return Err((Code::L301, "a world was explored twice".into())),
            Ended::Uneven(uneven) => {
                claims = uneven.claims;
                open = uneven.checkpoint;
                exchange = Some(uneven.exchange.without(uneven.why));
            }
        }
    }
}

/// How an exploration ended.
enum Ended<'p, T> {
    /// Its result was made use of.
    Used(T),
    /// Slots that were to be exchanged are told apart.
    Uneven(Box<Anew<'p>>),
}

/// What is needed to explore anew.
struct Anew<'p> {
    claims: Claims<'p>,
    exchange: Exchange,
    why: Uneven,
    checkpoint: Option<Checkpoint>,
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
    let ready: Ready<u64> = Ready::with(law, beside, Layout::new(first_radices(law)));
    match explore_ready(law, world, ready, (&starts, None), bounds, use_it)? {
        Ended::Used(used) => Ok(used),
        Ended::Uneven(uneven) => Err((Code::L301, uneven.why.what)),
    }
}

fn explore_ready<'l, 'p, T>(
    law: &'l Law<'p>,
    world: usize,
    mut ready: Ready<'l, 'p, u64>,
    (starts, held): (&[State], Option<Checkpoint>),
    bounds: &Bounds,
    use_it: impl FnOnce(Explored) -> T,
) -> Result<Ended<'p, T>, (Code, String)> {
    let name = &law.program.worlds[world].name;
    let mut open = match (held, bounds.save) {
        (Some(checkpoint), _) => Some(Open { checkpoint, found: None }),
        (None, Some(save)) => Some(save.open(name).map_err(trouble)?),
        (None, None) => None,
    };
    let found = open.as_mut().and_then(|o| o.found.take());
    if let Some((saved, found)) = &found {
        ready = saved.exchanging(ready, found).map_err(trouble)?;
    }
    let checkpoint = open.map(|o| o.checkpoint);
    if checkpoint.is_some() {
        ready.diary = Some(Vec::new());
    }
    let mut asked = Asked { starts, bounds, name, checkpoint };
    let attempted = match found {
        Some((saved, found)) if saved.wide => {
            let mut ready = ready.relay::<u128>(Layout::new(first_radices(law))).map_err(missed)?;
            asked.numbered(&mut ready)?;
            let (ready, kept) = take_up(ready, &saved, &found).map_err(trouble)?;
            Attempt::Wide(Box::new(ready), Some(kept))
        }
        Some((saved, found)) => {
            asked.numbered(&mut ready)?;
            let (ready, kept) = take_up(ready, &saved, &found).map_err(trouble)?;
            asked.attempt(ready, Some(kept))?
        }
        None => asked.attempt(ready, None)?,
    };
    match attempted {
        Attempt::Uneven(uneven) => Ok(asked.anew(uneven)),
        Attempt::Done(ready, found) => {
            let run = &mut Run64 { ready: *ready, found };
            Ok(Ended::Used(use_it(Explored { law, world, run })))
        }
        Attempt::Wide(ready, kept) => match asked.attempt::<u128>(*ready, kept)? {
            Attempt::Uneven(uneven) => Ok(asked.anew(uneven)),
            Attempt::Done(ready, found) => {
                let run = &mut Run128 { ready: *ready, found };
                Ok(Ended::Used(use_it(Explored { law, world, run })))
            }
            Attempt::Wide(..) => Err((Code::L301, "a state of this world needs more than 127 bits".into())),
        },
    }
}

/// How many numbers each component may have at first, which must fit the narrower key however many slots there are; what
/// needs more is given more later.
fn first_radices(law: &Law) -> Vec<u32> {
    let others = law.components() - law.slots;
    let room = (<u64 as Word>::BITS as usize).saturating_sub(OTHER_BITS as usize * others);
    let slot = room.checked_div(law.slots).map_or(SLOT_BITS, |each| (each as u32).clamp(1, SLOT_BITS));
    (0..law.components()).map(|c| 1 << if c < law.slots { slot } else { OTHER_BITS }).collect()
}

/// Bits of a slot, and of any other component, at first.
const SLOT_BITS: u32 = 7;
const OTHER_BITS: u32 = 4;

fn trouble(trouble: Trouble) -> (Code, String) {
    match trouble {
        Trouble::Miss(miss) => missed(miss),
        other => (Code::L304, other.to_string()),
    }
}

fn missed(miss: Miss) -> (Code, String) {
    match miss {
        Miss::Fault(code, what) => (code, what),
        Miss::Narrow(_) => (Code::L301, "a component outgrew its place twice".to_string()),
        Miss::Uneven(uneven) => (Code::L301, uneven.what),
    }
}

enum Attempt<'l, 'p, K> {
    Done(Box<Ready<'l, 'p, K>>, Searched<K>),
    Wide(Box<Ready<'l, 'p, u128>>, Option<Kept<u128>>),
    Uneven(Box<Anew<'p>>),
}

/// What a search is asked.
struct Asked<'a> {
    starts: &'a [State],
    bounds: &'a Bounds<'a>,
    name: &'a str,
    checkpoint: Option<Checkpoint>,
}

impl Asked<'_> {
    /// What was begun can't be ended; its checkpoint is for what comes instead.
    fn anew<'p, T>(self, mut anew: Box<Anew<'p>>) -> Ended<'p, T> {
        anew.checkpoint = self.checkpoint;
        Ended::Uneven(anew)
    }

    /// Gives the records of the starts their numbers, as the first attempt did.
    fn numbered<K: Key>(&self, ready: &mut Ready<K>) -> Result<(), (Code, String)> {
        for start in self.starts {
            match ready.key(start) {
                Ok(_) | Err(Miss::Narrow(_)) => {}
                Err(miss) => return Err(missed(miss)),
            }
        }
        Ok(())
    }

    /// Searches, with more room in the key as often as a component outgrows its own. Nothing found or learned is lost.
    fn attempt<'l, 'p, K: Key>(
        &mut self,
        mut ready: Ready<'l, 'p, K>,
        mut kept: Option<Kept<K>>,
    ) -> Result<Attempt<'l, 'p, K>, (Code, String)> {
        let disk = |fault: Fault| (Code::L304, fault.to_string());
        loop {
            let begun = match kept.take() {
                Some(kept) => Ok(kept),
                None => {
                    let keys: Result<Vec<K>, Miss> = self.starts.iter().map(|s| ready.key(s)).collect();
                    match keys.map(|keys| keys.into_iter().map(|k| ready.canonical(k)).collect()) {
                        Ok(keys) => Ok(Kept::starts(keys).map_err(disk)?),
                        Err(miss) => Err(miss),
                    }
                }
            };
            let missed = match begun {
                Err(miss) => miss,
                Ok(begun) => {
                    match search(&mut ready, begun, self.bounds, self.checkpoint.as_mut(), self.name).map_err(|e| *e) {
                        Ok(found) => return Ok(Attempt::Done(Box::new(ready), found)),
                        Err((Halt::Disk(fault), _)) => return Err(disk(fault)),
                        Err((Halt::Memory(least), _)) => return Err((Code::L302, too_little(self.name, least))),
                        Err((Halt::Miss(miss), back)) => {
                            kept = Some(back);
                            miss
                        }
                    }
                }
            };
            let narrow = match missed {
                Miss::Narrow(c) => c,
                Miss::Uneven(why) => {
                    let exchange = ready.symmetry.as_ref().map_or_else(Exchange::default, Symmetry::exchange);
                    let anew = Anew { claims: ready.claims, exchange, why, checkpoint: None };
                    return Ok(Attempt::Uneven(Box::new(anew)));
                }
                miss @ Miss::Fault(..) => return Err(self::missed(miss)),
            };
            let old = ready.walk.layout.clone();
            let layout = Layout::new(wider(&ready.words(), &old.radices, narrow));
            let bits = layout.bits();
            if bits <= K::BITS {
                ready = ready.relay(layout).map_err(self::missed)?;
                let new = &ready.walk.layout;
                kept = kept.map(|k| k.recode(&old, new, self.checkpoint.as_ref())).transpose().map_err(disk)?;
            } else if K::BITS < <u128 as Word>::BITS && bits <= <u128 as Word>::BITS {
                let ready = ready.relay::<u128>(layout).map_err(self::missed)?;
                let new = &ready.walk.layout;
                let kept = kept.map(|k| k.recode(&old, new, self.checkpoint.as_ref())).transpose().map_err(disk)?;
                return Ok(Attempt::Wide(Box::new(ready), kept));
            } else {
                return Err((
                    Code::L301,
                    format!("a state of world {} needs {bits} bits, the limit is 127", self.name),
                ));
            }
        }
    }
}

/// Room for what each component has and a quarter more; for the one that was too narrow, as much again.
fn wider(words: &[usize], old: &[u32], narrow: usize) -> Vec<u32> {
    let each = words.iter().zip(old).enumerate();
    each.map(|(c, (words, old))| {
        let words = *words as u32;
        if c == narrow { words.max(*old).saturating_mul(2) } else { words + words / 4 + 2 }
    })
    .collect()
}

fn too_little(world: &str, least: u64) -> String {
    format!(
        "what is learned of world {world} and the least that a search on disk needs are {} MiB together so far: allow more than that with --memory",
        least.div_ceil(1 << 20)
    )
}

struct Run64<'l, 'p> {
    ready: Ready<'l, 'p, u64>,
    found: Searched<u64>,
}
struct Run128<'l, 'p> {
    ready: Ready<'l, 'p, u128>,
    found: Searched<u128>,
}

/// What can be asked of a finished search, whatever its key. Where levels are in files, these must still be readable.
pub trait Finished {
    /// States, steps, depth.
    fn counts(&self) -> (u64, u64, u32);
    /// The sum, over all steps, of the number of each one's events.
    fn events(&self) -> u64;
    /// Complete, and if not why; interrupted.
    fn ending(&self) -> (bool, Option<String>, bool);
    /// States and steps of each level.
    fn levels(&self) -> Vec<(u64, u64)>;
    /// What was measured.
    fn measured(&self) -> &Measured;
    /// First hits: bit and level.
    fn hits(&self) -> Vec<(u16, u32)>;
    /// The shortest play to a hit.
    fn path(&self, bit: u16) -> Result<Option<Path>, Fault>;
    /// The states of a shortest way to a hit of a state.
    fn states_to(&self, bit: u16) -> Result<Option<Vec<State>>, Fault>;
    /// The law beside, if there is one.
    fn beside(&self) -> Option<&Beside<'_, '_>>;
    /// The properties.
    fn claims(&self) -> &Claims<'_>;
    /// If interchangeable objects were explored once: the permutations that exchange them.
    fn permutations(&self) -> Option<&[Vec<Obj>]>;
    /// Why some that may be the same are not exchanged, a sentence each.
    fn told_apart(&self) -> &[String];
    /// How often each rule did something, in all steps; none if that was not noted or not every step was taken.
    fn firings(&self) -> Result<Option<Vec<(RuleId, u64)>>, Fault>;
    /// Shows every state.
    fn each_state(&self, see: &mut dyn FnMut(State)) -> Result<(), Fault>;
    /// A checksum of the order in which states stand in each level.
    fn order(&self) -> Result<u64, Fault>;
    /// The same world by Stateright: unique states, steps, bits met.
    fn stateright(&mut self, threads: usize, judged: bool) -> Result<super::stateright::Counted, Fault>;
    /// The search once more, everything being learned: states, steps, sum of events, depth. What is measured is that of
    /// this search from then on.
    fn again(&mut self, bounds: &Bounds) -> Result<(u64, u64, u64, u32), String>;
    /// The steps of all states once more without looking any of them up: steps, and a sum of the keys they lead to.
    fn steps_alone(&self) -> Result<(u64, u64), Fault>;
    /// Lays out all that was learned, for what is done with it from then on.
    fn lay_out(&mut self);
}

macro_rules! finished {
    ($($run:ident),*) => { $(
        impl Finished for $run<'_, '_> {
            fn counts(&self) -> (u64, u64, u32) { (self.found.states, self.found.tally.steps, self.found.depth) }
            fn events(&self) -> u64 { self.found.tally.events }
            fn ending(&self) -> (bool, Option<String>, bool) {
                (self.found.complete, self.found.why.clone(), self.found.interrupted)
            }
            fn levels(&self) -> Vec<(u64, u64)> {
                let steps = self.found.tally.by_level.iter().copied().chain(std::iter::repeat(0));
                self.found.levels.iter().map(Level::len).zip(steps).collect()
            }
            fn measured(&self) -> &Measured { &self.found.measured }
            fn hits(&self) -> Vec<(u16, u32)> { self.found.tally.hits.iter().map(|h| (h.bit, h.level)).collect() }
            fn path(&self, bit: u16) -> Result<Option<Path>, Fault> {
                match self.found.tally.hits.iter().find(|h| h.bit == bit) {
                    Some(hit) => path(&self.ready, &self.found, hit),
                    None => Ok(None),
                }
            }
            fn states_to(&self, bit: u16) -> Result<Option<Vec<State>>, Fault> {
                match self.found.tally.hits.iter().find(|h| h.bit == bit) {
                    Some(hit) => states_to(&self.ready, &self.found, hit),
                    None => Ok(None),
                }
            }
            fn beside(&self) -> Option<&Beside<'_, '_>> { self.ready.beside.as_deref() }
            fn claims(&self) -> &Claims<'_> { &self.ready.claims }
            fn permutations(&self) -> Option<&[Vec<Obj>]> {
                self.ready.symmetry.as_ref().map(Symmetry::permutations)
            }
            fn told_apart(&self) -> &[String] { self.ready.symmetry.as_ref().map_or(&[], Symmetry::told_apart) }
            fn firings(&self) -> Result<Option<Vec<(RuleId, u64)>>, Fault> {
                let Some(firings) = &self.ready.firings else { return Ok(None) };
                let Searched { levels, tally, .. } = &self.found;
                let expanded = &levels[..tally.by_level.len().min(levels.len())];
                firings.count(&self.ready.walk, expanded, tally.steps)
            }
            fn each_state(&self, see: &mut dyn FnMut(State)) -> Result<(), Fault> {
                each_key(&self.found.levels, |k| self.ready.state_of(k).into_iter().for_each(&mut *see))
            }
            fn order(&self) -> Result<u64, Fault> {
                let mut hasher = rustc_hash::FxHasher::default();
                each_key(&self.found.levels, |k| k.hash(&mut hasher))?;
                Ok(hasher.finish())
            }
            fn stateright(&mut self, threads: usize, judged: bool) -> Result<super::stateright::Counted, Fault> {
                let starts = all(&self.found.levels[..1])?;
                Ok(super::stateright::count(&mut self.ready, starts, threads, judged))
            }
            fn again(&mut self, bounds: &Bounds) -> Result<(u64, u64, u64, u32), String> {
                let starts = all(&self.found.levels[..1]).and_then(Kept::starts).map_err(|f| f.to_string())?;
                let f = search(&mut self.ready, starts, bounds, None, "").map_err(|e| format!("{:?}", e.0))?;
                self.found.measured = f.measured;
                Ok((f.states, f.tally.steps, f.tally.events, f.depth))
            }
            fn steps_alone(&self) -> Result<(u64, u64), Fault> {
                steps_alone(&self.ready, &self.found.levels)
            }
            fn lay_out(&mut self) {
                self.ready.compiled = Compiled::of(&self.ready.walk, EFFORT_A_STATE * self.found.states);
            }
        }
    )* };
}
finished!(Run64, Run128);

fn each_key<K: Key>(levels: &[Level<K>], mut see: impl FnMut(K)) -> Result<(), Fault> {
    let mut keys = Vec::new();
    for level in levels {
        for block in 0..level.blocks() {
            level.decode_block(block, &mut keys)?;
            keys.iter().copied().for_each(&mut see);
        }
    }
    Ok(())
}

fn all<K: Key>(levels: &[Level<K>]) -> Result<Vec<K>, Fault> {
    let mut keys = Vec::new();
    each_key(levels, |k| keys.push(k))?;
    Ok(keys)
}

/// The inner loop without its lookups: what the rules alone cost.
fn steps_alone<K: Key>(ready: &Ready<K>, levels: &[Level<K>]) -> Result<(u64, u64), Fault> {
    let mut glance = ready.compiled.glance(&ready.walk);
    let (mut steps, mut sum) = (0, K::narrow(0));
    each_key(levels, |key| {
        ready.compiled.look(&ready.walk.layout, key, &mut glance, |_, made| {
            if let Some(made) = made {
                steps += u64::from(made.steps);
                sum = ready.compiled.moves(made).iter().fold(sum, |sum, d| sum.plus(key.plus(*d)));
            }
        });
    })?;
    Ok((steps, sum.widen() as u64))
}

/// A finished search with its law.
pub struct Explored<'a> {
    /// The law.
    pub law: &'a Law<'a>,
    /// The world, a place in the program.
    pub world: usize,
    /// The search.
    pub run: &'a mut dyn Finished,
}
