//! The truth: collections, their documents and chunks, and the contents they share.
//!
//! What goes in: documents already admitted, decoded and chunked, in batches of [`Change`]. What comes out: the heads a
//! sync plans with, whole documents, and the stream of changes since a sequence number, from which an index is fed and
//! rebuilt. Every batch is one transaction, every document is there whole or not at all, and every put or removal has
//! its own number in one growing sequence.
//!
//! Beside them, sharing sequence and contents, are [`objects`]: what an agent's sessions are made of, with everything that
//! was ever known of them.
//!
//! [`Store`] is the contract, in plain Rust types; [`SqliteStore`] keeps it in one SQLite file that several processes
//! may use at once. Another implementation passes the same suite (`tests/it/conformance`) or it is not one.
//!
//! This room must not know ranking, indexes or embeddings, nor where documents came from.

mod change;
mod collection;
mod contents;
mod document;
mod error;
pub mod objects;
mod sqlite;
mod store;

pub use ai_assist_identity::Validators;
pub use change::{Applied, Change, Changed, DocumentId, Seq};
pub use collection::{
    CollectionRecord, CollectionState, FileValidators, NewCollection, PackageRecord, Reading, Source,
};
pub use document::{Chunk, Document, DocumentHead, DocumentInfo, NewChunk, NewDocument, PreparedDocument, StoredChunk};
pub use error::{Defect, Error, Expected, Result};
pub use sqlite::{Recovered, RecoveredTable, SqliteStore};
pub use store::Store;
