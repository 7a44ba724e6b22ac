//! Files that the agent reads and meets, and what it holds of them.

use std::path::{Path, PathBuf};

use ai_assist_base::RealPath;
use ai_assist_identity::{CanonicalPath, DocPath, Sha256};
use ai_assist_store::objects::{AsOf, ObjectId};
use serde::{Deserialize, Serialize};

use super::{How, Session};
use crate::error::{Error, Result};
use crate::file_reader::{ReadOutcome, Refusal};
use crate::indexer::{Happened, IndexAction, IndexResult, is_gone, is_stub};
use crate::object::FilesystemSource;
use crate::sets::{Member, Step};

#[derive(Debug, Clone)]
pub struct ReadFile {
    /// Where the agent sees it: absolute, or below the session's folder.
    pub path: PathBuf,
    /// Its bytes, if the caller has them. Else it is read here.
    pub bytes: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    pub id: String,
    pub path: String,
    pub action: IndexAction,
    /// How many secret values were taken out of it.
    pub redacted: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) source: FilesystemSource,
    /// Whether this process can look at it.
    pub(crate) reachable: bool,
}

impl Session {
    /// Reads files: each gets a version if it has changed, and is held from now on.
    pub fn read(&mut self, files: &[ReadFile], how: &How) -> Result<Vec<Indexed>> {
        let asked = |file: &ReadFile| {
            let path = self.place(&file.path)?.source;
            Ok((path, file.bytes.as_deref().map(|bytes| Sha256::of(bytes).to_string())))
        };
        let asked: Vec<(FilesystemSource, Option<String>)> = files.iter().map(asked).collect::<Result<_>>()?;
        let ids = asked.iter().map(|(source, _)| source.object_id()).collect::<Result<Vec<_>>>()?;
        self.change(how, &("read", asked), |session| {
            ids.iter().try_for_each(|id| session.must_be_as_expected(how, id))?;
            let seen = files.iter().map(|file| session.see(file)).collect::<Result<Vec<_>>>()?;
            seen.iter().map(|(place, sight)| session.take_in(&place.source, sight)).collect()
        })
    }

    /// Looks at a file that was asked for; one that has nothing to keep is an error.
    fn see(&self, file: &ReadFile) -> Result<(Place, ReadOutcome)> {
        let place = self.place(&file.path)?;
        let path = || file.path.clone();
        let sight = match &file.bytes {
            Some(bytes) => self.file_reader().judge(&place.source.to_path_buf(), bytes.clone()),
            None if place.reachable => self.file_reader().look(&place.source.to_path_buf()),
            None => {
                let why = "no mount leads to it from here; give its content along".to_owned();
                return Err(Error::Unreadable { path: path(), why });
            }
        };
        match sight {
            ReadOutcome::Refused(why @ (Refusal::Folder | Refusal::NotRegular)) => {
                Err(Error::Unreadable { path: path(), why: why.to_string() })
            }
            ReadOutcome::Refused(why) => Err(Error::Refused { path: path(), why }),
            ReadOutcome::Missing => Err(Error::Unreadable { path: path(), why: "it is not there".to_owned() }),
            ReadOutcome::Unreachable(why) => Err(Error::Unreadable { path: path(), why }),
            sight => Ok((place, sight)),
        }
    }

    /// Plans what a read file changes.
    pub(crate) fn take_in(&mut self, source: &FilesystemSource, sight: &ReadOutcome) -> Result<Indexed> {
        let result = self.file(source, Happened::Read(sight.clone()))?;
        self.step(Step::Hold, std::slice::from_ref(&result.object_id))?;
        let redacted = if let ReadOutcome::Text { redacted, .. } = sight { *redacted } else { 0 };
        Ok(self.indexed(source, &result, redacted))
    }

    fn indexed(&self, source: &FilesystemSource, result: &IndexResult, redacted: usize) -> Indexed {
        let (id, path) = (result.object_id.to_string(), self.shown(source));
        Indexed { id, path, action: result.action, redacted }
    }

    /// Files that the agent met without reading them: a listing, the hits of a search.
    pub fn discover(&mut self, paths: &[PathBuf], how: &How) -> Result<Vec<Indexed>> {
        let places = paths.iter().map(|path| self.place(path)).collect::<Result<Vec<_>>>()?;
        if let Some(folder) = places.iter().find(|place| place.reachable && place.source.to_path_buf().is_dir()) {
            let why = "it is a folder; name the files in it".to_owned();
            return Err(Error::Unreadable { path: self.agent_path(&folder.source), why });
        }
        let sources: Vec<&FilesystemSource> = places.iter().map(|place| &place.source).collect();
        let asked = ("discover", &sources);
        let ids = sources.iter().map(|source| source.object_id()).collect::<Result<Vec<_>>>()?;
        self.change(how, &asked, |session| {
            ids.iter().try_for_each(|id| session.must_be_as_expected(how, id))?;
            sources.iter().map(|source| session.meet(source)).collect()
        })
    }

    /// Plans what a met file changes.
    pub(crate) fn meet(&mut self, source: &FilesystemSource) -> Result<Indexed> {
        let result = self.file(source, Happened::Met)?;
        self.step(Step::Meet, std::slice::from_ref(&result.object_id))?;
        Ok(self.indexed(source, &result, 0))
    }

    /// Holds objects of the pool. A file that was never read is read now; if it can't be, nothing is changed.
    pub fn activate(&mut self, ids: &[ObjectId], how: &How) -> Result<Vec<String>> {
        self.hold(Step::Activate, ids, how)
    }

    /// Lets go of objects; they stay in the pool.
    pub fn deactivate(&mut self, ids: &[ObjectId], how: &How) -> Result<Vec<String>> {
        self.change_sets(Step::Deactivate, ids, how)
    }

