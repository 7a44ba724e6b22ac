//! Reading inside one folder, and nowhere else.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::lock_error::LockError;

/// No lock file of a real project comes near this.
pub(crate) const MAX_LOCK_FILE: u64 = 64 * 1024 * 1024;

/// A folder without symlinks in its path, so that what lies below it can be told by comparing paths.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    folder: PathBuf,
}

impl Root {
    pub(crate) fn open(folder: &Path) -> io::Result<Root> {
        Ok(Root { folder: fs::canonicalize(folder)? })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The real path of something below this folder; `None` if it is missing or if symlinks lead out.
    pub(crate) fn inside(&self, relative: impl AsRef<Path>) -> Option<PathBuf> {
        let real = fs::canonicalize(self.folder.join(relative)).ok()?;
        real.starts_with(&self.folder).then_some(real)
    }

    pub(crate) fn folder_inside(&self, relative: impl AsRef<Path>) -> Option<PathBuf> {
        self.inside(relative).filter(|path| path.is_dir())
    }

    /// The text of a file below this folder; `None` if there is none.
    pub(crate) fn read(&self, relative: impl AsRef<Path>) -> Result<Option<String>, LockError> {
        self.read_up_to(relative, MAX_LOCK_FILE)
    }

    /// The same, with a limit of one's own.
    pub(crate) fn read_up_to(&self, relative: impl AsRef<Path>, limit: u64) -> Result<Option<String>, LockError> {
        let path = self.folder.join(relative);
        match fs::symlink_metadata(&path) {
            Err(error) if is_missing(&error) => return Ok(None),
            other => other?,
        };
        let real = fs::canonicalize(&path)?;
        if !real.starts_with(&self.folder) {
            return Err(LockError::OutsideRoot);
        }
        // Asked before opening: opening a named pipe would wait for someone to write into it.
        let about = fs::metadata(&real)?;
        if !about.is_file() {
            return Err(LockError::NotAFile);
        }
        if about.len() > limit {
            return Err(LockError::TooLarge { limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default() + 1);
        File::open(&real)?.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(LockError::TooLarge { limit });
        }
        let mut text = String::from_utf8(bytes).map_err(|_| LockError::NotUtf8)?;
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Ok(Some(text))
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput)
}
