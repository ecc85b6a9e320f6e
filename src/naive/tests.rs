//! Tests on tiny programs in text.
