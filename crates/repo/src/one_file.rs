use std::path::{Path, PathBuf};

use ai_assist_admit::{AdmitError, Limits, Outcome, pick};
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
    match candidate.read(limits) {
        Outcome::Admitted(admitted) => Ok(OneFile {
            path: path.clone(),
            language: Language::detect(path.as_str(), admitted.text()),
            hash: admitted.hash(),
            redacted: admitted.redacted(),
            text: admitted.into_text(),
        }),
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
}
