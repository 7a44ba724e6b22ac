//! What is done with one folder.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use ai_assist_identity::DocPath;
use rustix::fs::{AtFlags, FileType, OFlags, Stat, fstat, statat};
use rustix::io::Errno;

use crate::globs::Verdict;
use crate::ignores::{self, Ignores};
use crate::listing::Listing;
use crate::order::Block;
use crate::questions::{self, Refusal};
use crate::root::Root;
use crate::walk::Visited;
use crate::{Candidate, Exclusion, FileStamp, Problem, Reason, Selection};

/// Folders with more selected files than this are shared out between the threads.
const BATCH: usize = 512;

/// Never entered: their content is not the user's, and a clone's may hold credentials.
const VERSION_CONTROL: [&[u8]; 4] = [b".git", b".hg", b".svn", b".jj"];

/// A folder on the way.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// The path inside the root as the user sees it, empty for the root.
    pub(crate) path: Vec<u8>,
    /// The symlink-free path, if it is another.
    pub(crate) real: Option<Vec<u8>>,
    pub(crate) depth: usize,
    /// The ignore files above, along the real path.
    pub(crate) ignores: Option<Arc<Ignores>>,
    /// Those above the symlink that led here, to be matched with `path`.
    pub(crate) via: Option<Arc<Ignores>>,
}

/// One piece of work.
#[derive(Debug)]
pub(crate) enum Task {
    /// List a folder.
    List(Folder),
    /// Stat some of the files of a folder that has very many.
    Stat { folder: Arc<Folder>, handle: Arc<OwnedFd>, names: Vec<Box<[u8]>> },
}

impl Task {
    pub(crate) fn root() -> Task {
        Task::List(Folder::default())
    }
}

/// A symlink, left for later.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) folder: Arc<Folder>,
    pub(crate) path: Vec<u8>,
}

impl Link {
    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }
}

/// What one thread has found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Files reached through a symlink of their own.
    pub(crate) linked: Vec<Candidate>,
    /// All others, by folder.
    pub(crate) blocks: Vec<Block>,
    /// How many there are in all.
    pub(crate) selected: usize,
    pub(crate) links: Vec<Link>,
    pub(crate) excluded: [usize; Reason::ALL.len()],
    pub(crate) exclusions: Vec<Exclusion>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) seen: usize,
    pub(crate) folders: usize,
    pub(crate) vanished: usize,
    listing: Listing,
}

impl Found {
    pub(crate) fn absorb(&mut self, mut other: Found) {
        self.linked.append(&mut other.linked);
        self.blocks.append(&mut other.blocks);
        self.selected += other.selected;
        self.links.append(&mut other.links);
        self.exclusions.append(&mut other.exclusions);
        self.problems.append(&mut other.problems);
        for (mine, theirs) in self.excluded.iter_mut().zip(other.excluded) {
            *mine += theirs;
        }
        self.seen += other.seen;
        self.folders += other.folders;
        self.vanished += other.vanished;
    }

    pub(crate) fn exclude(&mut self, path: &[u8], (reason, rule): Refusal) {
        self.excluded[reason as usize] += 1;
        // What nobody asked for is counted, not listed: it may be the whole disk.
        if matches!(reason, Reason::NotMatched | Reason::Hidden | Reason::VersionControl) {
            return;
        }
        match doc_path(path) {
            Ok(path) => self.exclusions.push(Exclusion { path, reason, rule }),
            Err(message) => self.problem(path, message),
        }
    }

    pub(crate) fn problem(&mut self, path: &[u8], message: String) {
        let path = if path.is_empty() { ".".to_owned() } else { String::from_utf8_lossy(path).into_owned() };
        self.problems.push(Problem { path, message });
    }

    pub(crate) fn unreadable(&mut self, path: &[u8], errno: Errno) {
        let message = std::io::Error::from(errno).to_string();
        self.problem(path, message.clone());
        self.exclude(path, (Reason::Unreadable, message));
    }
}

fn doc_path(path: &[u8]) -> Result<DocPath, String> {
    DocPath::from_relative(Path::new(std::ffi::OsStr::from_bytes(path))).map_err(|error| error.to_string())
}

/// The decisions of one walk, shared by its threads.
pub(crate) struct Visitor<'a> {
    pub(crate) root: Arc<Root>,
    pub(crate) selection: &'a Selection,
    pub(crate) visited: Visited,
}

impl<'a> Visitor<'a> {
    pub(crate) fn new(root: Arc<Root>, selection: &'a Selection) -> Self {
        Visitor { root, selection, visited: Visited::default() }
    }

    pub(crate) fn perform(&self, task: Task, found: &mut Found, more: &mut Vec<Task>) {
        match task {
            Task::List(folder) => self.list(folder, found, more),
            Task::Stat { folder, handle, names } => {
                let names = names.iter().map(|name| &**name);
                self.stat_all(&folder, &handle, names, found);
            }
        }
    }

