//! What the page is about, and how a view is asked for.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ai_assist_app::{Machine, Project};
use ai_assist_base::Cancel;
use askama::Template;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use tokio::sync::{Semaphore, broadcast};

use crate::events::Change;
use crate::failure::Failure;
use crate::jobs::Jobs;
use crate::params::Asked;

/// The server that shows the page, as far as the page has to know it.
pub trait Host: fmt::Debug + Send + Sync {
    /// Whether nothing may be changed through the page.
    fn is_read_only(&self) -> bool;
    /// How the sources of a project are followed, a line each, and whether that is as it should be.
    fn following(&self, project: &Path) -> Vec<(bool, String)>;
    /// The last lines of the server's log, the oldest first.
    fn log(&self) -> Vec<String>;
    /// Turns that views take with everything else that is asked of the server: so many work at once, the others wait.
    fn turns(&self) -> &Arc<Semaphore>;
}

/// The projects that the page shows, and what happens in them.
#[derive(Debug)]
pub struct Pages {
    machine: Arc<Machine>,
    pub(crate) host: Arc<dyn Host>,
    projects: Vec<NamedProject>,
    changes: broadcast::Sender<Change>,
    pub(crate) jobs: Jobs,
}

#[derive(Debug, Clone)]
pub(crate) struct NamedProject {
    /// What addresses call it.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

impl Pages {
    /// Whoever knows that something has changed tells it through `changes`; open pages look again then.
    pub fn new(
        machine: Arc<Machine>,
        projects: Vec<PathBuf>,
        changes: broadcast::Sender<Change>,
        host: Arc<dyn Host>,
    ) -> Arc<Self> {
        let named = |(name, folder)| NamedProject { name, folder };
        let projects = names(&projects).into_iter().zip(projects).map(named).collect();
        Arc::new(Pages { machine, host, projects, changes, jobs: Jobs::default() })
    }

    pub(crate) fn projects(&self) -> &[NamedProject] {
        &self.projects
    }

    pub(crate) fn changes(&self) -> &broadcast::Sender<Change> {
        &self.changes
    }

    /// The name that addresses have for a folder.
    pub(crate) fn name_of(&self, folder: &Path) -> Option<&str> {
        self.projects.iter().find(|project| project.folder == folder).map(|project| project.name.as_str())
    }

    /// The project of a name, opened anew so that a changed file counts at once.
    pub(crate) fn open(&self, name: &str) -> Result<Project, Failure> {
        let project = self.projects.iter().find(|project| project.name == name);
        let project = project.ok_or_else(|| Failure::missing(format!("no project here is called `{name}`")))?;
        Ok(self.machine.open(&project.folder)?)
    }

    /// Answers with a view of a project. Views ask files and databases, so they work beside the threads that serve.
    pub(crate) async fn answer<V>(self: Arc<Self>, name: String, asked: Asked, view: V) -> Response
    where
        V: FnOnce(&Open) -> Answered + Send + 'static,
    {
        // A browser that goes away, as it does with every letter typed, is not worked for any more.
        let cancel = Cancel::default();
        let _guard = CancelOnDrop(cancel.clone());
        let Ok(turn) = Arc::clone(self.host.turns()).acquire_owned().await else {
            return Failure::broken("the server comes to its end").page(None, &asked);
        };
        let pages = Arc::clone(&self);
        let at = asked.clone();
        let worked = tokio::task::spawn_blocking(move || {
            // The turn ends with the work, whoever still waits for it.
            let _turn = turn;
            let opened = pages.open(&name).map(|project| Open { pages, name, project, asked: at.clone(), cancel });
            match opened {
                Ok(open) => view(&open).unwrap_or_else(|failure| failure.page(Some(&open), &at)),
                Err(failure) => failure.page(None, &at),
            }
        });
        worked.await.unwrap_or_else(|_| Failure::broken("the view broke off").page(None, &asked))
    }
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A project as a view has it.
pub(crate) struct Open {
    pub(crate) pages: Arc<Pages>,
    pub(crate) name: String,
    pub(crate) project: Project,
    pub(crate) asked: Asked,
    pub(crate) cancel: Cancel,
}

pub(crate) type Answered = Result<Response, Failure>;

pub(crate) fn html(template: &impl Template) -> Answered {
    let text = template.render().map_err(|error| Failure::broken(error.to_string()))?;
    Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response())
}

/// What projects are called: the last names of their folders, with a number where two have the same.
pub fn names(folders: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(folders.len());
    for folder in folders {
        let last = folder.file_name().map_or("project".to_owned(), |name| name.to_string_lossy().into_owned());
        // A browser takes names of dots for ways up.
        let last = if last.chars().all(|c| c == '.') { "project".to_owned() } else { last };
        let numbered = (2..).map(|number| format!("{last}-{number}"));
        let name = std::iter::once(last.clone()).chain(numbered).find(|name| !names.contains(name));
        names.push(name.unwrap_or(last));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_has_a_name_of_its_own() {
        let folders = ["/a/docs", "/b/docs", "/c/docs-2", "/"].map(PathBuf::from).to_vec();
        assert_eq!(names(&folders), ["docs", "docs-2", "docs-2-2", "project"]);
    }
}
