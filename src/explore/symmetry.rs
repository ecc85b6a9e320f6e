//! Interchangeable objects, explored once. Slots that may hold the same card are exchanged by a group of permutations, and
//! of the states that these make of one another the search keeps one, the *canonical* state of the orbit.
//!
//! A permutation sends the record of slot `c` to slot `p(c)`, and renames every slot that any record speaks of. For each
//! record the number of its image is kept, so that the image of a key is a sum of table entries. The canonical state is
//! the one whose slots stand in order of *colour* (a slot's record without what it says of other slots) in each class, and
//! of those the least by key: only permutations that sort the colours are tried, mostly a single one.
//!
//! That the law treats slots alike is not taken for granted: see [`super::exchange`].

use super::exchange::Uneven;
use super::key::{Key, Layout};
use crate::game::record::{EntryKind, NO_OBJECT, Obj, Record, SlotRec, State, Value};
use crate::lang::tree::Start;
use itertools::Itertools;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The largest group that is used; classes are cut until it is no larger.
pub const PERMUTATIONS_MAX: usize = 720;

/// Whether states that differ only in which of several interchangeable objects is which are explored once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Alike {
    /// Each by itself.
    #[default]
    Apart,
    /// One for all of them.
    Together,
}

/// What is exchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Exchange {
    /// Classes of slots that are exchanged with one another.
    pub classes: Vec<Vec<Obj>>,
    /// Why further ones are not, a sentence each.
    pub told_apart: Vec<String>,
}

impl Exchange {
    /// What may be exchanged in a world, as far as there are no more permutations than are used.
    pub fn of(starts: &[Start], slots: usize) -> Exchange {
        let mut classes = classes(starts, slots);
        let slots = |classes: &[Vec<Obj>]| classes.iter().map(Vec::len).sum::<usize>();
        let all = slots(&classes);
        while permutations_of(&classes) > PERMUTATIONS_MAX
            && let Some(largest) = classes.iter_mut().rev().max_by_key(|class| class.len())
        {
            largest.pop();
            classes.retain(|class| class.len() > 1);
        }
        let (left, most) = (slots(&classes), PERMUTATIONS_MAX);
        let cut = format!("of {all} objects that may be the same {left} are exchanged, by {most} permutations at most");
        Exchange { told_apart: if left < all { vec![cut] } else { Vec::new() }, classes }
    }
    /// Without some classes, by place, and why.
    #[must_use]
    pub fn without(mut self, uneven: Uneven) -> Exchange {
        let mut place = 0..;
        self.classes.retain(|_| place.next().is_some_and(|c| !uneven.classes.contains(&c)));
        self.told_apart.push(uneven.what);
        self
    }
}

/// The classes of interchangeable slots of a world: slots of one owner that may be dealt the same card, directly or by way
/// of others, and the token slots. Other slots never hold the same thing, so that exchanging them would join no states.
fn classes(starts: &[Start], slots: usize) -> Vec<Vec<Obj>> {
    let dealt: Vec<_> = starts.iter().flat_map(|line| std::iter::repeat_n(line, usize::from(line.count))).collect();
    let alike = |a: Obj, b: Obj| {
        let (a, b) = (dealt[usize::from(a)], dealt[usize::from(b)]);
        a.player == b.player && a.options.iter().any(|card| b.options.contains(card))
    };
    let mut classes: Vec<Vec<Obj>> = Vec::new();
    for slot in 0..dealt.len() as Obj {
        let (mut mine, others): (Vec<Vec<Obj>>, Vec<Vec<Obj>>) =
            classes.into_iter().partition(|class| class.iter().any(|other| alike(*other, slot)));
        mine.push(vec![slot]);
        classes = others;
        classes.push(mine.concat());
    }
    classes.push((dealt.len() as Obj..slots as Obj).collect());
    for class in &mut classes {
        class.sort_unstable();
    }
    classes.retain(|class| class.len() > 1);
    classes.sort_unstable();
    classes
}

fn permutations_of(classes: &[Vec<Obj>]) -> usize {
    classes.iter().map(|class| (1..=class.len()).product::<usize>()).fold(1, usize::saturating_mul)
}

/// The state with its slots exchanged: what was in slot `c` is in slot `to[c]`.
pub fn exchanged(state: &State, to: &[Obj]) -> Option<State> {
    let mut records: Vec<Record> = (0..state.components()).map(|c| state.record(c)).collect();
    for c in 0..state.components() {
        records[to.get(c).map_or(c, |c| usize::from(*c))] = renamed(&state.record(c), to);
    }
    State::assemble(state.slots.len(), state.players.len(), records.iter())
}

