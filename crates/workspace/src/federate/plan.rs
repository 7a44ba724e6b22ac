use std::collections::{BTreeMap, BTreeSet};

use ai_assist_identity::RepoId;
use ai_assist_search::{IndexStatus, Unsearched};

use super::Target;
use crate::cohort::{CohortPlan, LeftOutReason};
use crate::manifest::RepoEntry;
use crate::warning::Warning;
use ai_assist_repo::layout::Mode;

/// Which indexes are searched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The repositories, the one that matters most first.
    pub targets: Vec<Target>,
    pub modes: Vec<ModePlan>,
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModePlan {
    pub mode: Mode,
    pub members: Vec<RepoId>,
    /// The repositories whose indexes are not searched, and why.
    pub left_out: BTreeMap<RepoId, Unsearched>,
}

impl Plan {
    /// The plan for repositories of a manifest, by the cohorts of each mode.
    pub fn of_cohorts(repos: &[&RepoEntry], plans: &[CohortPlan<'_>]) -> Plan {
        Plan {
            targets: repos.iter().map(|repo| Target::of_entry(repo)).collect(),
            modes: plans.iter().map(ModePlan::of_cohorts).collect(),
            warnings: plans.iter().flat_map(|plan| plan.warnings.iter().cloned()).collect(),
        }
    }

    /// A plan for all indexes of some modes. A repository that is there twice counts once.
    pub fn of_targets(targets: &[Target], modes: &[Mode]) -> Plan {
        let mut known: BTreeSet<&RepoId> = BTreeSet::new();
        let each: Vec<Target> = targets.iter().filter(|target| known.insert(&target.repo_id)).cloned().collect();
        let of_mode = |&mode: &Mode| {
            let (present, absent): (Vec<&Target>, Vec<&Target>) =
                each.iter().partition(|target| target.builds.contains_key(&mode));
            let why = |target: &Target| Unsearched::new(IndexStatus::Unavailable, target.absence().to_string());
            ModePlan {
                mode,
                members: present.into_iter().map(|target| target.repo_id.clone()).collect(),
                left_out: absent.into_iter().map(|target| (target.repo_id.clone(), why(target))).collect(),
            }
        };
        let modes = modes.iter().map(of_mode).collect();
        Plan { targets: each, modes, warnings: Vec::new() }
    }
}

impl ModePlan {
    fn of_cohorts(plan: &CohortPlan<'_>) -> Self {
        let why = |reason: &LeftOutReason| match reason {
            LeftOutReason::Unavailable(reason) => Unsearched::new(IndexStatus::Unavailable, reason.to_string()),
            LeftOutReason::OtherCohort(id) => {
                Unsearched::new(IndexStatus::OtherCohort, format!("it is of the cohort {id}"))
            }
            LeftOutReason::NoKey => {
                Unsearched::new(IndexStatus::OtherCohort, "it does not say what it can be compared with")
            }
        };
        let left_out = plan.left_out.iter().map(|left| (left.repo.repo_id.clone(), why(&left.reason)));
        let mut planned = ModePlan { mode: plan.mode, members: Vec::new(), left_out: left_out.collect() };
        for cohort in &plan.cohorts {
            // Even an unsafe mix can't take in an index without keys: this program could not have written it.
            let (members, keyless): (Vec<&RepoEntry>, Vec<&RepoEntry>) =
                cohort.members.iter().partition(|_| cohort.id.is_some());
            planned.members.extend(members.into_iter().map(|repo| repo.repo_id.clone()));
            planned.left_out.extend(keyless.into_iter().map(|repo| {
                let reason = repo.indexes.get(plan.mode).availability_reason.to_string();
                (repo.repo_id.clone(), Unsearched::new(IndexStatus::Unavailable, reason))
            }));
        }
        planned
    }
}
