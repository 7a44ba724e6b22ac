//! The server, spoken to as a client does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the functions that tests share are test code too, which the lints don't see"
)]
#![allow(clippy::needless_pass_by_value, reason = "`json!` makes values, and calls read best with them in place")]

mod support;

mod answers;
mod arguments;
mod http;
mod paths;
mod protocol;
mod session;
mod spec2;
