//! The command line, from words to what it prints, over an engine of made-up results.

#![allow(missing_docs)] // It is read, not called from elsewhere.

mod commands;
mod coverage;
mod coverage_sections;
mod formats;
mod load;
mod mutate;
mod report;
mod stage;
mod sweep;
mod verdicts;
