//! Plays: what a search or a ruling did, step by step, in names instead of numbers. This is what reports print and what
//! replays read. It knows no engine.

use super::run::Statistics;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A play: a start and steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Play {
    /// The world.
    pub world: String,
    /// Edition of the law, as `2026-08-07`.
    pub edition: String,
    /// Readings, as `name=value`.
    pub readings: Vec<String>,
    /// The cards dealt, in order of slots: `morpher in library of A`.
    pub start: Vec<String>,
    /// The steps.
    pub steps: Vec<PlayStep>,
    /// For which values of its names a property is broken at the end, as `o = morpher`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken_for: Vec<String>,
}

/// One step of a play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlayStep {
    /// Who acts; none: the top of the stack resolves.
    pub player: Option<String>,
    /// What is done: `turn_up morpher (morph)`, `manifest_top`, `resolve`.
    pub action: String,
    /// What was paid.
    pub cost: Option<String>,
    /// What was chosen, in order.
    pub choices: Vec<String>,
    /// The rules at work, in order.
    pub rules: Vec<RuleAtWork>,
    /// The events, in order.
    pub events: Vec<String>,
    /// What changed in the state.
    pub changes: Vec<String>,
    /// The whole step as a machine reads it: `offer 12 0 3 5 / 0.2 1.2`. A replay follows this.
    pub replay: String,
}

/// A rule that permitted, forbade, replaced, triggered, … in a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleAtWork {
    /// `permitted`, `forbade`, `replaced`, `before`, `as`, `triggered`, `checked`, `resolved`.
    pub did: String,
    /// The rule, keyword or card.
    pub name: String,
    /// What it cites.
    pub cites: Vec<String>,
    /// The object that carries it, if one does.
    pub carrier: Option<String>,
}

/// What one world's exploration found of one property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// What it speaks of happened.
    pub premise_reached: bool,
    /// A shortest play that breaks it.
    pub violated: Option<Play>,
    /// A shortest play that reaches what a witness asks for.
    pub reached: Option<Play>,
}

/// That interchangeable objects were explored once: of all states that differ only in which is which, one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exchanged {
    /// How many permutations exchange them, the one that moves nothing among them.
    pub permutations: u64,
    /// Why some that may be the same are not exchanged, a sentence each.
    pub told_apart: Vec<String>,
}

/// What the exploration of one world came to.
#[derive(Clone, Debug, Default)]
pub struct WorldResult {
    /// Its name.
    pub name: String,
    /// Different states.
    pub unique_states: u64,
    /// Outcomes of all actions in all states.
    pub steps: u64,
    /// The sum, over all steps, of the number of each one's events, modulo 2^64: it changes when the law does something else.
    pub events: u64,
    /// Steps from a start to the farthest state.
    pub depth: u32,
    /// Whether everything was explored.
    pub complete: bool,
    /// Why not: a cap, a limit, an interrupt.
    pub why: Option<String>,
    /// Whether it was interrupted by the user.
    pub interrupted: bool,
    /// What was found, for each property of the program in its order; none: it does not speak of this world.
    pub findings: Vec<Option<Finding>>,
    /// A fault of this program: two engines that differ, a counterexample that the referee does not replay.
    pub fault: Option<String>,
    /// Attributes that are left out of the states, since nothing reads them.
    pub left_out: Vec<String>,
    /// If interchangeable objects were explored once: how.
    pub symmetry: Option<Exchanged>,
    /// Measured: seconds.
    pub seconds: f64,
    /// Measured: bytes of memory for each state.
    pub bytes_per_state: f64,
    /// Threads used.
    pub threads: usize,
    /// `own`, `stateright` or `referee`.
    pub engine: String,
    /// What our own search did and took.
    pub statistics: Statistics,
}

/// What became of one ruling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulingResult {
    /// Its name.
    pub name: String,
    /// Why it fails, if it does: a code, the place and a sentence.
    pub failure: Option<(crate::lang::diag::Code, crate::lang::ast::Span, String)>,
}
