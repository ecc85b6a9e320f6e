//! Replays: a saved play, followed as far as it is legal.

use super::run::{Replayed, Stopped};
use super::script::Script;
use super::world::{tell, tell_step};
use crate::explore::trace::Path;
use crate::explore::world::{setting, starts};
use crate::game::memory::Log;
use crate::lang::tree::Program;
use crate::law::eval::Reader;
use crate::law::ground::Law;
use crate::law::names;
use crate::law::step::outcomes;
use std::rc::Rc;

/// Follows a play of a world.
pub fn replay(program: &Program, world: usize, script: &Script) -> Replayed {
    let law = Law::new(program, setting(program, world));
    let name = &program.worlds[world].name;
    let nothing = |why: String| {
        let play = super::play::Play {
            world: name.clone(),
            edition: String::new(),
            readings: Vec::new(),
            start: script.start.clone(),
            steps: Vec::new(),
            broken_for: Vec::new(),
        };
        Replayed { play, stopped: Some(Stopped { step: 0, why }) }
    };
    let all = match starts(&law, &program.worlds[world]) {
        Ok(all) => all,
        Err((_, why)) => return nothing(why),
    };
    let plays =
        all.into_iter().map(|start| (tell(&law, name, &Path { start: start.clone(), steps: Vec::new() }), start));
    let Some((mut play, mut state)) = plays.into_iter().find(|(p, _)| p.start == script.start) else {
        return nothing("the start is none of the world's".to_string());
    };
    let quiet = Reader::new(&law, Rc::new(Log::off()));
    let mut actions: Vec<_> = law.actions().into_iter().flat_map(|(_, list)| list).collect();
    actions.sort_unstable();
    for (i, wanted) in script.steps.iter().enumerate() {
        let mut found = actions.iter().flat_map(|a| outcomes(&quiet, &state, *a).list);
        let Some(outcome) = found.find(|o| names::replay_line(&law, &state, o) == *wanted) else {
            let why = format!("`{wanted}` is not among what can be done");
            return Replayed { play, stopped: Some(Stopped { step: i + 1, why }) };
        };
        play.steps.push(tell_step(&law, &state, &outcome));
        state = outcome.state;
    }
    Replayed { play, stopped: None }
}
