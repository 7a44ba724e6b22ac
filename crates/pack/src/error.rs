//! What can go wrong with a pack.

use std::path::PathBuf;

use ai_assist_admit::{AdmitError, GlobError};

/// Why no pack was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The folder could not be walked.
    #[error(transparent)]
    Admit(#[from] AdmitError),
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// A file holds a secret, and that was to stop the work.
    #[error("{path} {rule}{}; nothing was packed", more_files(*.more))]
    SecretFound {
        /// The first such file.
        path: String,
        /// The reason and the rule. Never the value.
        rule: String,
        /// How many other files hold one.
        more: usize,
    },
    /// The folder's own path can't be found out.
    #[error("the path of {} can't be resolved", path.display())]
    Root {
        /// The folder as it was given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The caller asked to stop.
    #[error("the scan was cancelled")]
    Cancelled,
    /// Files got lost between the walk and the pack: a mistake in this program.
    #[error("the account of the files does not add up: {message}; please report this")]
    NotConserved {
        /// Which sum is wrong.
        message: String,
    },
    /// Not even the pack's frame fits.
    #[error("a pack can't have at most {limit} tokens: without any file it has {least} already")]
    LimitTooSmall {
        /// What was asked for.
        limit: usize,
        /// What the frame takes.
        least: usize,
    },
    /// Not even a summary's frame fits.
    #[error("a summary can't have at most {limit} bytes: without any file it has {least} already")]
    BytesTooFew {
        /// What was asked for.
        limit: usize,
        /// What the frame takes.
        least: usize,
    },
    /// The threads for reading could not be started.
    #[error("{threads} threads can't be started: {message}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        message: String,
    },
    /// A pack can't be written.
    #[error("the pack can't be written as {format}: {message}")]
    Write {
        format: &'static str,
        /// What is wrong.
        message: String,
    },
    /// Where a pack is written to takes no more.
    #[error("the pack can't be written out")]
    Output {
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    #[error("this is no pack in {format}: {message}")]
    Read {
        format: &'static str,
        /// What is wrong.
        message: String,
    },
    /// The format is for people and models, not for reading back.
    #[error("packs in {format} can't be read back; write JSON or MessagePack for that")]
    NotReadable { format: &'static str },
}

fn more_files(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => ", and so does 1 more file".to_owned(),
        more => format!(", and so do {more} more files"),
    }
}
