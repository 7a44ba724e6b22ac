//! Opening the file: what kind it is, which version, and how this connection is to behave.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt::Write, io};

use ai_assist_base::platform;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{Error, Result};

use super::fault::Fault;
use super::migrate;

/// How long to wait for another process's lock. A batch takes well under a second; a migration of a large database may
/// take several.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// "aiDB": tells our files from those of other programs.
pub(super) const APPLICATION: i64 = 0x6169_4442;

pub(super) fn for_writing(path: &Path) -> Result<Connection> {
    with_steps(path, migrate::MIGRATIONS)
}

/// A new database that has taken only some of the steps, as a version of before would have made it.
pub(super) fn with_steps(path: &Path, steps: &[&str]) -> Result<Connection> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|source| Error::Open { path: path.to_owned(), source: Box::new(source) })?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    refuse_newer(path)?;
    let connection = accepted(path, flags).map_err(|fault| fault.at(path))?;
    let ready = || -> Result<(), Fault> {
        if version(&connection)? < migrate::count(steps) {
            // No effect but on an empty file.
            connection.execute_batch("PRAGMA page_size = 16384")?;
            use_wal(&connection)?;
            migrate::migrate(&connection, steps, path)?;
        }
        // In case it was copied, or another program set it back.
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        if mode != "wal" {
            use_wal(&connection)?;
        }
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        settle(&connection)
    };
    ready().map_err(|fault| fault.at(path))?;
    Ok(connection)
}

pub(super) fn for_reading(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let ready = || -> Result<Connection, Fault> {
        let connection = match accepted(path, flags) {
            Err(Fault::Sql(error)) if is_at_rest(path) => {
                accepted(&as_it_is(path), flags).map_err(|_| Fault::Sql(error))?
            }
            opened => opened?,
        };
        let (found, known) = (version(&connection)?, migrate::known());
        if found < known {
            return Err(Error::OlderVersion { path: path.to_owned(), found, known }.into());
        }
        settle(&connection)?;
        Ok(connection)
    };
    ready().map_err(|fault| fault.at(path))
}

/// Whether SQLite can't put the files that it needs beside a database, and need not: nobody else can either, and the file has
/// everything. Elsewhere reading the file alone would miss what is in the write-ahead log, and what others write.
fn is_at_rest(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let is_folded_in = match fs::metadata(log) {
        Ok(log) => log.len() == 0,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    is_folded_in && platform::is_read_only(folder)
}

/// A database as the file alone has it: SQLite takes no lock on it, reads no write-ahead log and puts no files beside it.
fn as_it_is(path: &Path) -> PathBuf {
    let path = path.as_os_str().as_encoded_bytes();
    let mut uri = String::from(if path.starts_with(b"/") { "file://" } else { "file:" });
    for &byte in path {
        match byte {
            b'/' | b':' | b'.' | b'-' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(char::from(byte));
            }
            // Writing to a string never fails.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri.into()
}

/// Whether the header has SQLite's mark or ours.
pub(super) fn is_ours(path: &Path) -> bool {
    let mut header = [0; 72];
    let read = read_header(path, &mut header);
    read.is_ok() && (header.starts_with(b"SQLite format 3") || header[68..] == APPLICATION.to_be_bytes()[4..])
}

/// Reads the start of a file that SQLite refuses, and so can't be read through it.
///
/// On Unix the file stays open. Closing any descriptor of a file drops every lock that this process has on it, also those of
/// connections to a database that was damaged after they were opened.
fn read_header(path: &Path, header: &mut [u8]) -> io::Result<()> {
    static OPEN: Mutex<Vec<((u64, u64), File)>> = Mutex::new(Vec::new());
    if cfg!(not(unix)) {
        return platform::read_exact_at(&File::open(path)?, header, 0);
    }
    let identity = platform::identity(&platform::lstat(path)?);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, file)) = open.iter().find(|(known, _)| *known == identity) {
        return platform::read_exact_at(file, header, 0);
    }
    let file = File::open(path)?;
    let read = platform::read_exact_at(&file, header, 0);
    open.push((identity, file));
    read
}

/// Refuses a newer database by its header alone. Opening it to use it would put files of a write-ahead log beside it.
///
/// The header is read through SQLite. A file opened and closed here would take the locks of this process's other connections
/// with it, and the next process to close the database would remove the write-ahead log that they go on writing to. SQLite
/// closes a file only when this process has no locks on it.
fn refuse_newer(path: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let look = || -> Result<(i64, i64), Fault> {
        let connection = Connection::open_with_flags(as_it_is(path), flags)?;
        Ok((application(&connection)?, version(&connection)?))
    };
    let known = migrate::known();
    match look() {
        Ok((APPLICATION, found)) if found > known => Err(Error::NewerVersion { path: path.to_owned(), found, known }),
        // What is missing or damaged is reported when the database is opened to be used.
        _ => Ok(()),
    }
}

/// Opens the file and looks at it without changing a byte, so that a database which is not for us stays as it is.
fn accepted(path: &Path, flags: OpenFlags) -> Result<Connection, Fault> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // Closing would otherwise fold the write-ahead log of a database that we refuse into its file.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // The file is first read here, not when it is opened.
    let (found, known) = (version(&connection)?, migrate::known());
    if application(&connection)? == APPLICATION {
        if found > known {
            return Err(Error::NewerVersion { path: path.to_owned(), found, known }.into());
        }
        return Ok(connection);
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    // Another process may have made the tables between our two looks; then it has also left its mark.
    if tables == 0 || application(&connection)? == APPLICATION {
        Ok(connection)
    } else {
        Err(Error::ForeignDatabase { path: path.to_owned() }.into())
    }
}

fn application(connection: &Connection) -> Result<i64, Fault> {
    Ok(connection.pragma_query_value(None, "application_id", |row| row.get(0))?)
}

pub(super) fn version(connection: &Connection) -> Result<i64, Fault> {
    // Every transaction asks.
    Ok(connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?)
}

/// Switching needs the file for itself for a moment, and SQLite does not wait there when two processes try at once.
/// Where the file system can't do it, SQLite stays with its rollback journal: slower beside other processes, as safe.
fn use_wal(connection: &Connection) -> Result<(), Fault> {
    let start = Instant::now();
    loop {
        let switched = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match switched {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return Ok(other.map(drop)?),
        }
    }
}

/// What is set anew for every connection.
fn settle(connection: &Connection) -> Result<(), Fault> {
    connection.set_prepared_statement_cache_capacity(64);
    // A plan must not depend on the values bound to it. Else SQLite makes it anew at each use wherever a partial index might
    // serve, which takes twenty times as long as the lookup itself.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // NORMAL: a power cut may take the last batches but never tears one, and a sync brings them back.
    connection.execute_batch(
        "PRAGMA foreign_keys = ON;
         PRAGMA synchronous = NORMAL;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -32768;
         PRAGMA mmap_size = 268435456;
         PRAGMA journal_size_limit = 67108864;",
    )?;
    Ok(())
}
