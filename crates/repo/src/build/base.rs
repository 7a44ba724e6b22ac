//! What a build starts from: the current build, or that of another clone or work tree of the same repository.

use std::collections::HashMap;
use std::path::PathBuf;

use ai_assist_git::Repo;
use ai_assist_identity::{CanonicalPath, RepoId};
use ai_assist_index::{Reader, Versions};
use ai_assist_trigram::TrigramIndex;
use serde::{Deserialize, Serialize};

use super::db::{self, Head};
use super::{BuildError, Result};
use crate::layout::{GRAMS_DIR, Mode, RepoCache, SCHEMA_VERSION, SQLITE_DIR, StateFile};
use crate::pointer::read_pointer;
use crate::promote::{FILE_MODE, Hold};
use crate::repo_index::check_plain;
use crate::sums::check_all;
use ai_assist_base::{read_plain, replace_file};

/// Vectors of deleted chunks are carried along until they outnumber the living by this many; then the index is made anew.
const DEAD_ROWS: u64 = 10_000;

/// No description of a repository is larger.
const LARGEST: u64 = 64 << 10;

/// The contents of `repo.json`: which repository a cache is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepoFile {
    pub schema_version: u32,
    pub repo_id: RepoId,
    pub root: CanonicalPath,
    /// The folder that all its work trees share.
    pub common_dir: Option<CanonicalPath>,
    /// The first commit of its history.
    pub root_commit: Option<String>,
}

impl RepoFile {
    pub(crate) fn read(cache: &RepoCache) -> Option<Self> {
        let file = read_plain(&cache.repo_json(), LARGEST).ok()?;
        serde_json::from_slice(&file.bytes).ok()
    }

    /// What git says of a repository. The first commit is asked for once and kept: history has to be read for it.
    pub(super) fn look(cache: &RepoCache, repo_id: &RepoId, root: &CanonicalPath, git: Option<&Repo>) -> Self {
        let known = Self::read(cache);
        let common_dir = git.and_then(|git| git.common_dir().ok().flatten());
        let common_dir = common_dir.and_then(|path| CanonicalPath::from_absolute(&path).ok());
        let kept = known.filter(|known| known.root == *root && known.common_dir == common_dir);
        let root_commit = kept.and_then(|known| known.root_commit);
        let root_commit = root_commit.or_else(|| git.and_then(|git| git.root_commit().ok().flatten()));
        let (repo_id, root) = (repo_id.clone(), root.clone());
        RepoFile { schema_version: SCHEMA_VERSION, repo_id, root, common_dir, root_commit }
    }

    /// Writes it, unless it is there.
    pub(super) fn keep(&self, cache: &RepoCache) -> Result<()> {
        if Self::read(cache).as_ref() == Some(self) {
            return Ok(());
        }
        let path = cache.repo_json();
        let json = serde_json::to_vec_pretty(self).map_err(|error| BuildError::io("writing", &path)(error.into()))?;
        replace_file(&path, &json, FILE_MODE).map_err(BuildError::io("writing", &path))
    }

    fn is_same_repository(&self, other: &RepoFile) -> bool {
        let equal = |a: Option<&str>, b: Option<&str>| a.is_some() && a == b;
        equal(self.common_dir.as_ref().map(CanonicalPath::as_str), other.common_dir.as_ref().map(CanonicalPath::as_str))
            || equal(self.root_commit.as_deref(), other.root_commit.as_deref())
    }

    /// The caches of other clones and work trees of the repository, below the same cache root.
    pub(super) fn siblings(&self, cache: &RepoCache) -> Vec<(RepoId, RepoCache)> {
        let repos = cache.root.parent();
        let Some((repos, cache_root)) = repos.and_then(|repos| Some((repos, repos.parent()?))) else {
            return Vec::new();
        };
        let entries = std::fs::read_dir(repos).into_iter().flatten().flatten();
        let mut ids: Vec<RepoId> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        ids.sort_unstable();
        let sibling = |id: RepoId| {
            let cache = RepoCache::new(cache_root, &id);
            let file = RepoFile::read(&cache).filter(|file| id != self.repo_id && self.is_same_repository(file))?;
            (file.repo_id == id).then_some((id, cache))
        };
        ids.into_iter().filter_map(sibling).collect()
    }
}

/// An index to go on from.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) index_dir: PathBuf,
    pub(super) db: PathBuf,
    pub(super) state: StateFile,
    pub(super) documents: HashMap<String, Head>,
    pub(super) next_key: u64,
    pub(super) own: bool,
    /// Its build's folder.
    pub(super) build: PathBuf,
    /// Whether its files were compared with their sums.
    checked: bool,
    _hold: Hold,
}

impl Base {
    /// The current index of a mode in a cache. None if there is none, if it is damaged or of another version, or if more of
    /// it is dead than alive.
    ///
    /// Unless it is to be `quick`, every file is compared with its sum.
    pub(super) fn load(
        cache: &RepoCache,
        mode: Mode,
        versions: &Versions,
        dim: usize,
        own: bool,
        quick: bool,
    ) -> Option<Base> {
        let build = read_pointer(cache).index_root(mode)?.to_owned();
        let hold = Hold::take(&build).ok()??;
        check_plain(&build, mode).ok()?;
        if !quick {
            check_all(&build, mode).ok()?;
        }
        let index_dir = build.join(mode.index_dir());
        let db = build.join(SQLITE_DIR).join(mode.db_name());
        let state = StateFile::read(&index_dir).ok().filter(|state| state.is_of(mode, versions))?;
        let commit = Reader::open(&index_dir, versions, dim).ok()?.commit().clone();
        let (documents, next_key) = db::load(&db).ok()??;
        let (with_chunks, chunks) = totals(documents.values());
        let grams = TrigramIndex::open(&index_dir.join(GRAMS_DIR)).ok()?;
        let agrees = commit.documents == with_chunks && commit.chunks == chunks && grams.documents() == with_chunks;
        let mostly_dead = commit.rows > chunks * 2 + DEAD_ROWS;
        let base = Base { index_dir, db, state, documents, next_key, own, build, checked: !quick, _hold: hold };
        (agrees && !mostly_dead).then_some(base)
    }

    /// Says that its files are as they were written, before something is written that goes on from them.
    pub(super) fn check(&self) -> Result<()> {
        if self.checked { Ok(()) } else { check_all(&self.build, self.state.mode) }
    }
}

/// How many documents have chunks, and how many chunks.
pub(super) fn totals<'h>(heads: impl Iterator<Item = &'h Head>) -> (u64, u64) {
    heads.fold((0, 0), |(documents, chunks), head| (documents + u64::from(head.chunks > 0), chunks + head.chunks))
}
