//! What the system tells of folders, as hints.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::pending::Hint;

/// So many hints wait to be taken; more are as if the system had lost them.
const WAITING: usize = 1 << 16;

#[derive(Debug, Clone)]
pub struct Post {
    hints: SyncSender<Hint>,
    lost: Arc<AtomicBool>,
}

#[derive(Debug)]
pub struct Inbox {
    hints: Receiver<Hint>,
    lost: Arc<AtomicBool>,
}

pub fn inbox() -> (Post, Inbox) {
    let (sender, receiver) = sync_channel(WAITING);
    let lost = Arc::new(AtomicBool::new(false));
    (Post { hints: sender, lost: lost.clone() }, Inbox { hints: receiver, lost })
}

impl Inbox {
    /// Takes all that is there; if there is nothing, waits so long for it.
    pub fn take(&self, wait: Duration, taken: &mut dyn FnMut(Hint)) {
        if let Ok(first) = self.hints.recv_timeout(wait) {
            taken(first);
            self.hints.try_iter().take(WAITING).for_each(&mut *taken);
        }
        if self.lost.swap(false, Ordering::AcqRel) {
            taken(Hint::Overflow);
        }
    }
}

impl Post {
    fn send(&self, hint: Hint) {
        // Full, or nobody listens any more.
        if self.hints.try_send(hint).is_err() {
            self.lost.store(true, Ordering::Release);
        }
    }
}

impl notify::EventHandler for Post {
    fn handle_event(&mut self, event: notify::Result<notify::Event>) {
        match event {
            Err(error) => self.send(Hint::Error(error.to_string())),
            Ok(event) if event.need_rescan() => self.send(Hint::Overflow),
            Ok(event) if is_change(event.kind) => event.paths.into_iter().for_each(|path| self.send(Hint::Path(path))),
            Ok(_) => {}
        }
    }
}

/// Reading a file, as we do ourselves, is none. One that was mapped tells only when it is closed.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        kind => !kind.is_access(),
    }
}

#[derive(Debug)]
pub struct Listener {
    post: Option<Post>,
    watcher: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    deaf: Option<String>,
    /// Whether the system takes no more folders; asked again when everything is looked at.
    full: bool,
}

impl Listener {
    pub fn open(post: Post) -> Self {
        let mut ears = Listener { post: Some(post), watcher: None, folders: BTreeSet::new(), deaf: None, full: false };
        ears.try_again();
        ears
    }

    /// Hears nothing, so that all hints come from somewhere else.
    pub fn none() -> Self {
        Listener { post: None, watcher: None, folders: BTreeSet::new(), deaf: None, full: false }
    }

    pub fn deaf(&self) -> Option<&str> {
        self.deaf.as_deref()
    }

    pub fn folders(&self) -> usize {
        self.folders.len()
    }

    /// Hopes that there is nothing that can't be listened to any more.
    pub fn try_again(&mut self) {
        (self.deaf, self.full) = (None, false);
        let Some(post) = self.post.as_ref().filter(|_| self.watcher.is_none()) else { return };
        match notify::recommended_watcher(post.clone()) {
            Ok(watcher) => self.watcher = Some(watcher),
            Err(error) => self.deaf = Some(error.to_string()),
        }
    }

    pub fn hears(&self, folder: &Path) -> bool {
        self.folders.contains(folder)
    }

    /// Listens to a folder alone. True if that is new, so that what happened in it until now was not heard.
    pub fn listen(&mut self, folder: &Path) -> bool {
        self.listen_to(folder, RecursiveMode::NonRecursive)
    }

    /// Listens to a folder and all below it.
    pub fn listen_below(&mut self, folder: &Path) -> bool {
        self.listen_to(folder, RecursiveMode::Recursive)
    }

    fn listen_to(&mut self, folder: &Path, mode: RecursiveMode) -> bool {
        let Some(watcher) = self.watcher.as_mut().filter(|_| !self.full) else { return false };
        if self.folders.contains(folder) {
            return false;
        }
        match watcher.watch(folder, mode) {
            Ok(()) => self.folders.insert(folder.to_owned()),
            // Gone again; the folder above tells.
            Err(error) if is_missing(&error) => false,
            Err(error) => {
                self.full = matches!(error.kind, ErrorKind::MaxFilesWatch);
                self.deaf = Some(match self.full {
                    true => format!(
                        "the system listens to no more than {} folders for this user (fs.inotify.max_user_watches)",
                        self.folders.len()
                    ),
                    false => format!("`{}`: {error}", folder.display()),
                });
                false
            }
        }
    }

    /// Stops listening to everything.
    pub fn forget_all(&mut self) {
        for folder in std::mem::take(&mut self.folders) {
            if let Some(watcher) = &mut self.watcher {
                let _ = watcher.unwatch(&folder);
            }
        }
    }

    /// Stops listening to a folder and all below it. What the system knows of a folder that was moved is no longer true.
    pub fn forget_below(&mut self, path: &Path) {
        let range = self.folders.range::<Path, _>((Bound::Included(path), Bound::Unbounded));
        let below: Vec<PathBuf> = range.take_while(|folder| folder.starts_with(path)).cloned().collect();
        for folder in below {
            self.folders.remove(&folder);
            if let Some(watcher) = &mut self.watcher {
                // It may have noticed by itself that the folder is gone.
                let _ = watcher.unwatch(&folder);
            }
        }
    }
}

fn is_missing(error: &notify::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => matches!(error.kind(), NotFound | NotADirectory),
        _ => false,
    }
}
