//! Writing an index: one commit for each [`Writer`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ai_assist_base::{Cancel, FileLock, remove_unfinished, replace_file};
use ai_assist_text::Role;
use tantivy::index::SegmentId;
use tantivy::indexer::NoMergePolicy;
use tantivy::store::{Compressor, ZstdCompressor};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexSettings, IndexWriter, SegmentMeta, TantivyDocument, Term};

use crate::commit::{Commit, IndexState, Versions};
use crate::dense::DenseWriter;
use crate::document::{ChunkRecord, IndexDocument};
use crate::reader::{ORDINAL_BITS, commit_of, current_generation};
use crate::schema::{Fields, TextField};
use crate::tokenize::{CodeTokenizer, TOKENIZER_NAME};
use crate::{Error, Result, names};

/// More segments than this are merged after a commit, all but the largest few.
const MAX_SEGMENTS: usize = 10;
const KEPT_SEGMENTS: usize = 4;

/// As many segments become one at a time: all of them are mapped then.
const MERGED_AT_ONCE: usize = 16;

/// Each on a thread of its own.
const MERGES_AT_ONCE: usize = 2;

/// Memory of one of several indexing threads before it writes a segment, and of one that works alone: it has less to do.
const MEMORY_PER_THREAD: usize = 32 << 20;
const MEMORY_ALONE: usize = 24 << 20;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Threads that turn chunks into postings. One is best for a few documents: every thread leaves a segment.
    pub threads: usize,
    /// Whether texts are [kept elsewhere](crate::KeptText). What is left is little and seldom read, and packed tightly where an
    /// index is started anew.
    pub texts_elsewhere: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { threads: 1, texts_elsewhere: false }
    }
}

/// Collects changes and commits them at once. It holds the index's lock while it lives; without a commit it leaves no trace
/// that a reader could see.
pub struct Writer {
    folder: PathBuf,
    generation: PathBuf,
    /// Whether `CURRENT` names this generation already.
    current: bool,
    fields: Fields,
    words: IndexWriter,
    vectors: DenseWriter,
    versions: Versions,
    seq: u64,
    /// Keys put so far, for a generation that had none before.
    fresh_keys: Option<HashSet<u64>>,
    /// Once it says so, texts that wait give no more terms, and nothing is committed.
    cancel: Cancel,
    _lock: FileLock,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("generation", &self.generation).field("seq", &self.seq).finish_non_exhaustive()
    }
}

impl Writer {
    /// Goes on with the index in `folder`.
    pub fn open(folder: &Path, versions: &Versions, dim: usize, options: Options) -> Result<Self> {
        let lock = write_lock(folder)?;
        let generation = current_generation(folder)?;
        let index = Index::open_in_dir(generation.join("words")).map_err(Error::engine(folder))?;
        let meta = index.load_metas().map_err(Error::engine(folder))?;
        let commit = commit_of(folder, meta.payload.as_deref(), versions)?;
        let vectors = DenseWriter::open(&generation, dim, commit.rows)?;
        Self::new(folder, generation, &index, vectors, versions, options, lock, Some(commit.seq))
    }

    /// Starts the index in `folder` anew. What is there stays readable until the commit.
    pub fn rebuild(folder: &Path, versions: &Versions, dim: usize, options: Options) -> Result<Self> {
        let lock = write_lock(folder)?;
        let next = generations(folder)?.into_iter().map(|(number, _)| number).max().unwrap_or(0) + 1;
        let generation = folder.join(format!("g{next}"));
        let words = generation.join("words");
        std::fs::create_dir_all(&words).map_err(Error::io("creating", &words))?;
        let mut settings = IndexSettings::default();
        if options.texts_elsewhere {
            settings.docstore_compression = Compressor::Zstd(ZstdCompressor::default());
        }
        let builder = Index::builder().schema(Fields::new().schema).settings(settings);
        let index = builder.create_in_dir(&words).map_err(Error::engine(folder))?;
        let vectors = DenseWriter::open(&generation, dim, 0)?;
        Self::new(folder, generation, &index, vectors, versions, options, lock, None)
    }

