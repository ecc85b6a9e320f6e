//! Exploration: every reachable state of a world, by levels, exactly. Knows no rule, and of files only those of a search.

pub mod beside;
pub mod blame;
pub mod bounds;
pub mod compiled;
pub mod diagram;
pub mod disk;
pub mod exchange;
pub mod expand;
pub mod firings;
pub mod kept;
pub mod key;
pub mod ready;
pub mod reduced;
pub mod save;
pub mod search;
pub mod stateright;
pub mod store;
pub mod sweep;
pub mod symmetry;
pub mod trace;
pub mod world;
