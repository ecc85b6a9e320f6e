//! Branches: what a run takes at each, by script, or by the answers of a ruling.

use super::verbs::{Branch, Choice, Run, Stop};
use crate::game::record::{Obj, Value};
use crate::lang::diag::Code;

impl Run<'_, '_> {
    /// Takes the next branch of the script out of `of`; beyond its end the first.
    pub fn branch(&mut self, of: usize) -> usize {
        if of <= 1 {
            return 0;
        }
        if let Some(b) = self.script.get(self.place) {
            self.place += 1;
            return usize::from(b.taken).min(of - 1);
        }
        self.script.push(Branch { taken: 0, of: of.min(255) as u8 });
        self.place += 1;
        0
    }

    /// The next script in order after the one that was run, or none.
    pub fn next_script(mut script: Vec<Branch>) -> Option<Vec<Branch>> {
        while let Some(last) = script.last_mut() {
            if last.taken + 1 < last.of {
                last.taken += 1;
                return Some(script);
            }
            script.pop();
        }
        None
    }

    /// An order or replacement, which a ruling does not name: it takes the first.
    pub fn order(&mut self, of: usize) -> usize {
        let i = if self.answers.is_some() { 0 } else { self.branch(of) };
        if of > 1 {
            self.choices.push(Choice::Order(i as u8));
        }
        i
    }

    /// A choice among objects; a ruling answers it.
    pub fn choose(&mut self, candidates: &[Obj]) -> Option<Obj> {
        if candidates.is_empty() {
            return None;
        }
        let chosen = match &mut self.answers {
            None => candidates[self.branch(candidates.len())],
            Some(answers) => match answers.pop_front() {
                Some(Value::Object(o)) if candidates.contains(&o) => o,
                None if candidates.len() == 1 => candidates[0],
                None => {
                    self.stop =
                        Some(Stop::Choice(Code::L406, "a choice was made that `choosing` does not give".into()));
                    return None;
                }
                Some(_) => {
                    self.stop = Some(Stop::Choice(Code::L404, "the choice given is not among the candidates".into()));
                    return None;
                }
            },
        };
        self.choices.push(Choice::Object(chosen));
        Some(chosen)
    }

    /// A yes or no of a player.
    pub fn may(&mut self) -> bool {
        let yes = match &mut self.answers {
            None => self.branch(2) == 0,
            Some(answers) => match answers.pop_front() {
                Some(Value::Bool(b)) => b,
                _ => {
                    self.stop =
                        Some(Stop::Choice(Code::L406, "a yes or no is asked for that `choosing` does not give".into()));
                    false
                }
            },
        };
        self.choices.push(Choice::May(yes));
        yes
    }
}
