//! The folder a walk is confined to.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ai_assist_base::now_ns;
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use crate::AdmitError;

/// A folder held open. Everything below it is opened relative to this handle, so that renaming the folder, or anything
/// above it, can't redirect a read.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    pub(crate) folder: OwnedFd,
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
        let path = given.canonicalize().map_err(failed)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match openat(CWD, &path, flags, Mode::empty()) {
            Ok(folder) => Ok(Root { path, folder, opened_at_ns }),
            Err(Errno::NOTDIR) => Err(AdmitError::RootNotAFolder { path: given.to_owned() }),
            Err(errno) => Err(failed(errno.into())),
        }
    }

    /// Opens something below the root, refusing every symlink on the way, the last component included.
    ///
    /// A path is resolved once, when it is selected; by the time it is opened each of its parts may have been replaced.
    /// The kernel checks the whole path in one step where it can, so there is no moment between check and use.
    pub(crate) fn open_beneath(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let path = if path.is_empty() { b"." } else { path };
        let flags = flags | OFlags::CLOEXEC;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{ResolveFlags, openat2};
            let confined = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match openat2(&self.folder, path, flags, Mode::empty(), confined) {
                // Kernels before 5.6 lack the call, some sandboxes forbid it, and AGAIN reports a rename under way.
                Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
                answer => return answer,
            }
        }
        self.open_stepwise(path, flags)
    }

    /// The same guarantee component by component: each is opened relative to the one before, and none may be a symlink.
    fn open_stepwise(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let mut held: Option<OwnedFd> = None;
        let mut rest = path;
        while let Some(slash) = rest.iter().position(|&b| b == b'/') {
            let at = held.as_ref().unwrap_or(&self.folder);
            let step = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let next = openat(at.as_fd(), &rest[..slash], step, Mode::empty())?;
            held = Some(next);
            rest = &rest[slash + 1..];
        }
        let at = held.as_ref().unwrap_or(&self.folder);
        openat(at.as_fd(), rest, flags | OFlags::NOFOLLOW, Mode::empty())
    }

    /// Follows the symlinks of a path and says where it ends up.
    pub(crate) fn resolve(&self, path: &[u8]) -> io::Result<Target> {
        let full = self.path.join(std::ffi::OsStr::from_bytes(path));
        let real = full.canonicalize()?;
        Ok(match real.strip_prefix(&self.path) {
            Ok(inside) => Target::Inside(inside.as_os_str().as_bytes().to_vec()),
            Err(_) => Target::Outside,
        })
    }
}

/// Opens a file by an absolute path whose symlinks are resolved already, and does not wait for a pipe. One that has taken a
/// place on the way since then is refused: what it leads to has its own name and its own rules.
pub fn open_unlinked(path: &Path) -> io::Result<File> {
    let root = Root::open(Path::new("/")).map_err(io::Error::other)?;
    let below = path.strip_prefix("/").unwrap_or(path);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(root.open_beneath(below.as_os_str().as_bytes(), flags)?.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

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
        for open in [Root::open_beneath, Root::open_stepwise] {
            let try_open = |path: &str| open(&root, path.as_bytes(), OFlags::RDONLY).map(|_| ());
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
