//! The small files of a project: read, locked for an edit, and replaced.

use std::path::Path;
use std::time::Duration;

use ai_assist_base::json::{JsonError, Place};
use ai_assist_base::{FileLock, ReadError, RealPath};

use crate::{Error, Result};

/// A configuration larger than this was not written by a person.
const MAX_BYTES: u64 = 4 << 20;

/// How long an edit of a small file waits for another one.
const EDIT_PATIENCE: Duration = Duration::from_secs(10);

/// Reads a whole configuration file as text.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    let unreadable = |message: String| {
        let place = Place { file: file.display().to_string(), line: 1, column: 1 };
        Error::Json(JsonError { place, pointer: String::new(), message })
    };
    let bytes = ai_assist_base::read_bounded(file, MAX_BYTES).map_err(|error| match error {
        ReadError::NotAFile | ReadError::TooLarge(_) => unreadable(error.to_string()),
        error => Error::io("reading", file)(error.into()),
    })?;
    match ai_assist_text::decode(&bytes) {
        Ok(decoded) => Ok(decoded.text.into_owned()),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

/// The lock for an edit of a file, which everybody who edits it takes.
pub(crate) fn edit_lock(file: &Path) -> Result<FileLock> {
    let taken = FileLock::for_edit(file, EDIT_PATIENCE).map_err(Error::io("locking", file))?;
    taken.ok_or_else(|| Error::Locked { path: file.to_owned(), seconds: EDIT_PATIENCE.as_secs() })
}

/// Replaces a file of the user's whole, or the one that a link leads to.
pub(crate) fn replace(path: &Path, text: &str) -> Result<()> {
    let target = path.real_path().unwrap_or_else(|_| path.to_owned());
    ai_assist_base::replace_file(&target, text.as_bytes(), 0o644).map_err(Error::io("writing", path))
}
