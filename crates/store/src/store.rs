//! The contract of a store.

use std::time::Duration;

use ai_assist_identity::{CollectionId, DocPath, Sha256};

use crate::{
    Applied, Change, Changed, CollectionRecord, CollectionState, Defect, Document, DocumentHead, DocumentId,
    DocumentInfo, NewCollection, PackageRecord, Reading, Result, Seq,
};

/// Where documents are kept.
///
/// A value is one connection: cheap enough to open for each thread, and sent between them but not shared. Any number of
/// them, in any number of processes, may be open on one store. Each call sees one state of it, the one after some whole
/// number of batches. Reads never wait; writes wait for one another.
///
/// # Keeping an index up to date
///
/// An index remembers the [`Seq`] it has reached. To bring it up to date, read [`state`](Store::state) first; if
/// `reached < pruned`, empty the index and start from zero. Then ask for [`changes_since`](Store::changes_since) until
/// it answers with nothing. The index has then reached the greater of the `seq` of that state and that of the last
/// change seen: not the latter alone, or a removal that was pruned would make it start over for ever.
pub trait Store: Send {
    /// All collections, sorted by id.
    fn collections(&self) -> Result<Vec<CollectionRecord>>;

    fn collection(&self, id: &CollectionId) -> Result<Option<CollectionRecord>>;

    /// Makes a collection if it is not there. One with the same id and another path, glob or URL is an
    /// [`IdCollision`](crate::Error::IdCollision).
    fn ensure_collection(&mut self, collection: &NewCollection) -> Result<CollectionRecord>;

    /// The counters of a collection: one row, however large it is.
    fn state(&self, id: &CollectionId) -> Result<Option<CollectionState>>;

    /// Takes a collection out with all it holds, and the contents that nothing else uses. Says whether it was there. If it is made
    /// again later, its `pruned` lies after everything it ever held, so an index that was left over is rebuilt.
    fn drop_collection(&mut self, id: &CollectionId) -> Result<bool>;

    /// What planning a sync needs, sorted by path (bytewise). A collection that is not there has none.
    fn heads(&self, id: &CollectionId) -> Result<Vec<DocumentHead>>;

    /// Does all changes in order, in one transaction, and says for each what became of it. Every put and every removal
    /// takes the next sequence number; a put of a path that is there keeps the document's number.
    fn apply(&mut self, id: &CollectionId, changes: Vec<Change>) -> Result<Vec<Applied>>;

    /// Notes that a sync has ended, with the hash of the manifest if there is one that can be trusted next time.
    fn mark_synced(&mut self, id: &CollectionId, manifest_hash: Option<Sha256>) -> Result<()>;

    fn package(&self, id: &CollectionId) -> Result<Option<PackageRecord>>;

    /// Notes what was fetched of a package, in place of what was noted before.
    fn set_package(&mut self, id: &CollectionId, package: &PackageRecord) -> Result<()>;

    /// The changes after a point, in the order of the sequence: each document once, at its last put, and every removal
    /// that is not pruned. At most `limit`, and fewer when the texts are large; only an empty answer means that there is
    /// nothing more.
    fn changes_since(&self, id: &CollectionId, after: Seq, limit: usize) -> Result<Vec<Changed>>;

    /// Forgets removals up to a point that every index of the collection has reached, and texts that were replaced up to the
    /// point before it. A point beyond the last change means the last change; one that is not beyond the point before changes
    /// nothing.
    fn prune_tombstones(&mut self, id: &CollectionId, upto: Seq) -> Result<()>;

    /// Forgets texts that were replaced up to the point of the last [`prune_tombstones`](Store::prune_tombstones) and at least this
    /// long ago. Writes only if there are such.
    fn forget_replaced(&mut self, id: &CollectionId, age: Duration) -> Result<()>;

    fn document(&self, id: &CollectionId, path: &DocPath) -> Result<Option<Document>>;

    /// The text of a document as a put left it, told by the put's number and the hash of the source's bytes. Also of one that was
    /// replaced or removed since, until [`prune_tombstones`](Store::prune_tombstones) was given two points beyond, or
    /// [`forget_replaced`](Store::forget_replaced) has found it old enough.
    fn text_at(&self, id: DocumentId, put: Seq, hash: &Sha256) -> Result<Option<String>>;

    /// All documents without their texts, sorted by path (bytewise).
    fn list_documents(&self, id: &CollectionId) -> Result<Vec<DocumentInfo>>;

    /// Which configurations read which collection, sorted by configuration and name.
    fn readings(&self) -> Result<Vec<Reading>>;

    /// Notes what a name of a configuration reads, in place of what it read before.
    fn set_reading(&mut self, reading: &Reading) -> Result<()>;

    fn forget_reading(&mut self, config: &str, name: &str) -> Result<()>;

    /// Makes a collection, which must not be there, with all documents of another and what is known of its package. Each document
    /// has a number of its own; contents are shared.
    fn copy_collection(&mut self, from: &CollectionId, to: &NewCollection) -> Result<()>;

    /// Looks for damage, reading everything. Empty if all is well.
    fn check(&self) -> Result<Vec<Defect>>;

    /// Mends what [`check`](Store::check) calls repairable and says what was done. A document that can't be read is
    /// taken out, its collection's indexes are told to rebuild, and the next sync brings it back. Of objects, which nothing brings
    /// back, only events that can't be read at all are taken out.
    fn repair(&mut self) -> Result<Vec<String>>;
}
