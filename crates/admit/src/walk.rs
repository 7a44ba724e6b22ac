use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::found::Found;
use crate::links::Links;
use crate::root::Root;
use crate::visit::{Folder, Task, Visitor};
use crate::{AdmitError, Candidate, GlobError, Globs, PackRules, PathSet, Receipt, Worth};
use ai_assist_base::Cancel;
use ai_assist_convert::{ConvertError, Converted, Format, shared};

/// How long the calling thread waits for work before it looks again whether it should stop.
const POLL: Duration = Duration::from_millis(20);

/// Beyond this, threads wait for the kernel's locks rather than for each other's work.
const MAX_THREADS: usize = 8;

#[derive(Debug, Clone)]
pub struct Selection {
    /// The folder. Nothing outside it is read.
    pub root: PathBuf,
    pub globs: Globs,
    /// Of those, only these, if any are given.
    pub only: Option<Arc<PathSet>>,
    pub limits: Limits,
    /// Whether `.gitignore` and its relatives narrow the choice. Secret names are dropped in any case.
    pub honour_ignore_files: bool,
    pub worth: Worth,
}

impl Selection {
    /// Everything below a folder that the globs want and the ignore files leave.
    pub fn new(root: impl Into<PathBuf>, globs: Globs, limits: Limits) -> Selection {
        Selection { root: root.into(), globs, only: None, limits, honour_ignore_files: true, worth: Worth::Everything }
    }

    /// Every file of a folder that is worth sending, hidden ones included.
    pub fn whole_tree(root: impl Into<PathBuf>, rules: PackRules, limits: Limits) -> Result<Selection, GlobError> {
        let globs = Globs::new(&Globs::EVERYTHING)?;
        Ok(Selection { worth: Worth::Packs(rules), ..Selection::new(root, globs, limits) })
    }

    /// What an index of a repository has of its files, given what git tracks there. Whoever may see no more than that asks
    /// by the same selection.
    pub fn as_indexed(
        root: impl Into<PathBuf>,
        tracked: Option<PathSet>,
        limits: Limits,
    ) -> Result<Selection, GlobError> {
        let rules = PackRules { tracked: tracked.map(Arc::new), tracked_logs: true, ..PackRules::default() };
        Selection::whole_tree(root, rules, limits)
    }
}

/// Bounds that keep a walk and a read from running away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A larger file stays out.
    pub max_file_bytes: u64,
    /// More files than this are an error.
    pub max_files: usize,
    /// A folder this many levels below the root is not entered.
    pub max_depth: usize,
    pub convert: Convert,
}

/// What becomes of files whose format is not text as it stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Convert {
    /// They stay what they are. What is sent out is what is on the disk.
    #[default]
    Nothing,
    /// What nobody reads as it stands: PDF, Office, books, notebooks. Pages and other texts stay as they were written, because in
    /// a repository those are sources.
    Unreadable,
    /// Everything that a converter knows.
    Everything,
}

impl Convert {
    fn format(self, path: &str, bytes: &[u8]) -> Option<Format> {
        match self {
            Convert::Nothing => None,
            Convert::Unreadable => Format::detect(path, bytes).filter(|format| !format.is_text()),
            Convert::Everything => Format::detect(path, bytes),
        }
    }

    /// The text of a file that has to be converted.
    pub(crate) fn apply(self, path: &str, bytes: &[u8]) -> Option<Result<Converted, ConvertError>> {
        Some(shared().convert(self.format(path, bytes)?, bytes))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_file_bytes: 16 * 1024 * 1024, max_files: 1_000_000, max_depth: 128, convert: Convert::Nothing }
    }
}

#[derive(Debug)]
pub struct Walked {
    /// The files selected, sorted by path.
    pub candidates: Vec<Candidate>,
    pub receipt: Receipt,
}

