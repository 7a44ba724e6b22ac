//! The way in: from the text of a file to documents that an index takes.
//!
//! What comes in: decoded text with its language. What goes out: [`IndexDocument`](ai_assist_index::IndexDocument)s, parsed
//! once, cut and embedded, the same for the same text whatever they are for.
//!
//! This crate must not know where documents go: no store, no build, no session.

mod cut;
mod pipeline;
mod remarks;
mod stamps;
mod walk;

pub use cut::{Cut, Named, Vectors, View, cut};
pub use pipeline::each;
pub use stamps::{Stamps, Verdict};
pub use walk::walk_beside;
