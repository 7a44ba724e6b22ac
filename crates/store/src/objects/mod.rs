//! Objects with their history: what was so, and what was known of it, at any time.
//!
//! Every write is an event with a number of its own in the store's one sequence, inside a transaction with a system time.
//! Nothing is ever changed in place. Which state an object had is asked by two clocks: the system's (what was known then)
//! and the valid one (of which time it was known). Order is by number only; times are looked up to find a number.
//!
//! What an object *is* stays with the caller: here it has an id, a kind, perhaps a source, fields as stable JSON and perhaps a
//! text.

mod batch;
mod names;
mod version;

pub use batch::{Content, Expect, NewState, ObjectBatch, ObjectWrite, Op, RequestId, Validity, Written};
pub use names::{AsOf, BadMoment, BadObjectId, Moment, ObjectId, System, Valid};
pub use version::{Delta, Forgotten, Recorded, Stamp, State, Version, VersionHead, VersionKind};

pub use crate::sqlite::{Durability, SqliteObjects};

use crate::{Result, Seq};

/// Where objects are kept.
///
/// A value is one connection, as with [`Store`](crate::Store). What [`write`](Objects::write) has answered survives a power cut.
pub trait Objects: Send {
    /// Does everything in order, in one transaction, or nothing.
    ///
    /// A batch with a request id that was written before is not written again: the answer is that of the first time, with
    /// `replayed` set, provided that its fingerprint is the same; else it is [`RequestReused`](crate::Error::RequestReused).
    /// A write that expects another version than there is fails with [`VersionConflict`](crate::Error::VersionConflict), a delta
    /// to an object that is there neither now nor at the time the delta holds from with
    /// [`UnknownObject`](crate::Error::UnknownObject). A later write of the batch sees the earlier ones.
    fn write(&mut self, batch: ObjectBatch) -> Result<Written>;

    /// What was answered to a request, if it was written.
    fn recorded(&self, request: &RequestId) -> Result<Option<Recorded>>;

    /// The state of an object: its last put or deletion that counts at this time. `None` if it was not there or is deleted. Deltas
    /// are not folded in; [`deltas`](Objects::deltas) has them.
    fn get(&self, id: &ObjectId, at: AsOf) -> Result<Option<Version>>;

    /// The same for many, with or without their texts, in the order asked.
    fn get_many(&self, ids: &[ObjectId], at: AsOf, with_text: bool) -> Result<Vec<Option<Version>>>;

    /// The version that has this number, if it is a put, with its text.
    fn version(&self, seq: Seq) -> Result<Option<Version>>;

    /// Everything that was ever written about an object, in order.
    fn history(&self, id: &ObjectId) -> Result<Vec<VersionHead>>;

    /// The same for many, one after the other.
    fn histories(&self, ids: &[ObjectId]) -> Result<Vec<VersionHead>>;

    /// The changes to the state that [`get`](Objects::get) gives at this time: those after it in the sequence, known and valid by
    /// then, in order.
    fn deltas(&self, id: &ObjectId, at: AsOf) -> Result<Vec<Delta>>;

    /// The number of the first event of an object. One that is removed and made anew has another.
    fn first_of(&self, id: &ObjectId) -> Result<Option<Seq>>;

    /// The number of the last event of an object, of whatever sort.
    fn last_of(&self, id: &ObjectId) -> Result<Option<Seq>>;

    /// The objects of a kind, in the order in which they were first written, deleted ones included.
    fn of_kind(&self, kind: &str) -> Result<Vec<ObjectId>>;

    /// The objects whose id starts so, at most `limit`, sorted.
    fn starting_with(&self, prefix: &str, limit: usize) -> Result<Vec<ObjectId>>;

    /// Events of any object after a point of the sequence, in order, at most `limit`.
    fn events_since(&self, after: Seq, limit: usize) -> Result<Vec<VersionHead>>;

    /// Texts by their hash, in the order asked. One that was lost to damage is not there.
    fn texts(&self, hashes: &[ai_assist_identity::ContentHash]) -> Result<Vec<Option<String>>>;

    /// The last event's number and the last system time; zero and the epoch if there is none.
    fn last(&self) -> Result<(Seq, Moment)>;

    /// Which state this is. What was read at a stamp is still so while the stamp is the same.
    fn stamp(&self) -> Result<Stamp>;

    /// Takes objects out with all their history, and the texts that nothing else uses. For cleaning up only. Their numbers are
    /// not given again, and their requests stay known. With a number, only if nothing was written about any object since; else it is
    /// [`Moved`](crate::Error::Moved).
    fn forget(&mut self, ids: &[ObjectId], since: Option<Seq>) -> Result<Forgotten>;
}
