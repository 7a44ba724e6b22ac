//! A question and its answer: what is asked of whom, and how it went with each.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_embed::Embedder;
use ai_assist_identity::RepoId;
use ai_assist_search::phases;

use super::answer::{Answer, IndexOutcome, IndexStatus, RepoOutcome, Timing};
use super::asking::{Asking, Outcome};
use super::error::FederateError;
use super::open::Federation;
use super::plan::Unsearched;
use super::pool::{Clock, WorkerPool};
use super::{Question, Target};
use crate::selection::Globs;
use crate::warning::{Warning, WarningCode};
use ai_assist_repo::layout::Mode;

impl Federation {
    /// Answers a question. An index that fails, or is not done in time, is left out and reported.
    ///
    /// # Errors
    ///
    /// If the query can't be embedded, a `repo:` of it is no glob, or the caller cancels.
    pub fn search(
        &self,
        question: &Question,
        embedder: &dyn Embedder,
        cancel: &Cancel,
    ) -> Result<(Answer, Timing), FederateError> {
        let clock = Clock::start(question.timeout);
        let (answer, spent) = self.answer(question, embedder, cancel, &clock)?;
        Ok((answer, timing(&clock, spent)))
    }

    /// Answers a question whose clock is running already.
    pub(super) fn answer(
        &self,
        question: &Question,
        embedder: &dyn Embedder,
        cancel: &Cancel,
        clock: &Clock,
    ) -> Result<(Answer, BTreeMap<RepoId, Duration>), FederateError> {
        let chosen = self.chosen(question)?;
        let vector = phases::embed(&question.request(), embedder)?;
        let pool = WorkerPool::new(question.concurrency, cancel);
        let mut asking = Asking::new(self, question, self.rankings(question, &chosen), vector, pool, clock);
        let Outcome { hits, found, considered } = asking.run()?;
        let repos = self.outcomes(question, &chosen, &asking.lost);
        let mut answer = Answer { hits, found, considered, repos, warnings: self.warnings.clone(), partial: false };
        if chosen.is_empty() && !self.targets.is_empty() {
            let message = format!("no repo matches `repo:{}`", question.query.repos.join("` or `repo:"));
            let warning = Warning { code: WarningCode::NothingSelected, message, repo_id: None, mode: None };
            answer.warnings.push(warning);
        }
        report_losses(&mut answer);
        answer.count_hits();
        Ok((answer, asking.spent))
    }

    /// The targets that the query's `repo:` filters leave.
    fn chosen(&self, question: &Question) -> Result<BTreeSet<usize>, FederateError> {
        let globs = Globs::new(&question.query.repos)?;
        let passes =
            |target: &Target| globs.is_empty() || globs.matches(Some(&target.name), &target.repo_id, &target.root);
        Ok((0..self.targets.len()).filter(|&at| passes(&self.targets[at])).collect())
    }

    /// The cohorts that are ranked, in the order of the modes.
    fn rankings(&self, question: &Question, chosen: &BTreeSet<usize>) -> Vec<Vec<usize>> {
        let modes = question.modes();
        let open = modes.iter().filter_map(|mode| self.modes.iter().find(|open| open.mode == *mode));
        let cohorts = open.flat_map(|open| &open.cohorts);
        let of_chosen = |cohort: &Vec<usize>| -> Vec<usize> {
            cohort.iter().copied().filter(|&slot| chosen.contains(&self.slots[slot].target)).collect()
        };
        cohorts.map(of_chosen).filter(|slots| !slots.is_empty()).collect()
    }

    /// How it went with every index, by the ids of the repositories.
    fn outcomes(
        &self,
        question: &Question,
        chosen: &BTreeSet<usize>,
        lost: &BTreeMap<usize, Unsearched>,
    ) -> Vec<RepoOutcome> {
        let slots: BTreeMap<(usize, Mode), usize> =
            self.slots.iter().enumerate().map(|(at, slot)| ((slot.target, slot.mode), at)).collect();
        let of_target = |&target: &usize| {
            let outcome = |mode| self.outcome(target, mode, slots.get(&(target, mode)).copied(), lost);
            RepoOutcome {
                repo_id: self.targets[target].repo_id.clone(),
                repo: self.targets[target].name.clone(),
                indexes: question.modes().into_iter().map(outcome).collect(),
            }
        };
        let mut outcomes: Vec<RepoOutcome> = chosen.iter().map(of_target).collect();
        outcomes.sort_by(|a, b| a.repo_id.cmp(&b.repo_id));
        outcomes
    }

    fn outcome(
        &self,
        target: usize,
        mode: Mode,
        slot: Option<usize>,
        lost: &BTreeMap<usize, Unsearched>,
    ) -> IndexOutcome {
        let index = slot.and_then(|slot| self.slots[slot].index.as_ref().ok());
        let unopened = slot.and_then(|slot| self.slots[slot].index.as_ref().err()).map(|unopened| &unopened.why);
        let lost = slot.and_then(|slot| lost.get(&slot)).or(unopened);
        let open = self.modes.iter().find(|open| open.mode == mode);
        let left_out = open.and_then(|open| open.left_out.get(&self.targets[target].repo_id));
        let not_planned = || Unsearched::new(IndexStatus::Unavailable, "it was not to be opened");
        let why = match slot {
            Some(_) => lost.cloned(),
            None => Some(left_out.cloned().unwrap_or_else(not_planned)),
        };
        let state = index.map(|index| &index.state);
        IndexOutcome {
            mode,
            status: why.as_ref().map_or(IndexStatus::Searched, |why| why.status),
            reason: why.map(|why| why.reason),
            build_id: state.map(|state| state.build_id.clone()),
            commit: state.and_then(|state| state.commit.clone()),
            dirty: state.is_some_and(|state| state.dirty),
            documents: state.map_or(0, |state| state.documents),
            chunks: state.map_or(0, |state| state.chunks),
            hits: 0,
        }
    }
}

pub(super) fn timing(clock: &Clock, spent: BTreeMap<RepoId, Duration>) -> Timing {
    let repos = spent.into_iter().map(|(repo, took)| (repo, took.as_secs_f64() * 1e3)).collect();
    Timing { total_ms: clock.elapsed_ms(), repos }
}

/// Warns of every index that failed or was late: then the answer is only a part of one.
fn report_losses(answer: &mut Answer) {
    for repo in &answer.repos {
        for index in &repo.indexes {
            let code = match index.status {
                IndexStatus::Failed => WarningCode::IndexFailed,
                IndexStatus::TimedOut => WarningCode::IndexTimedOut,
                IndexStatus::Searched | IndexStatus::Unavailable | IndexStatus::OtherCohort => continue,
            };
            let reason = index.reason.as_deref().unwrap_or_default();
            let message = format!("the {} index of `{}` was not searched: {reason}", index.mode, repo.repo);
            let (repo_id, mode) = (Some(repo.repo_id.clone()), Some(index.mode));
            answer.warnings.push(Warning { code, message, repo_id, mode });
            answer.partial = true;
        }
    }
}
