//! A question over N indexes, ranked as one.
//!
//! What comes in: a [`Question`], and the [`Source`]s to look in, each a reader and what its documents are called. What goes
//! out: an [`Answer`] of ranked [`Hit`]s with every part of their scores, cut to a token budget, with a cursor to go on.
//!
//! Statistics are gathered from all sources before any of them is scored, every chunk is scored by words and by vector, and
//! ties are settled by the chunk's own identity. So splitting a set of documents over N indexes changes nothing: not the
//! order, not the scores. That holds whatever the indexes belong to: a collection, a mode of a repository, a session.
//!
//! This crate owns deadlines, partial failure, statistics, fusion, snippets, budgets, cursors and freshness. It must not know
//! where sources came from: `collections`, `repo`, `workspace` and `session` say which there are.

mod answer;
mod budget;
mod documents;
mod engine;
mod explain;
mod features;
mod fuse;
mod look;
mod merge;
mod pool;
mod query;
mod question;
pub mod score;
mod snippet;
mod source;
mod topk;

pub use answer::{Answer, Hit, IndexOutcome, IndexStatus, RepoOutcome, Unsearched, Warning};
pub use budget::{Budgeted, Cursor, CursorError, cut, fit};
pub use engine::{LATE, Outcome, PANICKED, search, search_until};
pub use explain::{Explanation, Formula, Part};
pub use features::{Feature, Features};
pub use fuse::{Fusion, Range, RankBy};
pub use look::Look;
pub use pool::{Clock, End, Job, Phase, WorkerPool};
pub use query::{About, MAX_QUERY_BYTES, Query, QueryError};
pub use question::{Merge, Question};
pub use snippet::{Snippet, snippet};
pub use source::{Indexed, Origin, Source};

/// What can go wrong in a search.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the search was cancelled")]
    Cancelled,
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Cursor(#[from] CursorError),
    #[error(transparent)]
    Index(#[from] ai_assist_index::Error),
    #[error(transparent)]
    Embed(#[from] ai_assist_embed::EmbedError),
}
