//! Taking in what has changed before a question is answered, where that is quick.

use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_collections::{CollectionSources, Member, SyncEvent, SyncOptions};
use ai_assist_identity::CollectionKind;
use ai_assist_repo::build::{BuildEvent, BuildRequest, build_repo};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::pointer::read_pointer;
use ai_assist_search::Warning;

use crate::search::{InReach, open_members};
use crate::{Project, Repo, Result};

/// A project with more documents is looked through only when a hit turns out to be stale: looking costs a `stat` for each file,
/// and a search costs less than that.
pub(crate) const LOOKED_THROUGH: u64 = 5_000;

/// More files than this are left to a sync. Those are among them that were written so short before they were indexed that only
/// reading them tells.
const TAKEN_IN: usize = 1_000;

const PATIENCE: Duration = Duration::from_secs(1);

/// What became of bringing indexes up to date.
#[derive(Debug, Default)]
pub(crate) struct Refreshed {
    pub(crate) changed: bool,
    /// Files that have changed and were too many to take in.
    pub(crate) left: usize,
    /// Whether time was up before all that has changed was taken in.
    pub(crate) late: bool,
}

impl Refreshed {
    pub(crate) fn warning(&self) -> Option<Warning> {
        let message = match self.left {
            0 if self.late => {
                "what has changed last may be missing: looking for changes and taking them in took more than a second"
                    .to_owned()
            }
            0 => return None,
            left => format!(
                "{left} files seem to have changed since they were indexed, too many to take in before a search"
            ),
        };
        Some(Warning::new("stale", message))
    }
}

impl Project {
    /// Takes in what has changed of open collections and of repositories. Whether anything had.
    pub(crate) fn catch_up(&self, open: &CollectionSources, repos: &[Repo], cancel: &Cancel) -> Result<bool> {
        let repos: Vec<LocalRepo> = repos.iter().map(|repo| repo.local.clone()).collect();
        Ok(self.refresh(&open_members(open, &self.members()?), &repos, cancel)?.changed)
    }

    /// Takes in what has changed of a repository whose index is asked without a search, where there is little to look through.
    pub fn take_in_changes(&self, repo: &Repo, cancel: &Cancel) -> Result<()> {
        let only = InReach { repos: vec![repo.clone()], ..InReach::default() };
        if only.documents() <= LOOKED_THROUGH {
            self.catch_up(&only.collections, &only.repos, cancel)?;
        }
        Ok(())
    }

    /// Brings the indexes of collections of files and of repositories up to date if little has changed. What fails stays as it
    /// was, and its hits are marked as stale.
    pub(crate) fn refresh(&self, members: &[Member], repos: &[LocalRepo], cancel: &Cancel) -> Result<Refreshed> {
        self.refresh_within(PATIENCE, members, repos, cancel)
    }

    fn refresh_within(
        &self,
        patience: Duration,
        members: &[Member],
        repos: &[LocalRepo],
        cancel: &Cancel,
    ) -> Result<Refreshed> {
        let mut refreshed = Refreshed::default();
        let start = Instant::now();
        let caller = cancel.clone();
        let is_late = move || start.elapsed() > patience;
        let in_time = Cancel::when(move || caller.is_cancelled() || is_late());
        let of_files = members.iter().filter(|member| member.spec.kind() == CollectionKind::File);
        let mut library = self.library()?;
        for member in of_files {
            let options = SyncOptions { limits: self.settings.limits(), ..SyncOptions::default() };
            let mut little = Little { cancel: in_time.child(), left: 0 };
            let cancel = little.cancel.clone();
            let mut tell = |event: SyncEvent<'_>| match event {
                SyncEvent::Waiting => little.waiting(),
                SyncEvent::Reading(files) => little.reading(files),
                _ => {}
            };
            let report = library.sync(member, &options, &mut tell, &cancel);
            refreshed.late |= report.is_err() && is_late();
            refreshed.changed |= report.is_ok_and(|report| !report.is_unchanged());
            refreshed.left = refreshed.left.max(little.left);
        }
        for repo in repos {
            let pointer = read_pointer(&repo.cache);
            let modes: Vec<Mode> = Mode::ALL.into_iter().filter(|mode| pointer.index_root(*mode).is_some()).collect();
            // What was never indexed, or is broken, is for whoever says so.
            if !pointer.exists || pointer.problem.is_some() || modes.is_empty() {
                continue;
            }
            let mut little = Little { cancel: in_time.child(), left: 0 };
            let cancel = little.cancel.clone();
            let request = BuildRequest { quick: true, ..self.build_request(repo, modes, false) };
            let report = build_repo(&request, &cancel, &mut |event| match event {
                BuildEvent::Waiting => little.waiting(),
                BuildEvent::Reading(files) => little.reading(files),
                _ => {}
            });
            refreshed.late |= report.is_err() && is_late();
            refreshed.changed |= report.is_ok_and(|report| !report.unchanged);
            refreshed.left = refreshed.left.max(little.left);
        }
        Ok(refreshed)
    }
}

/// Stops what turns out to be much, or has to wait for others.
struct Little {
    cancel: Cancel,
    left: usize,
}

impl Little {
    fn waiting(&mut self) {
        self.cancel.cancel();
    }

    fn reading(&mut self, files: usize) {
        if files > TAKEN_IN {
            self.left = files;
            self.cancel.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use ai_assist_collections::silent;

    use super::*;
    use crate::{Environment, Machine};

    #[test]
    fn what_is_not_taken_in_on_time_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        std::fs::create_dir_all(root.join("docs")).unwrap();
        let config = r#"{ "collections": { "docs": { "type": "file", "path": "docs" } } }"#;
        std::fs::write(root.join("context.json"), config).unwrap();
        std::fs::write(root.join("docs/a.md"), "# One\n").unwrap();
        let project = Machine::new(Environment::within(folder.path())).open(&root).unwrap();
        let members = project.named_members(&[]).unwrap();
        project.library().unwrap().sync(&members[0], &SyncOptions::default(), &mut silent, &Cancel::default()).unwrap();
        std::fs::write(root.join("docs/a.md"), "# Another\n").unwrap();
        let within = |seconds| project.refresh_within(Duration::from_secs(seconds), &members, &[], &Cancel::default());
        let late = within(0).unwrap();
        assert!(late.late && !late.changed, "{late:?}");
        assert!(late.warning().unwrap().message.contains("may be missing"));
        let taken_in = within(600).unwrap();
        assert!(taken_in.changed && taken_in.warning().is_none(), "{taken_in:?}");
        assert!(within(600).unwrap().warning().is_none());
    }
}
