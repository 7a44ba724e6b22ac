//! What is searched: an index, and what its documents are called.

use std::sync::Arc;

use ai_assist_identity::{CanonicalPath, CollectionId, RepoId};
use ai_assist_index::{Filter, Reader};
use serde::{Deserialize, Serialize};

/// An index that is open for as long as this lives.
pub trait Indexed: Send + Sync {
    fn reader(&self) -> &Reader;
}

impl Indexed for Reader {
    fn reader(&self) -> &Reader {
        self
    }
}

/// An index to search.
#[derive(Clone)]
pub struct Source {
    pub index: Arc<dyn Indexed>,
    pub origin: Origin,
    /// Where its documents are on this machine.
    pub root: Option<CanonicalPath>,
    /// Who it belongs to: sources of one owner share what an owner may have of the answer.
    pub owner: usize,
    /// Sources with equal rules have scores that can be compared.
    pub rules: String,
    /// What of it is searched, in place of what the question says.
    pub filter: Option<Arc<Filter>>,
}

impl Source {
    /// A source whose index this program wrote, by the rules it has now.
    pub fn new(index: Arc<dyn Indexed>, origin: Origin, root: Option<CanonicalPath>, owner: usize) -> Self {
        let rules = index.reader().commit().versions.cohort().to_string();
        Source { index, origin, root, owner, rules, filter: None }
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("origin", &self.origin).field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// Where a document comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Origin {
    Collection {
        /// The collection's name; the category's where no collection has it; the id where neither is declared here.
        collection: String,
        /// The category that the document comes from, if it does not come from the collection's own source.
        category: Option<String>,
        /// The id of the collection's source or of the category.
        collection_id: CollectionId,
        /// Of a package: the version that the document belongs to.
        version: Option<String>,
        /// Of a package from git: the commit.
        commit: Option<String>,
    },
    Repo {
        repo: String,
        repo_id: RepoId,
        /// Which index of the repository: `code`, `prose`, …
        mode: String,
        /// The commit of git that the index was built at, if there is one.
        commit: Option<String>,
        build_id: String,
    },
    Session {
        session: String,
    },
}

impl Origin {
    pub fn name(&self) -> &str {
        match self {
            Origin::Collection { collection, .. } => collection,
            Origin::Repo { repo, .. } => repo,
            Origin::Session { session } => session,
        }
    }
}
