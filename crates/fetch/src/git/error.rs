//! What can go wrong with a git repository, and how the words of git are shown.

use ai_assist_git::RemoteError;
use ai_assist_identity::PathError;

use super::{BadCommit, Commit};
use crate::ExtractError;

/// A repository that can't be named, reached or read. No text shows credentials.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("`{0}` is not the URL of a git repository")]
    NotGit(String),
    #[error(
        "the URL of the git repository `{url}` has a `?{key}=`, which is not known; known are `manifest` and `glob`"
    )]
    UnknownKey { url: String, key: String },
    #[error("the query in the URL of the git repository `{url}` can't be used: {reason}")]
    Query { url: String, reason: &'static str },
    #[error("the manifest in the URL of the git repository `{url}` can't be used: {reason}")]
    Manifest { url: String, reason: PathError },
    #[error("`{reference}` can't be a branch, tag or commit of `{url}`: {reason}")]
    Reference { url: String, reference: String, reason: &'static str },
    #[error("`{0}` can't be reached offline")]
    Offline(String),
    #[error("the git repository `{url}` has no branch or tag `{reference}`")]
    NoReference { url: String, reference: String },
    #[error("the git repository `{0}` is empty, or its `HEAD` names no branch that is there")]
    NoHead(String),
    #[error(
        "the git repository `{url}` has no branch or tag `{reference}`; if that is a commit, write all of its 40 digits"
    )]
    ShortCommit { url: String, reference: String },
    #[error(
        "the git repository `{url}` does not have commit {commit}, or hands out the newest of its branches and tags only"
    )]
    NotServed { url: String, commit: Commit },
    #[error("the git repository `{url}` no longer hands out commit {commit}: `{reference}` is at {now} now")]
    Moved { url: String, commit: Commit, reference: String, now: Commit },
    #[error("{id} in the git repository `{url}` is no commit but a {what}")]
    NotACommit { url: String, id: Commit, what: String },
    #[error("the git repository `{url}` has a file `{name}`; `.git` is no name for a file or folder in it")]
    DotGit { url: String, name: String },
    #[error("git gave an odd answer about `{url}`")]
    Id { url: String, source: BadCommit },
    #[error("the files of `{url}` can't be taken: {source}")]
    Extractor { url: String, source: ExtractError },
    #[error(transparent)]
    Remote(#[from] RemoteError),
}
