//! What the manifests of a cache say is still needed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ai_assist_identity::RepoId;
use ai_assist_repo::build::Result;
use ai_assist_repo::promote::remove_dir;
use serde::Serialize;

use crate::manifest::{MANIFEST_FILE, WorkspaceManifest, read_manifest};

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

/// The manifests below a cache root that can't be read, by their folders, and why. What is in such a folder can be made anew.
pub fn damaged_manifests(cache_root: &Path) -> Vec<(PathBuf, String)> {
    let sets = std::fs::read_dir(cache_root.join("federation")).into_iter().flatten().flatten();
    let damaged = |folder: PathBuf| {
        let file = folder.join(MANIFEST_FILE);
        let error = if file.symlink_metadata().is_ok() { read_manifest(&file).err()? } else { return None };
        Some((folder, ai_assist_base::chain(&error)))
    };
    sets.filter_map(|set| damaged(set.path())).collect()
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