/// Walks a tree and selects files by name and stat, reading only ignore files.
///
/// `cancel` is asked on the calling thread every few milliseconds. `progress` is told, on any thread, how many entries have
/// been seen so far.
pub fn walk(selection: &Selection, cancel: &Cancel, progress: &(dyn Fn(usize) + Sync)) -> Result<Walked, AdmitError> {
    let root = Arc::new(Root::open(&selection.root)?);
    let pool = WorkerPool {
        visitor: Visitor::new(root.clone(), selection),
        seen: AtomicUsize::new(0),
        selected: AtomicUsize::new(0),
        max_files: selection.limits.max_files,
        stop: AtomicBool::new(false),
        progress,
    };
    let mut found = pool.run(vec![Task::List(Folder::default())], cancel);
    // Symlinks come last and in order: only then does it not depend on timing under which name a folder is listed.
    let mut links = Links::new(&pool.visitor);
    while !found.links.is_empty() && !pool.stop.load(Ordering::Relaxed) {
        let mut round = std::mem::take(&mut found.links);
        round.sort_by(|a, b| a.path.cmp(&b.path));
        for link in round {
            if let Some(folder) = links.take_in(link, &mut found) {
                found.absorb(pool.run(vec![Task::List(folder)], cancel));
            }
            if cancel.is_cancelled() {
                pool.stop.store(true, Ordering::Relaxed);
            }
            if pool.stop.load(Ordering::Relaxed) {
                break;
            }
        }
    }
    links.take_allowed(&mut found);
    if found.selected > selection.limits.max_files {
        let limit = selection.limits.max_files;
        return Err(AdmitError::TooManyFiles { path: selection.root.clone(), limit });
    }
    if pool.stop.load(Ordering::Relaxed) {
        return Err(AdmitError::Cancelled);
    }
    found.finish(&selection.root)
}

/// The threads of one walk and what they share.
struct WorkerPool<'a> {
    visitor: Visitor<'a>,
    seen: AtomicUsize,
    selected: AtomicUsize,
    max_files: usize,
    stop: AtomicBool,
    progress: &'a (dyn Fn(usize) + Sync),
}

/// Folders still to be visited. Taken from the end, so that the queue stays as short as the tree is deep and wide.
struct Queue {
    tasks: Mutex<Pending>,
    wake: Condvar,
}

struct Pending {
    tasks: Vec<Task>,
    /// Threads at work, who may still add tasks.
    busy: usize,
}

impl WorkerPool<'_> {
    fn run(&self, tasks: Vec<Task>, cancel: &Cancel) -> Found {
        let queue = Queue { tasks: Mutex::new(Pending { tasks, busy: 0 }), wake: Condvar::new() };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| self.work(&queue, None))).collect();
            let mut found = self.work(&queue, Some(cancel));
            for other in others {
                match other.join() {
                    Ok(theirs) => found.absorb(theirs),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            found
        })
    }

    /// Works until nothing is left. Only the calling thread has `cancel`, which need not be safe to share.
    fn work(&self, queue: &Queue, cancel: Option<&Cancel>) -> Found {
        let mut found = Found { for_a_pack: self.visitor.packs.is_some(), ..Found::default() };
        let mut more = Vec::new();
        // A thread that panics must not leave the others waiting for it.
        let bail = StopOnPanic { stop: &self.stop, wake: &queue.wake };
        while let Some(task) = self.next(queue, cancel) {
            let (seen, selected) = (found.seen, found.selected);
            self.visitor.perform(task, &mut found, &mut more);
            let seen = self.seen.fetch_add(found.seen - seen, Ordering::Relaxed) + (found.seen - seen);
            (self.progress)(seen);
            let selected = found.selected - selected;
            if self.selected.fetch_add(selected, Ordering::Relaxed) + selected > self.max_files {
                self.stop.store(true, Ordering::Relaxed);
            }
            let mut pending = queue.lock();
            pending.busy -= 1;
            pending.tasks.append(&mut more);
            if pending.tasks.len() > 1 || pending.busy == 0 {
                queue.wake.notify_all();
            }
        }
        drop(bail);
        found
    }

    fn next(&self, queue: &Queue, cancel: Option<&Cancel>) -> Option<Task> {
        let mut pending = queue.lock();
        loop {
            if cancel.is_some_and(Cancel::is_cancelled) {
                self.stop.store(true, Ordering::Relaxed);
            }
            if self.stop.load(Ordering::Relaxed) {
                queue.wake.notify_all();
                return None;
            }
            if let Some(task) = pending.tasks.pop() {
                pending.busy += 1;
                return Some(task);
            }
            if pending.busy == 0 {
                return None;
            }
            pending = match queue.wake.wait_timeout(pending, POLL) {
                Ok((pending, _)) => pending,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

impl Queue {
    /// A poisoned lock means another thread panicked; that panic is raised again when it is joined.
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct StopOnPanic<'a> {
    stop: &'a AtomicBool,
    wake: &'a Condvar,
}

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stop.store(true, Ordering::Relaxed);
            self.wake.notify_all();
        }
    }
}

/// The real folders already listed, by device and inode.
pub(crate) type Visited = Mutex<HashSet<(u64, u64)>>;

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
