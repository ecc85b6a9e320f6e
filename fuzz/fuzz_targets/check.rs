//! Any bytes: what parses is checked, and the checker keeps its promises.
#![no_main]

use facedown::lang::probe;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    assert!(probe::check(bytes).is_ok(), "{:?}", probe::check(bytes));
});
