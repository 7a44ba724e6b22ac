//! Where a collection stands.

use ai_assist_identity::{CollectionId, CollectionKind};
use ai_assist_store::CollectionState;
use serde::Serialize;

use crate::library::Library;
use crate::progress::Cancel;
use crate::source::{Member, Resolved};
use crate::sync::{SyncOptions, differs, sort_out, walk_source};
use crate::{Error, Result};

/// The state of a collection against its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The index holds what the source holds.
    Synced,
    /// It was never synced to the end.
    NotSynced,
    /// The source has changed since.
    Stale,
    /// The source can't be read.
    Error,
}

/// A collection of the configuration and where it stands.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: CollectionId,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: CollectionKind,
    /// Its source as the configuration has it.
    pub source: String,
    /// Whether it comes from the user's configuration.
    pub global: bool,
    /// Its state.
    pub status: Status,
    /// What the state comes from, where that is worth a word.
    pub detail: Option<String>,
    /// How many documents are indexed.
    pub documents: u64,
    /// How many chunks.
    pub chunks: u64,
    /// When it was last synced.
    pub last_sync_at: Option<String>,
}

impl Library {
    /// Where one collection stands. Looks at the source, and reads files whose stamps don't settle it.
    ///
    /// # Errors
    ///
    /// If the database can't be read. A source that can't be read is a status, not an error.
    pub fn status(&self, member: &Member, options: &SyncOptions) -> Result<Listed> {
        let id = member.resolved.id();
        let record = self.store().collection(id)?;
        let state = self.store().state(id)?.unwrap_or_default();
        let last_sync_at = record.and_then(|record| record.last_sync_at);
        let (status, detail) = match self.judge(member, options, last_sync_at.is_some(), &state) {
            Ok(judged) => judged,
            Err(Error::Store(error)) => return Err(error.into()),
            Err(error) => (Status::Error, Some(whole(&error))),
        };
        Ok(Listed {
            name: member.name.clone(),
            id: id.clone(),
            kind: member.spec.kind(),
            source: member.spec.source(),
            global: member.global,
            status,
            detail,
            documents: state.documents,
            chunks: state.chunks,
            last_sync_at,
        })
    }

    fn judge(
        &self,
        member: &Member,
        options: &SyncOptions,
        was_synced: bool,
        state: &CollectionState,
    ) -> Result<(Status, Option<String>)> {
        let Resolved::File { id, folder, glob, .. } = &member.resolved else {
            return Ok((Status::NotSynced, Some("packages can't be synced by this version".to_owned())));
        };
        let source_error = |source| Error::Source { name: member.name.clone(), path: folder.clone(), source };
        std::fs::read_dir(folder).map_err(source_error)?;
        if !was_synced {
            return Ok((Status::NotSynced, None));
        }
        if self.index_seq(id) != Some(state.seq.0) {
            return Ok((Status::Stale, Some("the index is behind the database".to_owned())));
        }
        let walked = walk_source(folder, glob, options, &Cancel::default())?;
        let heads = self.store().heads(id)?;
        let sorted = sort_out(&walked, &heads, false);
        if let Some(path) = sorted.removed.first() {
            return Ok((Status::Stale, Some(format!("{path} is gone"))));
        }
        for task in &sorted.tasks {
            let path = task.candidate.path();
            let head = heads.binary_search_by(|head| head.path.cmp(path)).ok().map(|at| &heads[at]);
            match head {
                Some(head) if differs(task.candidate, head, &options.limits) => {
                    return Ok((Status::Stale, Some(format!("{path} has changed"))));
                }
                Some(_) => {}
                // A file that would not be admitted is not missing from the index.
                None if matches!(task.candidate.read(&options.limits), ai_assist_admit::Outcome::Admitted(_)) => {
                    return Ok((Status::Stale, Some(format!("{path} is new"))));
                }
                None => {}
            }
        }
        Ok((Status::Synced, None))
    }
}

/// An error with its causes in one line.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
