//! Whether the law treats interchangeable slots alike, asked of every transition that is learned while
//! [`Symmetry`] is on. Beside the run of a group in a state stands its run in each image of that state: the outcomes of the
//! one must be the images of the outcomes of the other, and the same claims met. All that these runs read becomes part of
//! what the transition is found by, so that it is asked of all states together. If it always holds, the orbits that are
//! reached are those that a search of all states reaches, in the same levels, with the same claims met. Where it does not,
//! the learning stops, and the world is explored anew without that exchange.
//!
//! One thing may differ: a new token takes the lowest free slot, whichever it is. So outcomes need only be the same up to an
//! exchange of token slots that are free before the step and that no record speaks of.

use super::key::Key;
use super::ready::{Group, Miss, Ran, Ready};
use super::symmetry::{Exchange, Symmetry, renamed};
use crate::game::memory::{FULL, Read};
use crate::game::record::{Obj, Record, State};
use crate::lang::diag::Code;
use crate::law::claims::Part;
use crate::law::ground::projection;
use crate::law::names;

/// That the law, or a claim, tells exchangeable slots apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uneven {
    /// The classes of slots that can't all be exchanged, by place.
    pub classes: Vec<usize>,
    /// In what it shows.
    pub what: String,
}

/// A run in an image of a state.
struct Other<K> {
    numbers: Vec<u32>,
    bits: Vec<u16>,
    incomplete: bool,
    outs: Vec<K>,
    reads: Vec<Read>,
}

impl<'l, 'p, K: Key> Ready<'l, 'p, K> {
    /// Slots of the same class are exchanged from now on. Nothing may have been numbered yet.
    pub fn exchanging(mut self, exchange: Exchange) -> Self {
        self.symmetry = Some(Symmetry::new(exchange, self.law.slots, self.law.components()));
        self
    }

    /// The canonical key of an orbit; without symmetry the key.
    pub fn canonical(&self, key: K) -> K {
        match &self.symmetry {
            Some(symmetry) => symmetry.canonical(&self.walk.layout, key),
            None => key,
        }
    }

    /// The canonical key of a state, all records of which have numbers.
    pub fn canonical_of(&self, state: &State) -> Option<K> {
        let numbers: Option<Vec<u32>> =
            (0..self.law.components()).map(|c| self.known_number(c, &state.record(c))).collect();
        Some(self.canonical(self.walk.layout.pack(&numbers?)))
    }

    /// Gives numbers to the images of all records, and their images a place in the tables.
    pub(super) fn close(&mut self) -> Result<(), Miss> {
        let Some(mut symmetry) = self.symmetry.take() else { return Ok(()) };
        let mut grown = true;
        while grown {
            grown = false;
            for c in 0..self.law.components() {
                for n in symmetry.rows(c)..self.words_of(c) {
                    let record = self.record(c, n as u32).clone();
                    let images: Vec<u32> = (0..symmetry.count())
                        .map(|p| self.number(symmetry.to(p, c), renamed(&record, &symmetry.permutations()[p])))
                        .collect();
                    symmetry.push(c, &record, &images, &self.walk.layout);
                    grown = true;
                }
            }
        }
        self.symmetry = Some(symmetry);
        let narrow = self.words().iter().zip(&self.walk.layout.radices).position(|(n, radix)| *n > *radix as usize);
        narrow.map_or(Ok(()), |c| Err(Miss::Narrow(c)))
    }

    /// Whether a run of a group, which leads to these keys, comes to the same in every image of its state. Adds what all
    /// runs read.
    pub(super) fn even(
        &mut self,
        group: usize,
        numbers: &[u32],
        (ran, outs): (&Ran, &[K]),
        reads: &mut Vec<(bool, Read)>,
    ) -> Result<(), Miss> {
        let mut others: Vec<Other<K>> = Vec::new();
        for p in 1..self.symmetry.as_ref().map_or(0, Symmetry::count) {
            others.extend(self.other(group, numbers, p)?);
        }
        self.close()?;
        let Some(symmetry) = &self.symmetry else { return Ok(()) };
        let mut of_free = false;
        for (p, other) in (1..).zip(&others) {
            let same = match self.same(symmetry, p, outs, other) {
                Same::Exactly => true,
                Same::UpToFree => {
                    of_free = true;
                    true
                }
                Same::No => false,
            };
            if !same || other.bits != ran.bits || other.incomplete != ran.incomplete {
                let what = self.tell(p, numbers, ran, outs, other);
                return Err(Miss::Uneven(Uneven { classes: symmetry.moved(p), what }));
            }
            for read in &other.reads {
                let read = Read { component: symmetry.from(p, usize::from(read.component)) as u8, ..*read };
                note(reads, read);
            }
        }
        if of_free {
            // Whatever could speak of a free slot is part of what was found out.
            note(reads, Read { component: self.law.stack_component() as u8, projection: FULL });
            for slot in 0..self.law.slots as u8 {
                note(reads, Read { component: slot, projection: projection::LEFT_WITH });
            }
        }
        Ok(())
    }

