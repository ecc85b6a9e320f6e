//! The seam to the engines: all that the command line asks of them. Tests put an engine of their own here.

use crate::judge::beside::Two;
use crate::judge::coverage::Seen;
use crate::judge::parting::Beside;
use crate::judge::play::{Play, RulingResult, WorldResult};
use crate::judge::run::{ExploreOptions, Replayed};
use crate::judge::script::Script;
use crate::lang::diag::Diag;
use crate::lang::tree::Program;

/// What runs worlds, rulings and plays, several at once if need be.
pub trait Engine: Sync {
    /// Explores a world, a place in [`Program::worlds`]. An error is of the model: L301, L302, L405, ….
    fn world(&self, program: &Program, world: usize, options: &ExploreOptions) -> Result<WorldResult, Vec<Diag>>;
    /// Plays a ruling, a place in [`Program::rulings`].
    fn ruling(&self, program: &Program, ruling: usize) -> RulingResult;
    /// Explores a world, judging nothing, and tells what of the law was at work.
    fn world_seen(
        &self,
        program: &Program,
        world: usize,
        options: &ExploreOptions,
    ) -> Result<(WorldResult, Seen), Vec<Diag>>;
    /// Plays a ruling, and tells what of the law was at work.
    fn ruling_seen(&self, program: &Program, ruling: usize) -> (RulingResult, Seen);
    /// A shortest play of a world in which what a property speaks of happens; none where nothing looks for one.
    fn premise(
        &self,
        program: &Program,
        world: usize,
        property: usize,
        options: &ExploreOptions,
    ) -> Result<Option<Play>, Vec<Diag>> {
        let _ = (program, world, property, options);
        Ok(None)
    }
    /// Compares two rulebooks in a world, a place in each; nothing where nothing compares.
    fn beside(&self, two: &Two, world: (usize, usize), options: &ExploreOptions) -> Result<Beside, Vec<Diag>> {
        let _ = options;
        let world = two.old.program.worlds[world.0].name.clone();
        Ok(Beside { world, complete: true, ..Beside::default() })
    }
    /// Follows a play of a world, as far as it is legal.
    fn replay(&self, program: &Program, world: usize, script: &Script) -> Replayed;
}
