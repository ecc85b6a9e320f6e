//! Many small worlds that share their cards and differ in what they allow. Every state of any of them is numbered once, and
//! what leads on from it is kept apart: what the law itself does, and what each effect does. A world that allows some of
//! the effects is then searched by following those lists alone: no state is unpacked, no law is run and nothing is learned
//! twice. It is exact: an effect that is not allowed does nothing, and one that is does the same whatever else is.

use super::key::{Key, Layout};
use super::ready::{Group, Miss, Ready};
use crate::game::record::State;
use crate::lang::diag::Code;
use crate::lang::tree::{Claim, ProcedureId};
use crate::law::claims::{Claims, Part};
use crate::law::ground::Law;
use crate::law::names::content;
use crate::law::step::Action;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bits of the number of a slot (of up to so many), a player, the stack, the table and the order of stamps in a key of 127.
const SLOT_WIDTHS: [(usize, u32); 2] = [(3, 20), (4, 18)];
const PLAYER_WIDTH: u32 = 12;
const OTHER_WIDTHS: [u32; 3] = [14, 4, 8];

/// The ways on from a state by the law, or by one effect.
#[derive(Clone, Copy)]
struct Ways {
    /// First successor.
    first: u32,
    /// How many different ones.
    count: u32,
    /// How many steps lead to them.
    steps: u32,
    /// Claims met or hit, a number of [`Atlas::verdicts`] (0: none).
    verdict: u32,
    /// The sum of the numbers of the steps' events.
    events: u64,
    /// A cap was met.
    incomplete: bool,
}

/// What the search of one world came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Small {
    /// States.
    pub states: u64,
    /// Steps.
    pub steps: u64,
    /// The sum, over all steps, of the number of each one's events.
    pub events: u64,
    /// The last level that holds a state.
    pub depth: u32,
    /// Why not everything was explored.
    pub stopped: Option<Stopped>,
}

/// Why a world was not explored to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// It has more states than it may.
    States,
    /// A cap was met by something mandatory.
    Cap,
}

/// All states of some worlds that share their cards, as far as they were met.
pub struct Atlas<'l, 'p> {
    ready: Ready<'l, 'p, u128>,
    /// The groups of the law itself, then of each effect.
    labels: Vec<Vec<usize>>,
    numbers: FxHashMap<u128, u32>,
    keys: Vec<u128>,
    /// For each state and label a number of `ways`, and 1; 0: not known.
    rows: Vec<u32>,
    ways: Vec<Ways>,
    successors: Vec<u32>,
    /// Sets of bits, `words` integers each; the first is empty.
    verdicts: Vec<u64>,
    verdict_number: FxHashMap<Box<[u64]>, u32>,
    words: usize,
    contents: FxHashMap<u32, Rc<str>>,
    start: u32,
    // Of the world that was searched last.
    round: u32,
    visited: Vec<u32>,
    taken: Vec<u32>,
    order: Vec<u32>,
    /// Where each level ends in `order`.
    ends: Vec<usize>,
    met: Vec<u64>,
    firsts: Vec<(u16, u32)>,
}

impl<'l, 'p> Atlas<'l, 'p> {
    /// An atlas of the worlds that begin in a state and allow some of the effects that a law was laid out for.
    pub fn new(law: &'l Law<'p>, claims: Claims<'p>, effects: &[ProcedureId], start: &State) -> Result<Self, Miss> {
        let (groups, labels) = groups(law, &claims, effects);
        let words = (claims.list.len() * 2).div_ceil(64);
        let mut ready: Ready<u128> = Ready::of_groups(law, claims, groups, layout(law));
        let key = ready.key(start).map_err(too_many)?;
        let mut atlas = Atlas {
            ready,
            labels,
            numbers: FxHashMap::default(),
            keys: Vec::new(),
            rows: Vec::new(),
            ways: Vec::new(),
            successors: Vec::new(),
            verdicts: vec![0; words],
            verdict_number: FxHashMap::from_iter([(vec![0; words].into_boxed_slice(), 0)]),
            words,
            contents: FxHashMap::default(),
            start: 0,
            round: 0,
            visited: Vec::new(),
            taken: vec![0],
            order: Vec::new(),
            ends: Vec::new(),
            met: vec![0; words],
            firsts: Vec::new(),
        };
        atlas.start = atlas.number(key);
        Ok(atlas)
    }

