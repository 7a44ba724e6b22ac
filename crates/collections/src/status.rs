//! Where collections and categories stand.

use std::path::Path;

use ai_assist_admit::{Globs, Limits};
use ai_assist_identity::{CollectionId, CollectionKind, DocPath, PackageUrl, Sha256, UrlScheme};
use ai_assist_store::CollectionState;
use serde::Serialize;

use crate::dependency::{Chosen, Gathered};
use crate::package::{Ask, Looked};
use crate::sync::plan::{Input, Wanted, differs, sort_out, walk_source, wanted};
use crate::{CategorySpec, DeclaredCollection, Error, Library, Member, Members, Resolved, Result, SyncOptions, silent};
use ai_assist_base::{Cancel, chain};

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

/// A state, and what it comes from where that is worth a word.
type Judged = (Status, Option<String>);

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
    ) -> Result<Judged> {
        let id = member.resolved.id();
        member.resolved.usable()?;
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
            let read = self.read_by(member)?;
            let changed = read != *id && self.store().collection(&read)?.is_some();
            let why = "its source was changed in the configuration since it was synced".to_owned();
            return Ok(if changed { (Status::Stale, Some(why)) } else { (Status::NotSynced, None) });
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
            Resolved::Dep { project, chosen, .. } => self.judge_dependencies(id, (project, chosen), options),
            Resolved::Site { .. } => self.judge_site(member, options),
            Resolved::Broken { why, .. } => Err(Error::Unusable(why.clone())),
        }
    }

    /// What can be said of a package without asking the network.
    fn judge_package(&self, member: &Member, url: &PackageUrl, options: &SyncOptions) -> Result<Judged> {
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
        let Looked::Found(package) = ask.look(&mut silent)? else { return Ok((Status::Synced, None)) };
        let gathered = package.gather(&options.limits, known.as_ref(), &cancel)?;
        // What is to be fetched is not asked for here.
        let local = gathered.wanted(&package, None);
        let (local, remote): (Vec<_>, Vec<_>) =
            local.into_iter().partition(|file| !matches!(file.input, Input::Fetch(_)));
        let hidden =
            |path: &DocPath| gathered.hides(path) || remote.binary_search_by(|file| file.path.cmp(path)).is_ok();
        self.compare(id, local.into_iter(), &hidden, &options.limits)
    }

    /// Whether the lock files have the versions that were indexed, and the packages what they had.
    fn judge_dependencies(
        &self,
        id: &CollectionId,
        (project, chosen): (&Path, &Chosen),
        options: &SyncOptions,
    ) -> Result<Judged> {
        let gathered = Gathered::find(project, chosen, &options.homes, &options.limits, &Cancel::default())?;
        let heads = self.store().heads(id)?;
        if let Some(why) = gathered.other_versions(heads.iter().map(|head| head.path.as_str())) {
            return Ok((Status::Stale, Some(why)));
        }
        self.compare(id, gathered.wanted(), &|path| gathered.is_away(path.as_str()), &options.limits)
    }

    /// What can be said of a website without asking it.
    fn judge_site(&self, member: &Member, options: &SyncOptions) -> Result<Judged> {
        let id = member.resolved.id();
        let stale = |why: String| Ok((Status::Stale, Some(why)));
        if !self.store().package(id)?.is_some_and(|known| known.complete) {
            return stale("some of its pages could not be had at the last sync".to_owned());
        }
        if let Some(pin) = &options.pin {
            if let Err(error) = pin.locked.check_source(member) {
                return stale(error.to_string());
            }
            if let Some(drift) = self.drift(id, &pin.locked)? {
                return stale(drift.to_string());
            }
        }
        Ok((Status::Synced, None))
    }

    fn compare<'s>(
        &self,
        id: &CollectionId,
        wanted: impl Iterator<Item = Wanted<'s>>,
        hidden: &dyn Fn(&DocPath) -> bool,
        limits: &Limits,
    ) -> Result<Judged> {
        let heads = self.store().heads(id)?;
        let sorted = sort_out(wanted, &heads, false, hidden);
        if let Some(path) = sorted.removed.first() {
            return Ok((Status::Stale, Some(format!("{path} is gone"))));
        }
        for task in &sorted.tasks {
            let candidate = match task.wanted.input {
                Input::File(candidate) | Input::Program(candidate, _) => candidate,
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

/// A declared collection and where it stands: its source and all its categories together.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCollection {
    pub name: String,
    /// The id of its source, if it has one.
    pub id: Option<CollectionId>,
    #[serde(rename = "type")]
    pub kind: Option<CollectionKind>,
    pub source: Option<String>,
    pub categories: Vec<String>,
    pub description: Option<String>,
    pub global: bool,
    /// Its state: that of the part that needs most attention.
    pub status: Status,
    pub detail: Option<String>,
    pub warning: Option<String>,
    /// How many documents it has, each counted once.
    pub documents: u64,
    pub chunks: u64,
    /// When it was last synced; of several parts, the one that waits longest.
    pub last_sync_at: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCategory {
    pub name: String,
    pub id: CollectionId,
    #[serde(flatten)]
    pub category: CategorySpec,
    pub collections: Vec<String>,
    pub global: bool,
    pub status: Status,
    pub detail: Option<String>,
    pub documents: u64,
    pub chunks: u64,
    pub last_sync_at: Option<String>,
}

impl Library {
    /// Where a declared collection stands. `options` says how each of its parts is looked at.
    pub fn collection_status(
        &self,
        members: &Members,
        collection: &DeclaredCollection,
        options: &dyn Fn(&Member) -> SyncOptions,
    ) -> Result<ListedCollection> {
        let mut parts = Vec::new();
        for member in members.members_of(collection) {
            parts.push((member, self.status(member, &options(member))?));
        }
        let worst = parts.iter().max_by_key(|(_, part)| urgency(part.status));
        let known = |name: &&String| parts.iter().any(|(member, _)| member.category() == Some(name));
        let unknown = collection.declaration.categories.iter().find(|name| !known(name));
        let source = parts.iter().find(|(member, _)| !member.is_category).map(|(_, part)| part);
        Ok(ListedCollection {
            name: collection.name.clone(),
            id: source.map(|part| part.id.clone()),
            kind: source.map(|part| part.kind),
            source: source.map(|part| part.source.clone()),
            categories: collection.declaration.categories.clone(),
            description: collection.declaration.description.clone(),
            global: collection.global,
            status: match unknown {
                Some(_) => Status::Error,
                None => worst.map_or(Status::Synced, |(_, part)| part.status),
            },
            detail: match (unknown, worst) {
                (Some(name), _) => Some(format!("there is no category `{name}`")),
                (None, Some((member, part))) => detail(member, part),
                (None, None) => Some("it has no categories yet, so it has no documents".to_owned()),
            },
            warning: None,
            documents: self.count(members, collection, &parts)?,
            chunks: parts.iter().map(|(_, part)| part.chunks).sum(),
            last_sync_at: oldest(&parts),
        })
    }

    pub fn category_status(
        &self,
        member: &Member,
        category: &CategorySpec,
        options: &SyncOptions,
    ) -> Result<ListedCategory> {
        let listed = self.status(member, options)?;
        Ok(ListedCategory {
            name: listed.name,
            id: listed.id,
            category: category.clone(),
            collections: member.collections.clone(),
            global: listed.global,
            status: listed.status,
            detail: listed.detail,
            documents: listed.documents,
            chunks: listed.chunks,
            last_sync_at: listed.last_sync_at,
        })
    }

    /// How many documents a collection has. Only where several parts have some can one of them be in two.
    fn count(&self, members: &Members, collection: &DeclaredCollection, parts: &[(&Member, Listed)]) -> Result<u64> {
        let filled = parts.iter().filter(|(_, part)| part.documents > 0).count();
        if filled > 1 {
            return Ok(self.documents(members, std::slice::from_ref(&collection.name))?.len() as u64);
        }
        Ok(parts.iter().map(|(_, part)| part.documents).sum())
    }
}

/// How much attention a state needs.
fn urgency(status: Status) -> u8 {
    match status {
        Status::Synced => 0,
        Status::Stale => 1,
        Status::NotSynced => 2,
        Status::Error => 3,
    }
}

fn detail(member: &Member, part: &Listed) -> Option<String> {
    match (member.category(), &part.detail, part.status) {
        (None, detail, _) => detail.clone(),
        (Some(_), None, Status::Synced) => None,
        (Some(name), None, _) => Some(format!("category {name}")),
        (Some(name), Some(detail), _) => Some(format!("category {name}: {detail}")),
    }
}

fn oldest(parts: &[(&Member, Listed)]) -> Option<String> {
    let times: Option<Vec<&String>> = parts.iter().map(|(_, part)| part.last_sync_at.as_ref()).collect();
    times?.into_iter().min().cloned()
}
