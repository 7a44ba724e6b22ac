//! Symlinks: followed inside the root, never out of it, and never in a circle.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use ai_assist_base::platform::{self, Errno, FileType, Open, Stat, stat_at};

use crate::decide::{is_version_control, version_control};
use crate::found::Found;
use crate::ignores::{self, Ignores};
use crate::policy::{self, Refusal, last_name};
use crate::root::Target;
use crate::visit::{Folder, Link, Untracked, Visitor};
use crate::{Candidate, Problem, Reason};

#[derive(Debug)]
pub(crate) enum Followed {
    File(Candidate),
    Folder(Folder),
}

/// The ignore files above, and the rule that drops what git does not track.
type RulesBelow = (Option<Arc<Ignores>>, Untracked);

/// Follows the symlinks of one walk, one after the other.
pub(crate) struct Links<'v, 'a> {
    pub(crate) visitor: &'v Visitor<'a>,
    /// The ignore files of real folders that symlinks led to.
    ignores: HashMap<Vec<u8>, Option<Arc<Ignores>>>,
}

impl<'v, 'a> Links<'v, 'a> {
    pub(crate) fn new(visitor: &'v Visitor<'a>) -> Self {
        Links { visitor, ignores: HashMap::new() }
    }

    /// Takes in the file a symlink leads to, or returns the folder to be walked.
    pub(crate) fn take_in(&mut self, link: Link, found: &mut Found) -> Option<Folder> {
        let path = link.path.clone();
        match self.follow(link, &mut found.problems) {
            Ok(Followed::File(candidate)) => {
                found.selected += 1;
                found.linked.push(candidate);
            }
            Ok(Followed::Folder(folder)) => return Some(folder),
            Err(refusal) => found.exclude(&path, refusal),
        }
        None
    }

    /// Where a symlink leads, if it may.
    pub(crate) fn follow(&mut self, link: Link, problems: &mut Vec<Problem>) -> Result<Followed, Refusal> {
        let real = self.inside(&link.path)?;
        let stat = self.stat(&real)?;
        match platform::kind(&stat) {
            FileType::Directory => self.folder(link, real, &stat, problems).map(Followed::Folder),
            FileType::RegularFile => {
                self.visitor.may_select(&link.folder, &link.path, last_name(&link.path))?;
                self.target_may(&real, problems)?;
                self.visitor.select(&link.path, Some(real), &stat).map(Followed::File)
            }
            _ => Err(Refusal::new(Reason::NotAFile, "it leads to no regular file")),
        }
    }

    /// The symlink-free path, which must not leave the root.
    pub(crate) fn inside(&self, path: &[u8]) -> Result<Vec<u8>, Refusal> {
        match self.visitor.root.resolve(path) {
            Ok(Target::Inside(real)) => Ok(real),
            Ok(Target::Outside) => Err(Refusal::new(Reason::SymlinkOutside, "its target lies outside the folder")),
            Err(error) => Err(broken(&error)),
        }
    }

    pub(crate) fn stat(&self, real: &[u8]) -> Result<Stat, Refusal> {
        let at = if real.is_empty() { b"." } else { real };
        stat_at(&self.visitor.root.folder, at).map_err(|errno| broken(&errno.into()))
    }

    /// What the real name of a file may not do, another name for it may not either.
    pub(crate) fn target_may(&mut self, real: &[u8], problems: &mut Vec<Problem>) -> Result<(), Refusal> {
        policy::name_may_leave(real)?;
        self.real_is_kept(real, false, problems).map(|_| ())
    }

    fn folder(
        &mut self,
        link: Link,
        real: Vec<u8>,
        stat: &Stat,
        problems: &mut Vec<Problem>,
    ) -> Result<Folder, Refusal> {
        self.visitor.may_enter(&link.folder, &link.path, last_name(&link.path))?;
        self.not_yet_visited(stat)?;
        let (ignores, untracked) = self.real_is_kept(&real, true, problems)?;
        Ok(Folder {
            depth: link.folder.depth + 1,
            // Below a second symlink the first one's files still hold; those between are matched by real path only.
            via: if link.folder.real.is_none() { link.folder.ignores.clone() } else { link.folder.via.clone() },
            path: link.path,
            real: Some(real),
            ignores,
            untracked,
        })
    }

    fn not_yet_visited(&self, stat: &Stat) -> Result<(), Refusal> {
        let visited = self.visitor.visited.lock().unwrap_or_else(PoisonError::into_inner);
        if visited.contains(&platform::identity(stat)) {
            return Err(Refusal::new(Reason::SymlinkLoop, "the folder it leads to is listed under its own name"));
        }
        Ok(())
    }

    /// Whether the real path, each folder on the way included, is one the walk may show. A symlink is no way around a rule.
    /// Answers with the rules that hold below the path.
    fn real_is_kept(
        &mut self,
        real: &[u8],
        is_folder: bool,
        problems: &mut Vec<Problem>,
    ) -> Result<RulesBelow, Refusal> {
        if let Some(name) = real.split(|&b| b == b'/').find(|name| is_version_control(name)) {
            return Err(version_control(name));
        }
        let mut above = self.ignores_in(b"", None, problems);
        let mut untracked = Untracked::default();
        let ends = real.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| at).chain([real.len()]);
        for end in ends.filter(|end| *end > 0) {
            let last = end == real.len();
            let part = &real[..end];
            match self.visitor.packs {
                Some(packs) if last && !is_folder => policy::file_worth_sending(packs, part, untracked.rule)?,
                Some(packs) => untracked.rule = policy::folder_worth_sending(packs, part, untracked.rule)?,
                None => {}
            }
            let folder = Folder { ignores: above.clone(), untracked: untracked.clone(), ..Folder::default() };
            untracked.ignored = self.visitor.may_keep(&folder, part, None, !last || is_folder)?;
            if !last {
                above = self.ignores_in(part, above, problems);
            }
        }
        Ok((above, untracked))
    }

    fn ignores_in(
        &mut self,
        folder: &[u8],
        above: Option<Arc<Ignores>>,
        problems: &mut Vec<Problem>,
    ) -> Option<Arc<Ignores>> {
        if let Some(known) = self.ignores.get(folder) {
            return known.clone();
        }
        let root = &self.visitor.root;
        let files: Vec<usize> = self.visitor.wanted().files().collect();
        if files.is_empty() {
            return None;
        }
        let loaded = match root.open_beneath(folder, Open::Folder) {
            Ok(handle) => {
                // A folder the walk has listed has reported its faulty ignore files already.
                let mut again = Vec::new();
                let loaded = ignores::load(root, &handle, folder, &files, above, &mut again);
                problems.extend(again.into_iter().filter(|problem| !problems.contains(problem)).collect::<Vec<_>>());
                loaded
            }
            // What lies below can't be opened either, and that is reported where it is tried.
            Err(_) => above,
        };
        self.ignores.insert(folder.to_vec(), loaded.clone());
        loaded
    }
}

pub(crate) fn broken(error: &std::io::Error) -> Refusal {
    let reason = match Errno::from_io_error(error) {
        Some(Errno::LOOP) => Reason::SymlinkLoop,
        Some(Errno::NOENT | Errno::NOTDIR) => Reason::SymlinkBroken,
        _ => Reason::Unreadable,
    };
    Refusal::new(reason, error.to_string())
}
