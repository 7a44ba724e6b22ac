//! A query over N indexes, ranked as one.
//!
//! What comes in: the text of a query, and the [`Reader`](ai_assist_index::Reader)s to look in. What goes out: ranked
//! [`Hit`]s with every component of their scores, snippets, and answers cut to a token budget with a cursor to go on.
//!
//! Statistics are gathered from all indexes before any of them is scored, every chunk is scored by words and by vector, and
//! ties are settled by the chunk's own identity. So splitting a set of documents over N indexes changes nothing: not the
//! order, not the scores.
//!
//! This room must not know where indexes came from, nor what a collection or a repository is.

mod budget;
mod fuse;
pub mod phases;
mod query;
mod rank;
mod snippet;
mod topk;

pub use budget::{Budgeted, Cursor, CursorError, cut, fit};
pub use fuse::{Fusion, Mode, Range};
pub use query::{MAX_QUERY_BYTES, Query, QueryError};
pub use rank::{Explanation, Hit, Ranking, Request, search};
pub use snippet::{Snippet, snippet};

/// What can go wrong in a search.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The query can't be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// An index can't be read.
    #[error(transparent)]
    Index(#[from] ai_assist_index::Error),
    /// The query can't be embedded.
    #[error(transparent)]
    Embed(#[from] ai_assist_embed::EmbedError),
}
