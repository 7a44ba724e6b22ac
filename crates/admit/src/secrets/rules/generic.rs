//! Values that only the name they are assigned to gives away. How they are told from names, stand-ins and code is in
//! `filters.rs`; how assignments are read in `assign.rs`.

use super::super::rule::{Rule, coded};

pub(super) const RULES: &[Rule] = &[
    coded("quoted-secret"),
    coded("environment-secret"),
    coded("setting-secret"),
    coded("inline-secret"),
    coded("markup-secret"),
    coded("option-secret"),
    coded("byte-array-secret"),
];
