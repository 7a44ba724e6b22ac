//! What code says about itself: definitions, imports, uses, facts; which files import which, and what the rest turns on.
//!
//! What comes in: decoded text with its language, or what was read off it before; paths. What goes out: plain data, with
//! lines, so that whoever repeats it can name its source.
//!
//! [`Program`] parses a text once with the grammar of its language and is asked everything off the same tree; a new
//! language is a row in `languages.rs`, a new framework one in a table of `facts`. Nothing here fails: what can't be parsed
//! with bounded effort (see `parse.rs`) is said to be so.
//!
//! [`SyntaxCache`] keeps what a text says by its hash. [`CodeGraph`] ties files together by their imports and the names
//! they use.
//!
//! Work that [`ai_assist_base::stopped`] says nobody wants ends early, with whatever it has.
//!
//! This crate must not know about search, packs or repositories, nor read a file of them.

mod cache;
mod facts;
mod graph;
mod imports;
mod kind;
mod languages;
mod names;
mod parse;
mod program;
mod public;
mod references;
mod remarks;
pub mod structure;
mod tokens;
mod visit;
mod walk;

use ai_assist_text::Language;

pub use cache::SyntaxCache;
pub use facts::{Command, Export, Facts, Import, Measured, Risk, Risky, Route, Symbol, facts};
pub use graph::{CodeGraph, Definition, GraphBuilder, Ranks};
pub use imports::Packages;
pub use kind::{ChunkKind, UnknownChunkKind};
pub use parse::parses;
pub use program::{Analysis, CutFrom, Program, Said, Unparsed, Wanted};
pub use public::{Offered, PublicItem, has_public_items, offered};
pub use references::{Reference, references};
pub use remarks::{Remark, remarks};
pub use structure::OutlineEntry;
pub use tokens::{Token, TokenKind, tokens};

/// Raised when an [`Analysis`] of one and the same text may change: grammars, tables, what is kept.
pub const SYNTAX_VERSION: u32 = 3;

/// Whether there is a grammar for a language.
pub fn has_grammar(language: Language) -> bool {
    languages::rules(language).is_some()
}
