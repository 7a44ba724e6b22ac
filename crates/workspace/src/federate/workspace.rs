//! A workspace: which of its indexes are searched, the search, and what was answered before.

use std::collections::BTreeMap;

use ai_assist_base::Cancel;
use ai_assist_base::json::word;
use ai_assist_embed::StaticModel;
use ai_assist_identity::{CanonicalPath, RepoId, RepoSetId};
use ai_assist_index::Terms;
use ai_assist_search::{Answer, Clock, Phase, Question};
use serde_json::{Value, json};

use super::error::FederateError;
use super::open::{Federation, Opener, opener};
use super::plan::Plan;
use super::{ATTEMPTS, NotSearched, Timing, each_once};
use crate::cohort::{CohortPolicy, cohorts};
use crate::config::ResolvedWorkspace;
use crate::manifest::{GenerateOptions, ManifestHash, RepoEntry, WorkspaceManifest, generate_manifest};
use crate::query_cache::{self, CacheError, CacheLimits, Complete, QueryCache, QueryKey};
use crate::selection::{Chosen, Selection, select};
use crate::warning::WarningCode;
use ai_assist_repo::layout::Mode;

/// The folder of answers beside the manifest.
const CACHE_DIR: &str = "query-cache";

#[derive(Debug, Clone)]
pub struct WorkspaceQuestion {
    /// The question. A `repo:` of its query is one more glob of the selection.
    pub question: Question,
    pub modes: Vec<Mode>,
    pub selection: Selection,
    /// What is done about indexes that can't be compared.
    pub policy: CohortPolicy,
    /// Whether it is an error if an index of a selected repository is not searched.
    pub strict: bool,
    /// How much is kept of what was answered; none to neither look there nor keep the answer.
    pub cache: Option<CacheLimits>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceAnswer {
    pub answer: Answer,
    pub timing: Timing,
    /// Who the members of the workspace are.
    pub repo_set_id: RepoSetId,
    /// The state of all indexes that the answer belongs to.
    pub manifest_hash: ManifestHash,
    pub cached: bool,
    pub roots: BTreeMap<RepoId, CanonicalPath>,
}

pub fn search_workspace(
    workspace: &ResolvedWorkspace,
    options: &GenerateOptions<'_>,
    question: &WorkspaceQuestion,
    cancel: &Cancel,
) -> Result<WorkspaceAnswer, FederateError> {
    search_workspace_with(workspace, options, question, &opener(), cancel)
}

pub(super) fn search_workspace_with(
    workspace: &ResolvedWorkspace,
    options: &GenerateOptions<'_>,
    question: &WorkspaceQuestion,
    opener: &Opener,
    cancel: &Cancel,
) -> Result<WorkspaceAnswer, FederateError> {
    let clock = Clock::start(question.question.timeout);
    let asked = joined(question);
    let mut attempt = 1;
    let answer = loop {
        let last = attempt >= ATTEMPTS || !clock.is_before(Phase::Open);
        let manifest = generate_manifest(workspace, options)?;
        if let Some(answer) = answered(&manifest, &asked, &clock, last, opener, cancel)? {
            break answer;
        }
        // A build was taken away between looking and opening, so there is a newer one.
        attempt += 1;
    };
    let missed = answer.answer.not_searched().map(|(repo, index)| NotSearched {
        repo_id: repo.repo_id.clone(),
        repo: repo.repo.clone(),
        mode: index.mode.clone(),
        status: index.status,
        reason: index.reason.clone().unwrap_or_default(),
    });
    let missed: Vec<NotSearched> = missed.collect();
    if question.strict && !missed.is_empty() {
        return Err(FederateError::Strict(missed));
    }
    Ok(answer)
}

/// The question with its `repo:` filters among the globs of the selection.
fn joined(question: &WorkspaceQuestion) -> WorkspaceQuestion {
    let mut joined = question.clone();
    joined.selection.repo_filters.append(&mut joined.question.query.repos);
    joined
}

/// The answer for one state of the workspace. None if a build is gone, unless it is the last attempt.
fn answered(
    manifest: &WorkspaceManifest,
    asked: &WorkspaceQuestion,
    clock: &Clock,
    last: bool,
    opener: &Opener,
    cancel: &Cancel,
) -> Result<Option<WorkspaceAnswer>, FederateError> {
    let question = &asked.question;
    let chosen = select(manifest, &asked.selection)?;
    let plan = planned(&chosen, asked)?;
    let mut remembered = Remembered::open(manifest, &chosen.repos, asked)?;
    let whole = |answer, timing, cached| WorkspaceAnswer {
        answer,
        timing,
        repo_set_id: manifest.repo_set_id.clone(),
        manifest_hash: manifest.manifest_hash.clone(),
        cached,
        roots: chosen.repos.iter().map(|repo| (repo.repo_id.clone(), repo.repo_root_canonical.clone())).collect(),
    };
    if let Some(mut answer) = remembered.get() {
        answer.warnings.append(&mut remembered.warnings);
        let timing = Timing { total_ms: clock.elapsed_ms(), ..Timing::default() };
        return Ok(Some(whole(answer, timing, true)));
    }
    let federation = Federation::open_in(plan, question.concurrency, clock, opener, cancel)?;
    if !last && !federation.gone().is_empty() {
        return Ok(None);
    }
    let (answer, timing) = federation.answer(question, &asked.modes, StaticModel::bundled(), cancel, clock)?;
    let mut answer = remembered.put(answer);
    answer.warnings.append(&mut remembered.warnings);
    Ok(Some(whole(answer, timing, false)))
}

/// Which indexes of the chosen repositories are searched.
fn planned(chosen: &Chosen<'_>, asked: &WorkspaceQuestion) -> Result<Plan, FederateError> {
    let plans = each_once(&asked.modes).into_iter().map(|mode| cohorts(&chosen.repos, mode, &asked.policy));
    let mut plan = Plan::of_cohorts(&chosen.repos, &plans.collect::<Result<Vec<_>, _>>()?);
    plan.warnings.splice(..0, chosen.warnings.iter().cloned());
    Ok(plan)
}

/// A workspace whose indexes are open, to be searched together with others.
#[derive(Debug)]
pub struct OpenWorkspace {
    pub federation: Federation,
    pub roots: BTreeMap<RepoId, CanonicalPath>,
}

/// Opens what a question to a workspace is about, as it is now.
pub fn open_workspace(
    workspace: &ResolvedWorkspace,
    options: &GenerateOptions<'_>,
    question: &WorkspaceQuestion,
    clock: &Clock,
    cancel: &Cancel,
) -> Result<OpenWorkspace, FederateError> {
    let asked = joined(question);
    let mut attempt = 1;
    loop {
        let manifest = generate_manifest(workspace, options)?;
        let chosen = select(&manifest, &asked.selection)?;
        let plan = planned(&chosen, &asked)?;
        let federation = Federation::open_in(plan, asked.question.concurrency, clock, &opener(), cancel)?;
        if attempt >= ATTEMPTS || !clock.is_before(Phase::Open) || federation.gone().is_empty() {
            let root = |repo: &&RepoEntry| (repo.repo_id.clone(), repo.repo_root_canonical.clone());
            return Ok(OpenWorkspace { roots: chosen.repos.iter().map(root).collect(), federation });
        }
        attempt += 1;
    }
}

/// The cache of a workspace's answers, as far as it can be used.
struct Remembered {
    cache: Option<QueryCache>,
    key: QueryKey,
    warnings: Vec<ai_assist_search::Warning>,
}

impl Remembered {
    fn open(
        manifest: &WorkspaceManifest,
        repos: &[&RepoEntry],
        asked: &WorkspaceQuestion,
    ) -> Result<Self, FederateError> {
        let key = QueryKey::of(&query_cache::Question {
            manifest_hash: &manifest.manifest_hash,
            program_version: env!("CARGO_PKG_VERSION"),
            repos,
            request: &request(asked),
        })?;
        let mut remembered = Remembered { cache: None, key, warnings: Vec::new() };
        if let Some(limits) = asked.cache {
            let federation = manifest.federation_cache_root.to_path_buf().join("federation");
            let folder = federation.join(manifest.repo_set_id.as_str()).join(CACHE_DIR);
            match QueryCache::open(&folder, limits) {
                Ok(cache) => remembered.cache = Some(cache),
                Err(error) => remembered.warn(&error),
            }
        }
        Ok(remembered)
    }

