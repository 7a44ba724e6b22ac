//! What a library offers: its public items, each with its signature and what is said of it.
//!
//! Bodies are left out, so that an item is one stretch of the text: its comment and attributes, then its signature, and for Python
//! the docstring. Where everything between the braces is the signature, as for a struct, it is the whole of it.

mod go;
mod java;
mod javadoc;
mod javascript;
mod python;
mod reach;
mod rust;

pub use reach::{Offered, offered};

use std::ops::Range;

use ai_assist_text::Language;
use tree_sitter::Node;

use crate::{ChunkKind, Program};

/// A public item, or what a file says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicItem {
    /// From its comment to the end of its signature.
    pub bytes: Range<usize>,
    /// Where its name is declared, after what is said of it or before.
    pub at: usize,
    /// The types and modules it lies in and its own name; empty for what a file says of itself.
    pub path: Vec<String>,
    pub kind: ChunkKind,
    /// Whether something is said of it.
    pub documented: bool,
    /// What it reads like where its bytes are full of markup, as Javadoc is.
    pub readable: Option<String>,
}

/// Whether the public items of programs in a language can be told from the rest.
pub fn has_public_items(language: Language) -> bool {
    matches!(language.name(), "rust" | "python" | "go" | "javascript" | "java")
}

impl Program<'_> {
    /// Its public items in order; `None` for a language in which they can't be told.
    pub fn public_items(&self) -> Option<Vec<PublicItem>> {
        let mut items = Items { text: self.text, found: Vec::new() };
        let root = self.tree.root_node();
        match self.language.name() {
            "rust" => rust::collect(root, &mut items),
            "python" => python::collect(root, &mut items),
            "java" => java::collect(root, &mut items),
            "go" => go::collect(root, &mut items),
            "javascript" => javascript::collect(root, &mut items),
            _ => return None,
        }
        let mut found = items.found;
        found.sort_by_key(|item| item.bytes.start);
        Some(found)
    }
}

/// The items found so far, and the text they are found in.
struct Items<'t> {
    text: &'t str,
    found: Vec<PublicItem>,
}

impl Items<'_> {
    fn of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn field(&self, node: Node<'_>, name: &str) -> Option<String> {
        Some(self.of(node.child_by_field_name(name)?).to_owned()).filter(|text| !text.is_empty())
    }

    /// Takes in an item, from the start of a line and without the blanks at its end.
    fn push(&mut self, bytes: Range<usize>, at: usize, path: Vec<String>, kind: ChunkKind, documented: bool) {
        let start = self.text.floor_char_boundary(bytes.start);
        let end = self.text.floor_char_boundary(bytes.end);
        let Some(said) = self.text.get(start..end) else { return };
        let indent = self.text[..start].len() - self.text[..start].trim_end_matches([' ', '\t']).len();
        let end = start + said.trim_end().len();
        if end > start {
            self.found.push(PublicItem { bytes: start - indent..end, at, path, kind, documented, readable: None });
        }
    }
}

/// Where a signature ends: before the body, or with the node.
fn before_body(node: Node<'_>) -> usize {
    node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte())
}

fn with(path: &[String], name: &str) -> Vec<String> {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

#[cfg(test)]
#[path = "public/tests.rs"]
mod tests;
