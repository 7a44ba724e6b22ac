//! A question to open repositories, and how it went with each.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_base::json::word;
use ai_assist_embed::Embedder;
use ai_assist_identity::RepoId;
use ai_assist_search::{
    Answer, Clock, IndexOutcome, IndexStatus, Outcome, Question, RepoOutcome, Source, Unsearched, search_until,
};

use super::error::FederateError;
use super::open::Federation;
use super::{Target, Timing, each_once};
use crate::selection::{is_called, matchers};
use crate::warning::{Warning, WarningCode};
use ai_assist_repo::layout::Mode;

/// What a federation adds to a search, and what it makes of the outcome.
#[derive(Debug)]
pub struct Asked {
    pub sources: Vec<Source>,
    slots: Vec<usize>,
    chosen: BTreeSet<usize>,
}

impl Federation {
    /// Answers a question. An index that fails, or is not done in time, is left out and reported.
    pub fn search(
        &self,
        question: &Question,
        modes: &[Mode],
        embedder: &dyn Embedder,
        cancel: &Cancel,
    ) -> Result<(Answer, Timing), FederateError> {
        self.answer(question, modes, embedder, cancel, &Clock::start(question.timeout))
    }

    /// Answers a question whose clock is running already.
    pub(super) fn answer(
        &self,
        question: &Question,
        modes: &[Mode],
        embedder: &dyn Embedder,
        cancel: &Cancel,
        clock: &Clock,
    ) -> Result<(Answer, Timing), FederateError> {
        let asked = self.ask(&question.query.repos, modes)?;
        let outcome = search_until(&asked.sources, question, embedder, cancel, clock)?;
        let mut answer = Answer::default();
        self.report(&asked, modes, &outcome, 0, &mut answer);
        let timing = self.timing(&asked, &outcome.spent, clock);
        answer.take(outcome);
        Ok((answer, timing))
    }

    /// The sources that some `repo:` filters leave.
    pub fn ask(&self, filters: &[String], modes: &[Mode]) -> Result<Asked, FederateError> {
        let globs = matchers(filters)?;
        let passes = |target: &Target| {
            let matches = |glob| is_called(glob, Some(&target.name), &target.repo_id, &target.root);
            globs.is_empty() || globs.iter().any(matches)
        };
        let chosen: BTreeSet<usize> = (0..self.targets.len()).filter(|&at| passes(&self.targets[at])).collect();
        let sources = self.sources(&chosen).into_iter().filter(|(at, _)| modes.contains(&self.slots[*at].mode));
        let (slots, sources) = sources.unzip();
        Ok(Asked { sources, slots, chosen })
    }

    /// Says in an answer how it went with every index. The first of `asked` was number `first` among the sources.
    pub fn report(&self, asked: &Asked, modes: &[Mode], outcome: &Outcome, first: usize, answer: &mut Answer) {
        let of_slot = |(number, slot): (usize, &usize)| Some((*slot, outcome.lost.get(&(first + number))?.clone()));
        let lost: BTreeMap<usize, Unsearched> = asked.slots.iter().enumerate().filter_map(of_slot).collect();
        answer.repos = self.outcomes(&each_once(modes), &asked.chosen, &lost);
        answer.warnings.extend(self.warnings.iter().map(ai_assist_search::Warning::from));
        if asked.chosen.is_empty() && !self.targets.is_empty() {
            let code = word(&WarningCode::NothingSelected);
            answer.warnings.push(ai_assist_search::Warning::new(&code, "no repo matches the `repo:` filters"));
        }
        let mixed = |warning: &Warning| warning.code == WarningCode::UnsafeMix;
        if outcome.rankings > 1 && !self.warnings.iter().any(mixed) {
            let message = "indexes that were made by different rules are searched together; their scores can't be \
                           compared, so they are joined by rank";
            answer.warnings.push(ai_assist_search::Warning::new(&word(&WarningCode::UnsafeMix), message));
        }
        report_losses(answer);
        for slot in &self.slots {
            let build = slot.index.as_ref().map(|index| index.state.build_id.as_str());
            answer.state.push_str(&format!("{} {} {:?}\n", self.targets[slot.target].repo_id, slot.mode, build.ok()));
        }
    }

    pub(super) fn timing(&self, asked: &Asked, spent: &BTreeMap<usize, Duration>, clock: &Clock) -> Timing {
        let mut repos: BTreeMap<RepoId, f64> = BTreeMap::new();
        let of_search = spent.iter().filter_map(|(source, took)| {
            let target = self.slots[*asked.slots.get(*source)?].target;
            Some((&self.targets[target].repo_id, took))
        });
        for (repo, took) in of_search.chain(&self.spent) {
            *repos.entry(repo.clone()).or_default() += took.as_secs_f64() * 1e3;
        }
        Timing { total_ms: clock.elapsed_ms(), repos }
    }

    /// How it went with every index, by the ids of the repositories.
    fn outcomes(
        &self,
        modes: &[Mode],
        chosen: &BTreeSet<usize>,
        lost: &BTreeMap<usize, Unsearched>,
    ) -> Vec<RepoOutcome> {
        let slots: BTreeMap<(usize, Mode), usize> =
            self.slots.iter().enumerate().map(|(at, slot)| ((slot.target, slot.mode), at)).collect();
        let of_target = |&target: &usize| {
            let outcome = |&mode: &Mode| self.outcome(target, mode, slots.get(&(target, mode)).copied(), lost);
            RepoOutcome {
                repo_id: self.targets[target].repo_id.clone(),
                repo: self.targets[target].name.clone(),
                root: Some(self.targets[target].root.to_string()),
                indexes: modes.iter().map(outcome).collect(),
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
            mode: mode.to_string(),
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
            let mut warning = ai_assist_search::Warning::new(&word(&code), message);
            warning.repo_id = Some(repo.repo_id.clone());
            warning.mode = Some(index.mode.clone());
            answer.warnings.push(warning);
            answer.partial = true;
        }
    }
}
