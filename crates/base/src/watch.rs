//! When to look at files again.
//!
//! Events are hints that a path may be worth a look: they get lost when the system's queue is full, and do not come at all when
//! its watches are used up. What is found by looking is the truth, and everything is looked at from time to time in any case.
//!
//! [`FolderWatch`] waits until it is time; whoever looks at single files takes hints from a [`Listener`] and gathers them in
//! [`Pending`].

mod listener;
mod pending;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Cancel;

pub use listener::{Inbox, Listener, inbox};
pub use pending::{Hint, Pending, Why};

pub const POLL: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Copy)]
pub struct Pacing {
    /// So long nothing must happen after an event before files are looked at.
    pub quiet: Duration,
    /// So long after the first event they are looked at even if it never gets quiet.
    pub patience: Duration,
    /// So often everything is looked at whether or not there are events.
    pub rescan: Duration,
    /// So often if events are missing.
    pub rescan_blind: Duration,
}

impl Default for Pacing {
    fn default() -> Self {
        Pacing {
            quiet: Duration::from_millis(300),
            patience: Duration::from_secs(5),
            rescan: Duration::from_secs(300),
            rescan_blind: Duration::from_secs(10),
        }
    }
}

/// Says when folders, and all below them, are to be looked at: at the start, when what happened in them has settled, and
/// every so often.
pub struct FolderWatch<'w> {
    folders: Vec<PathBuf>,
    is_hint: &'w dyn Fn(&Path) -> bool,
    pacing: Pacing,
    listener: Listener,
    hints: Inbox,
    pending: Pending,
    looked: Option<Instant>,
}

impl<'w> FolderWatch<'w> {
    /// Starts to listen, so that nothing is missed between the first look and the next. `is_hint` is asked of every path
    /// that something happened to; what the looking itself writes is none.
    pub fn new(folders: Vec<PathBuf>, pacing: Pacing, is_hint: &'w dyn Fn(&Path) -> bool) -> Self {
        let (post, hints) = inbox();
        let mut watch = FolderWatch {
            folders,
            is_hint,
            pacing,
            listener: Listener::open(post),
            hints,
            pending: Pending::default(),
            looked: None,
        };
        watch.listen();
        watch
    }

    /// Why changes are not heard, if that is so; everything is looked at every so often instead.
    pub fn deaf(&self) -> Option<&str> {
        self.listener.deaf()
    }

    /// Waits until it is time, and says what is to be looked at. None if it was cancelled.
    pub fn next(&mut self, cancel: &Cancel) -> Option<Pending> {
        if self.looked.is_none() {
            self.pending.add_everything(Why::Start);
        }
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            let blind = self.deaf().is_some();
            let rescan = if blind { self.pacing.rescan_blind } else { self.pacing.rescan };
            if self.looked.is_some_and(|looked| looked.elapsed() >= rescan) {
                self.pending.add_everything(if blind { Why::Blind } else { Why::Time });
                break;
            }
            if self.looked.is_none() || self.pending.is_due(self.pacing.quiet, self.pacing.patience) {
                break;
            }
            let (pending, folders, is_hint) = (&mut self.pending, &self.folders, self.is_hint);
            let near = |path: &Path| folders.iter().any(|folder| path.starts_with(folder) || folder.starts_with(path));
            self.hints.take(POLL, &mut |hint| pending.hint(hint, |path| near(path) && is_hint(path)));
        }
        let due = std::mem::take(&mut self.pending);
        if let Some(why) = &due.everything {
            self.looked = Some(Instant::now());
            if why.is_distrust() {
                self.listener.forget_all();
            }
            self.listener.try_again();
        }
        for folder in &self.folders {
            if due.paths.iter().any(|path| folder.starts_with(path)) {
                // What the system knows of a folder that was moved or made anew is no longer true.
                self.listener.forget_below(folder);
            }
        }
        self.listen();
        Some(due)
    }

    fn listen(&mut self) {
        for folder in &self.folders {
            if folder.is_dir() {
                self.listener.listen_below(folder);
            } else if let Some(above) = folder.ancestors().find(|above| above.is_dir()) {
                // It tells when the folder comes.
                self.listener.listen(above);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pacing() -> Pacing {
        Pacing { quiet: Duration::from_millis(20), rescan: Duration::from_secs(600), ..Pacing::default() }
    }

    #[test]
    fn changes_are_heard_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let own = root.join("own");
        std::fs::create_dir_all(root.join("docs/deep")).unwrap();
        let is_hint = |path: &Path| !path.starts_with(&own);
        let cancel = Cancel::default();
        let mut watch = FolderWatch::new(vec![root.join("docs"), root.join("later/on")], pacing(), &is_hint);
        assert_eq!(watch.deaf(), None);
        assert_eq!(watch.next(&cancel).unwrap().everything, Some(Why::Start));
        for path in ["docs/deep/a.md", "later/on/b.md", "later/on/c.md", "docs/new/d.md"] {
            let file = root.join(path);
            if path == "docs/new/d.md" {
                std::fs::remove_dir_all(root.join("docs")).unwrap();
                assert!(!watch.next(&cancel).unwrap().paths.is_empty());
            }
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, path).unwrap();
            // A folder that has come is told of before the file in it.
            let due = watch.next(&cancel).unwrap();
            assert!(due.paths.iter().any(|hint| file.starts_with(hint)), "{path}: {due:?}");
        }
        cancel.cancel();
        assert!(watch.next(&cancel).is_none());
    }

    #[test]
    fn without_events_there_is_the_clock() {
        let folder = tempfile::tempdir().unwrap();
        let pacing = Pacing { rescan: Duration::from_millis(50), quiet: Duration::from_millis(1), ..Pacing::default() };
        let mut watch = FolderWatch::new(vec![folder.path().to_owned()], pacing, &|_| false);
        assert_eq!(watch.next(&Cancel::default()).unwrap().everything, Some(Why::Start));
        std::fs::write(folder.path().join("a"), "not heard").unwrap();
        assert_eq!(watch.next(&Cancel::default()).unwrap().everything, Some(Why::Time));
    }
}
