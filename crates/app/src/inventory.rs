//! Everything in reach: what it is, how many documents it has, whether it is up to date, and the room it takes.

use std::path::Path;

use ai_assist_base::Cancel;
use ai_assist_collections::{DATABASE_FILE, DeclaredCollection, Member, Status};
use ai_assist_identity::CollectionKind;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::root::work_tree_top;
use ai_assist_repo::status::{Freshness, RepoStatus};
use serde::Serialize;

use crate::place::indexed_paths;
use crate::source::has_code;
use crate::{Locks, Project, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    Folder,
    Package,
    /// What the project depends on.
    Dependencies,
    Website,
    /// A collection that is made of categories alone.
    Collection,
    Category,
    Repository,
    WorkspaceRepository,
}

/// Whether an index is what its source holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryState {
    Current,
    Stale,
    NotIndexed,
    /// The source or the index can't be read.
    Error,
}

impl From<Status> for EntryState {
    fn from(status: Status) -> Self {
        match status {
            Status::Synced => EntryState::Current,
            Status::Stale => EntryState::Stale,
            Status::NotSynced => EntryState::NotIndexed,
            Status::Error => EntryState::Error,
        }
    }
}

/// Something that can be searched.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
    pub source: String,
    /// Whether it comes from the user's own configuration.
    pub global: bool,
    pub documents: u64,
    pub state: EntryState,
    /// What the state comes from, where that is worth a word.
    pub detail: Option<String>,
    /// When it was last indexed, RFC 3339.
    pub indexed_at: Option<String>,
    /// The room its index takes on the disk.
    pub bytes: u64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiskUse {
    pub what: &'static str,
    pub path: String,
    pub bytes: u64,
}

impl Project {
    /// Everything that can be searched from here: collections, categories, the repository, the others of the workspace.
    pub fn entries(&self, cancel: &Cancel) -> Result<Vec<Entry>> {
        let mut entries = self.collection_entries()?;
        let own = self.own_repo();
        if let Some(repo) = &own {
            entries.push(self.repo_entry(repo.name(), repo, EntryKind::Repository, cancel));
        }
        for (name, repo) in self.workspace_repos()? {
            if own.as_ref().is_none_or(|own| own.id != repo.id) {
                entries.push(self.repo_entry(&name, &repo, EntryKind::WorkspaceRepository, cancel));
            }
        }
        Ok(entries)
    }

    fn collection_entries(&self) -> Result<Vec<Entry>> {
        let members = self.members()?;
        if members.is_empty() {
            return Ok(Vec::new());
        }
        let library = self.library()?;
        let options = self.sync_options()?;
        let locks = Locks::load(self)?;
        let pinned = |member: &Member| locks.pinned(&options, member);
        let mut entries = Vec::new();
        for collection in members.collections() {
            let listed = library.collection_status(&members, collection, &pinned)?;
            let parts = members.members_of(collection);
            let bytes = parts.map(|member| folder_bytes(&library.index_folder(member.resolved.id()))).sum();
            entries.push(Entry {
                name: listed.name,
                kind: kind_of(collection),
                source: listed.source.into_iter().chain(listed.categories).collect::<Vec<_>>().join(" + "),
                global: listed.global,
                documents: listed.documents,
                state: listed.status.into(),
                detail: listed.detail,
                indexed_at: listed.last_sync_at,
                bytes,
            });
        }
        for member in members.iter().filter(|member| member.is_category) {
            let listed = library.status(member, &pinned(member))?;
            entries.push(Entry {
                name: listed.name,
                kind: EntryKind::Category,
                source: listed.source,
                global: listed.global,
                documents: listed.documents,
                state: listed.status.into(),
                detail: listed.detail,
                indexed_at: listed.last_sync_at,
                bytes: folder_bytes(&library.index_folder(member.resolved.id())),
            });
        }
        Ok(entries)
    }

    /// The project's own repository: one that git knows, a folder that was indexed as one, or that of a project with code.
    pub fn own_repo(&self) -> Option<LocalRepo> {
        let repo = self.repo().ok()?.local;
        let root = repo.root.to_path_buf();
        let is_one = work_tree_top(&root).is_some() || repo.cache.current_json().is_file();
        (is_one || (self.local.is_some() && has_code(&root))).then_some(repo)
    }

