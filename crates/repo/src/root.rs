use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use ai_assist_identity::{CanonicalPath, PathError};

use crate::repo_config::REPO_CONFIG_FILE;
use ai_assist_base::{RealPath, platform, read_plain};

#[derive(Debug, thiserror::Error)]
pub enum RootError {
    #[error("the folder `{}` can't be opened", path.display())]
    Folder {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error(transparent)]
    Path(#[from] PathError),
}

/// The canonical root of the repository that a folder belongs to: the top of git's work tree, else the nearest folder with
/// a `.ai-assist.json`, else the folder itself; with links resolved.
///
/// `git_top` says where the work tree of a folder, whose links are resolved, begins. [`work_tree_top`] does that without
/// running a program. An answer that does not lie above the folder is not believed.
pub fn canonical_root(folder: &Path, git_top: &dyn Fn(&Path) -> Option<PathBuf>) -> Result<CanonicalPath, RootError> {
    let failed = |source| RootError::Folder { path: folder.to_owned(), source };
    let resolved = folder.real_path().map_err(failed)?;
    if !resolved.is_dir() {
        return Err(RootError::NotAFolder(folder.to_owned()));
    }
    // What lies above a folder whose links are resolved has none either.
    let resolve = |top: PathBuf| if resolved.starts_with(&top) { Some(top) } else { top.real_path().ok() };
    let top = git_top(&resolved).and_then(resolve).filter(|top| resolved.starts_with(top));
    let configured = || resolved.ancestors().find(|above| above.join(REPO_CONFIG_FILE).is_file()).map(Path::to_owned);
    let root = top.or_else(configured).unwrap_or(resolved);
    Ok(CanonicalPath::from_absolute(&root)?)
}

/// The top of the work tree that a folder is in, by the rule that git itself looks for it: upwards, the first folder with a
/// `.git` that is a repository or names one. None inside a repository's own folder, and in a bare one.
///
/// Git is not run: a hundred repositories would take a second of processes, and the id of a repository would depend on
/// whether git is installed and trusts the folder's owner. Settings that move the work tree elsewhere are not looked at.
pub fn work_tree_top(folder: &Path) -> Option<PathBuf> {
    WorkTrees::default().top(folder)
}

/// The same for many folders: each of the folders above them is looked at once.
#[derive(Debug, Default)]
pub struct WorkTrees {
    known: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
}

impl WorkTrees {
    pub fn top(&self, folder: &Path) -> Option<PathBuf> {
        let mut passed = Vec::new();
        let mut found = None;
        for above in folder.ancestors() {
            if let Some(known) = self.known.borrow().get(above) {
                found.clone_from(known);
                break;
            }
            passed.push(above.to_owned());
            let git = above.join(".git");
            if is_repository(&git) || names_repository(above, &git) {
                found = Some(above.to_owned());
                break;
            }
            if is_repository(above) {
                break;
            }
        }
        self.known.borrow_mut().extend(passed.into_iter().map(|folder| (folder, found.clone())));
        found
    }
}

/// As git decides it, but for the contents of `HEAD`.
fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").symlink_metadata().is_ok() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Whether a `.git` is the file of a linked work tree or a submodule: `gitdir: <folder>`.
fn names_repository(above: &Path, git: &Path) -> bool {
    const LONGEST: u64 = 8192;
    let Ok(file) = read_plain(git, LONGEST) else { return false };
    let Some(named) = file.bytes.strip_prefix(b"gitdir: ") else { return false };
    let named = named.trim_ascii_end();
    let folder = above.join(platform::path_of(named));
    // A linked work tree's folder has its own HEAD and shares the rest with the repository that `commondir` names.
    is_repository(&folder) || (folder.join("HEAD").is_file() && folder.join("commondir").is_file())
}

#[cfg(test)]
#[path = "root_tests.rs"]
mod tests;