    fn list(&self, mut folder: Folder, found: &mut Found, more: &mut Vec<Task>) {
        let real = folder.real.as_deref().unwrap_or(&folder.path);
        let handle = match self.root.open_beneath(real, OFlags::RDONLY | OFlags::DIRECTORY) {
            Ok(handle) => handle,
            Err(errno) => return self.not_listed(&folder, errno, found),
        };
        let mut listing = std::mem::take(&mut found.listing);
        let listed = self.first_visit(&handle).and_then(|first| {
            if first {
                listing.read(&handle)?;
            }
            Ok(first)
        });
        match listed {
            Ok(true) => {}
            Ok(false) => {
                found.listing = listing;
                let rule = "the same folder was listed under another name".to_owned();
                return found.exclude(&folder.path, (Reason::SymlinkLoop, rule));
            }
            Err(errno) => {
                found.listing = listing;
                return self.not_listed(&folder, errno, found);
            }
        }
        if folder.depth > 0 {
            found.folders += 1;
        }
        found.seen += listing.len();
        if self.selection.honour_ignore_files {
            let kinds: Vec<usize> = listing.iter().filter_map(|(name, _)| ignores::kind_of(name)).collect();
            if !kinds.is_empty() {
                let real = folder.real.as_deref().unwrap_or(&folder.path);
                let above = folder.ignores.take();
                folder.ignores = ignores::load(&self.root, &handle, real, &kinds, above, &mut found.problems);
            }
        }
        self.sort_out(&Arc::new(folder), handle, &listing, found, more);
        found.listing = listing;
    }

