//! Reading `builds/current.json`, which is not trusted.
//!
//! A pointer is followed only to folders of the repository's own cache. A root that is absolute, climbs with `..` or leads
//! out through a link makes the whole pointer invalid, and so does anything else that is not exactly a pointer: what was
//! current before is never guessed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use crate::layout::{Mode, PointerFile, RepoCache, SCHEMA_VERSION};
use crate::signature::{Identity, mtime_ms};
use ai_assist_base::strict_json;
use ai_assist_base::{ReadError, read_plain, resolve, resolve_below};

/// A pointer has a few hundred bytes.
const MAX_BYTES: u64 = 64 << 10;
/// The longest id of a build and the longest of its paths.
const MAX_ID: usize = 128;
const MAX_ROOT: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PointerProblem {
    #[error("the pointer can't be read: {0}")]
    Unreadable(String),
    #[error("the pointer is malformed: {0}")]
    Malformed(String),
    #[error("the pointer has version {found}; this program reads {SCHEMA_VERSION}")]
    Version { found: u32 },
    #[error("the pointer's build id `{0}` is none")]
    BuildId(String),
    #[error("the pointer's root `{root}` {why}")]
    Root { root: String, why: &'static str },
}

/// What a repository's pointer says, as far as it can be believed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointerState {
    pub path: PathBuf,
    pub exists: bool,
    /// When it was last changed, in milliseconds.
    pub mtime_ms: Option<f64>,
    /// What tells the file that was read from one that has replaced it.
    identity: Option<Identity>,
    /// The folder of the repository's cache, with links resolved, if the pointer was followed.
    pub base: Option<PathBuf>,
    /// Whether it is JSON with the fields of a pointer.
    pub parse_ok: bool,
    pub build_id: Option<String>,
    /// The build's folder, with links resolved, if it can be followed.
    pub build_root: Option<PathBuf>,
    /// The folders of modes that have one of their own.
    pub build_roots: BTreeMap<Mode, PathBuf>,
    /// The modes that it names, each once.
    pub modes: Vec<Mode>,
    /// Why it is not followed. None if it is, and if there is none.
    pub problem: Option<PointerProblem>,
}

impl PointerState {
    /// The build that has a mode: the mode's own, else the pointer's if it names the mode or none at all.
    pub fn index_root(&self, mode: Mode) -> Option<&Path> {
        let common = || self.build_root.as_ref().filter(|_| self.modes.is_empty() || self.modes.contains(&mode));
        self.build_roots.get(&mode).or_else(common).map(PathBuf::as_path)
    }

    /// Whether the pointer is still the one that was read: it is replaced whole, never written in place.
    pub fn is_current(&self) -> bool {
        identity_of(&self.path, self.path.symlink_metadata().ok().as_ref()) == self.identity
    }

    /// Whether there is a pointer that can't be followed.
    pub fn is_invalid(&self) -> bool {
        self.problem.is_some()
    }
}

/// Reads the pointer of a repository. Nothing that may stand there is an error or takes long.
pub fn read_pointer(cache: &RepoCache) -> PointerState {
    read_pointer_by(cache, &resolve)
}

/// The same for whoever knows a shorter way to a cache with its links resolved.
pub fn read_pointer_by(cache: &RepoCache, resolve: &dyn Fn(&Path) -> io::Result<PathBuf>) -> PointerState {
    let mut state = PointerState { path: cache.current_json(), ..PointerState::default() };
    let file = match read_plain(&state.path, MAX_BYTES) {
        Ok(file) => file,
        Err(ReadError::Missing) => return state,
        Err(error) => {
            state.exists = true;
            let found = state.path.symlink_metadata().ok();
            state.mtime_ms = found.as_ref().map(mtime_ms);
            state.identity = identity_of(&state.path, found.as_ref());
            state.problem = Some(PointerProblem::Unreadable(error.to_string()));
            return state;
        }
    };
    state.exists = true;
    state.mtime_ms = Some(mtime_ms(&file.metadata));
    state.identity = identity_of(&state.path, Some(&file.metadata));
    match parse(&file.bytes) {
        Ok(pointer) => {
            state.parse_ok = true;
            state.modes = pointer.modes.iter().copied().collect::<BTreeSet<Mode>>().into_iter().collect();
            follow(&mut state, cache, pointer, resolve);
        }
        Err(problem) => state.problem = Some(problem),
    }
    state
}

fn identity_of(path: &Path, found: Option<&Metadata>) -> Option<Identity> {
    Identity::of(path, found?).ok()
}

fn parse(bytes: &[u8]) -> Result<PointerFile, PointerProblem> {
    let malformed = |error: serde_json::Error| PointerProblem::Malformed(error.to_string());
    let value = strict_json::from_slice(bytes).map_err(malformed)?;
    let pointer: PointerFile = serde_json::from_value(value).map_err(malformed)?;
    if pointer.schema_version != SCHEMA_VERSION {
        return Err(PointerProblem::Version { found: pointer.schema_version });
    }
    if !is_build_id(&pointer.build_id) {
        return Err(PointerProblem::BuildId(pointer.build_id.escape_debug().take(MAX_ID).collect()));
    }
    Ok(pointer)
}

/// Whether a text can be the name of a build's folder, on every system.
fn is_build_id(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+');
    text.len() <= MAX_ID && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.bytes().all(plain)
}

/// Resolves all roots, or none of them.
fn follow(
    state: &mut PointerState,
    cache: &RepoCache,
    pointer: PointerFile,
    resolve: &dyn Fn(&Path) -> io::Result<PathBuf>,
) {
    let roots = || -> Result<_, PointerProblem> {
        let base = resolve(&cache.root).map_err(|error| PointerProblem::Unreadable(error.to_string()))?;
        let common = inside(&base, &pointer.build_root)?;
        let own = pointer.build_roots.iter().map(|(mode, root)| match *root == pointer.build_root {
            true => Ok((*mode, common.clone())),
            false => Ok((*mode, inside(&base, root)?)),
        });
        let own = own.collect::<Result<_, PointerProblem>>()?;
        Ok((base, common, own))
    };
    match roots() {
        Ok((base, common, own)) => {
            (state.base, state.build_root, state.build_roots) = (Some(base), Some(common), own);
        }
        Err(problem) => state.problem = Some(problem),
    }
    state.build_id = Some(pointer.build_id);
}

/// The folder below `base`, whose links are resolved, that a root names.
fn inside(base: &Path, root: &str) -> Result<PathBuf, PointerProblem> {
    let refused = |why| PointerProblem::Root { root: root.escape_debug().take(MAX_ID).collect(), why };
    if root.starts_with('/') {
        return Err(refused("is absolute"));
    }
    if root.len() > MAX_ROOT || root.chars().any(|c| matches!(c, '\\' | ':') || c.is_control()) {
        return Err(refused("is no path of a build"));
    }
    for name in root.split('/') {
        match name {
            ".." => return Err(refused("climbs with `..`")),
            "" | "." => return Err(refused("is no path of a build")),
            _ => {}
        }
    }
    let resolved = resolve_below(base, root).map_err(|_| refused("can't be resolved"))?;
    if resolved == base || !resolved.starts_with(base) {
        return Err(refused("leaves the repository's cache through a link"));
    }
    Ok(resolved)
}

#[cfg(test)]
#[path = "pointer_tests.rs"]
mod tests;
