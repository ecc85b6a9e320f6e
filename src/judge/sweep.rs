//! Sweeps: every combination of some effects over every choice of some cards, each a small world of its own that is
//! explored to its end. Broad where a big world is deep.
//!
//! **Positions.** A position is a world of two players: a card in the library of A, one in the hand of A, one in the
//! graveyard of A, as many of these as are asked for, in this order, each card in each place; both players may do each of
//! the effects at any time. It allows no answers (`budget stack 1`), one token and two counters of a kind.
//!
//! **Judged** is what speaks of every world. Positions of one choice of cards share all that was learned of the law
//! ([`crate::explore::sweep`]); choices of cards share nothing, so that no result depends on who was first.

use super::play::Play;
use super::world::{broken, tell};
use crate::explore::bounds::Bounds as SearchBounds;
use crate::explore::ready::Miss;
use crate::explore::sweep::{Atlas, Small, Stopped};
use crate::explore::world::{claims, explore_by, setting, starts};
use crate::lang::ast::{PropertyKind, Span};
use crate::lang::diag::Code;
use crate::lang::tracked::{Tracked, tracked};
use crate::lang::tree::{CardId, Limits, ProcedureId, Program, Start, Ty, World, Zone};
use crate::law::claims::{Claims, hit_bit, premise_bit};
use crate::law::ground::Law;
use itertools::Itertools;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where the cards of a position start, in order.
pub const PLACES: [Zone; 3] = [Zone::Library, Zone::Hand, Zone::Graveyard];
/// The most effects of a position.
pub const EFFECTS_MAX: usize = 4;
/// A position with more states is given up, unless another number is given.
pub const STATES_MAX: u64 = 1_000_000;
/// What positions budget.
const LIMITS: Limits = Limits { stack_budget: 1, tokens_budget: 1, counters_budget: 2, stack_cap: 4 };
/// Positions after which it is told how many are done.
const TOLD_EACH: u64 = 512;
/// Bytes of the stack of a worker.
const STACK_BYTES: usize = 32 << 20;

/// What is swept over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Effects, by name.
    pub effects: Vec<ProcedureId>,
    /// How many of them a position allows.
    pub allowed: usize,
    /// Cards, by name.
    pub cards: Vec<CardId>,
    /// How many of them a position deals.
    pub dealt: usize,
}

impl Asked {
    /// Every combination of effects, as places in the list.
    pub fn combinations(&self) -> Vec<Vec<usize>> {
        (0..self.effects.len()).combinations(self.allowed).collect()
    }

    /// Every choice of cards, one for each place.
    pub fn choices(&self) -> Vec<Vec<CardId>> {
        std::iter::repeat_n(self.cards.iter().copied(), self.dealt).multi_cartesian_product().collect()
    }
}

/// How it is run.
pub struct Bounds<'a> {
    /// Threads; 0: as many as the machine has.
    pub threads: usize,
    /// States of a position.
    pub states_max: u64,
    /// Set from outside when the user wants an end.
    pub stop: &'a AtomicBool,
    /// Told how many positions were explored since it was told last.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// A position: places in the lists of combinations and of choices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct At {
    /// Which combination of effects.
    pub combination: usize,
    /// Which choice of cards.
    pub choice: usize,
}

/// Where something is broken by the fewest steps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Least {
    steps: u32,
    /// The state in which, or from which, it is.
    content: String,
    at: At,
}

/// What was found in some positions.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Positions that were explored, to their end or not.
    pub positions: u64,
    /// Those that have more states than they may.
    pub over_limit: u64,
    /// Those in which a cap was met.
    pub capped: u64,
    /// The first position that was not explored to its end.
    pub first_incomplete: Option<At>,
    /// States of all of them.
    pub states: u64,
    /// Steps of all of them.
    pub steps: u64,
    /// The sum of the numbers of the events of all steps.
    pub events: u64,
    /// The greatest depth.
    pub depth: u32,
    /// The most states of a position, and the first that has them.
    pub largest: Option<(u64, At)>,
    /// For each property that is asked in how many its premise was met.
    premises: Vec<u64>,
    /// … and in how many it was hit.
    hits: Vec<u64>,
    least: Vec<Option<Least>>,
    /// Interrupted by the user.
    pub interrupted: bool,
}

impl Tally {
    fn new(properties: usize) -> Tally {
        Tally {
            premises: vec![0; properties],
            hits: vec![0; properties],
            least: vec![None; properties],
            ..Tally::default()
        }
    }

