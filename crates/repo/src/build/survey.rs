//! What a repository holds now, laid beside what is indexed of it.

use std::time::Duration;

use ai_assist_admit::{PathSet, Selection, Walked};
use ai_assist_base::Cancel;
use ai_assist_git::{Ask, WorkTree};
use ai_assist_identity::CanonicalPath;
use ai_assist_ingest::{Stamps, Verdict, walk_beside};

use super::db::CONTENT_VERSION;
use super::examine::Task;
use super::mode_build::ModeBuild;
use super::{BuildRequest, Result};
use crate::layout::Mode;
use crate::modes::{may_concern, modes_of};
use crate::state::CheckedOutAt;

/// How long one question to git may take.
const GIT_PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn work_tree(root: &CanonicalPath, cancel: &Cancel) -> WorkTree {
    WorkTree::look(&root.to_path_buf(), &Ask { timeout: GIT_PATIENCE, cancel: cancel.clone() })
}

/// The commit that is checked out, and whether files differ from it. What can't be told counts as different.
pub(super) fn checked_out_at(git: &WorkTree) -> (CheckedOutAt, Option<String>) {
    let Some(repo) = &git.repo else { return (CheckedOutAt::default(), None) };
    match repo.head().and_then(|head| Ok((head, repo.is_dirty()?))) {
        Ok((head, dirty)) => (CheckedOutAt { commit: head.map(|head| head.commit), dirty }, None),
        Err(error) => {
            let warning = format!("git did not say which commit is checked out: {error}");
            (CheckedOutAt { commit: None, dirty: true }, Some(warning))
        }
    }
}

/// Walks a repository as a pack would.
pub(super) fn survey(request: &BuildRequest, git: &WorkTree, cancel: &Cancel) -> Result<(Walked, Stamps)> {
    let tracked = git.tracked.as_deref().map(PathSet::from_ls_files);
    let selection = Selection::as_indexed(request.root.to_path_buf(), tracked, request.limits)?;
    let (walked, stamps) =
        walk_beside(&selection, cancel, || Stamps::load(&request.cache.stamps_db(), CONTENT_VERSION));
    Ok((walked?, stamps))
}

/// The files that have to be read. Documents of those that need not be are kept.
pub(super) fn plan<'s>(walked: &'s Walked, stamps: &Stamps, modes: &mut [ModeBuild], force: bool) -> Vec<Task<'s>> {
    let wanted: Vec<Mode> = modes.iter().map(|mode| mode.mode).collect();
    let mut tasks = Vec::new();
    for candidate in &walked.candidates {
        let path = candidate.path().as_str();
        let told = stamps.verdict(path, candidate.stamp()).filter(|_| !force);
        let concerned = |mode: &ModeBuild, language| modes_of(path, language).contains(&mode.mode);
        let differs = match told {
            Some(Verdict::Refused) => false,
            Some(Verdict::Text(hash, language)) => {
                modes.iter().any(|mode| concerned(mode, language) && mode.known(path) != Some(hash))
            }
            None => may_concern(path, &wanted),
        };
        if !differs {
            if let Some(Verdict::Text(_, language)) = told {
                modes.iter_mut().filter(|mode| concerned(mode, language)).for_each(|mode| mode.keep(path));
            }
            continue;
        }
        let mut known = [None; Mode::ALL.len()];
        modes.iter().for_each(|mode| known[mode.mode as usize] = mode.known(path));
        tasks.push(Task { candidate, known });
    }
    tasks
}
