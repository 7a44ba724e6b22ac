//! Looking at files as a session may.

use std::path::{Path, PathBuf};

use super::Session;
use super::files::real;
use crate::file_reader::{FileReader, ReadOutcome};
use crate::object::FilesystemSource;
use crate::resolver::{FilesystemResolver, ResolvedPath};

/// What is needed to look at files, to be used from any thread.
#[derive(Debug, Clone)]
pub(crate) struct Looker {
    eyes: FileReader,
    resolver: FilesystemResolver,
    reach: Option<PathBuf>,
    /// Folders of the agent that files hang on: the session's own, and the ends of mounts.
    anchors: Vec<PathBuf>,
}

impl Session {
    pub(crate) fn looker(&self) -> Looker {
        let folder = self.about.folder.iter().map(PathBuf::from);
        let mounts = self.about.mounts.iter().map(|mount| mount.agent_prefix.clone());
        Looker {
            eyes: self.file_reader(),
            resolver: self.resolver.clone(),
            reach: self.reach.clone(),
            anchors: folder.chain(mounts).collect(),
        }
    }
}

impl Looker {
    /// What can be seen of a file from here. A file on a disk that is not there is not gone.
    pub(crate) fn look(&self, source: &FilesystemSource) -> ReadOutcome {
        let away = |why: &str| ReadOutcome::Unreachable(why.to_owned());
        let path = source.to_path_buf();
        let agent = self.resolver.reverse_resolve(&path, &source.filesystem_id);
        let leads_there = |there: ResolvedPath| there.watchable && there.filesystem_id == source.filesystem_id;
        if !self.resolver.resolve(&agent).is_ok_and(leads_there) {
            return away("no mount leads to it from here");
        }
        // Paths are kept with their links resolved: a link that has taken the place of the file, or of a folder above it, leads
        // to something else, which has its own name and its own rules.
        if real(&path) != path {
            return away("a link has taken its place");
        }
        if self.reach.as_ref().is_some_and(|root| !path.starts_with(root)) {
            return away("it lies outside");
        }
        match self.eyes.look(&path) {
            ReadOutcome::Missing if self.is_cut_off(&agent) => away("its disk is not there"),
            sight => sight,
        }
    }

    fn is_cut_off(&self, agent: &Path) -> bool {
        let is_away = |folder: &Path| self.resolver.resolve(folder).is_ok_and(|there| !there.canonical_path.is_dir());
        self.anchors.iter().any(|folder| agent.starts_with(folder) && is_away(folder))
    }
}
