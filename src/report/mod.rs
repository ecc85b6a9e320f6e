//! What users and machines read: the report as JSON and as text, plays as text, the baseline. It runs nothing; it knows
//! results and words.

pub mod baseline;
pub mod budgets;
pub mod checked;
pub mod coverage;
pub mod diff;
pub mod diff_sheet;
pub mod diff_text;
pub mod explained;
pub mod github;
pub mod junit;
pub mod lcov;
pub mod markdown;
pub mod model;
pub mod mutants;
pub mod overview;
pub mod parts;
pub mod proof;
pub mod sarif;
pub mod seeds;
pub mod sheet;
pub mod survivors;
pub mod sweep;
pub mod text;
pub mod trace;
pub mod wording;
