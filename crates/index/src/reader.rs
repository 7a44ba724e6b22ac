use std::collections::HashSet;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ai_assist_embed::Embedder;
use ai_assist_text::Language;
use tantivy::columnar::StrColumn;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::TermInfo;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::store::StoreReader;
use tantivy::{Index, InvertedIndexReader, SegmentReader, TantivyDocument};

use crate::commit::{Commit, Versions};
use crate::dense::DenseReader;
use crate::document::{ChunkRecord, embedding_input};
use crate::elsewhere::{Elsewhere, Texts};
use crate::filter::{Filter, by_key};
use crate::kept::Stamp;
use crate::lexical::{self, TermScore, Weights, WordWeights};
use crate::mask::Mask;
use crate::names::NameQuery;
use crate::schema::{Fields, PATH, ROLE, ROW, TIE, TextField};
use crate::stats::{Statistics, Terms};
use crate::{Error, Result, phrase};

/// A chunk of a [`Reader`], by number. Numbers mean nothing outside the reader they came from.
pub type Position = usize;

/// How many bits of a tie tell the chunks of a document apart.
pub(crate) const ORDINAL_BITS: u32 = 20;

/// How often opening is tried when a writer replaces files under the reader's eyes.
const ATTEMPTS: usize = 8;

/// How many blocks of stored chunks are kept unpacked.
const STORE_CACHE_BLOCKS: usize = 16;

/// Chunks embedded at a time to check their vectors.
const VERIFIED_AT_ONCE: usize = 256;

/// One segment of the word index, and where its chunks stand among all positions. What a question needs of its files is opened once:
/// over a hundred small indexes, opening takes longer than looking up.
pub(crate) struct SegmentView {
    pub(crate) reader: SegmentReader,
    pub(crate) base: usize,
    text: OnceLock<[OpenField; TextField::ALL.len()]>,
    paths: OnceLock<Option<StrColumn>>,
}

/// Sums of the living chunks' lengths by field, for each segment; made when they are first asked for.
pub(crate) type Lengths = Arc<[OnceLock<[u64; TextField::ALL.len()]>]>;

/// The words of a field, and how many of them each chunk has.
pub(crate) struct OpenField {
    pub(crate) inverted: Arc<InvertedIndexReader>,
    pub(crate) lengths: FieldNormReader,
}

/// Where an index has the words of a query: by segment, word and field. Looked up once, for its statistics and its scores.
#[derive(Debug)]
pub struct FoundTerms(Vec<Vec<[Option<TermInfo>; TextField::ALL.len()]>>);

/// One commit of an index, open for reading. Readers of the same commit share what they have opened.
pub struct Reader {
    pub(crate) opened: Arc<Opened>,
    pub(crate) live: Mask,
    /// Whether more than what is deleted is left out of `live`.
    pub(crate) narrowed: bool,
    /// Those of `live`.
    pub(crate) lengths: Lengths,
    /// Where texts are that the index does not keep.
    pub(crate) texts: Option<Arc<dyn Texts>>,
}

/// What is opened of a commit, and what was read of it since. None of it depends on what a reader leaves out.
pub struct Opened {
    pub(crate) folder: PathBuf,
    pub(crate) fields: Fields,
    commit: Commit,
    pub(crate) segments: Vec<SegmentView>,
    /// What is not deleted.
    living: Mask,
    lengths: Lengths,
    dense: DenseReader,
    /// Row of the vector files by position.
    rows: OnceLock<Vec<u32>>,
    ties: OnceLock<Vec<u64>>,
    /// Numbers of roles by position.
    roles: OnceLock<Vec<u8>>,
    pub(crate) languages: OnceLock<Vec<Option<Language>>>,
    pub(crate) language_numbers: OnceLock<Arc<[u8]>>,
}

impl Deref for Reader {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        &self.opened
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("folder", &self.folder).field("commit", &self.commit).finish_non_exhaustive()
    }
}

/// The folder of the generation that `CURRENT` names.
pub(crate) fn current_generation(folder: &Path) -> Result<PathBuf> {
    let pointer = folder.join("CURRENT");
    let name = match std::fs::read_to_string(&pointer) {
        Ok(name) => name,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Error::Missing(folder.to_owned())),
        Err(error) => return Err(Error::io("reading", &pointer)(error)),
    };
    let name = name.trim();
    // The pointer is a plain name of ours; anything else would lead out of the folder.
    let digits = name.strip_prefix('g').unwrap_or_default();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Error::damaged(folder, "CURRENT does not name a generation"));
    }
    Ok(folder.join(name))
}

