//! Bringing an index up to what the store holds.

use std::time::Duration;

use ai_assist_identity::{CollectionId, CollectionKind};
use ai_assist_index::{IndexDocument, IndexState, KeptText, Options, Reader, VectorCache, Writer};
use ai_assist_ingest::{Cut, Named, Vectors};
use ai_assist_store::{Change, Changed, CollectionState, Document, NewDocument, Seq, StoredChunk};

use crate::examine::{cut, stored_chunks};
use crate::{Library, Result};

/// Documents read from the store at a time.
const PAGE: usize = 256;

/// How long a text that was replaced is kept for whoever has the index of before open. A search takes seconds.
const REPLACED_KEPT: Duration = Duration::from_secs(600);

/// Vectors of deleted chunks are carried along until they outnumber the living by this many; then the index is built anew.
const DEAD_ROWS: u64 = 10_000;

/// More documents than this are worth an indexing thread on every core.
const MANY_DOCUMENTS: usize = 256;

pub(crate) fn writer_options(documents: usize) -> Options {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Options { threads: if documents > MANY_DOCUMENTS { cores.min(4) } else { 1 }, texts_elsewhere: true }
}

impl Library {
    /// The sequence number that the index says it has reached, without opening it. `None` if there is no index.
    pub(crate) fn index_seq(&self, id: &CollectionId) -> Option<u64> {
        let folder = self.index_folder(id);
        if !folder.join("CURRENT").is_file() {
            return None;
        }
        let text = std::fs::read(folder.join("index_state.json")).ok()?;
        let state: IndexState = serde_json::from_slice(&text).ok()?;
        (state.commit.versions == *self.versions()).then_some(state.commit.seq)
    }

    /// Opens a writer for a collection's index and feeds it everything the store has beyond it.
    pub(crate) fn writer(
        &mut self,
        id: &CollectionId,
        options: Options,
        cache: Option<&VectorCache>,
    ) -> Result<Writer> {
        let state = self.store().state(id)?.unwrap_or_default();
        let mut writer = self.open_writer(id, &state, options)?;
        self.feed(id, &mut writer, cache)?;
        Ok(writer)
    }

