//! A few repositories without a workspace.

use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;

use super::answer::{Answer, Timing};
use super::ask::timing;
use super::error::FederateError;
use super::open::{Federation, Opener, opener};
use super::plan::Plan;
use super::pool::{Clock, Phase};
use super::{ATTEMPTS, Question, Target};

/// Searches one repository or a few, the one that matters most first. Indexes that say they can be compared are ranked as
/// one; where they can't, the rankings are fused and a warning says so.
///
/// # Errors
///
/// As those of [`Federation::search`].
pub fn search_repos(
    targets: &[Target],
    question: &Question,
    cancel: &Cancel,
) -> Result<(Answer, Timing), FederateError> {
    search_repos_with(targets, question, &opener(), cancel)
}

pub(super) fn search_repos_with(
    targets: &[Target],
    question: &Question,
    opener: &Opener,
    cancel: &Cancel,
) -> Result<(Answer, Timing), FederateError> {
    let clock = Clock::start(question.timeout);
    let mut targets = targets.to_vec();
    let mut attempt = 1;
    let mut federation = loop {
        let plan = Plan::of_targets(&targets, &question.modes());
        let federation = Federation::open_in(plan, question.concurrency, &clock, opener, cancel)?;
        let renewed = |&at: &usize| federation.targets[at].cache.is_some();
        let is_worth_it = attempt < ATTEMPTS && clock.is_before(Phase::Open);
        if !is_worth_it || !federation.gone().iter().any(renewed) {
            break federation;
        }
        attempt += 1;
        targets = federation.targets.iter().map(Target::again).collect();
    };
    federation.regroup();
    let (answer, mut spent) = federation.answer(question, StaticModel::bundled(), cancel, &clock)?;
    for (repo, took) in &federation.spent {
        *spent.entry(repo.clone()).or_default() += *took;
    }
    Ok((answer, timing(&clock, spent)))
}
