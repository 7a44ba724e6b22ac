//! One index: the searchable form of a set of documents.
//!
//! What comes in: documents already cut into chunks and embedded ([`IndexDocument`]), each with a key that stays the same
//! while the document lives. What goes out: a [`Reader`] that gives term statistics, scores of every chunk for a query
//! (by words, and by vector), a mask of the chunks that pass a filter, and the chunk itself with its place.
//!
//! An index is a folder with one pointer, `CURRENT`, that names a generation; a generation is a tantivy index for the
//! words plus flat files for the vectors. A commit of tantivy carries the [`Commit`] that says how many vectors belong to
//! it and which sequence number it has reached, so that words, vectors and sequence move together in one rename. A
//! reader keeps the commit it opened.
//!
//! Scores depend on the documents alone, not on how the index came about: deleted chunks count nowhere, and every sum is
//! taken in one fixed order. That is what lets `search` rank N indexes exactly as one.
//!
//! This room must not know collections, repositories or configuration, nor how scores of several indexes are combined.

mod commit;
mod dense;
mod document;
mod elsewhere;
mod error;
mod filter;
mod fork;
mod kept;
mod lexical;
mod mask;
mod names;
mod phrase;
mod reader;
mod schema;
mod stats;
mod texts;
mod tokenize;
mod vector_cache;
mod without;
mod writer;

pub use commit::{Commit, IndexState, Versions};
pub use document::{ChunkRecord, IndexChunk, IndexDocument, KeptText, embedding_input};
pub use elsewhere::{TextPlace, Texts};
pub use error::{Error, Result};
pub use filter::{Filter, Fits, PathGlobs};
pub use fork::{Fork, fork};
pub use kept::keep_open;
pub use lexical::{TermScore, Weights, WordWeights};
pub use mask::Mask;
pub use names::{Name, NameQuery, heading_key};
pub use reader::{Chunks, FoundTerms, Position, Reader};
pub use schema::TextField;
pub use stats::{Statistics, Terms};
pub use texts::DocumentText;
pub use tokenize::{TOKENIZER_VERSION, terms_of};
pub use vector_cache::VectorCache;
pub use writer::{Options, Writer};
