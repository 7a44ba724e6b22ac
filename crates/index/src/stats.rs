//! Term statistics, and their sum over several indexes.

use crate::schema::TextField;

const FIELDS: usize = TextField::ALL.len();

/// The terms of a query, in the order in which their scores are summed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// Single terms, each once.
    pub words: Vec<String>,
    /// Phrases: the terms of each with their distance from its first one. A chunk must hold every phrase.
    pub phrases: Vec<Vec<(String, usize)>>,
}

impl Terms {
    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }
}

/// What BM25 needs to know of a set of chunks. Adding the statistics of parts gives those of the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    /// How many chunks there are.
    pub chunks: u64,
    /// How many terms each field has in all, as the length table rounds them.
    pub lengths: [u64; FIELDS],
    /// In how many chunks each word occurs, by field.
    pub words: Vec<[u64; FIELDS]>,
}

impl Statistics {
    /// The statistics of no chunks for `words` words.
    pub fn empty(words: usize) -> Self {
        Statistics { chunks: 0, lengths: [0; FIELDS], words: vec![[0; FIELDS]; words] }
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
    }

    pub(crate) fn average_length(&self, field: TextField) -> f64 {
        self.lengths[field.position()] as f64 / (self.chunks.max(1)) as f64
    }

    /// Inverse document frequency of a word in a field, never negative.
    pub(crate) fn idf(&self, word: usize, field: TextField) -> f64 {
        let found = self.words[word][field.position()] as f64;
        let chunks = self.chunks as f64;
        (1.0 + (chunks - found + 0.5) / (found + 0.5)).ln()
    }
}
