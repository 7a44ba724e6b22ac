//! Definitions by their own names, each with what it lies in.

use std::borrow::Cow;

use ai_assist_text::LineRange;

use crate::{ChunkKind, Facts};

/// A definition as it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol<'f> {
    pub name: &'f str,
    pub kind: ChunkKind,
    /// Its text up to its body, on one line.
    pub signature: Option<&'f str>,
    pub lines: LineRange,
    /// What it lies in, outermost first, with dots between.
    pub parent: Option<Cow<'f, str>>,
}

impl Facts {
    pub fn symbols(&self) -> Vec<Symbol<'_>> {
        let mut open: Vec<(usize, String)> = Vec::new();
        let mut found = Vec::with_capacity(self.definitions.len());
        for entry in &self.definitions {
            while open.last().is_some_and(|(depth, _)| *depth >= entry.depth) {
                open.pop();
            }
            let outer = open.last().map(|(_, path)| path.as_str());
            let is_function = matches!(entry.kind, ChunkKind::Method | ChunkKind::Function);
            // The outline writes the type that a method names itself, as in Go, before the method.
            let (owner, name) = match entry.name.rsplit_once('.').filter(|_| is_function) {
                Some((owner, name)) if !name.is_empty() => (Some(owner), name),
                _ => (None, entry.name.as_str()),
            };
            let parts: Vec<&str> = outer.into_iter().chain(owner).collect();
            let parent = (!parts.is_empty()).then(|| parts.join("."));
            let path = parent.as_ref().map_or_else(|| name.to_owned(), |parent| format!("{parent}.{name}"));
            open.push((entry.depth, path));
            let (kind, signature, lines) = (entry.kind, entry.signature.as_deref(), entry.lines);
            found.push(Symbol { name, kind, signature, lines, parent: parent.map(Cow::Owned) });
        }
        found
    }
}
