//! How git is run: with the user's settings, but on no repository other than ours.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use ai_assist_git::LEADS_ELSEWHERE;
use ai_assist_identity::{DocPath, UrlScheme};

use super::process::{Running, Watch};
use super::{GitError, GitOptions, GitSource};

/// The first with `fetch --no-write-fetch-head` and repositories of SHA-256.
pub(super) const OLDEST: (u32, u32) = (2, 29);

/// These would fill a repository that we make with more than we asked for, or find it from elsewhere. Settings given by
/// variable (`GIT_CONFIG_COUNT`) stay: they are how credentials reach a build server.
const NOT_INHERITED: [&str; 2] = ["GIT_TEMPLATE_DIR", "GIT_DISCOVERY_ACROSS_FILESYSTEM"];

/// Settings that hold whatever the user has set.
///
/// `fsckObjects` is not among them: it guards a checkout, which there is none of, and refuses old repositories that are
/// sound but for a date. That each object is what its id says is checked in any case.
const SETTINGS: [&str; 11] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    // Larger objects are streamed instead of being held in memory.
    "core.bigFileThreshold=32m",
    "gc.auto=0",
    "maintenance.auto=false",
    // All that is fetched goes into one file, so that its size can be watched.
    "fetch.unpackLimit=1",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "fetch.writeCommitGraph=false",
    "transfer.bundleURI=false",
    // Servers of this version hand out any commit.
    "protocol.version=2",
];

const ANSWER_LIMIT: usize = 1 << 20;

/// Git, with a temporary folder to work in.
pub(super) struct Git<'a> {
    source: &'a GitSource,
    options: &'a GitOptions<'a>,
    folder: tempfile::TempDir,
    /// The parent of the folder, with links resolved.
    scratch: PathBuf,
    deadline: Option<Instant>,
    own_ssh: bool,
}

impl<'a> Git<'a> {
    /// Makes the folder, and sees whether git is there and new enough.
    pub(super) fn open(source: &'a GitSource, options: &'a GitOptions<'a>) -> Result<Self, GitError> {
        if options.offline && !source.is_local() {
            return Err(GitError::Offline(source.url.clone()));
        }
        // Longer than the clock can count is without end.
        let deadline = Instant::now().checked_add(options.timeout);
        let failed = |source| GitError::Scratch { path: options.scratch.to_path_buf(), source };
        let scratch = options.scratch.canonicalize().map_err(failed)?;
        let folder = tempfile::Builder::new().prefix("git-").tempdir_in(&scratch).map_err(failed)?;
        let mut git = Git { source, options, folder, scratch, deadline, own_ssh: false };
        git.check_version()?;
        git.own_ssh = !source.is_local() && git.has_own_ssh()?;
        Ok(git)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn wants(&self, path: &DocPath) -> bool {
        (self.options.wanted)(path)
    }

    pub(super) fn url(&self) -> String {
        self.source.url.clone()
    }

    /// A command that reaches for the remote, or for a repository that its arguments name.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.current_dir(self.folder()).stdin(Stdio::null());
        command.envs(self.options.env.iter().map(|(key, value)| (key, value)));
        for name in LEADS_ELSEWHERE.iter().chain(&NOT_INHERITED) {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C");
        // Our folder is in nobody's repository, not even in that of the folder around it.
        command.env("GIT_CEILING_DIRECTORIES", &self.scratch);
        command.env("GIT_ALLOW_PROTOCOL", allowed_protocols(self.source.scheme));
        command.env("GIT_NO_LAZY_FETCH", "1");
        if !self.options.interactive {
            self.silence(&mut command);
        }
        command.args(["--no-pager", "--no-replace-objects"]);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
    }

    /// Runs a command to its end and gives what it wrote.
    pub(super) fn run(&self, what: &'static str, command: Command) -> Result<Vec<u8>, GitError> {
        let mut running = self.start(what, command, None)?;
        let mut answer = Vec::new();
        while let Some(piece) = running.piece()? {
            answer.extend_from_slice(&piece);
            if answer.len() > ANSWER_LIMIT {
                return Err(GitError::Answer { url: self.url(), reason: "it is too long" });
            }
        }
        running.finish()?;
        Ok(answer)
    }

    /// Starts a command. If a folder is given, it may not hold more bytes than that.
    pub(super) fn start(
        &self,
        what: &'static str,
        command: Command,
        bound: Option<(PathBuf, u64)>,
    ) -> Result<Running<'a>, GitError> {
        let watch = Watch {
            what,
            url: &self.source.url,
            timeout: self.options.timeout,
            deadline: self.deadline,
            cancel: self.options.cancel,
            bound,
        };
        Running::start(command, watch, self.options.interactive)
    }

    /// Sees to it that nobody is asked anything.
    fn silence(&self, command: &mut Command) {
        command.env("GIT_TERMINAL_PROMPT", "0").env("GCM_INTERACTIVE", "never");
        if self.source.is_local() {
            return;
        }
        if !self.own_ssh {
            command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        } else if self.source.scheme == UrlScheme::GitSsh && !self.is_set("SSH_ASKPASS") {
            // A command of the user's own may know no such option; where it is OpenSSH, this keeps it from the terminal.
            command.env("SSH_ASKPASS", "false").env("SSH_ASKPASS_REQUIRE", "force");
        }
    }

    fn check_version(&self) -> Result<(), GitError> {
        let mut command = self.command();
        command.arg("version");
        let answer = self.run("tell its version for", command)?;
        let text = String::from_utf8_lossy(&answer);
        let found = text.trim().strip_prefix("git version ").unwrap_or(text.trim());
        if version(found).is_none_or(|version| version < OLDEST) {
            return Err(GitError::OldGit { url: self.url(), found: found.chars().take(80).collect() });
        }
        Ok(())
    }

    fn has_own_ssh(&self) -> Result<bool, GitError> {
        if self.is_set("GIT_SSH_COMMAND") || self.is_set("GIT_SSH") {
            return Ok(true);
        }
        let mut command = self.command();
        // The default makes it an answer, and no failure, that there is none.
        command.args(["config", "--default=", "--get", "core.sshCommand"]);
        Ok(!self.run("read the settings for", command)?.trim_ascii().is_empty())
    }

    fn is_set(&self, name: &str) -> bool {
        self.options.env.iter().any(|(key, _)| key == OsStr::new(name)) || std::env::var_os(name).is_some()
    }
}

/// The user may have git replace one of the two of the network by the other (`url.….insteadOf`). A server can't: git
/// follows no redirect out of HTTPS that is not in this list.
fn allowed_protocols(scheme: UrlScheme) -> &'static str {
    if scheme == UrlScheme::GitFile { "file" } else { "https:ssh" }
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for (text, found) in [
            ("2.47.3", Some((2, 47))),
            ("2.39.5 (Apple Git-154)", Some((2, 39))),
            ("2.45.1.windows.1", Some((2, 45))),
            ("3.0-rc1", Some((3, 0))),
            ("unknown", None),
            ("", None),
            ("99999999999.1", None),
        ] {
            assert_eq!(version(text), found, "{text}");
        }
    }
}
