//! What can go wrong, in words a person can act on.

use std::path::PathBuf;

use ai_assist_identity::{JcsError, PathError};
use ai_assist_store::Seq;
use ai_assist_store::objects::{BadMoment, BadObjectId, Moment, ObjectId};

use crate::file_reader::Refusal;
use crate::render::short_id;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a session could not do what was asked. Nothing was half written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] ai_assist_store::Error),
    #[error("there is no session `{name}`{near}")]
    UnknownSession { name: String, near: String },
    #[error("there is a session `{0}` already")]
    SessionExists(String),
    #[error(
        "`{0}` can't name a session: use 1 to 64 letters, digits, `.`, `_` or `-`, and start with a letter or a digit"
    )]
    BadSessionName(String),
    #[error(
        "`{0}` can't name a filesystem: use 1 to 100 letters, digits, `.`, `_`, `-` or `:`, or `here` for this machine's"
    )]
    BadFilesystem(String),
    #[error("the session `{session}` knows no object `{name}`")]
    UnknownObject { session: String, name: String },
    #[error("`{name}` could be {}", shown(candidates))]
    Ambiguous { name: String, candidates: Vec<String> },
    #[error("`{}` is not in the pool of the session", short_id(.0))]
    NotInPool(ObjectId),
    #[error("`{}` is pinned", short_id(.0))]
    Pinned(ObjectId),
    #[error("can't read `{}`: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("`{}` is not kept: {why}", path.display())]
    Refused { path: PathBuf, why: Refusal },
    #[error("`{}` lies outside of `{}`", path.display(), root.display())]
    Outside { path: PathBuf, root: PathBuf },
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Resolve(#[from] crate::resolver::ResolveError),
    #[error(transparent)]
    Id(#[from] BadObjectId),
    #[error(transparent)]
    Moment(#[from] BadMoment),
    #[error(transparent)]
    Json(#[from] JcsError),
    #[error(transparent)]
    Transcript(#[from] crate::transcript::TranscriptError),
    #[error("`{id}` is stored in a form that can't be read: {why}")]
    Damaged { id: String, why: String },
    #[error(transparent)]
    Index(#[from] ai_assist_index::Error),
    #[error(transparent)]
    Search(#[from] ai_assist_search::Error),
    #[error(transparent)]
    Query(#[from] ai_assist_search::QueryError),
    #[error("{budget} tokens are too few: the system prompt and what is pinned need {needed}")]
    Budget { budget: usize, needed: usize },
    #[error("`{name}` is {}, and {} was expected", at_version(*found), at_version(*expected))]
    Conflict { name: String, expected: Seq, found: Seq },
    #[error("nothing is known of the session `{session}` from before {since}")]
    NotYet { session: String, since: Moment },
    #[error("the session `{0}` is being changed by others all the time")]
    Contended(String),
    #[error("what has not happened yet can't be recorded: give a time in the past, or none")]
    InFuture,
    #[error("it was interrupted")]
    Cancelled,
    #[error("can't use `{}`", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("line {line}: {why}")]
    BadLine { line: usize, why: String },
}

impl Error {
    #[expect(clippy::needless_pass_by_value, reason = "for both what is borrowed and what is made for it")]
    pub(crate) fn damaged(id: impl ToString, why: impl ToString) -> Self {
        Error::Damaged { id: id.to_string(), why: why.to_string() }
    }

    /// What can be done about it by whatever means; what to call for it is for the surfaces to say.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Ambiguous { .. } => "give more of its id or path".to_owned(),
            Error::NotInPool(_) => "read or discover it first".to_owned(),
            Error::Budget { needed, .. } => format!("give at least {needed}, or unpin something"),
            Error::Contended(_) => "try again".to_owned(),
            Error::Conflict { .. } => "look at what it is now, then expect that version".to_owned(),
            _ => return None,
        })
    }
}

fn at_version(seq: Seq) -> String {
    if seq == Seq::default() { "not known yet".to_owned() } else { format!("at version {seq}") }
}

fn shown(candidates: &[String]) -> String {
    candidates.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
