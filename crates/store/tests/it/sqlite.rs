//! The suite over SQLite.

use ai_assist_store::SqliteStore;
use tempfile::TempDir;

use crate::conformance::{Site, conformance};

struct SqliteSite(TempDir);

impl Site for SqliteSite {
    type Store = SqliteStore;

    fn new() -> Self {
        SqliteSite(TempDir::new().unwrap())
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.0.path().join("data").join("assist.db")).unwrap()
    }
}

conformance!(SqliteSite);
