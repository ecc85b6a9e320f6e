//! Breadth first, with nothing left out: every state of a world and what it says of the properties.

use std::collections::{HashSet, VecDeque};

use super::props::Verdicts;
use super::state::State;
use super::{Fault, Referee};

/// What an exploration found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// States between steps, initial ones included.
    pub unique_states: usize,
    /// Outcomes of steps, also those that change nothing.
    pub steps: usize,
    /// The sum, over all steps, of the number of each one's events ([`super::sums`]).
    pub events: u64,
    /// The longest shortest play, in steps: 0 if there are initial states alone.
    pub depth: usize,
    /// Every state was reached, and none was left out for a cap or for `states_max`.
    pub complete: bool,
    /// For each property of the program.
    pub properties: Verdicts,
}

/// Explores a world, up to so many states.
pub fn explore(r: &Referee, states_max: usize) -> Result<Report, Fault> {
    let mut report = Report {
        unique_states: 0,
        steps: 0,
        events: 0,
        depth: 0,
        complete: true,
        properties: Verdicts::empty(r.program),
    };
    let mut seen: HashSet<State> = HashSet::new();
    let mut open: VecDeque<(State, usize)> = VecDeque::new();
    let mut reach = |state: State, depth: usize, open: &mut VecDeque<(State, usize)>| {
        if seen.contains(&state) {
            return true;
        }
        let room = seen.len() < states_max;
        if room {
            seen.insert(state.clone());
            open.push_back((state, depth));
        }
        room
    };
    for state in r.initial()? {
        report.complete &= reach(state, 0, &mut open);
    }
    while let Some((state, depth)) = open.pop_front() {
        report.unique_states += 1;
        report.depth = depth;
        report.properties.join(&r.judge_state(&state));
        let steps = r.steps(&state)?;
        report.complete &= !steps.incomplete;
        for outcome in steps.outcomes {
            report.steps += 1;
            report.events = report.events.wrapping_add(super::sums::events(r, &outcome));
            report.properties.join(&r.judge_step(&state, &outcome));
            report.complete &= reach(outcome.next, depth + 1, &mut open);
        }
    }
    Ok(report)
}
