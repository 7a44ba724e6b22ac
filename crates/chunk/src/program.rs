//! A program that is parsed once and asked several things: parsing is what takes the time.

use std::fmt;

use ai_assist_text::Language;

use crate::code::Parsed;
use crate::{Chunk, Facts, Limits, Reference, Remark, chunks_of};

pub struct Program<'t> {
    text: &'t str,
    language: Language,
    parsed: Parsed<'t>,
}

impl<'t> Program<'t> {
    /// Parses a text; `None` if its language has no grammar or it can't be parsed with bounded effort.
    pub fn parse(text: &'t str, language: Language) -> Option<Self> {
        Some(Program { text, language, parsed: Parsed::new(text, language)? })
    }

    /// Its chunks, as [`chunk`](crate::chunk) gives them.
    pub fn chunks(&self, limits: &Limits) -> Vec<Chunk> {
        let limits = limits.effective();
        chunks_of(self.text, self.language, self.parsed.structure(&limits), &limits)
    }

    /// What it says about itself, as [`facts`](crate::facts) gives it.
    pub fn facts(&self) -> Option<Facts> {
        self.parsed.facts()
    }

    /// Its comments and docstrings, as [`remarks`](crate::remarks) gives them.
    pub fn remarks(&self) -> Vec<Remark> {
        self.parsed.remarks()
    }

    /// The names it uses, as [`references`](crate::references) gives them.
    pub fn references(&self) -> Vec<Reference> {
        self.parsed.references()
    }
}

impl fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (language, bytes) = (self.language, self.text.len());
        f.debug_struct("Program").field("language", &language).field("bytes", &bytes).finish_non_exhaustive()
    }
}
