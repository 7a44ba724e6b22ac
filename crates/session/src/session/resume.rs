//! Going on with a session: what has happened to its files meanwhile.

use ai_assist_base::Cancel;
use ai_assist_store::Error::{Busy, Full, ReadOnly};
use ai_assist_store::objects::{ObjectId, Version};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{How, Session};
use crate::error::{Error, Result};
use crate::file_reader::ReadOutcome;
use crate::indexer::{Happened, Known, is_gone, is_known, is_stub};
use crate::object::FilesystemSource;

/// So many files are looked at, and written about, at once.
const BATCH: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reconciliation {
    Unchanged,
    Changed,
    /// It was never read, and is now.
    Upgraded,
    Deleted,
    /// It can't be looked at from here, and keeps its last version.
    Unreachable,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reconciled {
    /// Files that are not as they were, with what they are; by path.
    pub files: Vec<(String, Reconciliation)>,
    pub unchanged: usize,
}

impl Reconciled {
    pub fn count(&self, of: Reconciliation) -> usize {
        match of {
            Reconciliation::Unchanged => self.unchanged,
            of => self.files.iter().filter(|(_, found)| *found == of).count(),
        }
    }

    fn add(&mut self, path: String, found: Reconciliation) {
        match found {
            Reconciliation::Unchanged => self.unchanged += 1,
            found => self.files.push((path, found)),
        }
    }
}

impl Session {
    /// Compares every file of the index with the disk: changed ones get a version, deleted ones one that says so, stubs that can be
    /// read are. The sets stay as they are. After an interrupt, what was written is whole.
    pub fn resume(&mut self, cancel: &Cancel) -> Result<Reconciled> {
        self.refresh()?;
        let mut reconciled = Reconciled::default();
        let looker = self.looker();
        let files = self.files_from(0)?;
        for batch in files.chunks(BATCH) {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let seen: Vec<ReadOutcome> = batch.par_iter().map(|(_, source)| looker.look(source)).collect();
            self.reconcile(batch, &seen, &mut reconciled)?;
        }
        reconciled.files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(reconciled)
    }

    /// Looks at the files that are held, before they are shown as what there is now.
    pub fn freshen_held(&mut self) -> Result<Vec<ObjectId>> {
        let held: Vec<ObjectId> = self.sets.active().iter().map(|member| member.id.clone()).collect();
        self.freshen(&held)
    }

    /// Looks at files that were read before: those that have changed get a version, as from a watcher, and are answered. One for
    /// which nothing can be written just now keeps its last version, and is shown as stale.
    pub fn freshen(&mut self, ids: &[ObjectId]) -> Result<Vec<ObjectId>> {
        let looker = self.looker();
        ids.iter().for_each(|id| drop(self.stale.take(id)));
        let mut files = self.stored(ids)?;
        files.retain(|(version, _)| !is_stub(version));
        let look = |(version, source): (Version, FilesystemSource)| match looker.look(&source) {
            ReadOutcome::Unreachable(_) => None,
            sight => {
                let happened = Happened::Read(sight);
                let known = Known::of(&version, version.head.seq);
                (!is_known(Some(&known), &happened)).then_some((version.head.id, (source, happened)))
            }
        };
        let (changed, news): (Vec<ObjectId>, Vec<_>) = files.into_par_iter().filter_map(look).unzip();
        match self.note(&news) {
            Err(Error::Contended(_) | Error::Store(Busy { .. } | Full { .. } | ReadOnly { .. })) => {
                self.stale.extend(changed.iter().cloned());
            }
            noted => drop(noted?),
        }
        Ok(changed)
    }

    /// Whether it has changed on disk, and no version of that could be written.
    pub fn is_stale(&self, id: &ObjectId) -> bool {
        self.stale.contains(id)
    }

    fn reconcile(
        &mut self,
        batch: &[(Version, FilesystemSource)],
        seen: &[ReadOutcome],
        reconciled: &mut Reconciled,
    ) -> Result<()> {
        let found = self.change(&How::default(), &"resume", |session| {
            let mut found = Vec::with_capacity(batch.len());
            for ((version, source), sight) in batch.iter().zip(seen) {
                found.push((session.shown(source), session.compare(version, source, sight)?));
            }
            Ok(found)
        })?;
        found.into_iter().for_each(|(path, found)| reconciled.add(path, found));
        Ok(())
    }

    fn compare(&mut self, version: &Version, source: &FilesystemSource, sight: &ReadOutcome) -> Result<Reconciliation> {
        use crate::indexer::IndexAction::Unchanged;
        if matches!(sight, ReadOutcome::Unreachable(_)) {
            return Ok(Reconciliation::Unreachable);
        }
        let was_unread = is_stub(version);
        if was_unread && matches!(sight, ReadOutcome::Refused(_)) {
            return Ok(Reconciliation::Unchanged);
        }
        let result = self.file(source, Happened::Read(sight.clone()))?;
        Ok(match (result.action, sight) {
            (Unchanged, _) => Reconciliation::Unchanged,
            (_, ReadOutcome::Missing) => Reconciliation::Deleted,
            _ if was_unread && !is_gone(version) => Reconciliation::Upgraded,
            _ => Reconciliation::Changed,
        })
    }
}

#[cfg(test)]
mod tests {
    use ai_assist_base::RealPath;

    use super::*;
    use crate::{NewSession, ReadFile};

    #[test]
    fn a_stale_file_is_shown_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().real_path().unwrap().join("a.md");
        std::fs::write(&path, "# A\n").unwrap();
        let objects = ai_assist_store::objects::SqliteObjects::open(&folder.path().join("assist.db")).unwrap();
        let mut session = Session::create(Box::new(objects), NewSession::default()).unwrap();
        let id: ObjectId =
            session.read(&[ReadFile { path, bytes: None }], &How::default()).unwrap()[0].id.parse().unwrap();
        session.stale.insert(id.clone());
        let held = session.render(Default::default()).unwrap().held;
        assert!(held.contains("[changed on disk since]\n"), "{held}");
        session.freshen_held().unwrap();
        assert!(!session.is_stale(&id));
    }
}
