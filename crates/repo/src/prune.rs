//! Taking away what nobody uses in a whole cache: builds of every repository, and all that is left of repositories that are
//! gone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ai_assist_base::Cancel;
use ai_assist_identity::RepoId;
use serde::Serialize;

use crate::build::{BuildError, RepoFile, Result};
use crate::gc::{GcReport, gc};
use crate::layout::{CACHES_DIR, RepoCache};
use crate::promote::{builder_lock, remove_dir};

/// What was removed of a repository, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    pub repo_id: RepoId,
    /// Its folder, if its cache says so.
    pub root: Option<String>,
    /// Whether that folder is gone: then nothing of it is needed.
    pub gone: bool,
    #[serde(flatten)]
    pub report: GcReport,
}

/// The repositories of a cache root, with what their caches say of them.
pub fn known_repos(cache_root: &Path) -> Vec<(RepoId, RepoCache, Option<RepoFile>)> {
    let entries = std::fs::read_dir(cache_root.join(CACHES_DIR)).into_iter().flatten().flatten();
    let mut ids: Vec<RepoId> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    ids.sort_unstable();
    let known = |repo_id: RepoId| {
        let cache = RepoCache::new(cache_root, &repo_id);
        let file = RepoFile::read(&cache).filter(|file| file.repo_id == repo_id);
        (repo_id, cache, file)
    };
    ids.into_iter().map(known).collect()
}

/// Looks through every repository of a cache root. The builds that are `named` stay.
pub fn prune(
    cache_root: &Path,
    named: &BTreeMap<RepoId, BTreeSet<String>>,
    dry_run: bool,
    cancel: &Cancel,
) -> Result<Vec<Pruned>> {
    let mut swept = Vec::new();
    for (repo_id, cache, file) in known_repos(cache_root) {
        if cancel.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        let gone = file.as_ref().is_some_and(|file| !file.root.to_path_buf().is_dir());
        let in_use = named.get(&repo_id).cloned().unwrap_or_default();
        let report = if gone { forget(&cache, dry_run, cancel)? } else { gc(&cache, &in_use, dry_run, cancel)? };
        swept.push(Pruned { repo_id, root: file.map(|file| file.root.to_string()), gone, report });
    }
    Ok(swept)
}

/// Removes all of a repository's cache, but for builds that are being read.
pub fn forget(cache: &RepoCache, dry_run: bool, cancel: &Cancel) -> Result<GcReport> {
    if dry_run {
        let mut report = gc(cache, &BTreeSet::new(), true, cancel)?;
        let current = report.kept.extract_if(.., |(_, why)| *why == crate::gc::Use::Pointer);
        let current: Vec<String> = current.map(|(build, _)| build).collect();
        report.removed.extend(current);
        return Ok(report);
    }
    {
        let _lock = builder_lock(cache, || !cancel.is_cancelled())?;
        let pointer = cache.current_json();
        match std::fs::remove_file(&pointer) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(BuildError::io("removing", &pointer)(error));
            }
            _ => {}
        }
    }
    let report = gc(cache, &BTreeSet::new(), false, cancel)?;
    if report.kept.is_empty() {
        remove_dir(&cache.root)?;
    }
    Ok(report)
}
