//! The page from outside: a real server on loopback over a real project.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the functions that tests share are test code too, which the lints don't see"
)]

mod guard;
mod hostile;
mod markup;
mod support;
mod views;
