//! The rulebook on the physics: a checked program, laid out for one world, and the machine that carries out its clauses.
//! Knows no rule by name.

pub mod attributes;
pub mod changes;
pub mod claims;
pub mod coverage;
pub mod eval;
pub mod ground;
pub mod matching;
pub mod names;
pub mod offers;
pub mod piles;
pub mod places;
pub mod profile;
pub mod projections;
pub mod script;
pub mod stack;
pub mod step;
pub mod sums;
pub mod translate;
pub mod verbs;
pub mod views;
