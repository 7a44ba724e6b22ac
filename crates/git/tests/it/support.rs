//! A temporary folder with a git that knows nothing of the user who runs the tests.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ai_assist_git::{Ask, GitError, Repo};

pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
    env: Vec<(OsString, OsString)>,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        let folder = tempfile::tempdir().unwrap();
        let (home, work) = (folder.path().join("home"), folder.path().join("work"));
        std::fs::create_dir(&home).unwrap();
        std::fs::create_dir(work).unwrap();
        let settings = home.join("gitconfig");
        std::fs::write(&settings, "[user]\nname=A\nemail=a@example.com\n[init]\ndefaultBranch=main\n").unwrap();
        let pairs: [(&str, &OsStr); 5] = [
            ("HOME", home.as_os_str()),
            ("XDG_CONFIG_HOME", home.as_os_str()),
            ("GIT_CONFIG_GLOBAL", settings.as_os_str()),
            ("GIT_CONFIG_NOSYSTEM", OsStr::new("1")),
            // The temporary folder may be in somebody's work tree.
            ("GIT_CEILING_DIRECTORIES", folder.path().as_os_str()),
        ];
        let env = pairs.map(|(name, value)| (OsString::from(name), value.to_owned())).to_vec();
        Sandbox { folder, env }
    }

    /// One with an empty repository in its work folder.
    pub(crate) fn with_repo() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.git(["init", "-q"]);
        sandbox
    }

    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.outside("work").join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn commit(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            self.write(path, text);
        }
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "-m", "x"]);
    }

    /// Runs git as any user does, who has set nothing against the repository.
    pub(crate) fn try_git_in<A: AsRef<OsStr>>(&self, folder: &Path, arguments: impl IntoIterator<Item = A>) -> Output {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        command.current_dir(folder).envs(self.env.iter().cloned()).args(arguments).output().unwrap()
    }

    pub(crate) fn git_in<A: AsRef<OsStr>>(&self, folder: &Path, arguments: impl IntoIterator<Item = A>) -> String {
        let output = self.try_git_in(folder, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        self.git_in(&self.path(""), arguments)
    }

    /// A program that leaves a file with its name behind and passes on what it reads.
    pub(crate) fn trap(&self, name: &str) -> String {
        let (path, marker) = (self.outside(&format!("trap-{name}")), self.outside(&format!("sprung-{name}")));
        std::fs::write(&path, format!("#!/bin/sh\n: > '{}'\ncat\n", marker.display())).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// The traps that were sprung, which are set again.
    pub(crate) fn sprung(&self) -> Vec<String> {
        let mut names = Vec::new();
        for entry in self.folder.path().read_dir().unwrap() {
            let entry = entry.unwrap();
            if let Some(name) = entry.file_name().to_str().unwrap().strip_prefix("sprung-") {
                names.push(name.to_owned());
                std::fs::remove_file(entry.path()).unwrap();
            }
        }
        names.sort();
        names
    }

    pub(crate) fn find_in(&self, folder: &Path, more: &[(&str, &str)]) -> Result<Option<Repo>, GitError> {
        let mut env = self.env.clone();
        env.extend(more.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        Repo::find_with(folder, &Ask::default(), &env)
    }

    pub(crate) fn find_below(&self, path: &str) -> Option<Repo> {
        self.find_in(&self.path(path), &[]).unwrap()
    }

    pub(crate) fn repo(&self) -> Repo {
        self.find_below("").unwrap()
    }
}

/// The names in the output of `ls-files`, sorted.
pub(crate) fn names(output: &[u8]) -> Vec<String> {
    let names = output.split(|&b| b == 0).filter(|name| !name.is_empty());
    let mut names: Vec<String> = names.map(|name| name.escape_ascii().to_string()).collect();
    names.sort();
    names
}

pub(crate) fn changed(repo: &Repo, revision: &str) -> Vec<String> {
    repo.changed_since(revision).unwrap().iter().map(|path| path.as_str().to_owned()).collect()
}

pub(crate) fn raw(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}
