//! Ready-made transitions. The law is run once for each set of values that it reads; what came of it is kept in a decision
//! tree over those values, in the order in which they were read. A leaf holds the outcomes: what to add to the key, and
//! which claims were met or hit. It is exact for any law, since a run that reads the same does the same.
//!
//! [`Walk`] is the frozen part that workers share; [`Ready`] learns; [`super::compiled`] lays the trees out for speed.

use super::beside::Beside;
use super::compiled::Compiled;
use super::exchange::Uneven;
use super::firings::Firings;
use super::key::{Key, Layout};
use super::symmetry::Symmetry;
use crate::game::looks::LOOKS_MAX;
use crate::game::memory::{FULL, Log, Read};
use crate::game::record::{Record, State};
use crate::lang::diag::Code;
use crate::law::claims::{Claims, Part};
use crate::law::eval::Reader;
use crate::law::ground::Law;
use crate::law::profile::{Cause, clocked};
use crate::law::projections::project;
use crate::law::step::{Action, Outcome, outcomes};
use crate::law::sums::events;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::Duration;

/// What one tree is about.
#[derive(Clone, Debug)]
pub enum Group {
    /// Actions; those of a slot begin by reading it whole.
    Act(Option<usize>, Vec<Action>),
    /// Claims about a state.
    Judge(Part),
}

const LEAF: u32 = 1 << 31;
/// What a record takes, its place among the numbers and in the tables included: an estimate from above.
const RECORD_BYTES: usize = 400;

#[derive(Clone, Copy, Debug)]
struct Node {
    component: u8,
    table: u32,
    offset: u32,
    length: u32,
}

/// What one tree says of a state.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// First outcome.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Claims met or hit by the state itself or by one of the steps (0: none).
    pub verdict: u32,
    /// The sum of the numbers of its outcomes' events ([`crate::law::sums`]).
    pub events: u64,
    /// An outcome went beyond a cap.
    pub incomplete: bool,
}

/// A place in the trees.
#[derive(Clone, Copy, Debug)]
pub enum Link<'w> {
    /// Nothing was learned there.
    Unknown,
    /// The end.
    Leaf(&'w Leaf),
    /// A test: the table of the projection, and the places that its values lead to, to be asked of [`Walk::link`].
    Test(u32, &'w [u32]),
}

/// The frozen part: trees, and where numbers stand in a key.
pub struct Walk<K> {
    /// Where each component stands.
    pub layout: Layout,
    /// For each projection that is asked its component and, for each number, the number of its value.
    tables: Vec<(usize, Vec<u32>)>,
    nodes: Vec<Node>,
    children: Vec<u32>,
    roots: Vec<u32>,
    leaves: Vec<Leaf>,
    /// All outcomes: what each adds to the key.
    pub outs: Vec<K>,
}

impl<K: Key> Walk<K> {
    /// Trees that know nothing.
    pub fn empty() -> Walk<K> {
        Walk {
            layout: Layout::new(Vec::new()),
            tables: Vec::new(),
            nodes: Vec::new(),
            children: Vec::new(),
            roots: Vec::new(),
            leaves: Vec::new(),
            outs: Vec::new(),
        }
    }
    /// What a group's tree says of a state, if it knows.
    #[inline(always)]
    pub fn find(&self, group: usize, numbers: &[u32]) -> Option<&Leaf> {
        self.place(group, numbers).map(|place| &self.leaves[place])
    }
    /// The place among all leaves of what a group's tree says of a state, if it knows.
    #[inline(always)]
    pub fn place(&self, group: usize, numbers: &[u32]) -> Option<usize> {
        let mut at = self.roots[group];
        while at & LEAF == 0 {
            if at == 0 {
                return None;
            }
            let node = &self.nodes[at as usize];
            let value = self.tables[node.table as usize].1[numbers[usize::from(node.component)] as usize];
            if value >= node.length {
                return None;
            }
            at = self.children[(node.offset + value) as usize];
        }
        Some((at & !LEAF) as usize)
    }
    /// All leaves, each at its place.
    pub fn all_leaves(&self) -> &[Leaf] {
        &self.leaves
    }
    /// The place that a number of a table of places stands for.
    pub fn link(&self, at: u32) -> Link<'_> {
        if at == 0 {
            return Link::Unknown;
        }
        if at & LEAF != 0 {
            return Link::Leaf(&self.leaves[(at & !LEAF) as usize]);
        }
        let node = &self.nodes[at as usize];
        Link::Test(node.table, &self.children[node.offset as usize..(node.offset + node.length) as usize])
    }
    /// Where a group begins.
    pub fn root(&self, group: usize) -> Link<'_> {
        self.link(self.roots[group])
    }
    /// For each projection that is asked its component and, for each number, the number of its value.
    pub fn tables(&self) -> &[(usize, Vec<u32>)] {
        &self.tables
    }
    /// How many leaves were learned.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }
    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.roots.len()
    }
    /// The outcomes of a leaf.
    #[inline(always)]
    pub fn outs_of(&self, leaf: &Leaf) -> &[K] {
        &self.outs[leaf.first as usize..(leaf.first + leaf.count) as usize]
    }
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let tables: usize = self.tables.iter().map(|(_, t)| t.capacity() * 4).sum();
        (tables
            + self.nodes.capacity() * std::mem::size_of::<Node>()
            + self.children.capacity() * 4
            + self.leaves.capacity() * std::mem::size_of::<Leaf>()
            + self.outs.capacity() * std::mem::size_of::<K>()) as u64
    }
}

