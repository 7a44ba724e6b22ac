//! Code by its syntax tree: definitions with their doc comments and attributes, members of large types, statements of
//! large functions.
//!
//! Trees are walked with a cursor and a stack on the heap: source text can nest deeper than a thread's stack.

mod languages;
mod names;
mod parse;
mod remarks;
mod walk;

use ai_assist_text::Language;

use crate::structure::Structure;
use crate::{Limits, Remark};

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

/// The comments and docstrings of a program; none where [`scan`] gives none.
pub(crate) fn remarks(text: &str, language: Language) -> Vec<Remark> {
    let rules = languages::rules(language).filter(|_| text.len() <= LARGEST);
    let parsed = rules.and_then(|rules| parse::parse(text, &rules).map(|tree| (tree, rules)));
    parsed.map(|(tree, rules)| remarks::collect(text, &tree, &rules)).unwrap_or_default()
}
