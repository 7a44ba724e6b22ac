//! Which indexes can be ranked as one.
//!
//! Indexes with one key were made with the same versions, and their scores can be compared. Where there are several keys, a
//! search takes the largest group unless it is told otherwise, and says what it left out.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::manifest::{Availability, IndexEntry, RepoEntry};
use crate::selection::name_of;
use crate::warning::{Warning, WarningCode};
use ai_assist_repo::layout::Mode;

/// More repositories than this with the same reason are counted, not listed: a workspace of a hundred that was never built has two
/// hundred reasons.
const FEW: usize = 3;

/// What is done about indexes that can't be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CohortPolicy {
    /// The largest cohort is searched; of equal ones the one with the greatest priority, then the first by key.
    #[default]
    Default,
    Strict,
    /// These are searched. A mode that none of them is for goes by the default.
    Named(Vec<CohortChoice>),
    /// All are searched, each cohort for itself.
    AllowUnsafeMix,
}

/// A cohort that is asked for: `[mode:]key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CohortChoice {
    /// The mode that it is for; all if not given.
    pub mode: Option<Mode>,
    pub key: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no cohort; it is a key, or a mode, `:` and a key")]
pub struct BadCohortChoice(pub String);

impl FromStr for CohortChoice {
    type Err = BadCohortChoice;

    fn from_str(text: &str) -> Result<Self, BadCohortChoice> {
        let (mode, key) = match text.split_once(':').map(|(mode, key)| (mode.parse(), key)) {
            Some((Ok(mode), key)) => (Some(mode), key),
            _ => (None, text),
        };
        if key.is_empty() {
            return Err(BadCohortChoice(text.to_owned()));
        }
        Ok(CohortChoice { mode, key: key.to_owned() })
    }
}

/// What the indexes of a cohort have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CohortId {
    Key(String),
    /// A compatibility key, where the index has no other.
    Fallback(String),
}

impl CohortId {
    /// What an index belongs to, if it says so.
    pub fn of(index: &IndexEntry) -> Option<Self> {
        let fallback = || index.compatibility_key.clone().map(CohortId::Fallback);
        index.cohort_key.clone().map(CohortId::Key).or_else(fallback)
    }

    pub fn as_str(&self) -> &str {
        match self {
            CohortId::Key(key) | CohortId::Fallback(key) => key,
        }
    }
}

impl fmt::Display for CohortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Cohort<'m> {
    /// What they have in common; none for those that don't say, which are only together in an unsafe mix.
    pub id: Option<CohortId>,
    pub members: Vec<&'m RepoEntry>,
}

/// Why a repository's index is not searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftOutReason {
    Unavailable(Availability),
    OtherCohort(CohortId),
    /// It does not say of which.
    NoKey,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut<'m> {
    pub repo: &'m RepoEntry,
    pub reason: LeftOutReason,
}

/// Which indexes of a mode are searched.
#[derive(Debug, Clone, PartialEq)]
pub struct CohortPlan<'m> {
    pub mode: Mode,
    /// What is searched: nothing, one cohort, or several in an unsafe mix.
    pub cohorts: Vec<Cohort<'m>>,
    pub left_out: Vec<LeftOut<'m>>,
    /// Whether indexes are searched together that can't be compared.
    pub unsafe_mix: bool,
    /// One for everything that was left out, and for a mix.
    pub warnings: Vec<Warning>,
}

impl<'m> CohortPlan<'m> {
    pub fn members(&self) -> impl Iterator<Item = &'m RepoEntry> + '_ {
        self.cohorts.iter().flat_map(|cohort| cohort.members.iter().copied())
    }
}

/// Indexes that can't be searched as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CohortError {
    /// They can't be compared, and that was not to be.
    #[error("the {mode} indexes can't be ranked as one: {}", listed(cohorts))]
    Mixed {
        mode: Mode,
        /// The keys, and how many repositories have each.
        cohorts: Vec<(String, usize)>,
    },
    /// There is no such cohort.
    #[error("no {mode} index has the cohort `{key}`; there are: {}", listed(cohorts))]
    Unknown {
        mode: Mode,
        key: String,
        /// The keys there are, and how many repositories have each.
        cohorts: Vec<(String, usize)>,
    },
}

fn listed(cohorts: &[(String, usize)]) -> String {
    let each =
        cohorts.iter().map(|(key, count)| format!("{key} ({count} {})", if *count == 1 { "repo" } else { "repos" }));
    if cohorts.is_empty() { "none".to_owned() } else { each.collect::<Vec<_>>().join(", ") }
}

