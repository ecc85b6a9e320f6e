//! The engines behind the command line.

use super::engine::Engine;
use crate::judge::beside::{self, Two};
use crate::judge::coverage::Seen;
use crate::judge::parting::Beside;
use crate::judge::play::{Play, RulingResult, WorldResult};
use crate::judge::run::{ExploreOptions, Replayed};
use crate::judge::script::Script;
use crate::judge::{replay, rulings, world};
use crate::lang::diag::Diag;
use crate::lang::tree::Program;

/// The engines of this program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Engines;

impl Engine for Engines {
    fn world(&self, program: &Program, at: usize, options: &ExploreOptions) -> Result<WorldResult, Vec<Diag>> {
        world::run_world(program, at, options)
            .map_err(|(code, what)| vec![Diag::new(code, program.worlds[at].span, what)])
    }

    fn ruling(&self, program: &Program, at: usize) -> RulingResult {
        rulings::run(program, at)
    }

    fn world_seen(
        &self,
        program: &Program,
        at: usize,
        options: &ExploreOptions,
    ) -> Result<(WorldResult, Seen), Vec<Diag>> {
        world::seen(program, at, options).map_err(|(code, what)| vec![Diag::new(code, program.worlds[at].span, what)])
    }

    fn ruling_seen(&self, program: &Program, at: usize) -> (RulingResult, Seen) {
        rulings::seen(program, at)
    }

    fn premise(
        &self,
        program: &Program,
        at: usize,
        property: usize,
        options: &ExploreOptions,
    ) -> Result<Option<Play>, Vec<Diag>> {
        world::premise(program, at, property, options)
            .map_err(|(code, what)| vec![Diag::new(code, program.worlds[at].span, what)])
    }

    fn beside(&self, two: &Two, at: (usize, usize), options: &ExploreOptions) -> Result<Beside, Vec<Diag>> {
        let span = two.old.program.worlds[at.0].span;
        beside::run(two, at, options).map_err(|(code, what)| vec![Diag::new(code, span, what)])
    }

    fn replay(&self, program: &Program, at: usize, script: &Script) -> Replayed {
        replay::replay(program, at, script)
    }
}
