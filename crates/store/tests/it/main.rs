//! One suite for every implementation of the store, and what is particular to SQLite.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the cases are functions that tests call, which clippy does not see"
)]

mod conformance;
mod measure;
mod objects;
mod processes;
mod sqlite;
