//! The same world as a Stateright model: its state the packed key, its successors the same ready-made steps. A second
//! opinion of the search, and what our speed is measured against.

use super::compiled::{Compiled, Features};
use super::key::Key;
use super::ready::{Ready, Walk};
use stateright::{Checker, Model, Property};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What Stateright counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// Unique states.
    pub states: u64,
    /// Steps: states generated, less the starts.
    pub steps: u64,
    /// The sum, over all steps, of the number of each one's events; 0 where nothing is judged.
    pub events: u64,
    /// Bits of claims met or hit.
    pub bits: Vec<u16>,
    /// Trees that did not know a state: a fault, since everything was ready.
    pub unknown: u64,
}

/// A world whose transitions are all ready.
struct Closed<K> {
    walk: Arc<(Walk<K>, Compiled<K>)>,
    starts: Vec<K>,
    judged: bool,
    met: Arc<Vec<AtomicBool>>,
    events: Arc<AtomicU64>,
    unknown: Arc<AtomicU64>,
}

impl<K: Key> Closed<K> {
    /// Takes what is known of a state: for each group what it says, and the keys it leads to, as often as steps do.
    fn expand(&self, key: K, actions: &mut Vec<K>) {
        let (walk, compiled) = &*self.walk;
        let mut numbers = [0u32; 32];
        let numbers = &mut numbers[..walk.layout.radices.len()];
        let mut features: Features = [0; 64];
        walk.layout.unpack(key, numbers);
        let laid = compiled.features(numbers, &mut features);
        for g in 0..walk.groups() {
            let (verdict, events) = if let Some(made) = compiled.find(g, laid, &features) {
                let moves = compiled.moves(made);
                actions.extend(moves.iter().map(|d| key.plus(*d)));
                // Steps that change nothing, and those that lead where another does.
                actions.extend((moves.len()..made.steps as usize).map(|_| key));
                (made.verdict, made.events)
            } else if let Some(leaf) = walk.find(g, numbers) {
                actions.extend(walk.outs_of(leaf).iter().map(|d| key.plus(*d)));
                (leaf.verdict, leaf.events)
            } else {
                self.unknown.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            if self.judged {
                self.meet(verdict);
                self.events.fetch_add(events, Ordering::Relaxed);
            }
        }
    }
    fn meet(&self, verdict: u32) {
        if verdict != 0 {
            self.met[verdict as usize].store(true, Ordering::Relaxed);
        }
    }
}

impl<K: Key> Model for Closed<K> {
    type State = K;
    /// The state that an outcome leads to: the outcome itself is ready made.
    type Action = K;

    fn init_states(&self) -> Vec<K> {
        self.starts.clone()
    }

    fn actions(&self, state: &K, actions: &mut Vec<K>) {
        self.expand(*state, actions);
    }

    fn next_state(&self, _: &K, action: K) -> Option<K> {
        Some(action)
    }

    /// One property that is never false, so that everything is explored.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("explores everything", |_, _| true)]
    }
}

/// Lets Stateright's breadth-first checker explore a world whose transitions are ready. The trees are lent for the time,
/// since its checker wants to own its model, and come back.
pub fn count<K: Key>(ready: &mut Ready<K>, starts: Vec<K>, threads: usize, judged: bool) -> Counted {
    let verdicts = &ready.verdicts;
    let compiled = std::mem::replace(&mut ready.compiled, Compiled::empty());
    let lent = Arc::new((std::mem::replace(&mut ready.walk, Walk::empty()), compiled));
    let met: Arc<Vec<AtomicBool>> = Arc::new(verdicts.iter().map(|_| AtomicBool::new(false)).collect());
    let (unknown, events) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let given = starts.len() as u64;
    let model = Closed {
        walk: lent.clone(),
        starts,
        judged,
        met: met.clone(),
        events: events.clone(),
        unknown: unknown.clone(),
    };
    let checker = model.checker().threads(threads.max(1)).spawn_bfs().join();
    let (states, generated) = (checker.unique_state_count() as u64, checker.state_count() as u64);
    drop(checker);
    if let Ok(back) = Arc::try_unwrap(lent) {
        (ready.walk, ready.compiled) = back;
    }
    let met = met.iter().zip(verdicts).filter(|(m, _)| m.load(Ordering::Relaxed));
    let mut bits: Vec<u16> = met.flat_map(|(_, bits)| bits.iter().copied()).collect();
    bits.sort_unstable();
    bits.dedup();
    Counted {
        states,
        steps: generated - given,
        events: events.load(Ordering::Relaxed),
        bits,
        unknown: unknown.load(Ordering::Relaxed),
    }
}
