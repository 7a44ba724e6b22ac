//! What another crate can't do.

#[test]
fn only_this_crate_makes_candidates_and_admitted_files() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
