//! What a repository holds now, laid beside what is indexed of it.

use std::sync::Arc;
use std::time::Duration;

use ai_assist_admit::{AdmitError, Limits, PackRules, PathSet, Selection, Walked, walk};
use ai_assist_base::Cancel;
use ai_assist_git::{Ask, WorkTree};
use ai_assist_identity::CanonicalPath;

use super::examine::Task;
use super::mode_build::ModeBuild;
use super::stamps::{Stamps, Verdict};
use super::{BuildError, Result};
use crate::layout::{Mode, RepoCache};
use crate::modes::{may_concern, modes_of};
use crate::state::CheckedOutAt;

/// How long one question to git may take.
const GIT_PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn work_tree(root: &CanonicalPath, cancel: &Cancel) -> WorkTree {
    WorkTree::look(&root.to_path_buf(), &Ask { timeout: GIT_PATIENCE, cancel: cancel.clone() })
}

/// The commit that is checked out, and whether files differ from it. What can't be told counts as different.
pub(super) fn checked_out_at(git: &WorkTree) -> (CheckedOutAt, Option<String>) {
    let Some(repo) = git.repo() else { return (CheckedOutAt::default(), None) };
    match repo.head().and_then(|head| Ok((head, repo.is_dirty()?))) {
        Ok((head, dirty)) => (CheckedOutAt { commit: head.map(|head| head.commit), dirty }, None),
        Err(error) => {
            let warning = format!("git did not say which commit is checked out: {error}");
            (CheckedOutAt { commit: None, dirty: true }, Some(warning))
        }
    }
}

/// What is there now.
pub(super) struct Survey {
    pub(super) walked: Walked,
    pub(super) stamps: Stamps,
}

impl Survey {
    /// Walks a repository as a pack would.
    pub(super) fn take(
        root: &CanonicalPath,
        cache: &RepoCache,
        limits: Limits,
        git: &WorkTree,
        cancel: &Cancel,
    ) -> Result<Self> {
        let tracked = git.tracked().map(|files| Arc::new(PathSet::from_ls_files(files)));
        let rules = PackRules { tracked, tracked_logs: true, ..PackRules::default() };
        let selection = Selection::whole_tree(root.to_path_buf(), rules, limits)?;
        // What is known is read while the walk looks at what is there.
        let (walked, stamps) = std::thread::scope(|scope| {
            let stamps = scope.spawn(|| Stamps::load(&cache.stamps_db()));
            let walked = walk(&selection, cancel, &|_| {});
            (walked, stamps.join().unwrap_or_default())
        });
        match walked {
            Err(AdmitError::Cancelled) => Err(BuildError::Cancelled),
            walked => Ok(Survey { walked: walked?, stamps }),
        }
    }

    /// The files that have to be read. Documents of those that need not be are kept.
    pub(super) fn plan<'s>(&'s self, modes: &mut [ModeBuild], force: bool) -> Vec<Task<'s>> {
        let wanted: Vec<Mode> = modes.iter().map(|mode| mode.mode).collect();
        let mut tasks = Vec::new();
        for candidate in &self.walked.candidates {
            let path = candidate.path().as_str();
            let told = self.stamps.verdict(path, candidate.stamp()).filter(|_| !force);
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
}
