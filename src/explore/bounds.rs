//! What a search is asked: its limits, and what is told of it while it runs.

use super::save::Save;
use super::symmetry::Alike;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// How the steps of a state are made. All must come to the same; the first is for use, the others for tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Steps {
    /// Ready-made where the trees were laid out, by the trees elsewhere, and by the law where they do not know.
    #[default]
    Ready,
    /// Laid out anew before each level.
    Compiled,
    /// By the trees, and by the law where they do not know.
    Traced,
    /// By the law, each time.
    Walker,
}

/// Which set of states is used. All must come to the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StoreKind {
    /// The part of a state that its place does not tell.
    #[default]
    Compact,
    /// Whole states.
    Flat,
    /// Sorted files from the beginning, as if there were no more memory than they need.
    Disk,
}

/// Limits of a search and what is told of it.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// Threads: one runs the plain loop.
    pub threads: usize,
    /// Stop after a level once so many states are known.
    pub states_max: Option<u64>,
    /// Stop after so many levels.
    pub depth_limit: Option<u32>,
    /// Bytes of memory that all of the search may take; what does not fit goes to disk.
    pub memory_max: Option<u64>,
    /// Where the files of what does not fit go; none: the system's folder for temporary files.
    pub spill_dir: Option<&'a Path>,
    /// Stop as soon as this is set.
    pub stop: &'a AtomicBool,
    /// Told after each batch.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// Where checkpoints go; none: none are written.
    pub save: Option<&'a Save<'a>>,
    /// How steps are made.
    pub steps: Steps,
    /// Which set.
    pub store: StoreKind,
    /// Whether interchangeable objects are explored once.
    pub symmetry: Alike,
    /// Whether it is noted which rules do something, so that their firings can be counted.
    pub firings: bool,
}

impl<'a> Bounds<'a> {
    /// No limits, nothing told.
    pub fn new(threads: usize, stop: &'a AtomicBool) -> Bounds<'a> {
        Bounds {
            threads,
            states_max: None,
            depth_limit: None,
            memory_max: None,
            spill_dir: None,
            stop,
            progress: None,
            save: None,
            steps: Steps::Ready,
            store: StoreKind::Compact,
            symmetry: Alike::Apart,
            firings: false,
        }
    }
}

/// How far a search has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The world.
    pub world: String,
    /// States known.
    pub states: u64,
    /// Steps taken.
    pub steps: u64,
    /// The level being expanded.
    pub depth: u32,
    /// States in it.
    pub frontier: u64,
    /// Bytes held.
    pub bytes: u64,
}
