//! Texts of documents out of the database, for indexes that don't keep them.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ai_assist_index::{TextPlace, Texts};
use ai_assist_store::{DocumentId, Seq, SqliteStore, Store};

/// More threads than this at once are rare, and a connection has room of its own.
const KEPT: usize = 8;

/// Any number of threads may ask: each has a connection of its own for as long as it takes.
#[derive(Debug)]
pub(crate) struct StoredTexts {
    database: PathBuf,
    /// Connections that nobody is asking just now.
    idle: Mutex<Vec<SqliteStore>>,
}

impl StoredTexts {
    pub(crate) fn new(database: &Path) -> Self {
        StoredTexts { database: database.to_owned(), idle: Mutex::default() }
    }

    /// Closes all connections but one that nobody is asking.
    pub(crate) fn rest(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle.len().min(1);
        let rest = idle.split_off(kept);
        // Closed only when nobody waits for that.
        drop(idle);
        drop(rest);
    }
}

impl Texts for StoredTexts {
    fn text(&self, place: &TextPlace) -> Result<Option<String>, Box<dyn Error + Send + Sync>> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let store = match waiting {
            Some(store) => store,
            None => SqliteStore::open_read_only(&self.database)?,
        };
        let text = store.text_at(DocumentId(place.key.cast_signed()), Seq(place.put), &place.hash);
        let mut idle = idle();
        if idle.len() < KEPT {
            idle.push(store);
        }
        Ok(text?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_connection_is_kept_at_rest() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("assist.db");
        drop(SqliteStore::open(&database).unwrap());
        let texts = StoredTexts::new(&database);
        texts.rest();
        for _ in 0..3 {
            texts.idle.lock().unwrap().push(SqliteStore::open_read_only(&database).unwrap());
        }
        texts.rest();
        assert_eq!(texts.idle.lock().unwrap().len(), 1);
        let place = TextPlace { key: 1, put: 1, hash: ai_assist_identity::Sha256::of(b"none") };
        assert!(texts.text(&place).unwrap().is_none());
        assert_eq!(texts.idle.lock().unwrap().len(), 1);
    }
}
