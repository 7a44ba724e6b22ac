//! The binary from outside: what a user types, what they see, and what is on disk afterwards.

mod commands;
mod concurrent;
mod docs;
mod full_disk;
mod interrupt;
mod killed;
mod odd_input;
mod support;
