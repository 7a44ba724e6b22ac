//! What of a manifest counts: the state of its indexes, and nothing that is only shown.

use ai_assist_identity::{JcsError, RepoSetId, jcs};
use ai_assist_repo::layout::{Mode, SCHEMA_VERSION};
use serde::Serialize;

use super::types::{ManifestHash, PerMode, RepoEntry, WorkspaceManifest};

/// The hash of a manifest's state, by its fields. Neither the order of `repos` nor what its field `manifestHash` says counts.
pub fn manifest_hash(manifest: &WorkspaceManifest) -> Result<ManifestHash, JcsError> {
    let mut repos: Vec<&RepoEntry> = manifest.repos.iter().collect();
    repos.sort_by_key(|repo| &repo.repo_id);
    let cores: Vec<Vec<u8>> = repos.into_iter().map(core_of).collect::<Result<_, _>>()?;
    hash_of(&manifest.repo_set_id, &cores)
}

/// The hash of what counts of the repositories, which is given in the order of their ids. Each is stable JSON, and so is what is put
/// together of them here.
pub(super) fn hash_of(repo_set_id: &RepoSetId, cores: &[Vec<u8>]) -> Result<ManifestHash, JcsError> {
    let mut text = Vec::with_capacity(cores.iter().map(|core| core.len() + 1).sum::<usize>() + 128);
    text.extend_from_slice(b"{\"repoSetId\":");
    text.extend(jcs::to_vec(repo_set_id)?);
    text.extend_from_slice(b",\"repos\":[");
    for (at, core) in cores.iter().enumerate() {
        text.extend_from_slice(if at == 0 { b"" } else { b"," });
        text.extend_from_slice(core);
    }
    text.extend_from_slice(format!("],\"schemaVersion\":{SCHEMA_VERSION},\"v\":1}}").as_bytes());
    Ok(ManifestHash::of(&text))
}

/// What counts of a repository, as stable JSON. It is put together here, with the keys in their order, because sorting them for a hundred
/// repositories takes longer than reading their pointers.
pub(super) fn core_of(repo: &RepoEntry) -> Result<Vec<u8>, JcsError> {
    let mut core = Core(Vec::with_capacity(2560));
    core.text("{\"build\":{\"buildId\":").value(&repo.build.build_id)?;
    core.text(",\"buildRoots\":").value(&repo.build.build_roots)?;
    core.text(",\"currentJsonMtimeMs\":").value(&repo.build.current_json_mtime_ms)?;
    core.text("},\"indexes\":").each_mode(&repo.indexes, |core, index| {
        core.text("{\"availabilityReason\":").value(&index.availability_reason)?;
        core.text(",\"cohortKey\":").value(&index.cohort_key)?;
        core.text(",\"compatibilityKey\":").value(&index.compatibility_key)?;
        core.text(",\"indexSignatureHash\":").value(&index.index_signature_hash)?;
        core.text(",\"present\":").value(&index.present)
    })?;
    core.text(",\"repoCacheRoot\":").value(&repo.repo_cache_root)?;
    core.text(",\"repoId\":").value(&repo.repo_id)?;
    core.text(",\"repoRootCanonical\":").value(&repo.repo_root_canonical)?;
    core.text(",\"sqlite\":").each_mode(&repo.sqlite.dbs, |core, db| {
        core.text("{\"fileSignature\":").value(&db.file_signature)?;
        core.text(",\"present\":").value(&db.present)
    })?;
    core.text("}");
    Ok(core.0)
}

struct Core(Vec<u8>);

impl Core {
    fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    fn value<T: Serialize>(&mut self, value: &T) -> Result<(), JcsError> {
        self.0.extend(jcs::to_vec(value)?);
        Ok(())
    }

    /// An object for each mode, whose last brace is written here.
    fn each_mode<T>(
        &mut self,
        all: &PerMode<T>,
        write: impl Fn(&mut Self, &T) -> Result<(), JcsError>,
    ) -> Result<(), JcsError> {
        let mut modes = Mode::ALL;
        modes.sort_unstable_by_key(|mode| mode.as_str());
        for (at, mode) in modes.into_iter().enumerate() {
            self.text(if at == 0 { "{\"" } else { ",\"" }).text(mode.as_str()).text("\":");
            write(self, all.get(mode))?;
            self.text("}");
        }
        self.text("}");
        Ok(())
    }
}