#[derive(Default)]
struct Dictionary {
    records: Vec<Record>,
    number: FxHashMap<Record, u32>,
    tables: Vec<Table>,
}

struct Table {
    /// Whether it is a projection as the law beside sees it.
    beside: bool,
    projection: u8,
    number: u32,
    values: FxHashMap<u64, u32>,
}

/// Why nothing was learned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Miss {
    /// A component has more records than its place in the key holds: make its place wider.
    Narrow(usize),
    /// The law has a fault.
    Fault(Code, String),
    /// Slots that were to be exchanged are told apart.
    Uneven(Uneven),
}

/// What came of a group's run in a state.
pub(super) struct Ran {
    /// The outcomes that lead on.
    pub list: Vec<Outcome>,
    /// Claims met or hit, sorted.
    pub bits: Vec<u16>,
    /// An outcome went beyond a cap.
    pub incomplete: bool,
    /// What was read, in order; reads of the law beside are marked.
    pub reads: Vec<(bool, Read)>,
}

/// The part that learns.
pub struct Ready<'l, 'p, K> {
    /// The law.
    pub law: &'l Law<'p>,
    /// The properties.
    pub claims: Claims<'p>,
    /// What the trees are about.
    pub groups: Vec<Group>,
    /// The frozen part.
    pub walk: Walk<K>,
    /// The frozen part, laid out for speed; it may know less.
    pub compiled: Compiled<K>,
    /// If kept: all that was learned, in order, as a group and the numbers of a state each. Who learns the same in the same
    /// order gives the same numbers.
    pub diary: Option<Vec<u32>>,
    /// Bits of each verdict number.
    pub verdicts: Vec<Vec<u16>>,
    verdict_number: FxHashMap<Vec<u16>, u32>,
    dictionaries: Vec<Dictionary>,
    /// Of all outcomes, one after the other: components, with their numbers before and after.
    moves: Vec<(u8, u32, u32)>,
    /// For each outcome where its moves end.
    ends: Vec<usize>,
    quiet: Reader<'l, 'p>,
    /// A law that is compared with this one; then nothing is claimed.
    pub beside: Option<Box<Beside<'l, 'p>>>,
    /// If interchangeable objects are explored once: which, and how.
    pub symmetry: Option<Symmetry<K>>,
    /// With that, the starts as they are dealt.
    pub dealt: Vec<State>,
    /// How long the law was run.
    pub running: Duration,
    /// If that is asked for: which rules did something in the outcomes of each leaf.
    pub firings: Option<Firings>,
}

