//! Whether what is indexed of a repository is what the repository holds.

use std::collections::BTreeMap;

use ai_assist_base::Cancel;
use serde::Serialize;

use crate::build::{BuildError, BuildRequest, Result, differences};
use crate::layout::{Mode, RepoCache};
use crate::pointer::read_pointer;
use crate::repo_index::RepoIndex;
use crate::sums::check_all;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RepoStatus {
    pub build_id: Option<String>,
    pub commit: Option<String>,
    pub dirty: bool,
    pub built_at: Option<String>,
    /// Its modes, as far as they can be read.
    pub modes: BTreeMap<Mode, ModeStatus>,
    /// Whether it is what the repository holds.
    pub freshness: Freshness,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeStatus {
    pub build_id: String,
    pub documents: u64,
    pub chunks: u64,
}

/// Whether a build is what the repository holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum Freshness {
    Current,
    #[serde(rename_all = "camelCase")]
    Stale {
        added: usize,
        changed: usize,
        removed: usize,
        /// Whether another commit is checked out, or files have come to differ from it.
        moved: bool,
        /// The modes that have to be made anew, because they are missing or of another version.
        rebuild: Vec<Mode>,
    },
    #[default]
    Missing,
    /// There is one that can't be used.
    Broken {
        reason: String,
    },
}

/// Compares a repository with its current build. Files whose stamp does not settle it are read; nothing is written.
pub fn status(request: &BuildRequest, cancel: &Cancel) -> Result<RepoStatus> {
    let cache = &request.cache;
    let mut status = RepoStatus::default();
    let pointer = read_pointer(cache);
    if let Some(problem) = &pointer.problem {
        status.freshness = Freshness::Broken { reason: problem.to_string() };
        return Ok(status);
    }
    if !pointer.exists {
        return Ok(status);
    }
    for &mode in request.modes.iter().filter(|mode| pointer.index_root(**mode).is_some()) {
        match RepoIndex::open(cache, mode) {
            Ok(index) => status.add(mode, &index),
            Err(BuildError::Index(ai_assist_index::Error::Incompatible { .. })) => {}
            Err(error) => {
                status.freshness = Freshness::Broken { reason: format!("{mode}: {}", ai_assist_base::chain(&error)) };
                return Ok(status);
            }
        }
    }
    status.build_id = pointer.build_id;
    let (found, rebuild) = differences(request, cancel)?;
    let (added, changed, removed, moved) = (found.added, found.changed, found.removed, found.checkout_moved);
    let current = added + changed + removed == 0 && !moved && rebuild.is_empty();
    status.freshness =
        if current { Freshness::Current } else { Freshness::Stale { added, changed, removed, moved, rebuild } };
    Ok(status)
}

/// What is damaged of a repository's current build: every file of it is read. None if all is as it was written, or if there is no
/// build.
pub fn damage(cache: &RepoCache) -> Option<String> {
    let pointer = read_pointer(cache);
    if let Some(problem) = &pointer.problem {
        return Some(problem.to_string());
    }
    let damaged = |mode: Mode| {
        let build = pointer.index_root(mode)?;
        let opened = RepoIndex::open_build(build, mode);
        let checked = opened.and_then(|index| index.map_or(Ok(()), |_| check_all(build, mode)));
        checked.err().map(|error| format!("{mode}: {}", ai_assist_base::chain(&error)))
    };
    Mode::ALL.into_iter().find_map(damaged)
}

impl RepoStatus {
    fn add(&mut self, mode: Mode, index: &RepoIndex) {
        let state = &index.state;
        // The latest of several builds says most about the repository.
        if self.built_at.as_ref().is_none_or(|built_at| *built_at < state.built_at) {
            self.commit.clone_from(&state.commit);
            self.dirty = state.dirty;
            self.built_at = Some(state.built_at.clone());
        }
        let (build_id, documents, chunks) = (state.build_id.clone(), state.documents, state.chunks);
        self.modes.insert(mode, ModeStatus { build_id, documents, chunks });
    }
}
