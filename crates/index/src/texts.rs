//! The texts of whole documents, put together from their chunks.

use rayon::prelude::*;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::schema::document::{
    DeserializeError, DocumentDeserialize, DocumentDeserializer, ValueDeserialize, ValueDeserializer, ValueVisitor,
};
use tantivy::store::StoreReader;
use tantivy::{DocId, Term};

use crate::Error;
use crate::document::ChunkRecord;
use crate::mask::Mask;
use crate::reader::{Reader, SegmentView};

/// Documents that are read one after another on one thread: their chunks often lie in the same blocks.
const AT_ONCE: usize = 32;

/// How many blocks of each segment are kept unpacked by a thread.
const CACHE_BLOCKS: usize = 8;

/// Where a chunk stands and what it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    key: u64,
    /// Rises with a chunk's number in its document.
    row: u32,
    segment: u32,
    /// In the segment.
    doc: u32,
}

/// A document as its living chunks have it.
#[derive(Debug, Default)]
pub struct DocumentText {
    /// Its key.
    pub key: u64,
    /// The texts of its chunks, in order, one right after another.
    pub text: String,
    /// Where in the text each chunk ends.
    pub ends: Vec<usize>,
    /// What else is kept of each chunk, as it is stored.
    records: Vec<Vec<u8>>,
}

impl DocumentText {
    /// What is kept of a chunk, by its number in the document; without its text. None if that can't be read.
    pub fn record(&self, chunk: usize) -> Option<ChunkRecord> {
        serde_json::from_slice(self.records.get(chunk)?).ok()
    }

    /// The text of a chunk, by its number in the document.
    pub fn chunk(&self, chunk: usize) -> Option<&str> {
        let start = chunk.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..*self.ends.get(chunk)?)
    }
}

impl Reader {
    /// Hands the texts of documents to `look`, on all cores and in no order, and says how many there were. Only chunks
    /// of `mask` that are alive count.
    ///
    /// `keys`, rising, are the documents to read; without them, all are. What is in memory at a time does not grow with
    /// their number, but for 24 bytes a chunk.
    ///
    /// # Errors
    ///
    /// If the index can't be read, or what `look` fails with.
    pub fn texts<E: From<Error> + Send>(
        &self,
        keys: Option<&[u64]>,
        mask: &Mask,
        look: impl Fn(&DocumentText) -> Result<(), E> + Sync,
    ) -> Result<usize, E> {
        let places = self.places(keys, mask)?;
        let mut documents: Vec<&[Place]> = places.chunk_by(|a, b| a.key == b.key).collect();
        // Rows rise as chunks were written, and so do the places of their texts in the files.
        documents.sort_unstable_by_key(|chunks| chunks.first().map(|chunk| chunk.row));
        let at_once = documents.len().div_ceil(4 * rayon::current_num_threads()).clamp(1, AT_ONCE);
        documents.par_chunks(at_once).try_for_each_init(
            || (self.stores(), DocumentText::default()),
            |(stores, text), documents| {
                for chunks in documents {
                    self.read_text(chunks, stores, text)?;
                    look(text)?;
                }
                Ok::<(), E>(())
            },
        )?;
        Ok(documents.len())
    }

    /// The chunks of some documents, by document and then in order.
    fn places(&self, keys: Option<&[u64]>, mask: &Mask) -> Result<Vec<Place>, Error> {
        let rows = self.rows()?;
        let segments: Vec<(u32, &SegmentView)> = (0..).zip(&self.segments).collect();
        let of_segment = |&(number, view): &(u32, &SegmentView)| {
            let mut found = Vec::new();
            self.each_chunk(view, keys, |key, doc| {
                let position = view.base + doc as usize;
                if mask.contains(position) && self.live().contains(position) {
                    let row = rows.get(position).copied().unwrap_or(u32::MAX);
                    found.push(Place { key, row, segment: number, doc });
                }
            })?;
            Ok(found)
        };
        let found: tantivy::Result<Vec<Vec<Place>>> = segments.par_iter().map(of_segment).collect();
        let mut places = found.map_err(Error::engine(&self.folder))?.concat();
        places.par_sort_unstable();
        Ok(places)
    }

