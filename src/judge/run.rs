//! What an exploration is asked, and what it tells while it runs. It knows no engine, so that the command line, the
//! tests and every engine can speak of a run in the same words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::play::Play;
pub use crate::explore::symmetry::Alike;

/// Which engine explores a world. All must agree; the first is the fast one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum EngineKind {
    /// Our parallel search over packed states.
    #[default]
    Own,
    /// The same steps, searched by the crate `stateright`.
    Stateright,
    /// The slow interpreter that is written to be read.
    Referee,
}

impl EngineKind {
    /// Its name on the command line and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            EngineKind::Own => "own",
            EngineKind::Stateright => "stateright",
            EngineKind::Referee => "referee",
        }
    }
}

/// A look at a running exploration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The world.
    pub world: String,
    /// Different states so far.
    pub states: u64,
    /// Steps so far.
    pub steps: u64,
    /// The level that is explored.
    pub depth: u32,
    /// States of that level.
    pub frontier: u64,
    /// Memory of the visited set.
    pub bytes: u64,
    /// Since the start of this world.
    pub seconds: f64,
}

/// What a search of one world did and took. Counts of levels are alike in every run; the rest may depend on memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// States of each level and the steps from them, the starts first.
    pub levels: Vec<Level>,
    /// Steps that led to a state that was known already.
    pub duplicates: u64,
    /// How often what was learned was laid out anew for speed.
    pub laid_out: u64,
    /// Questions that were answered by what was learned, but not laid out yet, or by running the law.
    pub by_trees: u64,
    /// Bytes of the visited set at the end; none of it where it was moved to disk.
    pub set_bytes: u64,
    /// How full its tables were, 0 to 1.
    pub set_load: f64,
    /// Bytes of the levels, in memory or in files.
    pub level_bytes: u64,
    /// Bytes of what was learned.
    pub learned_bytes: u64,
    /// Bytes of the visited set on disk, if it was moved there.
    pub spilled_bytes: u64,
    /// Bytes that the search held at its peak, as far as it counts them.
    pub peak_bytes: u64,
    /// Bytes that the whole process had in memory at its peak so far, if the system tells it.
    pub process_peak_bytes: Option<u64>,
    /// Where the time went.
    pub seconds: Seconds,
    /// How often each rule did something in all steps, the most often first; a rule that never did is not told. Absent where
    /// it was not asked for (`--statistics`), and where not every step from each level was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firings: Option<Vec<Firings>>,
    /// Where the time went while the law was run, the most first; absent where it was not asked for (`--profile`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Vec<Spent>>,
}

/// What a search spent its time on, in seconds. What is not told is loading, and judging what was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seconds {
    /// Running the law, once for each set of values that it reads, and asking properties of what came of it.
    pub law: f64,
    /// Laying out what was learned.
    pub laying_out: f64,
    /// Expanding states by what was learned, and looking up what they lead to.
    pub expanding: f64,
    /// Making a level of what was found.
    pub ending: f64,
    /// Writing checkpoints.
    pub saving: f64,
}

/// How often a rule did something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Firings {
    /// Its name.
    pub rule: String,
    /// In all steps together.
    pub times: u64,
}

/// What a part of the law took while it was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spent {
    /// `rule` and its name, `procedure` and its name, `properties`, or `the rest`: states, choices, what is read.
    pub of: String,
    /// How often: a clause asked, judged or done, a procedure done, properties asked.
    pub times: u64,
    /// Seconds, without what other parts took meanwhile.
    pub seconds: f64,
}

/// A level of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// States.
    pub states: u64,
    /// Steps from them.
    pub steps: u64,
}

/// Called now and then from the thread that leads the search.
pub type OnProgress = Box<dyn Fn(&Progress) + Sync + Send>;

/// How a world is explored. None of it changes a verdict that is complete.
#[derive(Default)]
pub struct ExploreOptions {
    /// Threads; 0: as many as the machine has.
    pub threads: usize,
    /// Which engine.
    pub engine: EngineKind,
    /// Stop, incomplete, with so many states.
    pub limit_states: Option<u64>,
    /// Stop, incomplete, after so many levels.
    pub limit_depth: Option<u32>,
    /// Bytes of memory for the search; what does not fit goes to disk.
    pub memory: Option<u64>,
    /// The folder for what does not fit; none: the system's for temporary files.
    pub spill_dir: Option<PathBuf>,
    /// Whether interchangeable objects are explored once.
    pub symmetry: Alike,
    /// Where checkpoints go, one folder for each world.
    pub checkpoint: Option<Checkpointing>,
    /// Set from outside when the user wants an end: stop at the next level or sooner.
    pub stop: Arc<AtomicBool>,
    /// Who is told how it goes.
    pub progress: Option<OnProgress>,
    /// Whether rule firings are counted.
    pub firings: bool,
    /// Whether it is taken down where the law's time goes.
    pub profile: bool,
}

/// Where checkpoints of searches go, and whether to go on from them.
#[derive(Clone)]
pub struct Checkpointing {
    /// The folder.
    pub dir: PathBuf,
    /// Go on from what is there; else nothing may be there.
    pub resume: bool,
    /// Told what the user should know of it.
    pub note: Arc<dyn Fn(&str) + Sync + Send>,
}

impl fmt::Debug for ExploreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExploreOptions")
            .field("threads", &self.threads)
            .field("engine", &self.engine)
            .field("limit_states", &self.limit_states)
            .field("limit_depth", &self.limit_depth)
            .field("memory", &self.memory)
            .field("symmetry", &self.symmetry)
            .finish_non_exhaustive()
    }
}

/// What a replay came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// What was played, up to where it stopped.
    pub play: Play,
    /// Where and why it stopped being legal; none: all of it is legal.
    pub stopped: Option<Stopped>,
}

/// Where a play stops being legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The step, from 1; 0: the start is none of the world's.
    pub step: usize,
    /// One lowercase sentence without a final dot.
    pub why: String,
}
