//! The files that are followed, by where they are.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use ai_assist_admit::FileStamp;
use ai_assist_identity::Sha256;

use crate::object::FilesystemSource;

#[derive(Debug, Clone)]
pub(super) struct Followed {
    pub(super) source: FilesystemSource,
    /// Whether it is one of the session's own, which are followed wherever they are.
    pub(super) member: bool,
    /// How it was when it was last compared with the store, if it would show a change since.
    pub(super) seen: Option<Seen>,
    /// The hash that the store has of it, as far as is known here.
    pub(super) hash: Option<Sha256>,
}

/// How a file was found without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Missing,
    There(FileStamp),
}

/// The files that are followed, by where they are.
pub(super) type Files = BTreeMap<PathBuf, Followed>;

/// Those at a path and below it.
pub(super) fn below<'f>(files: &'f Files, path: &'f Path) -> impl Iterator<Item = &'f PathBuf> {
    let from = (Bound::Included(path), Bound::Unbounded);
    files.range::<Path, _>(from).map(|(path, _)| path).take_while(move |found| found.starts_with(path))
}
