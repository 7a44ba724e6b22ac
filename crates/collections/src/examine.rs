//! One file after another through the door, cut and embedded, on every core.

use std::sync::Arc;

use ai_assist_admit::{Exclusion, FileStamp, Limits, Outcome, Reason, Redaction, admit_bytes};
use ai_assist_convert::AS_IT_STANDS;
use ai_assist_fetch::{Answer, TransportError};
use ai_assist_identity::{CollectionKind, DocPath, Sha256};
use ai_assist_index::{IndexChunk, IndexDocument, KeptText};
use ai_assist_ingest::{Cut, Named, Vectors};
use ai_assist_store::{NewChunk, NewDocument, PreparedDocument, Validators};
use ai_assist_text::Language;

use crate::sync::plan::{Input, Task};
use crate::{Error, Result};
use ai_assist_base::chain;

/// What a file turned out to be.
pub(crate) enum Examined {
    /// The same text as before; only its stamp is new.
    Same { stamp: Option<FileStamp> },
    /// A new or changed document. Without its parts if only the plan was wanted.
    Changed { hash: Sha256, ready: Option<Box<Ready>> },
    /// By the rules of admission.
    Excluded(Exclusion),
    /// It could not be had, for this reason.
    Failed(String),
    /// Its bytes are not those that were expected.
    Mismatch(String),
    /// Gone since the walk.
    Vanished,
}

/// A document ready for the store and for the index.
pub(crate) struct Ready {
    pub(crate) prepared: PreparedDocument,
    pub(crate) indexed: IndexDocument,
    pub(crate) redactions: Vec<Redaction>,
}

/// A file to be examined: one of this machine, or what a server answered for it.
pub(crate) struct Delivery {
    pub(crate) task: usize,
    pub(crate) answer: Option<std::result::Result<Answer, TransportError>>,
}

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

pub(crate) struct Examiner<'e> {
    pub(crate) limits: &'e Limits,
    pub(crate) vectors: Vectors<'e>,
    /// Whether documents are wanted, or only the plan.
    pub(crate) prepare: bool,
    /// Whether a file's stamp may stand in for it next time.
    pub(crate) keep_stamps: bool,
    pub(crate) kind: CollectionKind,
}

impl Examiner<'_> {
    pub(crate) fn work(&self, tasks: &[Task<'_>], delivery: Delivery) -> Arrival {
        let (number, task) = (delivery.task, &tasks[delivery.task]);
        let (fetched, examined) = match delivery.answer {
            Some(answer) => self.unwrap(task, answer),
            None => (None, self.read(task)),
        };
        Arrival { task: number, fetched, examined }
    }

    /// Examines a page of a website. One that is here already is not converted again.
    pub(crate) fn page(&self, task: &Task<'_>, bytes: Vec<u8>, hash: Sha256) -> Result<Examined> {
        if task.known == Some(hash) {
            return Ok(Examined::Same { stamp: None });
        }
        self.examine(task, admit_bytes(task.wanted.path, bytes, self.limits))
    }

    fn read(&self, task: &Task<'_>) -> Result<Examined> {
        let path = task.wanted.path;
        match task.wanted.input {
            Input::File(candidate) | Input::Program(candidate, _) => self.examine(task, candidate.read(self.limits)),
            Input::Packed(staging) => match staging.read(path) {
                Ok(Some(bytes)) => self.examine(task, admit_bytes(path, bytes, self.limits)),
                Ok(None) => Ok(Examined::Vanished),
                Err(error) => Ok(Examined::Failed(error.to_string())),
            },
            // Never asked for without its answer.
            Input::Fetch(_) => Ok(Examined::Vanished),
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
        let fetched = Fetched { bytes: body.bytes.len() as u64, validators: body.validators };
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
        let stamp = admitted.stamp().filter(|_| self.keep_stamps);
        if task.known == Some(hash) {
            return Ok(Examined::Same { stamp });
        }
        if !self.prepare {
            return Ok(Examined::Changed { hash, ready: None });
        }
        let path = task.wanted.path;
        let encoding = admitted.encoding().name().to_owned();
        let (replaced, source_size) = (admitted.replaced() as u64, admitted.size());
        let redacted = admitted.redacted() as u64;
        let redactions = admitted.redactions().to_vec();
        let (language, converter) = (admitted.language(), admitted.converter().unwrap_or(AS_IT_STANDS).to_owned());
        let converter = match task.wanted.input {
            Input::Program(_, note) => note.to_owned(),
            _ => converter,
        };
        let text: Arc<str> = admitted.into_text().into();
        // Its key and the number of its put are known only after the store has taken the document.
        let named = Named { key: 0, path: path.as_str(), language, hash };
        let mut indexed = cut(self.kind, path, &text, language, Some(&converter)).document(named, &self.vectors)?;
        indexed.kept = Some(KeptText { put: 0, text: Arc::clone(&text) });
        let document = NewDocument {
            path: path.clone(),
            hash,
            source_size,
            stamp,
            title: indexed.title.clone(),
            language,
            encoding,
            converter: Some(converter),
            replaced,
            redacted,
            text,
            chunks: stored_chunks(&indexed.chunks, language),
        };
        let prepared = document.prepare().map_err(Error::from)?;
        Ok(Examined::Changed { hash, ready: Some(Box::new(Ready { prepared, indexed, redactions })) })
    }
}

/// Cuts a document as its collection is searched: of a dependency, what it offers.
pub(crate) fn cut(
    kind: CollectionKind,
    path: &DocPath,
    text: &str,
    language: Language,
    converter: Option<&str>,
) -> Cut {
    match kind {
        CollectionKind::Dep => crate::dependency::cut_document(path.as_str(), text, language, converter),
        CollectionKind::File | CollectionKind::Pkg | CollectionKind::Site => Cut::whole(text, language),
    }
}

/// A file that is not what its manifest says.
fn mismatch(task: &Task<'_>, found: Sha256) -> Option<Examined> {
    let expected = task.wanted.expected.filter(|expected| *expected != found)?;
    Some(Examined::Mismatch(format!("has the hash {found}; {expected} is expected")))
}

pub(crate) fn stored_chunks(chunks: &[IndexChunk], language: Language) -> Vec<NewChunk> {
    let stored = |chunk: &IndexChunk| NewChunk {
        bytes: chunk.bytes.0 as usize..chunk.bytes.1 as usize,
        lines: chunk.lines,
        path: chunk.path.clone(),
        kind: chunk.kind.to_string(),
        language,
        hash: None,
    };
    chunks.iter().map(stored).collect()
}