/// A record with every slot that it speaks of renamed.
pub(super) fn renamed(record: &Record, to: &[Obj]) -> Record {
    let name = |o: Obj| to.get(usize::from(o)).copied().unwrap_or(o);
    let list = |list: &[Obj]| list.iter().map(|o| name(*o)).collect::<Vec<Obj>>();
    match record {
        Record::Slot(rec) if rec.host == NO_OBJECT && rec.parts.is_empty() && rec.left_with == NO_OBJECT => {
            record.clone()
        }
        Record::Slot(rec) => Record::Slot(Rc::new(SlotRec {
            host: name(rec.host),
            parts: list(&rec.parts),
            left_with: name(rec.left_with),
            ..SlotRec::clone(rec)
        })),
        Record::Player(rec) => {
            let mut new = rec.as_ref().clone();
            new.library = list(&rec.library);
            Record::Player(Rc::new(new))
        }
        Record::Stack(entries) => {
            let mut new = entries.as_ref().clone();
            for entry in &mut new {
                entry.aims = name(entry.aims);
                match &mut entry.what {
                    EntryKind::Spell(o) => *o = name(*o),
                    EntryKind::Ability { source, vars, .. } => {
                        *source = name(*source);
                        for value in vars {
                            if let Value::Object(o) = value {
                                *o = name(*o);
                            }
                        }
                    }
                    EntryKind::Gone => {}
                }
            }
            Record::Stack(Rc::new(new))
        }
        Record::Table(_) => record.clone(),
        Record::Stamps(order) => Record::Stamps(Rc::new(list(order))),
    }
}

/// A slot whose place in the order of colours counts.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    slot: usize,
    /// Of which class.
    class: usize,
    /// What each rank adds to the code of the ranks.
    weight: u32,
}

/// A group of permutations, with the images of all records that have a number.
pub struct Symmetry<K> {
    classes: Vec<Vec<Obj>>,
    told_apart: Vec<String>,
    /// Where each slot goes; the identity first, then those that move the fewest slots.
    permutations: Vec<Vec<Obj>>,
    /// For each component a row for each record: the number of its image under each permutation.
    images: Vec<Vec<u32>>,
    /// The same: what the image adds to a key, less what the record does.
    shifts: Vec<Vec<K>>,
    /// Components of which some record has such a difference.
    moving: Vec<usize>,
    /// For each slot the colour of each record.
    colours: Vec<Vec<u32>>,
    palette: FxHashMap<SlotRec, u32>,
    ranked: Vec<Ranked>,
    /// For each code of ranks: where its permutations begin in the list, and how many they are.
    sorting: Vec<(u32, u32)>,
    list: Vec<u16>,
}

impl<K: Key> Symmetry<K> {
    /// The permutations that exchange slots of the same class; no image is known yet.
    pub fn new(exchange: Exchange, slots: usize, components: usize) -> Symmetry<K> {
        let Exchange { classes, told_apart } = exchange;
        let identity: Vec<Obj> = (0..slots as Obj).collect();
        let mut permutations = vec![identity.clone()];
        for class in &classes {
            let orders: Vec<Vec<Obj>> = class.iter().copied().permutations(class.len()).collect();
            let with = |p: &Vec<Obj>, order: &Vec<Obj>| {
                let mut new = p.clone();
                class.iter().zip(order).for_each(|(from, to)| new[usize::from(*from)] = *to);
                new
            };
            permutations = permutations.iter().flat_map(|p| orders.iter().map(|order| with(p, order))).collect();
        }
        let moved = |p: &Vec<Obj>| p.iter().zip(&identity).filter(|(a, b)| a != b).count();
        permutations.sort_by_cached_key(|p| (moved(p), p.clone()));
        let mut symmetry = Symmetry {
            classes,
            told_apart,
            permutations,
            images: vec![Vec::new(); components],
            shifts: vec![Vec::new(); components],
            moving: Vec::new(),
            colours: vec![Vec::new(); slots],
            palette: FxHashMap::default(),
            ranked: Vec::new(),
            sorting: Vec::new(),
            list: Vec::new(),
        };
        symmetry.rank();
        symmetry
    }

