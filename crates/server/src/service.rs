//! What a service is made of: its projects, its turns, and what happens in them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};

use ai_assist_app::{Machine, Project};
use ai_assist_base::{RealPath, nearest};
use ai_assist_mcp::{ErrorType, Failure};
use ai_assist_page::{Host, Pages};
use axum::Router;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, broadcast};
use tokio_util::sync::CancellationToken;

use crate::access::Browsers;
use crate::http::Peer;
use crate::log::Log;

/// Changes that nobody has heard of yet. Who lags behind further is told that something was missed.
const UNHEARD: usize = 256;
/// As many long calls run at once; others wait.
const LONG_CALLS: usize = 2;

/// Something that is indexed is no longer what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub project: PathBuf,
    pub kind: ChangeKind,
    /// The collection, repository or session.
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Collection,
    Repository,
    Session,
    Configuration,
}

/// How the sources of a project are followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Watched {
    pub project: PathBuf,
    pub folders: usize,
    /// Why changes are not heard, if that is so: everything is looked at every few seconds instead.
    pub polling: Option<String>,
    /// What could not be brought up to date, and why.
    pub problems: Vec<String>,
    /// How often something was taken in.
    pub updates: u64,
}

/// A service for some projects.
#[derive(Debug)]
pub struct Service {
    pub machine: Arc<Machine>,
    /// Links resolved.
    pub projects: Vec<PathBuf>,
    names: Vec<String>,
    /// Whether nothing may be changed through it.
    pub read_only: bool,
    pub stop: CancellationToken,
    pub log: Log,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) browsers: OnceLock<(Arc<Browsers>, std::net::SocketAddr)>,
    pub(crate) quick: Arc<Semaphore>,
    pub(crate) long: Arc<Semaphore>,
    pub(crate) started: Instant,
    pub(crate) started_at: SystemTime,
    watched: Mutex<Vec<Watched>>,
}

/// Who asks, and about what.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    pub(crate) peer: Peer,
    /// The folder that a program of the user asks from.
    pub(crate) folder: Option<PathBuf>,
    /// What the settings of the asker come to, if it wants an answer in place of its own.
    pub(crate) settings: Option<String>,
    /// The project that is named in the request.
    pub(crate) project: Option<String>,
}

impl Service {
    pub fn new(machine: Arc<Machine>, projects: Vec<PathBuf>, read_only: bool, log: Log) -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Arc::new(Service {
            machine,
            names: ai_assist_page::names(&projects),
            projects,
            read_only,
            stop: CancellationToken::new(),
            log,
            changes: broadcast::channel(UNHEARD).0,
            browsers: OnceLock::new(),
            quick: Arc::new(Semaphore::new((cores * 2).max(4))),
            long: Arc::new(Semaphore::new(LONG_CALLS)),
            started: Instant::now(),
            started_at: SystemTime::now(),
            watched: Mutex::default(),
        })
    }

    /// Tells whoever listens that something has changed.
    pub(crate) fn changed(&self, change: Change) {
        // Nobody may be listening.
        let _ = self.changes.send(change);
    }

    pub(crate) fn watched(&self) -> Vec<Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_watched(&self, watched: Watched) {
        let mut all = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter_mut().find(|known| known.project == watched.project) {
            Some(known) => *known = watched,
            None => all.push(watched),
        }
    }

    /// Opens the project that is asked about.
    pub(crate) fn open(&self, asker: &Asker) -> Result<Project, Failure> {
        let folder = self.folder(asker)?;
        let project = self.machine.open(&folder).map_err(Failure::from)?;
        if let Some(settings) = &asker.settings
            && *settings != project.fingerprint()
        {
            let said = "the settings of the service are others than those of whoever asks";
            return Err(Failure::new(ErrorType::Refused, said, "Answer without the service."));
        }
        Ok(project)
    }

    fn folder(&self, asker: &Asker) -> Result<PathBuf, Failure> {
        if let Some(folder) = &asker.folder {
            // As it is spelled there: what answers name is spelled the same.
            return if self.is_served(folder) { Ok(folder.clone()) } else { Err(self.not_served()) };
        }
        let Some(name) = &asker.project else {
            return match self.projects.as_slice() {
                [only] => Ok(only.clone()),
                _ => {
                    let said = "it is not known which project is meant";
                    Err(Failure::new(ErrorType::NoSession, said, self.those_served()))
                }
            };
        };
        let folder = Path::new(name);
        if folder.is_absolute() {
            return if self.is_served(folder) { Ok(folder.to_owned()) } else { Err(self.not_served()) };
        }
        let known: Vec<&str> = self.names().collect();
        match known.iter().position(|known| known == name) {
            Some(at) => Ok(self.projects[at].clone()),
            None => {
                let near = nearest(name, known);
                let near = near.map_or(String::new(), |near| format!("Did you mean `{near}`? "));
                let said = format!("the service has no project `{name}`");
                Err(Failure::new(ErrorType::NotFound, said, near + &self.those_served()))
            }
        }
    }

    /// Whether a folder lies in a project that is served, once links are resolved.
    fn is_served(&self, folder: &Path) -> bool {
        folder.real_path().is_ok_and(|real| self.projects.iter().any(|project| real.starts_with(project)))
    }

    fn not_served(&self) -> Failure {
        Failure::new(ErrorType::Refused, "the service is not for that project", self.those_served())
    }

    fn those_served(&self) -> String {
        let shown: Vec<String> = self.projects.iter().map(|project| project.display().to_string()).collect();
        format!("Give one of these as `project`: {}.", shown.join(", "))
    }

    /// What the projects may be called, here as on the page.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The page about the projects, and whoever tells it what has changed.
    pub(crate) fn page(self: &Arc<Self>) -> Router {
        let (to_pages, _) = broadcast::channel(UNHEARD);
        let host: Arc<dyn Host> = Arc::<Service>::clone(self);
        let pages = Pages::new(Arc::clone(&self.machine), self.projects.clone(), to_pages.clone(), host);
        let (mut changes, stop) = (self.changes.subscribe(), self.stop.clone());
        tokio::spawn(async move {
            loop {
                let told = tokio::select! {
                    told = changes.recv() => told,
                    () = stop.cancelled() => break,
                };
                match told {
                    // No page may be open.
                    Ok(change) => drop(to_pages.send(ai_assist_page::Change::Project(change.project))),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => break,
                }
            }
            let _ = to_pages.send(ai_assist_page::Change::End);
        });
        ai_assist_page::router(pages)
    }

    /// A link that lets one browser in, once.
    pub fn new_link(&self) -> Option<String> {
        let (browsers, address) = self.browsers.get()?;
        Some(format!("http://{address}{}{}", crate::http::LINK_PATH, browsers.new_link().ok()?))
    }
}

impl Host for Service {
    fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn following(&self, project: &Path) -> Vec<(bool, String)> {
        let Some(watched) = self.watched().into_iter().find(|watched| watched.project == project) else {
            return Vec::new();
        };
        let folders = watched.folders;
        let how = match &watched.polling {
            None => format!("{folders} folders; {} updates since the server started", watched.updates),
            Some(why) => format!("{folders} folders, looked at every few seconds: {why}"),
        };
        let problems = watched.problems.into_iter().map(|problem| (false, problem));
        std::iter::once((watched.polling.is_none(), how)).chain(problems).collect()
    }

    fn log(&self) -> Vec<String> {
        self.log.last()
    }

    fn turns(&self) -> &Arc<Semaphore> {
        &self.quick
    }
}
