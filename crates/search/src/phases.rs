//! The phases of a search, for callers that run them on threads of their own.
//!
//! [`gather`] for each index; the sum of what it says over all of them, and weights from that; [`score`] for each index;
//! [`place`]
//! once, without touching any disk; [`hydrate`] for each chunk that is shown. [`search`](crate::search) is these in a row.

use ai_assist_embed::{Embedder, quantise};
use ai_assist_index::{Mask, Position, Reader, Statistics, TermScore, Terms, WordWeights};

use crate::Error;
use crate::fuse::{Fusion, Mode, Range};
use crate::rank::{Explanation, Hit, Request};
use crate::topk::{Scored, TopK};

/// A chunk without any of the query's words must be at least this near to it to count as found.
const MIN_COSINE: f32 = 0.2;

/// How deep each of two rankings is looked at when they are fused by rank.
const RANK_DEPTH: usize = 1000;

/// What one index says about the terms of a query.
#[derive(Debug)]
pub struct Gathered {
    /// Its statistics, to be added to those of the others.
    pub statistics: Statistics,
    /// Which chunks hold each phrase.
    phrases: Vec<Mask>,
}

/// Asks one index about the terms of a query.
pub fn gather(reader: &Reader, terms: &Terms) -> Result<Gathered, Error> {
    let phrases = reader.phrases(terms)?;
    Ok(Gathered { statistics: reader.statistics(terms, &phrases)?, phrases })
}

#[derive(Debug, Clone, PartialEq)]
pub struct QueryVector {
    values: Vec<i8>,
    scale: f32,
}

/// Embeds a query, if its mode asks for that.
pub fn embed(request: &Request<'_>, embedder: &dyn Embedder) -> Result<Option<QueryVector>, Error> {
    if request.mode == Mode::Lexical {
        return Ok(None);
    }
    let vector = embedder.embed(&[&request.query.text])?.pop();
    Ok(vector.map(|vector| quantise(&vector)).map(|(values, scale)| QueryVector { values, scale }))
}

/// The scores of every chunk of one index.
#[derive(Debug)]
pub struct Scores {
    mask: Mask,
    words: Vec<f32>,
    cosines: Vec<f32>,
    range: Range,
}

/// Scores every chunk of one index, with weights from the statistics of all that are ranked together.
pub fn score(
    reader: &Reader,
    gathered: &Gathered,
    request: &Request<'_>,
    weights: &WordWeights,
    vector: Option<&QueryVector>,
) -> Result<Scores, Error> {
    let terms = &request.query.terms;
    let mask = reader.select(&request.query.filter)?;
    let words = match request.mode {
        Mode::Dense => vec![0.0; reader.len()],
        Mode::Hybrid | Mode::Lexical => reader.word_scores(terms, &gathered.phrases, &gathered.statistics, weights)?,
    };
    let cosines = match vector {
        Some(QueryVector { values, scale }) => reader.cosines(values, *scale)?,
        None => vec![0.0; reader.len()],
    };
    let mut range = Range::EMPTY;
    mask.iter().for_each(|position| range.include(words[position], cosines[position]));
    // Read here, so that placing finds them in memory.
    reader.ties()?;
    Ok(Scores { mask, words, cosines, range })
}

/// A chunk with its place among all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    pub index: usize,
    /// Which of the index's chunks it is.
    pub position: Position,
    pub score: f32,
    pub tie: u64,
    pub words: f32,
    pub cosine: f32,
}

/// The best chunks of all indexes.
#[derive(Debug, Clone, PartialEq)]
pub struct Placing {
    /// The best, as many as the request leaves out and gives together.
    pub best: Vec<Placed>,
    /// How many chunks count as found in all.
    pub found: usize,
    /// How many chunks passed the filters.
    pub considered: usize,
    /// What the scores are scaled by.
    pub range: Range,
}

