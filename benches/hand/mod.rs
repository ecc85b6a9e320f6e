//! One world written by hand: `deep-plain`, its states packed in an integer and its rules in plain Rust, as one would write
//! them who needs no other world. It shares nothing with the library, not even the law: benches set it beside the engine.

pub mod numbers;
pub mod plain;
