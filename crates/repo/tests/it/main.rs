//! Builds of real files in real repositories.

#![allow(clippy::unwrap_used, reason = "the functions that tests share are test code too, which the lints don't see")]

mod building;
mod collecting;
mod equal;
mod killed;
mod parsing;
mod pointers;
mod reading;
mod scanning;
mod secrets;
mod siblings;
mod support;
mod watching;
