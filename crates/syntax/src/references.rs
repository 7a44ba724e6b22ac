//! Which names a program uses, and how often.
//!
//! A leaf that the grammar calls a name is a use of it, unless it is the name of the definition
//! around it. Comments and strings have no such leaves, but what is computed in a string does.

use std::collections::{HashMap, HashSet};

use ai_assist_text::Language;
use serde::{Deserialize, Serialize};
use tree_sitter::Node;

use super::languages::{ByKind, Role, Rules};
use super::names::name_leaf;
use super::visit::Visitor;

/// A name that a program uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reference {
    /// The name: a single one, without what it is looked up in.
    pub name: String,
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

/// Fewer characters tell nothing, and more bytes are data.
const SHORTEST: usize = 3;
const LONGEST: usize = 100;

/// No more different names are taken from one file. Those that come first are kept.
const MOST: usize = 10_000;

/// The leaves that are names, in whichever grammar.
const NAMES: &[&str] = &[
    "identifier",
    "type_identifier",
    "field_identifier",
    "shorthand_field_identifier",
    "property_identifier",
    "private_property_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "package_identifier",
    "namespace_identifier",
    "constant",
    "name",
    "variable_name",
];

/// What holds a name that is no use of anything: lifetimes and labels of Rust.
const OTHERS: &[&str] = &["lifetime", "label"];

/// What a kind of node is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    Name,
    /// The word that a shell takes for a command.
    Command,
    Define,
    Skip,
    #[default]
    Other,
}

fn kind(rules: &Rules, name: &str) -> Kind {
    match name {
        "command_name" => Kind::Command,
        _ if NAMES.contains(&name) => Kind::Name,
        _ if OTHERS.contains(&name) => Kind::Skip,
        _ if matches!(rules.role(name), Role::Define(..)) => Kind::Define,
        _ => Kind::Other,
    }
}

pub(super) struct Uses<'a> {
    text: &'a str,
    rules: &'a Rules,
    kinds: &'static [Kind],
    counts: HashMap<&'a str, u32>,
    /// Where the names of definitions start that are still to be met.
    defined: HashSet<usize>,
}

impl<'t> Visitor<'t> for Uses<'_> {
    fn enter(&mut self, node: Node<'t>) -> bool {
        let kind = self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or_default();
        match kind {
            Kind::Define => self.define(node),
            Kind::Name if node.child_count() == 0 => self.add(node),
            Kind::Command => self.add(node),
            _ => {}
        }
        !matches!(kind, Kind::Skip | Kind::Command)
    }
}

impl<'a> Uses<'a> {
    pub(super) fn new(text: &'a str, rules: &'a Rules, language: Language) -> Self {
        static KINDS: ByKind<Kind> = ByKind::new();
        Uses { text, rules, kinds: KINDS.of(language, kind), counts: HashMap::new(), defined: HashSet::new() }
    }

    fn define(&mut self, node: Node<'_>) {
        // `struct a *b` in C names the struct and defines nothing of it.
        let only_names = node.kind().ends_with("_specifier") && node.child_by_field_name("body").is_none();
        if let Role::Define(_, how) = self.rules.role(node.kind())
            && !only_names
        {
            self.defined.extend(name_leaf(node, how).map(|leaf| leaf.start_byte()));
        }
    }

    fn add(&mut self, node: Node<'_>) {
        let Some(name) = self.text.get(node.byte_range()) else { return };
        let is_defined = self.defined.remove(&node.start_byte());
        let fits = name.len() <= LONGEST && name.chars().take(SHORTEST).count() == SHORTEST;
        if is_defined || !fits || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return;
        }
        if let Some(count) = self.counts.get_mut(name) {
            *count = count.saturating_add(1);
        } else if self.counts.len() < MOST {
            self.counts.insert(name, 1);
        }
    }

    /// The names that a program uses, in the order of their bytes.
    pub(super) fn finish(self) -> Vec<Reference> {
        let mut found: Vec<(&str, u32)> = self.counts.into_iter().collect();
        found.sort_unstable();
        found.into_iter().map(|(name, count)| Reference { name: name.to_owned(), count }).collect()
    }
}

#[cfg(test)]
#[path = "references_tests.rs"]
mod tests;
