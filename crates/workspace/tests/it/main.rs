//! Searches over real builds of several repositories.

#![allow(clippy::unwrap_used, reason = "the functions that tests share are test code too, which the lints don't see")]

mod fake_builds;
mod federation;
mod union;
mod workspaces;
