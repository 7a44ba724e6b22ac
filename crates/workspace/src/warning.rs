//! What a search says about repositories that it leaves out.

use ai_assist_base::json::word;
use ai_assist_identity::RepoId;
use serde::{Deserialize, Serialize};

use ai_assist_repo::layout::Mode;

/// Something that is no reason to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    pub code: WarningCode,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<RepoId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningCode {
    NothingSelected,
    TagUnknown,
    /// A glob matches no repository.
    FilterMatchesNothing,
    /// A repository was named, and a tag or a glob leaves it out.
    SelectedButFiltered,
    /// A repository has no index that can be searched.
    IndexUnavailable,
    /// An index does not say what it can be compared with.
    CohortKeyMissing,
    /// An index can't be compared with those that are searched.
    CohortExcluded,
    /// Indexes that can't be compared are searched together.
    UnsafeMix,
    IndexFailed,
    IndexTimedOut,
    /// Answers can't be kept, or not be looked up.
    CacheUnusable,
}

impl From<&Warning> for ai_assist_search::Warning {
    fn from(warning: &Warning) -> Self {
        let Warning { code, message, repo_id, mode } = warning;
        let (message, repo_id, mode) = (message.clone(), repo_id.clone(), mode.map(|mode| mode.to_string()));
        ai_assist_search::Warning { code: word(code), message, repo_id, mode }
    }
}