    fn position(&mut self, at: At, small: &Small) {
        self.positions += 1;
        self.over_limit += u64::from(small.stopped == Some(Stopped::States));
        self.capped += u64::from(small.stopped == Some(Stopped::Cap));
        if small.stopped.is_some() {
            self.first_incomplete = Some(self.first_incomplete.map_or(at, |first| first.min(at)));
        }
        self.states += small.states;
        self.steps += small.steps;
        self.events = self.events.wrapping_add(small.events);
        self.depth = self.depth.max(small.depth);
        self.largest = larger(self.largest, Some((small.states, at)));
    }

    fn add(&mut self, other: Tally) {
        self.positions += other.positions;
        self.over_limit += other.over_limit;
        self.capped += other.capped;
        self.first_incomplete = self.first_incomplete.into_iter().chain(other.first_incomplete).min();
        self.states += other.states;
        self.steps += other.steps;
        self.events = self.events.wrapping_add(other.events);
        self.depth = self.depth.max(other.depth);
        self.largest = larger(self.largest, other.largest);
        self.interrupted |= other.interrupted;
        for (mine, theirs) in [(&mut self.premises, other.premises), (&mut self.hits, other.hits)] {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        }
        for (mine, theirs) in self.least.iter_mut().zip(other.least) {
            *mine = mine.take().into_iter().chain(theirs).min();
        }
    }
}

/// The larger of two; of equal ones the first.
fn larger(a: Option<(u64, At)>, b: Option<(u64, At)>) -> Option<(u64, At)> {
    a.into_iter().chain(b).min_by_key(|(states, at)| (std::cmp::Reverse(*states), *at))
}

/// What became of a property.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its place in the program.
    pub property: usize,
    /// In how many positions its premise was met.
    pub premise: u64,
    /// In how many it was broken (of a witness: reached).
    pub hit: u64,
    /// The smallest play that breaks it.
    pub smallest: Option<Smallest>,
}

/// The smallest play that breaks a property.
#[derive(Clone, Debug)]
pub struct Smallest {
    /// Its position, as a world.
    pub world: World,
    /// The play.
    pub play: Play,
}

/// What a sweep came to.
#[derive(Clone, Debug)]
pub struct Swept {
    /// How many combinations of effects there are.
    pub combinations: u64,
    /// How many choices of cards.
    pub choices: u64,
    /// What was found.
    pub tally: Tally,
    /// The first position that was not explored to its end.
    pub incomplete: Option<World>,
    /// The first of the largest positions.
    pub largest: Option<World>,
    /// Of each property that speaks of every world, in order of the program.
    pub properties: Vec<Judged>,
    /// What should never be: a play that the referee does not follow.
    pub faults: Vec<String>,
}

/// The effects that a sweep is over unless others are named: those that some world allows, by name.
pub fn effects(program: &Program) -> Vec<ProcedureId> {
    by_name(program, program.worlds.iter().flat_map(|w| &w.allows).map(|(effect, _)| *effect))
}

/// All procedures that a world could allow, by name.
pub fn allowable(program: &Program) -> Vec<ProcedureId> {
    let fits = |p: &crate::lang::tree::Procedure| matches!(p.params.as_slice(), [(Some(label), _, Ty::Player)] if label == "by");
    let all = (0u16..).zip(&program.procedures).filter(|(_, p)| fits(p));
    by_name(program, all.map(|(i, _)| ProcedureId(i)))
}

fn by_name(program: &Program, effects: impl Iterator<Item = ProcedureId>) -> Vec<ProcedureId> {
    let name = |e: &ProcedureId| &program.procedures[e.index()].name;
    effects.sorted_by(|a, b| name(a).cmp(name(b))).dedup().collect()
}

/// The cards that a sweep is over unless others are named: the archetypes, by name.
pub fn cards(program: &Program) -> Vec<CardId> {
    let all = (0u16..).map(CardId).zip(&program.cards);
    let archetypes = all.filter(|(_, card)| card.archetype).sorted_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    archetypes.map(|(id, _)| id).collect()
}

/// A position as a world.
fn world(program: &Program, name: &str, effects: &[ProcedureId], cards: &[CardId]) -> World {
    let names = |list: Vec<&str>| list.join(", ");
    let done = names(effects.iter().map(|e| program.procedures[e.index()].name.as_str()).collect());
    let dealt = names(cards.iter().map(|c| program.cards[c.index()].name.as_str()).collect());
    let places = PLACES.into_iter().zip(cards);
    World {
        name: name.to_owned(),
        title: format!("{done}, over {dealt}"),
        players: vec!["A".to_owned(), "B".to_owned()],
        starts: places.map(|(zone, card)| Start { player: 0, zone, count: 1, options: vec![*card] }).collect(),
        allows: effects.iter().map(|e| (*e, vec![0, 1])).sorted().collect(),
        mana: None,
        limits: LIMITS,
        span: Span::default(),
    }
}

