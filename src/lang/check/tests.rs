//! One test for each error, and that order means nothing.