    fn open_writer(&mut self, id: &CollectionId, state: &CollectionState, options: Options) -> Result<Writer> {
        let folder = self.index_folder(id);
        let (versions, dim) = (self.versions().clone(), self.embedder().dim());
        match Writer::open(&folder, &versions, dim, options) {
            Ok(writer) => {
                let lost_removals = writer.seq() < state.pruned.0;
                // An index ahead of its store belongs to another database.
                let foreign = writer.seq() > state.seq.0;
                let mostly_dead = writer.rows() > state.chunks * 2 + DEAD_ROWS;
                // One of a version that kept every text twice.
                let has_texts = !writer.has_texts_elsewhere();
                if !(lost_removals || foreign || mostly_dead || has_texts) {
                    return Ok(writer);
                }
            }
            Err(error) if error.rebuild_helps() => {
                if matches!(error, ai_assist_index::Error::Incompatible { .. }) {
                    self.cut_again(id)?;
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Writer::rebuild(&folder, &versions, dim, options)?)
    }

    /// Cuts every stored document with the chunker of this version, and stores those that come out otherwise.
    fn cut_again(&mut self, id: &CollectionId) -> Result<()> {
        let end = self.store().state(id)?.unwrap_or_default().seq;
        let mut after = Seq(0);
        loop {
            let page = self.store().changes_since(id, after, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq();
            let mut changes = Vec::new();
            for changed in page {
                let Changed::Put(document) = changed else { continue };
                if document.seq > end {
                    continue;
                }
                let Cut { title, chunks, .. } = cut_stored(id.kind(), &document);
                let chunks = stored_chunks(&chunks, document.language);
                let same =
                    |(a, b): (&StoredChunk, &StoredChunk)| a.bytes == b.bytes && a.path == b.path && a.kind == b.kind;
                if chunks.len() == document.chunks.len() && chunks.iter().zip(&document.chunks).all(same) {
                    continue;
                }
                let document = NewDocument {
                    path: document.path,
                    hash: document.hash,
                    source_size: document.source_size,
                    stamp: document.stamp,
                    title,
                    language: document.language,
                    encoding: document.encoding,
                    converter: document.converter,
                    replaced: document.replaced,
                    redacted: document.redacted,
                    text: document.text.into(),
                    chunks,
                };
                changes.push(Change::Put(document.prepare()?));
            }
            if !changes.is_empty() {
                self.store_mut().apply(id, changes)?;
            }
            if after > end {
                return Ok(());
            }
        }
    }

    fn feed(&self, id: &CollectionId, writer: &mut Writer, cache: Option<&VectorCache>) -> Result<()> {
        let mut after = Seq(writer.seq());
        loop {
            let page = self.store().changes_since(id, after, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq();
            for changed in page {
                match changed {
                    Changed::Put(document) => writer.put(self.index_document(id, document, cache)?)?,
                    Changed::Removed { id, .. } => writer.remove(id.0.cast_unsigned()),
                }
            }
        }
    }

    fn index_document(
        &self,
        id: &CollectionId,
        document: Document,
        cache: Option<&VectorCache>,
    ) -> Result<IndexDocument> {
        // The store keeps where chunks are, not what they define.
        let cut = cut_stored(id.kind(), &document);
        let cut = Cut { title: document.title, ..cut };
        let key = document.id.0.cast_unsigned();
        let named = Named { key, path: document.path.as_str(), language: document.language, hash: document.hash };
        let kept = Some(KeptText { put: document.seq.0, text: document.text.into() });
        Ok(IndexDocument { kept, ..cut.document(named, &Vectors::new(self.embedder(), cache))? })
    }

    /// Commits a writer at what the store holds now, and lets go of removals that the index has seen.
    pub(crate) fn commit(&mut self, id: &CollectionId, writer: Writer) -> Result<()> {
        let state = self.store().state(id)?.unwrap_or_default();
        writer.commit(state.seq.0, state.documents, state.chunks)?;
        self.store_mut().prune_tombstones(id, state.seq)?;
        Ok(())
    }

    /// Lets go of texts that were replaced longer ago than anybody reads them. Without changes no commit does it.
    pub(crate) fn forget_replaced(&mut self, id: &CollectionId) -> Result<()> {
        Ok(self.store_mut().forget_replaced(id, REPLACED_KEPT)?)
    }

    /// Brings the index up to date if it is behind. The caller holds the collection's sync lock.
    /// Of a collection that is not there, nothing is indexed.
    pub(crate) fn catch_up(&mut self, id: &CollectionId) -> Result<bool> {
        if !self.is_there(id)? {
            return Ok(false);
        }
        let state = self.store().state(id)?.unwrap_or_default();
        if self.index_seq(id) == Some(state.seq.0) {
            return Ok(false);
        }
        let cache = self.vector_cache()?;
        let writer =
            self.writer(id, writer_options(usize::try_from(state.documents).unwrap_or(usize::MAX)), Some(&cache))?;
        self.commit(id, writer)?;
        // A cache that can't be saved costs time at the next sync, which says so; it is no reason to fail here.
        let _ = cache.save();
        Ok(true)
    }

    pub(crate) fn rebuild(&mut self, id: &CollectionId) -> Result<()> {
        if !self.is_there(id)? {
            return Ok(());
        }
        let state = self.store().state(id)?.unwrap_or_default();
        let options = writer_options(usize::try_from(state.documents).unwrap_or(usize::MAX));
        let mut writer = Writer::rebuild(&self.index_folder(id), self.versions(), self.embedder().dim(), options)?;
        self.feed(id, &mut writer, None)?;
        self.commit(id, writer)
    }

    /// Whether somebody has synced it, and nobody has dropped it since.
    pub(crate) fn is_there(&self, id: &CollectionId) -> Result<bool> {
        Ok(self.store().collection(id)?.is_some())
    }

    /// Opens a collection's index for reading, brought up to date unless another process is at it right now. `None` if
    /// the collection is not there, or no longer.
    pub(crate) fn reader(&mut self, id: &CollectionId) -> Result<Option<Reader>> {
        if !self.is_there(id)? {
            return Ok(None);
        }
        let state = self.store().state(id)?.unwrap_or_default();
        if let Ok(reader) = self.open_index(id)
            && reader.commit().seq == state.seq.0
        {
            return Ok(Some(reader));
        }
        match (self.try_lock_sync(id)?, self.open_index(id)) {
            // A sync is writing: what it has committed so far is whole, though not the newest.
            (None, Ok(reader)) => Ok(Some(reader)),
            (None, Err(error)) if !error.rebuild_helps() => Err(error.into()),
            (None, Err(_)) => {
                let _lock = self.lock_sync(id, || true)?;
                self.catch_up_and_open(id)
            }
            (Some(_lock), _) => self.catch_up_and_open(id),
        }
    }

    fn catch_up_and_open(&mut self, id: &CollectionId) -> Result<Option<Reader>> {
        self.catch_up(id)?;
        // Asked under the lock: whoever dropped it has removed the index too.
        if !self.is_there(id)? {
            return Ok(None);
        }
        match self.open_index(id) {
            Err(error) if error.rebuild_helps() => {
                // `index_state.json` promised what the files do not hold.
                self.rebuild(id)?;
                Ok(Some(self.open_index(id)?))
            }
            opened => Ok(Some(opened?)),
        }
    }
}

fn cut_stored(kind: CollectionKind, document: &Document) -> Cut {
    cut(kind, &document.path, &document.text, document.language, document.converter.as_deref())
}