    #[expect(clippy::too_many_arguments, reason = "private: the two ways in share one way out")]
    fn new(
        folder: &Path,
        generation: PathBuf,
        index: &Index,
        vectors: DenseWriter,
        versions: &Versions,
        options: Options,
        lock: FileLock,
        seq: Option<u64>,
    ) -> Result<Self> {
        let cancel = Cancel::current().unwrap_or_default();
        let tokenizer = CodeTokenizer::until(cancel.clone());
        index.tokenizers().register(TOKENIZER_NAME, TextAnalyzer::from(tokenizer));
        let threads = options.threads.max(1);
        let memory = if threads > 1 { threads * MEMORY_PER_THREAD } else { MEMORY_ALONE };
        let words: IndexWriter = index.writer_with_num_threads(threads, memory).map_err(Error::engine(folder))?;
        words.set_merge_policy(Box::new(NoMergePolicy));
        if seq.is_some() {
            // A process that was killed may have left files of a commit that never was, and they can't be written again.
            words.garbage_collect_files().wait().map_err(Error::engine(folder))?;
        }
        Ok(Writer {
            folder: folder.to_owned(),
            generation,
            current: seq.is_some(),
            fields: Fields::new(),
            words,
            vectors,
            versions: versions.clone(),
            seq: seq.unwrap_or(0),
            fresh_keys: seq.is_none().then(HashSet::new),
            cancel,
            _lock: lock,
        })
    }

    /// The sequence number that the index had reached when it was opened; 0 for one started anew.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Whether it was [started](Options::texts_elsewhere) for texts that are kept elsewhere.
    pub fn has_texts_elsewhere(&self) -> bool {
        matches!(self.words.index().settings().docstore_compression, Compressor::Zstd(_))
    }

    /// How many rows of vectors there are, dead ones included.
    pub fn rows(&self) -> u64 {
        self.vectors.rows
    }

    /// Indexes a document in place of what its key had before.
    pub fn put(&mut self, document: IndexDocument) -> Result<()> {
        let known = self.fresh_keys.as_mut().is_none_or(|keys| !keys.insert(document.key));
        if known {
            self.delete(document.key);
        }
        let first_row = self.vectors.append(&document.vectors)?;
        let IndexDocument { key, path, title, language, hash, chunks, kept, .. } = document;
        let role = Role::of(&path, chunks.first().map_or("", |chunk| chunk.text.as_str()));
        for (ordinal, chunk) in chunks.into_iter().enumerate() {
            self.go_on()?;
            let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
            let words = chunk.words().into_owned();
            let mut entry = TantivyDocument::default();
            let name = title.as_deref().or(chunk.path.last().map(String::as_str)).unwrap_or_default();
            entry.add_text(self.fields.of(TextField::Title), name);
            entry.add_text(self.fields.of(TextField::Heading), chunk.path.join(" "));
            entry.add_text(self.fields.of(TextField::Path), &path);
            entry.add_u64(self.fields.key, key);
            entry.add_u64(self.fields.row, first_row + u64::from(ordinal));
            entry.add_u64(self.fields.tie, tie(&path, ordinal));
            entry.add_u64(self.fields.role, u64::from(role.number()));
            entry.add_text(self.fields.path, &path);
            entry.add_text(self.fields.language, language.name());
            entry.add_text(self.fields.kind, chunk.kind.to_string());
            let opening = title.as_deref().filter(|_| ordinal == 0);
            for term in names::terms(&chunk.defines, opening, &path, role) {
                entry.add_text(self.fields.names, term);
            }
            let kept = kept.as_ref().filter(|kept| kept.has(&chunk));
            let record = ChunkRecord {
                key,
                document: path.clone(),
                title: title.clone(),
                hash,
                ordinal,
                lines: chunk.lines,
                bytes: chunk.bytes,
                path: chunk.path,
                kind: chunk.kind,
                language,
                place: chunk.place,
                unseen: chunk.unseen,
                put: kept.map(|kept| kept.put),
                text: String::new(),
            };
            let json = serde_json::to_vec(&record).map_err(|error| Error::damaged(&self.folder, error.to_string()))?;
            // The text comes first, so that whoever wants no more than texts need not unpack the record.
            if kept.is_none() {
                entry.add_text(self.fields.whole, chunk.text);
            }
            entry.add_text(self.fields.of(TextField::Body), words);
            entry.add_bytes(self.fields.record, &json);
            self.words.add_document(entry).map_err(Error::engine(&self.folder))?;
        }
        Ok(())
    }

