//! The lock files of the project and of the user's own collections.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ai_assist_collections::{
    Error as CollectionsError, Library, Lock, LockedCollection, Member, MergedPackage, Pin, SyncOptions, VENDOR_FOLDER,
};
use ai_assist_identity::CollectionKind;

use crate::{Project, Result};

#[derive(Debug)]
pub struct Locks {
    local: Option<(PathBuf, Lock)>,
    global: (PathBuf, Lock),
}

impl Locks {
    pub fn load(project: &Project) -> Result<Self> {
        let load = |configuration: &Path| -> Result<(PathBuf, Lock)> {
            let file = Lock::path_of(configuration);
            let lock = Lock::load(&file)?;
            Ok((file, lock))
        };
        let local = project.local.as_ref().map(|local| load(&local.file)).transpose()?;
        Ok(Locks { local, global: load(&project.global_file)? })
    }

    /// The same, where the conflicts of a merge are settled by what the project and its user declare. They are written so if `write`
    /// says so, and named.
    pub(crate) fn settled(project: &Project, write: bool) -> Result<(Self, Vec<MergedPackage>)> {
        let members = match Locks::load(project) {
            Err(crate::Error::Collections(CollectionsError::LockConflict { .. })) => project.members()?,
            loaded => return Ok((loaded?, Vec::new())),
        };
        let mut all = Vec::new();
        let mut load = |configuration: &Path, global: bool| -> Result<(PathBuf, Lock)> {
            let file = Lock::path_of(configuration);
            let of = |name: &str| members.iter().find(|member| member.name == name && member.global == global);
            let admits = |name: &str, locked: &LockedCollection| of(name).is_some_and(|it| locked.is_admitted_by(it));
            let (lock, settled) = Lock::load_settled(&file, &admits, write)?;
            all.extend(settled);
            Ok((file, lock))
        };
        let local = project.local.as_ref().map(|local| load(&local.file, false)).transpose()?;
        let global = load(&project.global_file, true)?;
        Ok((Locks { local, global }, all))
    }

    fn of(&self, member: &Member) -> Option<&(PathBuf, Lock)> {
        if member.global { Some(&self.global) } else { self.local.as_ref() }
    }

    pub fn file(&self, member: &Member) -> PathBuf {
        self.of(member).map(|(file, _)| file.clone()).unwrap_or_default()
    }

    /// Where the files of a collection are vendored, if they are.
    pub(crate) fn vendor_folder(&self, member: &Member) -> PathBuf {
        self.file(member).with_file_name(VENDOR_FOLDER)
    }

    pub fn get(&self, member: &Member) -> Option<LockedCollection> {
        self.of(member)?.1.collections.get(&member.name).cloned()
    }

    /// The options of a sync that is compared with what is locked.
    pub(crate) fn pinned(&self, options: &SyncOptions, member: &Member) -> SyncOptions {
        let pin = self.get(member).map(|locked| Pin { locked, frozen: false });
        SyncOptions { pin, ..options.clone() }
    }

    /// What a collection is held to. Nothing for one that is no package; an error for a package that is not locked.
    pub fn pin(&self, member: &Member, frozen: bool) -> Result<Option<Pin>, CollectionsError> {
        if !matches!(member.spec.kind(), CollectionKind::Pkg | CollectionKind::Site) {
            return Ok(None);
        }
        match self.get(member) {
            Some(locked) => Ok(Some(Pin { locked, frozen })),
            None => Err(CollectionsError::NotLocked { name: member.name.clone(), path: self.file(member) }),
        }
    }

    /// Writes what is indexed of some collections into their locks.
    pub fn update(&self, project: &Project, library: &mut Library, members: &[Member]) -> Result<()> {
        let configurations =
            [(self.local.as_ref(), project.local.as_ref(), false), (Some(&self.global), project.global.as_ref(), true)];
        for (lock, configuration, global) in configurations {
            let (Some((file, before)), Some(configuration)) = (lock, configuration) else { continue };
            let mut fresh = BTreeMap::new();
            for member in members.iter().filter(|member| member.global == global) {
                if let Some(locked) = library.locked(member)? {
                    fresh.insert(member.name.clone(), locked);
                }
            }
            if fresh.is_empty() && before.collections.is_empty() {
                continue;
            }
            let declared = |name: &str| configuration.config.get(name).is_some();
            Lock::update(file, fresh, &declared)?;
            for member in members.iter().filter(|member| member.global == global) {
                library.note_locked(member)?;
            }
        }
        Ok(())
    }
}