    fn repo_entry(&self, name: &str, repo: &LocalRepo, kind: EntryKind, cancel: &Cancel) -> Entry {
        let (state, detail, indexed_at) = match &self.index_status(repo, cancel) {
            Ok(found) => (repo_state(found), repo_detail(&found.freshness), found.built_at.clone()),
            Err(error) => (EntryState::Error, Some(ai_assist_base::chain(error)), None),
        };
        Entry {
            name: name.to_owned(),
            kind,
            source: repo.root.to_string(),
            global: false,
            documents: indexed_paths(repo).len() as u64,
            state,
            detail,
            indexed_at,
            bytes: folder_bytes(&repo.cache.root),
        }
    }

    /// The documents of one entry, by the names that other verbs take.
    pub fn entry_documents(&self, name: &str) -> Result<Vec<String>> {
        let members = self.members()?;
        if members.names().any(|known| known == name) {
            let heads = self.library()?.documents(&members, &[name.to_owned()])?;
            return Ok(heads.into_iter().map(|head| format!("{}/{}", head.collection, head.document)).collect());
        }
        if let Some(own) = self.own_repo().filter(|own| own.name() == name || own.id.as_str() == name) {
            return Ok(indexed_paths(&own));
        }
        let repos = self.workspace_repos()?;
        if let Some((alias, repo)) = repos.iter().find(|(alias, repo)| alias == name || repo.id.as_str() == name) {
            return Ok(indexed_paths(repo).into_iter().map(|path| format!("{alias}/{path}")).collect());
        }
        let own = self.own_repo().map(|own| own.name().to_owned());
        let known = members.names().map(str::to_owned).chain(own).chain(repos.into_iter().map(|(alias, _)| alias));
        let known: Vec<String> = known.collect();
        let nearest = ai_assist_base::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Err(ai_assist_collections::Error::UnknownCollection { name: name.to_owned(), nearest }.into())
    }

    pub fn disk_use(&self) -> Vec<DiskUse> {
        let (data, cache) = (&self.roots.data, &self.roots.cache);
        let of = |what, path: &Path| DiskUse { what, path: path.display().to_string(), bytes: folder_bytes(path) };
        let database = ["", "-wal", "-shm"].map(|ending| data.join(format!("{DATABASE_FILE}{ending}")));
        let mut uses = vec![DiskUse {
            what: "database",
            path: database[0].display().to_string(),
            bytes: database.iter().map(|file| folder_bytes(file)).sum(),
        }];
        uses.push(of("indexes of collections", &data.join("indexes")));
        uses.push(of("indexes of sessions", &data.join("session-indexes")));
        uses.push(of("indexes of repositories", &cache.join("repos")));
        uses.push(of("kept vectors", &cache.join("vectors")));
        uses.retain(|entry| entry.bytes > 0);
        let rest =
            (folder_bytes(data) + folder_bytes(cache)).saturating_sub(uses.iter().map(|entry| entry.bytes).sum());
        if rest > 0 {
            uses.push(DiskUse { what: "other caches", path: cache.display().to_string(), bytes: rest });
        }
        uses
    }
}

fn kind_of(collection: &DeclaredCollection) -> EntryKind {
    match collection.declaration.source.as_ref().map(|source| source.kind()) {
        Some(CollectionKind::File) => EntryKind::Folder,
        Some(CollectionKind::Pkg) => EntryKind::Package,
        Some(CollectionKind::Dep) => EntryKind::Dependencies,
        Some(CollectionKind::Site) => EntryKind::Website,
        None => EntryKind::Collection,
    }
}

fn repo_state(status: &RepoStatus) -> EntryState {
    match status.freshness {
        Freshness::Current => EntryState::Current,
        Freshness::Stale { .. } => EntryState::Stale,
        Freshness::Missing => EntryState::NotIndexed,
        Freshness::Broken { .. } => EntryState::Error,
    }
}

fn repo_detail(freshness: &Freshness) -> Option<String> {
    match freshness {
        Freshness::Current | Freshness::Missing => None,
        Freshness::Broken { reason } => Some(reason.clone()),
        Freshness::Stale { added, changed, removed, .. } => match (added, changed, removed) {
            (0, 0, 0) => None,
            _ => Some(format!("{added} new, {changed} changed, {removed} removed")),
        },
    }
}

/// How many bytes the files below a folder have, or a file. What can't be read counts nothing.
pub(crate) fn folder_bytes(path: &Path) -> u64 {
    let Ok(metadata) = path.symlink_metadata() else { return 0 };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| folder_bytes(&entry.path())).sum()
}
