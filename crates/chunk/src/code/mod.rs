//! Code by its syntax tree: definitions with their doc comments and attributes, members of large types, statements of
//! large functions.
//!
//! Trees are walked with a cursor and a stack on the heap: source text can nest deeper than a thread's stack.

mod facts;
mod languages;
mod names;
mod parse;
mod references;
mod remarks;
mod walk;

use ai_assist_text::Language;
use tree_sitter::Tree;

use crate::structure::{Structure, outline};
use crate::{Facts, Limits, Reference, Remark};
use languages::Rules;

/// Larger files are data or generated: cut by lines, because their trees take some twenty times their size in memory.
const LARGEST: usize = 4 << 20;

/// Whether there is a grammar for a language.
pub(crate) fn is_code(language: Language) -> bool {
    languages::rules(language).is_some()
}

pub(crate) struct Parsed<'t> {
    text: &'t str,
    language: Language,
    rules: Rules,
    tree: Tree,
}

impl<'t> Parsed<'t> {
    /// Parses a program; `None` if the language has no grammar or the text can't be parsed with bounded effort.
    pub(crate) fn new(text: &'t str, language: Language) -> Option<Self> {
        if text.len() > LARGEST {
            return None;
        }
        let rules = languages::rules(language)?;
        let tree = parse::parse(text, &rules)?;
        Some(Parsed { text, language, rules, tree })
    }

    /// Its sections and places to cut.
    pub(crate) fn structure(&self, limits: &Limits) -> Structure {
        walk::walk(self.text, &self.tree, &self.rules, limits)
    }

    /// What it says about itself.
    pub(crate) fn facts(&self) -> Option<Facts> {
        let definitions = outline(self.text, self.structure(&Limits::default().effective()));
        let facts = facts::collect(self.text, &self.tree, &self.rules, self.language)?;
        Some(Facts { definitions, ..facts })
    }

    /// Its comments and docstrings.
    pub(crate) fn remarks(&self) -> Vec<Remark> {
        remarks::collect(self.text, &self.tree, &self.rules)
    }

    /// The names it uses.
    pub(crate) fn references(&self) -> Vec<Reference> {
        references::collect(self.text, &self.tree, &self.rules)
    }
}
