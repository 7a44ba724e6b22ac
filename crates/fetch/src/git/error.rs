//! What can go wrong with a git repository, and how the words of git are shown.

use ai_assist_git::RemoteError;
use ai_assist_identity::PathError;

use super::{BadCommit, Commit};
use crate::ExtractError;

/// A repository that can't be named, reached or read. No text shows credentials.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Another kind of URL.
    #[error("`{0}` is not the URL of a git repository")]
    NotGit(String),
    /// A part of the query that means nothing here.
    #[error(
        "the URL of the git repository `{url}` has a `?{key}=`, which is not known; known are `manifest` and `glob`"
    )]
    UnknownKey {
        /// The repository.
        url: String,
        /// The part.
        key: String,
    },
    #[error("the query in the URL of the git repository `{url}` can't be used: {reason}")]
    Query {
        /// The repository.
        url: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// A manifest outside of the repository.
    #[error("the manifest in the URL of the git repository `{url}` can't be used: {reason}")]
    Manifest {
        /// The repository.
        url: String,
        /// What is wrong with the path.
        reason: PathError,
    },
    /// What stands behind the `#` is no branch, tag or commit.
    #[error("`{reference}` can't be a branch, tag or commit of `{url}`: {reason}")]
    Reference {
        /// The repository.
        url: String,
        reference: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The network is out of bounds.
    #[error("`{0}` can't be reached offline")]
    Offline(String),
    /// There is no such branch or tag.
    #[error("the git repository `{url}` has no branch or tag `{reference}`")]
    NoReference {
        /// The repository.
        url: String,
        reference: String,
    },
    /// There is nothing in it.
    #[error("the git repository `{0}` is empty, or its `HEAD` names no branch that is there")]
    NoHead(String),
    /// The start of the id of a commit.
    #[error(
        "the git repository `{url}` has no branch or tag `{reference}`; if that is a commit, write all of its 40 digits"
    )]
    ShortCommit {
        /// The repository.
        url: String,
        reference: String,
    },
    /// The server does not hand out the commit, and no reference that is known leads to it.
    #[error(
        "the git repository `{url}` does not have commit {commit}, or hands out the newest of its branches and tags only"
    )]
    NotServed {
        /// The repository.
        url: String,
        commit: Commit,
    },
    /// The server does not hand out the commit, and the reference has moved on.
    #[error("the git repository `{url}` no longer hands out commit {commit}: `{reference}` is at {now} now")]
    Moved {
        /// The repository.
        url: String,
        commit: Commit,
        reference: String,
        now: Commit,
    },
    /// The id of something else.
    #[error("{id} in the git repository `{url}` is no commit but a {what}")]
    NotACommit {
        /// The repository.
        url: String,
        id: Commit,
        what: String,
    },
    /// A name that git itself does not allow in a repository.
    #[error("the git repository `{url}` has a file `{name}`; `.git` is no name for a file or folder in it")]
    DotGit {
        /// The repository.
        url: String,
        name: String,
    },
    /// Git gave an id that is none.
    #[error("git gave an odd answer about `{url}`")]
    Id {
        /// The repository.
        url: String,
        /// What is odd.
        source: BadCommit,
    },
    /// A file that can't be written, or one too many.
    #[error("the files of `{url}` can't be taken: {source}")]
    Extractor {
        /// The repository.
        url: String,
        /// What is wrong.
        source: ExtractError,
    },
    /// Git could not be asked.
    #[error(transparent)]
    Remote(#[from] RemoteError),
}
