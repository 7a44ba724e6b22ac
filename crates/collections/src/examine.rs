//! One file after another through the door, cut and embedded, on every core.

use std::sync::atomic::{AtomicUsize, Ordering};

use ai_assist_admit::{Exclusion, FileStamp, Limits, Outcome, Reason, admit_bytes};
use ai_assist_embed::Embedder;
use ai_assist_fetch::{Answer, TransportError};
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_index::{IndexChunk, IndexDocument, VectorCache};
use ai_assist_store::{NewChunk, NewDocument, PreparedDocument, Stamp, Validators};
use ai_assist_text::Language;
use crossbeam_channel::{Receiver, Sender};

use crate::package::{PackageVectors, to_keep};
use crate::sync::plan::{Input, Task};
use crate::{Error, Result};
use ai_assist_base::Cancel;
use ai_assist_base::chain;

/// What a file turned out to be.
pub(crate) enum Examined {
    /// The same text as before; only its stamp is new.
    Same { stamp: Option<Stamp> },
    /// A new or changed document. Without its parts if only the plan was wanted.
    Changed { hash: Sha256, ready: Option<Box<Ready>> },
    /// Not to be indexed.
    Excluded(Exclusion),
    /// Not to be had.
    Failed(String),
    /// Not what it should be.
    Mismatch(String),
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

/// What a server answered for a task.
pub(crate) struct Delivery {
    pub(crate) task: usize,
    pub(crate) answer: std::result::Result<Answer, TransportError>,
}

/// What became of a task.
pub(crate) struct Arrival {
    pub(crate) task: usize,
    pub(crate) fetched: Option<Fetched>,
    pub(crate) examined: Result<Examined>,
}

/// What fetching a file told, beside its bytes.
pub(crate) struct Fetched {
    pub(crate) bytes: u64,
    pub(crate) validators: Validators,
}

/// What the workers share.
pub(crate) struct Examiner<'e> {
    pub(crate) limits: &'e Limits,
    pub(crate) embedder: &'e dyn Embedder,
    pub(crate) cache: Option<&'e VectorCache>,
    pub(crate) vectors: Option<&'e PackageVectors>,
    /// Whether documents are wanted, or only the plan.
    pub(crate) prepare: bool,
    /// Whether a file's stamp may stand in for it next time.
    pub(crate) keep_stamps: bool,
}

impl Examiner<'_> {
    /// Works on files of this machine until there are none left, then on what is delivered until nothing more comes.
    pub(crate) fn run(
        &self,
        tasks: &[Task<'_>],
        (local, next): (&[usize], &AtomicUsize),
        deliveries: &Receiver<Delivery>,
        cancel: &Cancel,
        arrivals: &Sender<Arrival>,
    ) {
        // A receiver that is gone has failed and says so itself.
        while !cancel.is_cancelled() {
            let Some(&task) = local.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let path = tasks[task].wanted.path;
            let examined = match tasks[task].wanted.input {
                Input::File(candidate) => self.examine(&tasks[task], candidate.read(self.limits)),
                Input::Packed(staging) => match staging.read(path) {
                    Ok(Some(bytes)) => self.examine(&tasks[task], admit_bytes(path, bytes, self.limits)),
                    Ok(None) => Ok(Examined::Vanished),
                    Err(error) => Ok(Examined::Failed(error.to_string())),
                },
                Input::Fetch(_) => continue,
            };
            if arrivals.send(Arrival { task, fetched: None, examined }).is_err() {
                return;
            }
        }
        for Delivery { task, answer } in deliveries {
            let (fetched, examined) = self.unwrap(&tasks[task], answer);
            if arrivals.send(Arrival { task, fetched, examined }).is_err() {
                return;
            }
        }
    }

    fn unwrap(
        &self,
        task: &Task<'_>,
        answer: std::result::Result<Answer, TransportError>,
    ) -> (Option<Fetched>, Result<Examined>) {
        let body = match answer {
            Ok(Answer::NotModified { .. }) => return (None, Ok(Examined::Same { stamp: None })),
            Ok(Answer::Body(body)) => body,
            Err(TransportError::TooLarge { limit, .. }) => {
                let (path, rule) = (task.wanted.path.clone(), format!("limit {limit}"));
                return (None, Ok(Examined::Excluded(Exclusion { path, reason: Reason::TooLarge, rule })));
            }
            Err(error) => return (None, Ok(Examined::Failed(chain(&error)))),
        };
        let fetched = Fetched { bytes: body.bytes.len() as u64, validators: to_keep(body.validators) };
        let found = Sha256::of(&body.bytes);
        let examined = match mismatch(task, found) {
            Some(failed) => Ok(failed),
            None => self.examine(task, admit_bytes(task.wanted.path, body.bytes, self.limits)),
        };
        (Some(fetched), examined)
    }

    fn examine(&self, task: &Task<'_>, outcome: Outcome) -> Result<Examined> {
        let admitted = match outcome {
            Outcome::Admitted(admitted) => admitted,
            Outcome::Excluded(exclusion) => return Ok(Examined::Excluded(exclusion)),
            Outcome::Vanished => return Ok(Examined::Vanished),
        };
        let hash = admitted.hash();
        if let Some(failed) = mismatch(task, hash) {
            return Ok(failed);
        }
        let stamp = admitted.stamp().filter(|_| self.keep_stamps).map(stored);
        if task.known == Some(hash) {
            return Ok(Examined::Same { stamp });
        }
        if !self.prepare {
            return Ok(Examined::Changed { hash, ready: None });
        }
        let path = task.wanted.path.clone();
        let encoding = admitted.encoding().name().to_owned();
        let (replaced, source_size) = (admitted.replaced() as u64, admitted.size());
        let redactions: usize = admitted.redactions().iter().map(|redaction| redaction.count).sum();
        let text = admitted.into_text();
        let language = Language::detect(path.as_str(), &text);
        let redacted = redactions as u64;
        let draft = Draft { path, hash, source_size, stamp, encoding, replaced, redacted, language, text };
        let (prepared, indexed) = draft.finish(self.embedder, self.cache, self.vectors)?;
        Ok(Examined::Changed { hash, ready: Some(Box::new(Ready { prepared, indexed, redactions })) })
    }
}

/// A file that is not what its manifest says.
fn mismatch(task: &Task<'_>, found: Sha256) -> Option<Examined> {
    let expected = task.wanted.expected.filter(|expected| *expected != found)?;
    Some(Examined::Mismatch(format!("has the hash {found}; {expected} is expected")))
}

/// A document before it is cut.
pub(crate) struct Draft {
    pub(crate) path: DocPath,
    pub(crate) hash: Sha256,
    pub(crate) source_size: u64,
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
        given: Option<&PackageVectors>,
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
        let vectors = match given.and_then(|given| given.of(title.as_deref(), &indexed)) {
            Some(vectors) => vectors,
            None => IndexDocument::embed(title.as_deref(), &indexed, embedder, cache)?,
        };
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
            source_size: self.source_size,
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
