//! Making a build the current one, and the locks around it.
//!
//! A build grows in a folder whose name starts with `UNFINISHED`, gets its name when it is whole and on the disk, and is
//! current once `current.json` names it. Each of these steps is one rename, so a process that dies leaves the old build
//! current and at most a folder that the next builder takes away.

use std::io;
use std::path::{Path, PathBuf};

use ai_assist_identity::Sha256;

use crate::build::{BuildError, Result};
use crate::layout::{HOLD_FILE, PointerFile, RepoCache};
use ai_assist_base::{FileLock, ReadError, open_plain, replace_file, sync_folder};

/// How the name of a folder starts in which a build is being made.
const UNFINISHED: &str = ".building-";
/// How the name of a folder starts that is being taken away.
const DOOMED: &str = ".removing-";

/// Builds hold the text of a repository, and are their user's alone.
pub(crate) const FILE_MODE: u32 = 0o600;

/// How often a reader looks again for a build that was replaced under its eyes.
pub(crate) const ATTEMPTS: usize = 16;

/// Takes the lock of the one builder of a repository, waiting while `go_on` says so.
pub(crate) fn builder_lock(cache: &RepoCache, go_on: impl FnMut() -> bool) -> Result<FileLock> {
    let builds = cache.builds();
    std::fs::create_dir_all(&builds).map_err(BuildError::io("creating", &builds))?;
    let path = cache.build_lock();
    FileLock::take_while(&path, go_on).map_err(BuildError::io("locking", &path))?.ok_or(BuildError::Cancelled)
}

/// A build that is in use, and stays while this lives.
#[derive(Debug)]
pub struct Hold {
    _lock: FileLock,
}

impl Hold {
    /// Holds a build. None if it is gone, or going.
    pub(crate) fn take(build: &Path) -> io::Result<Option<Hold>> {
        let file = match open_plain(&build.join(HOLD_FILE)) {
            Ok((file, _)) => file,
            Err(ReadError::Missing) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let Some(lock) = FileLock::shared(file)? else { return Ok(None) };
        // Between opening and locking it may have been taken away, and the lock is then one on nothing.
        Ok(build.join(HOLD_FILE).is_file().then_some(Hold { _lock: lock }))
    }
}

pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The name of a build: when it was begun, and something that no other one has.
pub(crate) fn new_build_id(repo: &str) -> String {
    let now = jiff::Timestamp::now();
    let unique = format!("{repo}\n{}\n{}", now.as_nanosecond(), std::process::id());
    format!("{}-{}", now.strftime("%Y%m%dT%H%M%S%3fZ"), &Sha256::of(unique.as_bytes()).hex()[..8])
}

pub(crate) fn unfinished(cache: &RepoCache, build_id: &str) -> PathBuf {
    cache.builds().join(format!("{UNFINISHED}{build_id}"))
}

/// Removes what builders and collectors left that are no more. Only for whoever holds the builder's lock.
pub(crate) fn remove_leftovers(cache: &RepoCache) -> Result<usize> {
    let builds = cache.builds();
    let mut removed = 0;
    for entry in std::fs::read_dir(&builds).map_err(BuildError::io("reading", &builds))? {
        let entry = entry.map_err(BuildError::io("reading", &builds))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(UNFINISHED) || name.starts_with(DOOMED) {
            remove_dir(&entry.path())?;
            removed += 1;
        } else if name.contains("current.json.tmp.") {
            std::fs::remove_file(entry.path()).map_err(BuildError::io("removing", &entry.path()))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Takes a build away unless somebody holds it. Only for whoever holds the builder's lock.
pub(crate) fn remove_build(cache: &RepoCache, build: &Path) -> Result<bool> {
    let hold = build.join(HOLD_FILE);
    // A build without the file to hold can't be held: it is damaged.
    let lock = match open_plain(&hold) {
        Ok((file, _)) => match FileLock::exclusive(file).map_err(BuildError::io("locking", &hold))? {
            None => return Ok(false),
            lock => lock,
        },
        Err(ReadError::Missing | ReadError::NotAFile) => None,
        Err(error) => return Err(BuildError::io("opening", &hold)(error.into())),
    };
    let name = build.file_name().unwrap_or_default().display().to_string();
    let doomed = cache.builds().join(format!("{DOOMED}{name}"));
    std::fs::rename(build, &doomed).map_err(BuildError::io("removing", build))?;
    drop(lock);
    remove_dir(&doomed)?;
    Ok(true)
}

pub fn remove_dir(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(BuildError::io("removing", path)(error)),
        _ => Ok(()),
    }
}

/// The builds of a repository by name, unfinished ones left out, and whatever stands where the pointer should.
pub(crate) fn builds(cache: &RepoCache) -> Result<Vec<String>> {
    let folder = cache.builds();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if is_gone(&error) => return Ok(Vec::new()),
        Err(error) => return Err(BuildError::io("reading", &folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(BuildError::io("reading", &folder))?;
        let is_dir = entry.file_type().map_err(BuildError::io("reading", &entry.path()))?.is_dir();
        if let Some(name) =
            entry.file_name().to_str().filter(|name| is_dir && !name.starts_with('.') && *name != "current.json")
        {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Gives a build its name and makes it the current one.
pub(crate) fn promote(cache: &RepoCache, unfinished: &Path, pointer: &PointerFile) -> Result<()> {
    let builds = cache.builds();
    let build = cache.root.join(&pointer.build_root);
    std::fs::rename(unfinished, &build).map_err(BuildError::io("naming", &build))?;
    sync_folder(&builds).map_err(BuildError::io("writing", &builds))?;
    let current = cache.current_json();
    let json = serde_json::to_vec_pretty(pointer).map_err(|error| BuildError::io("writing", &current)(error.into()))?;
    if current.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        // No file can be renamed onto a folder.
        let doomed = builds.join(format!("{DOOMED}current.json-{}", pointer.build_id));
        std::fs::rename(&current, &doomed).map_err(BuildError::io("removing", &current))?;
        remove_dir(&doomed)?;
    }
    replace_file(&current, &json, FILE_MODE).map_err(BuildError::io("writing", &current))
}
