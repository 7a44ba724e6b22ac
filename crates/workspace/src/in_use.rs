//! What the manifests of a cache say is still needed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ai_assist_base::replace_file;
use ai_assist_identity::{RepoId, Sha256};
use ai_assist_repo::build::Result;
use ai_assist_repo::promote::remove_dir;
use serde::Serialize;

use crate::manifest::{MANIFEST_FILE, WorkspaceManifest, read_manifest};

/// Where it is noted which manifests lie outside of the machine's cache.
const ELSEWHERE: &str = "federation-elsewhere";

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

/// The manifests of a machine that can be read, with their folders: those below its cache root, and those that workspaces keep in
/// a cache of their own.
fn manifests(cache_root: &Path) -> impl Iterator<Item = (PathBuf, WorkspaceManifest)> {
    let below = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let noted = below(cache_root.join(ELSEWHERE)).filter_map(|note| {
        let text = std::fs::read_to_string(note.path()).ok()?;
        Some(PathBuf::from(text))
    });
    let folders = below(cache_root.join("federation")).map(|set| set.path()).chain(noted);
    folders.filter_map(|folder| Some((folder.clone(), read_manifest(&folder.join(MANIFEST_FILE)).ok()?)))
}

/// Notes in the machine's cache that a manifest lies in a workspace's own, so that what it names is known to be in use.
pub fn note_elsewhere(cache_root: &Path, manifest: &Path) -> std::io::Result<()> {
    let folder = manifest.parent().unwrap_or(manifest);
    let Some(text) = folder.to_str().filter(|_| !folder.starts_with(cache_root)) else { return Ok(()) };
    let note = cache_root.join(ELSEWHERE).join(&Sha256::of(text.as_bytes()).hex()[..32]);
    if note.is_file() {
        return Ok(());
    }
    std::fs::create_dir_all(cache_root.join(ELSEWHERE))?;
    replace_file(&note, text.as_bytes(), 0o600)
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
