//! What sessions do, from outside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "the cases are functions that tests call, which clippy does not see"
)]

mod appending;
mod bench;
mod killed;
mod moving;
mod objects;
mod rendering;
mod restoring;
mod searching;
mod seen;
mod sets;
mod storm;
mod working;
