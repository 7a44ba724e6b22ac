//! The database of a mode: its documents with their keys, and what the code says about itself.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use ai_assist_identity::Sha256;
use ai_assist_syntax::{Facts, Reference};
use ai_assist_text::Language;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::{BuildError, Result};
use crate::{symbols, uses};

/// Raised when the tables change, or what goes into them or into an index for one and the same file: how files are
/// admitted, what is taken out of them, what becomes a symbol or a remark.
pub(crate) const CONTENT_VERSION: i64 = 4;

const TABLES: &str = "
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE documents (
        key INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        hash BLOB NOT NULL,
        size INTEGER NOT NULL,
        language TEXT NOT NULL,
        chunks INTEGER NOT NULL,
        redacted INTEGER NOT NULL
    );
    CREATE TABLE imports (
        document INTEGER NOT NULL,
        number INTEGER NOT NULL,
        module TEXT NOT NULL,
        line INTEGER NOT NULL,
        PRIMARY KEY (document, number)
    ) WITHOUT ROWID;";

/// Made at the end, because filling a table first and sorting it then is faster. What is sorted goes through a file, so that memory does
/// not grow with the number of symbols.
const INDEXES: &str = "
    CREATE INDEX IF NOT EXISTS names_by_name ON names (name COLLATE NOCASE);
    CREATE INDEX IF NOT EXISTS imports_by_module ON imports (module);";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) key: u64,
    pub(crate) hash: Sha256,
    pub(crate) chunks: u64,
}

/// A document as the database takes it.
#[derive(Debug)]
pub(crate) struct Row<'r> {
    pub(crate) key: u64,
    pub(crate) path: &'r str,
    pub(crate) hash: Sha256,
    pub(crate) size: u64,
    pub(crate) language: Language,
    pub(crate) chunks: u64,
    pub(crate) redacted: u64,
    pub(crate) facts: Option<&'r Facts>,
    pub(crate) references: &'r [Reference],
}

/// A database that is being written. Nobody else sees it, and after a crash it is thrown away: it needs no journal.
#[derive(Debug)]
pub(crate) struct Db {
    connection: Connection,
    path: PathBuf,
    names: RefCell<uses::Numbers>,
    /// Whether it is filled from nothing.
    is_new: bool,
}

impl Db {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let mut db = Self::writing(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        (db.is_new, db.names) = (true, RefCell::new(uses::Numbers::of_new()));
        let failed = BuildError::db(path);
        for tables in [TABLES, uses::TABLES, symbols::TABLES, symbols::UNSORTED] {
            db.connection.execute_batch(tables).map_err(&failed)?;
        }
        db.set("content", CONTENT_VERSION)?;
        Ok(db)
    }