    /// The number of a key, which is given one if it is new.
    fn number(&mut self, key: u128) -> u32 {
        let next = self.keys.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.keys.push(key);
            self.visited.push(0);
            self.rows.resize(self.rows.len() + self.labels.len(), 0);
        }
        number
    }

    /// The ways on from a state by the law (0) or by an effect (1 and on).
    #[inline(always)]
    fn ways(&mut self, state: u32, label: usize) -> Result<Ways, Miss> {
        match self.rows[state as usize * self.labels.len() + label] {
            0 => self.learn(state, label),
            known => Ok(self.ways[known as usize - 1]),
        }
    }

    #[cold]
    fn learn(&mut self, state: u32, label: usize) -> Result<Ways, Miss> {
        let key = self.keys[state as usize];
        let mut numbers = vec![0; self.ready.law.components()];
        self.ready.walk.layout.unpack(key, &mut numbers);
        let first = self.successors.len();
        let mut ways = Ways { first: first as u32, count: 0, steps: 0, verdict: 0, events: 0, incomplete: false };
        let mut bits = vec![0u64; self.words];
        let mut found: Vec<u32> = Vec::new();
        for at in 0..self.labels[label].len() {
            let group = self.labels[label][at];
            let leaf = match self.ready.walk.find(group, &numbers) {
                Some(leaf) => *leaf,
                None => self.ready.learn(group, &numbers, true).map_err(too_many)?,
            };
            ways.steps += leaf.count;
            ways.events = ways.events.wrapping_add(leaf.events);
            ways.incomplete |= leaf.incomplete;
            for &bit in &self.ready.verdicts[leaf.verdict as usize] {
                bits[usize::from(bit) / 64] |= 1 << (bit % 64);
            }
            for at in leaf.first..leaf.first + leaf.count {
                let next = key.plus(self.ready.walk.outs[at as usize]);
                found.push(self.number(next));
            }
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|next| *next != state);
        ways.count = found.len() as u32;
        self.successors.extend(found);
        ways.verdict = self.verdict(bits.into_boxed_slice());
        self.ways.push(ways);
        self.rows[state as usize * self.labels.len() + label] = self.ways.len() as u32;
        Ok(ways)
    }

    fn verdict(&mut self, bits: Box<[u64]>) -> u32 {
        if let Some(&n) = self.verdict_number.get(&bits) {
            return n;
        }
        let n = self.taken.len() as u32;
        self.taken.push(0);
        self.verdicts.extend(bits.iter());
        self.verdict_number.insert(bits, n);
        n
    }

    /// Explores the world that allows these effects, places in the list of all.
    pub fn search(&mut self, effects: &[usize], states_max: u64) -> Result<Small, Miss> {
        self.round += 1;
        self.met.fill(0);
        self.firsts.clear();
        self.ends.clear();
        self.order.clear();
        self.order.push(self.start);
        self.visited[self.start as usize] = self.round;
        let mut found = Small { states: 0, steps: 0, events: 0, depth: 0, stopped: None };
        let mut from = 0;
        while from < self.order.len() {
            let to = self.order.len();
            for i in from..to {
                let state = self.order[i];
                self.expand(state, 0, &mut found)?;
                for effect in effects {
                    self.expand(state, effect + 1, &mut found)?;
                }
            }
            self.ends.push(to);
            from = to;
            if self.order.len() as u64 >= states_max && from < self.order.len() {
                found.stopped = Some(Stopped::States);
                break;
            }
        }
        found.states = self.order.len() as u64;
        found.depth = self.ends.len() as u32 - u32::from(found.stopped != Some(Stopped::States));
        Ok(found)
    }

    #[inline(always)]
    fn expand(&mut self, state: u32, label: usize, found: &mut Small) -> Result<(), Miss> {
        let ways = self.ways(state, label)?;
        found.steps += u64::from(ways.steps);
        found.events = found.events.wrapping_add(ways.events);
        if ways.incomplete {
            found.stopped = Some(Stopped::Cap);
        }
        if ways.verdict != 0 && self.taken[ways.verdict as usize] != self.round {
            self.meet(ways.verdict as usize);
        }
        for &next in &self.successors[ways.first as usize..(ways.first + ways.count) as usize] {
            let visited = &mut self.visited[next as usize];
            if *visited != self.round {
                *visited = self.round;
                self.order.push(next);
            }
        }
        Ok(())
    }

    /// Takes down which bits are met for the first time.
    fn meet(&mut self, verdict: usize) {
        self.taken[verdict] = self.round;
        let level = self.ends.len() as u32;
        for word in 0..self.words {
            let mut new = self.verdicts[verdict * self.words + word] & !self.met[word];
            self.met[word] |= new;
            while new != 0 {
                self.firsts.push((word as u16 * 64 + new.trailing_zeros() as u16, level));
                new &= new - 1;
            }
        }
    }

    /// What the world that was searched last met, each bit with the level in which it first did.
    pub fn firsts(&self) -> &[(u16, u32)] {
        &self.firsts
    }

    /// Steps of a shortest play to what a bit stands for, first met in a level: an event needs its own step too.
    pub fn steps_to(&self, bit: u16, level: u32) -> u32 {
        let claim = self.ready.claims.list.get(usize::from(bit / 2)).map(|(_, property)| &property.claim);
        level + u32::from(matches!(claim, Some(Claim::Whenever(..) | Claim::PossibleEvent(..))))
    }

    /// Of the states of a level of the world that was searched last, in which or from which a bit was met, the least by
    /// content: its content.
    pub fn least(&mut self, bit: u16, level: u32, effects: &[usize]) -> Option<Rc<str>> {
        let level = level as usize;
        let from = level.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (word, mask) = (usize::from(bit) / 64, 1u64 << (bit % 64));
        let mut least: Option<Rc<str>> = None;
        for i in from..*self.ends.get(level)? {
            let state = self.order[i];
            let row = state as usize * self.labels.len();
            let meets = std::iter::once(0).chain(effects.iter().map(|e| e + 1)).any(|label| {
                let known = self.rows[row + label] as usize;
                known > 0 && self.verdicts[self.ways[known - 1].verdict as usize * self.words + word] & mask != 0
            });
            if !meets {
                continue;
            }
            let content = self.content(state)?;
            if least.as_ref().is_none_or(|least| content < *least) {
                least = Some(content);
            }
        }
        least
    }

    fn content(&mut self, state: u32) -> Option<Rc<str>> {
        if let Some(known) = self.contents.get(&state) {
            return Some(Rc::clone(known));
        }
        let key = self.keys[state as usize];
        let content: Rc<str> = content(self.ready.law, &self.ready.state_of(key)?).into();
        self.contents.insert(state, Rc::clone(&content));
        Some(content)
    }
}

