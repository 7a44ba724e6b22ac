//! Where a collection stands.

use ai_assist_admit::{Globs, Limits};
use ai_assist_identity::{CollectionId, CollectionKind, DocPath, PackageUrl, Sha256, UrlScheme};
use ai_assist_store::CollectionState;
use serde::Serialize;

use crate::library::Library;
use crate::members::Member;
use crate::package::{Ask, Looked};
use crate::progress::Silent;
use crate::source::Resolved;
use crate::sync::SyncOptions;
use crate::sync::plan::{Input, Wanted, differs, sort_out, walk_source, wanted};
use crate::{Error, Result};
use ai_assist_base::{Cancel, chain};

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
    Error,
}

/// A collection of the configuration and where it stands.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub name: String,
    pub id: CollectionId,
    #[serde(rename = "type")]
    pub kind: CollectionKind,
    pub source: String,
    /// Whether it comes from the user's configuration.
    pub global: bool,
    pub status: Status,
    /// What the state comes from, where that is worth a word.
    pub detail: Option<String>,
    /// What is odd about it: that it is for another version than the project uses.
    pub warning: Option<String>,
    pub documents: u64,
    pub chunks: u64,
    pub last_sync_at: Option<String>,
}

impl Library {
    /// Where one collection stands. Looks at the source, and reads files whose stamps don't settle it. A source that can't be
    /// read is a status, not an error.
    pub fn status(&self, member: &Member, options: &SyncOptions) -> Result<Listed> {
        let id = member.resolved.id();
        let record = self.store().collection(id)?;
        let state = self.store().state(id)?.unwrap_or_default();
        let last_sync_at = record.and_then(|record| record.last_sync_at);
        let (status, detail) = match self.judge(member, options, last_sync_at.is_some(), &state) {
            Ok(judged) => judged,
            Err(Error::Store(error)) => return Err(error.into()),
            Err(error) => (Status::Error, Some(chain(&error))),
        };
        Ok(Listed {
            name: member.name.clone(),
            id: id.clone(),
            kind: member.spec.kind(),
            source: member.spec.source(),
            global: member.global,
            status,
            detail,
            warning: None,
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
        let id = member.resolved.id();
        if let Resolved::File { folder, .. } = &member.resolved {
            let source_error = |source| Error::Source { name: member.name.clone(), path: folder.clone(), source };
            std::fs::read_dir(folder).map_err(source_error)?;
        }
        if let Resolved::Pkg { url, .. } = &member.resolved
            && url.scheme() == UrlScheme::File
            && let Some(path) = url.file_path().map(|path| path.to_path_buf())
        {
            std::fs::metadata(&path).map_err(Error::io("reading", &path))?;
        }
        if !was_synced {
            return Ok((Status::NotSynced, None));
        }
        if self.index_seq(id) != Some(state.seq.0) {
            return Ok((Status::Stale, Some("the index is behind the database".to_owned())));
        }
        match &member.resolved {
            Resolved::File { folder, glob, .. } => {
                let walked = walk_source(folder, Globs::new(&[glob])?, options.limits, &Cancel::default())?;
                self.compare(id, wanted(&walked), &|path| walked.receipt.hides(path.as_str()), &options.limits)
            }
            Resolved::Pkg { url, .. } => self.judge_package(member, url, options),
        }
    }

    /// What can be said of a package without asking the network.
    fn judge_package(
        &self,
        member: &Member,
        url: &PackageUrl,
        options: &SyncOptions,
    ) -> Result<(Status, Option<String>)> {
        let id = member.resolved.id();
        let stale = |why: String| Ok((Status::Stale, Some(why)));
        let known = self.store().package(id)?;
        if !known.as_ref().is_some_and(|known| known.complete) {
            return stale("some of its files could not be had at the last sync".to_owned());
        }
        if let (Some(known), Some(hash)) = (&known, member.spec.hash()?)
            && known.hash != Some(hash)
        {
            return stale("it is not what `hash` in the configuration asks for".to_owned());
        }
        if let Some(pin) = &options.pin {
            if let Err(error) = pin.locked.check_source(member) {
                return stale(error.to_string());
            }
            if let Some(drift) = self.drift(id, &pin.locked)? {
                return stale(drift.to_string());
            }
        }
        if url.scheme() != UrlScheme::File {
            return Ok((Status::Synced, None));
        }
        let (temporary, cancel) = (self.roots().cache.join("tmp"), Cancel::default());
        let ask = Ask {
            url,
            client: &options.client,
            known: known.as_ref(),
            revision: None,
            hash: None,
            temporary: &temporary,
            cancel: &cancel,
        };
        let Looked::Found(package) = ask.look(&mut Silent)? else { return Ok((Status::Synced, None)) };
        let gathered = package.gather(&options.limits, known.as_ref(), &cancel)?;
        // What is to be fetched is not asked for here.
        let local = gathered.wanted(&package, None);
        let (local, remote): (Vec<_>, Vec<_>) =
            local.into_iter().partition(|file| !matches!(file.input, Input::Fetch(_)));
        let hidden =
            |path: &DocPath| gathered.hides(path) || remote.binary_search_by(|file| file.path.cmp(path)).is_ok();
        self.compare(id, local.into_iter(), &hidden, &options.limits)
    }

    fn compare<'s>(
        &self,
        id: &CollectionId,
        wanted: impl Iterator<Item = Wanted<'s>>,
        hidden: &dyn Fn(&DocPath) -> bool,
        limits: &Limits,
    ) -> Result<(Status, Option<String>)> {
        let heads = self.store().heads(id)?;
        let sorted = sort_out(wanted, &heads, false, hidden);
        if let Some(path) = sorted.removed.first() {
            return Ok((Status::Stale, Some(format!("{path} is gone"))));
        }
        for task in &sorted.tasks {
            let candidate = match task.wanted.input {
                Input::File(candidate) => candidate,
                Input::Packed(staging) => {
                    let bytes = staging.read(task.wanted.path).ok().flatten();
                    if task.known.is_some() && bytes.map(|bytes| Sha256::of(&bytes)) == task.known {
                        continue;
                    }
                    let why = if task.exists { "has changed" } else { "is new" };
                    return Ok((Status::Stale, Some(format!("{} {why}", task.wanted.path))));
                }
                Input::Fetch(_) => continue,
            };
            let path = task.wanted.path;
            let head = heads.binary_search_by(|head| head.path.cmp(path)).ok().map(|at| &heads[at]);
            match head {
                Some(head) if differs(candidate, head, limits) => {
                    return Ok((Status::Stale, Some(format!("{path} has changed"))));
                }
                Some(_) => {}
                // A file that would not be admitted is not missing from the index.
                None if matches!(candidate.read(limits), ai_assist_admit::Outcome::Admitted(_)) => {
                    return Ok((Status::Stale, Some(format!("{path} is new"))));
                }
                None => {}
            }
        }
        Ok((Status::Synced, None))
    }
}
