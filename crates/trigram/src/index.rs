use std::path::Path;

use crate::evaluate::{Found, evaluate};
use crate::segments::{Segment, open_all};
use crate::{Plan, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Candidates {
    /// The pattern has no gram to go by: every document has to be scanned.
    All,
    /// The keys of these, rising. No other document can match.
    Some(Vec<u64>),
}

/// An index, as it was when it was opened.
#[derive(Debug)]
pub struct TrigramIndex {
    segments: Vec<Segment>,
}

impl TrigramIndex {
    /// Opens the index in a folder. Keeps its files open and about 9 bytes per document in memory.
    pub fn open(folder: &Path) -> Result<Self> {
        Ok(TrigramIndex { segments: open_all(folder)? })
    }

    pub fn documents(&self) -> u64 {
        self.segments.iter().map(Segment::live).sum()
    }

    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.reader.length).sum()
    }

    /// The keys of all documents, rising.
    pub fn keys(&self) -> Vec<u64> {
        let mut keys = Vec::with_capacity(self.documents() as usize);
        for segment in &self.segments {
            live_keys(segment, 0..segment.reader.docs(), &mut keys);
        }
        keys.sort_unstable();
        keys
    }

    /// The documents that could match: a superset of those that do.
    pub fn candidates(&self, plan: &Plan) -> Result<Candidates> {
        let mut keys = Vec::new();
        for segment in &self.segments {
            match evaluate(&plan.0, &segment.reader)? {
                Found::All => return Ok(Candidates::All),
                Found::Some(docs) => live_keys(segment, docs.into_iter(), &mut keys),
            }
        }
        keys.sort_unstable();
        Ok(Candidates::Some(keys))
    }
}

/// Appends the keys of those of some documents, in rising order, that are not deleted.
fn live_keys(segment: &Segment, docs: impl Iterator<Item = u32>, keys: &mut Vec<u64>) {
    let mut deleted = &segment.deleted[..];
    for doc in docs {
        deleted = &deleted[deleted.partition_point(|&gone| gone < doc)..];
        if deleted.first() != Some(&doc)
            && let Some(&key) = segment.reader.keys.get(doc as usize)
        {
            keys.push(key);
        }
    }
}
