//! Many indexes, searched as one.
//!
//! A [`Plan`] says which indexes are searched; a [`Federation`] opens them and hands them to `search` as sources, which ranks
//! them. [`search_workspace`] does all of it for a workspace and remembers the answer; [`search_repos`] for a few repositories
//! without one.

mod ask;
mod error;
mod open;
mod plan;
mod repos;
mod workspace;

use std::collections::BTreeMap;
use std::path::PathBuf;

use ai_assist_identity::{CanonicalPath, RepoId};
use serde::{Deserialize, Serialize};

use crate::manifest::{Availability, RepoEntry};
use crate::selection::name_of;
use ai_assist_repo::layout::{Mode, RepoCache};
use ai_assist_repo::pointer::read_pointer;

pub use ask::Asked;
pub use error::{FederateError, NotSearched};
pub use open::Federation;
pub use plan::{ModePlan, Plan};
pub use repos::{open_repos, search_repos};
pub use workspace::{OpenWorkspace, WorkspaceAnswer, WorkspaceQuestion, open_workspace, search_workspace};

/// How often builds are looked for anew that were taken away before they could be opened.
const ATTEMPTS: usize = 8;

/// How long it took. No part of the answer, which is the same every time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    pub total_ms: f64,
    pub repos: BTreeMap<RepoId, f64>,
}

/// A repository to search, and where its index of each mode stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub repo_id: RepoId,
    pub name: String,
    pub root: CanonicalPath,
    /// The folder of the build that has a mode.
    pub builds: BTreeMap<Mode, PathBuf>,
    /// Where its pointer is, to look for a newer build if one of these is gone. A target of a manifest has none: there the
    /// whole manifest is made anew.
    pub cache: Option<RepoCache>,
}

impl Target {
    /// The repository of a manifest, with the indexes that can be searched.
    pub fn of_entry(entry: &RepoEntry) -> Target {
        let present = entry.indexes.iter().filter(|(_, index)| index.availability_reason == Availability::Present);
        let builds = present.filter_map(|(mode, index)| Some((mode, index.index_root.as_ref()?.to_path_buf())));
        Target {
            repo_id: entry.repo_id.clone(),
            name: name_of(entry).to_owned(),
            root: entry.repo_root_canonical.clone(),
            builds: builds.collect(),
            cache: None,
        }
    }

    /// A repository by its own pointer. It is called by the name of its folder.
    pub fn of_repo(root: &CanonicalPath, repo_id: &RepoId, cache: &RepoCache) -> Target {
        Target {
            repo_id: repo_id.clone(),
            name: root.file_name().unwrap_or(repo_id.as_str()).to_owned(),
            root: root.clone(),
            builds: current_builds(cache),
            cache: Some(cache.clone()),
        }
    }

    fn again(&self) -> Target {
        match &self.cache {
            Some(cache) => Target { name: self.name.clone(), ..Target::of_repo(&self.root, &self.repo_id, cache) },
            None => self.clone(),
        }
    }

    /// Why it has no build of a mode.
    fn absence(&self) -> Availability {
        let invalid = self.cache.as_ref().is_some_and(|cache| read_pointer(cache).is_invalid());
        if invalid { Availability::InvalidPointer } else { Availability::MissingIndexDir }
    }
}

/// The builds that a pointer names and that are there.
fn current_builds(cache: &RepoCache) -> BTreeMap<Mode, PathBuf> {
    let mut pointer = read_pointer(cache);
    for attempt in 1.. {
        let named = Mode::ALL.into_iter().filter_map(|mode| Some((mode, pointer.index_root(mode)?.to_owned())));
        let (there, missing): (BTreeMap<_, _>, BTreeMap<_, _>) =
            named.partition(|(mode, root)| root.join(mode.index_dir()).is_dir());
        // A build may be replaced and taken away while one looks for it.
        let now = if missing.is_empty() || attempt >= ATTEMPTS { None } else { Some(read_pointer(cache)) };
        match now.filter(|now| *now != pointer) {
            Some(now) => pointer = now,
            None => return there,
        }
    }
    BTreeMap::new()
}

/// Modes in the order asked, each once.
fn each_once(asked: &[Mode]) -> Vec<Mode> {
    let mut modes: Vec<Mode> = Vec::new();
    for mode in asked {
        if !modes.contains(mode) {
            modes.push(*mode);
        }
    }
    modes
}

#[cfg(test)]
mod tests;