/// A program for exploring positions: without rulings, and with one more world behind the others.
fn with_a_world(program: &Program, world: World) -> Program {
    let mut with = Program { rulings: Vec::new(), ..program.clone() };
    with.worlds.push(world);
    with
}

/// Explores every position. The result does not depend on the number of threads, unless it is interrupted.
pub fn run(program: &Program, asked: &Asked, bounds: &Bounds) -> Result<Swept, (Code, String)> {
    let (combinations, choices) = (asked.combinations(), asked.choices());
    let blank = with_a_world(program, world(program, "sweep", &[], &[]));
    let place = blank.worlds.len() - 1;
    let listed = claims(&blank, place).list;
    let work = || {
        let each = choices.par_iter().enumerate().with_max_len(1).map_init(
            || blank.clone(),
            |program, (choice, cards)| {
                let choice = Choice { asked, combinations: &combinations, number: choice, cards };
                choice.explore(program, bounds)
            },
        );
        each.collect::<Vec<_>>()
    };
    let mut tally = Tally::new(listed.len());
    for found in on_threads(bounds.threads, work) {
        tally.add(found?);
    }
    let at = |at: At, name: &str| {
        let effects: Vec<ProcedureId> = combinations[at.combination].iter().map(|e| asked.effects[*e]).collect();
        world(program, name, &effects, &choices[at.choice])
    };
    let mut swept = Swept {
        combinations: combinations.len() as u64,
        choices: choices.len() as u64,
        incomplete: tally.first_incomplete.map(|first| at(first, "sweep-incomplete")),
        largest: tally.largest.map(|(_, largest)| at(largest, "sweep-largest")),
        properties: Vec::new(),
        faults: Vec::new(),
        tally,
    };
    for (i, (property, claimed)) in listed.iter().enumerate() {
        let smallest = match &swept.tally.least[i] {
            Some(least) => match shown(program, *property, at(least.at, &format!("sweep-{}", claimed.name)), least)? {
                Ok(smallest) => Some(smallest),
                Err(why) => {
                    swept.faults.push(format!("{}: {why}", claimed.name));
                    None
                }
            },
            None => None,
        };
        let (premise, hit) = (swept.tally.premises[i], swept.tally.hits[i]);
        swept.properties.push(Judged { property: *property, premise, hit, smallest });
    }
    Ok(swept)
}

/// The positions of one choice of cards.
struct Choice<'a> {
    asked: &'a Asked,
    combinations: &'a [Vec<usize>],
    number: usize,
    cards: &'a [CardId],
}

