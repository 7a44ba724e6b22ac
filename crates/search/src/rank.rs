//! Ranking: gather statistics, score every chunk of every index, fuse, take the best.

use ai_assist_embed::{Embedder, quantise};
use ai_assist_index::{ChunkRecord, Mask, Reader, Statistics, TermScore, Weights};
use rayon::prelude::*;
use serde::Serialize;

use crate::Error;
use crate::fuse::{Fusion, Mode, Range};
use crate::query::Query;
use crate::topk::{Scored, TopK};

/// A chunk without any of the query's words must be at least this near to it to count as found.
const MIN_COSINE: f32 = 0.2;

/// How deep each of two rankings is looked at when they are fused by rank.
const RANK_DEPTH: usize = 1000;

/// What is asked of the indexes.
#[derive(Debug, Clone)]
pub struct Request<'q> {
    /// The query.
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
    /// Which of the indexes it is in.
    pub index: usize,
    /// The score that ranks it.
    pub score: f32,
    /// Its score by words.
    pub words: f32,
    /// Its cosine with the query.
    pub cosine: f32,
    /// The chunk.
    pub chunk: ChunkRecord,
    /// How the score came about, if that was asked.
    pub explanation: Option<Explanation>,
}

/// How a score came about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The mode.
    pub mode: Mode,
    /// The fusion.
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
    /// The hits asked for.
    pub hits: Vec<Hit>,
    /// How many chunks count as found in all.
    pub found: usize,
    /// How many chunks passed the filters.
    pub considered: usize,
}

/// The scores of one index.
struct Scores<'r> {
    reader: &'r Reader,
    /// Which chunks hold each phrase.
    phrases: Vec<Mask>,
    mask: Mask,
    words: Vec<f32>,
    cosines: Vec<f32>,
}

impl Scores<'_> {
    fn explain(
        &self,
        position: usize,
        request: &Request<'_>,
        statistics: &Statistics,
    ) -> Result<Vec<TermScore>, Error> {
        let terms = &request.query.terms;
        Ok(self.reader.explain(position, terms, &self.phrases, statistics, &request.weights)?)
    }
}

/// Ranks the chunks of several indexes as if they stood in one.
///
/// # Errors
///
/// If an index can't be read or the query can't be embedded.
pub fn search<'r>(readers: &[&'r Reader], request: &Request<'_>, embedder: &dyn Embedder) -> Result<Ranking, Error> {
    let terms = &request.query.terms;
    let mut statistics = Statistics::empty(terms);
    let mut phrases = Vec::with_capacity(readers.len());
    for reader in readers {
        let holds = reader.phrases(terms)?;
        statistics.add(&reader.statistics(terms, &holds)?);
        phrases.push(holds);
    }
    let vector = match request.mode {
        Mode::Lexical => None,
        Mode::Hybrid | Mode::Dense => embedder.embed(&[&request.query.text])?.pop().map(|vector| quantise(&vector)),
    };
    let vector = vector.as_ref().map(|(values, scale)| (values.as_slice(), *scale));
    let score = |(reader, phrases): (&&'r Reader, Vec<Mask>)| score(reader, phrases, request, &statistics, vector);
    let scores: Vec<Scores<'_>> = match readers.len() {
        // One index is not worth waking the other cores for.
        0 | 1 => readers.iter().zip(phrases).map(score).collect::<Result<_, _>>()?,
        _ => readers.par_iter().zip(phrases).map(score).collect::<Result<_, _>>()?,
    };
    rank(&scores, &statistics, request)
}

