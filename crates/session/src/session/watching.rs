//! What a session gives to those who follow its files, and looking at files as a session may.

use std::path::{Path, PathBuf};

use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, ObjectId, Version};

use super::files::real;
use super::{How, Session};
use crate::error::Result;
use crate::file_reader::{FileReader, LINK, ReadOutcome};
use crate::indexer::{Happened, IndexAction};
use crate::object::{FilesystemSource, ObjectKind};
use crate::resolver::{FilesystemResolver, ResolvedPath};

/// So many objects are asked for at once.
const BATCH: usize = 1000;

impl Session {
    /// The file of the session that lies at a path of this machine; none if the agent has no way there, or none may be read there.
    pub(crate) fn source_at(&self, path: &Path) -> Option<FilesystemSource> {
        if self.about.sees_this_machine() {
            let source = FilesystemSource::new(self.about.filesystem_id.as_str(), path).ok()?;
            return Some(source).filter(|source| self.is_watchable(source));
        }
        let mut mounts: Vec<_> =
            self.about.mounts.iter().filter(|mount| path.starts_with(&mount.canonical_prefix)).collect();
        mounts.sort_by_key(|mount| std::cmp::Reverse(mount.canonical_prefix.components().count()));
        let sources = mounts.iter().filter_map(|mount| FilesystemSource::new(mount.filesystem_id.as_str(), path).ok());
        sources.into_iter().find(|source| self.is_watchable(source))
    }

    /// Whether this process sees the same file as the agent, and may look at it.
    pub(crate) fn is_watchable(&self, source: &FilesystemSource) -> bool {
        let path = source.to_path_buf();
        let leads_there = self.resolver.resolve(&self.agent_path(source)).is_ok_and(|there| {
            there.watchable && there.filesystem_id == source.filesystem_id && there.canonical_path == path
        });
        leads_there && self.reach.as_ref().is_none_or(|root| real(&path).starts_with(root))
    }

    /// The files among the members of the index from this place on.
    pub(crate) fn files_from(&self, place: usize) -> Result<Vec<(Version, FilesystemSource)>> {
        let ids: Vec<ObjectId> = self.sets.index().skip(place).map(|member| member.id.clone()).collect();
        self.stored(&ids)
    }

    /// Files of any session that were written about after a point of the sequence, and how far that goes. All of them for the
    /// first point.
    pub(crate) fn files_since(&self, after: Seq) -> Result<(Vec<(Version, FilesystemSource)>, Seq)> {
        let (last, _) = self.objects.last()?;
        let kind = ObjectKind::File.as_str();
        let mut ids: Vec<ObjectId> = Vec::new();
        if after == Seq::default() {
            ids = self.objects.of_kind(kind)?;
        } else {
            let mut at = after;
            while at < last {
                let events = self.objects.events_since(at, BATCH)?;
                let Some(end) = events.last() else { break };
                at = end.seq;
                ids.extend(events.into_iter().filter(|event| event.kind == kind).map(|event| event.id));
            }
            ids.sort_unstable();
            ids.dedup();
        }
        Ok((self.stored(&ids)?, last))
    }

    /// Files as they are now, without their texts.
    pub(crate) fn stored(&self, ids: &[ObjectId]) -> Result<Vec<(Version, FilesystemSource)>> {
        let mut files = Vec::new();
        for ids in ids.chunks(BATCH) {
            let versions = self.objects.get_many(ids, AsOf::default(), false)?.into_iter().flatten();
            for version in versions.filter(|version| version.head.kind == ObjectKind::File.as_str()) {
                let source = FilesystemSource::from_json(&version.head.id, version.source.as_deref())?;
                files.push((version, source));
            }
        }
        Ok(files)
    }

    /// Notes what happened to files, in one write. The sets stay as they are.
    pub(crate) fn note(&mut self, news: &[(FilesystemSource, Happened)]) -> Result<Vec<IndexAction>> {
        self.change(&How::default(), &"watch", |session| {
            let noted = news.iter().map(|(source, happened)| session.file(source, happened.clone()));
            noted.map(|result| result.map(|result| result.action)).collect()
        })
    }
}

/// What is needed to look at files, to be used from any thread.
#[derive(Debug, Clone)]
pub(crate) struct Looker {
    eyes: FileReader,
    resolver: FilesystemResolver,
    reach: Option<PathBuf>,
    /// Folders of the agent that files hang on: the session's own, and the ends of mounts.
    anchors: Vec<PathBuf>,
}

impl Session {
    pub(crate) fn looker(&self) -> Looker {
        let folder = self.about.folder.iter().map(PathBuf::from);
        let mounts = self.about.mounts.iter().map(|mount| mount.agent_prefix.clone());
        Looker {
            eyes: self.file_reader(),
            resolver: self.resolver.clone(),
            reach: self.reach.clone(),
            anchors: folder.chain(mounts).collect(),
        }
    }
}

impl Looker {
    /// What can be seen of a file from here. A file on a disk that is not there is not gone.
    pub(crate) fn look(&self, source: &FilesystemSource) -> ReadOutcome {
        let away = |why: &str| ReadOutcome::Unreachable(why.to_owned());
        let path = source.to_path_buf();
        let agent = self.resolver.reverse_resolve(&path, &source.filesystem_id);
        let leads_there = |there: ResolvedPath| there.watchable && there.filesystem_id == source.filesystem_id;
        if !self.resolver.resolve(&agent).is_ok_and(leads_there) {
            return away("no mount leads to it from here");
        }
        if real(&path) != path {
            return away(LINK);
        }
        if self.reach.as_ref().is_some_and(|root| !path.starts_with(root)) {
            return away("it lies outside");
        }
        match self.eyes.look(&path) {
            ReadOutcome::Missing if self.is_cut_off(&agent) => away("its disk is not there"),
            sight => sight,
        }
    }

    fn is_cut_off(&self, agent: &Path) -> bool {
        let is_away = |folder: &Path| self.resolver.resolve(folder).is_ok_and(|there| !there.canonical_path.is_dir());
        self.anchors.iter().any(|folder| agent.starts_with(folder) && is_away(folder))
    }
}
