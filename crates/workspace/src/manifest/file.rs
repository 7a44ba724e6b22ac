use std::io;
use std::path::{Path, PathBuf};

use ai_assist_identity::{CanonicalPath, JcsError, PathError, RepoId, RepoSetId, jcs};
use serde::Deserialize;

use super::hash::manifest_hash;
use super::types::{ManifestHash, WorkspaceManifest};
use super::validate::{Violation, violations};
use crate::schema::MANIFEST_SCHEMA;
use ai_assist_base::strict_json;
use ai_assist_base::{read_plain, replace_file};

pub const MANIFEST_FILE: &str = "workspace_manifest.json";
/// The manifest of ten thousand repositories has a third of this.
const MAX_BYTES: u64 = 256 << 20;
const FILE_MODE: u32 = 0o600;

#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("{} and {} have the same id {repo_id}", roots[0], roots[1])]
    DuplicateRepo { repo_id: RepoId, roots: [CanonicalPath; 2] },
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("{what} {} failed", path.display())]
    Io {
        what: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the manifest {} can't be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("the manifest {} breaks its schema: {}", path.display(), listed(violations))]
    Invalid { path: PathBuf, violations: Vec<Violation> },
    #[error(transparent)]
    Json(#[from] JcsError),
}

fn listed(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// A manifest that is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub path: PathBuf,
    pub hash: ManifestHash,
    /// Whether the file had to be written. One that says the same, but for when it was made, is left alone.
    pub changed: bool,
}

/// Where the manifest of a set of repositories is.
pub fn manifest_path(federation_cache_root: &Path, repo_set_id: &RepoSetId) -> PathBuf {
    set_folder(federation_cache_root, repo_set_id).join(MANIFEST_FILE)
}

/// Where everything about a set of repositories is.
pub(super) fn set_folder(federation_cache_root: &Path, repo_set_id: &RepoSetId) -> PathBuf {
    federation_cache_root.join("federation").join(repo_set_id.as_str())
}

/// Writes a manifest to its place: checked by the schema, whole, and only if it says something new.
pub fn write_manifest(manifest: &WorkspaceManifest) -> Result<Written, ManifestError> {
    let path = manifest_path(&manifest.federation_cache_root.to_path_buf(), &manifest.repo_set_id);
    let hash = manifest_hash(manifest)?;
    let written = |changed| Written { path: path.clone(), hash: hash.clone(), changed };
    if is_on_disk(&path, manifest)? {
        return Ok(written(false));
    }
    let unreadable = |reason: String| ManifestError::Unreadable { path: path.clone(), reason };
    let value = serde_json::to_value(manifest).map_err(|error| unreadable(error.to_string()))?;
    valid(&path, &value)?;
    consistent(manifest).map_err(unreadable)?;
    let failed = |source| ManifestError::Io { what: "writing", path: path.clone(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    replace_file(&path, &jcs::to_vec(manifest)?, FILE_MODE).map_err(failed)?;
    Ok(written(true))
}

/// Whether the file is what would be written, had it been made at the same time.
fn is_on_disk(path: &Path, manifest: &WorkspaceManifest) -> Result<bool, ManifestError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct When {
        generated_at: String,
    }
    let Ok(file) = read_plain(path, MAX_BYTES) else { return Ok(false) };
    let Ok(When { generated_at }) = serde_json::from_slice(&file.bytes) else { return Ok(false) };
    Ok(jcs::to_vec(&WorkspaceManifest { generated_at, ..manifest.clone() })? == file.bytes)
}

pub fn read_manifest(path: &Path) -> Result<WorkspaceManifest, ManifestError> {
    let unreadable = |reason: String| ManifestError::Unreadable { path: path.to_owned(), reason };
    let file = read_plain(path, MAX_BYTES).map_err(|error| unreadable(error.to_string()))?;
    let value = strict_json::from_slice(&file.bytes).map_err(|error| unreadable(error.to_string()))?;
    valid(path, &value)?;
    let manifest: WorkspaceManifest = serde_json::from_value(value).map_err(|error| unreadable(error.to_string()))?;
    consistent(&manifest).map_err(unreadable)?;
    Ok(manifest)
}

fn valid(path: &Path, value: &serde_json::Value) -> Result<(), ManifestError> {
    let violations = violations(&MANIFEST_SCHEMA, value);
    if violations.is_empty() { Ok(()) } else { Err(ManifestError::Invalid { path: path.to_owned(), violations }) }
}

fn consistent(manifest: &WorkspaceManifest) -> Result<(), String> {
    if let Some(pair) = manifest.repos.windows(2).find(|pair| pair[0].repo_id >= pair[1].repo_id) {
        return Err(format!("/repos: {} does not come before {}", pair[0].repo_id, pair[1].repo_id));
    }
    if let Some(repo) = manifest.repos.iter().find(|repo| repo.repo_id != RepoId::of(&repo.repo_root_canonical)) {
        return Err(format!("/repos: {} is not the id of {}", repo.repo_id, repo.repo_root_canonical));
    }
    let members: Vec<_> =
        manifest.repos.iter().map(|repo| (repo.repo_id.clone(), repo.repo_root_canonical.clone())).collect();
    if RepoSetId::of(&members) != manifest.repo_set_id {
        return Err("/repoSetId: it is not the id of the repos".to_owned());
    }
    let odd = |repo: &&super::RepoEntry| repo.indexes.iter().any(|(mode, index)| index.mode != mode);
    if let Some(repo) = manifest.repos.iter().find(odd) {
        return Err(format!("/repos: an index of {} is under the name of another mode", repo.repo_id));
    }
    match manifest_hash(manifest) {
        Ok(hash) if hash == manifest.manifest_hash => Ok(()),
        Ok(hash) => Err(format!("/manifestHash: it is not the hash of what the manifest says, {hash}")),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