impl<'l, 'p, K: Key> Ready<'l, 'p, K> {
    /// Nothing learned yet.
    pub fn new(law: &'l Law<'p>, claims: Claims<'p>, layout: Layout) -> Self {
        let mut groups: Vec<Group> = law.actions().into_iter().map(|(slot, list)| Group::Act(slot, list)).collect();
        if claims.asks_states() {
            groups.extend((0..law.slots).map(|s| Group::Judge(Part::Slot(s as u8))));
            groups.push(Group::Judge(Part::Rest));
        }
        Ready::of_groups(law, claims, groups, layout)
    }

    /// Nothing learned yet, with a law beside.
    pub fn with(law: &'l Law<'p>, beside: Beside<'l, 'p>, layout: Layout) -> Self {
        let mut groups: Vec<Group> = beside.pairs.iter().map(|p| Group::Act(p.slot, p.first.clone())).collect();
        if !beside.views.is_empty() {
            groups.extend((0..law.slots).map(|s| Group::Judge(Part::Slot(s as u8))));
        }
        let ready = Ready::of_groups(law, Claims::new(Vec::new()), groups, layout);
        Ready { beside: Some(Box::new(beside)), ..ready }
    }

    /// Nothing learned yet, of groups that are chosen.
    pub fn of_groups(law: &'l Law<'p>, claims: Claims<'p>, groups: Vec<Group>, layout: Layout) -> Self {
        let walk = Walk {
            layout,
            tables: Vec::new(),
            nodes: vec![Node { component: 0, table: 0, offset: 0, length: 0 }],
            children: vec![0],
            roots: vec![0; groups.len()],
            leaves: Vec::new(),
            outs: Vec::new(),
        };
        Ready {
            law,
            claims,
            groups,
            walk,
            compiled: Compiled::empty(),
            diary: None,
            verdicts: vec![Vec::new()],
            verdict_number: FxHashMap::from_iter([(Vec::new(), 0)]),
            dictionaries: (0..law.components()).map(|_| Dictionary::default()).collect(),
            moves: Vec::new(),
            ends: Vec::new(),
            quiet: Reader::new(law, Rc::new(Log::off())),
            beside: None,
            symmetry: None,
            dealt: Vec::new(),
            running: Duration::ZERO,
            firings: None,
        }
    }

    /// How many records each component has.
    pub fn words(&self) -> Vec<usize> {
        self.dictionaries.iter().map(|d| d.records.len()).collect()
    }

    /// How many records a component has.
    pub(super) fn words_of(&self, component: usize) -> usize {
        self.dictionaries[component].records.len()
    }

    /// The record of a number.
    pub(super) fn record(&self, component: usize, n: u32) -> &Record {
        &self.dictionaries[component].records[n as usize]
    }

    /// The number of a record, if it has one.
    pub(super) fn known_number(&self, component: usize, record: &Record) -> Option<u32> {
        self.dictionaries[component].number.get(record).copied()
    }

    /// The number of a record, which is given one if it is new.
    pub(super) fn number(&mut self, component: usize, record: Record) -> u32 {
        let d = &mut self.dictionaries[component];
        if let Some(&n) = d.number.get(&record) {
            return n;
        }
        let n = d.records.len() as u32;
        d.records.push(record.clone());
        for t in &mut d.tables {
            let value = value_of(&self.quiet, self.beside.as_deref(), t.beside, n, &record, t.projection);
            let next = t.values.len() as u32;
            self.walk.tables[t.number as usize].1.push(*t.values.entry(value).or_insert(next));
        }
        d.number.insert(record, n);
        n
    }

    /// The key of a state.
    pub fn key(&mut self, state: &State) -> Result<K, Miss> {
        let key = self.packed(state);
        self.close()?;
        key
    }

    /// The key of a state. All of its records have numbers afterwards, even if one does not fit.
    pub(super) fn packed(&mut self, state: &State) -> Result<K, Miss> {
        let numbers: Vec<u32> = (0..self.law.components()).map(|c| self.number(c, state.record(c))).collect();
        for (c, n) in numbers.iter().enumerate() {
            self.fits(c, *n)?;
        }
        Ok(self.walk.layout.pack(&numbers))
    }

