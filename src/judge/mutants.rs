//! Mutants of the law, judged: which ruling, property or witness tells each from the law, and what none tells apart.
//!
//! **A kill** is a verdict that differs from the unmutated one: a ruling that passed fails; an invariant that held is
//! violated, or vacuous in all the worlds of its scope; a witness that was reached in them is not; a conjecture that was
//! refuted is not; a world that was explored to its end meets a cap, or the law faults in it; a property or ruling can no
//! longer be stated, since it speaks of what is gone. Whatever stops at a limit of this program decides nothing.
//!
//! **Order.** Rulings in which the changed part was at work or asked come first, those that cite the same numbers before
//! others, up to the first that kills; then small worlds in which it was, for all that they tell. For what is left there
//! are all other rulings, the other small worlds, and larger ones in which the part was, up to the first that kills.

mod base;
pub mod budgets;
mod trial;
mod world;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::verdict::Verdict;
use crate::lang::ast::File;
use crate::lang::check::Options;
use crate::lang::mutants::Mutant;
use crate::lang::source::Sources;
use crate::lang::tree::Program;
pub use base::Base;

/// Worlds of at most so many states are small: every mutant is tried in those where its part is at work.
pub const SMALL_STATES_MAX: u64 = 1_000;
/// What is left after rulings is tried in every world of at most so many states.
pub const MIDDLE_STATES_MAX: u64 = 3_000;
/// Worlds with more states than this are left out, unless another number is given.
pub const STATES_MAX: u64 = 130_000;
/// A mutant may make a world so many times larger before that is given up.
pub const GROWTH_MAX: u64 = 20;
/// … but a small world may grow to this.
pub const GROWTH_STATES_MIN: u64 = 2_000;
/// Bytes of the stack of a worker.
const STACK_BYTES: usize = 32 << 20;

/// A model: its texts, its trees, and what it was checked for.
pub struct Model<'a> {
    /// The texts.
    pub sources: &'a Sources,
    /// The trees, in the same order.
    pub files: &'a [File],
    /// Edition and readings.
    pub options: &'a Options,
    /// What was made of it.
    pub program: &'a Program,
}

/// How it is run.
pub struct Bounds<'a> {
    /// Threads; 0: as many as the machine has.
    pub threads: usize,
    /// Worlds with more states are left out.
    pub states_max: u64,
    /// Whether small worlds are run for what a ruling has killed, so as to know what else does.
    pub matrix: bool,
    /// Sizes of worlds that are known beforehand, by name: those that are too large need not be explored to know it.
    pub sizes: &'a BTreeMap<String, u64>,
    /// Set from outside when the user wants an end.
    pub stop: &'a AtomicBool,
    /// Told how many are done, and of how many.
    pub progress: &'a (dyn Fn(&str, usize, usize) + Sync),
}

/// Something that tells a mutant from the law.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Killer {
    /// A ruling fails, with its code; it has so many steps.
    Ruling {
        /// Its name.
        name: String,
        /// How it fails.
        code: &'static str,
        /// What is done in it, up to its end.
        steps: u32,
    },
    /// A property comes out otherwise.
    Property {
        /// Its name.
        name: String,
        /// What became of it.
        verdict: Verdict,
        /// A world that shows it: of a violation the one with the shortest play.
        world: String,
        /// The length of that play; of what is no longer reached, that of the play that there was.
        steps: Option<u32>,
    },
    /// A world meets a cap, or the law faults in it.
    World {
        /// Its name.
        name: String,
        /// `cap`, or the code of the fault.
        what: String,
    },
    /// A property or ruling can't be stated any more.
    Unsaid {
        /// Its name.
        name: String,
        /// The code of the mistake.
        code: &'static str,
    },
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is no program: the code and the first mistake.
    NoProgram(&'static str, String),
    /// Something tells it from the law.
    Killed(Vec<Killer>),
    /// Nothing does.
    Survived,
    /// It was not tried: the user wanted an end.
    NotTried,
}

/// A mutant that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The mutant.
    pub mutant: Mutant,
    /// What became of it.
    pub fate: Fate,
    /// What decided nothing, and why: worlds that grew beyond the limit, a panic.
    pub undecided: Vec<String>,
}

/// Tries mutants, each against rulings and worlds. The result does not depend on the number of threads.
pub fn run(model: &Model, base: &Base, mutants: &[Mutant], bounds: &Bounds) -> Vec<Tried> {
    let done = AtomicUsize::new(0);
    let work = || {
        let each = mutants.par_iter().with_max_len(4).map_init(
            || model.files.to_vec(),
            |files, mutant| {
                let tried = trial::run(model, base, files, mutant, bounds);
                (bounds.progress)("mutants", done.fetch_add(1, Ordering::Relaxed) + 1, mutants.len());
                tried
            },
        );
        each.collect()
    };
    on_threads(bounds.threads, work)
}

/// Does something on as many threads as are asked for, each with a large stack.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
