//! The disk side of a breadth-first search: sorted levels, a visited set that does not fit in memory, checkpoints.

pub mod block;
pub mod checkpoint;
pub mod files;
pub mod levels;
pub mod lock;
pub mod manifest;
pub mod merge;
pub mod reader;
pub mod refusal;
pub mod runs;
pub mod writer;
