//! A repository of this machine: where it begins, who it is, where its builds are.

use std::path::Path;

use ai_assist_admit::Limits;
use ai_assist_identity::{CanonicalPath, RepoId};

use crate::build::BuildRequest;
use crate::layout::{Mode, RepoCache};
use crate::lookup::Place;
use crate::repo_config::{BuildCaches, RepoConfigError};
use crate::root::{RootError, canonical_root, work_tree_top};

#[derive(Debug, Clone)]
pub struct LocalRepo {
    pub root: CanonicalPath,
    pub id: RepoId,
    pub cache: RepoCache,
}

#[derive(Debug, thiserror::Error)]
pub enum LocalRepoError {
    #[error(transparent)]
    Root(#[from] RootError),
    #[error(transparent)]
    Config(#[from] RepoConfigError),
}

impl LocalRepo {
    pub fn around(folder: &Path, caches: &BuildCaches) -> Result<Self, LocalRepoError> {
        Self::at(canonical_root(folder, &work_tree_top)?, caches)
    }

    pub fn at(root: CanonicalPath, caches: &BuildCaches) -> Result<Self, LocalRepoError> {
        let cache = caches.of(&root)?;
        Ok(LocalRepo { id: RepoId::of(&root), cache, root })
    }

    /// One of several: if it says something wrong about itself its builds are in the shared cache, and the others work.
    pub fn of_several(root: CanonicalPath, caches: &BuildCaches) -> Self {
        let id = RepoId::of(&root);
        let cache = caches.of(&root).unwrap_or_else(|_| RepoCache::new(&caches.shared, &id));
        LocalRepo { id, cache, root }
    }

    /// What people call it: the name of its folder.
    pub fn name(&self) -> &str {
        self.root.file_name().unwrap_or(self.root.as_str())
    }

    pub fn place(&self) -> Place<'_> {
        Place { name: self.name(), cache: &self.cache }
    }

    /// A build of some of its modes, what it works out is kept for others.
    pub fn request(&self, modes: Vec<Mode>, cache_root: &Path, limits: Limits, force: bool) -> BuildRequest {
        BuildRequest {
            root: self.root.clone(),
            repo_id: self.id.clone(),
            cache: self.cache.clone(),
            modes,
            shared_cache: Some(cache_root.to_owned()),
            limits,
            force,
            quick: false,
        }
    }
}
