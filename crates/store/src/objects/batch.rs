//! What is to be written.

use std::fmt;
use std::sync::{Arc, OnceLock};

use ai_assist_identity::{ContentHash, Sha256};

use crate::contents::Packed;
use crate::{Result, Seq};

use super::names::{Moment, ObjectId};

/// Names a request, so that one sent twice is done once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub String);

/// Writes that belong together.
#[derive(Debug, Clone, Default)]
pub struct ObjectBatch {
    pub request: Option<RequestId>,
    /// What the request asked, to tell it from another one of the same name. Only with `request`.
    pub fingerprint: Option<Sha256>,
    /// What the caller answers to the request, kept for whoever sends it again. Only with `request`.
    pub reply: Option<String>,
    /// Objects that are taken for granted, with the number of their last event: if one has another by now, nothing is written.
    pub needs: Vec<(ObjectId, Seq)>,
    pub writes: Vec<ObjectWrite>,
}

#[derive(Debug, Clone)]
pub struct ObjectWrite {
    pub id: ObjectId,
    /// Its kind, which never changes.
    pub kind: &'static str,
    /// Where it comes from, as stable JSON; noted when the object is first written, and never changes.
    pub source: Option<String>,
    pub valid: Validity,
    /// What must be there.
    pub expect: Expect,
    pub op: Op,
}

impl ObjectWrite {
    /// A write of an object without a source, which holds from now on, whatever is there.
    pub fn new(id: ObjectId, kind: &'static str, op: Op) -> Self {
        ObjectWrite { id, kind, source: None, valid: Validity::default(), expect: Expect::Any, op }
    }
}

/// From when to when something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Validity {
    /// The system time of the write, unless given.
    pub from: Option<Moment>,
    /// For ever, unless given; not included.
    pub to: Option<Moment>,
}

/// What must be there for a write to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expect {
    #[default]
    Any,
    Absent,
    /// This is the number of its last event.
    At(Seq),
}

#[derive(Debug, Clone)]
pub enum Op {
    /// A new state.
    Put(NewState),
    /// It is not there from then on.
    Delete,
    /// A change to its state, in the caller's words (JSON), perhaps with a text.
    Delta { body: String, content: Option<Content> },
}

#[derive(Debug, Clone)]
pub struct NewState {
    pub fields: String,
    /// What else is to be known, as JSON.
    pub extra: Option<String>,
    /// The hash of the bytes at its source.
    pub file_hash: Option<Sha256>,
    pub content: Option<Content>,
}

/// A text with its hash. Clones are one text, which is packed at most once: on the thread that says so, else before it is written.
#[derive(Clone)]
pub struct Content(Arc<Shared>);

struct Shared {
    text: Box<str>,
    hash: ContentHash,
    packed: OnceLock<Packed>,
}

impl Content {
    pub fn new(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        Content(Arc::new(Shared { hash: ContentHash::of(&text), packed: OnceLock::new(), text }))
    }

    pub fn hash(&self) -> ContentHash {
        self.0.hash
    }

    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// As it lies in a database.
    pub(crate) fn packed(&self) -> Result<&Packed> {
        match self.0.packed.get() {
            Some(packed) => Ok(packed),
            None => {
                let packed = Packed::pack(&self.0.text)?;
                Ok(self.0.packed.get_or_init(|| packed))
            }
        }
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        self.hash() == other.hash()
    }
}

impl Eq for Content {}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content").field("hash", &self.hash()).field("bytes", &self.text().len()).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub system: Moment,
    /// The number of each write, in order.
    pub seqs: Vec<Seq>,
    /// Whether it had been written before, by the same request.
    pub replayed: bool,
}