pub(crate) fn commit_of(folder: &Path, payload: Option<&str>, versions: &Versions) -> Result<Commit> {
    let payload = payload.ok_or_else(|| Error::damaged(folder, "its commit has no payload"))?;
    let commit: Commit = serde_json::from_str(payload)
        .map_err(|error| Error::damaged(folder, format!("its commit can't be read: {error}")))?;
    if commit.versions != *versions {
        return Err(Error::Incompatible {
            path: folder.to_owned(),
            found: commit.versions.cohort(),
            expected: versions.cohort(),
        });
    }
    Ok(commit)
}

impl Reader {
    /// Opens the current commit of the index in `folder`.
    pub fn open(folder: &Path, versions: &Versions, dim: usize) -> Result<Self> {
        let mut attempt = 1;
        loop {
            // A file that was tampered with may break assumptions of the engine.
            let opened = ai_assist_base::caught(|| Self::try_open(folder, versions, dim))
                .unwrap_or_else(|broke_off| Err(Error::damaged(folder, broke_off.to_string())));
            match opened {
                Ok(Some(reader)) => return Ok(reader),
                Err(error) if attempt >= ATTEMPTS || !error.rebuild_helps() => return Err(error),
                Err(error @ (Error::Missing(_) | Error::Incompatible { .. })) => return Err(error),
                // A commit or a rebuild went by between reading the pointer and opening what it names.
                Ok(None) | Err(_) => {}
            }
            if attempt >= ATTEMPTS {
                return Err(Error::damaged(folder, "it changes faster than it can be opened"));
            }
            attempt += 1;
            std::thread::sleep(std::time::Duration::from_millis(1 << attempt.min(5)));
        }
    }

    fn new(opened: Arc<Opened>) -> Self {
        let (live, lengths) = (opened.living.clone(), Arc::clone(&opened.lengths));
        Reader { opened, live, narrowed: false, lengths, texts: None }
    }

    /// `None` if another commit came in between.
    fn try_open(folder: &Path, versions: &Versions, dim: usize) -> Result<Option<Self>> {
        let generation = current_generation(folder)?;
        let stamp = Stamp::of(folder, &generation, versions, dim);
        if let Some(opened) = stamp.as_ref().and_then(Stamp::kept) {
            return Ok(Some(Reader::new(opened)));
        }
        let Some(opened) = Opened::open(folder, &generation, versions, dim)? else { return Ok(None) };
        let opened = Arc::new(opened);
        // What has changed while it was opened is opened anew by the next.
        if let Some(stamp) = stamp.filter(|stamp| Stamp::of(folder, &generation, versions, dim).as_ref() == Some(stamp))
        {
            stamp.keep(&opened);
        }
        Ok(Some(Reader::new(opened)))
    }
}

impl Opened {
    fn open(folder: &Path, generation: &Path, versions: &Versions, dim: usize) -> Result<Option<Self>> {
        let engine = || Error::engine(folder);
        let index = Index::open_in_dir(generation.join("words")).map_err(engine())?;
        let meta = index.load_metas().map_err(engine())?;
        let commit = commit_of(folder, meta.payload.as_deref(), versions)?;
        let fields = Fields::new();
        if index.schema() != fields.schema {
            return Err(Error::damaged(folder, "its fields are not those of this version"));
        }
        let mut segments = Vec::with_capacity(meta.segments.len());
        let mut length = 0;
        for segment in &meta.segments {
            let reader = SegmentReader::open(&index.segment(segment.clone())).map_err(engine())?;
            let base = length;
            length += reader.max_doc() as usize;
            segments.push(SegmentView::new(reader, base));
        }
        let dense = DenseReader::open(generation, dim, commit.rows)?;
        if index.load_metas().map_err(engine())?.opstamp != meta.opstamp {
            return Ok(None);
        }
        let mut living = Mask::all(length);
        for segment in &segments {
            if let Some(alive) = segment.reader.alive_bitset() {
                let dead = (0..segment.reader.max_doc()).filter(|&doc| alive.is_deleted(doc));
                dead.for_each(|doc| living.remove(segment.base + doc as usize));
            }
        }
        let lengths = new_lengths(&segments);
        Ok(Some(Opened {
            folder: folder.to_owned(),
            fields,
            commit,
            segments,
            living,
            lengths,
            dense,
            rows: OnceLock::new(),
            ties: OnceLock::new(),
            roles: OnceLock::new(),
            languages: OnceLock::new(),
            language_numbers: OnceLock::new(),
        }))
    }
}

