//! Ranking several indexes in one call: the phases, one after the other.

use ai_assist_embed::Embedder;
use ai_assist_index::{ChunkRecord, Reader, Statistics, TermScore, Weights, WordWeights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::fuse::{Fusion, Mode};
use crate::phases::{Gathered, Scores, embed, gather, hydrate, place, score};
use crate::query::Query;

/// What is asked of the indexes.
#[derive(Debug, Clone)]
pub struct Request<'q> {
    pub query: &'q Query,
    /// Which scores rank.
    pub mode: Mode,
    /// How they are fused.
    pub fusion: Fusion,
    /// How the fields count.
    pub weights: Weights,
    /// How many hits to leave out at the top.
    pub offset: usize,
    /// How many hits to give.
    pub limit: usize,
    /// Whether to say how each score came about.
    pub explain: bool,
}

impl<'q> Request<'q> {
    /// A request for the ten best.
    pub fn new(query: &'q Query) -> Self {
        Request {
            query,
            mode: Mode::default(),
            fusion: Fusion::default(),
            weights: Weights::default(),
            offset: 0,
            limit: 10,
            explain: false,
        }
    }
}

/// A found chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub index: usize,
    pub score: f32,
    pub words: f32,
    pub cosine: f32,
    pub chunk: ChunkRecord,
    /// How the score came about, if that was asked.
    pub explanation: Option<Explanation>,
}

/// How a score came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub mode: Mode,
    pub fusion: Fusion,
    /// The word score on a scale from 0 to 1.
    pub words_scaled: f32,
    /// The cosine on a scale from 0 to 1.
    pub cosine_scaled: f32,
    /// What each word in each field adds to the word score.
    pub terms: Vec<TermScore>,
}

/// The hits of a request, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    pub hits: Vec<Hit>,
    /// How many chunks count as found in all.
    pub found: usize,
    /// How many chunks passed the filters.
    pub considered: usize,
}

/// Ranks the chunks of several indexes as if they stood in one.
pub fn search(readers: &[&Reader], request: &Request<'_>, embedder: &dyn Embedder) -> Result<Ranking, Error> {
    let terms = &request.query.terms;
    let gathered: Vec<Gathered> = readers.iter().map(|reader| gather(reader, terms)).collect::<Result<_, _>>()?;
    let mut statistics = Statistics::empty(terms);
    gathered.iter().for_each(|part| statistics.add(&part.statistics));
    let vector = embed(request, embedder)?;
    let weights = WordWeights::new(terms, &statistics, &request.weights);
    let scored =
        |(reader, gathered): (&&Reader, &Gathered)| score(reader, gathered, request, &weights, vector.as_ref());
    let scores: Vec<Scores> = match readers.len() {
        // One index is not worth waking the other cores for.
        0 | 1 => readers.iter().zip(&gathered).map(scored).collect::<Result<_, _>>()?,
        _ => readers.par_iter().zip(&gathered).map(scored).collect::<Result<_, _>>()?,
    };
    let indexes: Vec<(&Reader, &Scores)> = readers.iter().copied().zip(&scores).collect();
    let placing = place(&indexes, request, None)?;
    let mut hits = Vec::new();
    for placed in placing.best.iter().skip(request.offset) {
        let (reader, gathered) = (readers[placed.index], &gathered[placed.index]);
        hits.push(hydrate(reader, gathered, placed, &placing.range, &statistics, request)?);
    }
    Ok(Ranking { hits, found: placing.found, considered: placing.considered })
}
