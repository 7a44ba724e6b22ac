//! What can go wrong, in words a person can act on.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use ai_assist_identity::{CollectionId, DocPath};
use ai_assist_text::LineRange;

use crate::change::Seq;
use crate::collection::Source;
use crate::objects::{Moment, ObjectId, RequestId};

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

/// The result of every call here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store could not do what was asked. Whatever it is, nothing was half written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Two sources have one id: `sha256(path + glob)` is a plain concatenation.
    #[error(
        "two sources share the id {id}: stored is {stored}, offered is {offered}; change the path or the glob of one of them"
    )]
    IdCollision {
        id: CollectionId,
        stored: Box<Source>,
        /// What was asked for.
        offered: Box<Source>,
    },
    /// A write to a collection that is not there.
    #[error("there is no collection {0}; it may have been dropped meanwhile, sync it again")]
    UnknownCollection(CollectionId),
    /// A chunk that does not lie in its document.
    #[error(
        "chunk {ordinal} of `{path}` is not a piece of it: bytes {bytes:?} (lines {lines}) of a text of {length} bytes"
    )]
    BadChunk {
        /// Of the document.
        path: DocPath,
        /// Which chunk, from 0.
        ordinal: usize,
        /// What it claims.
        bytes: Range<usize>,
        /// What it claims.
        lines: LineRange,
        /// Of the text.
        length: usize,
    },
    /// A write expected another version of an object.
    #[error(
        "`{id}` has changed meanwhile: its last version is {found}, expected was {expected}; read it again and decide anew"
    )]
    VersionConflict {
        id: ObjectId,
        /// What was expected; nothing if it was to be new.
        expected: Expected,
        found: Expected,
    },
    /// A request id that stands for another request.
    #[error("the request id `{}` was used before for another request; give each request an id of its own", .0.0)]
    RequestReused(RequestId),
    /// Something was written while it was decided what to take out.
    #[error("objects were written meanwhile, so nothing was taken out; decide anew")]
    Moved,
    /// A change to an object that is not there.
    #[error("there is no object {0}; it may have been cleaned up meanwhile")]
    UnknownObject(ObjectId),
    /// A time span that ends before it begins.
    #[error("`{id}` can't hold from {from} to {to}: the end must come after the start")]
    BadValidity {
        id: ObjectId,
        /// The start.
        from: Moment,
        /// The end.
        to: Moment,
    },
    /// An object written as another kind, or with another source, than it has.
    #[error("object {id} is {stored}, and was written as {offered}")]
    AnotherObject {
        id: ObjectId,
        stored: String,
        /// What was written.
        offered: String,
    },
    /// A text that could not be compressed.
    #[error("a text could not be compressed")]
    Compress(#[source] io::Error),
    /// A document over the database's own limit for one value.
    #[error("`{}` can't hold a document this large (about 1 GB compressed is the limit)", path.display())]
    TooLarge {
        /// The database.
        path: PathBuf,
    },
    /// Written by a later version of this program. It was not touched.
    #[error("`{}` has schema version {found}, this program knows up to {known}; use a newer ai-assist (the file was not changed)", path.display())]
    NewerVersion {
        /// The database.
        path: PathBuf,
        found: i64,
        /// What this program knows.
        known: i64,
    },
    /// Written by an earlier version, and opened so that it can't be brought up to date.
    #[error("`{}` has schema version {found}, this program needs {known}; open it once for writing to bring it up to date", path.display())]
    OlderVersion {
        /// The database.
        path: PathBuf,
        found: i64,
        /// What this program needs.
        known: i64,
    },
    /// Some other file.
    #[error("`{}` is not a SQLite database; move it away or choose another data folder", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// A SQLite database of some other program.
    #[error("`{}` is a database of another program; choose another data folder", path.display())]
    ForeignDatabase {
        /// The file.
        path: PathBuf,
    },
    /// Another process kept the lock for too long.
    #[error("`{}` was locked by another process for {} s; try again when its sync is done, or end it if it hangs", path.display(), waited.as_secs())]
    Busy {
        /// The database.
        path: PathBuf,
        /// How long this process was ready to wait.
        waited: Duration,
    },
    /// No room left. The batch was undone and everything stored before is still there.
    #[error("the disk that holds `{}` is full; nothing of this batch was written, free some space and try again", path.display())]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error("`{}` is damaged: {detail}", path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What was met.
        detail: String,
    },
    /// A write through a store that was opened for reading, or to a file that may not be written.
    #[error("`{}` can't be written to", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// The file or its folder can't be opened or made.
    #[error("can't open `{}`", path.display())]
    Open {
        /// The database.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Anything else the database says.
    #[error("the database `{}` failed", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What it said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