impl Opened {
    pub(crate) fn positions(&self) -> usize {
        self.living.len()
    }
}

pub(crate) fn new_lengths(segments: &[SegmentView]) -> Lengths {
    segments.iter().map(|_| OnceLock::new()).collect()
}

impl Reader {
    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// How many positions there are, those of deleted chunks included.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    pub fn live(&self) -> &Mask {
        &self.live
    }

    /// The chunks that are alive and pass a filter.
    pub fn select(&self, filter: &Filter) -> Result<Mask> {
        let mut mask = self.live.clone();
        for segment in &self.segments {
            filter.narrow(segment, segment.base, &mut mask).map_err(Error::engine(&self.folder))?;
        }
        if !filter.defines.is_empty() {
            let query = NameQuery { names: filter.defines.clone(), heading: None };
            let mut defining = Mask::none(self.len());
            self.named(&query, |_| true)?.into_iter().for_each(|(position, _)| defining.insert(position));
            mask.intersect(&defining);
        }
        Ok(mask)
    }

    /// The keys of the documents that are alive.
    pub fn keys(&self) -> Result<HashSet<u64>> {
        let mut keys = HashSet::new();
        for segment in &self.segments {
            let mut keep = |key: u64, doc: u32| {
                if self.live.contains(segment.base + doc as usize) {
                    keys.insert(key);
                }
            };
            by_key(segment, &mut keep).map_err(Error::engine(&self.folder))?;
        }
        Ok(keys)
    }

    /// For each phrase, the living chunks that hold it.
    pub fn phrases(&self, terms: &Terms) -> Result<Vec<Mask>> {
        let mut masks = Vec::with_capacity(terms.phrases.len());
        for phrase in &terms.phrases {
            let mut holds = Mask::none(self.len());
            for segment in &self.segments {
                phrase::mark(segment, &self.fields, phrase, segment.base, &mut holds)
                    .map_err(Error::engine(&self.folder))?;
            }
            holds.intersect(&self.live);
            masks.push(holds);
        }
        Ok(masks)
    }

    pub fn find(&self, terms: &Terms) -> Result<FoundTerms> {
        let find = |segment: &SegmentView| segment.find(&self.fields, terms).map_err(Error::engine(&self.folder));
        Ok(FoundTerms(self.segments.iter().map(find).collect::<Result<_>>()?))
    }

    /// The statistics of the living chunks for some terms, given where they are and which chunks hold the phrases.
    pub fn statistics(&self, terms: &Terms, found: &FoundTerms, phrases: &[Mask]) -> Result<Statistics> {
        let mut sum = Statistics::empty(terms);
        sum.phrases = phrases.iter().map(|mask| mask.count() as u64).collect();
        for ((segment, found), lengths) in self.segments.iter().zip(&found.0).zip(self.lengths.iter()) {
            let narrowed = self.narrowed.then_some(&self.live);
            segment.count(&self.fields, found, narrowed, lengths, &mut sum).map_err(Error::engine(&self.folder))?;
        }
        Ok(sum)
    }

    /// The word score of every position, by weights from the statistics of all indexes searched.
    pub fn word_scores(&self, found: &FoundTerms, phrases: &[Mask], weights: &WordWeights) -> Result<Vec<f32>> {
        let mut scores = vec![0f32; self.len()];
        for (segment, found) in self.segments.iter().zip(&found.0) {
            let end = segment.base + segment.reader.max_doc() as usize;
            lexical::add_scores(segment, &self.fields, found, weights, &mut scores[segment.base..end])
                .map_err(Error::engine(&self.folder))?;
        }
        for (phrase, holds) in phrases.iter().enumerate() {
            let score = weights.phrase(phrase);
            holds.iter().for_each(|position| scores[position] += score);
        }
        Ok(scores)
    }

    /// The cosine of a query's vector with the vector of every position.
    pub fn cosines(&self, query: &[i8], scale: f32) -> Result<Vec<f32>> {
        let by_row = self.dense.scan(query, scale);
        let rows = self.rows()?;
        Ok(rows.iter().map(|&row| by_row.get(row as usize).copied().unwrap_or(0.0)).collect())
    }

    /// What the document of each position is for, by the number of its `Role`.
    pub fn roles(&self) -> Result<&[u8]> {
        if let Some(roles) = self.roles.get() {
            return Ok(roles);
        }
        let roles = self.column(ROLE)?.into_iter().map(|role| u8::try_from(role).unwrap_or(0)).collect();
        Ok(self.roles.get_or_init(|| roles))
    }

    /// The path of a position's document, without reading the chunk.
    pub fn path(&self, position: Position) -> Result<String> {
        let (segment, doc) = self.locate(position)?;
        let mut path = String::new();
        if let Some(column) = segment.paths().map_err(Error::engine(&self.folder))?
            && let Some(ordinal) = column.term_ords(doc).next()
        {
            column.ord_to_str(ordinal, &mut path).map_err(Error::engine(&self.folder))?;
        }
        Ok(path)
    }

    /// A number for each position that is the same for the same chunk of the same path in every index, to settle ties. Those of
    /// one document rise with its chunks.
    pub fn ties(&self) -> Result<&[u64]> {
        if let Some(ties) = self.ties.get() {
            return Ok(ties);
        }
        let ties = self.column(TIE)?;
        Ok(self.ties.get_or_init(|| ties))
    }

    /// A number that the chunks of one document have in common, and no others of this index: the row of its first.
    pub fn document(&self, position: Position) -> Result<u64> {
        const LAST: u64 = (1 << ORDINAL_BITS) - 1;
        let ordinal = self.ties()?.get(position).map_or(0, |tie| tie & LAST);
        let row = self.rows()?.get(position).copied().map_or(u64::MAX, u64::from);
        Ok(row.wrapping_sub(ordinal))
    }

    /// The row of each position in the vector files. Those of a document rise in the order of its chunks.
    pub(crate) fn rows(&self) -> Result<&[u32]> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let rows = self.column(ROW)?.into_iter().map(|row| u32::try_from(row).unwrap_or(u32::MAX)).collect();
        Ok(self.rows.get_or_init(|| rows))
    }

    fn column(&self, name: &str) -> Result<Vec<u64>> {
        let mut values = vec![0u64; self.len()];
        for segment in &self.segments {
            let column = segment.reader.fast_fields().u64(name).map_err(Error::engine(&self.folder))?;
            let column = column.first_or_default_col(0);
            let end = segment.base + segment.reader.max_doc() as usize;
            column.get_range(0, &mut values[segment.base..end]);
        }
        Ok(values)
    }

    pub fn chunk(&self, position: Position) -> Result<ChunkRecord> {
        self.chunks().read(position)
    }

    /// Reads chunks one after the other. Those that stand together are best read together: they often lie in one block.
    pub fn chunks(&self) -> Chunks<'_> {
        let stores = self.segments.iter().map(|_| None).collect();
        Chunks { reader: self, stores, elsewhere: Elsewhere::new(self) }
    }

    /// A chunk out of what is stored of it, without a text that is kept elsewhere.
    pub(crate) fn record_of(&self, stored: &TantivyDocument) -> Result<ChunkRecord> {
        let record = stored.get_first(self.fields.record).and_then(|value| value.as_bytes());
        let mut record: ChunkRecord = record
            .and_then(|bytes| serde_json::from_slice(bytes).ok())
            .ok_or_else(|| Error::damaged(&self.folder, "a stored chunk can't be read"))?;
        let body = stored.get_first(self.fields.whole).and_then(|value| value.as_str());
        body.unwrap_or_default().clone_into(&mut record.text);
        Ok(record)
    }

    /// What each word in each field adds to the score of a position.
    pub fn explain(
        &self,
        position: Position,
        terms: &Terms,
        phrases: &[Mask],
        statistics: &Statistics,
        weights: &Weights,
    ) -> Result<Vec<TermScore>> {
        let (segment, doc) = self.locate(position)?;
        let mut parts = lexical::explain(segment, &self.fields, terms, statistics, weights, doc)
            .map_err(Error::engine(&self.folder))?;
        for (phrase, _) in phrases.iter().enumerate().filter(|(_, holds)| holds.contains(position)) {
            let words: Vec<&str> = terms.phrases[phrase].iter().map(|(term, _)| term.as_str()).collect();
            parts.push(TermScore {
                term: format!("\"{}\"", words.join(" ")),
                field: TextField::Body,
                frequency: 1,
                chunks: statistics.phrases[phrase],
                score: lexical::phrase_score(statistics, phrase),
            });
        }
        Ok(parts)
    }

    fn locate(&self, position: Position) -> Result<(&SegmentView, u32)> {
        let (number, doc) = self.place(position)?;
        Ok((&self.segments[number], doc))
    }

    /// The number of the segment that has a chunk, and the chunk's number there.
    fn place(&self, position: Position) -> Result<(usize, u32)> {
        let at = self.segments.partition_point(|segment| segment.base <= position);
        let found = at.checked_sub(1).and_then(|number| {
            let segment = &self.segments[number];
            let doc = u32::try_from(position - segment.base).ok()?;
            (doc < segment.reader.max_doc()).then_some((number, doc))
        });
        found.ok_or_else(|| Error::damaged(&self.folder, format!("there is no chunk {position}")))
    }

    /// Checks what opening does not: every checksum, the counts of the commit, and every vector against the text it
    /// stands for.
    pub fn verify(&self, embedder: &dyn Embedder) -> Result<()> {
        let generation = current_generation(&self.folder)?;
        let index = Index::open_in_dir(generation.join("words")).map_err(Error::engine(&self.folder))?;
        let bad = index.validate_checksum().map_err(Error::engine(&self.folder))?;
        if let Some(file) = bad.iter().next() {
            return Err(Error::damaged(&self.folder, format!("the checksum of {} is wrong", file.display())));
        }
        let living = self.live.count() as u64;
        if living != self.commit.chunks {
            let why = format!("it has {living} chunks where {} were committed", self.commit.chunks);
            return Err(Error::damaged(&self.folder, why));
        }
        let positions: Vec<Position> = self.live.iter().collect();
        positions.chunks(VERIFIED_AT_ONCE).try_for_each(|positions| self.verify_vectors(positions, embedder))
    }

    fn verify_vectors(&self, positions: &[Position], embedder: &dyn Embedder) -> Result<()> {
        let rows = self.rows()?;
        let mut inputs = Vec::with_capacity(positions.len());
        let mut chunks = self.chunks();
        for &position in positions {
            let chunk = chunks.read(position)?;
            inputs.push(embedding_input(chunk.title.as_deref(), &chunk.path, &chunk.words()));
        }
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let right = embedder.embed_quantised(&inputs)?;
        for (at, &position) in positions.iter().enumerate() {
            if self.dense.row(rows[position] as usize) != Some(right.row(at)) {
                return Err(Error::damaged(
                    &self.folder,
                    format!("vector {} is not that of its chunk", rows[position]),
                ));
            }
        }
        Ok(())
    }
}