    fn not_listed(&self, folder: &Folder, errno: Errno, found: &mut Found) {
        if folder.depth == 0 {
            // The root is not an entry of itself, so it is a problem but nothing to count.
            return found.problem(&folder.path, std::io::Error::from(errno).to_string());
        }
        match errno {
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => found.vanished += 1,
            errno => found.unreadable(&folder.path, errno),
        }
    }

    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "field widths differ between platforms")]
    fn first_visit(&self, handle: &OwnedFd) -> Result<bool, Errno> {
        let stat = fstat(handle)?;
        let mut visited = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(visited.insert((stat.st_dev as u64, stat.st_ino as u64)))
    }

    /// Decides on each entry by its name, and stats those that remain.
    fn sort_out(
        &self,
        folder: &Arc<Folder>,
        handle: OwnedFd,
        listing: &Listing,
        found: &mut Found,
        more: &mut Vec<Task>,
    ) {
        let mut path = child_base(&folder.path);
        let base = path.len();
        let mut names: Vec<&[u8]> = Vec::with_capacity(listing.len());
        for (name, kind) in listing.iter() {
            path.truncate(base);
            path.extend_from_slice(name);
            let kind = match kind {
                // Some file systems leave the kind out of their listings.
                FileType::Unknown => match statat(&handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                    Err(Errno::NOENT) => {
                        found.vanished += 1;
                        continue;
                    }
                    Err(errno) => {
                        found.unreadable(&path, errno);
                        continue;
                    }
                },
                known => known,
            };
            let decided = match kind {
                FileType::Directory => self.may_enter(folder, &path, name).map(|()| {
                    more.push(Task::List(subfolder(folder, &path, name)));
                }),
                FileType::RegularFile => self.may_select(folder, &path, name).map(|()| names.push(name)),
                FileType::Symlink => self.may_follow(folder, &path, name).map(|()| {
                    found.links.push(Link { folder: folder.clone(), path: path.clone() });
                }),
                _ => match self.may_select(folder, &path, name) {
                    Ok(()) => Err((Reason::NotAFile, "it is no regular file".to_owned())),
                    refused => refused,
                },
            };
            if let Err(refusal) = decided {
                found.exclude(&path, refusal);
            }
        }
        // A folder's files in order make putting the whole tree in order nearly free.
        names.sort_unstable();
        if names.len() > 2 * BATCH {
            let handle = Arc::new(handle);
            for batch in names.chunks(BATCH) {
                let names = batch.iter().map(|&name| name.into()).collect();
                more.push(Task::Stat { folder: folder.clone(), handle: handle.clone(), names });
            }
            return;
        }
        self.stat_all(folder, &handle, names.into_iter(), found);
    }

    fn stat_all<'n>(
        &self,
        folder: &Folder,
        handle: &OwnedFd,
        names: impl ExactSizeIterator<Item = &'n [u8]>,
        found: &mut Found,
    ) {
        let mut path = child_base(&folder.path);
        let base = path.len();
        let mut candidates = Vec::with_capacity(names.len());
        for name in names {
            path.truncate(base);
            path.extend_from_slice(name);
            match statat(handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => {
                    let real = folder.real.as_ref().map(|real| [real.as_slice(), b"/", name].concat());
                    candidates.extend(self.select(&path, real, &stat, found));
                }
                Err(Errno::NOENT) => found.vanished += 1,
                Err(errno) => found.unreadable(&path, errno),
            }
        }
        if !candidates.is_empty() {
            path.truncate(base);
            found.selected += candidates.len();
            found.blocks.push(Block { folder: path, candidates });
        }
    }

    /// The last step for a file: all that is left are the questions stat answers.
    pub(crate) fn select(
        &self,
        path: &[u8],
        real: Option<Vec<u8>>,
        stat: &Stat,
        found: &mut Found,
    ) -> Option<Candidate> {
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            found.exclude(path, (Reason::NotAFile, "it is no regular file".to_owned()));
            return None;
        }
        let stamp = FileStamp::from(stat);
        if let Err(refusal) = questions::worth_it(stamp.size, &self.selection.limits) {
            found.exclude(path, refusal);
            return None;
        }
        match doc_path(path) {
            Ok(path) => Some(Candidate::new(self.root.clone(), path, real.map(Vec::into_boxed_slice), stamp)),
            Err(message) => {
                found.excluded[Reason::Unreadable as usize] += 1;
                found.problem(path, message);
                None
            }
        }
    }

    /// Whether a file is wanted and may leave, by name alone.
    pub(crate) fn may_select(&self, folder: &Folder, path: &[u8], name: &[u8]) -> Result<(), Refusal> {
        let verdict = self.selection.globs.file(path);
        if verdict == Verdict::NotMatched {
            return Err((Reason::NotMatched, String::new()));
        }
        // Before the other reasons: that a credential store is hidden as well says less.
        questions::name_may_leave(path)?;
        if let Some(real) = &folder.real {
            questions::name_may_leave(&[real.as_slice(), b"/", name].concat())?;
        }
        if verdict == Verdict::Hidden {
            return Err((Reason::Hidden, String::new()));
        }
        folder.may_keep(path, name, false)
    }

    pub(crate) fn may_enter(&self, folder: &Folder, path: &[u8], name: &[u8]) -> Result<(), Refusal> {
        if is_version_control(name) {
            return Err((Reason::VersionControl, String::new()));
        }
        self.may_look_below(path)?;
        if folder.depth >= self.selection.limits.max_depth {
            return Err((Reason::TooDeep, format!("limit {}", self.selection.limits.max_depth)));
        }
        folder.may_keep(path, name, true)
    }

    /// Whether the globs want anything below a folder.
    pub(crate) fn may_look_below(&self, path: &[u8]) -> Result<(), Refusal> {
        match self.selection.globs.folder(path) {
            Verdict::Selected => Ok(()),
            Verdict::Hidden => Err((Reason::Hidden, String::new())),
            Verdict::NotMatched => Err((Reason::NotMatched, String::new())),
        }
    }

    /// A symlink may turn out to be a file or a folder; it is dropped here only if it is wanted as neither.
    fn may_follow(&self, folder: &Folder, path: &[u8], name: &[u8]) -> Result<(), Refusal> {
        let as_file = self.may_select(folder, path, name);
        if as_file.is_ok() || self.may_enter(folder, path, name).is_ok() { Ok(()) } else { as_file }
    }
}

impl Folder {
    /// Whether the ignore files keep an entry of this folder.
    fn may_keep(&self, path: &[u8], name: &[u8], is_folder: bool) -> Result<(), Refusal> {
        let dropped = match (&self.ignores, &self.real) {
            (None, _) => None,
            (Some(ignores), None) => ignores.dropped_by(path, is_folder),
            (Some(ignores), Some(real)) => ignores.dropped_by(&[real.as_slice(), b"/", name].concat(), is_folder),
        };
        let dropped = dropped.or_else(|| self.via.as_ref().and_then(|via| via.dropped_by(path, is_folder)));
        dropped.map_or(Ok(()), |rule| Err((Reason::IgnoreFile, rule)))
    }
}

pub(crate) fn is_version_control(name: &[u8]) -> bool {
    VERSION_CONTROL.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn subfolder(parent: &Folder, path: &[u8], name: &[u8]) -> Folder {
    Folder {
        path: path.to_vec(),
        real: parent.real.as_ref().map(|real| [real.as_slice(), b"/", name].concat()),
        depth: parent.depth + 1,
        ignores: parent.ignores.clone(),
        via: parent.via.clone(),
    }
}

/// A folder's path ready to have a name appended.
fn child_base(folder: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 64);
    path.extend_from_slice(folder);
    if !folder.is_empty() {
        path.push(b'/');
    }
    path
}
