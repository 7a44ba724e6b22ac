//! The workspace: its file, its repositories, how each of them stands, and one search over all of them.

use std::path::Path;
use std::time::SystemTime;

use ai_assist_base::Cancel;
use ai_assist_repo::build::{BuildEvent, BuildReport, BuildRequest};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::root::{canonical_root, work_tree_top};
use ai_assist_repo::status::RepoStatus;
use ai_assist_workspace::build_all::{build_all, status_all};
use ai_assist_workspace::config::{ResolvedWorkspace, WORKSPACE_FILE};
use ai_assist_workspace::edit::{NewRepo, add_repo, free_alias, init_workspace, remove_repo};
use ai_assist_workspace::federate::{FederateError, WorkspaceAnswer, WorkspaceQuestion, search_workspace};
use ai_assist_workspace::in_use::note_elsewhere;
use ai_assist_workspace::manifest::{
    GenerateOptions, RepoEntry, WorkspaceManifest, Written, generate_manifest, write_manifest,
};

use crate::{Error, Project, Result};

/// How many repositories are looked at at once.
const JOBS: usize = 4;

/// A repository of a workspace, and what came of building it.
#[derive(Debug)]
pub struct BuiltMember<'m> {
    pub entry: &'m RepoEntry,
    pub built: Result<(LocalRepo, BuildReport)>,
}

impl Project {
    /// Writes a new workspace file into the project's folder.
    pub fn init_workspace(&self, name: &str) -> Result<ResolvedWorkspace> {
        Ok(init_workspace(&self.folder.join(WORKSPACE_FILE), name)?)
    }

    /// Adds a repository to a workspace file, under a name of its own if it is given none. Whoever adds one means it to be read,
    /// wherever it lies.
    pub fn add_to_workspace(&self, file: &Path, mut repo: NewRepo) -> Result<(ResolvedWorkspace, Option<String>)> {
        repo.alias = repo.alias.or_else(|| free_alias(file, &repo.root));
        let workspace = add_repo(file, &repo)?;
        let root =
            canonical_root(&repo.root, &work_tree_top).map_err(ai_assist_repo::config_error::ConfigError::from)?;
        self.allow(&workspace.path.to_path_buf(), &[root.to_path_buf()])?;
        Ok((workspace, repo.alias))
    }

    /// Takes a repository out of a workspace file, by alias, id or folder.
    pub fn remove_from_workspace(&self, file: &Path, name: &str) -> Result<ResolvedWorkspace> {
        Ok(remove_repo(file, name, &self.folder)?)
    }

    /// What a workspace is made of right now.
    pub fn workspace_manifest(&self, workspace: &ResolvedWorkspace) -> Result<WorkspaceManifest> {
        let options = GenerateOptions { caches: &self.build_caches()?, now: SystemTime::now() };
        Ok(generate_manifest(workspace, &options).map_err(FederateError::from)?)
    }

    /// The same, written to its place and known to the machine's cache, wherever that place is.
    pub fn write_workspace_manifest(&self, workspace: &ResolvedWorkspace) -> Result<(WorkspaceManifest, Written)> {
        let manifest = self.workspace_manifest(workspace)?;
        let written = write_manifest(&manifest).map_err(FederateError::from)?;
        let noted = note_elsewhere(&self.roots.cache, &written.path);
        noted.map_err(|source| Error::Io { action: "writing to", path: self.roots.cache.clone(), source })?;
        Ok((manifest, written))
    }

    /// Asks a workspace.
    pub fn search_workspace(
        &self,
        workspace: &ResolvedWorkspace,
        question: &WorkspaceQuestion,
        cancel: &Cancel,
    ) -> Result<WorkspaceAnswer> {
        let options = GenerateOptions { caches: &self.build_caches()?, now: SystemTime::now() };
        Ok(search_workspace(workspace, &options, question, cancel)?)
    }

    /// Builds repositories of a workspace, some of them at once. One whose configuration is wrong, or whose folder is gone, does not keep
    /// the others from being built. `progress` is told the number of a repository among the entries.
    pub fn build_workspace<'m>(
        &self,
        entries: &[&'m RepoEntry],
        modes: &[Mode],
        force: bool,
        jobs: usize,
        cancel: &Cancel,
        progress: &(dyn Fn(usize, BuildEvent<'_>) + Sync),
    ) -> Vec<BuiltMember<'m>> {
        let mut requests: Vec<BuildRequest> = Vec::new();
        let mut numbers = Vec::new();
        let mut found = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            let repo = self.repo_at(&entry.repo_root_canonical.to_path_buf());
            if let Ok(repo) = &repo {
                requests.push(self.build_request(repo, modes.to_vec(), force));
                numbers.push(number);
            }
            found.push(repo);
        }
        let tell = |request: usize, event: BuildEvent<'_>| progress(numbers[request], event);
        let mut reports = build_all(&requests, jobs, cancel, &tell).into_iter();
        let built = |(entry, repo): (&&'m RepoEntry, Result<LocalRepo>)| {
            // There is a report for each repository that was found.
            let report = |repo: LocalRepo| match reports.next() {
                Some(report) => Ok((repo, report?)),
                None => Err(ai_assist_repo::build::BuildError::Cancelled.into()),
            };
            BuiltMember { entry, built: repo.and_then(report) }
        };
        entries.iter().zip(found).map(built).collect()
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
