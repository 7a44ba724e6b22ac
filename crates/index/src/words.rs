//! The engine's writer, which can be left behind: while its threads write a segment, which may take seconds, they hear nothing.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use ai_assist_base::Cancel;
use tantivy::IndexWriter;

use crate::{Error, Result};

/// How often a commit that goes on is asked whether it is still wanted.
const ASKED: Duration = Duration::from_millis(20);

pub(crate) struct Words {
    folder: PathBuf,
    /// None once it was left behind.
    engine: Option<IndexWriter>,
    cancel: Cancel,
}

impl Words {
    pub(crate) fn new(folder: &Path, engine: IndexWriter, cancel: Cancel) -> Self {
        Words { folder: folder.to_owned(), engine: Some(engine), cancel }
    }

    pub(crate) fn engine(&self) -> Result<&IndexWriter> {
        self.go_on()?;
        self.engine.as_ref().ok_or(Error::Stopped)
    }

    pub(crate) fn engine_mut(&mut self) -> Result<&mut IndexWriter> {
        self.go_on()?;
        self.engine.as_mut().ok_or(Error::Stopped)
    }

    fn go_on(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Commits in a thread of its own, and does not wait for it once nobody wants the commit.
    pub(crate) fn commit(&mut self, payload: String) -> Result<()> {
        let mut engine = self.engine.take().ok_or(Error::Stopped)?;
        let (folder, cancel) = (self.folder.clone(), self.cancel.clone());
        let (sender, done) = channel();
        let committing = std::thread::spawn(move || {
            let committed = commit(&mut engine, &payload, &cancel, &folder);
            // Nobody may be there to take it back.
            let _ = sender.send((engine, committed));
        });
        loop {
            match done.recv_timeout(ASKED) {
                Ok((engine, committed)) => {
                    self.engine = Some(engine);
                    return committed;
                }
                Err(RecvTimeoutError::Timeout) => self.go_on()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return committing.join().map_err(|panic| std::panic::resume_unwind(panic));
                }
            }
        }
    }
}

fn commit(engine: &mut IndexWriter, payload: &str, cancel: &Cancel, folder: &Path) -> Result<()> {
    let mut prepared = engine.prepare_commit().map_err(Error::engine(folder))?;
    // Asked after the last text was read: from a cancel on they are read as empty ones.
    if cancel.is_cancelled() {
        return Err(Error::Stopped);
    }
    prepared.set_payload(payload);
    prepared.commit().map(drop).map_err(Error::engine(folder))
}

impl Drop for Words {
    fn drop(&mut self) {
        // To be dropped, the engine waits for its threads.
        if let Some(engine) = self.engine.take().filter(|_| self.cancel.is_cancelled()) {
            std::thread::spawn(move || drop(engine));
        }
    }
}
