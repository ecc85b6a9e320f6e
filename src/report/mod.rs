//! What users and machines read: the report as JSON and as text, plays as text, the baseline. It runs nothing; it knows
//! results and words.

pub mod baseline;
pub mod coverage;
pub mod diff;
pub mod diff_sheet;
pub mod diff_text;
pub mod explained;
pub mod model;
pub mod parts;
pub mod seeds;
pub mod sheet;
pub mod text;
pub mod trace;
