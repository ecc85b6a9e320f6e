//! A world from its text to its results: positions of the start, layout of the key, search, plays.

use super::key::{Key, Layout};
use super::ready::{Miss, Ready};
use super::search::{search, Bounds, Progress, Searched};
use super::trace::{path, Path};
use crate::game::record::State;
use crate::judge::play::{Finding, Play, PlayStep, RuleAtWork, WorldResult};
use crate::lang::ast::PropertyKind;
use crate::lang::diag::Code;
use crate::lang::tracked::{speaks_of, tracked, Tracked};
use crate::lang::tree::{CardId, Program, World, Zone};
use crate::law::claims::{hit_bit, premise_bit, Claims};
use crate::law::ground::{Dealt, Law, Setting};
use crate::law::names;
use crate::law::step::{settle_start, Outcome};
use crate::law::verbs::Did;
use itertools::Itertools;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Which engine explores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    /// Ours.
    Own,
    /// Stateright's breadth-first checker over the same compiled steps.
    Stateright,
    /// The slow referee.
    Referee,
}

/// How to explore.
pub struct ExploreOptions {
    /// Threads.
    pub threads: usize,
    /// Which engine.
    pub engine: EngineKind,
    /// Stop after a level once so many states are known.
    pub limit_states: Option<u64>,
    /// Stop after so many levels.
    pub limit_depth: Option<u32>,
    /// Stop after a level once so many bytes are held.
    pub memory: Option<u64>,
    /// Set by an interrupt.
    pub stop: Arc<AtomicBool>,
    /// Told how far it is.
    pub progress: Option<Box<dyn Fn(&Progress) + Sync>>,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        ExploreOptions {
            threads: 1,
            engine: EngineKind::Own,
            limit_states: None,
            limit_depth: None,
            memory: None,
            stop: Arc::default(),
            progress: None,
        }
    }
}

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
    Claims { list: all.filter(|(i, _)| speaks_of(program, *i, world)).collect() }
}

/// Explores a world with our own engine, and hands the result over while everything is still there.
pub fn explore<T>(
    program: &Program, world: usize, claims: Claims, options: &ExploreOptions, use_it: impl FnOnce(Explored) -> T,
) -> Result<T, (Code, String)> {
    let law = Law::new(program, setting(program, world));
    let starts = starts(&law, &program.worlds[world])?;
    let mut widths = vec![4u32; law.components()];
    widths.iter_mut().take(law.slots).for_each(|w| *w = 7);
    let ready: Ready<u64> = Ready::new(&law, claims, Layout::new(widths));
    let name = &program.worlds[world].name;
    match attempt(ready, &starts, options, name)? {
        Attempt::Done(ready, found) => Ok(use_it(Explored { law: &law, program, run: &mut Run64 { ready: *ready, found } })),
        Attempt::Wide(ready) => match attempt::<u128>(*ready, &starts, options, name)? {
            Attempt::Done(ready, found) => Ok(use_it(Explored { law: &law, program, run: &mut Run128 { ready: *ready, found } })),
            Attempt::Wide(_) => Err((Code::L301, "a state of this world needs more than 127 bits".into())),
        },
    }
}

enum Attempt<'l, 'p, K> {
    Done(Box<Ready<'l, 'p, K>>, Searched<K>),
    Wide(Box<Ready<'l, 'p, u128>>),
}

