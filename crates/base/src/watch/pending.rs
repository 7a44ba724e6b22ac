//! What is to be looked at, and when.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Something may have happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// To this file or folder, or below it.
    Path(PathBuf),
    /// To anything: hints were lost.
    Overflow,
    /// To anything: the system says this.
    Error(String),
}

/// Why everything is looked at. The later one weighs more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    Start,
    Blind,
    Time,
    Overflow,
    Error(String),
}

impl Why {
    /// Whether what is listened to must be set up again: what was lost may have been about folders that moved.
    pub fn is_distrust(&self) -> bool {
        !matches!(self, Why::Start | Why::Blind)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Start => f.pad("it starts"),
            Why::Blind => f.pad("not all changes are heard"),
            Why::Time => f.pad("it was time"),
            Why::Overflow => f.pad("more happened than the system keeps"),
            Why::Error(error) => write!(f, "the system said: {error}"),
        }
    }
}

#[derive(Debug, Default)]
pub struct Pending {
    pub paths: BTreeSet<PathBuf>,
    pub everything: Option<Why>,
    /// When the first and the last hint came.
    times: Option<(Instant, Instant)>,
}

impl Pending {
    /// Takes a hint, if it is about anything that counts.
    pub fn hint(&mut self, hint: Hint, counts: impl FnOnce(&Path) -> bool) {
        match hint {
            Hint::Path(path) if counts(&path) => self.add(path),
            Hint::Path(_) => {}
            Hint::Overflow => self.add_everything(Why::Overflow),
            Hint::Error(error) => self.add_everything(Why::Error(error)),
        }
    }

    pub fn add(&mut self, path: PathBuf) {
        self.touch();
        self.paths.insert(path);
    }

    pub fn add_everything(&mut self, why: Why) {
        self.touch();
        self.everything = self.everything.take().max(Some(why));
    }

    /// What could not be done is to be done later.
    pub fn put_back(&mut self, other: Pending) {
        self.paths.extend(other.paths);
        self.everything = self.everything.take().max(other.everything);
        self.touch();
    }

    fn touch(&mut self) {
        let now = Instant::now();
        self.times = Some((self.times.map_or(now, |(first, _)| first), now));
    }

    /// Whether a folder, or anything below it, is to be looked at.
    pub fn concerns(&self, folder: &Path) -> bool {
        let near = |path: &PathBuf| path.starts_with(folder) || folder.starts_with(path);
        self.everything.is_some() || self.paths.iter().any(near)
    }

    /// Whether it has been quiet for so long, or too long not.
    pub fn is_due(&self, quiet: Duration, patience: Duration) -> bool {
        self.times.is_some_and(|(first, last)| last.elapsed() >= quiet || first.elapsed() >= patience)
    }
}
