//! The index of a repository: building it, comparing it with the files, asking it for code.

use std::collections::{BTreeMap, BTreeSet};

use ai_assist_base::Cancel;
use ai_assist_repo::build::{BuildEvent, BuildReport, BuildRequest, build_repo};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::map::{MapRequest, RepoMap, map};
use ai_assist_repo::repo_index::{DocumentRecord, RepoIndex};
use ai_assist_repo::status::{RepoStatus, status};

use ai_assist_text::LineRange;

use crate::{Project, Result};

#[derive(Debug)]
pub struct DrawnMap {
    pub map: RepoMap,
    pub built_at: String,
    pub commit: Option<String>,
}

impl Project {
    pub fn build_request(&self, repo: &LocalRepo, modes: Vec<Mode>, force: bool) -> BuildRequest {
        repo.request(modes, &self.roots.cache, self.settings.repo_limits(), force)
    }

    pub fn build_index(
        &self,
        repo: &LocalRepo,
        modes: Vec<Mode>,
        force: bool,
        cancel: &Cancel,
        progress: &mut dyn FnMut(BuildEvent<'_>),
    ) -> Result<BuildReport> {
        Ok(build_repo(&self.build_request(repo, modes, force), cancel, progress)?)
    }

    pub fn index_status(&self, repo: &LocalRepo, cancel: &Cancel) -> Result<RepoStatus> {
        Ok(status(&self.build_request(repo, Mode::ALL.to_vec(), false), cancel)?)
    }

    /// The definitions on which the rest of a repository turns.
    pub fn map(&self, repo: &LocalRepo, request: &MapRequest) -> Result<DrawnMap> {
        let index = RepoIndex::open(&repo.cache, Mode::Code)?;
        let map = map(&index, request)?;
        Ok(DrawnMap { map, built_at: index.state.built_at.clone(), commit: index.state.commit.clone() })
    }

    /// Where names are defined in a repository, by name; those that nothing defines are left out.
    pub fn definitions(
        &self,
        repo: &LocalRepo,
        names: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, Vec<(String, LineRange)>>> {
        Ok(RepoIndex::open(&repo.cache, Mode::Code)?.db.definitions(names)?)
    }

    /// Every indexed file of a repository, each once, by path; none where there is no index that can be read.
    pub fn repo_documents(&self, repo: &LocalRepo) -> Vec<DocumentRecord> {
        let of = |mode| RepoIndex::open(&repo.cache, mode).and_then(|index| index.db.documents()).unwrap_or_default();
        let mut documents: Vec<DocumentRecord> = Mode::ALL.into_iter().flat_map(of).collect();
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        documents.dedup_by(|a, b| a.path == b.path);
        documents
    }
}
