//! A text to the documents that are made of it.

use std::sync::{Mutex, PoisonError};

use ai_assist_chunk::{Limits, chunk_program, chunk_text};
use ai_assist_embed::{Embedder, Quantised};
use ai_assist_identity::Sha256;
use ai_assist_index::{IndexChunk, IndexDocument, Result, VectorCache};
use ai_assist_syntax::{Facts, Program, Reference};
use ai_assist_text::Language;

use crate::remarks::remarks;

/// A text is large from this size on, in bytes.
const LARGE: usize = 512 << 10;

/// Held while a large text is cut: its syntax tree may take a hundred times its size, and one at a time is enough.
static ONE_LARGE: Mutex<()> = Mutex::new(());

/// What of a text becomes a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Whole,
    /// The whole of it, with what the code says about itself.
    Facts,
    /// The comments and docstrings of a program.
    Remarks,
}

/// A document before it is embedded and named.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    pub title: Option<String>,
    pub chunks: Vec<IndexChunk>,
    /// What the code says about itself, and the names it uses, if the view asks for them.
    pub facts: Option<Facts>,
    pub references: Vec<Reference>,
}

/// What an index calls a document.
#[derive(Debug, Clone, Copy)]
pub struct Named<'n> {
    pub key: u64,
    pub path: &'n str,
    pub language: Language,
    pub hash: Sha256,
}

/// Where vectors come from: those that are given with the texts, then the cache, then the model.
#[derive(Clone, Copy)]
pub struct Vectors<'v> {
    pub embedder: &'v dyn Embedder,
    pub cache: Option<&'v VectorCache>,
    /// Answers with all vectors of a document's title and chunks, or with none.
    pub given: Option<&'v (dyn Fn(Option<&str>, &[IndexChunk]) -> Option<Quantised> + Sync)>,
}

impl<'v> Vectors<'v> {
    pub fn new(embedder: &'v dyn Embedder, cache: Option<&'v VectorCache>) -> Self {
        Vectors { embedder, cache, given: None }
    }
}

/// Parses a text once and cuts it for each view. The syntax tree is gone afterwards, before embedding takes its memory.
pub fn cut(text: &str, language: Language, views: &[View]) -> Vec<Cut> {
    if views.is_empty() {
        return Vec::new();
    }
    let lock = || ONE_LARGE.lock().unwrap_or_else(PoisonError::into_inner);
    let _alone = (text.len() >= LARGE).then(lock);
    let program = Program::parse(text, language);
    let (title, chunks) = match &program {
        Some(program) => (None, chunk_program(program, &Limits::default())),
        None => chunk_text(text, language, &Limits::default()),
    };
    let whole = || Cut {
        title: title.clone(),
        chunks: chunks.iter().map(|chunk| IndexChunk::of(chunk.clone(), text)).collect(),
        ..Cut::default()
    };
    let cut = |view: &View| match (view, &program) {
        (View::Whole, _) | (View::Facts, None) => whole(),
        (View::Facts, Some(program)) => Cut { facts: program.facts(), references: program.references(), ..whole() },
        (View::Remarks, Some(program)) => Cut { chunks: remarks(text, program, &chunks), ..Cut::default() },
        (View::Remarks, None) => Cut::default(),
    };
    views.iter().map(cut).collect()
}

impl Cut {
    /// The whole of a text.
    pub fn whole(text: &str, language: Language) -> Self {
        cut(text, language, &[View::Whole]).pop().unwrap_or_default()
    }

    /// Embeds it.
    pub fn document(self, named: Named<'_>, vectors: &Vectors<'_>) -> Result<IndexDocument> {
        let Cut { title, chunks, .. } = self;
        let given = vectors.given.and_then(|given| given(title.as_deref(), &chunks));
        let vectors = match given {
            Some(given) => given,
            None => IndexDocument::embed(title.as_deref(), &chunks, vectors.embedder, vectors.cache)?,
        };
        let Named { key, path, language, hash } = named;
        Ok(IndexDocument { key, path: path.to_owned(), title, language, hash, chunks, vectors })
    }
}
