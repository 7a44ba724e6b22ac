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
use crate::elsewhere::Elsewhere;
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
    doc: u32,
}

/// A document as its living chunks have it.
pub struct DocumentText<'r> {
    pub key: u64,
    /// The texts of its chunks, in order, one right after another.
    pub text: String,
    ends: Vec<usize>,
    places: &'r [Place],
    reader: &'r Reader,
    /// Of each segment, once it was needed.
    stores: Vec<Option<StoreReader>>,
    elsewhere: Elsewhere<'r>,
}

impl std::fmt::Debug for DocumentText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentText").field("key", &self.key).field("text", &self.text).finish_non_exhaustive()
    }
}

impl<'r> DocumentText<'r> {
    fn new(reader: &'r Reader) -> Self {
        let stores = reader.segments.iter().map(|_| None).collect();
        let elsewhere = Elsewhere::new(reader);
        DocumentText { key: 0, text: String::new(), ends: Vec::new(), places: &[], reader, stores, elsewhere }
    }

    pub fn chunks(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| self.text.get(start..end).unwrap_or_default())
    }

    /// Everything that is kept of a chunk, by its number in the document.
    pub fn record(&self, chunk: usize) -> Result<ChunkRecord, Error> {
        let folder = &self.reader.folder;
        let place = self.places.get(chunk);
        let store = place.and_then(|place| Some((place.doc, self.stores.get(place.segment as usize)?.as_ref()?)));
        let (doc, store) = store.ok_or_else(|| Error::damaged(folder, format!("a document has no chunk {chunk}")))?;
        let mut record = self.reader.record_of(&store.get(doc).map_err(Error::engine(folder))?)?;
        self.chunks().nth(chunk).unwrap_or_default().clone_into(&mut record.text);
        Ok(record)
    }

    fn read(&mut self, places: &'r [Place]) -> Result<(), Error> {
        self.key = places.first().map_or(0, |place| place.key);
        self.places = places;
        self.text.clear();
        self.ends.clear();
        for place in places {
            match self.stored(place)? {
                Stored::Text(text) => self.text.push_str(&text),
                Stored::Record(record) => {
                    let folder = &self.reader.folder;
                    let record: Option<ChunkRecord> = serde_json::from_slice(&record).ok();
                    let place = record.as_ref().and_then(|record| Some((record.elsewhere()?, record.bytes)));
                    let (place, bytes) = place.ok_or_else(|| Error::damaged(folder, "a chunk has no text"))?;
                    self.text.push_str(self.elsewhere.piece(place, bytes)?);
                }
            }
            self.ends.push(self.text.len());
        }
        Ok(())
    }

    fn stored(&mut self, place: &Place) -> Result<Stored, Error> {
        let folder = &self.reader.folder;
        let number = place.segment as usize;
        let found = self.reader.segments.get(number).zip(self.stores.get_mut(number));
        let (view, store) = found.ok_or_else(|| Error::damaged(folder, "a segment is missing"))?;
        let store = match store {
            Some(store) => store,
            None => {
                let opened = view.reader.get_store_reader(CACHE_BLOCKS);
                store.insert(opened.map_err(Error::engine(folder))?)
            }
        };
        store.get(place.doc).map_err(Error::engine(folder))
    }
}

impl Reader {
    /// Hands the texts of documents to `look`, on all cores and in no order, and says how many there were. Only chunks
    /// of `mask` that are alive count.
    ///
    /// `keys`, rising, are the documents to read; without them, all are. What is in memory at a time does not grow with
    /// their number, but for 24 bytes a chunk.
    pub fn texts<E: From<Error> + Send>(
        &self,
        keys: Option<&[u64]>,
        mask: &Mask,
        look: impl Fn(&DocumentText<'_>) -> Result<(), E> + Sync,
    ) -> Result<usize, E> {
        // A file that was tampered with may break assumptions of the engine.
        let read = ai_assist_base::caught(|| self.each_text(keys, mask, look));
        read.unwrap_or_else(|broke_off| Err(Error::damaged(&self.folder, broke_off.to_string()).into()))
    }

    fn each_text<E: From<Error> + Send>(
        &self,
        keys: Option<&[u64]>,
        mask: &Mask,
        look: impl Fn(&DocumentText<'_>) -> Result<(), E> + Sync,
    ) -> Result<usize, E> {
        let places = self.places(keys, mask)?;
        let mut documents: Vec<&[Place]> = places.chunk_by(|a, b| a.key == b.key).collect();
        // Rows rise as chunks were written, and so do the places of their texts in the files.
        documents.sort_unstable_by_key(|chunks| chunks.first().map(|chunk| chunk.row));
        let at_once = documents.len().div_ceil(4 * rayon::current_num_threads()).clamp(1, AT_ONCE);
        documents.par_chunks(at_once).try_for_each_init(
            || DocumentText::new(self),
            |document, documents| {
                for places in documents {
                    document.read(places)?;
                    look(document)?;
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
}

/// What is stored of a chunk: its text, behind which nothing is looked at, or its record, if the text is kept elsewhere.
enum Stored {
    Text(String),
    Record(Vec<u8>),
}

impl DocumentDeserialize for Stored {
    fn deserialize<'de, D: DocumentDeserializer<'de>>(mut fields: D) -> Result<Self, DeserializeError> {
        Ok(fields.next_field()?.map_or_else(|| Stored::Text(String::new()), |(_, stored)| stored))
    }
}

impl ValueDeserialize for Stored {
    fn deserialize<'de, D: ValueDeserializer<'de>>(value: D) -> Result<Self, DeserializeError> {
        value.deserialize_any(Visitor)
    }
}

struct Visitor;

impl ValueVisitor for Visitor {
    type Value = Stored;

    fn visit_string(&self, text: String) -> Result<Stored, DeserializeError> {
        Ok(Stored::Text(text))
    }

    fn visit_bytes(&self, record: Vec<u8>) -> Result<Stored, DeserializeError> {
        Ok(Stored::Record(record))
    }
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
