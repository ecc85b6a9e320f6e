//! Where the rules leave a choice: a script of answers, or the choices of a ruling.

use std::collections::VecDeque;

use super::run::{Run, Stop, fault};
use super::state::{Obj, Value};
use crate::lang::ast::Span;
use crate::lang::diag::Code;

/// A choice that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// An object chosen or targeted by a player.
    Object(u8, Obj),
    /// A `may`.
    May(u8, bool),
    /// An order (of a library, of replacements, of triggers): which of how many.
    Order(usize, usize),
}

/// Who answers.
#[derive(Clone, Debug)]
pub(super) enum Oracle {
    /// A script of branches, then the first of each; how many there were is noted.
    Script { script: Vec<usize>, widths: Vec<usize> },
    /// The choices of a ruling, in order; orders take the first branch.
    Given(VecDeque<Value>, Span),
}

impl<'r, 'a> Run<'r, 'a> {
    /// One of `n` branches that no player of a ruling names.
    pub fn branch(&mut self, n: usize) -> usize {
        let Oracle::Script { script, widths } = &mut self.oracle else { return 0 };
        if n < 2 {
            return 0;
        }
        widths.push(n);
        if script.len() < widths.len() {
            script.push(0);
        }
        script[widths.len() - 1]
    }

    /// An order among `n`, as a branch.
    pub fn order(&mut self, n: usize) -> usize {
        let i = self.branch(n);
        if n > 1 {
            self.choices.push(Choice::Order(i, n));
        }
        i
    }

    /// One of the candidates, of which there is at least one.
    pub fn pick(&mut self, by: u8, candidates: &[Obj]) -> Result<Obj, Stop> {
        let picked = match &mut self.oracle {
            Oracle::Given(left, span) => match left.pop_front() {
                Some(Value::Object(Some(o))) if candidates.contains(&o) => o,
                Some(_) => return Err(fault(Code::L404, *span, "the choice given is not among the candidates")),
                None if candidates.len() == 1 => candidates[0],
                None => return Err(fault(Code::L406, *span, "an object must be chosen, and no choice is left")),
            },
            Oracle::Script { .. } => candidates[self.branch(candidates.len())],
        };
        self.choices.push(Choice::Object(by, picked));
        Ok(picked)
    }

    pub(super) fn pick_may(&mut self, by: u8) -> Result<bool, Stop> {
        let picked = match &mut self.oracle {
            Oracle::Given(left, span) => match left.pop_front() {
                Some(Value::Bool(b)) => b,
                Some(_) => return Err(fault(Code::L404, *span, "the choice here is between yes and no")),
                None => return Err(fault(Code::L406, *span, "a player may do something, and no choice is left")),
            },
            Oracle::Script { .. } => self.branch(2) == 0,
        };
        self.choices.push(Choice::May(by, picked));
        Ok(picked)
    }
}
