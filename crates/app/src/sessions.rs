//! Sessions: which one is meant, and who may reach it.

use std::path::{Path, PathBuf};

use ai_assist_base::{RealPath, nearest};
use ai_assist_identity::DocPath;
use ai_assist_repo::local_repo::LocalRepoError;
use ai_assist_repo::one_file::OneFile;
use ai_assist_repo::root::{canonical_root, work_tree_top};
use ai_assist_session::search::Seen;
use ai_assist_session::surroundings::{MachineFiles, default_filesystem_id};
use ai_assist_session::{About, Error as SessionError, NewSession, Session, Summary, summaries};
use ai_assist_store::Seq;

use crate::{Error, Project, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// A person: every session of this machine, and every file.
    Machine,
    /// An agent: the sessions about the project, none that keeps secrets as they are, and no file outside of the project.
    Project,
}

impl Project {
    /// Sessions, the one that was changed last first.
    pub fn sessions(&self, reach: Reach) -> Result<Vec<Summary>> {
        self.take_in_hooks();
        let mut found = summaries(&self.objects()?)?;
        if reach == Reach::Project {
            let root = self.session_folder()?;
            found.retain(|summary| self.is_about_us(&summary.about, &root) && !summary.about.raw);
        }
        Ok(found)
    }

    /// Takes in what hooks have told. What can't be taken in now stays where it is for the next one who asks, and is no reason to
    /// keep back what is known.
    pub(crate) fn take_in_hooks(&self) {
        let _ = self.drain_spool();
    }

    /// The session about this folder, or the nearest above it, that was changed last and is not closed. A folder of another machine
    /// is another one, whatever its path.
    pub fn last_session(&self, reach: Reach) -> Result<Option<String>> {
        let here = self.folder.real_path().unwrap_or_else(|_| self.folder.clone());
        let all = self.sessions(reach)?;
        let is_here = |session: &&Summary| {
            let about = &session.about;
            !session.closed
                && !about.elsewhere
                && about.folder.as_deref().is_some_and(|folder| here.starts_with(folder))
        };
        let depth = |session: &&Summary| {
            session.about.folder.as_deref().map_or(0, |folder| Path::new(folder).components().count())
        };
        // The last of equals is taken, and the one that was changed last comes first.
        Ok(all.iter().filter(is_here).rev().max_by_key(depth).map(|session| session.name.clone()))
    }

    /// The session that is named, or the last one about this folder.
    pub fn session(&self, name: Option<&str>, reach: Reach) -> Result<Session> {
        self.take_in_hooks();
        let name = match name {
            Some(name) => name.to_owned(),
            None => self.last_session(reach)?.ok_or_else(|| Error::NoSession(self.folder.clone()))?,
        };
        match Session::load(Box::new(self.objects()?), &name) {
            Ok(session) => self.checked(session, reach),
            Err(SessionError::UnknownSession { name, .. }) => {
                let all = self.sessions(reach)?;
                let near = nearest(&name, all.iter().map(|session| session.name.as_str()));
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                Err(SessionError::UnknownSession { name, near }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    pub fn create_session(&self, new: NewSession, reach: Reach) -> Result<Session> {
        self.checked(Session::create(Box::new(self.objects()?), new)?, reach)
    }

    /// A version of what a session holds, as hits name it: `SESSION/toolcall/bash@123`. None where the name is no such.
    pub fn seen(&self, name: &str, asker: Reach) -> Result<Option<(String, OneFile)>> {
        let Some((place, version)) = name.rsplit_once('@') else { return Ok(None) };
        let (Some((session, path)), Ok(version)) = (place.split_once('/'), version.parse()) else { return Ok(None) };
        if !self.sessions(asker)?.iter().any(|known| known.name == session) {
            return Ok(None);
        }
        let opened = self.session(Some(session), asker)?;
        let is_it = |seen: &Seen| seen.seq == Seq(version) && seen.path == path;
        let Some(seen) = opened.seen()?.into_iter().find(is_it) else { return Ok(None) };
        let text = opened.text(seen.text)?.unwrap_or_default();
        let language = seen.language(&text);
        let file = OneFile { path: DocPath::parse(path)?, language, hash: seen.text.0, text, redacted: 0 };
        Ok(Some((session.to_owned(), file)))
    }

    /// A session, once it is known that the caller may have it.
    fn checked(&self, mut session: Session, reach: Reach) -> Result<Session> {
        if reach == Reach::Project {
            let root = self.session_folder()?;
            let name = || session.name().to_owned();
            let folder = session.about().folder.clone().map(PathBuf::from);
            let Some(folder) = folder.filter(|_| self.is_about_us(session.about(), &root)) else {
                return Err(Error::OtherFolder(name()));
            };
            if session.about().raw {
                return Err(Error::RawSession(name()));
            }
            session.limit_to(folder, ai_assist_git::tracked_files);
        }
        Ok(session)
    }

    /// The folder that sessions started here are about, as they name it: that of the project's configuration, else that of the
    /// repository, else the one that was named. So it is the same one from anywhere in a project.
    pub fn session_folder(&self) -> Result<String> {
        let folder = match &self.local {
            Some(local) => local.root.real_path().unwrap_or_else(|_| local.root.clone()),
            None => canonical_root(&self.folder, &work_tree_top).map_err(LocalRepoError::from)?.to_path_buf(),
        };
        folder.into_os_string().into_string().map_err(|folder| Error::NotUtf8(folder.into()))
    }

    /// Whether a session is about the project, or a part of it that this folder is in.
    fn is_about_us(&self, about: &About, root: &str) -> bool {
        let here = self.folder.real_path().unwrap_or_else(|_| self.folder.clone());
        about.folder.as_ref().is_some_and(|folder| here.starts_with(folder) && Path::new(folder).starts_with(root))
    }

    /// What files of this machine are told apart by from those of others.
    pub fn filesystem_id(&self) -> Result<String> {
        Ok(default_filesystem_id(&MachineFiles::default())?)
    }
}
