//! What is asked.

use std::sync::Arc;
use std::time::Duration;

use ai_assist_index::Weights;
use ai_assist_text::{Role, translated_into};
use serde::{Deserialize, Serialize};

use crate::features::{self, Feature, Features};
use crate::fuse::{Fusion, RankBy};
use crate::look::Look;
use crate::query::Query;

/// What meaning keeps of its weight where the question has identifiers. Over `doc-links` .5 to .7 do alike, over `issues` less is better.
const BESIDE_NAMES: f32 = 0.6;

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
    pub features: Features,
    /// What looks at the best chunks a second time, if anything does.
    pub look: Option<Arc<Look>>,
    /// What the reader reads, if it is not English.
    pub reader: Option<&'static str>,
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
            features: Features::default(),
            look: None,
            reader: None,
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

    /// What a document keeps of its score for its role, by the role's number.
    pub(crate) fn kept(&self) -> [f32; Role::ALL.len()] {
        let counts = self.features.has(Feature::Role);
        Role::ALL.map(|role| match role {
            _ if !counts || self.query.roles.contains(&role) => 1.0,
            // Which of them are in the reader's language is asked of the best only.
            Role::Translation if self.reader.is_some() => 1.0,
            role => features::kept(role),
        })
    }

    /// What a translation keeps of its score whose path says what it was translated into.
    pub(crate) fn kept_of_translation(&self, path: &str) -> f32 {
        let is_asked = !self.features.has(Feature::Role) || self.query.roles.contains(&Role::Translation);
        if is_asked || translated_into(path) == self.reader { 1.0 } else { features::kept(Role::Translation) }
    }

    /// How much meaning counts of what it could: less where the question says names, which the model knows little about.
    pub(crate) fn meaning(&self, weight: f32) -> f32 {
        let is_named = self.features.has(Feature::Definition) && !self.query.names.names.is_empty();
        if is_named { weight * BESIDE_NAMES } else { weight }
    }

    /// What looks at the best chunks a second time. Whoever asks by words or by meaning alone wants just that.
    pub(crate) fn second_look(&self) -> Option<&Look> {
        let is_wanted = self.rank_by == RankBy::Hybrid && self.features.has(Feature::Look);
        self.look.as_deref().filter(|_| is_wanted)
    }

    /// What decides the order of the hits beside the indexes, so that a cursor is used for the question that it belongs to.
    pub fn identity(&self) -> String {
        let Query { text, terms, filter, emphasis, .. } = &self.query;
        let paths = filter.paths.as_ref().map(|paths| paths.texts());
        let narrowed = (paths, &filter.languages, &filter.kinds, &filter.defines);
        let how = (
            self.rank_by,
            self.fusion,
            self.merge,
            self.weights,
            self.features,
            self.look.is_some(),
            self.reader,
            self.per_owner,
        );
        format!("{text:?}\n{terms:?}\n{emphasis:?}\n{narrowed:?}\n{how:?}\n")
    }
}
