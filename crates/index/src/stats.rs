//! Term statistics, and their sum over several indexes.

use crate::schema::TextField;

const FIELDS: usize = TextField::ALL.len();

/// The terms of a query, in the order in which their scores are summed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms {
    /// Single terms, each once.
    pub words: Vec<String>,
    /// How much each of them counts: a word that a question repeats is what it is about.
    pub counts: Vec<f32>,
    /// Phrases: the terms of each with their distance from its first one.
    pub phrases: Vec<Vec<(String, usize)>>,
}

impl Terms {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }
}

/// What BM25 needs to know of a set of chunks. Adding the statistics of parts gives those of the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    pub chunks: u64,
    /// How many terms each field has in all, as the length table rounds them.
    pub lengths: [u64; FIELDS],
    /// In how many chunks each word occurs, by field.
    pub words: Vec<[u64; FIELDS]>,
    /// In how many chunks each phrase occurs.
    pub phrases: Vec<u64>,
}

impl Statistics {
    pub fn empty(terms: &Terms) -> Self {
        Statistics {
            chunks: 0,
            lengths: [0; FIELDS],
            words: vec![[0; FIELDS]; terms.words.len()],
            phrases: vec![0; terms.phrases.len()],
        }
    }

    /// Adds the statistics of another set of chunks for the same terms.
    pub fn add(&mut self, other: &Statistics) {
        self.chunks += other.chunks;
        for (sum, length) in self.lengths.iter_mut().zip(other.lengths) {
            *sum += length;
        }
        for (sums, counts) in self.words.iter_mut().zip(&other.words) {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        for (sum, count) in self.phrases.iter_mut().zip(&other.phrases) {
            *sum += count;
        }
    }

    pub(crate) fn average_length(&self, field: TextField) -> f64 {
        self.lengths[field.position()] as f64 / (self.chunks.max(1)) as f64
    }

    /// Inverse document frequency of a word, never negative, by the field that has it most often: counting the chunks
    /// that have it in any field would take a pass over all postings.
    pub fn idf(&self, word: usize) -> f64 {
        self.rarity(self.words[word].iter().copied().max().unwrap_or(0))
    }

    pub(crate) fn phrase_idf(&self, phrase: usize) -> f64 {
        self.rarity(self.phrases[phrase])
    }

    fn rarity(&self, found: u64) -> f64 {
        let (found, chunks) = (found as f64, self.chunks as f64);
        (1.0 + (chunks - found + 0.5) / (found + 0.5)).ln()
    }
}
