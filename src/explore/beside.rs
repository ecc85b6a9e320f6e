//! A second law beside the first, in the same search: each run of the one is compared with the run of the other in the same
//! state, by name. What both do leads on; where they part, a bit is met, as of a claim. Since the reads of both are noted,
//! a state that agrees with an earlier one on all of them is settled by table.

use crate::game::memory::{Log, Read};
use crate::game::record::{Obj, Record, State, Value};
use crate::lang::diag::Code;
use crate::lang::tree::{ClauseId, Verb, ViewId};
use crate::law::claims::Part;
use crate::law::eval::Reader;
use crate::law::ground::Law;
use crate::law::names;
use crate::law::projections::project;
use crate::law::step::{Action, Label, Outcome, outcomes};
use crate::law::translate::Translation;
use crate::law::verbs::Choice;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// In what two laws part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    FirstAlone,
    SecondAlone,
    Cost,
    Choices,
    Events,
    Knowledge,
    State,
    Look,
    MayLook,
}

/// A difference as it is counted: in what, and the names of the changed rules that make it, as far as a look at the runs
/// tells (none: that tells nothing).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Key {
    /// In what.
    pub kind: Kind,
    /// Kind and name of each rule.
    pub rules: BTreeSet<(&'static str, String)>,
}

/// A difference in one state.
#[derive(Clone, Debug)]
pub struct Difference {
    /// How it is counted.
    pub key: Key,
    /// What the first law does.
    pub first: Vec<Outcome>,
    /// What the second does.
    pub second: Vec<Outcome>,
    /// Why one of them offers nothing, or what looks otherwise.
    pub says: Vec<String>,
}

/// Actions of the two laws that are about one thing.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The slot, if they are about one.
    pub slot: Option<usize>,
    /// Of the first law.
    pub first: Vec<Action>,
    /// Of the second.
    pub second: Vec<Action>,
}

/// What came of a run beside another.
pub struct Met {
    /// Reads of both laws, in order; those of the second are marked.
    pub reads: Vec<(bool, Read)>,
    /// Which outcomes of the first lead on.
    pub kept: Vec<bool>,
    /// Differences met.
    pub bits: Vec<u16>,
    /// The second met a cap.
    pub incomplete: bool,
}

/// The second law.
pub struct Beside<'l, 'p> {
    pub(super) first: &'l Law<'p>,
    pub(super) second: &'l Law<'p>,
    /// From the first to the second.
    pub translation: Translation<'l, 'p>,
    /// Groups of actions, as the search asks them.
    pub pairs: Vec<Pair>,
    /// Views that are compared; empty: looks can't differ in a state that both have.
    pub views: Vec<(ViewId, ViewId)>,
    /// Which rules of each program are changed.
    pub(super) changed: (Vec<bool>, Vec<bool>),
    /// Differences met so far; the bit is the place.
    pub keys: Vec<Key>,
    number: FxHashMap<Key, u16>,
    pub(super) quiet: Reader<'l, 'p>,
}

/// An outcome of the second law, or one of the first in its words.
#[derive(PartialEq, Eq)]
struct Told {
    label: Label,
    choices: Vec<Choice>,
    events: Vec<(Verb, Vec<Value>, bool)>,
    state: State,
}

impl Told {
    /// The label without the cost.
    fn act(&self) -> Label {
        act(self.label)
    }
}

fn act(label: Label) -> Label {
    match label {
        Label::Offer(c, p, o, _) => Label::Offer(c, p, o, crate::game::record::CostId(0)),
        other => other,
    }
}

/// What differs in one way in one act with the same choices: places among the outcomes of the first and of the second.
type Grouped = (Label, Vec<Choice>, Kind, Vec<usize>, Vec<usize>);

/// The most ways to part that are told apart.
const KEYS_MAX: usize = 10_000;

