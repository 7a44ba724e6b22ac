//! Sessions that were removed, and stay so: a transcript that grows, or a client that is still running, must not bring them back.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use ai_assist_base::{FileLock, ReadError, read_bounded, replace_file};
use ai_assist_session::gc::{GcCounts, Unwanted, collect, plan};
use ai_assist_store::objects::Forgotten;
use serde::{Deserialize, Serialize};

use crate::{Error, Project, Result};

const DELETED: &str = "session-deleted.json";
const LARGEST: u64 = 64 << 20;
/// So long another one may take to note a name.
const PATIENCE: Duration = Duration::from_secs(10);

/// The names of sessions that were removed.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Deleted {
    sessions: BTreeSet<String>,
}

impl Project {
    /// Removes sessions with what only they knew, and remembers that they are not wanted.
    pub fn remove_sessions(&self, unwanted: &Unwanted) -> Result<(GcCounts, Forgotten)> {
        // What hooks have told of them goes with them.
        self.take_in_hooks();
        let mut objects = self.objects()?;
        // Noted before they are gone: whoever is stopped in between can ask again, and what is there is never looked up among them.
        self.note_deleted(&plan(&objects, unwanted)?.sessions)?;
        let (found, forgotten) = collect(&mut objects, unwanted)?;
        if found.sessions.is_empty() {
            return Ok((found, forgotten));
        }
        self.note_deleted(&found.sessions)?;
        for name in &found.sessions {
            let folder = self.session_index(name);
            match std::fs::remove_dir_all(&folder) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::Io { action: "removing", path: folder, source });
                }
                _ => {}
            }
        }
        self.forget_memory()?;
        Ok((found, forgotten))
    }

    /// The sessions that were removed and not asked for again.
    pub(crate) fn deleted_sessions(&self) -> Result<BTreeSet<String>> {
        let path = self.deleted_file();
        let io = |source| Error::Io { action: "reading", path: path.clone(), source };
        let bytes = match read_bounded(&path, LARGEST) {
            Err(ReadError::Missing) => return Ok(BTreeSet::new()),
            read => read.map_err(|error| io(error.into()))?,
        };
        let deleted: Deleted = serde_json::from_slice(&bytes).map_err(|error| io(error.into()))?;
        Ok(deleted.sessions)
    }

    fn note_deleted(&self, names: &[String]) -> Result<()> {
        let known = self.deleted_sessions()?;
        if names.iter().all(|name| known.contains(name)) {
            return Ok(());
        }
        self.change_deleted(|deleted| deleted.extend(names.iter().cloned()))
    }

    /// Sessions that were removed may come back.
    pub(crate) fn want_again(&self, names: &[String]) -> Result<()> {
        let deleted = self.deleted_sessions()?;
        if !names.iter().any(|name| deleted.contains(name)) {
            return Ok(());
        }
        self.change_deleted(|deleted| deleted.retain(|name| !names.contains(name)))
    }

    fn change_deleted(&self, change: impl FnOnce(&mut BTreeSet<String>)) -> Result<()> {
        let path = self.deleted_file();
        let io = |source| Error::Io { action: "writing", path: path.clone(), source };
        let held = FileLock::for_edit(&path, PATIENCE).map_err(io)?;
        let _held = held.ok_or_else(|| io(io::ErrorKind::WouldBlock.into()))?;
        let mut sessions = self.deleted_sessions()?;
        change(&mut sessions);
        let bytes = serde_json::to_vec(&Deleted { sessions }).map_err(|error| io(error.into()))?;
        replace_file(&path, &bytes, 0o600).map_err(io)
    }

    fn deleted_file(&self) -> PathBuf {
        self.roots.data.join(DELETED)
    }
}
