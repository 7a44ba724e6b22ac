//! The repository that a question is about, and the workspace around it.

use std::path::{Path, PathBuf};

use ai_assist_base::nearest;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::lookup::Place;
use ai_assist_workspace::config::{ResolvedRepo, ResolvedWorkspace};

use crate::{Error, Project, Result};

/// A repository under the name that people call it by.
#[derive(Debug, Clone)]
pub struct Repo {
    pub name: String,
    pub local: LocalRepo,
}

impl Repo {
    pub fn place(&self) -> Place<'_> {
        Place { name: &self.name, cache: &self.local.cache }
    }
}

impl From<LocalRepo> for Repo {
    fn from(local: LocalRepo) -> Self {
        Repo { name: local.name().to_owned(), local }
    }
}

impl Project {
    /// The repository around a folder, which may be given relative to that of the project.
    pub fn repo_at(&self, folder: &Path) -> Result<LocalRepo> {
        let folder = self.folder.join(folder);
        if folder.is_file() {
            return Err(Error::NotAFolder(folder));
        }
        Ok(LocalRepo::around(&folder, &self.build_caches()?)?)
    }

    pub fn repo(&self) -> Result<Repo> {
        Ok(LocalRepo::around(&self.folder, &self.build_caches()?)?.into())
    }

    /// The repository of the workspace that is named, or the project's own.
    pub fn repo_named(&self, name: Option<&str>) -> Result<Repo> {
        let own = self.repo()?;
        let Some(name) = name.filter(|name| own.name != *name && own.local.id.as_str() != *name) else {
            return Ok(own);
        };
        let workspace = self.workspace()?;
        match workspace.repos.iter().find(|repo| names_of(repo).iter().any(|known| known == name)) {
            Some(repo) => {
                let [shown, ..] = names_of(repo);
                Ok(Repo { name: shown, local: LocalRepo::at(repo.root.clone(), &self.build_caches()?)? })
            }
            None => {
                let known: Vec<String> = workspace.repos.iter().map(|repo| names_of(repo)[0].clone()).collect();
                let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                Err(Error::UnknownRepo { workspace: workspace.name, name: name.to_owned(), nearest, known })
            }
        }
    }

    /// The repositories in reach: the project's own and those of its workspace, or those that are named.
    pub fn repos_in_reach(&self, names: &[String]) -> Result<Vec<Repo>> {
        if !names.is_empty() {
            return names.iter().map(|name| self.repo_named(Some(name))).collect();
        }
        let mut repos = vec![self.repo()?];
        if let Ok(workspace) = self.workspace() {
            let (own, caches) = (repos[0].local.id.clone(), self.build_caches()?);
            for repo in workspace.repos.iter().filter(|repo| repo.enabled && repo.repo_id != own) {
                let [name, ..] = names_of(repo);
                repos.push(Repo { name, local: LocalRepo::of_several(repo.root.clone(), &caches) });
            }
        }
        Ok(repos)
    }

    pub fn workspace(&self) -> Result<ResolvedWorkspace> {
        self.load_workspace(&self.workspace_file()?)
    }

    /// A workspace as far as its user lets it reach out of its folder.
    pub fn load_workspace(&self, file: &Path) -> Result<ResolvedWorkspace> {
        self.allowed_of(ResolvedWorkspace::load(file)?)
    }

    pub fn workspace_file(&self) -> Result<PathBuf> {
        ResolvedWorkspace::find(&self.folder).ok_or_else(|| Error::NoWorkspace(self.folder.clone()))
    }
}

/// What a repository of a workspace may be called, the usual name first.
fn names_of(repo: &ResolvedRepo) -> [String; 3] {
    let folder = repo.root.file_name().unwrap_or_default().to_owned();
    [repo.alias.clone().unwrap_or_else(|| folder.clone()), repo.repo_id.to_string(), folder]
}