    fn go_on(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Stopped) } else { Ok(()) }
    }

    pub fn remove(&mut self, key: u64) {
        let known = self.fresh_keys.as_mut().is_none_or(|keys| keys.remove(&key));
        if known {
            self.delete(key);
        }
    }

    fn delete(&self, key: u64) {
        self.words.delete_term(Term::from_field_u64(self.fields.key, key));
    }

    /// Makes everything visible at once: vectors first, then the word index, whose commit names them.
    ///
    /// `documents` and `chunks` are what the whole index holds afterwards.
    pub fn commit(mut self, seq: u64, documents: u64, chunks: u64) -> Result<Commit> {
        let commit = Commit { versions: self.versions.clone(), seq, rows: self.vectors.rows, documents, chunks };
        let payload =
            serde_json::to_string(&commit).map_err(|error| Error::damaged(&self.folder, error.to_string()))?;
        self.vectors.sync()?;
        let engine = |source| Error::Engine { path: self.folder.clone(), source };
        let mut prepared = self.words.prepare_commit().map_err(engine)?;
        // Asked after the last text was read: from a cancel on they are read as empty ones.
        if self.cancel.is_cancelled() {
            return Err(Error::Stopped);
        }
        prepared.set_payload(&payload);
        prepared.commit().map_err(engine)?;
        if !self.current {
            self.point_to_generation()?;
        }
        self.merge_small_segments()?;
        let state = IndexState { cohort_key: commit.versions.cohort(), commit: commit.clone() };
        let state =
            serde_json::to_vec_pretty(&state).map_err(|error| Error::damaged(&self.folder, error.to_string()))?;
        self.replace("index_state.json", &state)?;
        Ok(commit)
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.folder.join(name);
        replace_file(&path, bytes, 0o600).map_err(Error::io("writing", &path))
    }

    fn point_to_generation(&mut self) -> Result<()> {
        let name = self.generation.file_name().unwrap_or_default().display().to_string();
        self.replace("CURRENT", name.as_bytes())?;
        self.current = true;
        for (_, other) in generations(&self.folder)? {
            if other != self.generation {
                std::fs::remove_dir_all(&other).map_err(Error::io("removing", &other))?;
            }
        }
        Ok(())
    }

    fn merge_small_segments(&mut self) -> Result<()> {
        let engine = |source| Error::Engine { path: self.folder.clone(), source };
        let mut metas = self.words.index().searchable_segment_metas().map_err(engine)?;
        metas.sort_by_key(|meta| std::cmp::Reverse(meta.num_docs()));
        // Whoever has just written everything can merge at little more cost, and leaves room for small commits to come.
        let most = if self.fresh_keys.is_some() { KEPT_SEGMENTS + 1 } else { MAX_SEGMENTS };
        let mut merge: Vec<_> = if metas.len() > most { metas.split_off(KEPT_SEGMENTS) } else { Vec::new() };
        // Of what stays, segments that are mostly dead are written anew.
        merge.extend(metas.into_iter().filter(|meta| meta.num_deleted_docs() > meta.num_docs()));
        let ids: Vec<SegmentId> = merge.iter().map(SegmentMeta::id).collect();
        // The engine keeps the files of every segment that somebody still has the description of.
        drop(merge);
        let groups = ids.len().div_ceil(MERGED_AT_ONCE).min(MAX_SEGMENTS - KEPT_SEGMENTS);
        for first in (0..groups).step_by(MERGES_AT_ONCE) {
            // Dealt out in turn, since they come by size.
            let group = |group: usize| ids.iter().skip(group).step_by(groups).copied().collect::<Vec<_>>();
            let merges: Vec<_> =
                (first..groups.min(first + MERGES_AT_ONCE)).map(|at| self.words.merge(&group(at))).collect();
            for merge in merges {
                merge.wait().map_err(engine)?;
            }
        }
        self.words.garbage_collect_files().wait().map_err(engine)?;
        Ok(())
    }
}