impl<'l, 'p> Beside<'l, 'p> {
    /// Two laws for one world, with the clauses that are the same, and the rules of each that are changed.
    pub fn new(
        (first, second): (&'l Law<'p>, &'l Law<'p>),
        clauses: Vec<Option<ClauseId>>,
        changed: (Vec<bool>, Vec<bool>),
        looks: bool,
    ) -> Beside<'l, 'p> {
        let translation = Translation::new(first, second, clauses);
        let mut views = Vec::new();
        if looks {
            for (i, view) in first.program.views.iter().enumerate() {
                if let Some(j) = second.program.views.iter().position(|v| v.name == view.name) {
                    views.push((ViewId(i as u16), ViewId(j as u16)));
                }
            }
        }
        let pairs = pairs(first, second, &translation);
        Beside {
            first,
            second,
            translation,
            pairs,
            views,
            changed,
            keys: Vec::new(),
            number: FxHashMap::default(),
            quiet: Reader::new(second, Rc::new(Log::off())),
        }
    }

    /// A projection of a record, as the second law sees it.
    pub fn project(&self, record: &Record, projection: u8) -> u64 {
        self.translation.record(record).map_or(u64::MAX, |r| project(&self.quiet, &r, projection))
    }

    fn bit(&mut self, key: &Key) -> u16 {
        if let Some(&bit) = self.number.get(key) {
            return bit;
        }
        if self.keys.len() >= KEYS_MAX {
            return 0;
        }
        let bit = self.keys.len() as u16;
        self.keys.push(key.clone());
        self.number.insert(key.clone(), bit);
        bit
    }

    /// Runs the second law on a group of actions, and compares with what the first did, noting in its log what is read of
    /// it besides.
    pub fn step(
        &mut self,
        group: usize,
        state: &State,
        first: &[Outcome],
        ours: &Rc<Log>,
    ) -> Result<Met, (Code, String)> {
        let before = ours.reads().len();
        let log = Rc::new(Log::recording(self.second.components()));
        if let Some(slot) = self.pairs[group].slot {
            log.full(slot);
        }
        let mut met = Met { reads: Vec::new(), kept: vec![false; first.len()], bits: Vec::new(), incomplete: false };
        let Some(there) = self.translation.state(state) else {
            return Err((Code::L408, "a state of both has no translation".into()));
        };
        let reader = Reader::new(self.second, log.clone());
        let mut second = Vec::new();
        for action in self.pairs[group].second.clone() {
            let all = outcomes(&reader, &there, action);
            met.incomplete |= all.incomplete;
            if let Some(fault) = all.fault {
                return Err(fault);
            }
            second.extend(all.list);
        }
        let ran = log.reads().len();
        let (kept, differences) = self.compared(state, &there, first, &second, (ours, &log));
        met.kept = kept;
        met.bits = differences.iter().map(|d| self.bit(&d.key)).collect();
        met.bits.sort_unstable();
        met.bits.dedup();
        // First what the runs read, then what was asked of the one because of the other: in this order two states that agree
        // so far ask the same next.
        let (mut mine, mut theirs) = (ours.reads(), log.reads());
        let (asked, answered) = (mine.split_off(before), theirs.split_off(ran));
        let first = |r: Read| (false, r);
        let second = |r: Read| (true, r);
        met.reads = mine.into_iter().map(first).chain(theirs.into_iter().map(second)).collect();
        met.reads.extend(asked.into_iter().map(first).chain(answered.into_iter().map(second)));
        Ok(met)
    }

    /// Compares what objects look like and who may look.
    pub fn looks(&mut self, reader: &Reader, state: &State, part: Part) -> Result<Met, (Code, String)> {
        let log = Rc::new(Log::recording(self.second.components()));
        let mut met = Met { reads: Vec::new(), kept: Vec::new(), bits: Vec::new(), incomplete: false };
        if let Part::Slot(o) = part {
            log.full(usize::from(o));
            let differences = self.looked(reader, &Reader::new(self.second, log.clone()), state, o);
            met.bits = differences.iter().map(|d| self.bit(&d.key)).collect();
            met.bits.sort_unstable();
            met.bits.dedup();
        }
        met.reads = reader.log.reads().into_iter().map(|r| (false, r)).collect();
        met.reads.extend(log.reads().into_iter().map(|r| (true, r)));
        Ok(met)
    }

