//! The suite over SQLite.

use ai_assist_store::objects::SqliteObjects;
use ai_assist_store::{SqliteStore, Store};
use tempfile::TempDir;

use super::{Site, objects_conformance};

struct SqliteSite(TempDir);

impl Site for SqliteSite {
    type Objects = SqliteObjects;

    fn new() -> Self {
        SqliteSite(TempDir::new().unwrap())
    }

    fn open(&self) -> SqliteObjects {
        SqliteObjects::open(&self.0.path().join("data").join("assist.db")).unwrap()
    }

    fn assert_sound(&self) {
        let store = SqliteStore::open(&self.0.path().join("data").join("assist.db")).unwrap();
        assert_eq!(store.check().unwrap(), []);
    }
}

objects_conformance!(SqliteSite);
