//! How long work tells how far it is, and asks whether to go on.

/// A change to a document that a sync makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    Add,
    Update,
    /// The document is gone from the source.
    Remove,
}

/// Told about the work as it goes on. Calls come from one thread.
pub trait Progress {
    /// A sync waits for another one of the same collection.
    fn waiting(&mut self) {}
    fn walking(&mut self) {}
    /// The manifest, bundle or commit of a package is being asked for.
    fn asking(&mut self, _what: &str) {}
    /// So many more bytes have come.
    fn fetched(&mut self, _bytes: u64) {}
    fn reading(&mut self, _files: usize) {}
    fn file_done(&mut self) {}
    fn step(&mut self, _step: Step, _path: &str) {}
    /// The index is being brought up to date.
    fn indexing(&mut self) {}
}

/// Reports to nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}