    fn fits(&self, component: usize, n: u32) -> Result<(), Miss> {
        if n < self.walk.layout.radices[component] { Ok(()) } else { Err(Miss::Narrow(component)) }
    }

    /// The state of numbers.
    pub fn state(&self, numbers: &[u32]) -> Option<State> {
        let records = numbers.iter().zip(&self.dictionaries).map(|(n, d)| &d.records[*n as usize]);
        State::assemble(self.law.slots, self.law.setting.players.len(), records)
    }

    /// The state of a key.
    pub fn state_of(&self, key: K) -> Option<State> {
        let mut numbers = vec![0; self.law.components()];
        self.walk.layout.unpack(key, &mut numbers);
        self.state(&numbers)
    }

    fn verdict(&mut self, bits: Vec<u16>) -> u32 {
        if let Some(&n) = self.verdict_number.get(&bits) {
            return n;
        }
        let n = self.verdicts.len() as u32;
        self.verdicts.push(bits.clone());
        self.verdict_number.insert(bits, n);
        n
    }

    /// Runs a group on a state that its tree does not know, and adds the leaf to the tree; or, if it is not to be hung
    /// there, gives the leaf until it is forgotten.
    pub fn learn(&mut self, group: usize, numbers: &[u32], hang: bool) -> Result<Leaf, Miss> {
        let Some(state) = self.state(numbers) else {
            return Err(Miss::Fault(Code::L301, "a key names no state".into()));
        };
        if self.law.looks.too_many() {
            let what = format!(
                "more than {LOOKS_MAX} different looks are made: something copies what is given to it, and so on for ever"
            );
            return Err(Miss::Fault(Code::L302, what));
        }
        let law = self.law;
        let (ran, took) = clocked(|| law.timed(Cause::Rest, || self.run(group, &state)));
        self.running += took;
        let ran = ran?;
        let mut leaf =
            Leaf { first: self.walk.outs.len() as u32, count: 0, verdict: 0, events: 0, incomplete: ran.incomplete };
        for outcome in &ran.list {
            let moves = self.moves(&state, &outcome.state, numbers);
            let delta = self.delta(&moves)?;
            self.walk.outs.push(delta);
            self.moves.extend(moves);
            self.ends.push(self.moves.len());
            leaf.count += 1;
            leaf.events = leaf.events.wrapping_add(events(self.law, outcome));
        }
        let reads = match self.symmetry {
            None => ran.reads,
            Some(_) => {
                let key: K = self.walk.layout.pack(numbers);
                let outs: Vec<K> = self.walk.outs[leaf.first as usize..].iter().map(|d| key.plus(*d)).collect();
                let mut reads = ran.reads.clone();
                self.even(group, numbers, (&ran, &outs), &mut reads)?;
                reads
            }
        };
        leaf.verdict = self.verdict(ran.bits);
        if hang && !self.hang(group, numbers, &reads, leaf) {
            let what = "two runs that read the same went different ways: please report it".to_owned();
            return Err(Miss::Fault(Code::L408, what));
        }
        if let (Some(diary), true) = (&mut self.diary, hang) {
            diary.push(group as u32);
            diary.extend(numbers);
        }
        if let (Some(firings), true) = (&mut self.firings, hang) {
            firings.note(self.law, &ran.list);
        }
        Ok(leaf)
    }

