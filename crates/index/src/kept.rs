//! Commits that stay open for the next who asks for the same files.
//!
//! Opening an index and reading its columns costs more than most questions, and a server is asked about the same indexes again and
//! again. What is kept is found by what `stat` says of every file of the generation, so it is used only where opening anew would
//! find the same; a commit, a rebuild or damage makes another stamp. It belongs to the process and not to a handle that callers
//! would have to carry: whoever opens an index has no other say in the matter. A process that answers one question and ends keeps
//! nothing: stamps of a hundred indexes would cost it more than opening them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ai_assist_base::platform;

use crate::commit::Versions;
use crate::reader::Opened;

/// More indexes, and more chunks in all, than a process usually asks in turn. What was asked least recently goes first: builds that
/// a newer one has replaced are never asked again.
const MOST: usize = 256;
const MOST_CHUNKS: usize = 4_000_000;

static KEPT: Mutex<Kept> = Mutex::new(Kept { commits: Vec::new(), looked: None });
static KEEPS: AtomicBool = AtomicBool::new(false);

/// How long the files of a build that was removed may take room because they are open.
const OFTEN: Duration = Duration::from_secs(1);

struct Kept {
    commits: Vec<(Stamp, Arc<Opened>)>,
    /// When it was last looked which of them are still on the disk.
    looked: Option<Instant>,
}

/// Keeps what is opened from now on, for a process that answers many questions.
pub fn keep_open() {
    KEEPS.store(true, Ordering::Relaxed);
}

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
    /// None where nothing is kept, or the files can't be looked at; whoever opens them says why.
    pub(crate) fn of(folder: &Path, generation: &Path, versions: &Versions, dim: usize) -> Option<Stamp> {
        if !KEEPS.load(Ordering::Relaxed) {
            return None;
        }
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
        let commits = &mut KEPT.lock().unwrap_or_else(PoisonError::into_inner).commits;
        let at = commits.iter().position(|(stamp, _)| stamp == self)?;
        let found = commits.remove(at);
        let opened = Arc::clone(&found.1);
        commits.push(found);
        Some(opened)
    }

    /// Keeps a commit in place of an older one of the same index.
    pub(crate) fn keep(self, opened: &Arc<Opened>) {
        let Kept { commits, looked } = &mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        commits.retain(|(stamp, _)| stamp.folder != self.folder);
        if looked.is_none_or(|looked| looked.elapsed() > OFTEN) {
            commits.retain(|(stamp, _)| stamp.generation.is_dir());
            *looked = Some(Instant::now());
        }
        commits.push((self, Arc::clone(opened)));
        let mut chunks: usize = commits.iter().map(|(_, opened)| opened.positions()).sum();
        while commits.len() > 1 && (commits.len() > MOST || chunks > MOST_CHUNKS) {
            chunks -= commits.remove(0).1.positions();
        }
    }
}
