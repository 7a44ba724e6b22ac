//! What can be wrong with a ledger.

use std::io;
use std::path::PathBuf;

use crate::{ChainError, PackError};

/// Why a ledger can't be read, added to or trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The folder can't be made or listed.
    #[error("the folder of transparency records `{}` can't be used", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Another process does not let go of the lock.
    #[error("another process has kept `{}` locked for {seconds} seconds; wait for it to end and try again", path.display())]
    Locked {
        /// The lock.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// A record can't be written.
    #[error("the transparency record `{}` can't be written; check that the folder may be written to and has room", path.display())]
    Write {
        /// Its file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// There is no such record.
    #[error("record {number} is missing: `{}` is not there; if there are later ones, it was taken away", path.display())]
    Missing {
        number: u64,
        /// Where it should be.
        path: PathBuf,
    },
    /// A file can't be read.
    #[error("record {number} can't be read from `{}`", path.display())]
    Read {
        number: u64,
        /// Its file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file holds no record.
    #[error("record {number} in `{}` is torn or was written by hand: it is no transparency record. Put it back from a backup, or keep this folder and begin another", path.display())]
    NoRecord {
        number: u64,
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: PackError,
    },
    #[error("the records can't be trusted from number {number} on (`{}`): {problem}; {}", path.display(), meaning(problem))]
    Broken {
        /// The first one that is wrong.
        number: u64,
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        problem: Box<ChainError>,
    },
    /// A record that was just made can't stand where it was to: a mistake in this program.
    #[error("the new record {number} does not follow the last one: {problem}; please report this")]
    DoesNotFollow {
        number: u64,
        /// What is wrong.
        problem: Box<ChainError>,
    },
    /// No record could be made.
    #[error("no transparency record could be made")]
    Make(#[source] PackError),
}

/// What a broken chain says of what was done.
fn meaning(problem: &ChainError) -> &'static str {
    match problem {
        ChainError::Changed { .. } => "somebody edited this file",
        ChainError::Broken { .. } => "this record or the one before it was replaced, moved, or put in later",
        ChainError::NoBeginning { .. } => "the records before it were taken away",
        ChainError::Unhashable { .. } => "nothing can be said about it",
    }
}
