//! The service, over real connections.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::needless_pass_by_value,
    reason = "the functions that tests share are test code too, which the lints don't see"
)]

mod access;
mod follow;
mod procedures;
mod schema;
mod support;
