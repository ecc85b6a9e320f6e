//! Exploration: every reachable state of a world, by levels, exactly. Reads no file and knows no rule.

pub mod beside;
pub mod blame;
pub mod key;
pub mod ready;
pub mod search;
pub mod stateright;
pub mod sweep;
pub mod trace;
pub mod visited;
pub mod world;
