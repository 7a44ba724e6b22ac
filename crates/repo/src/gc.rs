//! Taking away the builds that nobody uses.

use std::collections::BTreeSet;
use std::path::Path;

use ai_assist_base::Cancel;
use serde::Serialize;

use crate::build::{BuildError, Result};
use crate::layout::{HOLD_FILE, Mode, RepoCache};
use crate::pointer::read_pointer;
use crate::promote::{self, builder_lock};
use ai_assist_base::{FileLock, ReadError, open_plain, platform, resolve};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    Pointer,
    /// The caller says that it is in use, for a manifest names it.
    Manifest,
    Reader,
}

/// What a collection removed, or would.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GcReport {
    pub dry_run: bool,
    pub removed: Vec<String>,
    pub kept: Vec<(String, Use)>,
    /// How many bytes that frees: what other builds share with a removed one is not counted.
    pub freed_bytes: u64,
}

/// Removes the builds of a repository that no pointer names, that no reader holds, and that are not among `in_use`, by the
/// names of their folders. A pointer that can't be followed stops everything: nobody knows then what is in use.
pub fn gc(cache: &RepoCache, in_use: &BTreeSet<String>, dry_run: bool, cancel: &Cancel) -> Result<GcReport> {
    let mut report = GcReport { dry_run, ..GcReport::default() };
    if !cache.builds().is_dir() {
        return Ok(report);
    }
    // No build may become current between reading the pointer and removing what it does not name.
    let _lock = if dry_run { None } else { Some(builder_lock(cache, || !cancel.is_cancelled())?) };
    if !dry_run {
        promote::remove_leftovers(cache)?;
    }
    let named = named(cache)?;
    for build in promote::builds(cache)? {
        let path = cache.builds().join(&build);
        if named.contains(&build) {
            report.kept.push((build, Use::Pointer));
        } else if in_use.contains(&build) {
            report.kept.push((build, Use::Manifest));
        } else {
            let bytes = own_bytes(&path).map_err(BuildError::io("reading", &path))?;
            let removed = if dry_run { is_free(&path)? } else { promote::remove_build(cache, &path)? };
            if removed {
                report.freed_bytes += bytes;
                report.removed.push(build);
            } else {
                report.kept.push((build, Use::Reader));
            }
        }
    }
    Ok(report)
}

/// The builds that the pointer names. All there are, if there is a pointer that can't be followed.
fn named(cache: &RepoCache) -> Result<BTreeSet<String>> {
    let pointer = read_pointer(cache);
    if pointer.is_invalid() {
        return Ok(promote::builds(cache)?.into_iter().collect());
    }
    let folder = cache.builds();
    let folder = resolve(&folder).map_err(BuildError::io("reading", &folder))?;
    let name = |root: &Path| Some(root.strip_prefix(&folder).ok()?.iter().next()?.to_str()?.to_owned());
    let names = Mode::ALL.into_iter().filter_map(|mode| name(pointer.index_root(mode)?));
    Ok(names.chain(pointer.build_id.clone()).collect())
}

fn is_free(build: &Path) -> Result<bool> {
    let hold = build.join(HOLD_FILE);
    match open_plain(&hold) {
        Ok((file, _)) => Ok(FileLock::exclusive(file).is_ok_and(|lock| lock.is_some())),
        Err(ReadError::Missing | ReadError::NotAFile) => Ok(true),
        Err(error) => Err(BuildError::io("opening", &hold)(error.into())),
    }
}

/// The bytes of the files that nothing else shares.
fn own_bytes(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        if found.is_dir() {
            bytes += own_bytes(&entry.path())?;
        } else if platform::facts(&entry.path(), &found)?.links == 1 {
            bytes += found.len();
        }
    }
    Ok(bytes)
}
