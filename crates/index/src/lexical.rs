//! BM25F over every chunk of a reader, term at a time: what a word brings in each field is added up first and saturates
//! together, so that a title repeated in the text does not count twice.
//!
//! Every score is a sum over (word, field) in one fixed order, so that the same chunk gets the same bits in whatever
//! index or segment it stands. Tantivy's own scorers add in an order that depends on the segment, and drop chunks
//! that can't reach the top; here all chunks are scored, because fusion wants the word score of every chunk that the
//! vectors bring up.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, Term};

use crate::reader::SegmentView;
use crate::schema::{Fields, TextField};
use crate::stats::{Statistics, Terms};

/// Saturation of term frequency.
const K1: f64 = 1.6;

/// Saturation of repetition in the query.
const K3: f64 = 8.0;

/// How much each field counts, and how much its length matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// By [`TextField::position`].
    pub boost: [f32; TextField::ALL.len()],
    /// Length normalisation, by [`TextField::position`].
    pub b: [f32; TextField::ALL.len()],
}

impl Default for Weights {
    fn default() -> Self {
        Weights { boost: [1.0, 0.5, 0.2, 1.0], b: [0.5, 0.5, 0.5, 0.65] }
    }
}

/// What one word in one field adds to a chunk's score.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TermScore {
    pub term: String,
    pub field: TextField,
    pub frequency: u32,
    /// In how many chunks it occurs, over all indexes searched.
    pub chunks: u64,
    pub score: f32,
}

/// Everything about a query's words that does not depend on the index: worked out once for all that are ranked as one.
#[derive(Debug)]
pub struct WordWeights {
    fields: [FieldWeight; TextField::ALL.len()],
    counts: [bool; TextField::ALL.len()],
    words: Vec<f32>,
    phrases: Vec<f32>,
}

impl WordWeights {
    /// The weights of some terms, by the statistics of all indexes that are ranked together.
    pub fn new(terms: &Terms, statistics: &Statistics, weights: &Weights) -> Self {
        WordWeights {
            fields: TextField::ALL.map(|field| FieldWeight::new(statistics, weights, field)),
            counts: weights.boost.map(|boost| boost != 0.0),
            words: (0..terms.words.len()).map(|word| word_weight(terms, statistics, word)).collect(),
            phrases: (0..terms.phrases.len()).map(|phrase| phrase_score(statistics, phrase)).collect(),
        }
    }

    pub(crate) fn phrase(&self, phrase: usize) -> f32 {
        self.phrases.get(phrase).copied().unwrap_or_default()
    }
}

/// One word in one field with everything that does not depend on the chunk worked out.
#[derive(Debug)]
struct FieldWeight {
    /// `boost / (1 - b + b · length / average)` for every code of the length table.
    by_length: [f32; 256],
}

impl FieldWeight {
    fn new(statistics: &Statistics, weights: &Weights, field: TextField) -> Self {
        let at = field.position();
        let average = statistics.average_length(field).max(f64::MIN_POSITIVE);
        let (boost, b) = (f64::from(weights.boost[at]), f64::from(weights.b[at]));
        let by_length = std::array::from_fn(|code| {
            let length = f64::from(FieldNormReader::id_to_fieldnorm(code as u8));
            (boost / (1.0 - b + b * length / average)) as f32
        });
        FieldWeight { by_length }
    }

    #[inline]
    fn weigh(&self, frequency: u32, length_code: u8) -> f32 {
        frequency as f32 * self.by_length[length_code as usize]
    }
}

/// What a word is worth at most: how often it is asked for, and how rare it is.
fn word_weight(terms: &Terms, statistics: &Statistics, word: usize) -> f32 {
    let count = f64::from(terms.counts[word]);
    let asked = count * (K3 + 1.0) / (K3 + count);
    (asked * statistics.idf(word) * (K1 + 1.0)) as f32
}

/// Saturation: the first occurrences count most, in whatever field they stand.
#[inline]
fn saturate(weight: f32, weighed: f32) -> f32 {
    weight * (weighed / (weighed + K1 as f32))
}

/// What holding a phrase adds to a chunk: about as much as one more word of the same rarity. It is no condition, because
/// people and agents quote names that no document has.
pub(crate) fn phrase_score(statistics: &Statistics, phrase: usize) -> f32 {
    statistics.phrase_idf(phrase) as f32
}

/// Adds the scores of all words to `scores`, one entry for each chunk of the segment, given where the segment has them.
pub(crate) fn add_scores(
    segment: &SegmentView,
    fields: &Fields,
    found: &[[Option<TermInfo>; TextField::ALL.len()]],
    weights: &WordWeights,
    scores: &mut [f32],
) -> tantivy::Result<()> {
    let mut weighed = vec![0f32; scores.len()];
    let mut touched: Vec<u32> = Vec::new();
    let text = segment.text(fields)?;
    for (word, found) in found.iter().enumerate() {
        for (at, (info, open)) in found.iter().zip(text).enumerate() {
            let Some(info) = info.as_ref().filter(|_| weights.counts[at]) else { continue };
            let mut postings = open.inverted.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
            let field_weight = &weights.fields[at];
            while !postings.docs().is_empty() {
                for (&doc, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                    let sum = &mut weighed[doc as usize];
                    if *sum == 0.0 {
                        touched.push(doc);
                    }
                    *sum += field_weight.weigh(frequency, open.lengths.fieldnorm_id(doc));
                }
                postings.advance();
            }
        }
        let weight = weights.words[word];
        for doc in touched.drain(..) {
            let sum = std::mem::take(&mut weighed[doc as usize]);
            scores[doc as usize] += saturate(weight, sum);
        }
    }
    Ok(())
}

/// What each word in each field adds to one chunk: the word's score, shared out by what the fields brought to it.
pub(crate) fn explain(
    segment: &SegmentView,
    fields: &Fields,
    terms: &Terms,
    statistics: &Statistics,
    weights: &Weights,
    doc: u32,
) -> tantivy::Result<Vec<TermScore>> {
    let mut parts = Vec::new();
    for (word, text) in terms.words.iter().enumerate() {
        let mut found: Vec<(TextField, u32, f32)> = Vec::new();
        for (field, open) in TextField::ALL.into_iter().zip(segment.text(fields)?) {
            let term = Term::from_field_text(fields.of(field), text);
            let Some(mut postings) = open.inverted.read_postings(&term, IndexRecordOption::WithFreqs)? else {
                continue;
            };
            if postings.doc() > doc || postings.seek(doc) != doc {
                continue;
            }
            let frequency = tantivy::postings::Postings::term_freq(&postings);
            let length = open.lengths.fieldnorm_id(doc);
            let weighed = FieldWeight::new(statistics, weights, field).weigh(frequency, length);
            found.push((field, frequency, weighed));
        }
        let sum: f32 = found.iter().map(|(_, _, weighed)| weighed).sum();
        let score = saturate(word_weight(terms, statistics, word), sum);
        for (field, frequency, weighed) in found.into_iter().filter(|(_, _, weighed)| *weighed > 0.0) {
            let chunks = statistics.words[word][field.position()];
            parts.push(TermScore { term: text.clone(), field, frequency, chunks, score: score * weighed / sum });
        }
    }
    Ok(parts)
}
