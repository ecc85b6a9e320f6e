//! The physics: what a game state is, which views of an object exist and what a look is made of. Knows no rule number,
//! no card by name, no clock and no randomness.

pub mod looks;
pub mod memory;
pub mod record;
