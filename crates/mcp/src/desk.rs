//! A project, opened for a call.

use std::path::{Path, PathBuf};

use ai_assist_collections::{Members, Project, Roots, Settings, SyncOptions, members};

use crate::outcome::Failure;

/// The surroundings of the server: settings, environment, the user's own configuration.
pub trait Host: Send + Sync + 'static {
    /// Opens the project at or around a folder.
    fn open(&self, folder: &Path) -> Result<Desk, String>;

    /// How collections of the project are synced.
    fn sync_options(&self, desk: &Desk) -> Result<SyncOptions, String>;
}

/// A project with everything a tool may ask of it. Opened anew for every call, so that a change to a file counts at once.
#[derive(Debug, Clone)]
pub struct Desk {
    /// The folder that was named, symlinks resolved.
    pub folder: PathBuf,
    /// The project's configuration file, whether or not it is there.
    pub file: PathBuf,
    /// What it says, if it is there.
    pub project: Option<Project>,
    /// The user's own collections.
    pub global: Option<Project>,
    pub settings: Settings,
    /// The folders of data and caches.
    pub roots: Roots,
    /// What the call named it by, if that is how it was found: the next call has to do the same.
    pub named: Option<String>,
    /// What is odd about the configuration.
    pub warnings: Vec<String>,
}

impl Desk {
    /// The collections that the project and the user declare.
    pub(crate) fn members(&self) -> Result<Members, Failure> {
        Ok(members(self.project.as_ref(), self.global.as_ref())?)
    }
}
