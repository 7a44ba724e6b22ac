//! What comes back.

use std::collections::BTreeMap;
use std::fmt;

use ai_assist_admit::Freshness;
use ai_assist_base::chain;
use ai_assist_chunk::ChunkKind;
use ai_assist_identity::{CanonicalPath, DocPath, RepoId, Sha256};
use ai_assist_index::ChunkRecord;
use ai_assist_text::{Language, LineRange};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::budget::{Cursor, CursorError, cut, fit};
use crate::engine::{Outcome, PANICKED};
use crate::explain::Explanation;
use crate::question::Question;
use crate::source::{Origin, Source};

/// A found piece, with where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    #[serde(flatten)]
    pub origin: Origin,
    /// The document's path in its collection or repository.
    pub document: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where the page of a website is, with the section if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub lines: LineRange,
    /// Where in the file it stands, as `page 3` or `cell 5`, if its text was made out of another format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub path: Vec<String>,
    pub title: Option<String>,
    pub kind: ChunkKind,
    pub language: Language,
    /// The hash of the file that was indexed.
    pub hash: Sha256,
    /// Whether the file is still the same.
    pub freshness: Freshness,
    /// The score that ranks it, from 0 to 1.
    pub score: f32,
    /// The score by words, as it is.
    pub words: f32,
    pub cosine: f32,
    pub text: String,
    /// Whether the text was cut to fit a budget.
    pub cut: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// Its document's key in its index, and which of the sources that is.
    #[serde(skip)]
    pub key: (usize, u64),
}

impl Hit {
    pub(crate) fn new(source: usize, origin: &Origin, chunk: ChunkRecord, explanation: Option<Explanation>) -> Self {
        Hit {
            origin: origin.clone(),
            file: None,
            url: None,
            lines: chunk.lines,
            place: chunk.place,
            path: chunk.path,
            title: chunk.title,
            kind: chunk.kind,
            language: chunk.language,
            hash: chunk.hash,
            freshness: Freshness::Unknown,
            score: 0.0,
            words: 0.0,
            cosine: 0.0,
            text: chunk.text,
            cut: false,
            explanation,
            key: (source, chunk.key),
            document: chunk.document,
        }
    }

    /// Says where the file is and whether it is still what was indexed, given where its source is.
    pub fn locate(&mut self, root: Option<&CanonicalPath>) {
        let place = root.and_then(|root| Some((root, DocPath::parse(&self.document).ok()?)));
        (self.file, self.freshness) = match place {
            Some((root, path)) => {
                let freshness = Freshness::of(&root.to_path_buf(), &path, self.hash);
                (Some(root.to_path_buf().join(path.to_path_buf()).display().to_string()), freshness)
            }
            None => (None, Freshness::Unknown),
        };
    }
}

/// What became of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexStatus {
    Searched,
    /// There is none that could be.
    Unavailable,
    /// It can't be compared with those that were searched.
    OtherCohort,
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

/// Why an index is not searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsearched {
    pub status: IndexStatus,
    pub reason: String,
    /// Whether its files are damaged, so that building it anew helps.
    pub rebuild_helps: bool,
}

impl Unsearched {
    pub fn new(status: IndexStatus, reason: impl Into<String>) -> Self {
        Unsearched { status, reason: reason.into(), rebuild_helps: false }
    }

    pub(crate) fn failed(error: &Error) -> Self {
        let rebuild_helps = matches!(error, Error::Index(error) if error.rebuild_helps());
        Unsearched { rebuild_helps, ..Unsearched::new(IndexStatus::Failed, chain(error)) }
    }

    pub(crate) fn panicked() -> Self {
        Unsearched { rebuild_helps: true, ..Unsearched::new(IndexStatus::Failed, PANICKED) }
    }
}

/// How it went with one index of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexOutcome {
    pub mode: String,
    pub status: IndexStatus,
    /// Why, if it was not searched.
    pub reason: Option<String>,
    /// The build that it is of, if it was opened.
    pub build_id: Option<String>,
    /// The commit of git that it was built at, if there is one.
    pub commit: Option<String>,
    pub dirty: bool,
    pub documents: u64,
    pub chunks: u64,
    /// How many hits of the answer are its.
    pub hits: usize,
}

/// How it went with one repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepoOutcome {
    pub repo_id: RepoId,
    pub repo: String,
    /// Its folder, where that is to be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Its indexes, in the order of the modes that were asked for.
    pub indexes: Vec<IndexOutcome>,
}

/// Something that is no reason to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<RepoId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

impl Warning {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Warning { code: code.to_owned(), message: message.into(), repo_id: None, mode: None }
    }
}

