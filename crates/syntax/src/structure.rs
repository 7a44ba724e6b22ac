//! What every scanner finds: sections and places to cut.

use std::ops::Range;

use ai_assist_text::{LineMap, LineRange, head};
use serde::{Deserialize, Serialize};

use crate::ChunkKind;

/// Sections are not nested deeper than this; what is deeper counts as being this deep. It bounds a path's length, and so
/// the cost of giving one to each chunk.
const DEEPEST: usize = 64;

/// Names are cut to this many bytes, for the same reason.
const LONGEST_NAME: usize = 200;

/// A heading with its text, or a definition, or a run of what is neither.
#[derive(Debug)]
pub struct Section {
    /// Where it starts: it runs to the next section's start.
    pub start: usize,
    /// Where its heading or its definition stands, after comments that belong to it.
    pub at: usize,
    /// Where its heading ends. With nothing but white space from there on, a section says nothing by itself.
    pub body: usize,
    /// Where it ends for an outline, if not before the next section that is not deeper.
    pub end: Option<usize>,
    /// The smaller, the further out; only the order of levels matters.
    pub level: usize,
    /// A path element between its parent's and its own that has no section, such as the receiver of a Go method.
    pub owner: Option<String>,
    /// Its heading or symbol. A section without a name has no sections in it.
    pub name: Option<String>,
    pub kind: ChunkKind,
    /// A definition's text up to its body.
    pub signature: Option<String>,
    pub alone: bool,
}

impl Section {
    /// A named section whose heading ends at `body`.
    pub fn named(start: usize, body: usize, level: usize, name: &str, kind: ChunkKind) -> Section {
        Section { name: Some(head(name, LONGEST_NAME).to_owned()), body, level, ..Section::unnamed(start, kind) }
    }

    /// A section without a name.
    pub fn unnamed(start: usize, kind: ChunkKind) -> Section {
        Section {
            start,
            at: start,
            body: start,
            end: None,
            level: 0,
            owner: None,
            name: None,
            kind,
            signature: None,
            alone: false,
        }
    }
}

/// A place where a cut does little harm. Always the start of a line or, in HTML, of a tag.
#[derive(Debug, Clone, Copy)]
pub struct Break {
    pub at: usize,
    /// The lower, the better.
    pub rank: u8,
}

/// How the pieces of a format are joined and cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Sections of middling size stand alone; somewhat large ones are cut.
    Prose,
    /// A definition with its members stays whole up to the target, a function up to the maximum.
    Code,
}

/// What a scanner found. Sections and breaks are in the order of the text.
#[derive(Debug)]
pub struct Structure {
    pub style: Style,
    pub sections: Vec<Section>,
    pub breaks: Vec<Break>,
    pub title: Option<String>,
    /// The kind of what lies before the first section.
    pub loose: ChunkKind,
    /// What a reader of the document does not see, in the order of the text, none within another.
    pub unseen: Vec<Unseen>,
}

/// Markup that says how something is shown, such as the name of a role or of a component. It counts for nothing where a text is
/// measured, so that the same document is cut alike in every format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    pub bytes: Range<usize>,
    /// Whether it is among the words of its chunk all the same, as the language of a listing is.
    pub searched: bool,
}

impl Structure {
    pub fn new(style: Style, loose: ChunkKind) -> Structure {
        Structure { style, sections: Vec::new(), breaks: Vec::new(), title: None, loose, unseen: Vec::new() }
    }

    pub fn cut(&mut self, at: usize, rank: u8) {
        self.breaks.push(Break { at, rank });
    }

    /// Takes bytes for what a reader does not see.
    pub fn hide(&mut self, bytes: Range<usize>, searched: bool) {
        if !bytes.is_empty() {
            self.unseen.push(Unseen { bytes, searched });
        }
    }
}

/// The section that each section lies in.
pub fn parents(sections: &[Section]) -> Vec<Option<usize>> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut parents = Vec::with_capacity(sections.len());
    for (index, section) in sections.iter().enumerate() {
        let level = section.level.min(DEEPEST);
        while open.last().is_some_and(|&(outer, _)| outer >= level) {
            open.pop();
        }
        parents.push(open.last().map(|&(_, index)| index));
        if section.name.is_some() {
            open.push((level, index));
        }
    }
    parents
}

/// The path of a section, its own name included.
pub fn path(sections: &[Section], parents: &[Option<usize>], section: usize) -> Vec<String> {
    let mut path = Vec::new();
    let mut next = Some(section);
    while let Some(index) = next {
        let section = &sections[index];
        path.extend(section.name.iter().chain(&section.owner).filter(|name| !name.is_empty()).cloned());
        next = parents[index];
    }
    path.reverse();
    path
}

/// A heading or a definition, for an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEntry {
    pub depth: usize,
    /// The heading's text or the symbol's name.
    pub name: String,
    pub kind: ChunkKind,
    /// From its heading or doc comment to its end, what lies in it included.
    pub lines: LineRange,
    /// For a definition, its text up to its body, on one line.
    pub signature: Option<String>,
}

/// The named sections as an outline.
pub fn outline(text: &str, structure: Structure) -> Vec<OutlineEntry> {
    let sections = structure.sections;
    let parents = parents(&sections);
    let mut depths: Vec<usize> = Vec::with_capacity(sections.len());
    for parent in &parents {
        depths.push(parent.map_or(0, |parent| depths[parent] + 1));
    }
    // Backwards, the end of a section is the start of the last seen that is not deeper: those wait on a stack.
    let mut ends = vec![text.len(); sections.len()];
    let mut later: Vec<usize> = Vec::new();
    for index in (0..sections.len()).rev() {
        while later.last().is_some_and(|&next| depths[next] > depths[index]) {
            later.pop();
        }
        let end = sections[index].end.or_else(|| later.last().map(|&next| sections[next].start));
        ends[index] = end.unwrap_or(text.len());
        later.push(index);
    }
    let map = LineMap::new(text);
    let entry = |(index, section): (usize, Section)| {
        let name = section.name.filter(|name| !name.is_empty())?;
        let name = section.owner.map_or(name.clone(), |owner| format!("{owner}.{name}"));
        let whole = &text[section.start..ends[index].max(section.start)];
        let start = section.start + (whole.len() - whole.trim_start().len());
        let lines = map.lines_of(&(start..start + whole.trim().len()));
        Some(OutlineEntry { depth: depths[index], name, kind: section.kind, lines, signature: section.signature })
    };
    sections.into_iter().enumerate().filter_map(entry).collect()
}
