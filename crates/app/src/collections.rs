//! Collections: how they stand, and bringing them up to date.

use std::path::PathBuf;

use ai_assist_base::Cancel;
use ai_assist_collections::{
    DeclaredCollection, Error as CollectionsError, ListedCollection, Member, MergedPackage, Suggestions, SyncEvent,
    SyncOptions, SyncReport, suggest,
};

use crate::{Locks, OpenLibrary, Project, Result};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SyncWanted {
    pub force: bool,
    pub dry_run: bool,
    pub locked: bool,
    /// Hold them to their locks without asking the network what there is.
    pub frozen: bool,
}

/// A sync of several collections, one after the other.
#[derive(Debug)]
pub struct CollectionSync<'p> {
    project: &'p Project,
    library: OpenLibrary,
    locks: Locks,
    options: SyncOptions,
    wanted: SyncWanted,
    settled: Vec<Member>,
    merged: Vec<MergedPackage>,
    vendor: Option<PathBuf>,
}

impl<'p> CollectionSync<'p> {
    pub fn new(project: &'p Project, wanted: SyncWanted) -> Result<Self> {
        // What is to be held to a lock needs one that is whole.
        let (locks, merged) = match wanted.locked || wanted.frozen {
            true => (Locks::load(project)?, Vec::new()),
            false => Locks::settled(project, !wanted.dry_run)?,
        };
        let library = project.library()?;
        let locked = wanted.locked || wanted.frozen;
        let options = SyncOptions { force: wanted.force, dry_run: wanted.dry_run, locked, ..project.sync_options()? };
        Ok(CollectionSync { project, library, locks, options, wanted, settled: Vec::new(), merged, vendor: None })
    }

    /// With vendored files elsewhere than beside the configuration.
    pub fn with_vendor(self, folder: Option<PathBuf>) -> Self {
        CollectionSync { vendor: folder, ..self }
    }

    /// The packages that the sides of a merge disagreed about in the lock, and which side was taken.
    pub fn merged(&self) -> &[MergedPackage] {
        &self.merged
    }

    /// Syncs one collection. That it fails keeps none of the others from being synced.
    pub fn sync(
        &mut self,
        member: &Member,
        progress: &mut dyn FnMut(SyncEvent<'_>),
        cancel: &Cancel,
    ) -> Result<SyncReport, CollectionsError> {
        let mut options = self.options.clone();
        if self.is_held() {
            options.pin = self.locks.pin(member, self.wanted.frozen)?;
        }
        if self.wanted.frozen {
            options.vendor = Some(self.vendor.clone().unwrap_or_else(|| self.locks.vendor_folder(member)));
        }
        let report = self.library.sync(member, &options, progress, cancel)?;
        if report.problems.is_empty() {
            self.settled.push(member.clone());
        }
        Ok(report)
    }

    /// Writes the locks of what was synced whole: what is between two states is not what another machine should get.
    pub fn finish(mut self) -> Result<()> {
        if self.wanted.dry_run || self.is_held() {
            return Ok(());
        }
        self.locks.update(self.project, &mut self.library, &self.settled)
    }

    fn is_held(&self) -> bool {
        self.wanted.locked || self.wanted.frozen
    }
}

impl Project {
    /// Collections for what the project depends on. A registry that can't be read is a warning.
    pub fn suggestions(&self, all: bool, cancel: &Cancel) -> Result<Suggestions> {
        let client = self.client()?;
        let mut registries = Vec::new();
        let mut warnings = Vec::new();
        for registry in self.registries(&client, cancel) {
            match registry {
                Ok(registry) => registries.push(registry),
                Err(error) => warnings.push(ai_assist_base::chain(&error)),
            }
        }
        let mut found = suggest(&self.own_configuration(), &registries, self.machine.homes(), all, &[]);
        found.warnings.extend(warnings);
        Ok(found)
    }

    /// Declared collections, and how their indexes compare with their sources.
    pub fn collections(
        &self,
        wanted: &dyn Fn(&DeclaredCollection) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<ListedCollection>> {
        let (members, library, options) = (self.members()?, self.library()?, self.sync_options()?);
        let locks = Locks::load(self)?;
        let pinned = |member: &Member| locks.pinned(&options, member);
        let mut listed = Vec::new();
        for collection in members.collections().iter().filter(|collection| wanted(collection)) {
            if cancel.is_cancelled() {
                return Err(CollectionsError::Cancelled.into());
            }
            listed.push(library.collection_status(&members, collection, &pinned)?);
        }
        Ok(listed)
    }
}