fn score<'r>(
    reader: &'r Reader,
    phrases: Vec<Mask>,
    request: &Request<'_>,
    statistics: &Statistics,
    vector: Option<(&[i8], f32)>,
) -> Result<Scores<'r>, Error> {
    let terms = &request.query.terms;
    let mask = reader.select(&request.query.filter)?;
    let words = match request.mode {
        Mode::Dense => vec![0.0; reader.len()],
        Mode::Hybrid | Mode::Lexical => reader.word_scores(terms, &phrases, statistics, &request.weights)?,
    };
    let cosines = match vector {
        Some((values, scale)) => reader.cosines(values, scale)?,
        None => vec![0.0; reader.len()],
    };
    Ok(Scores { reader, phrases, mask, words, cosines })
}

fn rank(scores: &[Scores<'_>], statistics: &Statistics, request: &Request<'_>) -> Result<Ranking, Error> {
    let mut range = Range::EMPTY;
    for index in scores {
        for position in index.mask.iter() {
            range.include(index.words[position], index.cosines[position]);
        }
    }
    let wanted = request.offset.saturating_add(request.limit);
    let (top, found) = match (request.mode, request.fusion) {
        (Mode::Hybrid, Fusion::Ranks { k }) => by_ranks(scores, k, wanted)?,
        (Mode::Hybrid, Fusion::Scores { a }) => {
            best(scores, wanted, |words, cosine| (1.0 - a) * range.words(words) + a * range.cosine(cosine))?
        }
        (Mode::Lexical, _) => best(scores, wanted, |words, _| words)?,
        (Mode::Dense, _) => best(scores, wanted, |_, cosine| cosine)?,
    };
    let mut hits = Vec::new();
    for scored in top.into_iter().skip(request.offset) {
        let index = &scores[scored.index];
        let (words, cosine) = (index.words[scored.position], index.cosines[scored.position]);
        let explanation = if request.explain {
            Some(Explanation {
                mode: request.mode,
                fusion: request.fusion,
                words_scaled: range.words(words),
                cosine_scaled: range.cosine(cosine),
                terms: index.explain(scored.position, request, statistics)?,
            })
        } else {
            None
        };
        let chunk = index.reader.chunk(scored.position)?;
        hits.push(Hit { index: scored.index, score: scored.score, words, cosine, chunk, explanation });
    }
    let considered = scores.iter().map(|index| index.mask.count()).sum();
    Ok(Ranking { hits, found, considered })
}

/// Whether a chunk counts as found: it has one of the words, or its meaning is near.
fn is_found(words: f32, cosine: f32) -> bool {
    words > 0.0 || cosine >= MIN_COSINE
}

fn best(scores: &[Scores<'_>], wanted: usize, score: impl Fn(f32, f32) -> f32) -> Result<(Vec<Scored>, usize), Error> {
    let mut top = TopK::new(wanted);
    let mut found = 0;
    for (number, index) in scores.iter().enumerate() {
        let ties = index.reader.ties()?;
        for position in index.mask.iter() {
            let (words, cosine) = (index.words[position], index.cosines[position]);
            if is_found(words, cosine) {
                found += 1;
                top.push(Scored { score: score(words, cosine), tie: ties[position], index: number, position });
            }
        }
    }
    Ok((top.finish(), found))
}

fn by_ranks(scores: &[Scores<'_>], k: f32, wanted: usize) -> Result<(Vec<Scored>, usize), Error> {
    let depth = wanted.max(RANK_DEPTH);
    let (by_words, _) = best(scores, depth, |words, _| words)?;
    let (by_cosine, found) = best(scores, depth, |_, cosine| cosine)?;
    let mut sums: std::collections::HashMap<(usize, usize), Scored> = std::collections::HashMap::new();
    let with_words = by_words.into_iter().take_while(|scored| scored.score > 0.0).enumerate();
    for (rank, scored) in with_words.chain(by_cosine.into_iter().enumerate()) {
        let sum = sums.entry((scored.index, scored.position)).or_insert(Scored { score: 0.0, ..scored });
        sum.score += 1.0 / (k + rank as f32 + 1.0);
    }
    let mut top = TopK::new(wanted);
    sums.into_values().for_each(|scored| top.push(scored));
    Ok((top.finish(), found))
}
