//! What is claimed and whether it holds: properties over steps and states, rulings, verdicts, plays.

pub mod play;
pub mod run;
pub mod script;
pub mod verdict;
