//! A folder, a store and sessions to try with.

use std::path::{Path, PathBuf};

use ai_assist_session::{How, NewSession, ReadFile, Session};
use ai_assist_store::objects::{ObjectId, SqliteObjects};
use tempfile::TempDir;

pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    data: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Bench { folder: TempDir::new().unwrap(), data: TempDir::new().unwrap() }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.data.path().join("assist.db")
    }

    pub(crate) fn objects(&self) -> SqliteObjects {
        SqliteObjects::open(&self.database()).unwrap()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn new_session(&self, name: &str) -> NewSession {
        NewSession {
            name: Some(name.parse().unwrap()),
            folder: Some(self.root().to_str().unwrap().to_owned()),
            system_prompt: "Be brief.".to_owned(),
            filesystem_id: "fs1".to_owned(),
            ..NewSession::default()
        }
    }

    pub(crate) fn session(&self, name: &str) -> Session {
        Session::create(Box::new(self.objects()), self.new_session(name)).unwrap()
    }

    pub(crate) fn load(&self, name: &str) -> Session {
        Session::load(Box::new(self.objects()), name).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

pub(crate) fn now() -> How {
    How::default()
}

pub(crate) fn file(path: impl AsRef<Path>) -> ReadFile {
    ReadFile { path: path.as_ref().to_owned(), bytes: None }
}

pub(crate) fn read(session: &mut Session, path: &str) -> ObjectId {
    session.read(&[file(path)], &now()).unwrap()[0].id.parse().unwrap()
}

/// index, pool, active, pinned
pub(crate) fn sizes(session: &Session) -> [usize; 4] {
    let sets = session.sets();
    [sets.index().len(), sets.pool().len(), sets.active().len(), sets.pinned().len()]
}
