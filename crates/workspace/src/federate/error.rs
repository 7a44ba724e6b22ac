use std::fmt;

use ai_assist_identity::{JcsError, RepoId};
use ai_assist_search::IndexStatus;

use crate::cohort::CohortError;
use crate::manifest::ManifestError;
use crate::selection::SelectionError;

/// What can stop a search over many indexes. One that can't be read stops nothing.
#[derive(Debug, thiserror::Error)]
pub enum FederateError {
    /// The state of the workspace can't be told.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The indexes can't be ranked together as asked.
    #[error(transparent)]
    Cohort(#[from] CohortError),
    #[error(transparent)]
    Search(#[from] ai_assist_search::Error),
    /// The question has no stable form.
    #[error(transparent)]
    Json(#[from] JcsError),
    /// Not everything was searched, and that was asked for.
    #[error("not every index was searched: {}", listed(.0))]
    Strict(Vec<NotSearched>),
}

/// An index that was to be searched and was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSearched {
    pub repo_id: RepoId,
    pub repo: String,
    pub mode: String,
    pub status: IndexStatus,
    pub reason: String,
}

impl fmt::Display for NotSearched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({}) {}: {}", self.repo, self.mode, self.status, self.reason)
    }
}

fn listed(indexes: &[NotSearched]) -> String {
    indexes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
