//! The names that a program uses.

use ai_assist_text::Language;
use serde::{Deserialize, Serialize};

/// A name that a program uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reference {
    /// The name: a single one, without what it is looked up in.
    pub name: String,
    /// How often.
    pub count: u32,
}

/// The names that a program uses, by name; `None` if its language has no grammar or the text can't be parsed with bounded
/// effort.
///
/// The place where something is defined is no use of its name. Nor is what stands in comments and strings. Names of less
/// than three characters or more than a hundred bytes are left out, and so is what comes after ten thousand names.
pub fn references(text: &str, language: Language) -> Option<Vec<Reference>> {
    Some(crate::Program::parse(text, language)?.references())
}
