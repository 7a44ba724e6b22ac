//! Text to vectors.
//!
//! What comes in: texts. What goes out: one unit vector per text, as floats or quantised to signed bytes, and the exact
//! integer products of such vectors. Models stand behind the [`Embedder`] trait. Two are compiled in and need no download
//! and no accelerator: [`StaticModel`], fast enough for whole collections, and [`ContextModel`], a small transformer over
//! the same pieces, for a second look at a few texts.
//!
//! How the static model makes a vector of a text, each step in a file of its own:
//!
//! 1. `words.rs`: a space at every boundary from `[a-z0-9]` to `[A-Z]`; BERT's uncased normalisation (control characters
//!    dropped, white space folded, CJK characters apart, accents stripped, lower case); words end at white space, and each
//!    punctuation character is a word of its own.
//! 2. `vocab.rs`: a word becomes pieces of the vocabulary, the longest first, or `[UNK]` if that fails or it is longer
//!    than 100 characters.
//! 3. `static_model.rs`: the mean of the rows of all pieces but `[UNK]`, scaled to length one. No piece gives the zero
//!    vector, which is as far from everything as from anything.
//! 4. `quantise.rs`: each vector becomes signed bytes and one scale.
//!
//! The contextual model takes the pieces of step 2 and goes on in `context.rs`; `context/forward.rs` has its steps.
//! Inner loops of both are in `simd.rs` and the folder next to it.
//!
//! This room must not know storage: it never sees a chunk id, a file or an index, and it caches nothing.

mod context;
mod embedder;
mod quantise;
mod simd;
mod static_model;
mod vocab;
mod words;

pub use context::ContextModel;
pub use embedder::{EmbedError, Embedder, ModelId};
pub use quantise::{Quantised, quantise};
pub use simd::{dot, scan};
pub use static_model::StaticModel;
