//! The way in: from the text of a file to documents that an index takes.
//!
//! What comes in: a selection of files, or decoded texts with their languages. What goes out:
//! [`IndexDocument`](ai_assist_index::IndexDocument)s, parsed once, cut and embedded, the same for the same text whatever they
//! are for.
//!
//! [`walk_beside`] looks for files, [`Stamps`] say which of them need not be read, [`each`] works on the others on every core
//! with bounded memory, [`cut`] makes documents of their texts. A sink is the function that `each` hands them to.
//!
//! This crate must not know where documents go: no store, no build, no session.

mod api;
mod cut;
mod pipeline;
mod remarks;
mod stamps;
mod walk;

pub use ai_assist_syntax::{Offered, offered};
pub use cut::{Cut, Given, Named, Vectors, View, cut, cut_offered};
pub use pipeline::each;
pub use stamps::{Stamps, Verdict};
pub use walk::walk_beside;
