//! Taking away what nothing uses any more, of everything that is kept.

use std::path::PathBuf;

use ai_assist_base::Cancel;
use ai_assist_repo::gc::gc;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::prune::{Pruned, prune};
use ai_assist_session::gc::{GcCounts, Unwanted, collect, plan};
use ai_assist_session::summaries;
use ai_assist_store::objects::{Forgotten, Moment};
use ai_assist_workspace::in_use::{GoneWorkspace, gone_workspaces, named_by_manifests};
use serde::Serialize;

use crate::inventory::folder_bytes;
use crate::{Error, Project, Result};

/// What is to go, beyond what nothing can use.
#[derive(Debug, Clone, Default)]
pub struct CleanOptions {
    pub dry_run: bool,
    /// Sessions that were not changed since then.
    pub sessions_before: Option<Moment>,
}

/// What was removed, or would be.
#[derive(Debug, Default)]
pub struct Cleaned {
    pub builds: Vec<Pruned>,
    pub workspaces: Vec<GoneWorkspace>,
    pub collections: Vec<DeadCollection>,
    pub sessions: GcCounts,
    pub forgotten: Forgotten,
    /// Folders with indexes of collections and sessions that are not there any more.
    pub folders: Vec<PathBuf>,
    pub freed_bytes: u64,
}

/// A collection whose folder is gone, or a state of a package that nobody reads.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeadCollection {
    pub id: String,
    pub path: String,
}

impl Project {
    /// Removes the builds of one repository that nothing uses.
    pub fn clean_builds_of(&self, repo: &LocalRepo, dry_run: bool, cancel: &Cancel) -> Result<Pruned> {
        let in_use = named_by_manifests(&self.roots.cache).remove(&repo.id).unwrap_or_default();
        let report = gc(&repo.cache, &in_use, dry_run, cancel)?;
        Ok(Pruned { repo_id: repo.id.clone(), root: Some(repo.root.to_string()), gone: false, report })
    }

    /// The same of every repository, and of workspaces that are gone.
    pub fn clean_builds(&self, dry_run: bool, cancel: &Cancel) -> Result<(Vec<Pruned>, Vec<GoneWorkspace>)> {
        let cache = &self.roots.cache;
        // First, because the manifest of a workspace that is gone holds builds.
        let workspaces = gone_workspaces(cache, dry_run)?;
        Ok((prune(cache, &named_by_manifests(cache), dry_run, cancel)?, workspaces))
    }

    /// Removes old builds, what is left of repositories and workspaces that are gone, collections whose folder is gone and that
    /// nothing here declares, sessions that are too old, and indexes without an owner.
    pub fn clean(&self, options: &CleanOptions, cancel: &Cancel) -> Result<Cleaned> {
        let dry_run = options.dry_run;
        let (builds, workspaces) = self.clean_builds(dry_run, cancel)?;
        let mut cleaned = Cleaned { workspaces, ..Cleaned::default() };
        cleaned.freed_bytes = builds.iter().map(|it| it.report.freed_bytes).sum();
        cleaned.builds = builds.into_iter().filter(|it| !it.report.removed.is_empty()).collect();
        self.clean_sessions(options, &mut cleaned)?;
        self.clean_collections(dry_run, &mut cleaned)?;
        self.clean_folders(dry_run, &mut cleaned)?;
        Ok(cleaned)
    }

    fn clean_sessions(&self, options: &CleanOptions, cleaned: &mut Cleaned) -> Result<()> {
        let mut objects = self.objects()?;
        let unwanted = Unwanted { names: Vec::new(), before: options.sessions_before };
        if options.dry_run {
            cleaned.sessions = plan(&objects, &unwanted)?;
        } else {
            (cleaned.sessions, cleaned.forgotten) = collect(&mut objects, &unwanted)?;
            cleaned.freed_bytes += cleaned.forgotten.bytes;
        }
        Ok(())
    }

    /// Another project may declare what this one does not, so only what has no source any more goes.
    fn clean_collections(&self, dry_run: bool, cleaned: &mut Cleaned) -> Result<()> {
        let members = self.members()?;
        let mut library = self.library()?;
        for record in library.store().collections().map_err(ai_assist_collections::Error::from)? {
            // A state of a package that nobody reads any more, or documents whose folder is gone.
            let is_state = record.id.as_str() != record.id.base();
            let Some(path) = record.path.or(record.url.filter(|_| is_state)) else { continue };
            let is_declared = members.iter().any(|member| *member.resolved.id() == record.id);
            if is_declared || PathBuf::from(&path).is_dir() || is_state && !library.readers_of(&record.id)?.is_empty() {
                continue;
            }
            cleaned.freed_bytes += folder_bytes(&library.index_folder(&record.id));
            if !dry_run {
                library.drop_collection(&record.id)?;
            }
            cleaned.collections.push(DeadCollection { id: record.id.to_string(), path });
        }
        Ok(())
    }

    fn clean_folders(&self, dry_run: bool, cleaned: &mut Cleaned) -> Result<()> {
        let library = self.library()?;
        let records = library.store().collections().map_err(ai_assist_collections::Error::from)?;
        let mut used: Vec<PathBuf> = records.iter().map(|record| library.index_folder(&record.id)).collect();
        used.extend(summaries(&self.objects()?)?.iter().map(|session| self.session_index(&session.name)));
        for parent in ["indexes", "session-indexes"] {
            let entries = std::fs::read_dir(self.roots.data.join(parent)).into_iter().flatten().flatten();
            for folder in entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !used.contains(path)) {
                cleaned.freed_bytes += folder_bytes(&folder);
                if !dry_run {
                    let io = |source| Error::Io { action: "removing", path: folder.clone(), source };
                    std::fs::remove_dir_all(&folder).map_err(io)?;
                }
                cleaned.folders.push(folder);
            }
        }
        cleaned.folders.sort();
        Ok(())
    }
}
