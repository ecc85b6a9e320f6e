//! What clauses may read and write. To be filled.

use crate::lang::tree::Program;

pub(super) fn fill(_program: &mut Program) {}
