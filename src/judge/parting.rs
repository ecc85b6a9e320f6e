//! Where two rulebooks part: what a comparison of one world found, in names. It knows no engine.

use super::play::{Play, PlayStep};

/// In what two rulebooks part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum PartingKind {
    /// One of them has a start that the other has not.
    Start,
    /// The old one alone offers it.
    OldAlone,
    /// The new one alone offers it.
    NewAlone,
    /// Both offer it at another cost.
    Cost,
    /// Both offer it with other choices.
    Choices,
    /// The same is done and other events happen.
    Events,
    /// The same happens and somebody knows something else.
    Knowledge,
    /// The same happens and the state is another.
    State,
    /// An object looks otherwise.
    Look,
    /// Somebody may look who may not under the other.
    MayLook,
}

impl PartingKind {
    /// Its word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            PartingKind::Start => "start",
            PartingKind::OldAlone => "old_alone",
            PartingKind::NewAlone => "new_alone",
            PartingKind::Cost => "cost",
            PartingKind::Choices => "choices",
            PartingKind::Events => "events",
            PartingKind::Knowledge => "knowledge",
            PartingKind::State => "state",
            PartingKind::Look => "look",
            PartingKind::MayLook => "may_look",
        }
    }

    /// What it means, as the end of a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            PartingKind::Start => "one side alone starts so",
            PartingKind::OldAlone => "the old side alone offers it",
            PartingKind::NewAlone => "the new side alone offers it",
            PartingKind::Cost => "both offer it, at another cost",
            PartingKind::Choices => "both offer it, with other choices",
            PartingKind::Events => "the same is done, and other events happen",
            PartingKind::Knowledge => "the same happens, and somebody knows something else",
            PartingKind::State => "the same happens, and what it leaves is another",
            PartingKind::Look => "an object looks otherwise",
            PartingKind::MayLook => "somebody may look who may not on the other side",
        }
    }

    /// Whether only what is new is offered, and nothing that was there is another.
    pub fn is_new_alone(self) -> bool {
        self == PartingKind::NewAlone
    }
}

/// A shortest play on which the two part in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// In what.
    pub kind: PartingKind,
    /// The changes that make the difference, places among the changes; none: it is not known which.
    pub changes: Vec<usize>,
    /// The common play, as the old rulebook tells it.
    pub old_play: Play,
    /// The same as the new one tells it.
    pub new_play: Play,
    /// What the old rulebook does then.
    pub old: Vec<PlayStep>,
    /// What the new one does then.
    pub new: Vec<PlayStep>,
    /// What differs, in words.
    pub says: Vec<String>,
}

/// What the comparison of one world came to.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The world.
    pub world: String,
    /// States that both have in common.
    pub states: u64,
    /// Steps that both take from them.
    pub steps: u64,
    /// Steps from a start to the farthest of them.
    pub depth: u32,
    /// Whether all of them were compared.
    pub complete: bool,
    /// Why not.
    pub why: Option<String>,
    /// Whether it was interrupted by the user.
    pub interrupted: bool,
    /// Where they part, one shortest play for each way and each set of changes.
    pub partings: Vec<Parting>,
    /// Measured: seconds.
    pub seconds: f64,
}
