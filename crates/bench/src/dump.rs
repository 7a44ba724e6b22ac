//! What a re-ranking wants to know: the first chunks of each query, with all parts of their scores, one line of JSON a query.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use ai_assist_chunk::ChunkKind;
use ai_assist_index::{Name, Reader, TextField};
use ai_assist_search::{Formula, Hit, Origin, Query};
use ai_assist_text::{Language, LineRange, Role};
use anyhow::{Context, Result};
use serde::Serialize;

/// How many chunks of each query are written.
pub(crate) const DEPTH: usize = 200;

pub(crate) struct Dump {
    out: BufWriter<File>,
}

/// A query that was asked. What a set does not have is left out of its lines.
#[derive(Default, Serialize)]
pub(crate) struct Asked<'q> {
    pub(crate) set: &'q str,
    pub(crate) id: &'q str,
    pub(crate) text: &'q str,
    /// The gain of each right document, by the `id` that chunks have.
    pub(crate) gold: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) half: Option<&'q str>,
    /// The repository of an issue, and whether it names one of its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repo: Option<&'q str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) named: Option<bool>,
    /// The document to leave out of the ranking before it is scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<&'q str>,
    /// Why there is no ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
}

#[derive(Serialize)]
struct Line<'q> {
    #[serde(flatten)]
    asked: &'q Asked<'q>,
    #[serde(flatten)]
    parsed: Option<Parsed<'q>>,
    /// The weights of the parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<Formula>,
    chunks: Vec<Chunk<'q>>,
}

#[derive(Serialize)]
struct Parsed<'q> {
    about: String,
    names: Vec<String>,
    heading: Option<&'q str>,
    /// Each term, how often the query has it, and in how many chunks its body is, if any of the first has it.
    terms: Vec<(&'q str, f32, Option<u64>)>,
    phrases: usize,
}

#[derive(Serialize)]
struct Chunk<'h> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<&'h str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'h str>,
    path: &'h str,
    lines: (u32, u32),
    /// Which chunk of its document it is, from 0; how many there are, and how many characters these have.
    position: Option<usize>,
    of: usize,
    document_chars: usize,
    chars: usize,
    kind: ChunkKind,
    language: Language,
    role: String,
    heading: &'h [String],
    title: Option<&'h str>,
    score: f32,
    /// The scores by words and by meaning as they are.
    words: f32,
    cosine: f32,
    /// What adds up to the score.
    parts: BTreeMap<&'h str, f32>,
    /// The score by words by field: title, heading, path, body.
    fields: [f32; TextField::ALL.len()],
    /// Which of the query's terms it has, and what each adds to the score by words.
    terms: Vec<(usize, f32)>,
    /// What phrases add.
    phrases: f32,
}

impl Dump {
    pub(crate) fn create(file: &Path) -> Result<Self> {
        let out = File::create(file).with_context(|| format!("creating {}", file.display()))?;
        Ok(Dump { out: BufWriter::new(out) })
    }

    /// Writes a query with its ranking; `id` gives the name that a hit's document has among the gold.
    pub(crate) fn write(
        &mut self,
        asked: &Asked<'_>,
        query: Option<&Query>,
        hits: &[Hit],
        outline: &Outline,
        id: impl Fn(&Hit) -> Result<String>,
    ) -> Result<()> {
        let words: HashMap<&str, usize> =
            query.iter().flat_map(|query| query.terms.words.iter().map(String::as_str).zip(0..)).collect();
        let chunk = |hit| Ok(Chunk::of(hit, id(hit)?, &words, outline));
        let line = Line {
            asked,
            parsed: query.map(|query| Parsed::of(query, hits)),
            formula: hits.iter().find_map(|hit| Some(hit.explanation.as_ref()?.formula)),
            chunks: hits.iter().take(DEPTH).map(chunk).collect::<Result<_>>()?,
        };
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }
}

