//! From text to a checked program: parse, resolve, type-check, diagnose, format. Knows no game state.

pub mod ast;
pub mod check;
pub mod diag;
pub mod digest;
pub mod fmt;
pub mod items;
pub mod lex;
pub mod mutants;
pub mod parse;
pub mod probe;
pub mod source;
pub mod tracked;
pub mod tree;
