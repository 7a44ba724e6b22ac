//! What can go wrong, in words a person can act on.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use ai_assist_identity::{CollectionId, DocPath};
use ai_assist_text::LineRange;

use crate::objects::{Moment, ObjectId, RequestId};
use crate::{Seq, Source};

/// A version that was expected or found; none at all is `nothing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected(pub Option<Seq>);

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(seq) => seq.fmt(f),
            None => f.write_str("nothing"),
        }
    }
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store could not do what was asked. Whatever it is, nothing was half written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Two sources have one id: `sha256(path + glob)` is a plain concatenation.
    #[error(
        "two sources share the id {id}: stored is {stored}, offered is {offered}; change the path or the glob of one of them"
    )]
    IdCollision { id: CollectionId, stored: Box<Source>, offered: Box<Source> },
    #[error("there is no collection {0}; it may have been dropped meanwhile, sync it again")]
    UnknownCollection(CollectionId),
    #[error(
        "chunk {ordinal} of `{path}` is not a piece of it: bytes {bytes:?} (lines {lines}) of a text of {length} bytes"
    )]
    BadChunk { path: DocPath, ordinal: usize, bytes: Range<usize>, lines: LineRange, length: usize },
    #[error(
        "`{id}` has changed meanwhile: its last version is {found}, expected was {expected}; read it again and decide anew"
    )]
    VersionConflict { id: ObjectId, expected: Expected, found: Expected },
    #[error("the request id `{}` was used before for another request; give each request an id of its own", .0.0)]
    RequestReused(RequestId),
    #[error("objects were written meanwhile, so nothing was taken out; decide anew")]
    Moved,
    #[error("there is no object {0}; it may have been cleaned up meanwhile")]
    UnknownObject(ObjectId),
    #[error("`{id}` can't hold from {from} to {to}: the end must come after the start")]
    BadValidity { id: ObjectId, from: Moment, to: Moment },
    #[error("object {id} is {stored}, and was written as {offered}")]
    AnotherObject { id: ObjectId, stored: String, offered: String },
    #[error("a text could not be compressed")]
    Compress(#[source] io::Error),
    #[error("`{}` can't hold a document this large (about 1 GB compressed is the limit)", path.display())]
    TooLarge { path: PathBuf },
    #[error("`{}` has schema version {found}, this program knows up to {known}; use a newer ai-assist (the file was not changed)", path.display())]
    NewerVersion { path: PathBuf, found: i64, known: i64 },
    #[error("`{}` has schema version {found}, this program needs {known}; open it once for writing to bring it up to date", path.display())]
    OlderVersion { path: PathBuf, found: i64, known: i64 },
    #[error("`{}` is not a SQLite database; move it away or choose another data folder", path.display())]
    NotADatabase { path: PathBuf },
    #[error("`{}` is a database of another program; choose another data folder", path.display())]
    ForeignDatabase { path: PathBuf },
    #[error("`{}` was locked by another process for {} s; try again when its sync is done, or end it if it hangs", path.display(), waited.as_secs())]
    Busy { path: PathBuf, waited: Duration },
    #[error("the disk that holds `{}` is full; nothing of this batch was written, free some space and try again", path.display())]
    Full { path: PathBuf },
    #[error("`{}` is damaged: {detail}", path.display())]
    Corrupt { path: PathBuf, detail: String },
    #[error("`{}` can't be written to", path.display())]
    ReadOnly { path: PathBuf },
    #[error("can't open `{}`", path.display())]
    Open { path: PathBuf, source: Box<dyn std::error::Error + Send + Sync> },
    #[error("the database `{}` failed", path.display())]
    Database { path: PathBuf, source: Box<dyn std::error::Error + Send + Sync> },
}

impl Error {
    /// Whether the file itself is damaged, so that making it anew out of what can be read helps, if it is one of ours.
    pub fn recovery_helps(&self) -> bool {
        match self {
            Error::Corrupt { .. } => true,
            Error::NotADatabase { path } => crate::SqliteStore::is_ours(path),
            _ => false,
        }
    }
}

/// Something in the store that should not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    pub message: String,
    /// Whether [`repair`](crate::Store::repair) can mend it.
    pub repairable: bool,
    /// Whether it is one of the file itself, for which [recovery](crate::SqliteStore::recover) is the way.
    pub of_file: bool,
}

impl std::fmt::Display for Defect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
