//! The binary from outside: what a user types, what they see, and what is on disk afterwards.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "the functions that tests share are test code too, which the lints don't see"
)]

mod adding;
mod architecture;
mod categories;
mod commands;
mod concurrent;
mod daemon;
mod damaged_git;
mod docs;
mod four_formats;
mod front;
mod full_disk;
mod hostile_documents;
mod interrupt;
mod killed;
mod mcp_config;
mod mcp_server;
mod memory;
mod odd_input;
mod one_ranking;
mod packages;
mod packing;
mod packs;
mod publishing;
mod refresh;
mod repos;
mod sessions;
mod support;
mod sync_watch;
mod trust;
mod websites;
