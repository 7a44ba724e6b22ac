//! Searching real indexes on disk.

mod corpus;
mod one_ranking;
mod searching;
