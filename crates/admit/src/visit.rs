use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use ai_assist_base::platform::{self, Errno, FileType, Handle, Open, Stat, path_bytes, stat_at};
use ai_assist_identity::DocPath;

use crate::decide::Step;
use crate::found::{Found, doc_path};
use crate::ignores::{self, Ignores, Wanted};
use crate::listing::Listing;
use crate::order::Block;
use crate::policy::{self, Refusal};
use crate::root::Root;
use crate::walk::Visited;
use crate::worth::{PackRules, Rule, Terms};
use crate::{Candidate, FileStamp, Problem, Reason, Selection, Worth};

/// Folders with more selected files than this are shared out between the threads.
const BATCH: usize = 512;

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
    pub(crate) untracked: Untracked,
}

/// What drops in a folder what git does not track.
#[derive(Debug, Clone, Default)]
pub(crate) struct Untracked {
    pub(crate) rule: Option<&'static Rule>,
    /// The rule of a `.gitignore` for the folder, or one around it, which was entered for what is tracked in it.
    pub(crate) ignored: Option<Arc<Refusal>>,
}

#[derive(Debug)]
pub(crate) enum Task {
    List(Folder),
    /// Stat some of the files of a folder that has very many.
    Stat {
        folder: Arc<Folder>,
        handle: Arc<Handle>,
        names: Vec<Box<[u8]>>,
    },
}

/// A symlink, left for later.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) folder: Arc<Folder>,
    pub(crate) path: Vec<u8>,
}

/// The decisions of one walk, shared by its threads.
pub(crate) struct Visitor<'a> {
    pub(crate) root: Arc<Root>,
    pub(crate) selection: &'a Selection,
    pub(crate) visited: Visited,
    /// The rules of a pack, if that is what is asked for.
    pub(crate) packs: Option<&'a PackRules>,
    /// The paths that no rule drops. They are taken one by one after the walk.
    pub(crate) allowed: BTreeSet<Vec<u8>>,
}

impl<'a> Visitor<'a> {
    pub(crate) fn new(root: Arc<Root>, selection: &'a Selection) -> Self {
        let packs = match &selection.worth {
            Worth::Everything => None,
            Worth::Packs(packs) => Some(packs),
        };
        let bytes = |path: &DocPath| path_bytes(&path.to_path_buf()).into_owned();
        let allowed = packs.iter().flat_map(|packs| packs.allow.iter().map(bytes)).collect();
        Visitor { root, selection, visited: Visited::default(), packs, allowed }
    }

    /// The files of rules that count.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { ignore_files: self.selection.honour_ignore_files, attributes: self.packs.is_some() }
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
        let handle = match self.root.open_beneath(real, Open::Folder) {
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
                let rule = "the same folder was listed under another name";
                return found.exclude(&folder.path, Refusal::new(Reason::SymlinkLoop, rule));
            }
            Err(errno) => {
                found.listing = listing;
                return self.not_listed(&folder, errno, found);
            }
        }
        if folder.depth > 0 {
            found.folders += 1;
        }
        let wanted = self.wanted();
        let files: Vec<usize> = listing.iter().filter_map(|(name, _)| wanted.file(name)).collect();
        self.load_rules(&mut folder, &handle, &files, &mut found.problems);
        self.sort_out(&Arc::new(folder), handle, &listing, found, more);
        found.listing = listing;
    }

    /// Reads the files of rules in a folder that is about to be looked through.
    pub(crate) fn load_rules(
        &self,
        folder: &mut Folder,
        handle: &Handle,
        files: &[usize],
        problems: &mut Vec<Problem>,
    ) {
        if !files.is_empty() {
            let real = folder.real.as_deref().unwrap_or(&folder.path);
            let above = folder.ignores.take();
            folder.ignores = ignores::load(&self.root, handle, real, files, above, problems);
        }
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

    fn first_visit(&self, handle: &Handle) -> Result<bool, Errno> {
        let folder = platform::identity(&platform::stat(handle)?);
        let mut visited = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(visited.insert(folder))
    }

    /// Decides on each entry by its name, and stats those that remain.
    fn sort_out(
        &self,
        folder: &Arc<Folder>,
        handle: Handle,
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
            found.seen += 1;
            let kind = match kind {
                // Some file systems leave the kind out of their listings.
                FileType::Unknown => match stat_at(&handle, name) {
                    Ok(stat) => platform::kind(&stat),
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
            if kind != FileType::Directory && self.allowed.contains(&path) {
                // Seen when its turn comes.
                found.seen -= 1;
                continue;
            }
            match self.step(folder, &path, name, kind) {
                Ok(Step::Enter(below)) => more.push(Task::List(below)),
                Ok(Step::Select) => names.push(name),
                Ok(Step::Follow) => found.links.push(Link { folder: folder.clone(), path: path.clone() }),
                Err(refusal) => found.exclude(&path, refusal),
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
        handle: &Handle,
        names: impl ExactSizeIterator<Item = &'n [u8]>,
        found: &mut Found,
    ) {
        let mut path = child_base(&folder.path);
        let base = path.len();
        let mut candidates = Vec::with_capacity(names.len());
        for name in names {
            path.truncate(base);
            path.extend_from_slice(name);
            match stat_at(handle, name) {
                Ok(stat) => match self.select(&path, folder.real_of(name), &stat) {
                    Ok(candidate) => candidates.push(candidate),
                    Err(refusal) => found.exclude(&path, refusal),
                },
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
    pub(crate) fn select(&self, path: &[u8], real: Option<Vec<u8>>, stat: &Stat) -> Result<Candidate, Refusal> {
        if platform::kind(stat) != FileType::RegularFile {
            return Err(Refusal::new(Reason::NotAFile, "it is no regular file"));
        }
        let stamp = FileStamp::from(stat);
        policy::worth_it(stamp.size, &self.selection.limits)?;
        let name = doc_path(path).map_err(|message| Refusal::new(Reason::Unreadable, message))?;
        let terms = Terms {
            for_a_pack: self.packs.is_some(),
            // A symlink that was named does not speak for the file it leads to.
            allowed: [Some(path), real.as_deref()].into_iter().flatten().all(|path| self.allowed.contains(path)),
            on_secret: self.packs.map(|packs| packs.on_secret).unwrap_or_default(),
            allowed_rules: self.packs.map(|packs| allowed_rules(packs, &name, real.as_deref())).unwrap_or_default(),
        };
        let candidate = Candidate::new(self.root.clone(), name, real.map(Vec::into_boxed_slice), stamp, terms);
        Ok(candidate.executable(platform::may_run(stat)))
    }
}

/// The rules whose values somebody wants to go out with a file. Where a symlink leads to it, both have to be named.
fn allowed_rules(packs: &PackRules, path: &DocPath, real: Option<&[u8]>) -> Vec<String> {
    let of = |path: &DocPath| {
        let of_file = packs.allowances.iter().filter(|allowance| allowance.path == *path);
        of_file.filter_map(|allowance| allowance.rule.clone()).collect::<Vec<String>>()
    };
    let mut rules = of(path);
    if let Some(real) = real.filter(|_| !rules.is_empty()) {
        let named = doc_path(real).map(|real| of(&real)).unwrap_or_default();
        rules.retain(|rule| named.contains(rule));
    }
    rules
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
