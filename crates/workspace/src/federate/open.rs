//! Opening what is searched, many at a time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_base::chain;
use ai_assist_identity::RepoId;

use super::Target;
use super::answer::IndexStatus;
use super::error::FederateError;
use super::plan::{ModePlan, Plan, Unsearched};
use super::pool::{Clock, End, Phase, Work, WorkerPool};
use crate::warning::{Warning, WarningCode};
use ai_assist_repo::build::BuildError;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_index::RepoIndex;

/// Opens a mode of a build; none if the build is gone. Tests put others in its place.
pub(super) type Opener = Arc<dyn Fn(&Path, Mode) -> Result<Option<RepoIndex>, BuildError> + Send + Sync>;

pub(super) fn opener() -> Opener {
    Arc::new(RepoIndex::open_build)
}

/// What was done, or not, about an index.
pub(super) const PANICKED: &str = "its files are not what they should be, and reading them broke off; build it anew";
pub(super) const LATE: &str = "it was not done in time";
const GONE: &str = "its build was taken away before it could be opened; search again";

#[derive(Debug, Clone, Copy, Default)]
pub struct OpenOptions {
    /// How many indexes are opened at once; 0 for as many as there are cores.
    pub concurrency: usize,
    /// How long it may take. What is not open by then is left out.
    pub timeout: Option<Duration>,
}

/// Indexes that are open, to be searched as often as one likes. Their builds stay on the disk while this lives.
#[derive(Debug)]
pub struct Federation {
    pub(super) targets: Vec<Target>,
    pub(super) modes: Vec<OpenMode>,
    pub(super) slots: Vec<Slot>,
    pub(super) warnings: Vec<Warning>,
    /// How long opening took, by repository.
    pub(super) spent: BTreeMap<RepoId, Duration>,
}

#[derive(Debug)]
pub(super) struct OpenMode {
    pub(super) mode: Mode,
    /// Slots that are ranked as one, by the ids of their repositories.
    pub(super) cohorts: Vec<Vec<usize>>,
    pub(super) left_out: BTreeMap<RepoId, Unsearched>,
}

/// One index, open or not.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) target: usize,
    pub(super) mode: Mode,
    pub(super) index: Result<Arc<RepoIndex>, Unopened>,
}

/// An index that could not be opened.
#[derive(Debug, Clone)]
pub(super) struct Unopened {
    pub(super) why: Unsearched,
    /// Whether it is because the build was taken away: then there is a newer one.
    gone: bool,
}

impl Federation {
    /// Opens what a plan says. What can't be opened, or not in time, is in every answer with the reason.
    pub fn open(plan: Plan, options: &OpenOptions) -> Federation {
        let cancel = Cancel::default();
        let (pool, clock) = (WorkerPool::new(options.concurrency, &cancel), Clock::start(options.timeout));
        // Opening is all there is to do here, so it may take all of the time.
        let until = clock.end_of(Phase::Dress);
        // Nobody cancels.
        Self::open_until(plan, pool, until, &opener()).unwrap_or_else(|_| Self::closed(Plan::default()))
    }

    /// Opens within a question.
    pub(super) fn open_in(
        plan: Plan,
        concurrency: usize,
        clock: &Clock,
        opener: &Opener,
        cancel: &Cancel,
    ) -> Result<Federation, FederateError> {
        Self::open_until(plan, WorkerPool::new(concurrency, cancel), clock.end_of(Phase::Open), opener)
    }

    fn open_until(
        plan: Plan,
        pool: WorkerPool<'_>,
        until: Option<std::time::Instant>,
        opener: &Opener,
    ) -> Result<Federation, FederateError> {
        let mut federation = Self::closed(plan);
        let work = |slot: &Slot| -> Work<Result<Option<RepoIndex>, BuildError>> {
            let (mode, opener) = (slot.mode, Arc::clone(opener));
            let build = federation.targets[slot.target].builds.get(&mode).cloned();
            Box::new(move || build.map_or(Ok(None), |build| opener(&build, mode)))
        };
        let ends = pool.run(federation.slots.iter().map(work).collect(), until)?;
        for (slot, end) in federation.slots.iter_mut().zip(ends) {
            let target = &federation.targets[slot.target];
            if let End::Done(_, took) = &end {
                *federation.spent.entry(target.repo_id.clone()).or_default() += *took;
            }
            slot.index = opened(end, slot.mode);
        }
        Ok(federation)
    }

