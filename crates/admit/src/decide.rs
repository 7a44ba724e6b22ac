//! What is decided about one entry of a folder, by its name and kind.

use std::sync::Arc;

use ai_assist_base::platform::FileType;

use crate::Reason;
use crate::globs::Verdict;
use crate::policy::{self, Refusal};
use crate::visit::{Folder, Untracked, Visitor};
use crate::worth;

/// Never entered: their content is not the user's, and a clone's may hold credentials.
const VERSION_CONTROL: [&[u8]; 4] = [b".git", b".hg", b".svn", b".jj"];

/// The rule of a selection that is narrowed to some paths.
const NOT_AMONG: &str = "it is not among the files asked for";

/// What to do with an entry that no rule drops.
#[derive(Debug)]
pub(crate) enum Step {
    Enter(Folder),
    Select,
    Follow,
}

impl Visitor<'_> {
    /// Decides on an entry. The walk and the explanation of a single path both go from here to there by these steps alone.
    pub(crate) fn step(&self, folder: &Folder, path: &[u8], name: &[u8], kind: FileType) -> Result<Step, Refusal> {
        match kind {
            FileType::Directory => {
                let dropped = self.may_enter(folder, path, name)?;
                Ok(Step::Enter(folder.below(path, name, dropped)))
            }
            FileType::RegularFile => self.may_select(folder, path, name).map(|()| Step::Select),
            FileType::Symlink => self.may_follow(folder, path, name).map(|()| Step::Follow),
            _ => {
                self.may_select(folder, path, name)?;
                Err(Refusal::new(Reason::NotAFile, "it is no regular file"))
            }
        }
    }

    /// Whether a file is wanted, may leave and is worth it, by name alone.
    pub(crate) fn may_select(&self, folder: &Folder, path: &[u8], name: &[u8]) -> Result<(), Refusal> {
        let verdict = self.selection.globs.file(path);
        if verdict == Verdict::NotMatched {
            return Err(Refusal::new(Reason::NotMatched, ""));
        }
        if self.selection.only.as_ref().is_some_and(|only| !only.covers(path)) {
            return Err(Refusal::new(Reason::NotMatched, NOT_AMONG));
        }
        // Before the other reasons: that a credential store, or a cache, is hidden as well says less.
        policy::name_may_leave(path)?;
        let real = folder.real_of(name);
        if let Some(real) = &real {
            policy::name_may_leave(real)?;
        }
        if let Some(packs) = self.packs {
            policy::file_worth_sending(packs, real.as_deref().unwrap_or(path), folder.untracked.rule)?;
        }
        if verdict == Verdict::Hidden {
            return Err(Refusal::new(Reason::Hidden, ""));
        }
        self.may_keep(folder, path, real.as_deref(), false).map(|_| ())
    }

    /// Whether anything below a folder is wanted. Answers with what drops there what git does not track.
    pub(crate) fn may_enter(&self, folder: &Folder, path: &[u8], name: &[u8]) -> Result<Untracked, Refusal> {
        if is_version_control(name) {
            return Err(version_control(name));
        }
        let verdict = self.selection.globs.folder(path);
        if verdict == Verdict::NotMatched {
            return Err(Refusal::new(Reason::NotMatched, ""));
        }
        if self.selection.only.as_ref().is_some_and(|only| !only.reaches(path)) {
            return Err(Refusal::new(Reason::NotMatched, NOT_AMONG));
        }
        let real = folder.real_of(name);
        let rule = match self.packs {
            Some(packs) => policy::folder_worth_sending(packs, real.as_deref().unwrap_or(path), folder.untracked.rule)?,
            None => None,
        };
        if verdict == Verdict::Hidden {
            return Err(Refusal::new(Reason::Hidden, ""));
        }
        if folder.depth >= self.selection.limits.max_depth {
            let rule = format!("limit {}", self.selection.limits.max_depth);
            return Err(Refusal::new(Reason::TooDeep, rule));
        }
        Ok(Untracked { rule, ignored: self.may_keep(folder, path, real.as_deref(), true)? })
    }

    /// Whether the ignore files and attributes keep an entry of a folder. As in git, `.gitignore` says nothing of what is
    /// tracked: a folder that it drops is entered for the tracked files in it, and the answer is what drops the others.
    pub(crate) fn may_keep(
        &self,
        folder: &Folder,
        path: &[u8],
        real: Option<&[u8]>,
        is_folder: bool,
    ) -> Result<Option<Arc<Refusal>>, Refusal> {
        let dropped = |but_git| {
            let at_real =
                folder.ignores.as_ref().and_then(|all| all.dropped_by(real.unwrap_or(path), is_folder, but_git));
            at_real.or_else(|| folder.via.as_ref().and_then(|via| via.dropped_by(path, is_folder, but_git)))
        };
        let Some(refusal) = folder.untracked.ignored.clone().or_else(|| dropped(false).map(Arc::new)) else {
            return Ok(None);
        };
        if !self.is_tracked(real.unwrap_or(path), is_folder) {
            return Err(Refusal::clone(&refusal));
        }
        dropped(true).map_or(Ok(Some(refusal)), Err)
    }

    /// Whether git tracks a file, or a file in a folder.
    pub(crate) fn is_tracked(&self, path: &[u8], is_folder: bool) -> bool {
        let tracked = self.packs.and_then(|packs| packs.tracked.as_ref());
        tracked.is_some_and(|tracked| if is_folder { tracked.reaches(path) } else { tracked.covers(path) })
    }

    /// A symlink may turn out to be a file or a folder; it is dropped here only if it is wanted as neither.
    fn may_follow(&self, folder: &Folder, path: &[u8], name: &[u8]) -> Result<(), Refusal> {
        let as_file = self.may_select(folder, path, name);
        if as_file.is_ok() || self.may_enter(folder, path, name).is_ok() { Ok(()) } else { as_file }
    }
}

impl Folder {
    /// The symlink-free path of an entry, if it is another than the one shown.
    pub(crate) fn real_of(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.real
            .as_ref()
            .map(|real| if real.is_empty() { name.to_vec() } else { [real.as_slice(), b"/", name].concat() })
    }

    fn below(&self, path: &[u8], name: &[u8], untracked: Untracked) -> Folder {
        Folder {
            path: path.to_vec(),
            real: self.real_of(name),
            depth: self.depth + 1,
            ignores: self.ignores.clone(),
            via: self.via.clone(),
            untracked,
        }
    }
}

pub(crate) fn is_version_control(name: &[u8]) -> bool {
    VERSION_CONTROL.iter().any(|known| name.eq_ignore_ascii_case(known))
}

pub(crate) fn version_control(name: &[u8]) -> Refusal {
    worth::version_control_rule(name).map_or_else(|| Refusal::new(Reason::VersionControl, ""), Refusal::from)
}