    /// Runs a group on a state.
    pub(super) fn run(&mut self, group: usize, state: &State) -> Result<Ran, Miss> {
        let reader = Reader::new(self.law, Rc::new(Log::recording(self.law.components())));
        let mut ran = Ran { list: Vec::new(), bits: Vec::new(), incomplete: false, reads: Vec::new() };
        let mut reads: Option<Vec<(bool, Read)>> = None;
        match self.groups[group].clone() {
            Group::Act(slot, actions) => {
                if let Some(slot) = slot {
                    reader.log.full(slot);
                }
                for action in actions {
                    let all = outcomes(&reader, state, action);
                    ran.incomplete |= all.incomplete;
                    if let Some((code, what)) = all.fault {
                        return Err(Miss::Fault(code, what));
                    }
                    ran.list.extend(all.list);
                }
                if let Some(beside) = &mut self.beside {
                    let met = beside.step(group, state, &ran.list, &reader.log).map_err(|(c, w)| Miss::Fault(c, w))?;
                    ran.incomplete |= met.incomplete;
                    ran.bits.extend(met.bits);
                    reads = Some(met.reads);
                    let mut kept = met.kept.into_iter();
                    ran.list.retain(|_| kept.next().unwrap_or(false));
                }
                for outcome in &ran.list {
                    let asked = || self.law.claimed(|| self.claims.of_step(&reader, outcome));
                    ran.bits.extend(self.law.timed(Cause::Claims, asked));
                }
            }
            Group::Judge(part) => {
                if let Part::Slot(slot) = part {
                    reader.log.full(usize::from(slot));
                }
                ran.bits = match &mut self.beside {
                    Some(beside) => {
                        let met = beside.looks(&reader, state, part).map_err(|(c, w)| Miss::Fault(c, w))?;
                        reads = Some(met.reads);
                        met.bits
                    }
                    None => {
                        let asked = || self.law.claimed(|| self.claims.of_state(&reader, state, part));
                        self.law.timed(Cause::Claims, asked)
                    }
                };
            }
        }
        ran.bits.sort_unstable();
        ran.bits.dedup();
        ran.reads = reads.unwrap_or_else(|| reader.log.reads().into_iter().map(|r| (false, r)).collect());
        Ok(ran)
    }

