use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use crate::program::OLDEST;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    #[error("the folder `{}` can't be opened", path.display())]
    Folder {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The program is not there.
    #[error("the program `git` is not in any absolute folder of the `PATH`; install it, or go without what git knows")]
    NoGit,
    #[error("git {}.{} or later is needed; this is `{found}`", OLDEST.0, OLDEST.1)]
    OldGit { found: String },
    /// The repository belongs to somebody else.
    #[error(
        "git does not trust the repository of `{}`, because somebody else owns it. If you do, run: git config --global --add safe.directory '{}'",
        folder.display(), repository.display()
    )]
    Untrusted {
        folder: PathBuf,
        /// What git wants to be told of; its wildcard `*` is not offered.
        repository: PathBuf,
    },
    /// There is no such commit.
    #[error(
        "`{revision}` is no commit of this repository; give a branch, a tag or a commit. In a shallow clone, older ones are missing until `git fetch --unshallow`"
    )]
    UnknownRevision { revision: String },
    #[error("`{revision}` can't be compared with: {reason}")]
    BadRevision { revision: String, reason: &'static str },
    #[error("git could not {what} `{}` ({status}):\n{words}", folder.display())]
    Failed {
        what: &'static str,
        folder: PathBuf,
        status: ExitStatus,
        /// The last lines that it wrote.
        words: String,
    },
    #[error("git could not {what} `{}` within {} seconds", folder.display(), timeout.as_secs_f32())]
    TimedOut { what: &'static str, folder: PathBuf, timeout: Duration },
    #[error("the question to git was cancelled")]
    Cancelled,
    /// There is no end to what git writes.
    #[error("git wrote more than {limit} bytes when it was to {what} `{}`", folder.display())]
    TooMuch { what: &'static str, folder: PathBuf, limit: usize },
    /// The repository's settings name more filters than anybody has.
    #[error(
        "the settings of the repository of `{}` name more than {limit} filters; they can't all be switched off",
        folder.display()
    )]
    TooManyFilters { folder: PathBuf, limit: usize },
    /// Git said something that it never says.
    #[error("git gave an answer about `{}` that can't be understood: {reason}", folder.display())]
    Answer { folder: PathBuf, reason: &'static str },
    /// The process is there but can't be worked with.
    #[error("the program `git` can't be run")]
    Talk(#[source] io::Error),
}
