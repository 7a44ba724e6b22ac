//! What of a manifest counts: the state of its indexes, and nothing that is only shown.

use std::collections::BTreeMap;

use ai_assist_identity::{CanonicalPath, JcsError, RepoId, RepoSetId, jcs};
use serde::Serialize;

use super::types::{Availability, ManifestHash, RepoEntry, WorkspaceManifest};
use ai_assist_repo::layout::{Mode, SCHEMA_VERSION};
use ai_assist_repo::signature::IndexSignature;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Core<'m> {
    v: u32,
    schema_version: u32,
    repo_set_id: &'m RepoSetId,
    repos: Vec<CoreRepo<'m>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CoreRepo<'m> {
    repo_id: &'m RepoId,
    repo_root_canonical: &'m CanonicalPath,
    repo_cache_root: &'m CanonicalPath,
    build: CoreBuild<'m>,
    indexes: BTreeMap<Mode, CoreIndex<'m>>,
    sqlite: BTreeMap<Mode, CoreDb<'m>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CoreBuild<'m> {
    build_id: Option<&'m str>,
    current_json_mtime_ms: Option<f64>,
    build_roots: &'m BTreeMap<Mode, CanonicalPath>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CoreIndex<'m> {
    present: bool,
    index_signature_hash: Option<&'m IndexSignature>,
    cohort_key: Option<&'m str>,
    compatibility_key: Option<&'m str>,
    availability_reason: Availability,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CoreDb<'m> {
    present: bool,
    file_signature: Option<&'m str>,
}

/// The hash of a manifest's state, by its fields. Neither the order of `repos` nor what its field `manifestHash` says counts.
pub fn manifest_hash(manifest: &WorkspaceManifest) -> Result<ManifestHash, JcsError> {
    core_hash(&manifest.repo_set_id, &manifest.repos)
}

pub(super) fn core_hash(repo_set_id: &RepoSetId, repos: &[RepoEntry]) -> Result<ManifestHash, JcsError> {
    let mut repos: Vec<CoreRepo<'_>> = repos.iter().map(core_repo).collect();
    repos.sort_by_key(|repo| repo.repo_id);
    let core = Core { v: 1, schema_version: SCHEMA_VERSION, repo_set_id, repos };
    Ok(ManifestHash::of(&jcs::to_vec(&core)?))
}

fn core_repo(repo: &RepoEntry) -> CoreRepo<'_> {
    let indexes = repo.indexes.iter().map(|(mode, index)| {
        let core = CoreIndex {
            present: index.present,
            index_signature_hash: index.index_signature_hash.as_ref(),
            cohort_key: index.cohort_key.as_deref(),
            compatibility_key: index.compatibility_key.as_deref(),
            availability_reason: index.availability_reason,
        };
        (mode, core)
    });
    let dbs = repo.sqlite.dbs.iter();
    let sqlite =
        dbs.map(|(mode, db)| (mode, CoreDb { present: db.present, file_signature: db.file_signature.as_deref() }));
    CoreRepo {
        repo_id: &repo.repo_id,
        repo_root_canonical: &repo.repo_root_canonical,
        repo_cache_root: &repo.repo_cache_root,
        build: CoreBuild {
            build_id: repo.build.build_id.as_deref(),
            current_json_mtime_ms: repo.build.current_json_mtime_ms,
            build_roots: &repo.build.build_roots,
        },
        indexes: indexes.collect(),
        sqlite: sqlite.collect(),
    }
}
