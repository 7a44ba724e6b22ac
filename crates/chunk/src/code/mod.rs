//! Code by its syntax tree: definitions with their doc comments and attributes, members of large types, statements of
//! large functions.
//!
//! Trees are walked with a cursor and a stack on the heap: source text can nest deeper than a thread's stack.

mod facts;
mod languages;
mod names;
mod parse;
mod walk;

use ai_assist_text::Language;

use crate::structure::{Structure, outline};
use crate::{Facts, Limits};

/// Larger files are data or generated: cut by lines, because their trees take some twenty times their size in memory.
const LARGEST: usize = 4 << 20;

/// Whether there is a grammar for a language.
pub(crate) fn is_code(language: Language) -> bool {
    languages::rules(language).is_some()
}

/// The structure of a program; `None` if the language has no grammar or the text can't be parsed with bounded effort.
pub(crate) fn scan(text: &str, language: Language, limits: &Limits) -> Option<Structure> {
    if text.len() > LARGEST {
        return None;
    }
    let rules = languages::rules(language)?;
    let tree = parse::parse(text, &rules)?;
    Some(walk::walk(text, &tree, &rules, limits))
}

/// What a program says about itself; `None` where [`scan`] gives none. The text is parsed once.
pub(crate) fn facts(text: &str, language: Language) -> Option<Facts> {
    if text.len() > LARGEST {
        return None;
    }
    let rules = languages::rules(language)?;
    let tree = parse::parse(text, &rules)?;
    let definitions = outline(text, walk::walk(text, &tree, &rules, &Limits::default().effective()));
    Some(Facts { definitions, ..facts::collect(text, &tree, &rules, language)? })
}
