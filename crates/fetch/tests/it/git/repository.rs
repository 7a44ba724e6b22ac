//! A repository to read from, and a place to read it into, with nothing of this machine's settings.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_fetch::{CheckedOut, Commit, GitError, GitOptions, GitSource, Limits};
use ai_assist_identity::{CanonicalPath, PackageUrl};

/// A folder with a repository `origin`, settings of a user, and places for what is fetched.
pub(crate) struct Place {
    outer: tempfile::TempDir,
    pub(crate) env: Vec<(OsString, OsString)>,
}

impl Place {
    /// With an empty repository.
    pub(crate) fn bare_of_commits() -> Self {
        let outer = tempfile::tempdir().unwrap();
        for folder in ["origin", "scratch", "home"] {
            std::fs::create_dir(outer.path().join(folder)).unwrap();
        }
        let mut place = Place { outer, env: Vec::new() };
        std::fs::write(place.path("settings"), "").unwrap();
        place.set("HOME", place.path("home"));
        place.set("GIT_CONFIG_GLOBAL", place.path("settings"));
        place.set("GIT_CONFIG_NOSYSTEM", "1");
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place
    }

    /// With a first commit of one file.
    pub(crate) fn new() -> Self {
        let place = Self::bare_of_commits();
        place.commit("README.md", "one");
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.outer.path().join(name)
    }

    pub(crate) fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.env.push((name.into(), value.as_ref().to_owned()));
    }

    /// Adds to the settings of the user.
    pub(crate) fn settings(&self, text: &str) {
        let mut file = std::fs::OpenOptions::new().append(true).open(self.path("settings")).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        // In a process of its own: a thread that forks while this one has the file open would make it "busy".
        let mut shell = Command::new("sh");
        shell.args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"]).arg(&path).stdin(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        write!(shell.stdin.take().unwrap(), "#!/bin/sh\n{text}\n").unwrap();
        assert!(shell.wait().unwrap().success());
        assert!(path.metadata().unwrap().permissions().mode() & 0o100 != 0);
        path
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.current_dir(self.path("origin")).stdin(Stdio::null());
        // The plain settings only: those of a test are for the code under test.
        command.env("HOME", self.path("home")).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "x").env(format!("GIT_{name}_EMAIL"), "x@example.com");
            command.env(format!("GIT_{name}_DATE"), "2020-01-01T00:00:00Z");
        }
        command
    }

    /// Runs git in the repository and gives what it says.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.command().args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The same with input.
    pub(crate) fn git_with(&self, args: &[&str], input: &[u8]) -> String {
        let mut command = self.command();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path("origin").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn commit_all(&self) -> Commit {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
        self.head()
    }

    pub(crate) fn commit(&self, name: &str, content: &str) -> Commit {
        self.write(name, content);
        self.commit_all()
    }

    pub(crate) fn head(&self) -> Commit {
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }

    pub(crate) fn source(&self, behind: &str) -> GitSource {
        source(&format!("git+file://{}{behind}", self.path("origin").display()))
    }

    /// A source that is reached through `GIT_SSH_COMMAND`.
    pub(crate) fn ssh_source(&self, behind: &str) -> GitSource {
        source(&format!("git+ssh://git@example.invalid{}{behind}", self.path("origin").display()))
    }

    pub(crate) fn with_options<T>(&self, call: impl FnOnce(&GitOptions<'_>) -> T) -> T {
        let result = call(&GitOptions {
            timeout: Duration::from_secs(120),
            offline: false,
            cancel: &Cancel::default(),
            interactive: false,
            address: None,
            scratch: &self.path("scratch"),
            wanted: &|_| true,
            env: &self.env,
        });
        assert_eq!(std::fs::read_dir(self.path("scratch")).unwrap().count(), 0, "something is left behind");
        result
    }

    pub(crate) fn resolve(&self, source: &GitSource) -> Result<Commit, GitError> {
        self.with_options(|options| source.resolve(options))
    }

    /// Resolves and checks out into a new folder.
    pub(crate) fn check_out(&self, source: &GitSource) -> Result<Taken, GitError> {
        let commit = self.resolve(source)?;
        self.check_out_commit(source, &commit, &Limits::default())
    }

    pub(crate) fn check_out_commit(
        &self,
        source: &GitSource,
        commit: &Commit,
        limits: &Limits,
    ) -> Result<Taken, GitError> {
        let into = tempfile::tempdir_in(self.outer.path()).unwrap();
        let done = self.with_options(|options| source.check_out(commit, into.path(), options, limits))?;
        Ok(Taken { done, files: crate::bundles::made::files(into.path()) })
    }
}

/// What was checked out.
pub(crate) struct Taken {
    pub(crate) done: CheckedOut,
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Taken {
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.files[Path::new(name)]).into_owned()
    }
}

pub(crate) fn source(url: &str) -> GitSource {
    let root = CanonicalPath::from_absolute(Path::new("/")).unwrap();
    GitSource::parse(&PackageUrl::parse(url, &root).unwrap()).unwrap()
}
