//! Symlinks: followed inside the root, never out of it, and never in a circle.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use rustix::fs::{AtFlags, FileType, OFlags, Stat, statat};
use rustix::io::Errno;

use crate::ignores::{self, IGNORE_FILES, Ignores};
use crate::questions::{self, Refusal};
use crate::root::Target;
use crate::visit::{Folder, Found, Link, Task, Visitor, is_version_control};
use crate::{Problem, Reason};

/// Follows the symlinks of one walk, one after the other.
pub(crate) struct Links<'v, 'a> {
    visitor: &'v Visitor<'a>,
    /// The ignore files of real folders that symlinks led to.
    ignores: HashMap<Vec<u8>, Option<Arc<Ignores>>>,
}

impl<'v, 'a> Links<'v, 'a> {
    pub(crate) fn new(visitor: &'v Visitor<'a>) -> Self {
        Links { visitor, ignores: HashMap::new() }
    }

    /// Takes in the file a symlink leads to, or returns the folder to be walked.
    pub(crate) fn follow(&mut self, link: Link, found: &mut Found) -> Option<Task> {
        let real = match self.visitor.root.resolve(&link.path) {
            Ok(Target::Inside(real)) => real,
            Ok(Target::Outside) => {
                found.exclude(&link.path, (Reason::SymlinkOutside, "its target lies outside the folder".to_owned()));
                return None;
            }
            Err(error) => {
                found.exclude(&link.path, broken(&error));
                return None;
            }
        };
        let at = if real.is_empty() { b"." } else { real.as_slice() };
        let stat = match statat(self.visitor.root.folder(), at, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(errno) => {
                found.exclude(&link.path, broken(&errno.into()));
                return None;
            }
        };
        let decided = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => return self.folder(link, real, &stat, found),
            FileType::RegularFile => self.file(&link, &real, &mut found.problems),
            _ => Err((Reason::NotAFile, "it leads to no regular file".to_owned())),
        };
        match decided {
            Ok(()) => {
                let candidate = self.visitor.select(&link.path, Some(real), &stat, found);
                found.selected += usize::from(candidate.is_some());
                found.linked.extend(candidate);
            }
            Err(refusal) => found.exclude(&link.path, refusal),
        }
        None
    }

    fn file(&mut self, link: &Link, real: &[u8], problems: &mut Vec<Problem>) -> Result<(), Refusal> {
        let name = last_name(&link.path);
        self.visitor.may_select(&link.folder, &link.path, name)?;
        // What the real name may not do, another name for it may not either.
        questions::name_may_leave(real)?;
        self.real_is_kept(real, false, problems)?;
        Ok(())
    }

    fn folder(&mut self, link: Link, real: Vec<u8>, stat: &Stat, found: &mut Found) -> Option<Task> {
        let name = last_name(&link.path);
        let decided = self
            .visitor
            .may_enter(&link.folder, &link.path, name)
            .and_then(|()| self.not_yet_visited(stat))
            .and_then(|()| self.real_is_kept(&real, true, &mut found.problems));
        match decided {
            Ok(ignores) => Some(Task::List(Folder {
                depth: link.folder.depth + 1,
                // Below a second symlink the first one's files still hold; those between are matched by real path only.
                via: if link.folder.real.is_none() { link.folder.ignores.clone() } else { link.folder.via.clone() },
                path: link.path,
                real: Some(real),
                ignores,
            })),
            Err(refusal) => {
                found.exclude(&link.path, refusal);
                None
            }
        }
    }

    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "field widths differ between platforms")]
    fn not_yet_visited(&self, stat: &Stat) -> Result<(), Refusal> {
        let visited = self.visitor.visited.lock().unwrap_or_else(PoisonError::into_inner);
        if visited.contains(&(stat.st_dev as u64, stat.st_ino as u64)) {
            return Err((Reason::SymlinkLoop, "the folder it leads to is listed under its own name".to_owned()));
        }
        Ok(())
    }

    /// Whether the real path, each folder on the way included, is one the walk may show. A symlink is no way around an
    /// ignore file. Answers with the ignore files above the path.
    fn real_is_kept(
        &mut self,
        real: &[u8],
        is_folder: bool,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Arc<Ignores>>, Refusal> {
        if real.split(|&b| b == b'/').any(is_version_control) {
            return Err((Reason::VersionControl, String::new()));
        }
        if !self.visitor.selection.honour_ignore_files {
            return Ok(None);
        }
        let mut above = self.ignores_in(b"", None, problems);
        let ends = real.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| at).chain([real.len()]);
        for end in ends {
            let last = end == real.len();
            let part = &real[..end];
            if let Some(rule) = above.as_ref().and_then(|above| above.dropped_by(part, !last || is_folder)) {
                return Err((Reason::IgnoreFile, rule));
            }
            if !last {
                above = self.ignores_in(part, above, problems);
            }
        }
        Ok(above)
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
        let loaded = match root.open_beneath(folder, OFlags::RDONLY | OFlags::DIRECTORY) {
            Ok(handle) => {
                let kinds: Vec<usize> = (0..IGNORE_FILES.len()).collect();
                // A folder the walk has listed has reported its faulty ignore files already.
                let mut again = Vec::new();
                let loaded = ignores::load(root, &handle, folder, &kinds, above, &mut again);
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

fn last_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}

pub(crate) fn broken(error: &std::io::Error) -> Refusal {
    let reason = match error.raw_os_error() {
        Some(code) if code == Errno::LOOP.raw_os_error() => Reason::SymlinkLoop,
        Some(code) if [Errno::NOENT, Errno::NOTDIR].iter().any(|e| e.raw_os_error() == code) => Reason::SymlinkBroken,
        _ => Reason::Unreadable,
    };
    (reason, error.to_string())
}
