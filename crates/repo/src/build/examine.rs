//! One file after another through the door, cut and embedded, on every core.

use ai_assist_admit::{Candidate, Exclusion, FileStamp, Limits, Outcome, Redaction};
use ai_assist_base::stopped;
use ai_assist_identity::Sha256;
use ai_assist_index::IndexDocument;
use ai_assist_ingest::{Cut, Named, Vectors, View, cut};
use ai_assist_syntax::{Facts, Reference, SyntaxCache};
use ai_assist_text::Language;
use ai_assist_trigram::{Extractor, Grams};

use super::Result;
use crate::layout::Mode;
use crate::modes::modes_of;

/// A file to be read, and what each mode knows of it.
#[derive(Debug)]
pub(super) struct Task<'t> {
    pub(super) candidate: &'t Candidate,
    /// By the place of the mode in [`Mode::ALL`].
    pub(super) known: [Option<Sha256>; Mode::ALL.len()],
}

#[derive(Debug)]
pub(super) enum Examined {
    Text(Box<Text>),
    /// Its content keeps it out. The stamp is there if it can stand in for reading it again.
    Refused(Exclusion, Option<FileStamp>),
    /// It could not be read, which says nothing about it.
    Failed(Exclusion),
    Vanished,
}

#[derive(Debug)]
pub(super) struct Text {
    pub(super) hash: Sha256,
    pub(super) language: Language,
    pub(super) stamp: Option<FileStamp>,
    pub(super) size: u64,
    pub(super) redacted: u64,
    pub(super) redactions: Vec<Redaction>,
    /// The modes for which it is new or changed.
    pub(super) differs: Vec<Mode>,
    /// Its documents for these, if they were wanted.
    pub(super) parts: Vec<Part>,
    /// Whether its parser has given up on it.
    pub(super) given_up: bool,
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) mode: Mode,
    /// Its key is known only to whoever writes it.
    pub(super) document: IndexDocument,
    /// What the code says about itself, and the names it uses, for the mode that has it.
    pub(super) facts: Option<Facts>,
    pub(super) references: Vec<Reference>,
    /// Of its text, unless it has none.
    pub(super) grams: Option<Grams>,
}

/// What the workers share.
pub(super) struct Examiner<'e> {
    pub(super) modes: &'e [Mode],
    pub(super) limits: &'e Limits,
    pub(super) vectors: Vectors<'e>,
    /// Is told what the code says about itself.
    pub(super) syntax: &'e SyntaxCache,
    /// Whether documents are wanted, or only what differs.
    pub(super) prepare: bool,
}

impl Examiner<'_> {
    pub(super) fn examine(&self, task: &Task<'_>, extractor: &mut Extractor) -> Result<Examined> {
        let path = task.candidate.path().as_str();
        let admitted = match task.candidate.read(self.limits) {
            Outcome::Admitted(admitted) => admitted,
            Outcome::Vanished => return Ok(Examined::Vanished),
            Outcome::Excluded(exclusion) if exclusion.reason.is_failure() => return Ok(Examined::Failed(exclusion)),
            Outcome::Excluded(exclusion) => return Ok(Examined::Refused(exclusion, task.candidate.settled_stamp())),
        };
        let (hash, stamp, size) = (admitted.hash(), admitted.stamp(), admitted.size());
        let redacted = admitted.redacted() as u64;
        let redactions = admitted.redactions().to_vec();
        let language = admitted.language();
        let text = admitted.into_text();
        let differs = |mode: &&Mode| self.modes.contains(mode) && task.known[**mode as usize] != Some(hash);
        let differs: Vec<Mode> = modes_of(path, language).iter().filter(differs).copied().collect();
        let views: Vec<View> = differs.iter().filter(|_| self.prepare).map(view).collect();
        let part = |(&mode, mut cut): (&Mode, Cut)| {
            let (facts, references) = (cut.facts.take(), std::mem::take(&mut cut.references));
            // What was stopped halfway is known by halves.
            if let Some(facts) = facts.as_ref().filter(|_| !stopped()) {
                self.syntax.remember(&text, language, facts, &references);
            }
            let document = cut.document(Named { key: 0, path, language, hash }, &self.vectors)?;
            let grams = grams_of(mode, &document, &text, extractor);
            Ok(Part { mode, document, facts, references, grams })
        };
        let cuts = cut(&text, language, &views);
        let given_up = cuts.iter().any(|cut| cut.given_up);
        let parts = differs.iter().zip(cuts).map(part).collect::<Result<_>>()?;
        let text = Text { hash, language, stamp, size, redacted, redactions, differs, parts, given_up };
        Ok(Examined::Text(Box::new(text)))
    }
}

/// What of a file is indexed for a mode.
fn view(mode: &Mode) -> View {
    match mode {
        Mode::Code => View::Facts,
        Mode::ExtractedProse => View::Remarks,
        Mode::Prose | Mode::Records => View::Whole,
    }
}

/// The grams of a document's text, as its chunks have it. None if it has no chunks.
///
/// The chunks of a whole file cover its text. Those of remarks are texts of their own, and no gram reaches from one into
/// another.
fn grams_of(mode: Mode, document: &IndexDocument, text: &str, extractor: &mut Extractor) -> Option<Grams> {
    let chunks = &document.chunks;
    if chunks.is_empty() {
        return None;
    }
    Some(match mode {
        Mode::Code | Mode::Prose | Mode::Records => extractor.grams(text),
        Mode::ExtractedProse => {
            let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
            extractor.grams(&texts.join("\n"))
        }
    })
}
