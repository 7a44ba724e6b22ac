//! Why a lock file could not be read.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use serde::de::IgnoredAny;

use crate::pieces::MAX_PIECE;

/// What is wrong with a lock file. Only the place is named, never the content: lock files hold addresses, and those may hold
/// passwords.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    #[error("it can't be opened: {0}")]
    Io(#[from] io::Error),
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it is a symlink that leads out of the project")]
    OutsideRoot,
    #[error("it is larger than {} MiB", limit / (1024 * 1024))]
    TooLarge { limit: u64 },
    #[error("it is not UTF-8")]
    NotUtf8,
    #[error("what starts at line {line} is larger than {} MiB", limit / (1024 * 1024))]
    LargePiece { line: usize, limit: usize },
    #[error("line {line} is not the TOML that was expected")]
    Toml { line: usize },
    #[error("line {line} is not the JSON that was expected")]
    Json { line: usize },
    #[error("line {line} holds the marker of an unresolved merge conflict")]
    Conflict { line: usize },
    #[error("its format is not known{}", version.map(|v| format!(" (version {v})")).unwrap_or_default())]
    UnknownFormat { version: Option<u32> },
}

/// A map of which only the keys matter: its values may have any shape, and take no memory.
pub(crate) type Keys = HashMap<String, IgnoredAny>;

pub(crate) fn from_toml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, LockError> {
    if text.len() > MAX_PIECE {
        return Err(LockError::LargePiece { line: 1, limit: MAX_PIECE });
    }
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        LockError::Toml { line: text.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1 }
    })
}

/// Parses a JSON object. Serde would take a list for one as well.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, LockError> {
    if !text.trim_start().starts_with('{') {
        return Err(LockError::Json { line: 1 });
    }
    serde_json::from_str(text).map_err(|error| LockError::Json { line: error.line().max(1) })
}

/// Refuses what a merge left behind. Formats with a grammar of their own notice by themselves.
pub(crate) fn no_conflict(text: &str) -> Result<(), LockError> {
    match text.lines().position(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ")) {
        Some(at) => Err(LockError::Conflict { line: at + 1 }),
        None => Ok(()),
    }
}

/// What is to be said when the manifest beside a lock file can't be read.
pub(crate) fn unknown_direct(lock_file: &str, manifest: &str, reason: &str) -> String {
    format!("Which packages of `{lock_file}` are direct is not known, because `{manifest}` can't be read: {reason}.")
}

/// A path for a message. Lock files name others, so it may be of any length and hold what a terminal would obey.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut shown: String = text.chars().take(200).flat_map(char::escape_debug).collect();
    if text.chars().nth(200).is_some() {
        shown.push('…');
    }
    shown
}
