//! The files of a search: levels, sorted runs, checkpoints; on a disk that fails at any moment.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod checkpoint;
mod faulty;
mod levels;
mod runs;