    /// Lists, for each order in which the colours of the classes may stand, the permutations that sort them.
    fn rank(&mut self) {
        let mut codes = 1;
        for (class, slots) in self.classes.iter().enumerate() {
            for slot in slots {
                self.ranked.push(Ranked { slot: usize::from(*slot), class, weight: codes });
                codes *= slots.len() as u32;
            }
        }
        let pairs: Vec<(usize, usize)> = (0..self.ranked.len())
            .cartesian_product(0..self.ranked.len())
            .filter(|(a, b)| self.ranked[*a].class == self.ranked[*b].class)
            .collect();
        for code in 0..codes {
            let rank = |r: &Ranked| code / r.weight % self.classes[r.class].len() as u32;
            let ranks: Vec<u32> = self.ranked.iter().map(rank).collect();
            let below: Vec<(usize, usize)> = pairs.iter().copied().filter(|(a, b)| ranks[*a] < ranks[*b]).collect();
            // A rank is the number of slots of the class with a smaller colour.
            let is = |(at, rank): (usize, &u32)| below.iter().filter(|(_, b)| *b == at).count() as u32 == *rank;
            let first = self.list.len() as u32;
            if ranks.iter().enumerate().all(is) {
                let slot = |at: usize| self.ranked[at].slot;
                let sorts = |p: &[Obj]| below.iter().all(|(a, b)| p[slot(*a)] < p[slot(*b)]);
                let sorting = self.permutations.iter().enumerate().filter(|(_, p)| sorts(p));
                self.list.extend(sorting.map(|(p, _)| p as u16));
            }
            self.sorting.push((first, self.list.len() as u32 - first));
        }
    }

    /// How many permutations, the identity among them.
    pub fn count(&self) -> usize {
        self.permutations.len()
    }
    /// What is exchanged, and what is not.
    pub fn exchange(&self) -> Exchange {
        Exchange { classes: self.classes.clone(), told_apart: self.told_apart.clone() }
    }
    /// Why slots that may hold the same are not exchanged, a sentence each.
    pub fn told_apart(&self) -> &[String] {
        &self.told_apart
    }
    /// The permutations: where each slot goes.
    pub fn permutations(&self) -> &[Vec<Obj>] {
        &self.permutations
    }
    /// Where a permutation sends a component.
    pub(super) fn to(&self, p: usize, component: usize) -> usize {
        self.permutations[p].get(component).map_or(component, |to| usize::from(*to))
    }
    /// From where a permutation gets a component.
    pub(super) fn from(&self, p: usize, component: usize) -> usize {
        self.permutations[p].iter().position(|to| usize::from(*to) == component).unwrap_or(component)
    }
    /// The classes that a permutation moves, by place.
    pub(super) fn moved(&self, p: usize) -> Vec<usize> {
        let moves = |class: &Vec<Obj>| class.iter().any(|slot| self.permutations[p][usize::from(*slot)] != *slot);
        self.classes.iter().positions(moves).collect()
    }
    /// The permutations that move nothing but some of these slots.
    pub(super) fn within(&self, slots: &[Obj]) -> Vec<usize> {
        let stays = |p: &Vec<Obj>| p.iter().zip(0..).all(|(to, from)| *to == from || slots.contains(&from));
        self.permutations.iter().positions(stays).collect()
    }

    /// How many records of a component have their images.
    pub(super) fn rows(&self, component: usize) -> usize {
        self.images[component].len() / self.count()
    }
    /// Takes the numbers of the images of the next record of a component.
    pub(super) fn push(&mut self, component: usize, record: &Record, images: &[u32], layout: &Layout) {
        let number = self.rows(component) as u32;
        self.images[component].extend(images);
        self.shift(component, number, layout);
        if let (Record::Slot(rec), Some(colours)) = (record, self.colours.get_mut(component)) {
            let rec = SlotRec { host: NO_OBJECT, parts: Vec::new(), left_with: NO_OBJECT, ..SlotRec::clone(rec) };
            let next = self.palette.len() as u32;
            colours.push(*self.palette.entry(rec).or_insert(next));
        }
    }

    fn shift(&mut self, component: usize, number: u32, layout: &Layout) {
        let own: K = layout.digit(component, number);
        for p in 0..self.count() {
            let image = self.images[component][number as usize * self.count() + p];
            let shift = layout.digit::<K>(self.to(p, component), image).minus(own);
            self.shifts[component].push(shift);
            if shift != K::narrow(0) && !self.moving.contains(&component) {
                self.moving.push(component);
            }
        }
    }

    /// The same for another layout.
    pub(super) fn relay<K2: Key>(self, layout: &Layout) -> Symmetry<K2> {
        let rows: Vec<usize> = (0..self.images.len()).map(|c| self.rows(c)).collect();
        let mut new = Symmetry {
            classes: self.classes,
            told_apart: self.told_apart,
            permutations: self.permutations,
            shifts: vec![Vec::new(); self.images.len()],
            images: self.images,
            moving: Vec::new(),
            colours: self.colours,
            palette: self.palette,
            ranked: self.ranked,
            sorting: self.sorting,
            list: self.list,
        };
        for (component, rows) in rows.into_iter().enumerate() {
            (0..rows as u32).for_each(|number| new.shift(component, number, layout));
        }
        new
    }

