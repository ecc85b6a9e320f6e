//! Any bytes: the parser and the formatter keep their promises.
#![no_main]

use facedown::lang::probe;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    assert!(probe::parse(bytes).is_ok(), "{:?}", probe::parse(bytes));
});