    /// Tells the key and the number of every chunk of a segment, or of those that belong to some documents; deleted
    /// ones included.
    fn each_chunk(
        &self,
        view: &SegmentView,
        keys: Option<&[u64]>,
        mut tell: impl FnMut(u64, DocId),
    ) -> tantivy::Result<()> {
        let inverted = view.reader.inverted_index(self.fields.key)?;
        let mut tell_all = |key: u64, info: &TermInfo| -> tantivy::Result<()> {
            let mut postings = inverted.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
            while !postings.docs().is_empty() {
                postings.docs().iter().for_each(|&doc| tell(key, doc));
                postings.advance();
            }
            Ok(())
        };
        // Looking up a key costs a few times what it costs to pass it by.
        if let Some(keys) = keys.filter(|keys| (keys.len() as u64).saturating_mul(4) < self.commit().documents) {
            for &key in keys {
                if let Some(info) = inverted.get_term_info(&Term::from_field_u64(self.fields.key, key))? {
                    tell_all(key, &info)?;
                }
            }
            return Ok(());
        }
        let mut terms = inverted.terms().stream()?;
        while let Some((term, info)) = terms.next() {
            if let Some(key) = term.try_into().ok().map(u64::from_be_bytes)
                && keys.is_none_or(|keys| keys.binary_search(&key).is_ok())
            {
                tell_all(key, info)?;
            }
        }
        Ok(())
    }

    fn stores(&self) -> Vec<Option<StoreReader>> {
        self.segments.iter().map(|_| None).collect()
    }

    fn read_text(
        &self,
        chunks: &[Place],
        stores: &mut [Option<StoreReader>],
        text: &mut DocumentText,
    ) -> Result<(), Error> {
        text.key = chunks.first().map_or(0, |chunk| chunk.key);
        text.text.clear();
        text.ends.clear();
        text.records.clear();
        for chunk in chunks {
            let stored = self.stored(chunk, stores)?;
            text.text.push_str(&stored.body);
            text.ends.push(text.text.len());
            text.records.push(stored.record);
        }
        Ok(())
    }

    fn stored(&self, chunk: &Place, stores: &mut [Option<StoreReader>]) -> Result<Stored, Error> {
        let missing = || Error::damaged(&self.folder, "a segment is missing");
        let number = chunk.segment as usize;
        let (view, store) = self.segments.get(number).zip(stores.get_mut(number)).ok_or_else(missing)?;
        let engine = || Error::engine(&self.folder);
        let store = match store {
            Some(store) => store,
            None => {
                let opened = view.reader.get_store_reader(CACHE_BLOCKS).map_err(|error| engine()(error.into()))?;
                store.insert(opened)
            }
        };
        store.get(chunk.doc).map_err(engine())
    }
}

/// What is stored of a chunk: one text, and one record in bytes.
#[derive(Debug, Default)]
struct Stored {
    body: String,
    record: Vec<u8>,
}

impl DocumentDeserialize for Stored {
    fn deserialize<'de, D: DocumentDeserializer<'de>>(mut fields: D) -> Result<Self, DeserializeError> {
        let mut stored = Stored::default();
        while let Some((_, value)) = fields.next_field::<StoredValue>()? {
            match value {
                StoredValue::Body(body) => stored.body = body,
                StoredValue::Record(record) => stored.record = record,
            }
        }
        Ok(stored)
    }
}

enum StoredValue {
    Body(String),
    Record(Vec<u8>),
}

impl ValueDeserialize for StoredValue {
    fn deserialize<'de, D: ValueDeserializer<'de>>(value: D) -> Result<Self, DeserializeError> {
        value.deserialize_any(Visitor)
    }
}

struct Visitor;

impl ValueVisitor for Visitor {
    type Value = StoredValue;

    fn visit_string(&self, text: String) -> Result<StoredValue, DeserializeError> {
        Ok(StoredValue::Body(text))
    }

    fn visit_bytes(&self, bytes: Vec<u8>) -> Result<StoredValue, DeserializeError> {
        Ok(StoredValue::Record(bytes))
    }
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