impl<'q> Parsed<'q> {
    fn of(query: &'q Query, hits: &[Hit]) -> Self {
        let mut chunks: HashMap<&str, u64> = HashMap::new();
        for term in hits.iter().filter_map(|hit| hit.explanation.as_ref()).flat_map(|explained| &explained.terms) {
            if term.field == TextField::Body {
                chunks.insert(&term.term, term.chunks);
            }
        }
        let name = |name: &Name| match &name.parent {
            Some(parent) => format!("{parent}.{}", name.name),
            None => name.name.clone(),
        };
        let terms = query.terms.words.iter().zip(&query.terms.counts);
        Parsed {
            about: format!("{:?}", query.about),
            names: query.names.names.iter().map(name).collect(),
            heading: query.names.heading.as_deref(),
            terms: terms.map(|(term, &count)| (&**term, count, chunks.get(&**term).copied())).collect(),
            phrases: query.terms.phrases.len(),
        }
    }
}

impl<'h> Chunk<'h> {
    fn of(hit: &'h Hit, id: String, words: &HashMap<&str, usize>, outline: &Outline) -> Self {
        let (repo, mode) = match &hit.origin {
            Origin::Repo { repo, mode, .. } => (Some(&**repo), Some(&**mode)),
            _ => (None, None),
        };
        let (mut fields, mut terms, mut phrases) = ([0.0; TextField::ALL.len()], BTreeMap::new(), 0.0);
        for term in hit.explanation.iter().flat_map(|explained| &explained.terms) {
            match words.get(&*term.term) {
                Some(&word) => {
                    fields[term.field.position()] += term.score;
                    *terms.entry(word).or_insert(0.0) += term.score;
                }
                None => phrases += term.score,
            }
        }
        let parts = hit.explanation.iter().flat_map(|explained| &explained.parts);
        let document = outline.document(hit);
        let is_it = |chunk: &(LineRange, usize)| *chunk == (hit.lines, hit.text.chars().count());
        Chunk {
            id,
            repo,
            mode,
            path: &hit.document,
            lines: (hit.lines.start, hit.lines.end),
            position: document.iter().position(is_it),
            of: document.len(),
            document_chars: document.iter().map(|(_, chars)| chars).sum(),
            chars: hit.text.chars().count(),
            kind: hit.kind,
            language: hit.language,
            role: format!("{:?}", Role::of(&hit.document, "")).to_lowercase(),
            heading: &hit.path,
            title: hit.title.as_deref(),
            score: hit.score,
            words: hit.words,
            cosine: hit.cosine,
            parts: parts.map(|part| (&*part.name, part.adds)).collect(),
            fields,
            terms: terms.into_iter().collect(),
            phrases,
        }
    }
}

/// The chunks of every document in their order: the lines and the characters of each.
#[derive(Default)]
pub(crate) struct Outline(HashMap<(String, String), Vec<(LineRange, usize)>>);

impl Outline {
    /// Takes in an index, by the name that [`index_of`] gives to what comes from it.
    pub(crate) fn add(&mut self, index: &str, reader: &Reader) -> Result<()> {
        let mut documents: HashMap<String, BTreeMap<u32, (LineRange, usize)>> = HashMap::new();
        for position in reader.live().iter() {
            let chunk = reader.chunk(position)?;
            let outlined = (chunk.lines, chunk.text.chars().count());
            documents.entry(chunk.document).or_default().insert(chunk.ordinal, outlined);
        }
        let of_index = |(document, chunks): (String, BTreeMap<_, _>)| {
            ((index.to_owned(), document), chunks.into_values().collect())
        };
        self.0.extend(documents.into_iter().map(of_index));
        Ok(())
    }

    fn document(&self, hit: &Hit) -> &[(LineRange, usize)] {
        self.0.get(&(index_of(&hit.origin), hit.document.clone())).map_or(&[], Vec::as_slice)
    }
}

/// The name of the index that a document comes from.
pub(crate) fn index_of(origin: &Origin) -> String {
    match origin {
        Origin::Repo { repo, mode, .. } => format!("{repo} {mode}"),
        other => other.name().to_owned(),
    }
}