    /// Forgets the leaf that was given last, which hangs in no tree.
    pub fn forget(&mut self, leaf: &Leaf) {
        self.walk.outs.truncate(leaf.first as usize);
        self.ends.truncate(leaf.first as usize);
        self.moves.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Bytes held by all that was learned. A record is taken to be of the size of a slot's, with its lists.
    pub fn bytes(&self) -> u64 {
        let records: usize = self.words().iter().sum();
        let moves = self.moves.capacity() * size_of::<(u8, u32, u32)>() + self.ends.capacity() * 8;
        let diary = self.diary.as_ref().map_or(0, |d| d.capacity() * 4);
        let symmetry = self.symmetry.as_ref().map_or(0, Symmetry::bytes);
        self.walk.bytes() + self.compiled.bytes() + symmetry + (records * RECORD_BYTES + moves + diary) as u64
    }

    /// Components that differ, with their numbers before and after.
    fn moves(&mut self, before: &State, after: &State, numbers: &[u32]) -> Vec<(u8, u32, u32)> {
        let mut moves = Vec::new();
        for (c, old) in numbers.iter().enumerate() {
            let (a, b) = (before.record(c), after.record(c));
            if a != b {
                let new = self.number(c, b);
                moves.push((c as u8, *old, new));
            }
        }
        moves
    }

    fn delta(&self, moves: &[(u8, u32, u32)]) -> Result<K, Miss> {
        let mut delta = K::narrow(0);
        for &(c, old, new) in moves {
            self.fits(usize::from(c), new)?;
            let digit = |number| self.walk.layout.digit(usize::from(c), number);
            delta = delta.plus(digit(new)).minus(digit(old));
        }
        Ok(delta)
    }

    /// Hangs a leaf into a group's tree, along the reads that led to it; no if the tree says that another read comes there,
    /// which would mean that a run read something without noting it.
    fn hang(&mut self, group: usize, numbers: &[u32], reads: &[(bool, Read)], leaf: Leaf) -> bool {
        let id = LEAF | self.walk.leaves.len() as u32;
        self.walk.leaves.push(leaf);
        // The link to set: a root, or a child.
        let mut link: Option<usize> = None;
        for (beside, read) in reads {
            let table = self.table(usize::from(read.component), *beside, read.projection);
            let value = self.walk.tables[table as usize].1[numbers[usize::from(read.component)] as usize];
            let at = match link {
                None => self.walk.roots[group],
                Some(i) => self.walk.children[i],
            };
            let node = if at == 0 {
                self.walk.nodes.push(Node { component: read.component, table, offset: 0, length: 0 });
                let new = self.walk.nodes.len() as u32 - 1;
                match link {
                    None => self.walk.roots[group] = new,
                    Some(i) => self.walk.children[i] = new,
                }
                new
            } else {
                at
            };
            if self.walk.nodes.get(node as usize).is_none_or(|n| n.table != table) {
                return false;
            }
            self.widen(node, value);
            link = Some((self.walk.nodes[node as usize].offset + value) as usize);
        }
        let place = match link {
            None => &mut self.walk.roots[group],
            Some(i) => &mut self.walk.children[i],
        };
        let free = *place == 0;
        *place = id;
        free
    }

    /// Makes room for a value among a node's children.
    fn widen(&mut self, node: u32, value: u32) {
        let n = self.walk.nodes[node as usize];
        if value < n.length {
            return;
        }
        let length = (value + 1).max(n.length * 2).max(2);
        let offset = self.walk.children.len() as u32;
        self.walk.children.resize((offset + length) as usize, 0);
        let (from, to) = (n.offset as usize, offset as usize);
        self.walk.children.copy_within(from..from + n.length as usize, to);
        let node = &mut self.walk.nodes[node as usize];
        (node.offset, node.length) = (offset, length);
    }

    /// The table of a projection of a component, made when first read.
    fn table(&mut self, component: usize, beside: bool, projection: u8) -> u32 {
        let d = &self.dictionaries[component];
        if let Some(t) = d.tables.iter().find(|t| t.projection == projection && t.beside == beside) {
            return t.number;
        }
        let mut values: FxHashMap<u64, u32> = FxHashMap::default();
        let mut list = Vec::with_capacity(d.records.len());
        for (n, record) in d.records.iter().enumerate() {
            let value = value_of(&self.quiet, self.beside.as_deref(), beside, n as u32, record, projection);
            let next = values.len() as u32;
            list.push(*values.entry(value).or_insert(next));
        }
        let number = self.walk.tables.len() as u32;
        self.walk.tables.push((component, list));
        self.dictionaries[component].tables.push(Table { beside, projection, number, values });
        number
    }

    /// The same with other places in the key; everything learned stays.
    pub fn relay<K2: Key>(self, layout: Layout) -> Result<Ready<'l, 'p, K2>, Miss> {
        let Ready {
            law,
            claims,
            groups,
            walk,
            diary,
            verdicts,
            verdict_number,
            dictionaries,
            moves,
            ends,
            quiet,
            beside,
            symmetry,
            dealt,
            running,
            firings,
            ..
        } = self;
        let symmetry = symmetry.map(|s| s.relay(&layout));
        let walk = Walk {
            layout,
            tables: walk.tables,
            nodes: walk.nodes,
            children: walk.children,
            roots: walk.roots,
            leaves: walk.leaves,
            outs: Vec::with_capacity(walk.outs.len()),
        };
        let compiled = Compiled::empty();
        let mut new = Ready {
            law,
            claims,
            groups,
            walk,
            compiled,
            diary,
            verdicts,
            verdict_number,
            dictionaries,
            moves,
            ends,
            quiet,
            beside,
            symmetry,
            dealt,
            running,
            firings,
        };
        let mut first = 0;
        for end in &new.ends {
            let delta = new.delta(&new.moves[first..*end])?;
            new.walk.outs.push(delta);
            first = *end;
        }
        Ok(new)
    }
}

/// The value of a projection of a record of this number, as the law sees it or the one beside.
fn value_of(quiet: &Reader, other: Option<&Beside>, beside: bool, n: u32, record: &Record, projection: u8) -> u64 {
    match other {
        _ if projection == FULL => u64::from(n),
        Some(other) if beside => other.project(record, projection),
        _ => project(quiet, record, projection),
    }
}
