//! Going on with a session: what has happened to its files meanwhile.

use ai_assist_base::Cancel;
use ai_assist_store::objects::Version;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{How, Session};
use crate::error::Result;
use crate::file_reader::ReadOutcome;
use crate::indexer::{Happened, is_gone, is_stub};
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
                return Err(crate::Error::Cancelled);
            }
            let seen: Vec<ReadOutcome> = batch.par_iter().map(|(_, source)| looker.look(source)).collect();
            self.reconcile(batch, &seen, &mut reconciled)?;
        }
        reconciled.files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(reconciled)
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
