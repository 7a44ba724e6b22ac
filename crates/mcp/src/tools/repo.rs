//! The repository that a call is about.

use ai_assist_collections::{nearest, whole};
use ai_assist_repo::local_repo::{LocalRepo, LocalRepoError};
use ai_assist_repo::lookup::Place;
use ai_assist_workspace::config::ResolvedWorkspace;

use crate::call::Call;
use crate::outcome::{ErrorType, Failure};

/// A repository that a call is about.
pub(crate) struct Repo {
    /// What people call it.
    pub(crate) name: String,
    pub(crate) local: LocalRepo,
}

impl Repo {
    /// The one of a workspace that is named, or the project's own.
    pub(crate) fn named(call: &Call<'_>, name: Option<&str>) -> Result<Repo, Failure> {
        match name {
            None => Repo::own(call),
            Some(name) => Repo::of_workspace(call, name),
        }
    }

    /// The project's own.
    pub(crate) fn own(call: &Call<'_>) -> Result<Repo, Failure> {
        let local = LocalRepo::around(&call.desk.folder, &call.desk.roots.cache)?;
        Ok(Repo { name: local.name().to_owned(), local })
    }

    fn of_workspace(call: &Call<'_>, name: &str) -> Result<Repo, Failure> {
        let own = Repo::own(call)?;
        if own.name == name || own.local.id.as_str() == name {
            return Ok(own);
        }
        let workspace = workspace(call)?;
        let names = |repo: &ai_assist_workspace::config::ResolvedRepo| {
            let folder = repo.root.file_name().unwrap_or_default().to_owned();
            [repo.alias.clone().unwrap_or_else(|| folder.clone()), repo.repo_id.to_string(), folder]
        };
        let found = workspace.repos.iter().find(|repo| names(repo).iter().any(|known| known == name));
        match found {
            Some(repo) => {
                let [shown, ..] = names(repo);
                let local = LocalRepo::at(repo.root.clone(), &call.desk.roots.cache)?;
                Ok(Repo { name: shown, local })
            }
            None => {
                let known: Vec<String> = workspace.repos.iter().map(|repo| names(repo)[0].clone()).collect();
                let near = nearest(name, known.iter().map(String::as_str));
                let hint = near.map_or(String::new(), |near| format!("Did you mean `{near}`? "));
                let error = format!("the workspace {} has no repository `{name}`", workspace.name);
                Err(Failure::new(ErrorType::NotFound, error, format!("{hint}There are: {}.", known.join(", "))))
            }
        }
    }

    /// Where to look things up.
    pub(crate) fn place(&self) -> Place<'_> {
        Place { name: &self.name, cache: &self.local.cache }
    }
}

impl From<LocalRepoError> for Failure {
    fn from(error: LocalRepoError) -> Self {
        let way = match error {
            LocalRepoError::Root(_) => "Start the server with --project and a folder that can be read.",
            LocalRepoError::Config(_) => "Ask the user to put the repository's .ai-assist.json right.",
        };
        Failure::new(ErrorType::ReadError, whole(&error), way)
    }
}

/// The workspace around the project.
pub(crate) fn workspace(call: &Call<'_>) -> Result<ResolvedWorkspace, Failure> {
    let Some(file) = ResolvedWorkspace::find(&call.desk.folder) else {
        return Err(Failure::new(
            ErrorType::NotFound,
            format!("there is no workspace file in {} or above it", call.desk.folder.display()),
            "Search with scope `repo`, and leave out `repo` and `repos`, for the project's own repository. A workspace is made with `ai-assist workspace init`.",
        ));
    };
    ResolvedWorkspace::load(&file).map_err(|error| {
        Failure::new(ErrorType::ReadError, whole(&error), "Ask the user to put the workspace file right.")
    })
}
