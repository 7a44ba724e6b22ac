//! The lock files of the project and of the user's own collections.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ai_assist_collections::{Error, Library, Lock, LockedCollection, Member, Pin};
use anyhow::Result;

use crate::context::Context;

pub(crate) struct Locks {
    project: Option<(PathBuf, Lock)>,
    global: (PathBuf, Lock),
}

impl Locks {
    pub(crate) fn load(context: &Context) -> Result<Self> {
        let load = |configuration: &std::path::Path| -> Result<(PathBuf, Lock)> {
            let file = Lock::path_of(configuration);
            let lock = Lock::load(&file)?;
            Ok((file, lock))
        };
        let project = context.project.as_ref().map(|project| load(&project.file)).transpose()?;
        Ok(Locks { project, global: load(&context.global_file)? })
    }

    fn of(&self, member: &Member) -> Option<&(PathBuf, Lock)> {
        if member.global { Some(&self.global) } else { self.project.as_ref() }
    }

    /// The file that a collection is locked in.
    pub(crate) fn file(&self, member: &Member) -> PathBuf {
        self.of(member).map(|(file, _)| file.clone()).unwrap_or_default()
    }

    /// What a lock says of a collection.
    pub(crate) fn get(&self, member: &Member) -> Option<LockedCollection> {
        self.of(member)?.1.collections.get(&member.name).cloned()
    }

    /// What a collection is held to. Nothing for one that is no package; an error for a package that is not locked.
    pub(crate) fn pin(&self, member: &Member, frozen: bool) -> std::result::Result<Option<Pin>, Error> {
        if member.spec.kind() == ai_assist_identity::CollectionKind::File {
            return Ok(None);
        }
        match self.get(member) {
            Some(locked) => Ok(Some(Pin { locked, frozen })),
            None => Err(Error::NotLocked { name: member.name.clone(), path: self.file(member) }),
        }
    }

    /// Writes what is indexed of some collections into their locks.
    pub(crate) fn update(&self, context: &Context, library: &Library, members: &[Member]) -> Result<()> {
        let configurations = [
            (self.project.as_ref(), context.project.as_ref(), false),
            (Some(&self.global), context.global.as_ref(), true),
        ];
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
            Lock::update(file, &context.roots.edit_lock(file), fresh, &declared)?;
        }
        Ok(())
    }
}
