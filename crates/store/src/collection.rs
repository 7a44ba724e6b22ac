//! Collections as rows, and what is remembered of a package's source.

use std::fmt;

use ai_assist_identity::{CollectionId, CollectionKind, DocPath, Sha256, Validators};

use crate::change::Seq;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionRecord {
    pub id: CollectionId,
    /// `file` or `pkg`.
    pub kind: CollectionKind,
    /// Absolute, normalised folder of a `file` collection.
    pub path: Option<String>,
    /// Pattern of a `file` collection.
    pub glob: Option<String>,
    /// Manifest or bundle of a `pkg` collection.
    pub url: Option<String>,
    /// Of the manifest that was last synced in full.
    pub manifest_hash: Option<Sha256>,
    /// When the last sync ended, RFC 3339 in UTC.
    pub last_sync_at: Option<String>,
    /// RFC 3339 in UTC, as the other times.
    pub created_at: String,
    pub updated_at: String,
}

impl CollectionRecord {
    pub fn source(&self) -> Source {
        Source { path: self.path.clone(), glob: self.glob.clone(), url: self.url.clone() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCollection {
    pub id: CollectionId,
    pub path: Option<String>,
    pub glob: Option<String>,
    pub url: Option<String>,
}

impl NewCollection {
    pub fn source(&self) -> Source {
        Source { path: self.path.clone(), glob: self.glob.clone(), url: self.url.clone() }
    }
}

/// What a name of a configuration reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The absolute path of the configuration.
    pub config: String,
    pub name: String,
    pub collection: CollectionId,
    /// What the lock file was when this was found; none if there was none to go by.
    pub stamp: Option<String>,
}

/// Where the documents of a collection come from, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: Option<String>,
    pub glob: Option<String>,
    pub url: Option<String>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [("path", &self.path), ("glob", &self.glob), ("url", &self.url)];
        let mut between = "";
        for (name, value) in named.into_iter().filter_map(|(name, value)| value.as_ref().map(|value| (name, value))) {
            write!(f, "{between}{name} `{value}`")?;
            between = ", ";
        }
        if between.is_empty() { f.write_str("no source") } else { Ok(()) }
    }
}

/// Counters of a collection, kept with every change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollectionState {
    pub documents: u64,
    pub chunks: u64,
    /// How many bytes of text they have.
    pub bytes: u64,
    /// Of its last change; of its creation if there was none.
    pub seq: Seq,
    /// Removals up to here are forgotten. An index that has reached less than this can't catch up and is rebuilt from
    /// nothing. Never greater than `seq`.
    pub pruned: Seq,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackageRecord {
    pub name: String,
    pub version: String,
    /// Of the bytes of its manifest or bundle. A git source that goes by globs has neither.
    pub hash: Option<Sha256>,
    /// The text of its manifest; empty if there is none.
    pub manifest: String,
    /// What the server called this state of the manifest or bundle.
    pub validators: Validators,
    pub revision: Option<String>,
    /// Whether it came from an address that is not public.
    pub private: bool,
    /// Whether every file of it was taken in.
    pub complete: bool,
    /// Of files that have no hash in the manifest, sorted by path.
    pub files: Vec<FileValidators>,
}

/// The validators of one file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileValidators {
    pub path: DocPath,
    /// What the server called the state that is stored.
    pub validators: Validators,
}
