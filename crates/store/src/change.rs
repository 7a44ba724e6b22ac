//! What is asked of a collection, what became of it, and the order of it all.

use std::fmt;

use ai_assist_base::FileStamp;
use ai_assist_identity::DocPath;

use crate::{Document, NewDocument, PreparedDocument, Result};

/// A place in the one growing sequence of changes of a store. Zero is before the first change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seq(pub u64);

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A document's number: kept while its path stays in the collection, never given to another document of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub i64);

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "nearly all are puts, and a box for each would only add to them")]
pub enum Change {
    /// Adds a document, or replaces the one at its path.
    Put(PreparedDocument),
    /// Same content, new stamp; none if it can't be trusted. Nothing that an index holds changes, so it takes no sequence number.
    Touch { path: DocPath, stamp: Option<FileStamp> },
    /// Takes a document out and leaves a tombstone for indexes that are behind.
    Remove(DocPath),
}

impl Change {
    /// Prepares a document on this thread and puts it.
    pub fn put(document: NewDocument) -> Result<Self> {
        Ok(Change::Put(document.prepare()?))
    }
}

/// What became of one [`Change`], enough to feed an index without reading back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// The document is stored under this number, changed at this point of the sequence.
    Put { id: DocumentId, seq: Seq },
    /// With the number of the document's last put: a touch has none of its own.
    Touched { id: DocumentId, seq: Seq },
    /// The document is gone.
    Removed { id: DocumentId, seq: Seq },
    /// There was no document at the path to touch or remove: another process was faster. Nothing was written.
    Absent,
}

impl Applied {
    /// The document concerned and its sequence number, unless there was none.
    pub fn document(self) -> Option<(DocumentId, Seq)> {
        match self {
            Applied::Put { id, seq } | Applied::Touched { id, seq } | Applied::Removed { id, seq } => Some((id, seq)),
            Applied::Absent => None,
        }
    }
}

/// One entry of [`changes_since`](crate::Store::changes_since).
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly all are puts, and a box for each would only add to them")]
pub enum Changed {
    Put(Document),
    Removed { id: DocumentId, path: DocPath, seq: Seq },
}

impl Changed {
    pub fn seq(&self) -> Seq {
        match self {
            Changed::Put(document) => document.seq,
            Changed::Removed { seq, .. } => *seq,
        }
    }
}
