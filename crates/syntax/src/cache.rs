//! What texts say, by their contents: no text is parsed twice on one machine.
//!
//! One SQLite file that several processes share. Each record has its own checksum, so that a damaged one is merely not
//! found; a file that is damaged as a whole is set aside and begun anew. Past its cap the older half goes. Nothing is lost
//! with it but time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ai_assist_identity::Sha256;
use ai_assist_text::Language;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use crate::{Analysis, Facts, Reference, SYNTAX_VERSION, Unparsed};

const KEY: usize = 16;
type Key = [u8; KEY];

/// So many bytes of records may wait for the disk.
const WAITING: usize = 4 << 20;

const PATIENCE: Duration = Duration::from_secs(2);

const TABLE: &str = "
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS analyses (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, said BLOB NOT NULL);";

/// What is known of texts. [`Default`] knows nothing and keeps nothing.
#[derive(Debug, Default)]
pub struct SyntaxCache {
    file: Option<PathBuf>,
    cap: u64,
    connection: Mutex<Option<Connection>>,
    fresh: Mutex<Fresh>,
}

/// What was learned since opening and is not on the disk yet.
#[derive(Debug, Default)]
struct Fresh {
    records: Vec<(Key, Vec<u8>)>,
    bytes: usize,
    /// Why the ones before are not on the disk either.
    failure: Option<rusqlite::Error>,
}

impl SyntaxCache {
    const DEFAULT_CAP: u64 = 256 << 20;

    /// The cache below the root of all caches, which need not be there. One that can't be read knows nothing.
    pub fn open(root: &Path) -> Self {
        Self::with_cap(root, Self::DEFAULT_CAP)
    }

    fn with_cap(root: &Path, cap: u64) -> Self {
        let file = root.join("syntax/analyses.db");
        let connection = if file.exists() { open_or_replace(&file).ok() } else { None };
        SyntaxCache { file: Some(file), cap, connection: Mutex::new(connection), fresh: Mutex::default() }
    }

    /// What a text says, from here if it is known and from the parser otherwise.
    pub fn analysis(&self, text: &str, language: Language) -> Result<Analysis, Unparsed> {
        if self.file.is_none() {
            return Analysis::of(text, language);
        }
        let key = key_of(text, language);
        if let Some(known) = self.get(&key) {
            return Ok(known);
        }
        let analysis = Analysis::of(text, language)?;
        self.put(key, &analysis.facts, &analysis.references);
        Ok(analysis)
    }

    /// Keeps what the parser said of a text.
    pub fn remember(&self, text: &str, language: Language, facts: &Facts, references: &[Reference]) {
        if self.file.is_some() {
            self.put(key_of(text, language), facts, references);
        }
    }

    fn get(&self, key: &Key) -> Option<Analysis> {
        let record: Vec<u8> = {
            let mut connection = locked(&self.connection);
            let found = connection.as_ref().map(|connection| {
                let mut select = connection.prepare_cached("SELECT said FROM analyses WHERE key = ?1")?;
                select.query_row([key.as_slice()], |row| row.get(0)).optional()
            });
            match found? {
                Ok(record) => record?,
                Err(error) => {
                    // A damaged file is asked no more, and set aside when there is something to write.
                    if is_damage(&error) {
                        *connection = None;
                    }
                    return None;
                }
            }
        };
        let (sum, said) = record.split_first_chunk::<4>()?;
        if crc32fast::hash(said).to_le_bytes() != *sum {
            return None;
        }
        rmp_serde::from_slice(said).ok()
    }

    fn put(&self, key: Key, facts: &Facts, references: &[Reference]) {
        // As an `Analysis` is written.
        let Ok(said) = rmp_serde::to_vec(&(facts, references)) else { return };
        let record = [&crc32fast::hash(&said).to_le_bytes(), said.as_slice()].concat();
        let mut fresh = locked(&self.fresh);
        fresh.bytes += record.len();
        fresh.records.push((key, record));
        if fresh.bytes >= WAITING {
            self.flush(&mut fresh);
        }
    }

    /// Writes what was learned since opening.
    pub fn save(&self) -> io::Result<()> {
        let mut fresh = locked(&self.fresh);
        self.flush(&mut fresh);
        fresh.failure.take().map_or(Ok(()), |error| Err(io::Error::other(error)))
    }

    fn flush(&self, fresh: &mut Fresh) {
        fresh.bytes = 0;
        let records = std::mem::take(&mut fresh.records);
        // After one failure the next one would only cost time.
        if let Some(file) = &self.file
            && fresh.failure.is_none()
            && !records.is_empty()
        {
            fresh.failure = self.write(file, &records).err();
        }
    }

    fn write(&self, file: &Path, records: &[(Key, Vec<u8>)]) -> rusqlite::Result<()> {
        let mut connection = locked(&self.connection);
        if connection.is_none() {
            *connection = Some(open_or_replace(file)?);
        }
        let Some(open) = connection.as_mut() else { return Ok(()) };
        let written = insert(open, records, self.cap);
        match written {
            Err(error) if is_damage(&error) => {
                *connection = None;
                let mut anew = replace(file)?;
                let written = insert(&mut anew, records, self.cap);
                *connection = Some(anew);
                written
            }
            written => written,
        }
    }
}

fn insert(to: &mut Connection, records: &[(Key, Vec<u8>)], cap: u64) -> rusqlite::Result<()> {
    let transaction = to.transaction()?;
    {
        let mut insert = transaction.prepare_cached("INSERT OR REPLACE INTO analyses (key, said) VALUES (?1, ?2)")?;
        for (key, record) in records {
            insert.execute(params![key.as_slice(), record])?;
        }
        let pragma = |name: &str| -> rusqlite::Result<u64> {
            transaction.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
        };
        // Pages that were freed are used again, so the file need not be made smaller.
        while (pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")? > cap {
            let older = "DELETE FROM analyses WHERE id <=
                (SELECT id FROM analyses ORDER BY id LIMIT 1 OFFSET (SELECT count(*) / 2 FROM analyses))";
            if transaction.execute(older, [])? == 0 {
                break;
            }
        }
    }
    transaction.commit()
}

fn open_or_replace(file: &Path) -> rusqlite::Result<Connection> {
    match open(file) {
        Err(error) if is_damage(&error) => replace(file),
        opened => opened,
    }
}

fn open(file: &Path) -> rusqlite::Result<Connection> {
    if let Some(folder) = file.parent() {
        // What can't be made can't be opened either, which says why.
        let _ = std::fs::create_dir_all(folder);
    }
    let connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch(TABLE)?;
    Ok(connection)
}

/// Sets a damaged file aside and begins a new one. Who has the old one open goes on with it.
fn replace(file: &Path) -> rusqlite::Result<Connection> {
    let _ = std::fs::rename(file, file.with_extension("damaged"));
    for end in ["db-wal", "db-shm"] {
        let _ = std::fs::remove_file(file.with_extension(end));
    }
    open(file)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn key_of(text: &str, language: Language) -> Key {
    let text = Sha256::of(text.as_bytes());
    let whole = [text.as_bytes(), &SYNTAX_VERSION.to_le_bytes()[..], language.name().as_bytes()].concat();
    let hash = Sha256::of(&whole);
    std::array::from_fn(|at| hash.as_bytes()[at])
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
