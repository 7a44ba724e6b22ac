use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ai_assist_base::process::{Ended, RunError, RunLimits, run};
use ai_assist_base::{Cancel, RealPath, platform};

use crate::program::{OLDEST, Program, check_version};
use crate::words::last_words;
use crate::{GitError, history};

/// No answer is longer. A list of a million files has some 100 MB.
const ANSWER_LIMIT: usize = 256 << 20;

/// What holds for every question to a repository.
#[derive(Debug, Clone)]
pub struct Ask {
    /// For one question from beginning to end, however many times git is run for it.
    pub timeout: Duration,
    /// Once it is cancelled, git is ended.
    pub cancel: Cancel,
}

impl Default for Ask {
    fn default() -> Self {
        Ask { timeout: Duration::from_secs(60), cancel: Cancel::default() }
    }
}

/// A folder in a work tree of git. Every answer is about what is below the folder.
#[derive(Debug, Clone)]
pub struct Repo {
    program: Program,
    /// The folder that was asked about, with links resolved.
    pub folder: PathBuf,
    /// The top folder of the work tree, with links resolved.
    pub top: PathBuf,
    ask: Ask,
}

impl Repo {
    /// Looks for the work tree that a folder is in. None if it is in none: it is in no repository, in one without a work
    /// tree, or the repository's settings say that its work tree is elsewhere.
    pub fn find(folder: &Path, ask: &Ask) -> Result<Option<Repo>, GitError> {
        Self::find_with(folder, ask, &[])
    }

    /// Like [`find`](Self::find), with something added to the environment of git, here and for every question.
    pub fn find_with(folder: &Path, ask: &Ask, env: &[(OsString, OsString)]) -> Result<Option<Repo>, GitError> {
        let failed = |source| GitError::Folder { path: folder.to_path_buf(), source };
        let path = folder.real_path().map_err(failed)?;
        if !path.is_dir() {
            return Err(failed(std::io::ErrorKind::NotADirectory.into()));
        }
        let program = Program::find(env)?;
        let mut repo = Repo { program, top: path.clone(), folder: path, ask: ask.clone() };
        let question = repo.question("tell its version in");
        check_version(&question.answer(["version"])?, OLDEST).map_err(|found| GitError::OldGit { found })?;
        let ended = question.ended(question.command(["rev-parse", "--show-toplevel"]), None)?;
        if !ended.status.success() {
            return if is_no_work_tree(&ended.words) { Ok(None) } else { Err(question.failure(&ended)) };
        }
        let Some(top) = ended.output.strip_suffix(b"\n").map(|top| platform::path_of(top)) else {
            return Ok(None);
        };
        match top.real_path() {
            Ok(top) if repo.folder.starts_with(&top) => repo.top = top,
            _ => return Ok(None),
        }
        Ok(Some(repo))
    }

    /// The files below the folder that git tracks, each with a NUL behind it, as `git ls-files -z` gives them. A file that
    /// is tracked may be gone from the disk.
    pub fn ls_files(&self) -> Result<Vec<u8>, GitError> {
        self.question("list the files of").answer(["ls-files", "-z"])
    }

    /// The folder that all work trees of the repository share, with links resolved; none if it is not there.
    pub fn common_dir(&self) -> Result<Option<PathBuf>, GitError> {
        let answer = self.question("find the repository of").answer(["rev-parse", "--git-common-dir"])?;
        let answer = answer.strip_suffix(b"\n").unwrap_or(&answer);
        Ok(self.folder.join(platform::path_of(answer)).real_path().ok())
    }

    /// The first commit that history leads back to from the one checked out. Clones of one repository have it in common,
    /// unless one of them is shallow. None in a repository without commits.
    pub fn root_commit(&self) -> Result<Option<String>, GitError> {
        let question = self.question("read the first commit of");
        if history::head_id(&question)?.is_none() {
            return Ok(None);
        }
        let answer = question.answer(["rev-list", "--max-parents=0", "HEAD", "--"])?;
        // Histories that were joined have several; the smallest id does not depend on the order of the answer.
        let smallest = answer.split(|&b| b == b'\n').filter(|line| !line.is_empty()).min();
        smallest.map(|line| history::commit_id(&question, line)).transpose()
    }

