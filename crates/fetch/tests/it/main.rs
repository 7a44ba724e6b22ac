//! The rooms of this crate from outside: the client against real servers on this machine, polite ones and others; hostile
//! archives; real repositories.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the functions that tests share are test code too, which the lints don't see"
)]

mod bundles;
mod cancel;
mod conditional;
mod credentials;
mod git;
mod limits;
mod many;
mod plain;
mod private;
mod proxy;
mod redirects;
mod retries;
mod server;
mod site;
mod support;
mod tls;
