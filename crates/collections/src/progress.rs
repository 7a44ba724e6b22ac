//! How long work tells how far it is, and asks whether to go on.

use ai_assist_fetch::site::FoundBy;

/// A change to a document that a sync makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    Add,
    Update,
    /// The document is gone from the source.
    Remove,
}

/// What a sync is doing. Told on one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncEvent<'e> {
    /// It waits for another one of the same collection.
    Waiting,
    Walking,
    /// The manifest, bundle or commit of a package is being asked for.
    Asking(&'e str),
    /// So many more bytes have come.
    Fetched(u64),
    /// Pages of a website were found: by what, and how many if that is known.
    Found(FoundBy, Option<usize>),
    /// So many pages were asked for, and so many more are known.
    Pages {
        done: usize,
        waiting: usize,
    },
    /// So many files have to be read.
    Reading(usize),
    FileDone,
    Step(Step, &'e str),
    /// The index is being brought up to date.
    Indexing,
}

/// Reports to nobody.
pub fn silent(_: SyncEvent<'_>) {}