/// The answer to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How many pieces count as found in all.
    pub found: usize,
    pub considered: usize,
    /// The tokens of all texts, if a budget was given.
    #[serde(default)]
    pub tokens: Option<usize>,
    /// Gives the next hits, if there are any.
    #[serde(default)]
    pub cursor: Option<String>,
    /// The collections that were searched, by name.
    #[serde(default)]
    pub collections: Vec<String>,
    /// The sessions that were searched, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<String>,
    /// Every repository that was selected, by id.
    #[serde(default)]
    pub repos: Vec<RepoOutcome>,
    pub warnings: Vec<Warning>,
    /// Whether an index failed or was not done in time.
    pub partial: bool,
    /// Whether the best hit has little of what was asked.
    pub weak: bool,
    /// What the order of the hits depends on beside the question: the states of the indexes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// What a cursor into the answer is bound to.
    #[serde(skip)]
    pub identity: String,
}

impl Answer {
    /// Warns of collections and sessions that could not be searched. Of repositories, who opened them tells more.
    pub fn report_lost(&mut self, sources: &[Source], outcome: &Outcome) {
        for (&source, why) in &outcome.lost {
            let Some(origin) = sources.get(source).map(|source| &source.origin) else { continue };
            let kind = match origin {
                Origin::Collection { .. } => "collection",
                Origin::Session { .. } => "session",
                Origin::Repo { .. } => continue,
            };
            let code = if why.status == IndexStatus::TimedOut { "index-timed-out" } else { "index-failed" };
            let message = format!("the {kind} `{}` was not searched: {}", origin.name(), why.reason);
            self.warnings.push(Warning::new(code, message));
            self.partial = true;
        }
    }

    pub fn take(&mut self, outcome: Outcome) {
        let Outcome { hits, found, considered, weak, .. } = outcome;
        (self.hits, self.found, self.considered, self.weak) = (hits, found, considered, weak);
        self.count_hits();
    }

    /// Leaves out the hits that do not fit into a budget, cuts the first if it alone is too long, and keeps the tokens of what
    /// is left.
    pub fn cut_to(&mut self, budget: usize) {
        let fitted = fit(self.hits.iter().map(|hit| hit.text.as_str()), budget);
        self.hits.truncate(fitted.taken);
        if let (Some(kept), Some(last)) = (fitted.cut, self.hits.last_mut()) {
            cut(&mut last.text, &mut last.lines, kept);
            last.cut = true;
        }
        self.tokens = Some(fitted.tokens);
        self.count_hits();
    }

    /// Checks that a cursor belongs to this answer, cuts the answer to a budget, and says how to go on.
    pub fn page(
        &mut self,
        question: &Question,
        cursor: Option<&Cursor>,
        max_tokens: Option<usize>,
    ) -> Result<(), CursorError> {
        self.identity = question.identity() + &std::mem::take(&mut self.state);
        if let Some(cursor) = cursor {
            cursor.offset_in(&self.identity)?;
        }
        if let Some(budget) = max_tokens {
            self.cut_to(budget);
        }
        let next = question.offset + self.hits.len();
        let more = next < self.found && !self.hits.is_empty();
        self.cursor = more.then(|| Cursor::new(next, &self.identity).to_string());
        Ok(())
    }

    /// Takes places of this machine out of the answer.
    pub fn hide_paths(&mut self, places: &[&str]) {
        let hide = |text: &mut String| {
            // A hundred repositories have as many roots and four reasons each, and hardly any reason names a path.
            if !text.contains(['/', '\\']) {
                return;
            }
            // A single slash is in every path.
            for place in places.iter().filter(|place| place.len() > 1) {
                *text = text.replace(place, "…");
            }
        };
        self.hits.iter_mut().for_each(|hit| hit.file = None);
        for repo in &mut self.repos {
            repo.root = None;
            repo.indexes.iter_mut().filter_map(|index| index.reason.as_mut()).for_each(hide);
        }
        self.warnings.iter_mut().for_each(|warning| hide(&mut warning.message));
    }

    /// Says of every index how many hits are its.
    pub fn count_hits(&mut self) {
        let mut counts: BTreeMap<(&RepoId, &str), usize> = BTreeMap::new();
        for hit in &self.hits {
            if let Origin::Repo { repo_id, mode, .. } = &hit.origin {
                *counts.entry((repo_id, mode)).or_default() += 1;
            }
        }
        for repo in &mut self.repos {
            for index in &mut repo.indexes {
                index.hits = counts.get(&(&repo.repo_id, index.mode.as_str())).copied().unwrap_or_default();
            }
        }
    }

    /// Every index that was not searched, with its repository.
    pub fn not_searched(&self) -> impl Iterator<Item = (&RepoOutcome, &IndexOutcome)> {
        let indexes = self.repos.iter().flat_map(|repo| repo.indexes.iter().map(move |index| (repo, index)));
        indexes.filter(|(_, index)| index.status != IndexStatus::Searched)
    }
}
