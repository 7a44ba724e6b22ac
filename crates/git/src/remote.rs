//! Git at a URL: with the user's settings, so that their credentials, proxies and keys work as they do in a shell, but on no
//! repository other than ours.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use ai_assist_base::process::{RunError, RunLimits, Running};
use ai_assist_base::{Cancel, RealPath};

use crate::program::{Program, check_version};
use crate::words::last_words;

/// The first with `fetch --no-write-fetch-head` and repositories of SHA-256.
const OLDEST: (u32, u32) = (2, 29);

/// The first with `http.curloptResolve`; one before it would take no notice and look the name up.
const OLDEST_WITH_ADDRESS: (u32, u32) = (2, 37);

/// These would fill a repository that we make with more than we asked for, or find it from elsewhere. Settings given by
/// variable (`GIT_CONFIG_COUNT`) stay: they are how credentials reach a build server.
const NOT_INHERITED: [&str; 2] = ["GIT_TEMPLATE_DIR", "GIT_DISCOVERY_ACROSS_FILESYSTEM"];

/// Settings that hold whatever the user has set.
///
/// `fsckObjects` is not among them: it guards a checkout, which there is none of, and refuses old repositories that are
/// sound but for a date. That each object is what its id says is checked in any case.
const SETTINGS: [&str; 6] = [
    // Larger objects are streamed instead of being held in memory.
    "core.bigFileThreshold=32m",
    // All that is fetched goes into one file, so that its size can be watched.
    "fetch.unpackLimit=1",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "transfer.bundleURI=false",
    // Servers of this version hand out any commit.
    "protocol.version=2",
];

const ANSWER_LIMIT: usize = 1 << 20;

/// Why git gave no answer about another repository. No text shows credentials.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    #[error("the program `git` is needed to read `{url}`, but can't be run; install it and have it on the `PATH`")]
    NoGit { url: String },
    #[error("git {}.{} or later is needed to read `{url}`; this is `{found}`", oldest.0, oldest.1)]
    OldGit { url: String, found: String, oldest: (u32, u32) },
    #[error("git could not {what} `{url}` ({status}):\n{words}")]
    Failed {
        what: &'static str,
        url: String,
        status: ExitStatus,
        /// The last lines that it wrote, without credentials.
        words: String,
    },
    #[error("git could not {what} `{url}` within {} seconds", timeout.as_secs_f32())]
    TimedOut { what: &'static str, url: String, timeout: Duration },
    #[error("reading the git repository was stopped")]
    Stopped,
    #[error("the git repository `{url}` sends more than {limit} bytes, which is the limit for one package")]
    TooLarge { url: String, limit: u64 },
    /// Git said something that it never says.
    #[error("git gave an answer about `{url}` that can't be understood: {reason}")]
    Answer { url: String, reason: &'static str },
    #[error("the folder `{}` can't be used for a temporary repository", path.display())]
    Scratch {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the program `git` can't be talked to")]
    Talk(#[source] io::Error),
}

/// How another repository is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    File,
    Https,
    Ssh,
}

/// What holds for every question to another repository.
#[derive(Debug, Clone, Copy)]
pub struct RemoteAsk<'a> {
    /// For messages, so without credentials.
    pub url: &'a str,
    pub transport: Transport,
    /// From [`Remote::open`] to the end, however many times git is run.
    pub timeout: Duration,
    pub cancel: &'a Cancel,
    /// Whether git and ssh may ask at the terminal for names, passwords and trust.
    pub interactive: bool,
    /// `HOST:PORT:ADDRESS`, if the server is to be asked at this address and nowhere else: the name is not looked up again, and no
    /// redirect is followed.
    pub address: Option<&'a str>,
    /// An existing folder for the temporary repository, which may grow as large as what is fetched.
    pub scratch: &'a Path,
    pub env: &'a [(OsString, OsString)],
}

/// Git, with a temporary folder to work in.
pub struct Remote<'a> {
    ask: RemoteAsk<'a>,
    program: Program,
    folder: tempfile::TempDir,
    /// The parent of the folder, with links resolved.
    scratch: PathBuf,
    deadline: Option<Instant>,
    own_ssh: bool,
}

impl<'a> Remote<'a> {
    /// Makes the folder, and sees whether git is there and new enough.
    pub fn open(ask: RemoteAsk<'a>) -> Result<Self, RemoteError> {
        // Longer than the clock can count is without end.
        let deadline = Instant::now().checked_add(ask.timeout);
        let failed = |source| RemoteError::Scratch { path: ask.scratch.to_path_buf(), source };
        let scratch = ask.scratch.real_path().map_err(failed)?;
        let folder = tempfile::Builder::new().prefix("git-").tempdir_in(&scratch).map_err(failed)?;
        let program = Program::find(ask.env).map_err(|_| RemoteError::NoGit { url: ask.url.to_owned() })?;
        let mut remote = Remote { ask, program, folder, scratch, deadline, own_ssh: false };
        remote.check_version()?;
        remote.own_ssh = ask.transport != Transport::File && remote.has_own_ssh()?;
        Ok(remote)
    }

    /// Where a repository can be made.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A command that reaches for the remote, or for a repository that its arguments name.
    pub fn command(&self) -> Command {
        let mut command = self.program.without_inheritance(self.folder());
        command.stdin(Stdio::null());
        for name in NOT_INHERITED {
            command.env_remove(name);
        }
        // Our folder is in nobody's repository, not even in that of the folder around it.
        command.env("GIT_CEILING_DIRECTORIES", &self.scratch);
        // The user may have git replace one of the two of the network by the other (`url.….insteadOf`). A server can't: git
        // follows no redirect out of HTTPS that is not in this list.
        let allowed = if self.ask.transport == Transport::File { "file" } else { "https:ssh" };
        command.env("GIT_ALLOW_PROTOCOL", allowed);
        if !self.ask.interactive {
            self.silence(&mut command);
        }
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        if let Some(address) = self.ask.address {
            command.args(["-c", &format!("http.curloptResolve={address}"), "-c", "http.followRedirects=false"]);
        }
        command
    }

