//! Searching real indexes on disk.
#![allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it stands")]

mod corpus;
mod every_way;
mod features;
mod names_first;
mod one_ranking;
mod searching;
