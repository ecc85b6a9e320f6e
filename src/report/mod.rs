//! What users and machines read: the report as JSON and as text, plays as text, the baseline. It runs nothing; it knows
//! results and words.

pub mod baseline;
pub mod coverage;
pub mod explained;
pub mod lcov;
pub mod model;
pub mod parts;
pub mod seeds;
pub mod sheet;
pub mod text;
pub mod trace;
