//! Objects with their history, in the same file as the documents.

mod as_of;
pub(super) mod check;
mod json;
mod read;
pub(super) mod repair;
mod requests;
mod row;
mod write;

use std::collections::HashMap;
use std::path::Path;

use ai_assist_identity::ContentHash;
use rayon::prelude::*;

use crate::objects::{
    AsOf, Content, Delta, Forgotten, Moment, ObjectBatch, ObjectId, Objects, Recorded, RequestId, Stamp, Version,
    VersionHead, Written,
};
use crate::{Result, Seq};

use super::SqliteStore;
use super::fault::Fault;

use as_of::Point;
use json::Json;
use requests::Request;
use write::Event;

/// Fewer texts are packed on the thread that writes them: what an agent does one by one should not start a pool of threads.
const WORTH_SHARING: usize = 16;

/// What is left after a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    #[default]
    Full,
    /// Whole batches, but perhaps not the last ones. For writes that can be repeated.
    Normal,
}

/// A connection to the objects in one SQLite file, beside a [`SqliteStore`](crate::SqliteStore)'s documents.
#[derive(Debug)]
pub struct SqliteObjects {
    store: SqliteStore,
    clock: fn() -> Moment,
}

impl SqliteObjects {
    /// Opens the objects at this path; makes the file, with its folder, if there is none, and brings an older one up to
    /// date. One of a newer version is refused and left as it is.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Durability::Full)
    }

    /// The same, with a choice of what a power cut may take.
    pub fn open_with(path: &Path, durability: Durability) -> Result<Self> {
        Self::open_at(path, durability, Moment::now)
    }

    /// Opens objects that must be there and up to date, for reading only.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        Ok(SqliteObjects { store: SqliteStore::open_read_only(path)?, clock: Moment::now })
    }

    pub fn path(&self) -> &Path {
        self.store.path()
    }

    fn open_at(path: &Path, durability: Durability, clock: fn() -> Moment) -> Result<Self> {
        let store = SqliteStore::open_or_read(path)?;
        if durability == Durability::Full {
            store.named(store.connection.execute_batch("PRAGMA synchronous = FULL").map_err(Fault::from))?;
        }
        Ok(SqliteObjects { store, clock })
    }
}

impl Objects for SqliteObjects {
    fn write(&mut self, batch: ObjectBatch) -> Result<Written> {
        // Packed before the lock is taken, and only what is not there.
        let mut events = each(batch.writes, Event::prepare)?;
        let mut texts: HashMap<ContentHash, Content> = HashMap::new();
        for content in events.iter_mut().filter_map(|event| event.content.as_mut()) {
            *content = texts.entry(content.hash()).or_insert_with(|| content.clone()).clone();
        }
        let missing = self.store.read(|db| write::missing(db, texts.values().collect()))?;
        each(missing, |content| content.packed().map(drop))?;
        let reply = batch.reply.map(Json::pack).transpose()?;
        let request = batch.request.map(|id| Request { id, fingerprint: batch.fingerprint, reply });
        let clock = self.clock;
        self.store.write(|db| write::write(db, clock, request.as_ref(), &batch.needs, &events))
    }

    fn recorded(&self, request: &RequestId) -> Result<Option<Recorded>> {
        self.store.read(|db| requests::find(db, request))
    }

    fn get(&self, id: &ObjectId, at: AsOf) -> Result<Option<Version>> {
        self.store.read(|db| read::get(db, id, Point::find(db, at, self.clock)?, true))
    }

    fn get_many(&self, ids: &[ObjectId], at: AsOf, with_text: bool) -> Result<Vec<Option<Version>>> {
        self.store.read(|db| {
            let point = Point::find(db, at, self.clock)?;
            ids.iter().map(|id| read::get(db, id, point, with_text)).collect()
        })
    }

    fn version(&self, seq: Seq) -> Result<Option<Version>> {
        self.store.read(|db| read::version(db, super::row::int(seq.0), true))
    }

    fn history(&self, id: &ObjectId) -> Result<Vec<VersionHead>> {
        self.store.read(|db| read::history(db, id))
    }

    fn histories(&self, ids: &[ObjectId]) -> Result<Vec<VersionHead>> {
        self.store.read(|db| read::histories(db, ids))
    }

    fn deltas(&self, id: &ObjectId, at: AsOf) -> Result<Vec<Delta>> {
        self.store.read(|db| read::deltas(db, id, Point::find(db, at, self.clock)?))
    }

    fn first_of(&self, id: &ObjectId) -> Result<Option<Seq>> {
        self.store.read(|db| read::first_of(db, id))
    }

    fn last_of(&self, id: &ObjectId) -> Result<Option<Seq>> {
        self.store.read(|db| read::last_of(db, id))
    }

    fn of_kind(&self, kind: &str) -> Result<Vec<ObjectId>> {
        self.store.read(|db| read::of_kind(db, kind))
    }

    fn starting_with(&self, prefix: &str, limit: usize) -> Result<Vec<ObjectId>> {
        self.store.read(|db| read::starting_with(db, prefix, limit))
    }

    fn events_since(&self, after: Seq, limit: usize) -> Result<Vec<VersionHead>> {
        self.store.read(|db| read::events_since(db, after, limit))
    }

    fn texts(&self, hashes: &[ContentHash]) -> Result<Vec<Option<String>>> {
        self.store.read(|db| hashes.iter().map(|hash| read::text_of(db, hash)).collect())
    }

    fn last(&self) -> Result<(Seq, Moment)> {
        self.store.read(read::last)
    }

    fn stamp(&self) -> Result<Stamp> {
        self.store.read(read::stamp)
    }

    fn forget(&mut self, ids: &[ObjectId], since: Option<Seq>) -> Result<Forgotten> {
        self.store.write(|db| write::forget(db, ids, since))
    }
}

/// Some jobs, on all cores if they are many.
fn each<J: Send, T: Send>(jobs: Vec<J>, job: impl Fn(J) -> Result<T> + Sync + Send) -> Result<Vec<T>> {
    if jobs.len() < WORTH_SHARING {
        return jobs.into_iter().map(job).collect();
    }
    jobs.into_par_iter().map(job).collect()
}

#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
