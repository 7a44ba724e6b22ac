//! Who reads what: the state of a package that a project's lock names, whatever others have synced since.
//!
//! A package is kept once for each state that somebody reads. A sync changes what is kept in place if nobody else reads it; else it
//! goes on from a copy, which shares every text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ai_assist_base::RealPath;
use ai_assist_base::platform::{self, Facts};
use ai_assist_identity::{CollectionId, Sha256};
use ai_assist_store::Reading;

use crate::lock::{Lock, LockedCollection, url_of};
use crate::{Library, Member, Members, Resolved, Result};

/// A reader as people are told of it.
pub fn reader_of(member: &Member) -> String {
    shown(&member.config.display().to_string(), &member.name)
}

fn shown(config: &str, name: &str) -> String {
    format!("{name} of {config}")
}

/// A configuration by one spelling of its folder, whatever links lead there: else a project would be another reader of its own.
pub fn one_spelling(config: &Path) -> PathBuf {
    let folder = config.parent().and_then(|folder| folder.real_path().ok());
    folder.zip(config.file_name()).map_or_else(|| config.to_owned(), |(folder, name)| folder.join(name))
}

/// What tells whether a lock file is the one that was looked at.
fn stamp(lock: &Path) -> Option<String> {
    let found = std::fs::metadata(lock).ok()?;
    let Facts { mtime: (seconds, nanos), inode, .. } = platform::facts(lock, &found).ok()?;
    Some(format!("{}:{seconds}.{nanos:09}:{inode}", found.len()))
}

impl Library {
    /// Lets every package be read in the state that its lock names: the one that is kept in that state, or none yet.
    pub fn settle(&mut self, members: &mut Members) -> Result<()> {
        let readings = self.store().readings()?;
        let mut locks: HashMap<PathBuf, Lock> = HashMap::new();
        for member in
            members.iter_mut().filter(|member| matches!(member.resolved, Resolved::Pkg { .. } | Resolved::Site { .. }))
        {
            let file = Lock::path_of(&member.config);
            let now = stamp(&file);
            let known = readings.iter().find(|reading| is_of(reading, member));
            if let Some(known) = known.filter(|known| known.stamp.is_some() && known.stamp == now) {
                member.resolved.read_as(known.collection.clone());
                continue;
            }
            if now.is_none() {
                continue;
            }
            if !locks.contains_key(&file) {
                // One that can't be read is reported by whoever needs it.
                locks.insert(file.clone(), Lock::load(&file).unwrap_or_default());
            }
            let locked = locks.get(&file).and_then(|lock| lock.collections.get(&member.name));
            let Some(locked) = locked.filter(|locked| url_of(member).as_ref() == Some(&locked.url)) else { continue };
            let stored = match self.in_state(member, locked)? {
                Some(stored) => stored,
                // What was synced here and is nobody else's is brought back by a sync, and says that it has drifted.
                None => {
                    let own = known.map_or_else(|| member.resolved.id().clone(), |known| known.collection.clone());
                    let others = readings.iter().any(|it| it.collection == own && is_there(it) && !is_of(it, member));
                    member.drifted = !others && self.store().collection(&own)?.is_some();
                    if others { unused(member) } else { own }
                }
            };
            member.resolved.read_as(stored.clone());
            if !member.drifted {
                // What can't be noted is found again next time.
                let _ = self.note_reader(member, &stored, now);
            }
        }
        Ok(())
    }

    /// The collection that holds a package as a lock has it.
    fn in_state(&self, member: &Member, locked: &LockedCollection) -> Result<Option<CollectionId>> {
        let own = member.resolved.id();
        for record in self.store().collections()?.iter().filter(|record| record.id.base() == own.base()) {
            let package = self.store().package(&record.id)?;
            let same = package.is_some_and(|it| it.hash == locked.manifest_hash && it.revision == locked.commit);
            if same && self.drift(&record.id, locked)?.is_none() {
                return Ok(Some(record.id.clone()));
            }
        }
        Ok(None)
    }

    /// What a member reads since it was last synced.
    pub(crate) fn read_by(&self, member: &Member) -> Result<CollectionId> {
        let readings = self.store().readings()?;
        let known = readings.into_iter().find(|reading| is_of(reading, member));
        Ok(known.map_or_else(|| member.resolved.id().clone(), |known| known.collection))
    }

    /// Notes what a member has synced. As long as that is what it read before, what the lock file said of it still holds.
    pub(crate) fn note_synced(&mut self, member: &Member, id: &CollectionId) -> Result<()> {
        let readings = self.store().readings()?;
        let known = readings.iter().any(|reading| is_of(reading, member) && reading.collection == *id);
        if known { Ok(()) } else { self.note_reader(member, id, None) }
    }

    /// Notes what a member reads, with the lock file that says so.
    pub(crate) fn note_reader(&mut self, member: &Member, id: &CollectionId, stamp: Option<String>) -> Result<()> {
        let (config, name) = (member.config.display().to_string(), member.name.clone());
        let reading = Reading { config, name, collection: id.clone(), stamp };
        if !self.store().readings()?.contains(&reading) {
            self.store_mut().set_reading(&reading)?;
        }
        Ok(())
    }

    /// Notes that the lock file, as it is now, says what a member reads.
    pub fn note_locked(&mut self, member: &Member) -> Result<()> {
        let id = self.read_by(member)?;
        self.note_reader(member, &id, stamp(&Lock::path_of(&member.config)))
    }

    /// Whether another name, here or in another project that is still there, reads what a member reads.
    pub(crate) fn is_read_by_others(&self, member: &Member) -> Result<bool> {
        let own = reader_of(member);
        Ok(self.readers_of(member.resolved.id())?.iter().any(|reader| *reader != own))
    }

    /// Who reads a collection, as far as their configurations are still there.
    pub fn readers_of(&self, id: &CollectionId) -> Result<Vec<String>> {
        let readings = self.store().readings()?;
        let there = readings.iter().filter(|it| it.collection == *id && is_there(it));
        Ok(there.map(|reading| shown(&reading.config, &reading.name)).collect())
    }

    /// Forgets that a name of a configuration reads something, and gives what it read.
    pub fn forget_reader(&mut self, config: &Path, name: &str, id: &CollectionId) -> Result<CollectionId> {
        let config = one_spelling(config).display().to_string();
        let readings = self.store().readings()?;
        let known = readings.into_iter().find(|it| it.config == config && it.name == name);
        if known.is_some() {
            self.store_mut().forget_reading(&config, name)?;
        }
        Ok(known.filter(|it| it.collection.base() == id.base()).map_or_else(|| id.clone(), |it| it.collection))
    }

    /// A copy of what a member reads, for it alone.
    pub(crate) fn copied(&mut self, member: &Member) -> Result<Member> {
        let mut copy = member.clone();
        copy.resolved.read_as(unused(member));
        self.store_mut().copy_collection(member.resolved.id(), &copy.resolved.record())?;
        Ok(copy)
    }
}

fn is_there(reading: &Reading) -> bool {
    Path::new(&reading.config).is_file()
}

fn is_of(reading: &Reading, member: &Member) -> bool {
    reading.name == member.name
        && Path::new(&reading.config) == member.config
        && reading.collection.base() == member.resolved.id().base()
}

/// An id of a state that nothing is kept under.
fn unused(member: &Member) -> CollectionId {
    let unique = format!("{}\n{}", reader_of(member), ai_assist_base::now_ns());
    member.resolved.id().in_state(&Sha256::of(unique.as_bytes()))
}
