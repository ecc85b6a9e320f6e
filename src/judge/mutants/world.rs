//! One world, explored by one thread for what its claims come to: no plays, only their lengths.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use crate::explore::bounds::Bounds;
use crate::explore::world::{claims, explore_by, setting};
use crate::game::memory::Log;
use crate::judge::world::unread;
use crate::lang::diag::Code;
use crate::lang::tree::{Claim, Program};
use crate::law::claims::{hit_bit, premise_bit};
use crate::law::coverage::Seen;
use crate::law::eval::Reader;
use crate::law::ground::Law;

/// How an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Everything was explored.
    Complete,
    /// Something mandatory met a cap.
    Cap,
    /// The limit of states came first, or the user.
    Limit,
}

/// What a property met in a world.
#[derive(Clone, Debug)]
pub struct Met {
    /// Its name.
    pub name: String,
    /// What it speaks of happened.
    pub premise: bool,
    /// It was broken, or reached, by a play of so many steps.
    pub hit: Option<u32>,
}

/// What an exploration came to.
#[derive(Clone, Debug)]
pub struct Explored {
    /// Different states.
    pub states: u64,
    /// How it ended.
    pub ending: Ending,
    /// The properties that speak of the world.
    pub met: Vec<Met>,
    /// What of the law was at work, if that was asked for.
    pub seen: Seen,
}

/// Explores a world, up to so many states. An error is of the law: its code.
pub fn explore(
    program: &Program,
    world: usize,
    states_max: u64,
    recorded: bool,
    stop: &AtomicBool,
) -> Result<Explored, (Code, String)> {
    let law = Law::new(program, setting(program, world));
    let law = if recorded { law.recorded() } else { law };
    let bounds = Bounds { states_max: Some(states_max), ..Bounds::new(1, stop) };
    explore_by(&law, world, claims(program, world), &bounds, |e| {
        let (states, ..) = e.run.counts();
        let (complete, _, interrupted) = e.run.ending();
        let ending = match complete {
            true => Ending::Complete,
            false if interrupted || states >= states_max => Ending::Limit,
            false => Ending::Cap,
        };
        let hits = e.run.hits();
        let met = e.run.claims().list.iter().enumerate().map(|(i, (_, property))| {
            // A hit of a step needs that step too.
            let of_step = matches!(property.claim, Claim::Whenever(..) | Claim::PossibleEvent(..));
            let hit = hits.iter().find(|(bit, _)| *bit == hit_bit(i)).map(|(_, level)| level + u32::from(of_step));
            Met {
                name: property.name.clone(),
                premise: hit.is_some() || hits.iter().any(|(bit, _)| *bit == premise_bit(i)),
                hit,
            }
        });
        let met = met.collect();
        if recorded {
            let quiet = Reader::new(e.law, Rc::new(Log::off()));
            e.run.each_state(&mut |state| e.law.settled(&state, &quiet)).map_err(unread)?;
        }
        Ok(Explored { states, ending, met, seen: e.law.seen() })
    })?
}
