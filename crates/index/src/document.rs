//! What goes into an index, and what comes back out.

use std::borrow::Cow;
use std::sync::Arc;

use ai_assist_base::stopped;
use ai_assist_chunk::{Chunk, ChunkKind, Defined};
use ai_assist_embed::{Embedder, Quantised};
use ai_assist_identity::Sha256;
use ai_assist_text::{Language, LineRange};
use serde::{Deserialize, Serialize};

use crate::{Result, TextPlace, VectorCache};

#[derive(Debug, Clone)]
pub struct IndexDocument {
    /// Stays the same while the document lives; a put with a known key replaces what was there.
    pub key: u64,
    pub path: String,
    pub title: Option<String>,
    pub language: Language,
    /// The hash of its source bytes.
    pub hash: Sha256,
    pub chunks: Vec<IndexChunk>,
    pub vectors: Quantised,
    /// Who has its text, so that the index need not keep it.
    pub kept: Option<KeptText>,
}

/// A text that [`Texts`](crate::Texts) can give again.
#[derive(Debug, Clone)]
pub struct KeptText {
    /// The number of the put that it came with.
    pub put: u64,
    /// Chunks that are pieces of it are not kept in the index.
    pub text: Arc<str>,
}

impl KeptText {
    /// Whether a chunk is a piece of it. One of what a library offers may be put together from several.
    pub(crate) fn has(&self, chunk: &IndexChunk) -> bool {
        let range = usize::try_from(chunk.bytes.0).ok().zip(usize::try_from(chunk.bytes.1).ok());
        range.and_then(|(from, to)| self.text.get(from..to)) == Some(chunk.text.as_str())
    }
}

#[derive(Debug, Clone)]
pub struct IndexChunk {
    pub lines: LineRange,
    pub bytes: (u64, u64),
    pub path: Vec<String>,
    pub kind: ChunkKind,
    pub text: String,
    /// The definitions and headings that it introduces.
    pub defines: Vec<Defined>,
    /// Where in the file it stands, as `page 3`, if its text was made out of another format.
    pub place: Option<String>,
    /// From where to where its text has markup that a reader does not see. It is shown with the rest and not searched.
    pub unseen: Vec<(u32, u32)>,
}

impl IndexChunk {
    /// A chunk of a text as the index takes it.
    pub fn of(chunk: Chunk, text: &str) -> Self {
        let within = |at: usize| u32::try_from(at.saturating_sub(chunk.bytes.start)).unwrap_or(u32::MAX);
        let unseen = chunk.unseen.iter().map(|unseen| (within(unseen.start), within(unseen.end))).collect();
        IndexChunk {
            lines: chunk.lines,
            bytes: (chunk.bytes.start as u64, chunk.bytes.end as u64),
            text: text[chunk.bytes].to_owned(),
            path: chunk.path,
            kind: chunk.kind,
            defines: chunk.defines,
            place: None,
            unseen,
        }
    }

    /// What is searched of it.
    pub fn words(&self) -> Cow<'_, str> {
        words(&self.text, &self.unseen)
    }
}

/// A text without some of its bytes, with a blank in their place.
fn words<'t>(text: &'t str, unseen: &[(u32, u32)]) -> Cow<'t, str> {
    if unseen.is_empty() {
        return text.into();
    }
    let mut words = String::with_capacity(text.len());
    let mut at = 0;
    for &(from, to) in unseen {
        if let Some(seen) = text.get(at..from as usize) {
            words.push_str(seen);
            words.push(' ');
            at = to as usize;
        }
    }
    words.push_str(text.get(at..).unwrap_or_default());
    words.into()
}

/// So many chunks are embedded before the work is asked whether it is still wanted: some tens of milliseconds.
const BATCH: usize = 512;

impl IndexDocument {
    /// A vector for each chunk, unless the work is stopped.
    pub fn embed(
        title: Option<&str>,
        chunks: &[IndexChunk],
        embedder: &dyn Embedder,
        cache: Option<&VectorCache>,
    ) -> Result<Quantised> {
        let mut all: Option<Quantised> = None;
        for batch in chunks.chunks(BATCH).take_while(|_| !stopped()) {
            let inputs = batch.iter().map(|chunk| embedding_input(title, &chunk.path, &chunk.words()));
            let inputs: Vec<String> = inputs.collect();
            let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
            let made = match cache {
                Some(cache) => cache.embed(embedder, &inputs)?,
                None => embedder.embed_quantised(&inputs)?,
            };
            match &mut all {
                Some(all) => all.append(made),
                None => all = Some(made),
            }
        }
        Ok(all.unwrap_or_else(|| Quantised::new(embedder.dim())))
    }
}

/// The text that stands for a chunk before the model: where it stands, then what it says.
///
/// A breadcrumb gives a chunk the words that its section takes for granted. A heading that opens the chunk is not said
/// twice.
pub fn embedding_input(title: Option<&str>, path: &[String], text: &str) -> String {
    let mut input = String::with_capacity(text.len() + 64);
    let opening = text.lines().next().unwrap_or_default();
    let mut last = "";
    for part in title.into_iter().chain(path.iter().map(String::as_str)) {
        if part != last && !opening.contains(part) {
            input.push_str(part);
            input.push('\n');
        }
        last = part;
    }
    input.push_str(text);
    input
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkRecord {
    pub key: u64,
    pub document: String,
    pub title: Option<String>,
    /// The hash of the document's source bytes.
    pub hash: Sha256,
    /// Which chunk of its document this is, from 0.
    pub ordinal: u32,
    pub lines: LineRange,
    pub bytes: (u64, u64),
    pub path: Vec<String>,
    pub kind: ChunkKind,
    pub language: Language,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<(u32, u32)>,
    /// The put whose text it is a piece of, if the index does not keep its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put: Option<u64>,
    /// Its text; kept in a field of its own, or elsewhere.
    #[serde(skip)]
    pub text: String,
}

impl ChunkRecord {
    /// Where its text is, if the index does not keep it.
    pub(crate) fn elsewhere(&self) -> Option<TextPlace> {
        Some(TextPlace { key: self.key, put: self.put?, hash: self.hash })
    }

    /// What is searched of it.
    pub fn words(&self) -> Cow<'_, str> {
        words(&self.text, &self.unseen)
    }
}