    /// All differences of a state, with nothing noted.
    pub fn differences(&self, state: &State) -> Vec<Difference> {
        let ours = Reader::new(self.first, Rc::new(Log::off()));
        let Some(there) = self.translation.state(state) else { return Vec::new() };
        let off = Rc::new(Log::off());
        let mut list = Vec::new();
        for pair in &self.pairs {
            let first: Vec<Outcome> = pair.first.iter().flat_map(|a| outcomes(&ours, state, *a).list).collect();
            let second: Vec<Outcome> =
                pair.second.iter().flat_map(|a| outcomes(&self.quiet, &there, *a).list).collect();
            list.extend(self.compared(state, &there, &first, &second, (&off, &off)).1);
        }
        if !self.views.is_empty() {
            for o in 0..state.slots.len() as Obj {
                list.extend(self.looked(&ours, &self.quiet, state, o));
            }
        }
        list
    }

    /// The first step of both that leads from one state to another: as the first takes it and as the second does.
    pub fn step_to(&self, state: &State, next: &State) -> Option<(Outcome, Outcome)> {
        let ours = Reader::new(self.first, Rc::new(Log::off()));
        let there = self.translation.state(state)?;
        let goal = self.translation.state(next)?;
        let mut found: Vec<(Outcome, Outcome)> = Vec::new();
        for pair in &self.pairs {
            let first: Vec<Outcome> =
                pair.first.iter().flat_map(|a| outcomes(&ours, state, *a).list).filter(|o| o.state == *next).collect();
            if first.is_empty() {
                continue;
            }
            let second: Vec<Outcome> = pair
                .second
                .iter()
                .flat_map(|a| outcomes(&self.quiet, &there, *a).list)
                .filter(|o| o.state == goal)
                .collect();
            for a in first {
                let label = self.translation.label(a.label).map(act);
                let twin = second.iter().find(|b| Some(act(b.label)) == label && b.choices == a.choices);
                found.extend(twin.map(|b| (a, b.clone())));
            }
        }
        // The least by its name, so that no numbering decides; one that is the same on both sides before one that is not.
        found.into_iter().min_by_key(|(a, b)| {
            let same = self.told(a).is_some_and(|t| t == theirs(b));
            (!same, names::replay_line(self.first, state, a))
        })
    }

    fn told(&self, o: &Outcome) -> Option<Told> {
        let t = &self.translation;
        let events = o.happenings.iter().map(|h| Some((t.verb(h.verb)?, t.values(&h.args)?, h.done)));
        Some(Told {
            label: t.label(o.label)?,
            choices: o.choices.clone(),
            events: events.collect::<Option<_>>()?,
            state: t.state(&o.state)?,
        })
    }

