//! From what SQLite says to what a person can act on.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::error::Error;

use super::open::PATIENCE;

const SHARED_MEMORY_SIZE: i32 = rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

/// The result of every job, before it is known in which file.
pub(super) type Result<T, E = Fault> = std::result::Result<T, E>;

/// Why a job failed, before it is known in which file.
#[derive(Debug)]
pub(super) enum Fault {
    Sql(rusqlite::Error),
    /// A row that says what can't be.
    Corrupt(String),
    Refused(Error),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault::Sql(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Refused(error)
    }
}

impl Fault {
    pub(super) fn at(self, path: &Path) -> Error {
        let path = path.to_owned();
        match self {
            Fault::Refused(error) => error,
            Fault::Corrupt(detail) => Error::Corrupt { path, detail },
            Fault::Sql(error) => match (&error, error.sqlite_error_code()) {
                (_, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) => {
                    Error::Busy { path, waited: PATIENCE }
                }
                (_, Some(ErrorCode::DiskFull)) => Error::Full { path },
                // There is no other reason why the small index of the write-ahead log can't be given its size.
                (rusqlite::Error::SqliteFailure(failure, _), _) if failure.extended_code == SHARED_MEMORY_SIZE => {
                    Error::Full { path }
                }
                (_, Some(ErrorCode::DatabaseCorrupt)) => Error::Corrupt { path, detail: error.to_string() },
                (_, Some(ErrorCode::NotADatabase)) => Error::NotADatabase { path },
                (_, Some(ErrorCode::ReadOnly)) => Error::ReadOnly { path },
                (_, Some(ErrorCode::TooBig)) => Error::TooLarge { path },
                (_, Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied)) => {
                    Error::Open { path, source: Box::new(error) }
                }
                // The tables are STRICT, so a value of the wrong kind was not written by SQLite.
                (
                    rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::Utf8Error(..)
                    | rusqlite::Error::QueryReturnedNoRows,
                    _,
                ) => Error::Corrupt { path, detail: error.to_string() },
                _ => Error::Database { path, source: Box::new(error) },
            },
        }
    }
}
