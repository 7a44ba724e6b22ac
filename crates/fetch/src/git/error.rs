//! What can go wrong with a git repository, and how the words of git are shown.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use ai_assist_identity::PathError;

use super::command::OLDEST;
use super::{BadCommit, Commit};
use crate::LandingError;

/// A repository that can't be named, reached or read. No text shows credentials.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Another kind of URL.
    #[error("`{0}` is not the URL of a git repository")]
    NotGit(String),
    /// A part of the query that means nothing here.
    #[error(
        "the URL of the git repository `{url}` has a `?{key}=`, which is not known; known are `manifest` and `glob`"
    )]
    UnknownKey {
        /// The repository.
        url: String,
        /// The part.
        key: String,
    },
    /// A query that can't be.
    #[error("the query in the URL of the git repository `{url}` can't be used: {reason}")]
    Query {
        /// The repository.
        url: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// A manifest outside of the repository.
    #[error("the manifest in the URL of the git repository `{url}` can't be used: {reason}")]
    Manifest {
        /// The repository.
        url: String,
        /// What is wrong with the path.
        reason: PathError,
    },
    /// What stands behind the `#` is no branch, tag or commit.
    #[error("`{reference}` can't be a branch, tag or commit of `{url}`: {reason}")]
    Reference {
        /// The repository.
        url: String,
        /// The reference.
        reference: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The program is not there.
    #[error("the program `git` is needed to read `{url}`, but can't be run; install it and have it on the `PATH`")]
    NoGit {
        /// The repository.
        url: String,
        /// What the system said.
        source: io::Error,
    },
    /// The program is too old.
    #[error("git {}.{} or later is needed to read `{url}`; this is `{found}`", OLDEST.0, OLDEST.1)]
    OldGit {
        /// The repository.
        url: String,
        /// What it says of itself.
        found: String,
    },
    /// The network is out of bounds.
    #[error("`{0}` can't be reached offline")]
    Offline(String),
    /// There is no such branch or tag.
    #[error("the git repository `{url}` has no branch or tag `{reference}`")]
    NoReference {
        /// The repository.
        url: String,
        /// The reference.
        reference: String,
    },
    /// There is nothing in it.
    #[error("the git repository `{0}` is empty, or its `HEAD` names no branch that is there")]
    NoHead(String),
    /// The start of the id of a commit.
    #[error(
        "the git repository `{url}` has no branch or tag `{reference}`; if that is a commit, write all of its 40 digits"
    )]
    ShortCommit {
        /// The repository.
        url: String,
        /// The reference.
        reference: String,
    },
    /// The server does not hand out the commit, and no reference that is known leads to it.
    #[error(
        "the git repository `{url}` does not have commit {commit}, or hands out the newest of its branches and tags only"
    )]
    NotServed {
        /// The repository.
        url: String,
        /// The commit.
        commit: Commit,
    },
    /// The server does not hand out the commit, and the reference has moved on.
    #[error("the git repository `{url}` no longer hands out commit {commit}: `{reference}` is at {now} now")]
    Moved {
        /// The repository.
        url: String,
        /// The commit.
        commit: Commit,
        /// The reference.
        reference: String,
        /// What it stands for now.
        now: Commit,
    },
    /// The id of something else.
    #[error("{id} in the git repository `{url}` is no commit but a {what}")]
    NotACommit {
        /// The repository.
        url: String,
        /// The id.
        id: Commit,
        /// What it is.
        what: String,
    },
    /// Git failed.
    #[error("git could not {what} `{url}` ({status}):\n{words}")]
    Failed {
        /// What it was to do.
        what: &'static str,
        /// The repository.
        url: String,
        /// How it ended.
        status: ExitStatus,
        /// The last lines that it wrote, without credentials.
        words: String,
    },
    /// It took too long.
    #[error("git could not {what} `{url}` within {} seconds", timeout.as_secs_f32())]
    TimedOut {
        /// What it was to do.
        what: &'static str,
        /// The repository.
        url: String,
        /// The limit.
        timeout: Duration,
    },
    /// It was asked to stop.
    #[error("reading the git repository was stopped")]
    Stopped,
    /// The download is too large.
    #[error("the git repository `{url}` sends more than {limit} bytes, which is the limit for one package")]
    TooLarge {
        /// The repository.
        url: String,
        /// The limit.
        limit: u64,
    },
    /// A name that git itself does not allow in a repository.
    #[error("the git repository `{url}` has a file `{name}`; `.git` is no name for a file or folder in it")]
    DotGit {
        /// The repository.
        url: String,
        /// The name.
        name: String,
    },
    /// Git said something that it never says.
    #[error("git gave an answer about `{url}` that can't be understood: {reason}")]
    Answer {
        /// The repository.
        url: String,
        /// What is odd.
        reason: &'static str,
    },
    /// Git gave an id that is none.
    #[error("git gave an odd answer about `{url}`")]
    Id {
        /// The repository.
        url: String,
        /// What is odd.
        source: BadCommit,
    },
    /// A file that can't be written, or one too many.
    #[error("the files of `{url}` can't be taken: {source}")]
    Landing {
        /// The repository.
        url: String,
        /// What is wrong.
        source: LandingError,
    },
    /// The temporary folder can't be used.
    #[error("the folder `{}` can't be used for a temporary repository", path.display())]
    Scratch {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The process is there but can't be worked with.
    #[error("the program `git` can't be talked to")]
    Talk(#[source] io::Error),
}

/// The last lines of what git wrote: fit for a message, without credentials and control characters.
pub(super) fn last_words(stderr: &[u8]) -> String {
    const LINES: usize = 6;
    const CHARACTERS: usize = 300;
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown = lines[lines.len().saturating_sub(LINES)..].iter().map(|line| {
        let line: String = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        // Cut last, so that no half of a password is left behind.
        without_credentials(&line).chars().take(CHARACTERS).collect::<String>()
    });
    let words = shown.collect::<Vec<_>>().join("\n");
    if words.is_empty() { "it gave no reason".to_owned() } else { words }
}

/// Takes out all between `//` and an `@` in the same word. Helpers and proxies write URLs with more in them than ours.
fn without_credentials(line: &str) -> String {
    let words = line.split_inclusive(char::is_whitespace);
    words
        .map(|word| match (word.find("//"), word.rfind('@')) {
            (Some(start), Some(end)) if start < end => format!("{}***{}", &word[..start + 2], &word[end..]),
            _ => word.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_git_are_short_and_clean() {
        for (words, shown) in [
            ("fatal: no\n", "fatal: no"),
            ("", "it gave no reason"),
            (" \r\n\n", "it gave no reason"),
            ("1\n2\n3\n4\n5\n6\n7\n8", "3\n4\n5\n6\n7\n8"),
            ("fatal: 'https://me:s3cret@host/x' not found", "fatal: 'https://***@host/x' not found"),
            ("http://tok@a/ and http://u:p@b@c/", "http://***@a/ and http://***@c/"),
            ("ssh://git@host:22/x", "ssh://***@host:22/x"),
            ("mail me@example.com // now", "mail me@example.com // now"),
            ("remote: \x1b[31mred\x07", "remote: \u{fffd}[31mred\u{fffd}"),
            ("10%\r50%\rdone", "10%\n50%\ndone"),
        ] {
            assert_eq!(last_words(words.as_bytes()), shown);
        }
        assert!(last_words(&b"x".repeat(100_000)).len() <= 300);
        let cut = format!("{} https://u:{}@h", "x".repeat(280), "p".repeat(100));
        assert!(!last_words(cut.as_bytes()).contains("pp"));
        assert_eq!(last_words(b"\xff\xfe"), "\u{fffd}\u{fffd}");
    }
}
