//! Documents on their way in and out.

use std::ops::Range;
use std::sync::Arc;

use ai_assist_base::FileStamp;
use ai_assist_identity::{ContentHash, DocPath, Sha256};
use ai_assist_text::{Language, LineMap, LineRange};

use crate::contents::Packed;
use crate::{DocumentId, Error, Result, Seq};

/// What planning a sync needs to know of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentHead {
    pub id: DocumentId,
    pub path: DocPath,
    /// Of the source's bytes.
    pub hash: Sha256,
    /// `None` if it can't be trusted: the file changed too close to the moment it was read.
    pub stamp: Option<FileStamp>,
    /// Of its last put.
    pub seq: Seq,
    /// What made its text out of its source, with a version; nothing if that was not noted.
    pub converter: Option<String>,
}

/// A piece of a document. The same on the way in and out; its place in the list is its ordinal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Which bytes of the text, on character boundaries.
    pub bytes: Range<usize>,
    pub lines: LineRange,
    /// Headings or symbols above it, outermost first.
    pub path: Vec<String>,
    /// What it is, in the chunker's words (`section`, `function`, …).
    pub kind: String,
    /// The document's, or that of a part in another language.
    pub language: Language,
    /// Of the chunk's text, if the chunker computed it.
    pub hash: Option<ContentHash>,
}

pub type NewChunk = Chunk;

pub type StoredChunk = Chunk;

/// A document going in, before it is prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    pub path: DocPath,
    /// Of the source's bytes.
    pub hash: Sha256,
    /// Of the source, in bytes.
    pub source_size: u64,
    /// `None` if it can't be trusted.
    pub stamp: Option<FileStamp>,
    pub title: Option<String>,
    pub language: Language,
    pub encoding: String,
    /// What made its text out of its source, with a version, as `pdf/1`.
    pub converter: Option<String>,
    /// How many characters could not be decoded and were replaced.
    pub replaced: u64,
    /// How many secret values were blotted out.
    pub redacted: u64,
    pub text: Arc<str>,
    pub chunks: Vec<NewChunk>,
}

impl NewDocument {
    /// Does everything that needs no database: checks the chunks, hashes and compresses the text. Call it on worker
    /// threads; the writer, of which there is one at a time, then only inserts.
    pub fn prepare(self) -> Result<PreparedDocument> {
        for (ordinal, chunk) in self.chunks.iter().enumerate() {
            let lines_ok = 1 <= chunk.lines.start && chunk.lines.start <= chunk.lines.end;
            if !lines_ok || self.text.get(chunk.bytes.clone()).is_none() {
                return Err(Error::BadChunk {
                    path: self.path,
                    ordinal,
                    bytes: chunk.bytes.clone(),
                    lines: chunk.lines,
                    length: self.text.len(),
                });
            }
        }
        let chunk_paths = self.chunks.iter().map(|chunk| json_array(&chunk.path)).collect();
        Ok(PreparedDocument {
            content: Sha256::of(self.text.as_bytes()),
            packed: Packed::pack(&self.text)?,
            lines: LineMap::new(&self.text).count() as u64,
            chunk_paths,
            document: self,
        })
    }
}

fn json_array(parts: &[String]) -> String {
    // Most chunks of plain text have no path, and this runs for every chunk.
    if parts.is_empty() { "[]".to_owned() } else { serde_json::Value::from(parts).to_string() }
}

/// A [`NewDocument`] that is checked, hashed and compressed. It can't be changed any more: what was computed from the
/// text would no longer be true.
#[derive(Debug, Clone)]
pub struct PreparedDocument {
    pub(crate) document: NewDocument,
    /// Of the text, under which it is stored once.
    pub(crate) content: Sha256,
    pub(crate) packed: Packed,
    pub(crate) lines: u64,
    pub(crate) chunk_paths: Vec<String>,
}

impl PreparedDocument {
    pub fn document(&self) -> &NewDocument {
        &self.document
    }

    pub fn content_hash(&self) -> ContentHash {
        ContentHash(self.content)
    }
}

/// A document as it is stored, whole: a [`NewDocument`] with its number and the one of its last put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub id: DocumentId,
    pub path: DocPath,
    pub hash: Sha256,
    pub source_size: u64,
    pub stamp: Option<FileStamp>,
    pub seq: Seq,
    pub title: Option<String>,
    /// Of the whole. A name that this version does not know reads as plain text.
    pub language: Language,
    pub encoding: String,
    pub converter: Option<String>,
    pub replaced: u64,
    pub redacted: u64,
    /// When it was last put, RFC 3339 in UTC.
    pub updated_at: String,
    pub text: String,
    pub chunks: Vec<StoredChunk>,
}

/// A document in a listing: everything but its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentInfo {
    pub path: DocPath,
    pub title: Option<String>,
    pub language: Language,
    /// Of the text, in bytes.
    pub size: u64,
    pub lines: u64,
    pub chunks: u64,
    pub hash: Sha256,
    /// Of the source, in bytes; 0 if it was not noted.
    pub source_size: u64,
    /// When it was last put, RFC 3339 in UTC.
    pub updated_at: String,
}
