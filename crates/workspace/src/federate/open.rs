//! Opening what is searched, many at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ai_assist_base::{Cancel, chain};
use ai_assist_identity::{CanonicalPath, DocPath, RepoId};
use ai_assist_search::{
    Clock, End, IndexStatus, Indexed, Job, LATE, Origin, PANICKED, Phase, Source, Unsearched, WorkerPool,
};

use super::Target;
use super::error::FederateError;
use super::plan::{ModePlan, Plan};
use crate::warning::Warning;
use ai_assist_repo::build::BuildError;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_repo::state::cohort_key;

/// Opens a mode of a build; none if the build is gone. Tests put others in its place.
pub(super) type Opener = Arc<dyn Fn(&Path, Mode) -> Result<Option<RepoIndex>, BuildError> + Send + Sync>;

pub(super) fn opener() -> Opener {
    Arc::new(RepoIndex::open_build)
}

const GONE: &str = "its build was taken away before it could be opened; search again";

/// Indexes that are open, to be searched as often as one likes. Their builds stay on the disk while this lives.
#[derive(Debug)]
pub struct Federation {
    pub(super) targets: Vec<Target>,
    pub(super) modes: Vec<OpenMode>,
    pub(super) slots: Vec<Slot>,
    pub(super) warnings: Vec<Warning>,
    pub(super) spent: BTreeMap<RepoId, Duration>,
}

#[derive(Debug)]
pub(super) struct OpenMode {
    pub(super) mode: Mode,
    pub(super) left_out: BTreeMap<RepoId, Unsearched>,
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) target: usize,
    pub(super) mode: Mode,
    pub(super) index: Result<Arc<RepoIndex>, Unopened>,
}

#[derive(Debug, Clone)]
pub(super) struct Unopened {
    pub(super) why: Unsearched,
    /// Whether it is because the build was taken away: then there is a newer one.
    gone: bool,
}

impl Federation {
    /// Opens what a plan says. What can't be opened, or not in time, is in every answer with the reason.
    pub fn open(plan: Plan) -> Federation {
        let cancel = Cancel::default();
        // Nobody cancels, and it may take as long as it takes.
        let opened = Self::open_until(plan, WorkerPool::new(0, &cancel), None, &opener());
        opened.unwrap_or_else(|_| Self::closed(Plan::default()))
    }

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
        let work = |slot: &Slot| -> Job<Result<Option<RepoIndex>, BuildError>> {
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
        let ModePlan { mode, mut members, mut left_out } = plan;
        // As in one index over the union, to which repositories were added by their ids.
        members.sort();
        members.dedup();
        for repo_id in members {
            let Some(&target) = places.get(&repo_id) else { continue };
            if self.targets[target].builds.contains_key(&mode) {
                let why = Unsearched::new(IndexStatus::TimedOut, LATE);
                self.slots.push(Slot { target, mode, index: Err(Unopened { why, gone: false }) });
            } else {
                let reason = self.targets[target].absence().to_string();
                left_out.insert(repo_id, Unsearched::new(IndexStatus::Unavailable, reason));
            }
        }
        self.modes.push(OpenMode { mode, left_out });
    }

    /// The targets of which a build was taken away before it could be opened.
    pub(super) fn gone(&self) -> Vec<usize> {
        let gone = |slot: &&Slot| slot.index.as_ref().is_err_and(|unopened| unopened.gone);
        let mut targets: Vec<usize> = self.slots.iter().filter(gone).map(|slot| slot.target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// What is open and belongs to one of some targets, as sources of a search, each with the slot that it is of.
    pub(super) fn sources(&self, chosen: &BTreeSet<usize>) -> Vec<(usize, Source)> {
        let source = |(at, slot): (usize, &Slot)| {
            let index = slot.index.as_ref().ok().filter(|_| chosen.contains(&slot.target))?;
            let (target, state) = (&self.targets[slot.target], &index.state);
            let origin = Origin::Repo {
                repo: target.name.clone(),
                repo_id: target.repo_id.clone(),
                mode: slot.mode.to_string(),
                commit: state.commit.clone(),
                build_id: state.build_id.clone(),
            };
            let versions = &index.reader.commit().versions;
            let mut source =
                Source::new(Arc::clone(index) as Arc<dyn Indexed>, origin, Some(target.root.clone()), slot.target);
            // The mode is in the key and is no reason why scores could not be compared.
            if state.cohort_key != cohort_key(slot.mode, versions) {
                source.rules.clone_from(&state.cohort_key);
            }
            Some((at, source))
        };
        self.slots.iter().enumerate().filter_map(source).collect()
    }

    /// Leaves documents out of what is open, by where they are on this machine.
    pub fn leave_out(&mut self, hides: impl Fn(&Path) -> bool) -> Result<(), ai_assist_search::Error> {
        for slot in &mut self.slots {
            let root = self.targets[slot.target].root.to_path_buf();
            let Some(index) = slot.index.as_mut().ok().and_then(Arc::get_mut) else { continue };
            let place = |path: &str| Some(root.join(DocPath::parse(path).ok()?.to_path_buf()));
            let hidden = |path: &str| place(path).is_some_and(|file| hides(&file));
            if index.reader.paths()?.iter().any(|path| hidden(path)) {
                index.reader.leave_out(hidden)?;
            }
        }
        Ok(())
    }

    /// Whether any of the repositories was ever built.
    pub fn has_builds(&self) -> bool {
        self.targets.iter().any(|target| !target.builds.is_empty())
    }

    pub fn roots(&self) -> impl Iterator<Item = &CanonicalPath> {
        self.targets.iter().map(|target| &target.root)
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
