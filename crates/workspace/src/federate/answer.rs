//! What comes back.

use std::collections::BTreeMap;
use std::fmt;

use ai_assist_admit::Freshness;
use ai_assist_chunk::ChunkKind;
use ai_assist_identity::{CanonicalPath, DocPath, RepoId, Sha256};
use ai_assist_search::{cut, fit};
use ai_assist_text::{Language, LineRange};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Question;
use super::error::NotSearched;
use crate::query_cache::Completeness;
use crate::warning::Warning;
use ai_assist_repo::layout::Mode;

/// A found piece. It has no absolute path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The repository's id.
    pub repo_id: RepoId,
    /// What people call it.
    pub repo: String,
    /// The commit of git that the index was built at, if there is one.
    pub commit: Option<String>,
    pub build_id: String,
    /// Which index it is in.
    pub mode: Mode,
    /// The document's path in the repository.
    pub document: String,
    pub lines: LineRange,
    /// The heading or symbol path.
    pub path: Vec<String>,
    /// The document's title.
    pub title: Option<String>,
    /// What the piece is.
    pub kind: ChunkKind,
    /// The document's language.
    pub language: Language,
    /// The hash of the file that was indexed.
    pub hash: Sha256,
    pub score: f32,
    pub words: f32,
    pub cosine: f32,
    pub text: String,
    /// Whether the text was cut to fit a budget.
    pub cut: bool,
    /// How the score came about, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Value>,
}

impl Found {
    /// Whether the file is still what was indexed, given where its repository is.
    pub fn freshness(&self, root: Option<&CanonicalPath>) -> Freshness {
        let place = || Some((root?, DocPath::parse(&self.document).ok()?));
        place().map_or(Freshness::Unknown, |(root, path)| Freshness::of(&root.to_path_buf(), &path, self.hash))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexStatus {
    Searched,
    /// There is none that could be.
    Unavailable,
    /// It can't be compared with those that were searched.
    OtherCohort,
    /// It can't be read.
    Failed,
    TimedOut,
}

impl fmt::Display for IndexStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            IndexStatus::Searched => "searched",
            IndexStatus::Unavailable => "unavailable",
            IndexStatus::OtherCohort => "of another cohort",
            IndexStatus::Failed => "failed",
            IndexStatus::TimedOut => "timed out",
        })
    }
}

/// How it went with one index of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexOutcome {
    pub mode: Mode,
    /// What became of it.
    pub status: IndexStatus,
    /// Why, if it was not searched.
    pub reason: Option<String>,
    /// The build that it is of, if it was opened.
    pub build_id: Option<String>,
    /// The commit of git that it was built at, if there is one.
    pub commit: Option<String>,
    /// Whether files differed from that commit.
    pub dirty: bool,
    pub documents: u64,
    /// How many pieces.
    pub chunks: u64,
    pub hits: usize,
}

/// How it went with one repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepoOutcome {
    pub repo_id: RepoId,
    /// What people call it.
    pub repo: String,
    /// Its indexes, in the order of the modes that were asked for.
    pub indexes: Vec<IndexOutcome>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Found>,
    /// How many pieces count as found in all.
    pub found: usize,
    /// How many pieces passed the filters.
    pub considered: usize,
    /// Every repository that was selected, by id.
    pub repos: Vec<RepoOutcome>,
    /// What is odd.
    pub warnings: Vec<Warning>,
    /// Whether an index failed or was not done in time.
    pub partial: bool,
}

impl Completeness for Answer {
    fn is_complete(&self) -> bool {
        !self.partial
    }
}

impl Answer {
    /// Leaves out the hits that do not fit into a budget, cuts the first if it alone is too long, and gives the tokens of
    /// what is left.
    pub fn cut_to(&mut self, tokens: usize) -> usize {
        let fitted = fit(self.hits.iter().map(|hit| hit.text.as_str()), tokens);
        self.hits.truncate(fitted.taken);
        if let (Some(kept), Some(last)) = (fitted.cut, self.hits.last_mut()) {
            cut(&mut last.text, &mut last.lines, kept);
            last.cut = true;
        }
        self.count_hits();
        fitted.tokens
    }

    /// Everything that decides the order of the hits, so that a cursor is used for the question that it belongs to. `typed`
    /// is what was asked.
    pub fn identity(&self, typed: &str, question: &Question) -> String {
        let how = (question.ranking, question.fusion, question.merge, question.top_per_repo);
        let mut text = format!("{typed}\n{how:?}\n");
        for index in self.repos.iter().flat_map(|repo| &repo.indexes) {
            text.push_str(&format!("{:?} {:?}\n", index.build_id, index.status));
        }
        text
    }

    /// Takes places of this machine out of what is said about failures; hits have none.
    pub fn hide_paths(&mut self, places: &[&str]) {
        let hide = |text: &mut String| {
            // A single slash is in every path.
            for place in places.iter().filter(|place| place.len() > 1) {
                *text = text.replace(place, "…");
            }
        };
        let indexes = self.repos.iter_mut().flat_map(|repo| &mut repo.indexes);
        indexes.filter_map(|index| index.reason.as_mut()).for_each(hide);
        self.warnings.iter_mut().for_each(|warning| hide(&mut warning.message));
    }

    /// Says of every index how many hits are its.
    pub(super) fn count_hits(&mut self) {
        let mut counts: BTreeMap<(&RepoId, Mode), usize> = BTreeMap::new();
        self.hits.iter().for_each(|hit| *counts.entry((&hit.repo_id, hit.mode)).or_default() += 1);
        for repo in &mut self.repos {
            for index in &mut repo.indexes {
                index.hits = counts.get(&(&repo.repo_id, index.mode)).copied().unwrap_or_default();
            }
        }
    }

    pub(super) fn not_searched(&self) -> Vec<NotSearched> {
        let indexes = self.repos.iter().flat_map(|repo| repo.indexes.iter().map(move |index| (repo, index)));
        let missed = indexes.filter(|(_, index)| index.status != IndexStatus::Searched);
        let named = missed.map(|(repo, index)| NotSearched {
            repo_id: repo.repo_id.clone(),
            repo: repo.repo.clone(),
            mode: index.mode,
            status: index.status,
            reason: index.reason.clone().unwrap_or_default(),
        });
        named.collect()
    }
}

/// How long it took. No part of the answer, which is the same every time.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// From the question to the answer.
    pub total_ms: f64,
    /// How long each repository was worked at, on all threads together.
    pub repos: BTreeMap<RepoId, f64>,
}
