//! The folders on this machine: the database, an index for each collection, the cache of vectors.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::{CollectionId, Sha256};
use ai_assist_index::{Reader, VectorCache, Versions};
use ai_assist_store::{SqliteStore, Store};

use crate::texts::StoredTexts;
use crate::{Error, Result};
use ai_assist_base::{FileLock, platform};

/// The database's file name in the data folder.
pub const DATABASE_FILE: &str = "assist.db";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// What must not be lost.
    pub data: PathBuf,
    pub cache: PathBuf,
}

/// Everything that is indexed on this machine.
pub struct Library {
    roots: Roots,
    /// Before the store, because fields are dropped in this order. Only a connection that writes removes the write-ahead log when it is
    /// closed, and only if it is the last one.
    texts: Arc<StoredTexts>,
    store: SqliteStore,
    embedder: &'static dyn Embedder,
    versions: Versions,
    /// Which file the database is.
    file: Option<(u64, u64)>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("roots", &self.roots).finish_non_exhaustive()
    }
}

impl Library {
    pub fn open(roots: &Roots) -> Result<Self> {
        let store = SqliteStore::open_or_read(&roots.data.join(DATABASE_FILE))?;
        let embedder: &'static dyn Embedder = StaticModel::bundled();
        let texts = Arc::new(StoredTexts::new(store.path()));
        let file = file_at(store.path());
        let versions = Versions::current(embedder.model());
        Ok(Library { roots: roots.clone(), texts, store, embedder, versions, file })
    }

    /// Whether the database is still the file that was opened: it may have been removed, or made anew by a repair.
    pub fn is_current(&self) -> bool {
        self.file == file_at(self.store.path())
    }

    /// Closes connections that only many threads at once need. For one that is kept open and not in use.
    pub fn rest(&self) {
        self.texts.rest();
    }

    pub fn store(&self) -> &dyn Store {
        &self.store
    }

    pub(crate) fn store_mut(&mut self) -> &mut dyn Store {
        &mut self.store
    }

    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    pub fn embedder(&self) -> &'static dyn Embedder {
        self.embedder
    }

    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Opens a collection's index as it is.
    pub fn open_index(&self, id: &CollectionId) -> ai_assist_index::Result<Reader> {
        let reader = Reader::open(&self.index_folder(id), &self.versions, self.embedder.dim())?;
        Ok(reader.with_texts(self.texts.clone()))
    }

    pub fn index_folder(&self, id: &CollectionId) -> PathBuf {
        let name = Sha256::of(id.as_str().as_bytes()).hex();
        self.roots.data.join("indexes").join(&name[..32])
    }

    pub(crate) fn indexes_folder(&self) -> PathBuf {
        self.roots.data.join("indexes")
    }

    /// The lock that one sync of a collection holds from beginning to end, beside the index's folder, so that dropping the
    /// index does not drop the lock.
    fn sync_lock(&self, id: &CollectionId) -> PathBuf {
        let name = Sha256::of(id.as_str().as_bytes()).hex();
        self.roots.data.join("locks").join(format!("sync-{}.lock", &name[..32]))
    }

    /// Takes the lock, waiting while `go_on` says so.
    pub(crate) fn lock_sync(&self, id: &CollectionId, go_on: impl FnMut() -> bool) -> Result<FileLock> {
        let path = self.sync_lock(id);
        FileLock::take_while(&path, go_on).map_err(Error::io("locking", &path))?.ok_or(Error::Cancelled)
    }

    pub(crate) fn try_lock_sync(&self, id: &CollectionId) -> Result<Option<FileLock>> {
        let path = self.sync_lock(id);
        FileLock::try_take(&path).map_err(Error::io("locking", &path))
    }

    pub(crate) fn vector_cache(&self) -> Result<VectorCache> {
        let folder = self.roots.cache.join("vectors");
        Ok(VectorCache::open(&folder, self.embedder.model(), self.embedder.dim(), VectorCache::DEFAULT_CAP)?)
    }

    /// Forgets a collection: its documents, chunks and index. False if there was none.
    pub fn drop_collection(&mut self, id: &CollectionId) -> Result<bool> {
        let _lock = self.lock_sync(id, || true)?;
        let dropped = self.store.drop_collection(id)?;
        let folder = self.index_folder(id);
        match std::fs::remove_dir_all(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io("removing", &folder)(error)),
        }
        Ok(dropped)
    }
}

fn file_at(path: &Path) -> Option<(u64, u64)> {
    platform::lstat(path).ok().map(|stat| platform::identity(&stat))
}
