//! What a text says, all of it, from one parse.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ai_assist_text::Language;
use serde::{Deserialize, Serialize};

use crate::{Facts, Program, Reference, has_grammar};

/// What a program says about itself and what it uses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    pub facts: Facts,
    pub references: Vec<Reference>,
}

/// Why nothing is known of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unparsed {
    NoGrammar,
    /// It takes more effort than programs do.
    GivenUp,
    Panicked,
}

impl Analysis {
    /// Parses a text. A parser that panics costs what this text says, no more.
    pub fn of(text: &str, language: Language) -> Result<Self, Unparsed> {
        if !has_grammar(language) {
            return Err(Unparsed::NoGrammar);
        }
        let parsed = catch_unwind(AssertUnwindSafe(|| Program::parse(text, language)?.analysis()));
        parsed.map_err(|_| Unparsed::Panicked)?.ok_or(Unparsed::GivenUp)
    }
}
