//! The folder a walk is confined to.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use ai_assist_base::platform::{self, Errno, Handle, Open};
use ai_assist_base::{RealPath, now_ns};

use crate::AdmitError;

/// A folder held open. Everything below it is opened relative to this handle, so that renaming the folder, or anything
/// above it, can't redirect a read.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    pub(crate) folder: Handle,
    /// In nanoseconds since the epoch: before anything below it was looked at.
    pub(crate) opened_at_ns: i64,
}

/// Where a path leads once its symlinks are resolved.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Inside the root, at this symlink-free path (empty for the root itself).
    Inside(Vec<u8>),
    Outside,
}

impl Root {
    pub(crate) fn open(given: &Path) -> Result<Root, AdmitError> {
        let opened_at_ns = now_ns();
        let failed = |source: io::Error| AdmitError::Root { path: given.to_owned(), source };
        let path = given.real_path().map_err(failed)?;
        match platform::open_folder(&path) {
            Ok(folder) => Ok(Root { path, folder, opened_at_ns }),
            Err(Errno::NOTDIR) => Err(AdmitError::RootNotAFolder { path: given.to_owned() }),
            Err(errno) => Err(failed(errno.into())),
        }
    }

    /// Opens something below the root, refusing every symlink on the way, the last component included.
    ///
    /// A path is resolved once, when it is selected; by the time it is opened each of its parts may have been replaced.
    pub(crate) fn open_beneath(&self, path: &[u8], what: Open) -> Result<Handle, Errno> {
        platform::open_beneath(&self.folder, if path.is_empty() { b"." } else { path }, what)
    }

    /// Follows the symlinks of a path and says where it ends up.
    pub(crate) fn resolve(&self, path: &[u8]) -> io::Result<Target> {
        let full = self.path.join(platform::path_of(path));
        let real = full.real_path()?;
        Ok(match real.strip_prefix(&self.path) {
            Ok(inside) => Target::Inside(platform::path_bytes(inside).into_owned()),
            Err(_) => Target::Outside,
        })
    }
}

/// Opens a file by an absolute path whose symlinks are resolved already, and does not wait for a pipe. One that has taken a
/// place on the way since then is refused: what it leads to has its own name and its own rules.
pub fn open_unlinked(path: &Path) -> io::Result<File> {
    // The folder that has no other above it; on Windows each disk has one.
    let top = path.ancestors().last().unwrap_or(path);
    let root = Root::open(top).map_err(io::Error::other)?;
    let below = path.strip_prefix(top).unwrap_or(path);
    Ok(root.open_beneath(&platform::path_bytes(below), Open::File)?.into())
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::fs::symlink;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn both_ways_of_opening_refuse_symlinks_anywhere() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "x").unwrap();
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(tree.path().join("a/b")).unwrap();
        std::fs::write(tree.path().join("a/b/file"), "x").unwrap();
        symlink("b", tree.path().join("a/link")).unwrap();
        symlink(outside.path(), tree.path().join("out")).unwrap();
        symlink("file", tree.path().join("a/b/alias")).unwrap();
        let root = Root::open(tree.path()).unwrap();
        for open in [platform::open_beneath, platform::open_stepwise] {
            let try_open = |path: &str| open(&root.folder, path.as_bytes(), Open::File).map(|_| ());
            assert_eq!(try_open("a/b/file"), Ok(()));
            assert_eq!(try_open("."), Ok(()));
            for path in ["a/link/file", "out/secret", "a/b/alias", "out"] {
                assert!(try_open(path).is_err(), "{path} was followed");
            }
            assert_eq!(try_open("a/b/none"), Err(Errno::NOENT));
        }
        assert_eq!(root.resolve(b"a/link/file").unwrap(), Target::Inside(b"a/b/file".to_vec()));
        assert_eq!(root.resolve(b"out/secret").unwrap(), Target::Outside);
    }

    #[test]
    fn a_root_that_is_no_folder_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(matches!(Root::open(file.path()), Err(AdmitError::RootNotAFolder { .. })));
        assert!(matches!(Root::open(Path::new("/no/such/folder")), Err(AdmitError::Root { .. })));
    }
}
