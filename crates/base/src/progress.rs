use std::fmt;

/// What long work is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'e> {
    /// It waits for another process that is at the same.
    Waiting,
    /// It begins with this, such as “looking for files”.
    Stage(&'e str),
    /// So many files are to be read.
    Reading(usize),
    /// So many entries were seen while nobody knows how many there are.
    Seen(usize),
    FileDone,
    /// So many more bytes have come.
    Fetched(u64),
    Changed(Change, &'e str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    Add,
    Update,
    Remove,
}

/// Who is told how far long work is, on any thread.
#[derive(Clone, Copy)]
pub struct Progress<'p>(&'p (dyn Fn(Event<'_>) + Sync));

impl<'p> Progress<'p> {
    pub fn new(told: &'p (dyn Fn(Event<'_>) + Sync)) -> Self {
        Progress(told)
    }

    pub fn silent() -> Progress<'static> {
        Progress(&|_| {})
    }

    pub fn tell(&self, event: Event<'_>) {
        (self.0)(event);
    }
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}
