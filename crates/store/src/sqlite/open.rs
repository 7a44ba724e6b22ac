//! Opening the file: what kind it is, which version, and how this connection is to behave.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

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
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|source| Error::Open { path: path.to_owned(), source: Box::new(source) })?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    refuse_newer(path)?;
    let connection = accepted(path, flags).map_err(|fault| fault.at(path))?;
    let ready = || -> Result<(), Fault> {
        if version(&connection)? < migrate::known() {
            // No effect but on an empty file.
            connection.execute_batch("PRAGMA page_size = 16384")?;
            use_wal(&connection)?;
            migrate::migrate(&connection, migrate::MIGRATIONS, path)?;
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
            Err(Fault::Sql(error)) => accepted(&unchanging(path), flags).map_err(|_| Fault::Sql(error))?,
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

/// A database that nobody can write, without the files that SQLite would put beside it: it is read as it is.
fn unchanging(path: &Path) -> std::path::PathBuf {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1").into()
}

/// Whether the header has SQLite's mark or ours.
pub(super) fn is_ours(path: &Path) -> bool {
    let mut header = [0; 72];
    let read = fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut header));
    read.is_ok() && (header.starts_with(b"SQLite format 3") || header[68..] == APPLICATION.to_be_bytes()[4..])
}

/// Refuses a newer database by its header alone. Opening it with SQLite would put files of a write-ahead log beside it.
fn refuse_newer(path: &Path) -> Result<()> {
    let mut header = [0; 100];
    let read = fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut header));
    if read.is_err() || !header.starts_with(b"SQLite format 3\0") {
        // Missing, too short or something else: SQLite has a better word for it.
        return Ok(());
    }
    let number =
        |at: usize| i64::from(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
    let (found, known) = (number(60), migrate::known());
    if number(68) == APPLICATION && found > known {
        return Err(Error::NewerVersion { path: path.to_owned(), found, known });
    }
    Ok(())
}

/// Opens the file and looks at it without changing a byte, so that a database which is not for us stays as it is.
fn accepted(path: &Path, flags: OpenFlags) -> Result<Connection, Fault> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // Closing would otherwise fold the write-ahead log of a database that we refuse into its file.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // The file is first read here, not when it is opened.
    let (found, known) = (version(&connection)?, migrate::known());
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application == APPLICATION {
        if found > known {
            return Err(Error::NewerVersion { path: path.to_owned(), found, known }.into());
        }
        return Ok(connection);
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    // Another process may have made the tables between our two looks; then it has also left its mark.
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if tables == 0 || application == APPLICATION {
        Ok(connection)
    } else {
        Err(Error::ForeignDatabase { path: path.to_owned() }.into())
    }
}

pub(super) fn version(connection: &Connection) -> Result<i64, Fault> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
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