    /// What the folder's path is below the top, with a slash behind it; empty at the top.
    pub(crate) fn prefix(&self) -> Vec<u8> {
        let below = self.folder.strip_prefix(&self.top).unwrap_or(Path::new(""));
        let mut prefix = platform::path_bytes(below).into_owned();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        prefix
    }

    /// Begins a question, whose time begins to run.
    pub(crate) fn question(&self, what: &'static str) -> Question<'_> {
        let deadline = Instant::now().checked_add(self.ask.timeout);
        Question { program: &self.program, what, folder: &self.folder, ask: &self.ask, deadline }
    }
}

/// A question to git, for which it may be run several times.
pub(crate) struct Question<'r> {
    program: &'r Program,
    what: &'static str,
    folder: &'r Path,
    ask: &'r Ask,
    /// None if it is later than the clock can count.
    deadline: Option<Instant>,
}

impl Question<'_> {
    /// A command of git without any arguments.
    pub(crate) fn bare_command(&self) -> Command {
        self.program.command(self.folder)
    }

    pub(crate) fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = self.bare_command();
        command.args(arguments);
        command
    }

    /// Runs a command that must succeed, and gives what it wrote.
    pub(crate) fn answer<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<Vec<u8>, GitError> {
        self.good(self.command(arguments), None)
    }

    /// Runs a command that may end with 1, which is how git says no.
    pub(crate) fn maybe<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let ended = self.ended(self.command(arguments), None)?;
        match ended.status.code() {
            Some(0) => Ok(Some(ended.output)),
            Some(1) => Ok(None),
            _ => Err(self.failure(&ended)),
        }
    }

    pub(crate) fn good(&self, command: Command, input: Option<Vec<u8>>) -> Result<Vec<u8>, GitError> {
        let ended = self.ended(command, input)?;
        if ended.status.success() { Ok(ended.output) } else { Err(self.failure(&ended)) }
    }

    pub(crate) fn ended(&self, command: Command, input: Option<Vec<u8>>) -> Result<Ended, GitError> {
        let limits = RunLimits { deadline: self.deadline, cancel: self.ask.cancel.clone(), folder: None };
        run(command, input, limits, ANSWER_LIMIT).map_err(|error| {
            let (what, folder) = (self.what, self.folder.to_path_buf());
            match error {
                RunError::Cancelled => GitError::Cancelled,
                RunError::TimedOut => GitError::TimedOut { what, folder, timeout: self.ask.timeout },
                RunError::TooMuch(limit) => GitError::TooMuch { what, folder, limit },
                RunError::Start(source) | RunError::Talk(source) => GitError::Talk(source),
                RunError::FolderTooLarge(_) | RunError::CutOff => self.odd("it is cut off"),
            }
        })
    }

    /// An answer that git never gives.
    pub(crate) fn odd(&self, reason: &'static str) -> GitError {
        GitError::Answer { folder: self.folder.to_path_buf(), reason }
    }

    /// There are more filters than can be switched off.
    pub(crate) fn too_many_filters(&self) -> GitError {
        GitError::TooManyFilters { folder: self.folder.to_path_buf(), limit: crate::filters::LIMIT }
    }

    /// What went wrong, by git's own words.
    pub(crate) fn failure(&self, ended: &Ended) -> GitError {
        let folder = self.folder.to_path_buf();
        if let Some(repository) = untrusted(&ended.words) {
            return GitError::Untrusted { folder, repository };
        }
        GitError::Failed { what: self.what, folder, status: ended.status, words: last_words(&ended.words) }
    }
}

/// Git has no exit codes of its own for these; its words in the language `C` have been the same for many years.
fn is_no_work_tree(words: &[u8]) -> bool {
    let words = String::from_utf8_lossy(words);
    ["not a git repository", "must be run in a work tree", "cannot use bare repository"]
        .iter()
        .any(|reason| words.contains(reason))
}

/// The repository that git does not trust, if that is what it says.
fn untrusted(words: &[u8]) -> Option<PathBuf> {
    const START: &[u8] = b"detected dubious ownership in repository at '";
    let start = words.windows(START.len()).position(|window| window == START)? + START.len();
    let rest = &words[start..];
    let end = rest.windows(2).position(|window| window == b"'\n")?;
    Some(platform::path_of(&rest[..end]).into_owned())
}
