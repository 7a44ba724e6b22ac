//! From two scores to one.

use serde::{Deserialize, Serialize};

/// Which scores rank the chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Words and vectors.
    #[default]
    Hybrid,
    /// Words alone.
    Lexical,
    /// Vectors alone.
    Dense,
}

/// How two rankings become one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fusion {
    /// `(1 - a) · lexical / max + a · minmax(cosine)`.
    Scores {
        /// The weight of the cosine.
        a: f32,
    },
    /// Reciprocal rank: `1 / (k + rank)`, summed.
    Ranks {
        /// How flat the ranks are.
        k: f32,
    },
}

impl Fusion {
    /// Fusion by scores, with equal weights. The cosine is scaled between its extremes over all chunks, not over a few
    /// candidates, which leaves less between the best and the next; over the evaluation sets .5 to .6 does best.
    pub const SCORES: Fusion = Fusion::Scores { a: 0.5 };
    /// Fusion by rank with the usual constant.
    pub const RANKS: Fusion = Fusion::Ranks { k: 60.0 };
}

impl Default for Fusion {
    fn default() -> Self {
        Fusion::SCORES
    }
}

/// The cosines of many chunks spread wider than this. Those of a few may all be alike, and then the little that separates
/// them must not be blown up to the whole scale.
const MIN_WIDTH: f32 = 0.4;

/// The extremes over all chunks that a query is about, in all indexes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    max_words: f32,
    min_cosine: f32,
    max_cosine: f32,
}

impl Range {
    pub(crate) const EMPTY: Range = Range { max_words: 0.0, min_cosine: f32::INFINITY, max_cosine: f32::NEG_INFINITY };

    pub(crate) fn include(&mut self, words: f32, cosine: f32) {
        self.max_words = self.max_words.max(words);
        self.min_cosine = self.min_cosine.min(cosine);
        self.max_cosine = self.max_cosine.max(cosine);
    }

    /// The extremes of both.
    pub(crate) fn merge(&mut self, other: &Range) {
        self.max_words = self.max_words.max(other.max_words);
        self.min_cosine = self.min_cosine.min(other.min_cosine);
        self.max_cosine = self.max_cosine.max(other.max_cosine);
    }

    /// Words on a scale from 0 to 1.
    pub(crate) fn words(&self, score: f32) -> f32 {
        if self.max_words > 0.0 { score / self.max_words } else { 0.0 }
    }

    /// Cosine on a scale from 0 to 1: 1 is the nearest of all.
    pub(crate) fn cosine(&self, cosine: f32) -> f32 {
        let width = (self.max_cosine - self.min_cosine).max(MIN_WIDTH);
        if self.max_cosine.is_finite() { 1.0 - (self.max_cosine - cosine) / width } else { 0.0 }
    }
}
