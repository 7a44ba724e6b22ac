//! One file after another through the door, cut and embedded, on every core.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ai_assist_admit::{Candidate, Exclusion, FileStamp, Limits, Outcome, Reason};
use ai_assist_base::Cancel;
use ai_assist_embed::Embedder;
use ai_assist_identity::Sha256;
use ai_assist_index::VectorCache;
use ai_assist_syntax::SyntaxCache;
use ai_assist_text::Language;
use ai_assist_trigram::{Extractor, Grams};
use crossbeam_channel::Sender;

use super::Result;
use super::extract::{Part, Source};
use super::stamps::Verdict;
use crate::layout::Mode;
use crate::modes::modes_of;

/// A file to be read, and what each mode knows of it.
#[derive(Debug)]
pub(super) struct Task<'t> {
    pub(super) candidate: &'t Candidate,
    /// By the place of the mode in [`Mode::ALL`].
    pub(super) known: [Option<Sha256>; Mode::ALL.len()],
}

/// What a file turned out to be.
#[derive(Debug)]
pub(super) enum Examined {
    Text(Box<Text>),
    /// Its content keeps it out. The stamp is there if it can stand in for reading it again.
    Refused(Exclusion, Option<FileStamp>),
    /// It could not be read, which says nothing about it.
    Failed(Exclusion),
    /// Gone since the walk.
    Vanished,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) hash: Sha256,
    pub(super) language: Language,
    pub(super) stamp: Option<FileStamp>,
    pub(super) size: u64,
    pub(super) redacted: u64,
    /// The modes for which it is new or changed.
    pub(super) differs: Vec<Mode>,
    /// Its documents for these, if they were wanted, each with the grams of its text unless it has none.
    pub(super) parts: Vec<(Part, Option<Grams>)>,
}

impl Text {
    pub(super) fn verdict(&self) -> Verdict {
        Verdict::Text(self.hash, self.language)
    }
}

/// What the workers share.
pub(super) struct Examiner<'e> {
    pub(super) modes: &'e [Mode],
    pub(super) limits: &'e Limits,
    pub(super) embedder: &'e dyn Embedder,
    pub(super) cache: Option<&'e VectorCache>,
    pub(super) syntax: &'e SyntaxCache,
    /// Whether documents are wanted, or only what differs.
    pub(super) prepare: bool,
    /// When the walk began, in nanoseconds since the epoch.
    pub(super) walked_at: i64,
    pub(super) cancel: &'e Cancel,
    /// Held while a large file is cut: its syntax tree may take a hundred times its size, and one at a time is enough.
    pub(super) large: Mutex<()>,
}

/// A file is large from this size on.
const LARGE: usize = 512 << 10;

impl Examiner<'_> {
    /// Works until there are no tasks left, or nobody wants the answers.
    pub(super) fn run(&self, tasks: &[Task<'_>], next: &AtomicUsize, answers: &Sender<(usize, Result<Examined>)>) {
        let mut extractor = Extractor::new();
        while !self.cancel.is_cancelled() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(number) else { return };
            if answers.send((number, self.examine(task, &mut extractor))).is_err() {
                return;
            }
        }
    }

    fn examine(&self, task: &Task<'_>, extractor: &mut Extractor) -> Result<Examined> {
        let path = task.candidate.path().as_str();
        let admitted = match task.candidate.read(self.limits) {
            Outcome::Admitted(admitted) => admitted,
            Outcome::Vanished => return Ok(Examined::Vanished),
            Outcome::Excluded(exclusion) if matches!(exclusion.reason, Reason::Unreadable | Reason::Unstable) => {
                return Ok(Examined::Failed(exclusion));
            }
            Outcome::Excluded(exclusion) => {
                // A file that has changed since the walk has another stamp, so the walk's can't be taken for the new one.
                let stamp = Some(task.candidate.stamp()).filter(|stamp| !stamp.is_racy(self.walked_at));
                return Ok(Examined::Refused(exclusion, stamp));
            }
        };
        let (hash, stamp, size) = (admitted.hash(), admitted.stamp(), admitted.size());
        let redacted = admitted.redactions().iter().map(|redaction| redaction.count as u64).sum();
        let text = admitted.into_text();
        let language = Language::detect(path, &text);
        let differs = |mode: &&Mode| self.modes.contains(mode) && task.known[**mode as usize] != Some(hash);
        let differs: Vec<Mode> = modes_of(path, language).iter().filter(differs).copied().collect();
        let parts = if self.prepare && !differs.is_empty() {
            let lock = || self.large.lock().unwrap_or_else(PoisonError::into_inner);
            let _alone = (text.len() >= LARGE).then(lock);
            Source { path, hash, language, text: &text }.parts(&differs, self.embedder, self.cache)?
        } else {
            Vec::new()
        };
        let parts = parts.into_iter().map(|part| {
            let grams = grams_of(&part, &text, extractor);
            if let Some(facts) = &part.facts {
                self.syntax.remember(&text, language, facts, &part.references);
            }
            (part, grams)
        });
        let parts = parts.collect();
        Ok(Examined::Text(Box::new(Text { hash, language, stamp, size, redacted, differs, parts })))
    }
}

/// The grams of a document's text, as its chunks have it. None if it has no chunks.
///
/// The chunks of a whole file cover its text. Those of remarks are texts of their own, and no gram reaches from one into
/// another.
fn grams_of(part: &Part, text: &str, extractor: &mut Extractor) -> Option<Grams> {
    let chunks = &part.document.chunks;
    if chunks.is_empty() {
        return None;
    }
    Some(match part.mode {
        Mode::Code | Mode::Prose | Mode::Records => extractor.grams(text),
        Mode::ExtractedProse => {
            let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
            extractor.grams(&texts.join("\n"))
        }
    })
}
