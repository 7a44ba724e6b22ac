//! What is asked.

use std::time::Duration;

use ai_assist_index::Weights;
use serde::{Deserialize, Serialize};

use crate::fuse::{Fusion, RankBy};
use crate::query::Query;

/// How indexes that can be compared become one ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// As one index over all of them would rank.
    #[default]
    Global,
    /// Each owner is ranked for itself, and the rankings are fused by reciprocal rank.
    Rrf,
}

/// A question to any number of indexes.
#[derive(Debug, Clone)]
pub struct Question {
    pub query: Query,
    pub rank_by: RankBy,
    pub fusion: Fusion,
    pub merge: Merge,
    pub weights: Weights,
    /// How many hits to leave out at the top.
    pub offset: usize,
    pub limit: usize,
    /// How many hits one owner may have at most.
    pub per_owner: Option<usize>,
    /// How many threads work at it; 0 for as many as there are cores.
    pub concurrency: usize,
    /// How long the answer may take. What is not done by then is left out.
    pub timeout: Option<Duration>,
    pub explain: bool,
}

impl Question {
    /// A question for the ten best, by words and vectors.
    pub fn new(query: Query) -> Self {
        Question {
            query,
            rank_by: RankBy::default(),
            fusion: Fusion::default(),
            merge: Merge::default(),
            weights: Weights::default(),
            offset: 0,
            limit: 10,
            per_owner: None,
            concurrency: 0,
            timeout: None,
            explain: false,
        }
    }

    /// How many hits have to be ranked.
    pub fn wanted(&self) -> usize {
        self.offset.saturating_add(self.limit)
    }

    /// What decides the order of the hits beside the indexes, so that a cursor is used for the question that it belongs to.
    pub fn identity(&self) -> String {
        let Query { text, terms, filter, .. } = &self.query;
        let paths = filter.paths.as_ref().map(|paths| paths.texts());
        let narrowed = (paths, &filter.languages, &filter.kinds, &filter.defines);
        let how = (self.rank_by, self.fusion, self.merge, self.per_owner);
        format!("{text:?}\n{terms:?}\n{narrowed:?}\n{how:?}\n")
    }
}
