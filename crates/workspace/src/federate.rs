//! Many indexes, searched as one.
//!
//! A [`Plan`] says which indexes are searched and which of them can be ranked as one; a [`Federation`] opens them and
//! answers [`Question`]s. [`search_workspace`] does all of it for a workspace and remembers the answer; [`search_repos`] for
//! a few repositories without one.
//!
//! Within a cohort the ranking is that of one index over the union: the statistics of the query's terms are summed over all
//! indexes before any is scored. Rankings that can't be compared, those of other cohorts and other modes, are fused by rank.
//! An index that fails, or is not done in time, is left out and reported; what is left is ranked as if it had never been
//! there. The answer depends on what answered and on nothing else: not on timing, not on the number of threads.

mod answer;
mod ask;
mod asking;
mod error;
mod merge;
mod open;
mod plan;
mod pool;
mod repos;
mod workspace;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use ai_assist_identity::{CanonicalPath, RepoId};
use ai_assist_search::{Fusion, Query, Request};
use serde::{Deserialize, Serialize};

use crate::manifest::{Availability, RepoEntry};
use crate::selection::name_of;
use ai_assist_repo::layout::{Mode, RepoCache};
use ai_assist_repo::pointer::read_pointer;

pub use answer::{Answer, Found, IndexOutcome, IndexStatus, RepoOutcome, Timing};
pub use error::{FederateError, NotSearched};
pub use open::{Federation, OpenOptions};
pub use plan::{ModePlan, Plan, Unsearched};
pub use repos::search_repos;
pub use workspace::{WorkspaceAnswer, WorkspaceQuestion, search_workspace};

/// How often builds are looked for anew that were taken away before they could be opened.
const ATTEMPTS: usize = 8;

/// Whether the caller wants no answer any more.
/// A repository to search, and where its index of each mode stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub repo_id: RepoId,
    /// What people call it.
    pub name: String,
    /// Where it begins.
    pub root: CanonicalPath,
    /// The folder of the build that has a mode.
    pub builds: BTreeMap<Mode, PathBuf>,
    /// Where its pointer is, to look for a newer build if one of these is gone. A target of a manifest has none: there the
    /// whole manifest is made anew.
    pub cache: Option<RepoCache>,
}

impl Target {
    /// The repository of a manifest, with the indexes that can be searched.
    pub fn of_entry(entry: &RepoEntry) -> Target {
        let present = entry.indexes.iter().filter(|(_, index)| index.availability_reason == Availability::Present);
        let builds = present.filter_map(|(mode, index)| Some((mode, index.index_root.as_ref()?.to_path_buf())));
        Target {
            repo_id: entry.repo_id.clone(),
            name: name_of(entry).to_owned(),
            root: entry.repo_root_canonical.clone(),
            builds: builds.collect(),
            cache: None,
        }
    }

    /// A repository by its own pointer. It is called by the name of its folder.
    pub fn of_repo(root: &CanonicalPath, repo_id: &RepoId, cache: &RepoCache) -> Target {
        Target {
            repo_id: repo_id.clone(),
            name: root.file_name().unwrap_or(repo_id.as_str()).to_owned(),
            root: root.clone(),
            builds: current_builds(cache),
            cache: Some(cache.clone()),
        }
    }

    /// What its pointer names now.
    fn again(&self) -> Target {
        match &self.cache {
            Some(cache) => Target { name: self.name.clone(), ..Target::of_repo(&self.root, &self.repo_id, cache) },
            None => self.clone(),
        }
    }

    /// Why it has no build of a mode.
    fn absence(&self) -> Availability {
        let invalid = self.cache.as_ref().is_some_and(|cache| read_pointer(cache).is_invalid());
        if invalid { Availability::InvalidPointer } else { Availability::MissingIndexDir }
    }
}

/// The builds that a pointer names and that are there.
fn current_builds(cache: &RepoCache) -> BTreeMap<Mode, PathBuf> {
    let mut pointer = read_pointer(cache);
    for attempt in 1.. {
        let named = Mode::ALL.into_iter().filter_map(|mode| Some((mode, pointer.index_root(mode)?.to_owned())));
        let (there, missing): (BTreeMap<_, _>, BTreeMap<_, _>) =
            named.partition(|(mode, root)| root.join(mode.index_dir()).is_dir());
        // A build may be replaced and taken away while one looks for it.
        let now = if missing.is_empty() || attempt >= ATTEMPTS { None } else { Some(read_pointer(cache)) };
        match now.filter(|now| *now != pointer) {
            Some(now) => pointer = now,
            None => return there,
        }
    }
    BTreeMap::new()
}

/// How the indexes of a cohort become one ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// As one index over all of them would rank.
    #[default]
    Global,
    /// Each repository is ranked for itself, and the rankings are fused by reciprocal rank.
    Rrf,
}

#[derive(Debug, Clone)]
pub struct Question {
    pub query: Query,
    /// Which indexes of a repository are searched.
    pub modes: Vec<Mode>,
    pub ranking: ai_assist_search::Mode,
    /// How these are fused.
    pub fusion: Fusion,
    /// How repositories are ranked together.
    pub merge: Merge,
    /// How many hits to leave out at the top.
    pub offset: usize,
    /// How many hits to give.
    pub limit: usize,
    /// How many hits one repository may have at most, in every ranking and in the answer.
    pub top_per_repo: Option<usize>,
    /// How many threads work at it; 0 for as many as there are cores.
    pub concurrency: usize,
    /// How long the answer may take. What is not done by then is left out.
    pub timeout: Option<Duration>,
    /// Whether to say how scores came about.
    pub explain: bool,
}

impl Question {
    /// A question for the ten best, by words and vectors.
    pub fn new(query: Query, modes: Vec<Mode>) -> Self {
        Question {
            query,
            modes,
            ranking: ai_assist_search::Mode::default(),
            fusion: Fusion::default(),
            merge: Merge::default(),
            offset: 0,
            limit: 10,
            top_per_repo: None,
            concurrency: 0,
            timeout: None,
            explain: false,
        }
    }

    /// How many hits have to be ranked.
    fn wanted(&self) -> usize {
        self.offset.saturating_add(self.limit)
    }

    /// The modes in the order asked, each once.
    fn modes(&self) -> Vec<Mode> {
        let mut modes: Vec<Mode> = Vec::new();
        for mode in &self.modes {
            if !modes.contains(mode) {
                modes.push(*mode);
            }
        }
        modes
    }

    /// What is asked of each index: everything down to the last hit wanted.
    fn request(&self) -> Request<'_> {
        Request {
            mode: self.ranking,
            fusion: self.fusion,
            offset: 0,
            limit: self.wanted(),
            explain: self.explain,
            ..Request::new(&self.query)
        }
    }
}

#[cfg(test)]
mod tests;