    /// The numbers of a state's image.
    pub(super) fn image_numbers(&self, p: usize, numbers: &[u32]) -> Vec<u32> {
        let mut images = numbers.to_vec();
        for (c, n) in numbers.iter().enumerate() {
            images[self.to(p, c)] = self.images[c][*n as usize * self.count() + p];
        }
        images
    }

    /// The image of a key of these numbers.
    #[inline(always)]
    pub(super) fn image(&self, p: usize, key: K, numbers: &[u32]) -> K {
        let count = self.count();
        self.moving.iter().fold(key, |key, &c| key.plus(self.shifts[c][numbers[c] as usize * count + p]))
    }

    /// The canonical key of the orbit.
    pub fn canonical(&self, layout: &Layout, key: K) -> K {
        let mut colours = [0u32; SLOTS_MAX];
        let (mut sorted, mut before) = (true, usize::MAX);
        for (at, r) in self.ranked.iter().enumerate() {
            colours[at] = self.colours[r.slot][layout.number(key, r.slot) as usize];
            sorted &= r.class != before || colours[at - 1] < colours[at];
            before = r.class;
        }
        if sorted {
            return key;
        }
        let mut code = 0;
        for (a, &colour) in self.ranked.iter().zip(&colours) {
            let smaller = self.ranked.iter().zip(&colours).filter(|(b, other)| a.class == b.class && **other < colour);
            code += a.weight * smaller.count() as u32;
        }
        let (first, length) = self.sorting[code as usize];
        let mut numbers = [0u32; COMPONENTS_MAX];
        layout.unpack(key, &mut numbers);
        let tried = &self.list[first as usize..(first + length) as usize];
        tried.iter().map(|p| self.image(usize::from(*p), key, &numbers)).min().unwrap_or(key)
    }

    /// Puts canonical keys in the place of keys.
    pub fn canonise(&self, layout: &Layout, keys: &mut [K]) {
        for key in keys {
            *key = self.canonical(layout, *key);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let images: usize = self.images.iter().map(|row| row.capacity() * 4).sum();
        let shifts: usize = self.shifts.iter().map(|row| row.capacity() * size_of::<K>()).sum();
        let colours: usize = self.colours.iter().map(|row| row.capacity() * 4).sum();
        let palette = self.palette.capacity() * (size_of::<SlotRec>() + 4);
        (images + shifts + colours + palette + self.sorting.len() * 8 + self.list.len() * 2) as u64
    }
}

/// Slots of a world, and all components of a state, at most.
const SLOTS_MAX: usize = 16;
const COMPONENTS_MAX: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::tree::{CardId, Zone};

    fn starts(lines: &[(u8, u8, &[u16])]) -> Vec<Start> {
        let line = |(player, count, cards): &(u8, u8, &[u16])| Start {
            player: *player,
            zone: Zone::Library,
            count: *count,
            options: cards.iter().map(|c| CardId(*c)).collect(),
        };
        lines.iter().map(line).collect()
    }

    #[test]
    fn what_one_owner_may_hold_is_one_class() {
        let of = |lines: &[(u8, u8, &[u16])], slots| Exchange::of(&starts(lines), slots);
        assert_eq!(of(&[(0, 3, &[1, 2])], 3).classes, [vec![0, 1, 2]]);
        assert_eq!(of(&[(0, 1, &[1, 2]), (1, 1, &[1, 2])], 2).classes, [[0; 0]; 0]);
        // By way of the second the first and the third; the token slots are the last.
        assert_eq!(of(&[(0, 1, &[1]), (0, 1, &[2]), (0, 1, &[1, 2])], 5).classes, [vec![0, 1, 2], vec![3, 4]]);
        let cut = of(&[(0, 8, &[1])], 10);
        assert_eq!(cut.classes, [vec![0, 1, 2, 3, 4], vec![8, 9]]);
        assert_eq!(cut.told_apart.len(), 1);
    }

    #[test]
    fn each_order_of_colours_has_the_permutations_that_sort_it() {
        let symmetry: Symmetry<u64> =
            Symmetry::new(Exchange { classes: vec![vec![0, 2, 3], vec![4, 5]], told_apart: Vec::new() }, 6, 10);
        assert_eq!(symmetry.count(), 12);
        assert_eq!(symmetry.permutations()[0], [0, 1, 2, 3, 4, 5]);
        let codes: Vec<u32> = symmetry.sorting.iter().map(|(_, length)| *length).filter(|n| *n > 0).collect();
        // Thirteen orders of three with ties, three of two; each permutation sorts those that it makes stand in order.
        assert_eq!(codes.len(), 13 * 3);
        assert_eq!(codes.iter().max(), Some(&12));
        assert_eq!(codes.iter().filter(|n| **n == 1).count(), 6 * 2);
    }
}
