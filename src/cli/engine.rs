//! The seam to the engines: all that the command line asks of them. Tests put an engine of their own here.

use crate::judge::play::{Play, RulingResult, WorldResult};
use crate::judge::run::{ExploreOptions, Replayed, Stopped};
use crate::judge::script::Script;
use crate::lang::diag::{Code, Diag};
use crate::lang::tree::Program;

/// What runs worlds, rulings and plays.
pub trait Engine {
    /// Explores a world, a place in [`Program::worlds`]. An error is of the model: L301, L302, L405, ….
    fn world(&self, program: &Program, world: usize, options: &ExploreOptions) -> Result<WorldResult, Vec<Diag>>;
    /// Plays a ruling, a place in [`Program::rulings`].
    fn ruling(&self, program: &Program, ruling: usize) -> RulingResult;
    /// Follows a play of a world, as far as it is legal.
    fn replay(&self, program: &Program, world: usize, script: &Script) -> Replayed;
}

/// No engine: nothing is explored, so nothing is claimed. It stands in until the engines are wired.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwired;

const UNWIRED: &str = "this build has no engine";

impl Engine for Unwired {
    fn world(&self, program: &Program, world: usize, options: &ExploreOptions) -> Result<WorldResult, Vec<Diag>> {
        Ok(WorldResult {
            name: program.worlds.get(world).map(|w| w.name.clone()).unwrap_or_default(),
            why: Some(UNWIRED.to_owned()),
            findings: program.properties.iter().map(|_| Some(Default::default())).collect(),
            engine: options.engine.as_str().to_owned(),
            ..WorldResult::default()
        })
    }

    fn ruling(&self, program: &Program, ruling: usize) -> RulingResult {
        let (name, span) = program.rulings.get(ruling).map(|r| (r.name.clone(), r.span)).unwrap_or_default();
        RulingResult { name, failure: Some((Code::L401, span, UNWIRED.to_owned())) }
    }

    fn replay(&self, program: &Program, world: usize, script: &Script) -> Replayed {
        let play = Play {
            world: program.worlds.get(world).map(|w| w.name.clone()).unwrap_or_default(),
            edition: program.edition.map(crate::report::model::day).unwrap_or_default(),
            readings: program.readings.iter().map(|(name, value)| format!("{name}={value}")).collect(),
            start: script.start.clone(),
            steps: Vec::new(),
        };
        Replayed { play, stopped: Some(Stopped { step: 0, why: UNWIRED.to_owned() }) }
    }
}
