//! Looks and costs as numbers: each distinct one is kept once. Applying a modification gives another number.

use super::record::{CostId, LookId};
use crate::lang::tree::{Cost, Look, ModKind, Program, WordKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// All looks and costs met so far.
#[derive(Debug, Default)]
pub struct Looks {
    looks: RefCell<Interner<Look>>,
    costs: RefCell<Interner<Cost>>,
}

#[derive(Debug)]
struct Interner<T> {
    list: Vec<Rc<T>>,
    number: FxHashMap<Rc<T>, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { list: Vec::new(), number: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Interner<T> {
    fn number(&mut self, value: &T) -> u32 {
        if let Some(&n) = self.number.get(value) {
            return n;
        }
        let (n, shared) = (self.list.len() as u32, Rc::new(value.clone()));
        self.list.push(shared.clone());
        self.number.insert(shared, n);
        n
    }
}

/// The empty look: no name, no cost, no types, no size, no abilities.
pub const EMPTY: LookId = LookId(0);

/// Different looks that one world may make.
pub const LOOKS_MAX: usize = 1 << 16;

impl Looks {
    /// A table that holds the empty look.
    pub fn new() -> Looks {
        let looks = Looks::default();
        looks.look(&Look::default());
        looks
    }
    /// The number of a look.
    pub fn look(&self, look: &Look) -> LookId {
        LookId(self.looks.borrow_mut().number(look))
    }
    /// Whether there are more looks than a world may make.
    pub fn too_many(&self) -> bool {
        self.looks.borrow().list.len() > LOOKS_MAX
    }
    /// The look of a number.
    pub fn get(&self, id: LookId) -> Rc<Look> {
        self.looks.borrow().list[id.0 as usize].clone()
    }
    /// The number of a cost.
    pub fn cost(&self, cost: &Cost) -> CostId {
        CostId(self.costs.borrow_mut().number(cost))
    }
    /// The cost of a number.
    pub fn get_cost(&self, id: CostId) -> Rc<Cost> {
        self.costs.borrow().list[id.0 as usize].clone()
    }
}

/// Adds the keywords and clauses of another look.
pub fn add_abilities(look: &mut Look, from: &Look) {
    look.keywords.extend(from.keywords.iter().cloned());
    look.keywords.sort();
    look.keywords.dedup();
    look.clauses.extend(&from.clauses);
    look.clauses.sort();
    look.clauses.dedup();
}

/// Applies one modification; `sized` gives the value of the expressions of a `Sized`.
pub fn apply(program: &Program, look: &mut Look, kind: &ModKind, sized: Option<(i32, i32)>) {
    match kind {
        ModKind::Has(k, cost) => {
            let new = (*k, cost.clone());
            if let Err(i) = look.keywords.binary_search(&new) {
                look.keywords.insert(i, new);
            }
        }
        ModKind::LosesAbilities => {
            look.keywords.clear();
            look.clauses.clear();
        }
        ModKind::IsAlso(w) => look.words |= 1 << w.0,
        ModKind::Becomes(words) => {
            let has_type = words.iter().any(|w| program.words[w.index()].kind == WordKind::Type);
            for (i, word) in program.words.iter().enumerate() {
                let gone = match word.kind {
                    WordKind::Type => has_type,
                    WordKind::Subtype => true,
                    WordKind::Supertype | WordKind::Colour => false,
                };
                if gone {
                    look.words &= !(1 << i);
                }
            }
            for w in words {
                look.words |= 1 << w.0;
            }
        }
        ModKind::Gets(p, t) => {
            if let Some(size) = &mut look.size {
                *size = (size.0 + p, size.1 + t);
            }
        }
        ModKind::Sized(..) => {
            if let Some(size) = sized {
                look.size = Some(size);
            }
        }
    }
}
