//! Looking for damage in everything that is kept, and mending it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ai_assist_base::Cancel;
use ai_assist_collections::{CheckedFile, Finding, Health, check_file};
use ai_assist_identity::RepoId;
use ai_assist_repo::layout::{Mode, RepoCache};
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::pointer::read_pointer;
use ai_assist_repo::promote::remove_dir;
use ai_assist_repo::prune::{forget, known_repos};
use ai_assist_repo::status::damage;
use ai_assist_session::search::index_damage;
use ai_assist_workspace::in_use::damaged_manifests;

use crate::{Project, Result};

/// A repository that has a cache.
struct Kept {
    id: RepoId,
    cache: RepoCache,
    /// Its folder, if the cache says which that is.
    root: Option<PathBuf>,
}

impl Project {
    /// Checks the database, every index of collections, repositories and sessions, what is kept of workspaces, and the model.
    pub fn doctor(&self, repair: bool, cancel: &Cancel) -> Result<Vec<Finding>> {
        let (mut findings, defects, usable) = match check_file(&self.roots, repair)? {
            CheckedFile::Damaged(found) => (found, None, false),
            CheckedFile::MadeAnew(found) => (found, None, true),
            CheckedFile::Usable(defects) => (Vec::new(), Some(defects), true),
        };
        if usable {
            findings.extend(self.library()?.doctor(defects, repair)?);
            findings.extend(self.check_sessions(repair)?);
        }
        for kept in self.kept_repos() {
            findings.push(self.check_repo(&kept, repair, cancel)?);
        }
        for (folder, defect) in damaged_manifests(&self.roots.cache) {
            let subject = format!("workspace manifest {}", folder.display());
            findings.push(mended(subject, defect, repair, "removed; the next search makes it anew", || {
                Ok(remove_dir(&folder)?)
            })?);
        }
        Ok(findings)
    }

    /// The repositories of the machine's cache and those in reach, which may have a cache of their own.
    fn kept_repos(&self) -> Vec<Kept> {
        let mut kept: BTreeMap<PathBuf, Kept> = BTreeMap::new();
        for (id, cache, file) in known_repos(&self.roots.cache) {
            let root = file.map(|file| file.root.to_path_buf());
            kept.insert(cache.root.clone(), Kept { id, cache, root });
        }
        for repo in self.repos_in_reach(&[]).unwrap_or_default() {
            let LocalRepo { root, id, cache } = repo.local;
            kept.insert(cache.root.clone(), Kept { id, cache, root: Some(root.to_path_buf()) });
        }
        kept.into_values().filter(|kept| read_pointer(&kept.cache).exists).collect()
    }

    fn check_repo(&self, kept: &Kept, repair: bool, cancel: &Cancel) -> Result<Finding> {
        let place = kept.root.as_deref().map_or_else(|| kept.id.to_string(), |root| root.display().to_string());
        let subject = format!("index of {place}");
        let Some(defect) = damage(&kept.cache) else {
            return Ok(Finding::new(subject, Health::Good, "sound"));
        };
        let there = kept.root.as_deref().filter(|root| root.is_dir());
        let done = if there.is_some() { "built anew from the repository" } else { "removed; its folder is gone" };
        mended(subject, defect, repair, done, || self.remake(kept, there, cancel))
    }

    fn remake(&self, kept: &Kept, root: Option<&Path>, cancel: &Cancel) -> Result<()> {
        let Some(root) = root else {
            forget(&kept.cache, false, cancel)?;
            return Ok(());
        };
        let repo = LocalRepo::around(root, &self.build_caches()?)?;
        let pointer = read_pointer(&repo.cache);
        let indexed: Vec<Mode> = Mode::ALL.into_iter().filter(|mode| pointer.index_root(*mode).is_some()).collect();
        let modes = if indexed.is_empty() { Mode::ALL.to_vec() } else { indexed };
        self.build_index(&repo, modes, false, cancel, &mut |_| {}).map(drop)
    }

    /// Indexes of sessions are made anew when they are next searched.
    fn check_sessions(&self, repair: bool) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for session in ai_assist_session::summaries(&self.objects()?)? {
            let folder = self.session_index(&session.name);
            let Some(defect) = index_damage(&folder) else { continue };
            let subject = format!("index of the session {}", session.name);
            findings.push(mended(subject, defect, repair, "removed; the next search makes it anew", || {
                Ok(remove_dir(&folder)?)
            })?);
        }
        Ok(findings)
    }
}

/// What is said of something that is damaged, once it is mended if it is to be.
fn mended(
    subject: String,
    defect: String,
    repair: bool,
    done: &str,
    mend: impl FnOnce() -> Result<()>,
) -> Result<Finding> {
    if !repair {
        return Ok(Finding::new(subject, Health::Repairable, defect));
    }
    mend()?;
    Ok(Finding::new(subject, Health::Repaired, format!("{defect}; {done}")))
}
