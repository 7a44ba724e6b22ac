//! A document's text to chunks: pieces small enough to rank and to show, each with its place.
//!
//! What comes in: one decoded text, its language and the size limits. What goes out: chunks that cover the text in order
//! without loss, each with its bytes, lines, kind and heading or symbol path; the document's title; its outline.
//!
//! A scanner for the language (`markdown`, `html`, …) finds its structure: sections and
//! places where a cut does little harm. `assemble` joins small sections and `split` cuts large ones. A new format is a new
//! scanner and a line in `scan`. Code is parsed by `syntax`.
//!
//! Nothing here fails: a text that makes no sense in its language is cut by paragraphs and lines. The scanners take time
//! linear in the text, whatever the text; grammars do on programs, and are stopped on what is none.
//! The same text gives the same chunks, but for such text on which a grammar is stopped by the clock.
//!
//! Work that [`ai_assist_base::stopped`] says nobody wants ends early, and its chunks do not cover the text.
//!
//! This crate must not know about embeddings, indexes or files.

mod asciidoc;
mod assemble;
mod definitions;
mod html;
mod lines;
mod markdown;
mod measure;
mod org;
mod records;
mod rst;
mod scan;
mod split;

use std::ops::Range;

use ai_assist_syntax::structure::{self, Structure, Style, Unseen};
use ai_assist_syntax::{CutFrom, Program};
use ai_assist_text::{Language, LineMap, LineRange};
use serde::{Deserialize, Serialize};

pub use ai_assist_syntax::{ChunkKind, OutlineEntry, UnknownChunkKind};

/// Changes whenever the chunks for one text may change.
pub const CHUNKER_VERSION: u32 = 7;

/// A piece of a document with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The bytes of the text it covers.
    pub bytes: Range<usize>,
    pub lines: LineRange,
    /// The headings it stands under or the symbols it lies in, outermost first, its own heading or name included.
    pub path: Vec<String>,
    pub kind: ChunkKind,
    pub language: Language,
    /// The definitions and headings that it introduces, in the order of the text.
    pub defines: Vec<Defined>,
    /// What of its bytes is no word of it: markup that a reader does not see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<Range<usize>>,
}

/// A name that a chunk introduces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defined {
    pub name: String,
    /// The name of what it stands in.
    pub parent: Option<String>,
    pub kind: ChunkKind,
}

/// How large chunks get, in bytes. What is aimed at in prose is counted by the letters that a reader sees, on about the same scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The size aimed at: smaller pieces are joined, larger ones cut, where that can be done well.
    pub target: usize,
    /// No chunk is larger. Less than 4 counts as 4, because any character must fit; more than sixteen targets counts as
    /// sixteen targets.
    pub max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { target: 2000, max: 4000 }
    }
}

/// Cuts a text into chunks.
///
/// The chunks cover the text: the first starts at 0, each starts where the one before ended, the last ends with the text.
/// None is empty, none is larger than `limits.max`, every end is a character boundary. An empty text has no chunks.
pub fn chunk(text: &str, language: Language, limits: &Limits) -> Vec<Chunk> {
    match Program::parse(text, language) {
        Some(program) => chunk_program(&program, limits),
        None => chunk_text(text, language, limits).1,
    }
}

/// The title and the chunks of a text that is no program, or one that could not be parsed, as [`title`] and [`chunk`] give
/// them.
pub fn chunk_text(text: &str, language: Language, limits: &Limits) -> (Option<String>, Vec<Chunk>) {
    let found = scan::scan(text, language);
    (title_in(&found, language), chunks_of(text, language, found, &limits.effective()))
}

/// The chunks of a program that was parsed already, as [`chunk`] gives them.
pub fn chunk_program(program: &Program<'_>, limits: &Limits) -> Vec<Chunk> {
    let limits = limits.effective();
    chunks_of(program.text, program.language, program.structure(limits.cut_from()), &limits)
}

/// Joins and cuts what a scanner found.
fn chunks_of(text: &str, language: Language, mut found: Structure, limits: &Limits) -> Vec<Chunk> {
    found.unseen.sort_by_key(|unseen| unseen.bytes.start);
    let pieces = assemble::assemble(text, &mut found, limits);
    found.unseen.retain(|unseen| !unseen.searched);
    if pieces.is_empty() {
        return Vec::new();
    }
    let map = LineMap::new(text);
    pieces
        .into_iter()
        .map(|piece| Chunk {
            lines: map.lines_of(&piece.bytes),
            unseen: unseen_in(&found.unseen, &piece.bytes),
            bytes: piece.bytes,
            path: piece.path,
            kind: piece.kind,
            language,
            defines: piece.defines,
        })
        .collect()
}

fn unseen_in(unseen: &[Unseen], bytes: &Range<usize>) -> Vec<Range<usize>> {
    let first = unseen.partition_point(|unseen| unseen.bytes.end <= bytes.start);
    let within = unseen[first..].iter().map(|unseen| &unseen.bytes).take_while(|hidden| hidden.start < bytes.end);
    within.map(|hidden| hidden.start.max(bytes.start)..hidden.end.min(bytes.end)).collect()
}

/// The document's title: what its front matter or head says, else its first heading. Code has none.
pub fn title(text: &str, language: Language) -> Option<String> {
    title_in(&scan::scan(text, language), language)
}

fn title_in(found: &Structure, language: Language) -> Option<String> {
    if ai_assist_syntax::has_grammar(language) || found.style == Style::Code {
        return None;
    }
    let heading = || found.sections.iter().find_map(|section| section.name.clone().filter(|name| !name.is_empty()));
    found.title.clone().or_else(heading)
}

/// Headings or definitions in the order of the text, with their nesting.
pub fn outline(text: &str, language: Language) -> Vec<OutlineEntry> {
    if let Some(program) = Program::parse(text, language) {
        return program.definitions();
    }
    structure::outline(text, scan::scan(text, language))
}

impl Limits {
    /// The limits with what can't be met put right: see [`Limits::max`]. The upper bound keeps the search for a cut from
    /// looking at the same text many times over.
    fn effective(self) -> Limits {
        let max = self.max.max(4);
        let target = self.target.clamp(1, max);
        Limits { target, max: max.min(target.saturating_mul(16).max(4)) }
    }

    /// Cuts closer together than half a target are of no use.
    fn cut_from(self) -> CutFrom {
        CutFrom { definition: self.max / 2, statement: self.target / 2 }
    }
}