    fn warn(&mut self, error: &CacheError) {
        let message = ai_assist_base::chain(error);
        self.warnings.push(ai_assist_search::Warning::new(&word(&WarningCode::CacheUnusable), message));
    }

    fn get(&mut self) -> Option<Answer> {
        let found = self.cache.as_ref()?.get(&self.key);
        found.unwrap_or_else(|error| {
            self.warn(&error);
            None
        })
    }

    /// Keeps an answer that is complete, and gives it back.
    fn put(&mut self, answer: Answer) -> Answer {
        match Complete::of(answer) {
            Ok(complete) => {
                if let Some(Err(error)) = self.cache.as_ref().map(|cache| cache.put(&self.key, &complete)) {
                    self.warn(&error);
                }
                complete.into_inner()
            }
            Err(partial) => partial,
        }
    }
}

/// Everything about a question that can change its answer. How many threads work at it and how long it may take can't: an
/// answer that is kept is complete.
fn request(asked: &WorkspaceQuestion) -> Value {
    let question = &asked.question;
    let (Terms { words, counts, phrases }, filter) = (&question.query.terms, &question.query.filter);
    let defines: Vec<_> = filter.defines.iter().map(|name| (&name.name, &name.parent)).collect();
    // As texts, for they may be larger than numbers in JSON.
    let text = |number: usize| Some(number.to_string());
    json!({
        "question": question.identity(),
        "text": question.query.text,
        "words": words,
        "counts": counts,
        "phrases": phrases,
        "paths": filter.paths.as_ref().map(|paths| paths.texts()),
        "languages": filter.languages,
        "kinds": filter.kinds,
        "defines": defines,
        "modes": each_once(&asked.modes),
        "ranking": question.rank_by,
        "fusion": question.fusion,
        "merge": question.merge,
        "page": [text(question.offset), text(question.limit), question.per_owner.and_then(text)],
        "explain": question.explain,
        "policy": asked.policy,
        "selection": asked.selection,
    })
}
