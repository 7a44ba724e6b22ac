//! Taking away what nobody uses in a whole cache: builds of every repository, and all that is left of repositories that are
//! gone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ai_assist_base::Cancel;
use ai_assist_identity::RepoId;
use serde::Serialize;

use crate::build::{BuildError, RepoFile, Result};
use crate::gc::{GcReport, gc};
use crate::layout::RepoCache;
use crate::manifest::{MANIFEST_FILE, WorkspaceManifest, read_manifest};
use crate::promote::{builder_lock, remove_dir};

/// What was removed of a repository, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    /// The repository.
    pub repo_id: RepoId,
    /// Its folder, if its cache says so.
    pub root: Option<String>,
    /// Whether that folder is gone: then nothing of it is needed.
    pub gone: bool,
    /// Its builds.
    #[serde(flatten)]
    pub report: GcReport,
}

/// A workspace whose file is gone: its manifest and the answers that were kept are of no use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GoneWorkspace {
    pub repo_set_id: String,
    pub file: String,
}

/// The workspaces with a manifest below a cache root whose files are gone. Unless it is a dry run, what is kept of them is
/// removed.
pub fn gone_workspaces(cache_root: &Path, dry_run: bool) -> Result<Vec<GoneWorkspace>> {
    let mut gone = Vec::new();
    for (folder, manifest) in manifests(cache_root) {
        let file = manifest.workspace.workspace_path;
        if file.to_path_buf().symlink_metadata().is_ok() {
            continue;
        }
        if !dry_run {
            remove_dir(&folder)?;
        }
        gone.push(GoneWorkspace { repo_set_id: manifest.repo_set_id.to_string(), file: file.to_string() });
    }
    gone.sort_by(|a, b| a.repo_set_id.cmp(&b.repo_set_id));
    Ok(gone)
}

/// The manifests below a cache root that can be read, with their folders.
fn manifests(cache_root: &Path) -> impl Iterator<Item = (PathBuf, WorkspaceManifest)> {
    let sets = std::fs::read_dir(cache_root.join("federation")).into_iter().flatten().flatten();
    sets.filter_map(|set| Some((set.path(), read_manifest(&set.path().join(MANIFEST_FILE)).ok()?)))
}

/// The builds that manifests below a cache root name, by repository. A manifest that can't be read names none.
pub fn named_by_manifests(cache_root: &Path) -> BTreeMap<RepoId, BTreeSet<String>> {
    let mut named: BTreeMap<RepoId, BTreeSet<String>> = BTreeMap::new();
    for (_, manifest) in manifests(cache_root) {
        for repo in manifest.repos {
            let roots = repo.build.build_root.iter().chain(repo.build.build_roots.values());
            let builds = roots.filter_map(|root| root.file_name().map(str::to_owned));
            named.entry(repo.repo_id.clone()).or_default().extend(builds.chain(repo.build.build_id.clone()));
        }
    }
    named
}

/// Looks through every repository of a cache root.
pub fn prune(cache_root: &Path, dry_run: bool, cancel: &Cancel) -> Result<Vec<Pruned>> {
    let named = named_by_manifests(cache_root);
    let entries = std::fs::read_dir(cache_root.join("repos")).into_iter().flatten().flatten();
    let mut ids: Vec<RepoId> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    ids.sort_unstable();
    let mut swept = Vec::new();
    for repo_id in ids {
        if cancel.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        let cache = RepoCache::new(cache_root, &repo_id);
        let file = RepoFile::read(&cache).filter(|file| file.repo_id == repo_id);
        let gone = file.as_ref().is_some_and(|file| !file.root.to_path_buf().is_dir());
        let in_use = named.get(&repo_id).cloned().unwrap_or_default();
        let report = if gone { forget(&cache, dry_run, cancel)? } else { gc(&cache, &in_use, dry_run, cancel)? };
        swept.push(Pruned { repo_id, root: file.map(|file| file.root.to_string()), gone, report });
    }
    Ok(swept)
}

/// Removes all of a repository's cache, but for builds that are being read.
fn forget(cache: &RepoCache, dry_run: bool, cancel: &Cancel) -> Result<GcReport> {
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
        remove_dir(cache.root())?;
    }
    Ok(report)
}
