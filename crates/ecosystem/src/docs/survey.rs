//! Which documents a folder has.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, FileType};
use std::path::{Path, PathBuf};

use super::LocalPackage;

/// The endings of documents, and the same as part of a glob.
const ENDINGS: [&str; 5] = [".md", ".mdx", ".rst", ".txt", ".adoc"];
const ENDINGS_GLOB: &str = "{md,mdx,rst,txt,adoc}";

/// The folders that hold documents.
const FOLDERS: [&str; 3] = ["docs", "doc", "guide"];

/// A folder of documents with more entries, or deeper, is not looked at to its end.
const MAX_ENTRIES: usize = 100_000;
const MAX_DEPTH: usize = 32;

/// Collects the documents below one folder.
pub(super) struct Survey {
    folder: PathBuf,
    globs: Vec<String>,
    files: usize,
    bytes: u64,
    entries: usize,
}

impl Survey {
    pub(super) fn new(folder: PathBuf) -> Self {
        Survey { folder, globs: Vec::new(), files: 0, bytes: 0, entries: 0 }
    }

    /// The documents of a package that is a folder.
    pub(super) fn of(folder: PathBuf) -> LocalPackage {
        let mut survey = Survey::new(folder);
        survey.package("");
        survey.finish()
    }

    /// Takes in one file, by its path relative to the folder.
    pub(super) fn file(&mut self, relative: &str) {
        match fs::symlink_metadata(self.folder.join(relative)) {
            Ok(about) if about.is_file() => {
                self.count(about.len());
                self.globs.push(relative.to_owned());
            }
            _ => {}
        }
    }

    /// Takes in the READMEs, the changelogs and the folders of documents directly below a folder; `prefix` is its relative path with a
    /// slash, or empty.
    pub(super) fn package(&mut self, prefix: &str) {
        let mut found = self.list(&self.folder.join(prefix));
        found.sort_by_key(|(entry, _)| entry.file_name());
        for (entry, kind) in found {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| is_plain(name)) else { continue };
            if kind.is_file() && (is_readme(name) || is_changelog(name)) {
                self.file(&format!("{prefix}{name}"));
            } else if kind.is_dir() && FOLDERS.contains(&name.to_ascii_lowercase().as_str()) {
                let before = self.files;
                self.below(&entry.path());
                if self.files > before {
                    self.globs.push(format!("{prefix}{name}/**/*.{ENDINGS_GLOB}"));
                }
            }
        }
    }

    fn below(&mut self, top: &Path) {
        let mut open = vec![(top.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for (entry, kind) in self.list(&folder) {
                let name = entry.file_name();
                if name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                if kind.is_dir() && depth < MAX_DEPTH {
                    open.push((entry.path(), depth + 1));
                } else if kind.is_file() && is_document(&name) {
                    self.count(entry.metadata().map_or(0, |about| about.len()));
                }
            }
        }
    }

    /// The entries of a folder with their kinds, symlinks not followed. A folder that can't be read has none.
    fn list(&mut self, folder: &Path) -> Vec<(DirEntry, FileType)> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let left = MAX_ENTRIES.saturating_sub(self.entries);
        let entries = entries.take(left).flatten();
        let entries: Vec<_> = entries.filter_map(|entry| entry.file_type().ok().map(|kind| (entry, kind))).collect();
        self.entries += entries.len();
        entries
    }

    fn count(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub(super) fn finish(self) -> LocalPackage {
        let Survey { folder, globs, files, bytes, .. } = self;
        LocalPackage { folder, docs: globs, files, bytes, ..LocalPackage::default() }
    }
}

/// Whether a name means itself in a glob.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'+' | b'!'))
}

/// `README`, `Readme.md`, `README.ja.rst`, but not `README.png`.
fn is_readme(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_prefix("readme").is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(['.', '-', '_']) && (!rest.contains('.') || is_document(OsStr::new(&name)))
    })
}

/// `CHANGELOG.md`, `History.md`, `CHANGES.rst`, `UPGRADING`, but not `changes.py`.
fn is_changelog(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default().replace(['-', '_'], "");
    let is_one = matches!(
        stem.as_str(),
        "changelog"
            | "changes"
            | "history"
            | "news"
            | "releases"
            | "releasenotes"
            | "upgrading"
            | "migration"
            | "migrating"
    );
    is_one && (!name.contains('.') || is_document(OsStr::new(&name)))
}

fn is_document(name: &OsStr) -> bool {
    ENDINGS.iter().any(|ending| name.as_encoded_bytes().ends_with(ending.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_are_changelogs() {
        for name in ["CHANGELOG.md", "History.md", "CHANGES.rst", "CHANGES", "release-notes.md", "UPGRADING.md"] {
            assert!(is_changelog(name), "{name}");
        }
        for name in ["changes.py", "CHANGELOG.png", "changesets.md", "README.md", "history.js"] {
            assert!(!is_changelog(name), "{name}");
        }
    }

    #[test]
    fn only_texts_are_readmes() {
        for name in ["README", "README.md", "readme.txt", "Readme.ja.md", "README-en.rst", "README_en", "README.MD"] {
            assert!(is_readme(name), "{name}");
        }
        for name in ["README.png", "README.md.bak", "READMEs.md", "readmes", "CHANGELOG.md", "AREADME.md"] {
            assert!(!is_readme(name), "{name}");
        }
    }
}
