//! Syncing what a project depends on.

use std::path::Path;

use ai_assist_base::Cancel;
use ai_assist_identity::DocPath;

use super::plan::sort_out;
use super::run::{Job, Run};
use super::{Skipped, SyncOptions, SyncReport, skipped};
use crate::dependency::{Chosen, Gathered};
use crate::{Library, Member, Result, SyncEvent};

impl Library {
    pub(super) fn sync_dependencies(
        &mut self,
        member: &Member,
        (project, chosen): (&Path, &Chosen),
        options: &SyncOptions,
        progress: &mut dyn FnMut(SyncEvent<'_>),
        cancel: &Cancel,
    ) -> Result<SyncReport> {
        let id = member.resolved.id();
        let mut report = SyncReport::new(member, options.dry_run);
        progress(SyncEvent::Walking);
        let mut gathered = Gathered::find(project, chosen, &options.homes, &options.limits, cancel)?;
        report.warnings.append(&mut gathered.warnings);
        if options.locked {
            // Its lock is that of the project's package manager: what that names has to be here.
            report.problems.extend(gathered.missing());
        }
        for problem in std::mem::take(&mut gathered.problems) {
            report.problems.push(Skipped { path: problem.path, reason: problem.message });
        }
        report.skipped.extend(gathered.exclusions.iter().map(skipped));
        if gathered.is_empty() && report.warnings.is_empty() {
            let project = project.display();
            report.warnings.push(format!("no lock file in {project} names a dependency that is on this machine"));
        }
        let heads = self.store().heads(id)?;
        if !options.dry_run {
            self.store_mut().ensure_collection(&member.resolved.record())?;
        }
        let away = |path: &DocPath| gathered.is_away(path.as_str());
        let sorted = sort_out(gathered.wanted(), &heads, options.force, &away);
        report.documents = sorted.unchanged;
        let job = Job { id, options, cancel, requests: &[], keep_stamps: true, vectors: None, unsettled: None };
        Run::new(self, job, &mut report, progress).all(sorted)?;
        if !options.dry_run {
            self.store_mut().mark_synced(id, None)?;
        }
        Ok(report)
    }
}
