//! Rules for a program as a whole. To be filled.

use super::collect::Items;
use super::declare::Decls;
use super::scope::{Env, Finding};

pub(super) fn check(_items: &Items, _decls: &Decls, _env: &Env, _findings: &mut Vec<Finding>) {}
