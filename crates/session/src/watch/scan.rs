//! What there is below a folder, by the rules of `admit`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ai_assist_admit::{AdmitError, FileStamp, Globs, Limits, PathSet, Reason, Selection, Walked, walk};
use ai_assist_base::{Cancel, RealPath};
use ai_assist_identity::DocPath;

use crate::error::{Error, Result};

/// Never entered by a walk, which does not list them either.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) files: Vec<(PathBuf, FileStamp)>,
    /// Files of which only the path may be known.
    pub(super) refused: Vec<PathBuf>,
    /// The folders that were gone through, or would have been.
    pub(super) folders: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Scope {
    Whole,
    /// These files and folders of it, with all below them.
    Only(Vec<PathBuf>),
}

/// Scans a folder. One that is not there has nothing in it.
pub(super) fn scan(root: &Path, scope: &Scope, except: &[PathBuf], cancel: &Cancel) -> Result<Scan> {
    let Some(Walked { candidates, receipt }) = walked(root, scope, cancel)? else { return Ok(Scan::default()) };
    let at = |path: &DocPath| root.join(path.to_path_buf());
    let wanted = |path: &Path| !except.iter().any(|except| path.starts_with(except));
    let mut plain = Plain::default();
    let files = candidates.iter().map(|candidate| (at(candidate.path()), candidate.stamp()));
    let files = files.filter(|(path, _)| wanted(path) && plain.holds(path)).collect();
    let is_refused = |reason| matches!(reason, Reason::SecretName | Reason::TooLarge | Reason::Unreadable);
    let refused = receipt.exclusions.iter().filter(|exclusion| is_refused(exclusion.reason));
    let refused =
        refused.map(|exclusion| at(&exclusion.path)).filter(|path| wanted(path) && plain.holds(path)).collect();
    let mut closed: HashSet<PathBuf> = receipt.exclusions.iter().map(|exclusion| at(&exclusion.path)).collect();
    closed.extend(except.iter().cloned());
    let folders = match scope {
        Scope::Whole => folders_below(root, &closed),
        Scope::Only(paths) => paths
            .iter()
            .filter(|path| is_open(root, path, &closed))
            .flat_map(|path| folders_below(path, &closed))
            .collect(),
    };
    Ok(Scan { files, refused, folders })
}

fn walked(root: &Path, scope: &Scope, cancel: &Cancel) -> Result<Option<Walked>> {
    let failed = |why: String| Error::Unreadable { path: root.to_owned(), why };
    let globs = Globs::new(&Globs::EVERYTHING).map_err(|error| failed(error.to_string()))?;
    let only = match scope {
        Scope::Whole => None,
        Scope::Only(paths) => {
            let below = paths.iter().filter_map(|path| path.strip_prefix(root).ok());
            let below: Vec<DocPath> = below.filter_map(|path| DocPath::from_relative(path).ok()).collect();
            Some(Arc::new(PathSet::new(&below)))
        }
    };
    let selection = Selection { only, ..Selection::new(root, globs, Limits::default()) };
    match walk(&selection, cancel, &|_| {}) {
        Ok(walked) => Ok(Some(walked)),
        Err(AdmitError::Cancelled) => Err(Error::Cancelled),
        Err(AdmitError::Root { .. } | AdmitError::RootNotAFolder { .. }) => Ok(None),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Which folders are what their path says. What lies behind a symlink is followed under its own name.
#[derive(Debug, Default)]
struct Plain(HashMap<PathBuf, bool>);

impl Plain {
    fn holds(&mut self, file: &Path) -> bool {
        let Some(folder) = file.parent() else { return false };
        if let Some(&plain) = self.0.get(folder) {
            return plain;
        }
        let plain = folder.real_path().is_ok_and(|real| real == folder);
        self.0.insert(folder.to_owned(), plain);
        plain
    }
}

/// Whether a walk gets as far as this path.
fn is_open(root: &Path, path: &Path, closed: &HashSet<PathBuf>) -> bool {
    path.ancestors().take_while(|above| above.starts_with(root)).all(|part| {
        let version_control = part != root && is_version_control(part);
        !version_control && !closed.contains(part)
    })
}

fn is_version_control(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| VERSION_CONTROL.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

/// A folder and those below it that are not closed. Nothing if it is no folder, or a symlink to one.
fn folders_below(start: &Path, closed: &HashSet<PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    if start.symlink_metadata().is_ok_and(|about| about.is_dir()) {
        open.push(start.to_owned());
    }
    while let Some(folder) = open.pop() {
        // One that is gone again has nothing in it; the folder above tells of it.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir())
                && !is_version_control(&path)
                && !closed.contains(&path)
            {
                open.push(path);
            }
        }
        found.push(folder);
    }
    found
}