/// Makes the folder of an index and takes its lock, or says that it is [busy](Error::Busy).
fn write_lock(folder: &Path) -> Result<FileLock> {
    let path = folder.join("write.lock");
    let lock = FileLock::try_take(&path).map_err(Error::io("locking", &path))?;
    let lock = lock.ok_or_else(|| Error::Busy(folder.to_owned()))?;
    remove_unfinished(folder).map_err(Error::io("cleaning", folder))?;
    Ok(lock)
}

/// FNV-1a of the path, and the ordinal in the last bits: the same for one chunk wherever it is indexed.
fn tie(path: &str, ordinal: u32) -> u64 {
    const LAST: u64 = (1 << ORDINAL_BITS) - 1;
    let hash =
        path.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    hash & !LAST | u64::from(ordinal).min(LAST)
}

fn generations(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io("reading", folder))? {
        let entry = entry.map_err(Error::io("reading", folder))?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix('g')).and_then(|digits| digits.parse().ok());
        if let Some(number) = number {
            found.push((number, entry.path()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use ai_assist_chunk::ChunkKind;
    use ai_assist_embed::{ModelId, Quantised};
    use ai_assist_identity::Sha256;
    use ai_assist_text::{Language, LineRange};

    use super::*;
    use crate::IndexChunk;

    fn document(key: u64) -> IndexDocument {
        let text = format!("the text of document {key}");
        let chunk = IndexChunk {
            defines: Vec::new(),
            place: None,
            unseen: Vec::new(),
            lines: LineRange { start: 1, end: 1 },
            bytes: (0, text.len() as u64),
            path: Vec::new(),
            kind: ChunkKind::Text,
            text,
        };
        IndexDocument {
            key,
            path: format!("{key}.md"),
            title: None,
            language: Language::MARKDOWN,
            hash: Sha256::of(&key.to_le_bytes()),
            chunks: vec![chunk],
            vectors: Quantised::from_parts(2, vec![1.0], vec![1, 2]).unwrap(),
            kept: None,
        }
    }

    #[test]
    fn files_of_a_commit_that_never_was_are_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let versions = Versions::current(&ModelId::new("test", 1));
        let open = || Writer::open(folder.path(), &versions, 2, Options::default()).unwrap();
        let mut writer = Writer::rebuild(folder.path(), &versions, 2, Options::default()).unwrap();
        (1..=3).for_each(|key| writer.put(document(key)).unwrap());
        let words = writer.generation.join("words");
        writer.commit(3, 3, 3).unwrap();
        // What a killed process leaves: the deletions of a segment, noted as tantivy's and named in no commit.
        let meta: serde_json::Value = serde_json::from_slice(&std::fs::read(words.join("meta.json")).unwrap()).unwrap();
        let segment = meta["segments"][0]["segment_id"].as_str().unwrap().replace('-', "");
        let managed = words.join(".managed.json");
        let mut names: Vec<String> = serde_json::from_slice(&std::fs::read(&managed).unwrap()).unwrap();
        for stamp in 0..200 {
            let name = format!("{segment}.{}.del", meta["opstamp"].as_u64().unwrap() + stamp);
            std::fs::write(words.join(&name), "half").unwrap();
            names.push(name);
        }
        std::fs::write(&managed, serde_json::to_vec(&names).unwrap()).unwrap();
        let mut writer = open();
        assert_eq!(writer.seq(), 3);
        writer.remove(2);
        writer.commit(4, 2, 2).unwrap();
        assert_eq!(open().seq(), 4);
    }

    #[test]
    fn merged_segments_leave_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let versions = Versions::current(&ModelId::new("test", 1));
        let mut writer =
            Writer::rebuild(folder.path(), &versions, 2, Options { threads: 8, ..Options::default() }).unwrap();
        for key in 0..2000 {
            writer.put(document(key)).unwrap();
        }
        writer.commit(1, 2000, 2000).unwrap();
        let words = folder.path().join("g1/words");
        let meta: serde_json::Value = serde_json::from_slice(&std::fs::read(words.join("meta.json")).unwrap()).unwrap();
        let segments = meta["segments"].as_array().unwrap().len();
        let names = std::fs::read_dir(&words).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(segments <= KEPT_SEGMENTS + 1);
        assert_eq!(names.filter(|name| name.ends_with(".store")).count(), segments);
    }
}
