//! Commits that stay open for the next who asks for the same files.
//!
//! Opening an index and reading its columns costs more than most questions, and a server is asked about the same indexes again and
//! again. What is kept is found by what `stat` says of every file of the generation, so it is used only where opening anew would
//! find the same; a commit, a rebuild or damage makes another stamp. It belongs to the process and not to a handle that callers
//! would have to carry: whoever opens an index has no other say in the matter.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ai_assist_base::platform;

use crate::commit::Versions;
use crate::reader::Opened;

/// More indexes, and more chunks in all, than a process usually asks in turn. What was asked least recently goes first: builds that
/// a newer one has replaced are never asked again.
const MOST: usize = 256;
const MOST_CHUNKS: usize = 4_000_000;

static KEPT: Mutex<Vec<(Stamp, Arc<Opened>)>> = Mutex::new(Vec::new());

/// Of a file: its name, size, inode, and when its text and its entry were changed.
type FileStamp = (PathBuf, u64, u64, Time, Time);
type Time = (i64, i64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    folder: PathBuf,
    generation: PathBuf,
    rules: (Versions, usize),
    files: Vec<FileStamp>,
}

impl Stamp {
    /// None where the files can't be looked at; whoever opens them says why.
    pub(crate) fn of(folder: &Path, generation: &Path, versions: &Versions, dim: usize) -> Option<Stamp> {
        let mut files = Vec::new();
        for folder in [generation.to_owned(), generation.join("words")] {
            for entry in std::fs::read_dir(&folder).ok()? {
                let entry = entry.ok()?;
                let found = entry.metadata().ok()?;
                // Locks come and go with writers, and say nothing of what is committed.
                if !found.is_file() || entry.file_name().as_encoded_bytes().ends_with(b".lock") {
                    continue;
                }
                let path = entry.path();
                let facts = platform::facts(&path, &found).ok()?;
                files.push((path, found.len(), facts.inode, facts.mtime, facts.ctime));
            }
        }
        files.sort_unstable();
        Some(Stamp {
            folder: folder.to_owned(),
            generation: generation.to_owned(),
            rules: (versions.clone(), dim),
            files,
        })
    }

    pub(crate) fn kept(&self) -> Option<Arc<Opened>> {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(stamp, _)| stamp == self)?;
        let found = kept.remove(at);
        let opened = Arc::clone(&found.1);
        kept.push(found);
        Some(opened)
    }

    /// Keeps a commit in place of an older one of the same index.
    pub(crate) fn keep(self, opened: &Arc<Opened>) {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(stamp, _)| stamp.folder != self.folder);
        // The files of a build that was removed take room for as long as they are open.
        kept.retain(|(stamp, _)| stamp.generation.is_dir());
        kept.push((self, Arc::clone(opened)));
        let mut chunks: usize = kept.iter().map(|(_, opened)| opened.positions()).sum();
        while kept.len() > 1 && (kept.len() > MOST || chunks > MOST_CHUNKS) {
            chunks -= kept.remove(0).1.positions();
        }
    }
}
