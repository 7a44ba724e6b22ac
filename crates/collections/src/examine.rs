//! One file after another through the door, cut and embedded, on every core.

use std::sync::atomic::{AtomicUsize, Ordering};

use ai_assist_admit::{Candidate, Exclusion, FileStamp, Limits, Outcome};
use ai_assist_embed::Embedder;
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_index::{IndexChunk, IndexDocument, VectorCache};
use ai_assist_store::{NewChunk, NewDocument, PreparedDocument, Stamp};
use ai_assist_text::Language;
use crossbeam_channel::Sender;

use crate::progress::Cancel;
use crate::{Error, Result};

/// A file to be read, and what is known of it.
pub(crate) struct Task<'w> {
    pub(crate) candidate: &'w Candidate,
    /// The hash that the store has, if the document is known and may be skipped when it is the same.
    pub(crate) known: Option<Sha256>,
    /// Whether the store has a document of this path.
    pub(crate) exists: bool,
}

/// What a file turned out to be.
pub(crate) enum Examined {
    /// The same text as before; only its stamp is new.
    Same { stamp: Option<Stamp> },
    /// A new or changed document. Without its parts if only the plan was wanted.
    Changed(Option<Box<Ready>>),
    /// Not to be indexed.
    Excluded(Exclusion),
    /// Gone since the walk.
    Vanished,
}

/// A document ready for the store and for the index.
pub(crate) struct Ready {
    pub(crate) prepared: PreparedDocument,
    /// The index's document; its key is known only after the store has taken the document.
    pub(crate) indexed: IndexDocument,
    pub(crate) redactions: usize,
}

/// What the workers share.
pub(crate) struct Examiner<'e> {
    pub(crate) limits: &'e Limits,
    pub(crate) embedder: &'e dyn Embedder,
    pub(crate) cache: Option<&'e VectorCache>,
    /// Whether documents are wanted, or only the plan.
    pub(crate) prepare: bool,
}

impl Examiner<'_> {
    /// Works on tasks until there are none left, sending each outcome with the task's number.
    pub(crate) fn run(
        &self,
        tasks: &[Task<'_>],
        next: &AtomicUsize,
        cancel: &Cancel,
        outcomes: &Sender<(usize, Result<Examined>)>,
    ) {
        while !cancel.is_cancelled() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(number) else { return };
            // A receiver that is gone has failed and says so itself.
            if outcomes.send((number, self.examine(task))).is_err() {
                return;
            }
        }
    }

    fn examine(&self, task: &Task<'_>) -> Result<Examined> {
        let admitted = match task.candidate.read(self.limits) {
            Outcome::Admitted(admitted) => admitted,
            Outcome::Excluded(exclusion) => return Ok(Examined::Excluded(exclusion)),
            Outcome::Vanished => return Ok(Examined::Vanished),
        };
        let stamp = admitted.stamp().map(stored);
        if task.known == Some(admitted.hash()) {
            return Ok(Examined::Same { stamp });
        }
        if !self.prepare {
            return Ok(Examined::Changed(None));
        }
        let path = admitted.path().clone();
        let hash = admitted.hash();
        let encoding = admitted.encoding().name().to_owned();
        let replaced = admitted.replaced() as u64;
        let redactions: usize = admitted.redactions().iter().map(|redaction| redaction.count).sum();
        let text = admitted.into_text();
        let language = Language::detect(path.as_str(), &text);
        let draft = Draft { path, hash, stamp, encoding, replaced, redacted: redactions as u64, language, text };
        let (prepared, indexed) = draft.finish(self.embedder, self.cache)?;
        Ok(Examined::Changed(Some(Box::new(Ready { prepared, indexed, redactions }))))
    }
}

/// A document before it is cut.
pub(crate) struct Draft {
    pub(crate) path: DocPath,
    pub(crate) hash: Sha256,
    pub(crate) stamp: Option<Stamp>,
    pub(crate) encoding: String,
    pub(crate) replaced: u64,
    pub(crate) redacted: u64,
    pub(crate) language: Language,
    pub(crate) text: String,
}

impl Draft {
    /// Cuts, embeds and packs it.
    pub(crate) fn finish(
        self,
        embedder: &dyn Embedder,
        cache: Option<&VectorCache>,
    ) -> Result<(PreparedDocument, IndexDocument)> {
        let chunks = ai_assist_chunk::chunk(&self.text, self.language, &ai_assist_chunk::Limits::default());
        let title = ai_assist_chunk::title(&self.text, self.language);
        let indexed: Vec<IndexChunk> = chunks
            .iter()
            .map(|chunk| IndexChunk {
                lines: chunk.lines,
                bytes: (chunk.bytes.start as u64, chunk.bytes.end as u64),
                path: chunk.path.clone(),
                kind: chunk.kind,
                text: self.text[chunk.bytes.clone()].to_owned(),
            })
            .collect();
        let vectors = IndexDocument::embed(title.as_deref(), &indexed, embedder, cache)?;
        let stored: Vec<NewChunk> = chunks
            .into_iter()
            .map(|chunk| NewChunk {
                bytes: chunk.bytes,
                lines: chunk.lines,
                path: chunk.path,
                kind: chunk.kind.to_string(),
                language: chunk.language,
                hash: None,
            })
            .collect();
        let indexed = IndexDocument {
            key: 0,
            path: self.path.as_str().to_owned(),
            title: title.clone(),
            language: self.language,
            hash: self.hash,
            chunks: indexed,
            vectors,
        };
        let document = NewDocument {
            path: self.path,
            hash: self.hash,
            stamp: self.stamp,
            title,
            language: self.language,
            encoding: self.encoding,
            replaced: self.replaced,
            redacted: self.redacted,
            text: self.text.into(),
            chunks: stored,
        };
        Ok((document.prepare().map_err(Error::from)?, indexed))
    }
}

pub(crate) fn stored(stamp: FileStamp) -> Stamp {
    Stamp { size: stamp.size, mtime_ns: stamp.mtime_ns, ctime_ns: stamp.ctime_ns, inode: stamp.inode }
}
