//! Replacing a file whole, and locks that a dead process never holds.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::{Error, Result};

/// How long an edit of a small file waits for another one.
const EDIT_PATIENCE: Duration = Duration::from_secs(10);

/// An advisory lock on a file of its own. The operating system drops it with the process.
#[derive(Debug)]
pub(crate) struct FileLock {
    _file: File,
}

impl FileLock {
    fn open(path: &Path) -> Result<File> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
        }
        OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(Error::io("opening", path))
    }

    pub(crate) fn try_take(path: &Path) -> Result<Option<Self>> {
        let file = Self::open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(FileLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(Error::io("locking", path)(source)),
        }
    }

    /// Takes the lock, waiting while `go_on` says so.
    pub(crate) fn take_while(path: &Path, mut go_on: impl FnMut() -> Result<()>) -> Result<Self> {
        loop {
            if let Some(lock) = Self::try_take(path)? {
                return Ok(lock);
            }
            go_on()?;
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Takes the lock for an edit of a small file.
    pub(crate) fn for_edit(path: &Path) -> Result<Self> {
        let start = Instant::now();
        Self::take_while(path, || {
            if start.elapsed() < EDIT_PATIENCE {
                return Ok(());
            }
            Err(Error::Locked { path: path.to_owned(), seconds: EDIT_PATIENCE.as_secs() })
        })
    }
}

/// Writes a file so that a reader, or a crash, sees the old or the new one, whole. Keeps the permissions of what was there and
/// writes through a symlink.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".ai-assist-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&target).map_or(0o644, |found| found.permissions().mode() & 0o777);
            builder.permissions(std::fs::Permissions::from_mode(mode));
        }
        let mut temporary = builder.tempfile_in(folder)?;
        temporary.write_all(bytes)?;
        temporary.as_file().sync_all()?;
        temporary.persist(&target).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(Error::io("writing", path))
}
