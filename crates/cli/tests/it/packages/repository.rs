//! A git repository to take packages from, with nothing of this machine's settings.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A repository with a branch `main`.
pub(crate) struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Repository { folder: tempfile::tempdir().unwrap() };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The URL with what comes behind it.
    pub(crate) fn url(&self, rest: &str) -> String {
        format!("git+file://{}{rest}", self.path().display())
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.folder.path().join(Path::new(path));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }

    /// Commits all there is, and says under which id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.folder.path()).stdin(Stdio::null()).args(args);
        command.env("HOME", self.folder.path()).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "x").env(format!("GIT_{name}_EMAIL"), "x@example.com");
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}
