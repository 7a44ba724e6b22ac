use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_search::{Answer, Clock, Phase, Question};

use super::error::FederateError;
use super::open::{Federation, Opener, opener};
use super::plan::Plan;
use super::{ATTEMPTS, Target, Timing, each_once};
use ai_assist_repo::layout::Mode;

/// Searches one repository or a few, the one that matters most first.
pub fn search_repos(
    targets: &[Target],
    modes: &[Mode],
    question: &Question,
    cancel: &Cancel,
) -> Result<(Answer, Timing), FederateError> {
    search_repos_with(targets, modes, question, &opener(), cancel)
}

pub(super) fn search_repos_with(
    targets: &[Target],
    modes: &[Mode],
    question: &Question,
    opener: &Opener,
    cancel: &Cancel,
) -> Result<(Answer, Timing), FederateError> {
    let clock = Clock::start(question.timeout);
    let federation = open_with(targets, modes, question.concurrency, &clock, opener, cancel)?;
    federation.answer(question, modes, StaticModel::bundled(), cancel, &clock)
}

/// Opens some modes of some repositories, as they are now.
pub fn open_repos(
    targets: &[Target],
    modes: &[Mode],
    clock: &Clock,
    cancel: &Cancel,
) -> Result<Federation, FederateError> {
    open_with(targets, modes, 0, clock, &opener(), cancel)
}

fn open_with(
    targets: &[Target],
    modes: &[Mode],
    concurrency: usize,
    clock: &Clock,
    opener: &Opener,
    cancel: &Cancel,
) -> Result<Federation, FederateError> {
    let mut targets = targets.to_vec();
    let mut attempt = 1;
    loop {
        let plan = Plan::of_targets(&targets, &each_once(modes));
        let federation = Federation::open_in(plan, concurrency, clock, opener, cancel)?;
        let renewed = |&at: &usize| federation.targets[at].cache.is_some();
        let is_worth_it = attempt < ATTEMPTS && clock.is_before(Phase::Open);
        if !is_worth_it || !federation.gone().iter().any(renewed) {
            return Ok(federation);
        }
        attempt += 1;
        targets = federation.targets.iter().map(Target::again).collect();
    }
}
