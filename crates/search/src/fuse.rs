//! From two scores to one.

use serde::{Deserialize, Serialize};

/// Which scores rank the chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankBy {
    #[default]
    Hybrid,
    Words,
    Meaning,
}

/// How two rankings become one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fusion {
    /// `(1 - a) · words / max + a · minmax(cosine)`.
    Scores { a: f32 },
    /// Reciprocal rank: `1 / (k + rank)`, summed.
    Ranks { k: f32 },
}

impl Fusion {
    /// Fusion by scores. The cosine is scaled between its extremes over all chunks, not over a few candidates, which leaves less between the
    /// best and the next. Over documentation .35 to .45 does best, over short abstracts and functions .5; with .42 no set falls below
    /// its ranking by words.
    pub const SCORES: Fusion = Fusion::Scores { a: 0.42 };
    /// Fusion by rank with the usual constant.
    pub const RANKS: Fusion = Fusion::Ranks { k: 60.0 };
}

impl Default for Fusion {
    fn default() -> Self {
        Fusion::SCORES
    }
}

/// The share of a score that the kind of a document decides. Over `bench mixed` more helps both sets and costs a little of
/// each elsewhere; at a fifth each finds what it finds alone.
const KIND: f32 = 0.2;

/// The cosines of many chunks spread wider than this. Those of a few may all be alike, and then the little that separates
/// them must not be blown up to the whole scale.
const MIN_WIDTH: f32 = 0.4;

/// The extremes over all chunks that a query is about, in all indexes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    max_words: f32,
    min_cosine: f32,
    max_cosine: f32,
    max_named: f32,
    /// The share of a definition, where there is one.
    definition: f32,
    /// Whether there are chunks that are of the kind asked about, and chunks that are not.
    fit: bool,
    unfit: bool,
    /// What every part of a score was scaled by to make room for evidence.
    pub(crate) scale: f32,
}

impl Range {
    pub(crate) const EMPTY: Range = Range {
        max_words: 0.0,
        min_cosine: f32::INFINITY,
        max_cosine: f32::NEG_INFINITY,
        max_named: 0.0,
        definition: 0.0,
        fit: false,
        unfit: false,
        scale: 1.0,
    };

    /// An empty one, for scores of which definitions decide a share.
    pub(crate) fn for_definitions(share: f32) -> Self {
        Range { definition: share, ..Range::EMPTY }
    }

    /// Takes in the scores of some chunks.
    pub(crate) fn include(&mut self, words: &[f32], cosines: &[f32]) {
        self.max_words = extreme(words, self.max_words, |a, b| a > b);
        self.min_cosine = extreme(cosines, self.min_cosine, |a, b| a < b);
        self.max_cosine = extreme(cosines, self.max_cosine, |a, b| a > b);
    }

    pub(crate) fn include_named(&mut self, value: f32) {
        self.max_named = self.max_named.max(value);
    }

    pub(crate) fn include_fit(&mut self, fit: bool, unfit: bool) {
        self.fit |= fit;
        self.unfit |= unfit;
    }

    pub(crate) fn merge(&mut self, other: &Range) {
        self.max_words = self.max_words.max(other.max_words);
        self.min_cosine = self.min_cosine.min(other.min_cosine);
        self.max_cosine = self.max_cosine.max(other.max_cosine);
        self.max_named = self.max_named.max(other.max_named);
        self.include_fit(other.fit, other.unfit);
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

    /// The share of a score that the kind of a document decides: none where all are of one.
    pub(crate) fn kind_share(&self) -> f32 {
        if self.fit && self.unfit { KIND } else { 0.0 }
    }

    /// The share of a score that names decide: none if no chunk answers one.
    pub(crate) fn share(&self) -> f32 {
        if self.max_named > 0.0 { self.definition } else { 0.0 }
    }
}

/// The value that beats all others and the one so far. Several lanes that know nothing of each other, so that the processor
/// can do them at once.
fn extreme(values: &[f32], so_far: f32, beats: impl Fn(f32, f32) -> bool) -> f32 {
    let better = |a: f32, b: f32| if beats(a, b) { a } else { b };
    let (blocks, rest) = values.as_chunks::<16>();
    let mut lanes = [so_far; 16];
    for block in blocks {
        lanes.iter_mut().zip(block).for_each(|(lane, &value)| *lane = better(value, *lane));
    }
    lanes.iter().chain(rest).fold(so_far, |best, &value| better(value, best))
}
