//! What of a manifest counts: the state of its indexes, and nothing that is only shown.

use std::collections::BTreeMap;

use ai_assist_identity::{JcsError, RepoSetId, jcs};
use ai_assist_repo::layout::{Mode, SCHEMA_VERSION};
use serde_json::{Value, json};

use super::types::{DbEntry, IndexEntry, ManifestHash, RepoEntry, WorkspaceManifest};

/// The hash of a manifest's state, by its fields. Neither the order of `repos` nor what its field `manifestHash` says counts.
pub fn manifest_hash(manifest: &WorkspaceManifest) -> Result<ManifestHash, JcsError> {
    core_hash(&manifest.repo_set_id, &manifest.repos)
}

pub(super) fn core_hash(repo_set_id: &RepoSetId, repos: &[RepoEntry]) -> Result<ManifestHash, JcsError> {
    let mut repos: Vec<&RepoEntry> = repos.iter().collect();
    repos.sort_by_key(|repo| &repo.repo_id);
    let repos: Vec<Value> = repos.into_iter().map(core_repo).collect();
    let core = json!({ "v": 1, "schemaVersion": SCHEMA_VERSION, "repoSetId": repo_set_id, "repos": repos });
    Ok(ManifestHash::of(&jcs::to_vec(&core)?))
}

fn core_repo(repo: &RepoEntry) -> Value {
    let index = |index: &IndexEntry| {
        json!({
            "present": index.present,
            "indexSignatureHash": index.index_signature_hash,
            "cohortKey": index.cohort_key,
            "compatibilityKey": index.compatibility_key,
            "availabilityReason": index.availability_reason,
        })
    };
    let db = |db: &DbEntry| json!({ "present": db.present, "fileSignature": db.file_signature });
    json!({
        "repoId": repo.repo_id,
        "repoRootCanonical": repo.repo_root_canonical,
        "repoCacheRoot": repo.repo_cache_root,
        "build": {
            "buildId": repo.build.build_id,
            "currentJsonMtimeMs": repo.build.current_json_mtime_ms,
            "buildRoots": repo.build.build_roots,
        },
        "indexes": repo.indexes.iter().map(|(mode, entry)| (mode, index(entry))).collect::<BTreeMap<Mode, Value>>(),
        "sqlite": repo.sqlite.dbs.iter().map(|(mode, entry)| (mode, db(entry))).collect::<BTreeMap<Mode, Value>>(),
    })
}
