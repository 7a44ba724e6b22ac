//! The store in one SQLite file.

mod check;
mod collections;
mod fault;
mod migrate;
mod objects;
mod open;
mod packages;
mod read;
mod readings;
mod recover;
mod repair;
mod row;
mod write;

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ai_assist_identity::{CollectionId, DocPath, Sha256};
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{
    Applied, Change, Changed, CollectionRecord, CollectionState, Defect, Document, DocumentHead, DocumentId,
    DocumentInfo, Error, NewCollection, PackageRecord, Reading, Result, Seq, Store,
};

use fault::Fault;

pub use objects::{Durability, SqliteObjects};
pub use recover::{Recovered, RecoveredTable};

/// A connection to a store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    connection: Connection,
    path: PathBuf,
}

impl SqliteStore {
    /// Opens the store at this path; makes it, with its folder, if there is none, and brings an older one up to date.
    /// One of a newer version is refused and left as it is.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(SqliteStore { connection: open::for_writing(path)?, path: path.to_owned() })
    }

    /// The same; where nothing can be written, one that is there is opened for reading.
    pub fn open_or_read(path: &Path) -> Result<Self> {
        match Self::open(path) {
            Err(error @ (Error::ReadOnly { .. } | Error::Open { .. })) if path.is_file() => {
                Self::open_read_only(path).map_err(|_| error)
            }
            opened => opened,
        }
    }

    /// Opens a store that must be there and up to date, for reading only.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        Ok(SqliteStore { connection: open::for_reading(path)?, path: path.to_owned() })
    }

    /// Whether a file is, or once was, a store of this program: one that can't be opened may be somebody else's.
    pub fn is_ours(path: &Path) -> bool {
        open::is_ours(path)
    }

    /// Makes a store that can't be opened any more, or whose pages are damaged, anew out of what can be read of it.
    pub fn recover(path: &Path) -> Result<Recovered> {
        recover::recover(path)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives room that dropped documents have left back to the disk. Writes the whole file anew, so it takes the time and
    /// for a while the room of a copy.
    pub fn compact(&mut self) -> Result<()> {
        self.named(self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)").map_err(Fault::from))
    }

    /// One state of the database for several statements.
    fn read<T>(&self, job: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T> {
        self.named((|| {
            // Rolled back when dropped, which is how reading ends.
            let transaction = self.connection.unchecked_transaction()?;
            self.refuse_other_version(&transaction)?;
            job(&transaction)
        })())
    }

    /// All of it or nothing. The lock is taken at the start: a transaction that read first and then wanted to write could
    /// be refused at once instead of waiting.
    fn write<T>(&mut self, job: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T> {
        let done = (|| {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            self.refuse_other_version(&transaction)?;
            let value = job(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })();
        self.named(done)
    }

    /// Another process may have brought the database up to its own, later version since it was opened here. Statements of this
    /// version may then still be valid and mean something else.
    fn refuse_other_version(&self, transaction: &Connection) -> Result<(), Fault> {
        let (found, known) = (open::version(transaction)?, migrate::known());
        match found.cmp(&known) {
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(Error::NewerVersion { path: self.path.clone(), found, known }.into()),
            Ordering::Less => Err(Error::OlderVersion { path: self.path.clone(), found, known }.into()),
        }
    }

    fn named<T>(&self, result: Result<T, Fault>) -> Result<T> {
        result.map_err(|fault| fault.at(&self.path))
    }
}

impl Store for SqliteStore {
    fn collections(&self) -> Result<Vec<CollectionRecord>> {
        self.read(collections::all)
    }

    fn collection(&self, id: &CollectionId) -> Result<Option<CollectionRecord>> {
        self.read(|db| collections::find(db, id))
    }

    fn ensure_collection(&mut self, collection: &NewCollection) -> Result<CollectionRecord> {
        // Nearly always it is there, and then no writer need be waited for.
        match self.read(|db| collections::find_same(db, collection))? {
            Some(found) => Ok(found),
            None => self.write(|db| collections::ensure(db, collection)),
        }
    }

    fn state(&self, id: &CollectionId) -> Result<Option<CollectionState>> {
        self.read(|db| collections::state(db, id))
    }

    fn drop_collection(&mut self, id: &CollectionId) -> Result<bool> {
        self.write(|db| collections::drop(db, id))
    }

    fn heads(&self, id: &CollectionId) -> Result<Vec<DocumentHead>> {
        self.read(|db| read::heads(db, id))
    }

    fn apply(&mut self, id: &CollectionId, changes: Vec<Change>) -> Result<Vec<Applied>> {
        self.write(|db| write::apply(db, id, &changes))
    }

    fn mark_synced(&mut self, id: &CollectionId, manifest_hash: Option<Sha256>) -> Result<()> {
        self.write(|db| collections::mark_synced(db, id, manifest_hash))
    }

    fn package(&self, id: &CollectionId) -> Result<Option<PackageRecord>> {
        self.read(|db| packages::find(db, id))
    }

    fn set_package(&mut self, id: &CollectionId, package: &PackageRecord) -> Result<()> {
        self.write(|db| packages::set(db, id, package))
    }

    fn changes_since(&self, id: &CollectionId, after: Seq, limit: usize) -> Result<Vec<Changed>> {
        self.read(|db| read::changes_since(db, id, after, limit))
    }

    fn prune_tombstones(&mut self, id: &CollectionId, upto: Seq) -> Result<()> {
        self.write(|db| collections::prune(db, id, upto))
    }

    fn forget_replaced(&mut self, id: &CollectionId, age: Duration) -> Result<()> {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let until = Timestamp::now().as_millisecond().saturating_sub(age);
        if !self.read(|db| collections::has_replaced(db, id, until))? {
            return Ok(());
        }
        self.write(|db| collections::forget_replaced(db, id, until))
    }

    fn document(&self, id: &CollectionId, path: &DocPath) -> Result<Option<Document>> {
        self.read(|db| read::document(db, id, path))
    }

    fn text_at(&self, id: DocumentId, put: Seq, hash: &Sha256) -> Result<Option<String>> {
        self.read(|db| read::text_at(db, id, put, hash))
    }

    fn list_documents(&self, id: &CollectionId) -> Result<Vec<DocumentInfo>> {
        self.read(|db| read::list(db, id))
    }

    fn readings(&self) -> Result<Vec<Reading>> {
        self.read(readings::all)
    }

    fn set_reading(&mut self, reading: &Reading) -> Result<()> {
        self.write(|db| readings::set(db, reading))
    }

    fn forget_reading(&mut self, config: &str, name: &str) -> Result<()> {
        self.write(|db| readings::forget(db, config, name))
    }

    fn copy_collection(&mut self, from: &CollectionId, to: &NewCollection) -> Result<()> {
        self.write(|db| readings::copy(db, from, to))
    }

    fn check(&self) -> Result<Vec<Defect>> {
        self.read(|db| Ok(check::inspect(db)?.iter().map(check::Finding::defect).collect()))
    }

    fn repair(&mut self) -> Result<Vec<String>> {
        self.write(repair::repair)
    }
}

#[cfg(test)]
mod tests;