pub fn cohorts<'m>(repos: &[&'m RepoEntry], mode: Mode, policy: &CohortPolicy) -> Result<CohortPlan<'m>, CohortError> {
    let (mut groups, unavailable) = groups(repos, mode);
    let counts = || {
        let name = |cohort: &Cohort<'_>| cohort.id.as_ref().map_or("no key".to_owned(), ToString::to_string);
        groups.iter().map(|cohort| (name(cohort), cohort.members.len())).collect::<Vec<_>>()
    };
    let searched = match policy {
        CohortPolicy::AllowUnsafeMix => std::mem::take(&mut groups),
        CohortPolicy::Strict if groups.len() > 1 || groups.iter().any(|cohort| cohort.id.is_none()) => {
            return Err(CohortError::Mixed { mode, cohorts: counts() });
        }
        CohortPolicy::Named(choices) => match choice_for(choices, mode) {
            Some(choice) => {
                let is_it = |cohort: &Cohort<'_>| cohort.id.as_ref().is_some_and(|id| id.as_str() == choice.key);
                let Some(at) = groups.iter().position(is_it) else {
                    return Err(CohortError::Unknown { mode, key: choice.key.clone(), cohorts: counts() });
                };
                vec![groups.remove(at)]
            }
            None => first_with_key(&mut groups),
        },
        CohortPolicy::Strict | CohortPolicy::Default => first_with_key(&mut groups),
    };
    let mut left_out = unavailable;
    for Cohort { id, members } in groups {
        let reason = id.map_or(LeftOutReason::NoKey, LeftOutReason::OtherCohort);
        left_out.extend(members.into_iter().map(|repo| LeftOut { repo, reason: reason.clone() }));
    }
    left_out.sort_by(|a, b| a.repo.repo_id.cmp(&b.repo.repo_id));
    let unsafe_mix =
        searched.len() > 1 || searched.iter().any(|cohort| cohort.id.is_none() && cohort.members.len() > 1);
    let warnings = warnings(mode, &searched, &left_out, unsafe_mix);
    Ok(CohortPlan { mode, cohorts: searched, left_out, unsafe_mix, warnings })
}

/// What is asked for a mode: what names it goes before what names none.
fn choice_for(choices: &[CohortChoice], mode: Mode) -> Option<&CohortChoice> {
    let of = |wanted: Option<Mode>| choices.iter().find(move |choice| choice.mode == wanted);
    of(Some(mode)).or_else(|| of(None))
}

fn first_with_key<'m>(groups: &mut Vec<Cohort<'m>>) -> Vec<Cohort<'m>> {
    let at = groups.iter().position(|cohort| cohort.id.is_some());
    at.map(|at| groups.remove(at)).into_iter().collect()
}

/// The cohorts of some indexes, the one to be preferred first, and what can't be searched at all.
fn groups<'m>(repos: &[&'m RepoEntry], mode: Mode) -> (Vec<Cohort<'m>>, Vec<LeftOut<'m>>) {
    let mut by_id: BTreeMap<Option<CohortId>, Vec<&'m RepoEntry>> = BTreeMap::new();
    let mut unavailable = Vec::new();
    for repo in repos {
        let index = repo.indexes.get(mode);
        match index.availability_reason {
            Availability::Present | Availability::CompatKeyMissing => {
                by_id.entry(CohortId::of(index)).or_default().push(repo);
            }
            reason => unavailable.push(LeftOut { repo, reason: LeftOutReason::Unavailable(reason) }),
        }
    }
    let mut groups: Vec<Cohort<'m>> = by_id.into_iter().map(|(id, members)| Cohort { id, members }).collect();
    // The sort is stable, so that of equals the first by key stays the first.
    groups.sort_by_key(|cohort| {
        let priority = cohort.members.iter().map(|repo| repo.priority).max();
        (std::cmp::Reverse(cohort.members.len()), std::cmp::Reverse(priority))
    });
    (groups, unavailable)
}

fn warnings(mode: Mode, searched: &[Cohort<'_>], left_out: &[LeftOut<'_>], unsafe_mix: bool) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if unsafe_mix {
        let message = format!(
            "{} cohorts of {mode} indexes are searched together; their scores can't be compared",
            searched.len()
        );
        warnings.push(Warning { code: WarningCode::UnsafeMix, message, repo_id: None, mode: Some(mode) });
    }
    for LeftOut { repo, reason } in left_out {
        let name = name_of(repo);
        let (code, message) = match reason {
            LeftOutReason::Unavailable(_) => continue,
            LeftOutReason::NoKey => {
                let message = format!("the {mode} index of `{name}` does not say what it can be compared with");
                (WarningCode::CohortKeyMissing, message)
            }
            LeftOutReason::OtherCohort(id) => {
                let message =
                    format!("the {mode} index of `{name}` is of the cohort {id} and is left out; build it anew");
                (WarningCode::CohortExcluded, message)
            }
        };
        warnings.push(Warning { code, message, repo_id: Some(repo.repo_id.clone()), mode: Some(mode) });
    }
    warnings.extend(unavailable(mode, left_out));
    warnings
}

/// Which repositories have no index to search, by the reason.
fn unavailable(mode: Mode, left_out: &[LeftOut<'_>]) -> Vec<Warning> {
    let mut by_reason: BTreeMap<Availability, Vec<&RepoEntry>> = BTreeMap::new();
    for LeftOut { repo, reason } in left_out {
        if let LeftOutReason::Unavailable(why) = reason {
            by_reason.entry(*why).or_default().push(repo);
        }
    }
    let warning = |message: String, repo_id| {
        let code = WarningCode::IndexUnavailable;
        Warning { code, message, repo_id, mode: Some(mode) }
    };
    let mut warnings = Vec::new();
    for (why, repos) in by_reason {
        let why = why.describe();
        let names: Vec<String> = repos.iter().map(|repo| format!("`{}`", name_of(repo))).collect();
        if repos.len() > FEW {
            let (count, first) = (repos.len(), names[..FEW].join(", "));
            let message = format!("{count} repositories have no {mode} index to search ({first}, …): {why}");
            warnings.push(warning(message, None));
            continue;
        }
        warnings.extend(repos.iter().zip(&names).map(|(repo, name)| {
            warning(format!("{name} has no {mode} index to search: {why}"), Some(repo.repo_id.clone()))
        }));
    }
    warnings
}

#[cfg(test)]
#[path = "cohort_tests.rs"]
mod tests;
