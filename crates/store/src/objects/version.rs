//! What was written, read back.

use ai_assist_identity::{ContentHash, Sha256};

use crate::change::Seq;

use super::names::{Moment, ObjectId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionKind {
    Put,
    /// It is not there from then on.
    Delete,
    Delta,
}

/// An event, without its fields and texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionHead {
    pub seq: Seq,
    pub id: ObjectId,
    pub kind: String,
    pub event: VersionKind,
    pub system: Moment,
    pub valid_from: Moment,
    /// Until when it holds; not included.
    pub valid_to: Moment,
    /// The hash of the bytes at its source.
    pub file_hash: Option<Sha256>,
    pub content_hash: Option<ContentHash>,
    /// The bytes of its text.
    pub size: u64,
    /// Whether more is known of it than its fields.
    pub has_extra: bool,
}

/// A state with all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub head: VersionHead,
    /// Where the object comes from, as stable JSON.
    pub source: Option<String>,
    pub state: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub fields: String,
    /// What else is known, as JSON.
    pub extra: Option<String>,
    /// Its text, if it has one and it was asked for. Missing though the head has its hash: it was lost to damage, which a
    /// repair has noted.
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    pub seq: Seq,
    pub system: Moment,
    pub valid_from: Moment,
    pub body: String,
    /// The hash of its text. The text is among [`texts`](super::Objects::texts).
    pub content_hash: Option<ContentHash>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub fingerprint: Option<Sha256>,
    pub reply: Option<String>,
    pub system: Moment,
    pub seqs: Vec<Seq>,
}

/// A state of all objects. Whatever is written or taken away makes another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Stamp {
    /// The last number given out, for documents as well.
    pub sequence: Seq,
    /// Is another one once objects were taken out, or mended.
    pub removals: u64,
}

/// What cleaning up took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    pub objects: u64,
    pub events: u64,
    /// Texts that nothing else uses.
    pub texts: u64,
    /// The bytes of these, as stored.
    pub bytes: u64,
}