    /// Which outcomes of the first lead on, and where the two part.
    fn compared(
        &self,
        state: &State,
        there: &State,
        first: &[Outcome],
        second: &[Outcome],
        logs: (&Rc<Log>, &Rc<Log>),
    ) -> (Vec<bool>, Vec<Difference>) {
        let ours: Vec<Option<Told>> = first.iter().map(|o| self.told(o)).collect();
        let other: Vec<Told> = second.iter().map(theirs).collect();
        let mut kept = vec![false; first.len()];
        let mut used = vec![false; second.len()];
        let mut open: Vec<usize> = Vec::new();
        for (i, a) in ours.iter().enumerate() {
            let twin = a.as_ref().and_then(|a| (0..other.len()).find(|j| !used[*j] && other[*j] == *a));
            match twin {
                Some(j) => (kept[i], used[j]) = (true, true),
                None => open.push(i),
            }
        }
        // What leads to the same state is gone along with, though something else happened on the way.
        let mut groups: Vec<Grouped> = Vec::new();
        let mut put = |label, choices: &[Choice], kind, i: Option<usize>, j: Option<usize>| {
            let at = groups.iter().position(|g| g.0 == label && g.1 == choices && g.2 == kind);
            let at = at.unwrap_or_else(|| {
                groups.push((label, choices.to_vec(), kind, Vec::new(), Vec::new()));
                groups.len() - 1
            });
            groups[at].3.extend(i);
            groups[at].4.extend(j);
        };
        let mut left = Vec::new();
        for i in open {
            let fits = |j: &usize| {
                let (Some(a), b) = (&ours[i], &other[*j]) else { return false };
                !used[*j] && a.act() == b.act() && a.choices == b.choices && a.state == b.state
            };
            match (0..other.len()).find(fits) {
                Some(j) => {
                    (kept[i], used[j]) = (true, true);
                    let same_cost = ours[i].as_ref().is_some_and(|a| a.label == other[j].label);
                    let kind = if same_cost { Kind::Events } else { Kind::Cost };
                    put(other[j].act(), &other[j].choices, kind, Some(i), Some(j));
                }
                None => left.push(i),
            }
        }
        let mut alone: Vec<usize> = Vec::new();
        for i in left {
            let Some(label) =
                ours[i].as_ref().map(Told::act).or_else(|| self.translation.label(first[i].label).map(act))
            else {
                alone.push(i);
                continue;
            };
            let choices = &first[i].choices;
            let same = |j: &usize| other[*j].act() == label;
            if !(0..other.len()).any(|j| same(&j)) {
                put(label, &[], Kind::FirstAlone, Some(i), None);
            } else if let Some(j) = (0..other.len()).find(|j| !used[*j] && same(j) && other[*j].choices == *choices) {
                used[j] = true;
                put(label, choices, self.kind_of(ours[i].as_ref(), &other[j]), Some(i), Some(j));
            } else {
                put(label, &[], Kind::Choices, Some(i), None);
            }
        }
        for j in (0..other.len()).filter(|j| !used[*j]) {
            let label = other[j].act();
            let same = |o: &Outcome| self.translation.label(o.label).map(act) == Some(label);
            let kind = if first.iter().any(same) { Kind::Choices } else { Kind::SecondAlone };
            put(label, &[], kind, None, Some(j));
        }
        let mut list: Vec<Difference> = groups
            .into_iter()
            .map(|(label, _, kind, a, b)| {
                let a: Vec<Outcome> = a.into_iter().map(|i| first[i].clone()).collect();
                let b: Vec<Outcome> = b.into_iter().map(|j| second[j].clone()).collect();
                self.difference(kind, Some(label), (state, there), a, b, logs)
            })
            .collect();
        for i in alone {
            list.push(self.difference(
                Kind::FirstAlone,
                None,
                (state, there),
                vec![first[i].clone()],
                Vec::new(),
                logs,
            ));
        }
        (kept, list)
    }

    /// In what two outcomes of one action and the same choices part.
    fn kind_of(&self, a: Option<&Told>, b: &Told) -> Kind {
        let Some(a) = a else { return Kind::Events };
        if a.events != b.events {
            return Kind::Events;
        }
        let mut levelled = a.state.clone();
        for (mine, theirs) in levelled.slots.iter_mut().zip(&b.state.slots) {
            if mine.known != theirs.known {
                Rc::make_mut(mine).known = theirs.known;
            }
        }
        if levelled == b.state { Kind::Knowledge } else { Kind::State }
    }
}

fn theirs(o: &Outcome) -> Told {
    let events = o.happenings.iter().map(|h| (h.verb, h.args.clone(), h.done)).collect();
    Told { label: o.label, choices: o.choices.clone(), events, state: o.state.clone() }
}

/// Groups of actions side by side: of each slot together, of the rest those that are the same.
fn pairs(first: &Law, second: &Law, translation: &Translation) -> Vec<Pair> {
    let mut theirs = second.actions();
    let mut list = Vec::new();
    for (slot, actions) in first.actions() {
        let at = match slot {
            Some(_) => theirs.iter().position(|g| g.0 == slot),
            None => theirs.iter().position(|g| {
                g.0.is_none() && g.1.iter().any(|b| actions.iter().any(|a| translation.action(*a) == Some(*b)))
            }),
        };
        let other = at.map_or_else(Vec::new, |at| theirs.remove(at).1);
        list.push(Pair { slot, first: actions, second: other });
    }
    list.extend(theirs.into_iter().map(|(slot, second)| Pair { slot, first: Vec::new(), second }));
    list
}
