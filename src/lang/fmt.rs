//! The formatter.
