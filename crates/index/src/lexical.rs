//! BM25 over every chunk of a reader, term at a time.
//!
//! Every score is a sum over (word, field) in one fixed order, so that the same chunk gets the same bits in whatever
//! index or segment it stands. Tantivy's own scorers add in an order that depends on the segment, and drop chunks
//! that can't reach the top; here all chunks are scored, because fusion wants the word score of every chunk that the
//! vectors bring up.

use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, Term};

use crate::reader::SegmentView;
use crate::schema::{Fields, TextField};
use crate::stats::{Statistics, Terms};

/// Saturation of term frequency.
const K1: f64 = 1.2;

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
        Weights { boost: [0.4, 0.3, 0.2, 1.0], b: [0.5, 0.5, 0.5, 0.75] }
    }
}

/// What one word in one field adds to a chunk's score.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct TermScore {
    /// The term as indexed.
    pub term: String,
    /// The field.
    pub field: TextField,
    /// How often it occurs there.
    pub frequency: u32,
    /// In how many chunks it occurs, over all indexes searched.
    pub chunks: u64,
    /// What it adds.
    pub score: f32,
}

/// One word in one field with everything that does not depend on the chunk worked out.
pub(crate) struct Scorer {
    weight: f32,
    /// `k1 · (1 - b + b · length / average)` for every code of the length table.
    norms: [f32; 256],
}

impl Scorer {
    pub(crate) fn new(terms: &Terms, statistics: &Statistics, weights: &Weights, word: usize, field: TextField) -> Self {
        let at = field.position();
        let average = statistics.average_length(field).max(f64::MIN_POSITIVE);
        let b = f64::from(weights.b[at]);
        let norms = std::array::from_fn(|code| {
            let length = f64::from(tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm(code as u8));
            (K1 * (1.0 - b + b * length / average)) as f32
        });
        let count = f64::from(terms.counts[word]);
        let weight = (count * statistics.idf(word, field) * f64::from(weights.boost[at]) * (K1 + 1.0)) as f32;
        Scorer { weight, norms }
    }

    #[inline]
    pub(crate) fn score(&self, frequency: u32, length_code: u8) -> f32 {
        let frequency = frequency as f32;
        self.weight * (frequency / (frequency + self.norms[length_code as usize]))
    }
}

/// What holding a phrase adds to a chunk. It stands above any single word of the same rarity, so that chunks with the phrase
/// come first; but it is no condition, because people and agents quote names that no document has.
pub(crate) fn phrase_score(statistics: &Statistics, phrase: usize) -> f32 {
    (statistics.phrase_idf(phrase) * (K1 + 1.0)) as f32
}

/// Adds the scores of all words to `scores`, one entry for each chunk of the segment.
pub(crate) fn add_scores(
    segment: &SegmentView,
    fields: &Fields,
    terms: &Terms,
    statistics: &Statistics,
    weights: &Weights,
    scores: &mut [f32],
) -> tantivy::Result<()> {
    for (word, text) in terms.words.iter().enumerate() {
        for field in TextField::ALL {
            if statistics.words[word][field.position()] == 0 || weights.boost[field.position()] == 0.0 {
                continue;
            }
            let handle = fields.of(field);
            let inverted = segment.reader.inverted_index(handle)?;
            let term = Term::from_field_text(handle, text);
            let Some(mut postings) = inverted.read_block_postings(&term, IndexRecordOption::WithFreqs)? else {
                continue;
            };
            let lengths = segment.reader.get_fieldnorms_reader(handle)?;
            let scorer = Scorer::new(terms, statistics, weights, word, field);
            while !postings.docs().is_empty() {
                for (&doc, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                    scores[doc as usize] += scorer.score(frequency, lengths.fieldnorm_id(doc));
                }
                postings.advance();
            }
        }
    }
    Ok(())
}

/// What each word in each field adds to one chunk.
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
        for field in TextField::ALL {
            let handle = fields.of(field);
            let inverted = segment.reader.inverted_index(handle)?;
            let term = Term::from_field_text(handle, text);
            let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::WithFreqs)? else { continue };
            if postings.doc() > doc || postings.seek(doc) != doc {
                continue;
            }
            let frequency = tantivy::postings::Postings::term_freq(&postings);
            let lengths = segment.reader.get_fieldnorms_reader(handle)?;
            let score = Scorer::new(terms, statistics, weights, word, field).score(frequency, lengths.fieldnorm_id(doc));
            let chunks = statistics.words[word][field.position()];
            parts.push(TermScore { term: text.clone(), field, frequency, chunks, score });
        }
    }
    Ok(parts)
}
