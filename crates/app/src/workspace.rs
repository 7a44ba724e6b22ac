//! The workspace: its repositories, and how each of them stands.

use std::time::SystemTime;

use ai_assist_base::Cancel;
use ai_assist_repo::build::BuildRequest;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::status::RepoStatus;
use ai_assist_workspace::build_all::status_all;
use ai_assist_workspace::config::ResolvedWorkspace;
use ai_assist_workspace::federate::FederateError;
use ai_assist_workspace::manifest::{GenerateOptions, RepoEntry, WorkspaceManifest, generate_manifest};

use crate::{Project, Result};

/// How many repositories are looked at at once.
const JOBS: usize = 4;

impl Project {
    /// What a workspace is made of right now.
    pub fn workspace_manifest(&self, workspace: &ResolvedWorkspace) -> Result<WorkspaceManifest> {
        let options = GenerateOptions { caches: &self.build_caches()?, now: SystemTime::now() };
        Ok(generate_manifest(workspace, &options).map_err(FederateError::from)?)
    }

    /// Compares repositories of a workspace with their builds, in the order of the entries.
    pub fn workspace_status(&self, entries: &[&RepoEntry], cancel: &Cancel) -> Vec<Result<RepoStatus>> {
        let repo = |entry: &&RepoEntry| self.repo_at(&entry.repo_root_canonical.to_path_buf());
        let repos: Vec<Result<LocalRepo>> = entries.iter().map(repo).collect();
        let there = repos.iter().filter_map(|repo| repo.as_ref().ok());
        let requests: Vec<BuildRequest> =
            there.map(|repo| self.build_request(repo, Mode::ALL.to_vec(), false)).collect();
        let mut found = status_all(&requests, JOBS, cancel).into_iter();
        let status = |repo: Result<LocalRepo>| match (repo, &mut found) {
            (Ok(repo), found) => match found.next() {
                Some(status) => Ok(status?),
                None => self.index_status(&repo, cancel),
            },
            (Err(error), _) => Err(error),
        };
        repos.into_iter().map(status).collect()
    }
}
