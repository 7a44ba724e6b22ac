use std::io;
use std::path::PathBuf;

use crate::{ChainError, PackError};

/// Why a ledger can't be read, added to or trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    #[error("the folder of transparency records `{}` can't be used", path.display())]
    Folder {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("another process has kept `{}` locked for {seconds} seconds; wait for it to end and try again", path.display())]
    Locked { path: PathBuf, seconds: u64 },
    #[error("the transparency record `{}` can't be written; check that the folder may be written to and has room", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("record {number} is missing: `{}` is not there; if there are later ones, it was taken away", path.display())]
    Missing { number: u64, path: PathBuf },
    #[error("record {number} can't be read from `{}`", path.display())]
    Read {
        number: u64,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("record {number} in `{}` is torn or was written by hand: it is no transparency record. Put it back from a backup, or keep this folder and begin another", path.display())]
    NoRecord {
        number: u64,
        path: PathBuf,
        #[source]
        source: PackError,
    },
    #[error("the records can't be trusted from number {number} on (`{}`): {problem}; {}", path.display(), meaning(problem))]
    Broken { number: u64, path: PathBuf, problem: Box<ChainError> },
    #[error("the new record {number} does not follow the last one: {problem}; please report this")]
    DoesNotFollow { number: u64, problem: Box<ChainError> },
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