    /// Holds objects and keeps them whatever the window or the budget says.
    pub fn pin(&mut self, ids: &[ObjectId], how: &How) -> Result<Vec<String>> {
        self.hold(Step::Pin, ids, how)
    }

    /// Lets objects go the way of others again.
    pub fn unpin(&mut self, ids: &[ObjectId], how: &How) -> Result<Vec<String>> {
        self.change_sets(Step::Unpin, ids, how)
    }

    /// Takes objects out of the pool. They stay in the index, where a search finds them.
    pub fn forget(&mut self, ids: &[ObjectId], how: &How) -> Result<Vec<String>> {
        self.change_sets(Step::Forget, ids, how)
    }

    /// Ends the session: it is no longer the one that a folder's commands are about. Everything it knows stays.
    pub fn close(&mut self, how: &How) -> Result<bool> {
        self.set_closed(Step::Close, how)
    }

    /// Goes on with a session that was closed.
    pub fn reopen(&mut self, how: &How) -> Result<bool> {
        self.set_closed(Step::Reopen, how)
    }

    fn hold(&mut self, step: Step, ids: &[ObjectId], how: &How) -> Result<Vec<String>> {
        self.change(how, &(step, names(ids)), |session| {
            session.must_be_as_expected(how, &session.id.clone())?;
            // What was forgotten comes back.
            let known: Vec<ObjectId> = ids.iter().filter(|id| session.sets.member(id).is_some()).cloned().collect();
            session.step(Step::Meet, &known)?;
            session.all_in_pool(ids)?;
            for source in session.unread(ids)? {
                let file = ReadFile { path: session.agent_path(&source), bytes: None };
                let (place, sight) = session.see(&file)?;
                if place.source != source {
                    let why = format!("a link to `{}` has taken its place", session.shown(&place.source));
                    return Err(Error::Unreadable { path: file.path, why });
                }
                session.file(&place.source, Happened::Read(sight))?;
            }
            let activated = session.step(Step::Activate, ids)?;
            let changed = if step == Step::Pin { session.step(Step::Pin, ids)? } else { activated };
            Ok(names(&changed))
        })
    }

    /// The files among these that were never read, or are gone and may be back.
    fn unread(&self, ids: &[ObjectId]) -> Result<Vec<FilesystemSource>> {
        let versions = self.objects.get_many(ids, AsOf::default(), false)?;
        let stubs = versions.iter().flatten().filter(|version| is_stub(version) || is_gone(version));
        stubs.map(|stub| FilesystemSource::from_json(&stub.head.id, stub.source.as_deref())).collect()
    }

    fn change_sets(&mut self, step: Step, ids: &[ObjectId], how: &How) -> Result<Vec<String>> {
        self.change(how, &(step, names(ids)), |session| {
            session.must_be_as_expected(how, &session.id.clone())?;
            session.all_in_pool(ids)?;
            let lets_go = matches!(step, Step::Deactivate | Step::Forget);
            let is_pinned = |id: &&ObjectId| session.sets.member(id).is_some_and(Member::is_pinned);
            if let Some(id) = ids.iter().find(is_pinned).filter(|_| lets_go) {
                return Err(Error::Pinned(id.clone()));
            }
            Ok(names(&session.step(step, ids)?))
        })
    }

    fn all_in_pool(&self, ids: &[ObjectId]) -> Result<()> {
        let outside = |id: &&ObjectId| !self.sets.member(id).is_some_and(Member::in_pool);
        ids.iter().find(outside).map_or(Ok(()), |id| Err(Error::NotInPool(id.clone())))
    }

    /// Where a path of the agent leads, links resolved as far as this process can see them.
    pub(crate) fn place(&self, path: &Path) -> Result<Place> {
        let absolute = match &self.about.folder {
            Some(folder) if path.is_relative() => Path::new(folder).join(path),
            _ => path.to_owned(),
        };
        let resolved = self.resolver.resolve(&absolute)?;
        let real = if resolved.watchable { real(&resolved.canonical_path) } else { resolved.canonical_path };
        if let Some(root) = self.reach.as_ref().filter(|root| !real.starts_with(root)) {
            return Err(Error::Outside { path: path.to_owned(), root: root.clone() });
        }
        let source = FilesystemSource::new(resolved.filesystem_id, &real)?;
        Ok(Place { source, reachable: resolved.watchable })
    }

    /// Where the agent sees a file.
    pub(crate) fn agent_path(&self, source: &FilesystemSource) -> PathBuf {
        self.resolver.reverse_resolve(&source.to_path_buf(), &source.filesystem_id)
    }

    /// The same for people: below the session's folder without it.
    pub fn shown(&self, source: &FilesystemSource) -> String {
        let path = self.agent_path(source);
        let folder = self.about.folder.as_deref().map(Path::new);
        let below =
            folder.and_then(|folder| path.strip_prefix(folder).ok()).filter(|rest| !rest.as_os_str().is_empty());
        match below {
            Some(below) => DocPath::from_relative(below)
                .map_or_else(|_| below.display().to_string(), |path| path.as_str().to_owned()),
            None => {
                CanonicalPath::from_absolute(&path).map_or_else(|_| path.display().to_string(), |path| path.to_string())
            }
        }
    }
}

pub(super) fn names(ids: &[ObjectId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

/// The path with its links resolved; of one that is not there, those of the folders that are.
pub(crate) fn real(path: &Path) -> PathBuf {
    let resolved = path.ancestors().find_map(|at| {
        let (real, missing) = (at.real_path().ok()?, path.strip_prefix(at).ok()?);
        Some(real.components().chain(missing.components()).collect())
    });
    resolved.unwrap_or_else(|| path.to_owned())
}
