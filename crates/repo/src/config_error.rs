use std::io;
use std::path::{Path, PathBuf};

use crate::root::RootError;
use ai_assist_base::json::JsonErrors;
use ai_assist_base::{ReadError, read_plain};

/// A configuration larger than this was not written by a person.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("there is no {}", .0.display())]
    Missing(PathBuf),
    #[error("{} can't be used: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{} is being edited by another process, which was not done within {seconds} s", path.display())]
    Locked { path: PathBuf, seconds: u64 },
    #[error("{} is there already", .0.display())]
    AlreadyThere(PathBuf),
    #[error("{} has no repo `{name}`{near}", path.display())]
    UnknownRepo { name: String, path: PathBuf, near: String },
    #[error(transparent)]
    Root(#[from] RootError),
    #[error(transparent)]
    Invalid(#[from] JsonErrors),
}

impl ConfigError {
    pub fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| ConfigError::Unreadable { path: path.to_owned(), reason: error.to_string() }
    }
}

/// The text of a configuration file, which must not be a link.
pub fn read_text(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |reason: String| ConfigError::Unreadable { path: path.to_owned(), reason };
    let file = read_plain(path, MAX_BYTES).map_err(|error| match error {
        ReadError::Missing => ConfigError::Missing(path.to_owned()),
        other => unreadable(other.to_string()),
    })?;
    String::from_utf8(file.bytes).map_err(|error| unreadable(format!("it is not UTF-8: {error}")))
}