    /// A plan of which nothing is open yet.
    fn closed(plan: Plan) -> Federation {
        let mut federation = Federation {
            targets: plan.targets,
            modes: Vec::with_capacity(plan.modes.len()),
            slots: Vec::new(),
            warnings: plan.warnings,
            spent: BTreeMap::new(),
        };
        let places = federation.targets.iter().enumerate().map(|(at, target)| (target.repo_id.clone(), at)).collect();
        for mode in plan.modes {
            federation.add_mode(mode, &places);
        }
        federation
    }

    fn add_mode(&mut self, plan: ModePlan, places: &BTreeMap<RepoId, usize>) {
        let ModePlan { mode, cohorts, mut left_out } = plan;
        let mut open = Vec::with_capacity(cohorts.len());
        for mut members in cohorts {
            // As in one index over the union, to which repositories were added by their ids.
            members.sort();
            members.dedup();
            let mut slots = Vec::with_capacity(members.len());
            for repo_id in members {
                let Some(&target) = places.get(&repo_id) else { continue };
                if self.targets[target].builds.contains_key(&mode) {
                    slots.push(self.slots.len());
                    let why = Unsearched::new(IndexStatus::TimedOut, LATE);
                    self.slots.push(Slot { target, mode, index: Err(Unopened { why, gone: false }) });
                } else {
                    let reason = self.targets[target].absence().as_str();
                    left_out.insert(repo_id, Unsearched::new(IndexStatus::Unavailable, reason));
                }
            }
            if !slots.is_empty() {
                open.push(slots);
            }
        }
        self.modes.push(OpenMode { mode, cohorts: open, left_out });
    }

    /// The targets of which a build was taken away before it could be opened.
    pub(super) fn gone(&self) -> Vec<usize> {
        let gone = |slot: &&Slot| slot.index.as_ref().is_err_and(|unopened| unopened.gone);
        let mut targets: Vec<usize> = self.slots.iter().filter(gone).map(|slot| slot.target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Forms the cohorts anew, by what the indexes say themselves: the largest first, then by key.
    pub(super) fn regroup(&mut self) {
        for open in &mut self.modes {
            let mut groups: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
            for slot in open.cohorts.drain(..).flatten() {
                let key = self.slots[slot].index.as_ref().ok().map(|index| index.state.cohort_key.as_str());
                groups.entry(key).or_default().push(slot);
            }
            // What is not open belongs to none, and goes where it does not count.
            let closed = groups.remove(&None).unwrap_or_default();
            open.cohorts = groups.into_values().collect();
            open.cohorts.sort_by_key(|cohort| std::cmp::Reverse(cohort.len()));
            match open.cohorts.first_mut() {
                Some(first) => first.extend(closed),
                None => open.cohorts.extend(Some(closed).filter(|closed| !closed.is_empty())),
            }
            if open.cohorts.len() > 1 {
                let (mode, count) = (open.mode, open.cohorts.len());
                let message =
                    format!("{count} cohorts of {mode} indexes are searched together; their scores can't be compared");
                let warning = Warning { code: WarningCode::UnsafeMix, message, repo_id: None, mode: Some(mode) };
                self.warnings.push(warning);
            }
        }
    }
}

fn opened(end: End<Result<Option<RepoIndex>, BuildError>>, mode: Mode) -> Result<Arc<RepoIndex>, Unopened> {
    let failed = |reason: String| Unopened { why: Unsearched::new(IndexStatus::Failed, reason), gone: false };
    match end {
        End::Done(Ok(Some(index)), _) if index.state.mode == mode => Ok(Arc::new(index)),
        End::Done(Ok(Some(index)), _) => Err(failed(format!("it is an index of the mode {}", index.state.mode))),
        End::Done(Ok(None), _) => Err(Unopened { gone: true, ..failed(GONE.to_owned()) }),
        End::Done(Err(error), _) => Err(failed(chain(&error))),
        End::Panicked => Err(failed(PANICKED.to_owned())),
        End::Late => Err(Unopened { why: Unsearched::new(IndexStatus::TimedOut, LATE), gone: false }),
    }
}