    pub fn run(&self, what: &'static str, command: Command) -> Result<Vec<u8>, RemoteError> {
        let mut running = self.start(what, command, None)?;
        let mut answer = Vec::new();
        while let Some(piece) = running.running.piece().map_err(|error| running.about.explain(error))? {
            answer.extend_from_slice(&piece);
            if answer.len() > ANSWER_LIMIT {
                return Err(running.odd("it is too long"));
            }
        }
        running.finish()?;
        Ok(answer)
    }

    /// Starts a command. If a folder is given, it may not hold more bytes than that.
    pub fn start(
        &self,
        what: &'static str,
        command: Command,
        folder: Option<(PathBuf, u64)>,
    ) -> Result<Answering<'a>, RemoteError> {
        let about = About { what, url: self.ask.url, timeout: self.ask.timeout };
        let limits = RunLimits { deadline: self.deadline, cancel: self.ask.cancel.clone(), folder };
        let running = Running::start(command, limits, !self.ask.interactive).map_err(|error| about.explain(error))?;
        Ok(Answering { running, about })
    }

    /// Sees to it that nobody is asked anything.
    fn silence(&self, command: &mut Command) {
        command.env("GIT_TERMINAL_PROMPT", "0").env("GCM_INTERACTIVE", "never");
        if self.ask.transport == Transport::File {
            return;
        }
        if !self.own_ssh {
            command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        } else if self.ask.transport == Transport::Ssh && !self.is_set("SSH_ASKPASS") {
            // A command of the user's own may know no such option; where it is OpenSSH, this keeps it from the terminal.
            command.env("SSH_ASKPASS", "false").env("SSH_ASKPASS_REQUIRE", "force");
        }
    }

    fn check_version(&self) -> Result<(), RemoteError> {
        let mut command = self.command();
        command.arg("version");
        let answer = self.run("tell its version for", command)?;
        let oldest = if self.ask.address.is_some() { OLDEST_WITH_ADDRESS } else { OLDEST };
        let old = |found| RemoteError::OldGit { url: self.ask.url.to_owned(), found, oldest };
        check_version(&answer, oldest).map_err(old)
    }

    fn has_own_ssh(&self) -> Result<bool, RemoteError> {
        if self.is_set("GIT_SSH_COMMAND") || self.is_set("GIT_SSH") {
            return Ok(true);
        }
        let mut command = self.command();
        // The default makes it an answer, and no failure, that there is none.
        command.args(["config", "--default=", "--get", "core.sshCommand"]);
        Ok(!self.run("read the settings for", command)?.trim_ascii().is_empty())
    }

    fn is_set(&self, name: &str) -> bool {
        self.ask.env.iter().any(|(key, _)| key == OsStr::new(name)) || std::env::var_os(name).is_some()
    }
}

#[derive(Debug, Clone, Copy)]
struct About<'a> {
    what: &'static str,
    url: &'a str,
    timeout: Duration,
}

impl About<'_> {
    fn explain(&self, error: RunError) -> RemoteError {
        let (what, url) = (self.what, self.url.to_owned());
        match error {
            RunError::Start(_) => RemoteError::NoGit { url },
            RunError::Talk(source) => RemoteError::Talk(source),
            RunError::Cancelled => RemoteError::Stopped,
            RunError::TimedOut => RemoteError::TimedOut { what, url, timeout: self.timeout },
            RunError::FolderTooLarge(limit) => RemoteError::TooLarge { url, limit },
            RunError::TooMuch(_) => RemoteError::Answer { url, reason: "a line of it is too long" },
            RunError::CutOff => RemoteError::Answer { url, reason: "it is cut off" },
        }
    }
}

/// Git at work, read as it answers.
#[derive(Debug)]
pub struct Answering<'a> {
    running: Running,
    about: About<'a>,
}

impl Answering<'_> {
    /// Writes to a command that was given an input. What is written must be short enough to fit in a pipe that is empty.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), RemoteError> {
        self.running.write(bytes).map_err(|error| self.about.explain(error))
    }

    /// The bytes up to a delimiter, which is taken away, or none at the end. Longer ones than `limit` are an error.
    pub fn until(&mut self, delimiter: u8, limit: usize) -> Result<Option<Vec<u8>>, RemoteError> {
        self.running.until(delimiter, limit).map_err(|error| self.about.explain(error))
    }

    /// Hands out exactly so many bytes.
    pub fn take<E: From<RemoteError>>(
        &mut self,
        count: u64,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = count;
        while left > 0 {
            let bytes = self.running.some(left).map_err(|error| self.about.explain(error))?;
            let bytes = bytes.ok_or_else(|| self.about.explain(RunError::CutOff))?;
            take(bytes)?;
            left -= bytes.len() as u64;
        }
        Ok(())
    }

    /// Waits for the end, which must be a good one.
    pub fn finish(self) -> Result<(), RemoteError> {
        let About { what, url, .. } = self.about;
        let ended = self.running.finish().map_err(|error| self.about.explain(error))?;
        if ended.status.success() {
            return Ok(());
        }
        Err(RemoteError::Failed { what, url: url.to_owned(), status: ended.status, words: last_words(&ended.words) })
    }

    /// An answer that git never gives.
    pub fn odd(&self, reason: &'static str) -> RemoteError {
        RemoteError::Answer { url: self.about.url.to_owned(), reason }
    }
}
