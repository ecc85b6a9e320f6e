//! A formal model checker for the face-down rules of Magic: The Gathering. This file holds modules and nothing else.

pub mod cli;
pub mod explore;
pub mod game;
pub mod judge;
pub mod lang;
pub mod law;
pub mod naive;
pub mod report;