/// Searches, with wider places in the key as often as a component outgrows its own. Nothing learned is lost.
fn attempt<'l, 'p, K: Key>(
    mut ready: Ready<'l, 'p, K>, starts: &[State], options: &ExploreOptions, name: &str,
) -> Result<Attempt<'l, 'p, K>, (Code, String)> {
    let tell = options.progress.as_deref().map(|p| p as &(dyn Fn(&Progress) + Sync));
    let bounds = Bounds {
        threads: options.threads,
        states_max: options.limit_states,
        depth_limit: options.limit_depth,
        memory_max: options.memory,
        stop: &options.stop,
        progress: tell,
    };
    loop {
        let keys: Result<Vec<K>, Miss> = starts.iter().map(|s| ready.key(s)).collect();
        let missed = match keys.and_then(|keys| search(&mut ready, &keys, &bounds, name)) {
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
            return Err((Code::L301, format!("a state of world {name} needs {} bits, the limit is 127", layout.bits())));
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
    /// Complete, and if not why; interrupted.
    fn ending(&self) -> (bool, Option<String>, bool);
    /// Bytes of visited set and levels.
    fn bytes(&self) -> u64;
    /// First hits: bit and level.
    fn hits(&self) -> Vec<(u16, u32)>;
    /// The shortest play to a hit.
    fn path(&self, bit: u16) -> Option<Path>;
    /// The properties.
    fn claims(&self) -> &Claims<'_>;
    /// Every state, unpacked, by content.
    fn states(&self) -> Vec<State>;
    /// What was learned: words of each component, leaves, outcomes.
    fn learned(&self) -> (Vec<usize>, usize, usize);
    /// Leaves of each tree.
    fn leaves_by_group(&self) -> Vec<u32>;
    /// The same world by Stateright: unique states, steps, bits met.
    fn stateright(&mut self, threads: usize, judged: bool) -> super::stateright::Counted;
    /// States again by our search alone, everything being ready.
    fn again(&mut self, threads: usize) -> u64;
}

macro_rules! finished {
    ($($run:ident),*) => { $(
        impl Finished for $run<'_, '_> {
            fn counts(&self) -> (u64, u64, u32) { (self.found.states, self.found.steps, self.found.depth) }
            fn ending(&self) -> (bool, Option<String>, bool) {
                (self.found.complete, self.found.why.clone(), self.found.interrupted)
            }
            fn bytes(&self) -> u64 { self.found.bytes }
            fn hits(&self) -> Vec<(u16, u32)> { self.found.hits.iter().map(|h| (h.bit, h.level)).collect() }
            fn path(&self, bit: u16) -> Option<Path> {
                path(&self.ready, &self.found, self.found.hits.iter().find(|h| h.bit == bit)?)
            }
            fn claims(&self) -> &Claims<'_> { &self.ready.claims }
            fn states(&self) -> Vec<State> {
                self.found.levels.iter().flatten().filter_map(|k| self.ready.state_of(*k)).collect()
            }
            fn learned(&self) -> (Vec<usize>, usize, usize) {
                let (leaves, outs) = self.ready.learned();
                (self.ready.words(), leaves, outs)
            }
            fn leaves_by_group(&self) -> Vec<u32> { self.ready.leaves_by_group().to_vec() }
            fn stateright(&mut self, threads: usize, judged: bool) -> super::stateright::Counted {
                super::stateright::count(&mut self.ready.walk, &self.ready.verdicts, &self.found.levels[0], threads, judged)
            }
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
    /// The program.
    pub program: &'a Program,
    /// The search.
    pub run: &'a mut dyn Finished,
}

/// Names of the attributes that a world's states leave out.
pub fn left_out(program: &Program, t: &Tracked) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for (kept, name) in [(t.known, "who knows what"), (t.stamps, "stamps"), (t.home, "home"), (t.damage, "damage")] {
        if !kept {
            list.push(name.to_string());
        }
    }
    for (i, k) in program.counters.iter().enumerate().filter(|(i, _)| t.counters >> i & 1 == 0) {
        let _ = i;
        list.push(format!("{} counters", k.name));
    }
    for (_, m) in program.markers.iter().enumerate().filter(|(i, _)| t.markers >> i & 1 == 0) {
        list.push(format!("{} {}", if m.ghost { "ghost" } else { "marker" }, m.name));
    }
    list
}

/// A path with names.
pub fn tell(law: &Law, world: &str, path: &Path) -> Play {
    let program = law.program;
    let start = path
        .start
        .slots
        .iter()
        .enumerate()
        .filter(|(_, r)| r.card.is_some())
        .map(|(i, r)| {
            let zone = r.zone.map_or("nowhere", names::zone);
            format!("{} in {} of {}", names::object(law, &path.start, i as u8), zone, names::player(law, r.owner))
        })
        .collect();
    let mut before = path.start.clone();
    let mut steps = Vec::new();
    for outcome in &path.steps {
        steps.push(tell_step(law, &before, outcome));
        before = outcome.state.clone();
    }
    Play {
        world: world.to_string(),
        edition: program.edition.map_or_else(String::new, |d| format!("{:04}-{:02}-{:02}", d.year, d.month, d.day)),
        readings: program.readings.iter().map(|(r, v)| format!("{r}={v}")).collect(),
        start,
        steps,
    }
}

/// One step with names.
pub fn tell_step(law: &Law, before: &State, outcome: &Outcome) -> PlayStep {
    let program = law.program;
    let cost = match outcome.label {
        crate::law::step::Label::Offer(_, _, _, c) => Some(names::cost_of(law, c)),
        _ => None,
    };
    let rules = outcome
        .notes
        .iter()
        .map(|n| {
            let rule = &program.rules[program.clauses[n.clause.index()].rule.index()];
            let carrier = usize::from(n.carrier) < before.slots.len() && n.did != Did::Checked;
            RuleAtWork {
                did: did(n.did).to_string(),
                name: rule.name.clone(),
                cites: rule.cites.clone(),
                carrier: carrier.then(|| names::object(law, &outcome.state, n.carrier)),
            }
        })
        .collect();
    PlayStep {
        player: names::actor(law, outcome.label),
        action: names::action(law, before, outcome.label),
        cost,
        choices: outcome.choices.iter().map(|c| names::choice(law, before, c)).collect(),
        rules,
        events: outcome.happenings.iter().filter(|h| h.done).map(|h| names::happening(law, h)).collect(),
        changes: names::changes(law, before, &outcome.state),
        replay: names::replay_line(law, before, outcome),
    }
}

fn did(d: Did) -> &'static str {
    match d {
        Did::Permitted => "permitted",
        Did::Forbade => "forbade",
        Did::Replaced => "replaced",
        Did::Before => "before",
        Did::As => "as",
        Did::Triggered => "triggered",
        Did::Checked => "checked",
        Did::Resolved => "resolved",
    }
}

/// Explores a world and says what became of each property that speaks of it.
pub fn run_world(program: &Program, world: usize, options: &ExploreOptions) -> Result<WorldResult, (Code, String)> {
    let began = std::time::Instant::now();
    let name = program.worlds[world].name.clone();
    let mut result = explore(program, world, claims(program, world), options, |e| {
        let (unique_states, steps, depth) = e.run.counts();
        let (complete, why, interrupted) = e.run.ending();
        let mut findings: Vec<Option<Finding>> = vec![None; program.properties.len()];
        let hits = e.run.hits();
        for (i, (place, property)) in e.run.claims().list.iter().enumerate() {
            let met = |bit: u16| hits.iter().any(|(b, _)| *b == bit);
            let mut finding = Finding { premise_reached: met(premise_bit(i)), ..Finding::default() };
            if met(hit_bit(i)) {
                let play = e.run.path(hit_bit(i)).map(|p| tell(e.law, &name, &p));
                match property.kind {
                    PropertyKind::Witness => finding.reached = play,
                    PropertyKind::Property | PropertyKind::Conjecture => finding.violated = play,
                }
            }
            findings[*place] = Some(finding);
        }
        WorldResult {
            name: name.clone(),
            unique_states,
            steps,
            depth,
            complete,
            why,
            interrupted,
            findings,
            left_out: left_out(program, &e.law.setting.tracked),
            seconds: 0.0,
            bytes_per_state: e.run.bytes() as f64 / unique_states.max(1) as f64,
            threads: options.threads,
            engine: "own".into(),
        }
    })?;
    result.seconds = began.elapsed().as_secs_f64();
    Ok(result)
}
