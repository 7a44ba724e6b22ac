use std::path::{Path, PathBuf};

use ai_assist_admit::{AdmitError, IndexedView, Limits, Outcome, pick};
use ai_assist_git::tracked_files;
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_text::Language;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneFile {
    pub path: DocPath,
    pub text: String,
    pub language: Language,
    pub hash: Sha256,
    /// How many secret values were taken out.
    pub redacted: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("there is no file {}", .0.display())]
    Missing(PathBuf),
    #[error("{} is a folder, and a file is needed", .0.display())]
    Folder(PathBuf),
    #[error("{} {why} ({rule})", path.display())]
    Refused { path: PathBuf, why: &'static str, rule: String },
    #[error(transparent)]
    Admit(#[from] AdmitError),
}

/// Reads a file below a root for somebody who may see what an index of the repository has, and no more.
pub fn read_admitted(root: &Path, path: &DocPath, limits: &Limits) -> Result<OneFile, FileError> {
    let view = IndexedView { root: root.to_owned(), limits: *limits, tracked: tracked_files };
    told(root, path, view.read(path)?)
}

/// Reads a file below a root. Links that leave the root and names of credential stores are refused, whatever leads there.
pub fn read_file(root: &Path, path: &DocPath, limits: &Limits) -> Result<OneFile, FileError> {
    let place = || root.join(path.to_path_buf());
    if place().is_dir() {
        return Err(FileError::Folder(place()));
    }
    let picked = pick(root, std::slice::from_ref(path), limits)?;
    let Some(candidate) = picked.candidates.first() else {
        return Err(match picked.receipt.exclusions.into_iter().next() {
            Some(exclusion) => {
                FileError::Refused { path: place(), why: exclusion.reason.describe(), rule: exclusion.rule }
            }
            None => FileError::Missing(place()),
        });
    };
    told(root, path, candidate.read(limits))
}

fn told(root: &Path, path: &DocPath, outcome: Outcome) -> Result<OneFile, FileError> {
    let place = || root.join(path.to_path_buf());
    match outcome {
        Outcome::Admitted(admitted) => Ok(OneFile {
            path: path.clone(),
            language: admitted.language(),
            hash: admitted.hash(),
            redacted: admitted.redacted(),
            text: admitted.into_text(),
        }),
        Outcome::Excluded(_) if place().is_dir() => Err(FileError::Folder(place())),
        Outcome::Excluded(exclusion) => {
            Err(FileError::Refused { path: place(), why: exclusion.reason.describe(), rule: exclusion.rule })
        }
        Outcome::Vanished => Err(FileError::Missing(place())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_below_the_root_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(folder.path().join("outside.txt"), "outside").unwrap();
        std::fs::write(root.join("src/a.rs"), "fn a() {}\n").unwrap();
        std::fs::write(root.join(".env"), "KEY=1\n").unwrap();
        std::os::unix::fs::symlink("../outside.txt", root.join("link.txt")).unwrap();
        std::os::unix::fs::symlink("src", root.join("inside")).unwrap();
        let read = |path: &str| read_file(&root, &DocPath::parse(path).unwrap(), &Limits::default());
        let file = read("src/a.rs").unwrap();
        assert_eq!((file.text.as_str(), file.language), ("fn a() {}\n", "rust".parse().unwrap()));
        assert_eq!(read("inside/a.rs").unwrap().text, file.text);
        assert!(matches!(read("link.txt"), Err(FileError::Refused { .. })));
        assert!(matches!(read(".env"), Err(FileError::Refused { .. })));
        assert!(matches!(read("src/b.rs"), Err(FileError::Missing(_))));
        assert!(matches!(read("src"), Err(FileError::Folder(_))));
    }
    #[test]
    fn what_an_index_leaves_out_is_not_read_for_an_agent() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (path, text) in [
            ("a.rs", "fn a() {}\n"),
            (".gitignore", "notes/\n"),
            (".aiignore", "plans.md\n"),
            (".git/config", "[http]\nextraheader = AUTHORIZATION: basic eDp5\n"),
            (".git/HEAD", "ref: refs/heads/main\n"),
            ("notes/mine.md", "mine\n"),
            ("plans.md", "secret plans\n"),
            ("node_modules/x/index.js", "x()\n"),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), text).unwrap();
        }
        std::os::unix::fs::symlink(".git", root.join("other")).unwrap();
        std::os::unix::fs::symlink("plans.md", root.join("link.md")).unwrap();
        let read = |path: &str| read_admitted(root, &DocPath::parse(path).unwrap(), &Limits::default());
        assert_eq!(read("a.rs").unwrap().text, "fn a() {}\n");
        for path in [
            ".git/config",
            ".git/HEAD",
            "other/config",
            "notes/mine.md",
            "plans.md",
            "link.md",
            "node_modules/x/index.js",
        ] {
            assert!(matches!(read(path), Err(FileError::Refused { .. })), "{path}: {:?}", read(path));
        }
        assert!(matches!(read("b.rs"), Err(FileError::Missing(_))));
    }
}
