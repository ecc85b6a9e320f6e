//! Where the time goes while a law is run, for a law that is asked to take it down. It changes nothing that a run does.

use super::ground::Law;
use crate::lang::tree::{ClauseId, ProcedureId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Does something, and tells how long it took. This is the only clock of the engine, and nothing depends on it but what is
/// told of time.
#[inline]
pub fn clocked<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let value = work();
    (value, began.elapsed())
}

/// What takes time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Cause {
    /// A clause is matched, judged or done.
    Clause(ClauseId),
    /// The body of a procedure is done.
    Procedure(ProcedureId),
    /// Properties are asked.
    Claims,
    /// Everything else in a run.
    Rest,
}

/// What a cause took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// How often.
    pub times: u64,
    /// How long, without the causes that it gave rise to.
    pub time: Duration,
}

/// Takes time down.
#[derive(Debug, Default)]
pub struct Profile {
    spent: RefCell<BTreeMap<Cause, Spent>>,
    /// For each cause under way the time of those that it gave rise to.
    under_way: RefCell<Vec<Duration>>,
}

impl Profile {
    fn timed<T>(&self, cause: Cause, work: impl FnOnce() -> T) -> T {
        self.under_way.borrow_mut().push(Duration::ZERO);
        let (value, took) = clocked(work);
        let mut under_way = self.under_way.borrow_mut();
        let given = under_way.pop().unwrap_or_default();
        if let Some(above) = under_way.last_mut() {
            *above += took;
        }
        let mut spent = self.spent.borrow_mut();
        let spent = spent.entry(cause).or_default();
        spent.times += 1;
        spent.time += took.saturating_sub(given);
        value
    }
}

impl<'p> Law<'p> {
    /// The same law, which takes down where its time goes.
    #[must_use]
    pub fn profiled(mut self) -> Law<'p> {
        self.profile = Some(Box::default());
        self
    }

    /// Does some work of a cause; its time is taken down if that is asked for.
    #[inline]
    pub fn timed<T>(&self, cause: Cause, work: impl FnOnce() -> T) -> T {
        match &self.profile {
            None => work(),
            Some(profile) => profile.timed(cause, work),
        }
    }

    /// What each cause took so far; none if that was not taken down.
    pub fn spent(&self) -> Option<Vec<(Cause, Spent)>> {
        self.profile.as_ref().map(|p| p.spent.borrow().iter().map(|(cause, spent)| (*cause, *spent)).collect())
    }
}