/// What is stored of chunks, opened once for several of them.
pub struct Chunks<'r> {
    reader: &'r Reader,
    /// Of each segment, once it was needed.
    stores: Vec<Option<StoreReader>>,
    elsewhere: Elsewhere<'r>,
}

impl Chunks<'_> {
    pub fn read(&mut self, position: Position) -> Result<ChunkRecord> {
        let reader = self.reader;
        let engine = || Error::engine(&reader.folder);
        let (number, doc) = reader.place(position)?;
        let store = match &mut self.stores[number] {
            Some(store) => store,
            none => {
                let opened = reader.segments[number].reader.get_store_reader(STORE_CACHE_BLOCKS);
                none.insert(opened.map_err(|error| engine()(tantivy::TantivyError::from(error)))?)
            }
        };
        let mut record = reader.record_of(&store.get(doc).map_err(engine())?)?;
        if let Some(place) = record.elsewhere() {
            self.elsewhere.piece(place, record.bytes)?.clone_into(&mut record.text);
        }
        Ok(record)
    }
}

impl SegmentView {
    fn new(reader: SegmentReader, base: usize) -> Self {
        SegmentView { reader, base, text: OnceLock::new(), paths: OnceLock::new() }
    }

    pub(crate) fn text(&self, fields: &Fields) -> tantivy::Result<&[OpenField; TextField::ALL.len()]> {
        if let Some(text) = self.text.get() {
            return Ok(text);
        }
        let open = |field: TextField| -> tantivy::Result<OpenField> {
            let inverted = self.reader.inverted_index(fields.of(field))?;
            Ok(OpenField { inverted, lengths: self.reader.get_fieldnorms_reader(fields.of(field))? })
        };
        let [title, heading, path, body] = TextField::ALL;
        let text = [open(title)?, open(heading)?, open(path)?, open(body)?];
        Ok(self.text.get_or_init(|| text))
    }

