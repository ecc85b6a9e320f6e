//! What is done on copies of the shipped folders: edits of the rules and what is said of them, documents that are done word
//! for word, and the example repository of a designer with all that runs there.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test that can't be set up fails.

mod ci_pack;
mod contributing;
mod copied;
mod diff;
mod followed;
mod sweep;
mod tutorial;
mod whatif;
