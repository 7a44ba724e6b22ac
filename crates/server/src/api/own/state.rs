//! How everything is: what is in reach, repositories, the workspace, and damage.

use ai_assist_app::{DiskUse, Entry, Project, Reach};
use ai_assist_collections::{Finding, Health};
use ai_assist_mcp::{ErrorType, Failure};
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::status::RepoStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::route::{Asked, Procedure};
use super::super::shapes;
use super::Nothing;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusOf {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectStatus {
    entries: Vec<Entry>,
    sessions: usize,
    disk: Vec<DiskUse>,
    bytes: u64,
    data: String,
    cache: String,
    warnings: Vec<String>,
}

impl Procedure for StatusOf {
    type Answer = ProjectStatus;
    type Shape = shapes::ProjectStatus;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<ProjectStatus, Failure> {
        let disk = project.disk_use();
        Ok(ProjectStatus {
            entries: project.entries(asked.cancel)?,
            sessions: project.sessions(Reach::Project)?.len(),
            bytes: disk.iter().map(|entry| entry.bytes).sum(),
            disk,
            data: project.roots.data.display().to_string(),
            cache: project.roots.cache.display().to_string(),
            warnings: project
                .warnings
                .iter()
                .map(|warning| format!("{}: {}", warning.place, warning.message))
                .collect(),
        })
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    findings: Vec<Finding>,
    healthy: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Examine {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repair {}

fn examined(project: &Project, repair: bool, asked: &Asked<'_>) -> Result<Findings, Failure> {
    let findings = project.doctor(repair, asked.cancel)?;
    let healthy = findings.iter().all(|finding| matches!(finding.health, Health::Good | Health::Repaired));
    Ok(Findings { findings, healthy })
}

impl Procedure for Examine {
    type Answer = Findings;
    type Shape = shapes::Findings;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<Findings, Failure> {
        examined(project, false, asked)
    }
}

impl Procedure for Repair {
    type Answer = Findings;
    type Shape = shapes::Findings;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<Findings, Failure> {
        examined(project, true, asked)
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepositoryState {
    repository: String,
    repo_id: String,
    root: String,
    /// Whether it is the project's own.
    own: bool,
    #[serde(flatten)]
    status: Option<RepoStatus>,
    /// Why nothing can be said of it.
    error: Option<String>,
}

fn state(project: &Project, name: &str, repo: &LocalRepo, own: bool, asked: &Asked<'_>) -> RepositoryState {
    let (status, error) = match project.index_status(repo, asked.cancel) {
        Ok(status) => (Some(status), None),
        Err(error) => (None, Some(ai_assist_base::chain(&error))),
    };
    let (repo_id, root) = (repo.id.to_string(), repo.root.to_string());
    RepositoryState { repository: name.to_owned(), repo_id, root, own, status, error }
}

fn states(project: &Project, asked: &Asked<'_>) -> Result<Vec<RepositoryState>, Failure> {
    let own = project.own_repo();
    let mut all: Vec<RepositoryState> = own.iter().map(|repo| state(project, repo.name(), repo, true, asked)).collect();
    for (name, repo) in project.workspace_repos()? {
        if own.as_ref().is_none_or(|own| own.id != repo.id) {
            all.push(state(project, &name, &repo, false, asked));
        }
    }
    Ok(all)
}

#[derive(Debug, Serialize)]
pub(crate) struct Repositories {
    repositories: Vec<RepositoryState>,
}

impl Procedure for Nothing {
    type Answer = Repositories;
    type Shape = shapes::Repositories;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<Repositories, Failure> {
        Ok(Repositories { repositories: states(project, asked)? })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneRepository {
    /// Its name or id.
    repo: String,
}

impl Procedure for OneRepository {
    type Answer = RepositoryState;
    type Shape = shapes::RepositoryState;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<RepositoryState, Failure> {
        let repo = project.repo_named(Some(&self.repo))?;
        let own = project.own_repo().is_some_and(|own| own.id == repo.local.id);
        Ok(state(project, &repo.name, &repo.local, own, asked))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkspaceOf {}

#[derive(Debug, Serialize)]
pub(crate) struct WorkspaceState {
    workspace: String,
    file: String,
    repositories: Vec<RepositoryState>,
    warnings: Vec<String>,
}

impl Procedure for WorkspaceOf {
    type Answer = WorkspaceState;
    type Shape = shapes::WorkspaceState;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<WorkspaceState, Failure> {
        let file = project.workspace_file()?;
        let workspace = project.load_workspace(&file)?;
        let own = project.own_repo();
        let mut warnings = Vec::new();
        let mut repositories = Vec::new();
        for (name, repo) in project.workspace_repos()? {
            let is_own = own.as_ref().is_some_and(|own| own.id == repo.id);
            repositories.push(state(project, &name, &repo, is_own, asked));
        }
        if repositories.is_empty() {
            warnings.push("the workspace has no repository that can be reached".to_owned());
        }
        Ok(WorkspaceState { workspace: workspace.name, file: file.display().to_string(), repositories, warnings })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntriesOf {}

#[derive(Debug, Serialize)]
pub(crate) struct Entries {
    entries: Vec<Entry>,
}

impl Procedure for EntriesOf {
    type Answer = Entries;
    type Shape = shapes::Entries;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<Entries, Failure> {
        Ok(Entries { entries: project.entries(asked.cancel)? })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneCollection {
    /// Its name.
    name: String,
}

impl Procedure for OneCollection {
    type Answer = Entry;
    type Shape = shapes::Entry;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<Entry, Failure> {
        let found = project.entries(asked.cancel)?.into_iter().find(|entry| entry.name == self.name);
        found.ok_or_else(|| {
            let said = format!("there is no collection or repository `{}`", self.name);
            Failure::new(ErrorType::NotFound, said, "`collection_list` shows the names.")
        })
    }
}
