use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    let resolved = folder.real_path().map(|path| (path.is_dir(), path));
    root_of(folder, resolved, git_top, &|folder| RootFinder::default().configured(folder))
}

/// The root around a folder, given whether it is one, and its path with links resolved.
fn root_of(
    folder: &Path,
    resolved: io::Result<(bool, PathBuf)>,
    git_top: &dyn Fn(&Path) -> Option<PathBuf>,
    configured: &dyn Fn(&Path) -> Option<PathBuf>,
) -> Result<CanonicalPath, RootError> {
    let (is_folder, resolved) = resolved.map_err(|source| RootError::Folder { path: folder.to_owned(), source })?;
    if !is_folder {
        return Err(RootError::NotAFolder(folder.to_owned()));
    }
    // What lies above a folder whose links are resolved has none either.
    let resolve = |top: PathBuf| if resolved.starts_with(&top) { Some(top) } else { top.real_path().ok() };
    let top = git_top(&resolved).and_then(resolve).filter(|top| resolved.starts_with(top));
    let root = top.or_else(|| configured(&resolved)).unwrap_or(resolved);
    Ok(CanonicalPath::from_absolute(&root)?)
}

/// The top of the work tree that a folder is in, by the rule that git itself looks for it: upwards, the first folder with a
/// `.git` that is a repository or names one. None inside a repository's own folder, and in a bare one.
///
/// Git is not run: a hundred repositories would take a second of processes, and the id of a repository would depend on
/// whether git is installed and trusts the folder's owner. Settings that move the work tree elsewhere are not looked at.
pub fn work_tree_top(folder: &Path) -> Option<PathBuf> {
    RootFinder::default().top(folder)
}

/// What was found for folders.
#[derive(Debug, Default)]
struct Known<T>(Mutex<HashMap<PathBuf, T>>);

impl<T> Known<T> {
    fn all(&self) -> MutexGuard<'_, HashMap<PathBuf, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finds the roots of many repositories. Most of them lie side by side, and each folder above them is asked about once.
#[derive(Debug, Default)]
pub struct RootFinder {
    tops: Known<Option<PathBuf>>,
    configured: Known<Option<PathBuf>>,
    resolved: Known<PathBuf>,
}

impl RootFinder {
    /// [`canonical_root`] by [`work_tree_top`].
    pub fn root(&self, folder: &Path) -> Result<CanonicalPath, RootError> {
        root_of(folder, self.real_path(folder), &|folder| self.top(folder), &|folder| self.configured(folder))
    }

    fn top(&self, folder: &Path) -> Option<PathBuf> {
        upwards(&self.tops, folder, |above| {
            let git = above.join(".git");
            if is_repository(&git) || names_repository(above, &git) {
                ControlFlow::Break(Some(above.to_owned()))
            } else if is_repository(above) {
                ControlFlow::Break(None)
            } else {
                ControlFlow::Continue(())
            }
        })
    }

    /// The nearest folder that says something about itself.
    fn configured(&self, folder: &Path) -> Option<PathBuf> {
        upwards(&self.configured, folder, |above| match above.join(REPO_CONFIG_FILE).is_file() {
            true => ControlFlow::Break(Some(above.to_owned())),
            false => ControlFlow::Continue(()),
        })
    }

    /// Whether a path is that of a folder, and the path with its links resolved: those of the folder that it is in once for all that are
    /// in it.
    fn real_path(&self, path: &Path) -> io::Result<(bool, PathBuf)> {
        let real_path = || path.real_path().map(|path| (path.is_dir(), path));
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return real_path() };
        // Elsewhere a name may be spelt in several ways, and only the system knows which one counts.
        if !cfg!(target_os = "linux") || folder.as_os_str().is_empty() {
            return real_path();
        }
        let known = self.resolved.all().get(folder).cloned();
        let folder = match known {
            Some(resolved) => resolved,
            None => {
                // Before the lock is taken: a folder of a network may take its time, and all threads ask here.
                let resolved = folder.real_path()?;
                self.resolved.all().entry(folder.to_owned()).or_insert(resolved).clone()
            }
        };
        let resolved = folder.join(name);
        let found = resolved.symlink_metadata()?;
        if found.is_symlink() { real_path() } else { Ok((found.is_dir(), resolved)) }
    }
}

/// Asks a folder, then those above it, until one has an answer.
fn upwards(
    known: &Known<Option<PathBuf>>,
    folder: &Path,
    ask: impl Fn(&Path) -> ControlFlow<Option<PathBuf>>,
) -> Option<PathBuf> {
    let mut passed = Vec::new();
    let mut found = None;
    for above in folder.ancestors() {
        if let Some(known) = known.all().get(above) {
            found.clone_from(known);
            break;
        }
        passed.push(above.to_owned());
        if let ControlFlow::Break(answer) = ask(above) {
            found = answer;
            break;
        }
    }
    known.all().extend(passed.into_iter().map(|folder| (folder, found.clone())));
    found
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
