//! What another crate can't do.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like tests")]

mod planted;

#[test]
fn only_this_crate_makes_candidates_and_admitted_files() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
