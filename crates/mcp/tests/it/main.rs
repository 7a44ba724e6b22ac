//! The server, spoken to as a client does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::needless_pass_by_value,
    reason = "the functions that tests share are test code too, which the lints don't see"
)]

mod support;

mod answers;
mod arguments;
mod disclosure;
mod following;
mod http;
mod paths;
mod places;
mod protocol;
mod session;
mod sessions;
mod sources;
mod spec2;
