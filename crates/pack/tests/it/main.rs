//! Packs of real folders: hostile ones, large ones, ones in old encodings.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like tests")]

mod encodings;
mod fuzz;
mod hostile;
mod ladder;
mod limits;
mod projects;
mod receipts;
mod selection;
mod tree;
