//! Syncing again whenever files change.

use std::path::{Path, PathBuf};

use ai_assist_admit::{Globs, IGNORE_FILES};
use ai_assist_base::watch::{FolderWatch, Pacing};
use ai_assist_base::{Cancel, RealPath};

use crate::{Member, Resolved};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// The first sync is done, and changes in so many folders are heard.
    Watching { folders: usize },
    /// Changes are not heard, for this reason; folders are looked at every so often instead.
    Blind(String),
}

/// Has all collections synced now, and those of folders again whenever files of theirs may have changed, until the caller
/// cancels. Nothing below `except` counts: it changes with every sync.
pub fn watch<E>(
    members: &[Member],
    except: &[PathBuf],
    pacing: Pacing,
    cancel: &Cancel,
    told: &mut dyn FnMut(WatchEvent) -> Result<(), E>,
    sync: &mut dyn FnMut(&[&Member]) -> Result<(), E>,
) -> Result<(), E> {
    let real = |path: &PathBuf| path.real_path().unwrap_or_else(|_| path.clone());
    let except: Vec<PathBuf> = except.iter().map(real).collect();
    let sources: Vec<Source<'_>> = members.iter().filter_map(Source::of).collect();
    let is_hint = |path: &Path| {
        !except.iter().any(|folder| path.starts_with(folder)) && sources.iter().any(|source| source.may_be_of(path))
    };
    let folders = sources.iter().map(|source| source.folder.clone()).collect();
    let mut watch = FolderWatch::new(folders, pacing, &is_hint);
    let mut heard = None;
    while let Some(due) = watch.next(cancel) {
        let concerned: Vec<&Member> = match heard {
            None => members.iter().collect(),
            Some(_) => sources
                .iter()
                .filter(|source| due.everything.is_some() || due.paths.iter().any(|path| source.may_be_of(path)))
                .map(|source| source.member)
                .collect(),
        };
        sync(&concerned)?;
        let hears = watch.deaf().is_none();
        if heard != Some(hears) {
            heard = Some(hears);
            told(match watch.deaf() {
                None => WatchEvent::Watching { folders: sources.len() },
                Some(why) => WatchEvent::Blind(why.to_owned()),
            })?;
        }
    }
    Ok(())
}

/// A collection whose documents are files of a folder.
struct Source<'m> {
    member: &'m Member,
    folder: PathBuf,
    globs: Option<Globs>,
}

impl<'m> Source<'m> {
    fn of(member: &'m Member) -> Option<Self> {
        let Resolved::File { folder, glob, .. } = &member.resolved else { return None };
        let folder = folder.to_path_buf();
        Some(Source { member, folder, globs: Globs::new(&[glob.as_str()]).ok() })
    }

    /// Whether what happened to a path may change the documents. A folder that is gone can't be told from a file.
    fn may_be_of(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.folder) else { return self.folder.starts_with(path) };
        let other_file = || {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            path.is_file()
                && !IGNORE_FILES.contains(&name)
                && self.globs.as_ref().is_some_and(|globs| !below.to_str().is_none_or(|below| globs.matches(below)))
        };
        !other_file()
    }
}