/// The groups of a law that is laid out for all effects, and which of them belong to the law itself and to each effect.
fn groups(law: &Law, claims: &Claims, effects: &[ProcedureId]) -> (Vec<Group>, Vec<Vec<usize>>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut labels: Vec<Vec<usize>> = vec![Vec::new(); effects.len() + 1];
    for (slot, list) in law.actions() {
        let mut by_label: Vec<Vec<Action>> = vec![Vec::new(); labels.len()];
        for action in list {
            let label = match action {
                Action::Resolve | Action::Offer(..) => Some(0),
                Action::Effect(procedure, ..) => effects.iter().position(|e| *e == procedure).map(|at| at + 1),
            };
            if let Some(label) = label {
                by_label[label].push(action);
            }
        }
        for (label, list) in by_label.into_iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            labels[label].push(groups.len());
            groups.push(Group::Act(slot, list));
        }
    }
    if claims.asks_states() {
        for part in (0..law.slots).map(|s| Part::Slot(s as u8)).chain([Part::Rest]) {
            labels[0].push(groups.len());
            groups.push(Group::Judge(part));
        }
    }
    (groups, labels)
}

/// Where numbers stand in a key: so wide that nothing is laid out twice.
fn layout(law: &Law) -> Layout {
    let slot = SLOT_WIDTHS.iter().find(|(slots, _)| law.slots <= *slots).map_or(14, |(_, width)| *width);
    let players = law.setting.players.len();
    let widths = std::iter::repeat_n(slot, law.slots).chain(std::iter::repeat_n(PLAYER_WIDTH, players));
    Layout::new(widths.chain(OTHER_WIDTHS).map(|width| 1 << width).collect())
}

/// A component with more records than its place holds is a limit of this program.
fn too_many(miss: Miss) -> Miss {
    match miss {
        Miss::Narrow(c) => {
            Miss::Fault(Code::L301, format!("component {c} of a state has more values than its place in a key holds"))
        }
        other @ (Miss::Fault(..) | Miss::Uneven(_)) => other,
    }
}