    /// One that was copied from another build.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::writing(path, OpenFlags::empty())
    }

    fn writing(path: &Path, more: OpenFlags) -> Result<Self> {
        let failed = BuildError::db(path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
        let connection = Connection::open_with_flags(path, flags).map_err(&failed)?;
        connection
            .execute_batch(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
                 PRAGMA temp_store = FILE; PRAGMA cache_size = -16384; BEGIN;",
            )
            .map_err(&failed)?;
        Ok(Db { connection, path: path.to_owned(), names: RefCell::default(), is_new: false })
    }

    fn set(&self, name: &str, value: i64) -> Result<()> {
        let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
        self.run(sql, params![name, value])
    }

    fn run(&self, sql: &str, values: impl rusqlite::Params) -> Result<()> {
        let failed = BuildError::db(&self.path);
        self.connection.prepare_cached(sql).and_then(|mut sql| sql.execute(values)).map(drop).map_err(failed)
    }

    /// Writes a document in place of what its key had before.
    pub(crate) fn put(&self, row: &Row<'_>) -> Result<()> {
        if !self.is_new {
            self.remove(row.key)?;
        }
        self.run(
            "INSERT INTO documents (key, path, hash, size, language, chunks, redacted)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                row.key.cast_signed(),
                row.path,
                row.hash.as_bytes(),
                row.size.cast_signed(),
                row.language.name(),
                row.chunks.cast_signed(),
                row.redacted.cast_signed()
            ],
        )?;
        let put = self.put_symbols(row.key.cast_signed(), row.facts, row.references);
        put.map_err(BuildError::db(&self.path))?;
        let Some(facts) = row.facts else { return Ok(()) };
        for (number, import) in (0i64..).zip(&facts.imports) {
            let line = i64::try_from(import.line).unwrap_or(i64::MAX);
            let values = params![row.key.cast_signed(), number, import.module, line];
            self.run("INSERT INTO imports VALUES (?1, ?2, ?3, ?4)", values)?;
        }
        Ok(())
    }

    fn put_symbols(&self, key: i64, facts: Option<&Facts>, references: &[Reference]) -> rusqlite::Result<()> {
        let (to, mut names) = (&self.connection, self.names.borrow_mut());
        if !references.is_empty() {
            names.put(to, key, references)?;
        }
        let symbols = facts.map(Facts::symbols).unwrap_or_default();
        symbols::put_blocks(to, key, &symbols)?;
        let table = if self.is_new { "temp.unsorted" } else { "definitions" };
        let sql = format!("INSERT INTO {table} (name, document, number) VALUES (?1, ?2, ?3)");
        let mut insert = to.prepare_cached(&sql)?;
        for (number, symbol) in (0i64..).zip(&symbols) {
            insert.execute(params![names.number(to, symbol.name)?, key, number])?;
        }
        Ok(())
    }

    pub(crate) fn remove(&self, key: u64) -> Result<()> {
        let key = key.cast_signed();
        self.run("DELETE FROM documents WHERE key = ?1", [key])?;
        symbols::remove(&self.connection, key).map_err(BuildError::db(&self.path))?;
        self.run("DELETE FROM imports WHERE document = ?1", [key])?;
        self.run("DELETE FROM uses WHERE document = ?1", [key])
    }

    /// Ends writing. The file is whole and on the disk then.
    pub(crate) fn finish(self, next_key: u64) -> Result<()> {
        self.set("next_key", next_key.cast_signed())?;
        let failed = BuildError::db(&self.path);
        if self.is_new {
            self.connection.execute_batch(symbols::SORT).map_err(&failed)?;
        }
        self.connection.execute_batch("COMMIT").map_err(&failed)?;
        self.connection.execute_batch(INDEXES).map_err(&failed)?;
        let Db { connection, path, .. } = self;
        connection.close().map_err(|(_, error)| failed(error))?;
        ai_assist_base::sync_file(&path).map_err(BuildError::io("writing", &path))
    }
}

pub(crate) fn open_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// The documents of a build, by path, and the next key that none of them ever had. None if they were made otherwise than
/// this program makes them.
pub(crate) fn load(path: &Path) -> rusqlite::Result<Option<(std::collections::HashMap<String, Head>, u64)>> {
    let connection = open_to_read(path)?;
    let meta = |name: &str| -> rusqlite::Result<Option<i64>> {
        connection.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0)).optional()
    };
    let (content, next_key) = (meta("content")?, meta("next_key")?);
    let (Some(CONTENT_VERSION), Some(next_key)) = (content, next_key) else { return Ok(None) };
    let mut documents = std::collections::HashMap::new();
    let mut select = connection.prepare("SELECT path, key, hash, chunks FROM documents")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let hash: [u8; 32] = row.get(2)?;
        let (key, chunks): (i64, i64) = (row.get(1)?, row.get(3)?);
        let head = Head { key: key.cast_unsigned(), hash: Sha256::from_bytes(hash), chunks: chunks.cast_unsigned() };
        documents.insert(row.get(0)?, head);
    }
    Ok(Some((documents, next_key.cast_unsigned())))
}