impl Choice<'_> {
    fn explore(&self, program: &mut Program, bounds: &Bounds) -> Result<Tally, (Code, String)> {
        let place = program.worlds.len() - 1;
        let mut tally = Tally::new(claims(program, place).list.len());
        if bounds.stop.load(Ordering::Relaxed) {
            tally.interrupted = true;
            return Ok(tally);
        }
        for class in self.classes(program) {
            program.worlds[place] = world(program, "sweep", &class.effects, self.cards);
            self.class(program, &class, &mut tally, bounds)?;
        }
        Ok(tally)
    }

    /// Combinations by what is part of the states of their worlds, so that each is explored as it would be by itself. What
    /// is counted and never grows makes no difference.
    fn classes(&self, program: &mut Program) -> Vec<Class> {
        let place = program.worlds.len() - 1;
        let mut kept = |effects: &[ProcedureId]| {
            program.worlds[place] = world(program, "sweep", effects, self.cards);
            Tracked { damage: false, counters: 0, ..tracked(program, place) }
        };
        let alone: Vec<Tracked> = self.asked.effects.iter().map(|e| kept(&[*e])).collect();
        let together = |list: &[usize]| list.iter().map(|e| alone[*e]).reduce(both).unwrap_or_default();
        let mut classes: Vec<Class> = Vec::new();
        for (number, list) in self.combinations.iter().enumerate() {
            let kept = together(list);
            let class = match classes.iter().position(|c| c.kept == kept) {
                Some(at) => &mut classes[at],
                None => {
                    let fit = (0..alone.len()).filter(|e| both(alone[*e], kept) == kept);
                    let effects: Vec<usize> = fit.collect();
                    let mut places = vec![None; alone.len()];
                    effects.iter().enumerate().for_each(|(at, e)| places[*e] = Some(at));
                    let effects = effects.into_iter().map(|e| self.asked.effects[e]).collect();
                    classes.push(Class { kept, effects, places, combinations: Vec::new() });
                    let last = classes.len() - 1;
                    &mut classes[last]
                }
            };
            class.combinations.push(number);
        }
        classes
    }

    fn class(
        &self,
        program: &Program,
        class: &Class,
        tally: &mut Tally,
        bounds: &Bounds,
    ) -> Result<(), (Code, String)> {
        let place = program.worlds.len() - 1;
        let law = Law::new(program, setting(program, place));
        let list = claims(program, place).list;
        let Some(start) = starts(&law, &program.worlds[place])?.into_iter().next() else { return Ok(()) };
        let claims = claims(program, place);
        let mut atlas = Atlas::new(&law, claims, &class.effects, &start).map_err(|m| self.fault(program, m, None))?;
        let mut untold = 0;
        for &combination in &class.combinations {
            if bounds.stop.load(Ordering::Relaxed) {
                tally.interrupted = true;
                break;
            }
            let effects: Vec<usize> = self.combinations[combination].iter().filter_map(|e| class.places[*e]).collect();
            let small =
                atlas.search(&effects, bounds.states_max).map_err(|m| self.fault(program, m, Some(combination)))?;
            let at = At { combination, choice: self.number };
            tally.position(at, &small);
            for (bit, level) in atlas.firsts().to_vec() {
                let i = usize::from(bit / 2);
                if bit == premise_bit(i) {
                    tally.premises[i] += 1;
                    continue;
                }
                tally.hits[i] += 1;
                if list[i].1.kind == PropertyKind::Witness {
                    continue;
                }
                let steps = atlas.steps_to(bit, level);
                if tally.least[i].as_ref().is_some_and(|least| least.steps < steps) {
                    continue;
                }
                let Some(content) = atlas.least(bit, level, &effects) else { continue };
                let better = tally.least[i]
                    .as_ref()
                    .is_none_or(|l| (steps, &*content, at) < (l.steps, l.content.as_str(), l.at));
                if better {
                    tally.least[i] = Some(Least { steps, content: content.to_string(), at });
                }
            }
            untold += 1;
            if untold == TOLD_EACH {
                (bounds.progress)(std::mem::take(&mut untold));
            }
        }
        (bounds.progress)(untold);
        Ok(())
    }

    /// A fault of the law, with the position in which it was met.
    fn fault(&self, program: &Program, miss: Miss, combination: Option<usize>) -> (Code, String) {
        let effects = combination.map_or(&[][..], |c| &self.combinations[c]);
        let effects: Vec<ProcedureId> = effects.iter().map(|e| self.asked.effects[*e]).collect();
        let title = world(program, "", &effects, self.cards).title;
        match miss {
            Miss::Fault(code, what) => (code, format!("{what}; met by the sweep with {title}")),
            Miss::Narrow(_) => (Code::L301, format!("a state needs too many bits; met by the sweep with {title}")),
            // Nothing is exchanged in a sweep.
            Miss::Uneven(uneven) => (Code::L408, format!("{}; met by the sweep with {title}", uneven.what)),
        }
    }
}

/// Combinations whose states are made of the same.
struct Class {
    kept: Tracked,
    /// The effects that add nothing to that.
    effects: Vec<ProcedureId>,
    /// Of each effect that is asked for its place among these.
    places: Vec<Option<usize>>,
    combinations: Vec<usize>,
}

/// What is part of the states of either.
fn both(a: Tracked, b: Tracked) -> Tracked {
    Tracked {
        known: a.known || b.known,
        stamps: a.stamps || b.stamps,
        home: a.home || b.home,
        damage: a.damage || b.damage,
        counters: a.counters | b.counters,
        markers: a.markers | b.markers,
        merges: a.merges || b.merges,
        left_with: a.left_with || b.left_with,
    }
}

/// The smallest play of a position that breaks a property, found by exploring that position alone and followed by the
/// referee. Inside, an error says what should never be.
fn shown(
    program: &Program,
    property: usize,
    world: World,
    least: &Least,
) -> Result<Result<Smallest, String>, (Code, String)> {
    let with = with_a_world(program, world.clone());
    let place = with.worlds.len() - 1;
    let law = Law::new(&with, setting(&with, place));
    let asked = Claims::new(vec![(property, &with.properties[property])]);
    let stop = AtomicBool::new(false);
    let bounds = SearchBounds { depth_limit: Some(least.steps + 1), ..SearchBounds::new(1, &stop) };
    explore_by(&law, place, asked, &bounds, |e| {
        let Some(path) = e.run.path(hit_bit(0)).map_err(|fault| fault.to_string())? else {
            return Err(format!("nothing breaks it in {}", world.title));
        };
        if path.steps.len() as u32 != least.steps {
            return Err(format!(
                "a play of {} steps breaks it in {}, found were {}",
                path.steps.len(),
                world.title,
                least.steps
            ));
        }
        super::agree::replayed(&law, place, &path)?;
        let broken_for = broken(&law, &with.properties[property], &path);
        Ok(Smallest { play: Play { broken_for, ..tell(&law, &world.name, &path) }, world: world.clone() })
    })
}

/// Does something on as many threads as are asked for, each with a large stack.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
