//! What is claimed and whether it holds: worlds run by any engine, rulings, replays, verdicts, plays.

pub mod agree;
pub mod beside;
pub mod changes;
pub mod compare;
pub mod coverage;
pub mod mutants;
pub mod parting;
pub mod play;
pub mod replay;
pub mod rulings;
pub mod run;
pub mod script;
pub mod sweep;
pub mod verdict;
pub mod world;