    fn paths(&self) -> tantivy::Result<Option<&StrColumn>> {
        if let Some(paths) = self.paths.get() {
            return Ok(paths.as_ref());
        }
        let paths = self.reader.fast_fields().str(PATH)?;
        Ok(self.paths.get_or_init(|| paths).as_ref())
    }

    fn find(&self, fields: &Fields, terms: &Terms) -> tantivy::Result<Vec<[Option<TermInfo>; TextField::ALL.len()]>> {
        let mut found = vec![[const { None }; TextField::ALL.len()]; terms.words.len()];
        // Field by field: the words of one stand together in memory.
        for (field, open) in self.text(fields)?.iter().enumerate() {
            let dictionary = open.inverted.terms();
            for (found, word) in found.iter_mut().zip(&terms.words) {
                found[field] = dictionary.get(word)?;
            }
        }
        Ok(found)
    }

    /// Adds the statistics of the living chunks; of `narrowed`, where more than what is deleted is left out.
    fn count(
        &self,
        fields: &Fields,
        found: &[[Option<TermInfo>; TextField::ALL.len()]],
        narrowed: Option<&Mask>,
        lengths: &OnceLock<[u64; TextField::ALL.len()]>,
        sum: &mut Statistics,
    ) -> tantivy::Result<()> {
        let counts = |doc: &u32| self.is_in(*doc, narrowed);
        sum.chunks += match narrowed {
            None => u64::from(self.reader.num_docs()),
            Some(_) => (0..self.reader.max_doc()).filter(counts).count() as u64,
        };
        let lengths = match lengths.get() {
            Some(lengths) => *lengths,
            None => *lengths.get_or_init({
                let sums = self.lengths(fields, narrowed)?;
                move || sums
            }),
        };
        sum.lengths.iter_mut().zip(lengths).for_each(|(sum, length)| *sum += length);
        let is_whole = narrowed.is_none() && self.reader.alive_bitset().is_none();
        let text = self.text(fields)?;
        for (sums, found) in sum.words.iter_mut().zip(found) {
            for ((sum, info), open) in sums.iter_mut().zip(found).zip(text) {
                let Some(info) = info else { continue };
                if is_whole {
                    *sum += u64::from(info.doc_freq);
                    continue;
                }
                let mut postings = open.inverted.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
                while !postings.docs().is_empty() {
                    *sum += postings.docs().iter().filter(|doc| counts(doc)).count() as u64;
                    postings.advance();
                }
            }
        }
        Ok(())
    }

    fn is_in(&self, doc: u32, narrowed: Option<&Mask>) -> bool {
        match narrowed {
            Some(mask) => mask.contains(self.base + doc as usize),
            None => self.reader.alive_bitset().is_none_or(|alive| alive.is_alive(doc)),
        }
    }

    /// Sums of the living chunks' lengths by field. The exact total that tantivy keeps counts deleted chunks too.
    fn lengths(&self, fields: &Fields, narrowed: Option<&Mask>) -> tantivy::Result<[u64; TextField::ALL.len()]> {
        let mut lengths = [0u64; TextField::ALL.len()];
        for (sum, open) in lengths.iter_mut().zip(self.text(fields)?) {
            let docs = (0..self.reader.max_doc()).filter(|&doc| self.is_in(doc, narrowed));
            *sum = docs.map(|doc| u64::from(open.lengths.fieldnorm(doc))).sum();
        }
        Ok(lengths)
    }
}
