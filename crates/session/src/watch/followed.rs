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

#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<PathBuf, Followed>);

impl Files {
    pub(super) fn get(&self, path: &Path) -> Option<&Followed> {
        self.0.get(path)
    }

    pub(super) fn get_mut(&mut self, path: &Path) -> Option<&mut Followed> {
        self.0.get_mut(path)
    }

    pub(super) fn insert(&mut self, path: PathBuf, file: Followed) {
        self.0.insert(path, file);
    }

    pub(super) fn remove(&mut self, path: &Path) {
        self.0.remove(path);
    }

    pub(super) fn below(&self, path: &Path) -> impl Iterator<Item = &PathBuf> {
        let from = (Bound::Included(path), Bound::Unbounded);
        self.0.range::<Path, _>(from).map(|(path, _)| path).take_while(move |found| found.starts_with(path))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.keys()
    }

    pub(super) fn members(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().filter(|(_, file)| file.member).map(|(path, _)| path)
    }
}