    /// The run of a group's image in the image of a state.
    fn other(&mut self, group: usize, numbers: &[u32], p: usize) -> Result<Option<Other<K>>, Miss> {
        let Some(symmetry) = &self.symmetry else { return Ok(None) };
        let numbers = symmetry.image_numbers(p, numbers);
        let to = |slot: usize| symmetry.to(p, slot);
        let group = match &self.groups[group] {
            Group::Act(Some(slot), _) => {
                let slot = to(*slot);
                self.groups.iter().position(|g| matches!(g, Group::Act(Some(s), _) if *s == slot))
            }
            Group::Judge(Part::Slot(slot)) => {
                let slot = to(usize::from(*slot)) as u8;
                self.groups.iter().position(|g| matches!(g, Group::Judge(Part::Slot(s)) if *s == slot))
            }
            Group::Act(None, _) | Group::Judge(Part::Rest) => Some(group),
        };
        let lost = || Miss::Fault(Code::L301, "an image names no state".into());
        let (group, state) = (group.ok_or_else(lost)?, self.state(&numbers).ok_or_else(lost)?);
        let ran = self.run(group, &state)?;
        let outs = ran.list.iter().map(|o| self.packed(&o.state)).collect::<Result<Vec<K>, Miss>>()?;
        let reads = ran.reads.iter().map(|(_, read)| *read).collect();
        Ok(Some(Other { numbers, bits: ran.bits, incomplete: ran.incomplete, outs, reads }))
    }

    fn same(&self, symmetry: &Symmetry<K>, p: usize, outs: &[K], other: &Other<K>) -> Same {
        let mut images = self.images(symmetry, &[p], outs);
        let mut theirs = other.outs.clone();
        images.sort_unstable();
        theirs.sort_unstable();
        if images == theirs {
            return Same::Exactly;
        }
        let free: Vec<Obj> = (self.law.setting.cards..self.law.slots)
            .filter(|s| matches!(self.record(*s, other.numbers[*s]), Record::Slot(rec) if rec.zone.is_none()))
            .map(|s| s as Obj)
            .collect();
        let among = symmetry.within(&free);
        let mut images = self.images(symmetry, &among, &images);
        let mut theirs = self.images(symmetry, &among, &theirs);
        images.sort_unstable();
        theirs.sort_unstable();
        if images == theirs { Same::UpToFree } else { Same::No }
    }

    /// Of each key the least image under some permutations.
    fn images(&self, symmetry: &Symmetry<K>, among: &[usize], keys: &[K]) -> Vec<K> {
        let mut numbers = vec![0; self.law.components()];
        let mut image = |key: &K| {
            self.walk.layout.unpack(*key, &mut numbers);
            among.iter().map(|p| symmetry.image(*p, *key, &numbers)).min().unwrap_or(*key)
        };
        keys.iter().map(&mut image).collect()
    }

    /// In what it shows that slots are told apart.
    fn tell(&self, p: usize, numbers: &[u32], ran: &Ran, outs: &[K], other: &Other<K>) -> String {
        let (Some(symmetry), Some(state)) = (&self.symmetry, self.state(numbers)) else { return String::new() };
        let to = &symmetry.permutations()[p];
        let moved = (0..to.len() as Obj).filter(|o| to[usize::from(*o)] != *o);
        let name = |o: Obj| match state.slots[usize::from(o)].zone {
            Some(zone) => format!("{} in {}", names::object(self.law, &state, o), zone.name()),
            None => "a free token slot".to_owned(),
        };
        let moved: Vec<String> = moved.map(name).collect();
        let images = self.images(symmetry, &[p], outs);
        let alone = ran.list.iter().zip(&images).find(|(_, image)| !other.outs.contains(image));
        let step = match (alone, ran.list.first()) {
            (Some((outcome, _)), _) | (None, Some(outcome)) => {
                format!("the step `{}`", names::replay_line(self.law, &state, outcome))
            }
            (None, None) => "a claim or a step".to_owned(),
        };
        format!("{step} is not the same when {} change places", moved.join(" and "))
    }
}

/// Whether outcomes are the images of others.
enum Same {
    Exactly,
    /// Up to which of several free slots a new token takes.
    UpToFree,
    No,
}

/// Adds a read, once.
fn note(reads: &mut Vec<(bool, Read)>, read: Read) {
    let whole = Read { projection: FULL, ..read };
    if !reads.contains(&(false, read)) && !reads.contains(&(false, whole)) {
        reads.push((false, read));
    }
}