/// Ranks the chunks of several indexes that were scored with the same statistics, at most `per_index` of each.
pub fn place(
    indexes: &[(&Reader, &Scores)],
    request: &Request<'_>,
    per_index: Option<usize>,
) -> Result<Placing, Error> {
    let mut range = Range::EMPTY;
    indexes.iter().for_each(|(_, scores)| range.merge(&scores.range));
    let wanted = request.offset.saturating_add(request.limit);
    let (top, found) = match (request.mode, request.fusion) {
        (Mode::Hybrid, Fusion::Ranks { k }) => by_ranks(indexes, k, wanted, per_index)?,
        (Mode::Hybrid, Fusion::Scores { a }) => {
            let fused = |words, cosine| (1.0 - a) * range.words(words) + a * range.cosine(cosine);
            best(indexes, wanted, per_index, fused)?
        }
        (Mode::Lexical, _) => best(indexes, wanted, per_index, |words, _| words)?,
        (Mode::Dense, _) => best(indexes, wanted, per_index, |_, cosine| cosine)?,
    };
    let placed = |Scored { score, tie, index, position }| {
        let scores = indexes[index].1;
        Placed { index, position, score, tie, words: scores.words[position], cosine: scores.cosines[position] }
    };
    let considered = indexes.iter().map(|(_, scores)| scores.mask.count()).sum();
    Ok(Placing { best: top.into_iter().map(placed).collect(), found, considered, range })
}

/// Whether a chunk counts as found: it has one of the words, or its meaning is near.
fn is_found(words: f32, cosine: f32) -> bool {
    words > 0.0 || cosine >= MIN_COSINE
}

fn best(
    indexes: &[(&Reader, &Scores)],
    wanted: usize,
    per_index: Option<usize>,
    score: impl Fn(f32, f32) -> f32,
) -> Result<(Vec<Scored>, usize), Error> {
    let mut top = TopK::new(wanted);
    let mut found = 0;
    for (number, (reader, scores)) in indexes.iter().enumerate() {
        let ties = reader.ties()?;
        let mut own = per_index.map(|most| TopK::new(most.min(wanted)));
        let sink = own.as_mut().unwrap_or(&mut top);
        for position in scores.mask.iter() {
            let (words, cosine) = (scores.words[position], scores.cosines[position]);
            if is_found(words, cosine) {
                found += 1;
                sink.push(Scored { score: score(words, cosine), tie: ties[position], index: number, position });
            }
        }
        own.into_iter().flat_map(TopK::finish).for_each(|scored| top.push(scored));
    }
    Ok((top.finish(), found))
}

fn by_ranks(
    indexes: &[(&Reader, &Scores)],
    k: f32,
    wanted: usize,
    per_index: Option<usize>,
) -> Result<(Vec<Scored>, usize), Error> {
    let depth = wanted.max(RANK_DEPTH);
    let (by_words, _) = best(indexes, depth, None, |words, _| words)?;
    let (by_cosine, found) = best(indexes, depth, None, |_, cosine| cosine)?;
    let mut sums: std::collections::HashMap<(usize, usize), Scored> = std::collections::HashMap::new();
    let with_words = by_words.into_iter().take_while(|scored| scored.score > 0.0).enumerate();
    for (rank, scored) in with_words.chain(by_cosine.into_iter().enumerate()) {
        let sum = sums.entry((scored.index, scored.position)).or_insert(Scored { score: 0.0, ..scored });
        sum.score += 1.0 / (k + rank as f32 + 1.0);
    }
    let mut fused: Vec<Scored> = sums.into_values().collect();
    fused.sort_unstable_by(Scored::order);
    if let Some(most) = per_index {
        let mut taken = vec![0; indexes.len()];
        fused.retain(|scored| {
            taken[scored.index] += 1;
            taken[scored.index] <= most
        });
    }
    fused.truncate(wanted);
    Ok((fused, found))
}

/// Reads a chunk that is shown, and how its score came about if that was asked.
pub fn hydrate(
    reader: &Reader,
    gathered: &Gathered,
    placed: &Placed,
    range: &Range,
    statistics: &Statistics,
    request: &Request<'_>,
) -> Result<Hit, Error> {
    let &Placed { index, position, score, words, cosine, .. } = placed;
    let explanation =
        if request.explain { Some(explain(reader, gathered, placed, range, statistics, request)?) } else { None };
    Ok(Hit { index, score, words, cosine, chunk: reader.chunk(position)?, explanation })
}

fn explain(
    reader: &Reader,
    gathered: &Gathered,
    placed: &Placed,
    range: &Range,
    statistics: &Statistics,
    request: &Request<'_>,
) -> Result<Explanation, Error> {
    let terms = &request.query.terms;
    let terms: Vec<TermScore> =
        reader.explain(placed.position, terms, &gathered.phrases, statistics, &request.weights)?;
    Ok(Explanation {
        mode: request.mode,
        fusion: request.fusion,
        words_scaled: range.words(placed.words),
        cosine_scaled: range.cosine(placed.cosine),
        terms,
    })
}
