//! What has happened since a commit or a time.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use ai_assist_base::platform;
use ai_assist_identity::DocPath;

use crate::changes::resolve;
use crate::history::{commit_id, head_id};
use crate::repo::Question;
use crate::{GitError, Repo};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    /// Seconds since 1970, as the commit says.
    pub committed_at: i64,
    pub subject: String,
}

impl Repo {
    /// A commit by any name that git has for one.
    pub fn commit(&self, revision: &str) -> Result<Commit, GitError> {
        let question = self.question("read a commit of");
        let id = resolve(&question, revision)?;
        let answer = question.answer(["rev-list", "--max-count=1", "--format=%ct %s", &id, "--"])?;
        commits(&question, &answer)?.pop().ok_or_else(|| question.odd("no commit"))
    }

    /// The last commit before a time, in seconds since 1970, of the history of the one checked out.
    pub fn commit_before(&self, time: i64) -> Result<Option<Commit>, GitError> {
        let question = self.question("read the history of");
        if head_id(&question)?.is_none() {
            return Ok(None);
        }
        let before = format!("--before=@{time}");
        let answer = question.answer(["rev-list", "--max-count=1", "--format=%ct %s", &before, "HEAD", "--"])?;
        Ok(commits(&question, &answer)?.pop())
    }

    /// The commits after one, the last first; all there are if none is given. No more than `most`.
    pub fn commits_since(&self, base: Option<&str>, most: usize) -> Result<Vec<Commit>, GitError> {
        let question = self.question("read the history of");
        if head_id(&question)?.is_none() {
            return Ok(Vec::new());
        }
        let mut command = question.command(["rev-list", "--format=%ct %s"]);
        command.arg(format!("--max-count={most}")).arg("HEAD");
        command.args(base.map(|base| format!("^{base}"))).arg("--");
        commits(&question, &question.good(command, None)?)
    }

    /// The texts that files below the folder had at a commit; none for those that it does not have.
    pub fn files_at(&self, commit: &str, paths: &[DocPath]) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let question = self.question("read old files of");
        let prefix = self.prefix();
        let mut input = Vec::new();
        for path in paths {
            input.extend_from_slice(commit.as_bytes());
            input.push(b':');
            input.extend_from_slice(&prefix);
            input.extend_from_slice(&platform::path_bytes(&path.to_path_buf()));
            input.push(b'\n');
        }
        // A name with a line break in it would be two questions.
        if input.iter().filter(|byte| **byte == b'\n').count() != paths.len() {
            return Err(question.odd("a name with a line break"));
        }
        let answer = question.good(question.command(["cat-file", "--batch"]), Some(input))?;
        let mut rest = answer.as_slice();
        let mut files = Vec::with_capacity(paths.len());
        for _ in paths {
            let (line, after) = split_at_break(rest).ok_or_else(|| question.odd("too few files"))?;
            rest = after;
            let size = match line.split(|byte| *byte == b' ').collect::<Vec<_>>().as_slice() {
                [_, b"blob", size] => std::str::from_utf8(size).ok().and_then(|size| size.parse::<usize>().ok()),
                [_, _, size] if !line.ends_with(b"missing") => {
                    // A folder or a submodule of that name. What it is made of is left out.
                    let size = std::str::from_utf8(size).ok().and_then(|size| size.parse::<usize>().ok());
                    let size = size.ok_or_else(|| question.odd("an odd size"))?;
                    rest = rest.get(size + 1..).ok_or_else(|| question.odd("it is cut off"))?;
                    None
                }
                _ => None,
            };
            files.push(match size {
                Some(size) => {
                    let file = rest.get(..size).ok_or_else(|| question.odd("it is cut off"))?.to_vec();
                    rest = rest.get(size + 1..).ok_or_else(|| question.odd("it is cut off"))?;
                    Some(file)
                }
                None => None,
            });
        }
        Ok(files)
    }

    /// The files below the folder that a commit has and the disk has not.
    pub fn removed_since(&self, commit: &str) -> Result<Vec<DocPath>, GitError> {
        let question = self.question("compare the files of");
        let mut command = question.command(["ls-tree", "-r", "-z", "--name-only"]);
        command.args([commit, "--", "."]);
        let answer = question.good(command, None)?;
        let paths = answer.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let paths: BTreeSet<Cow<'_, Path>> = paths.map(platform::path_of).collect();
        let is_gone = |path: &Cow<'_, Path>| self.folder.join(path).symlink_metadata().is_err();
        Ok(paths.into_iter().filter(is_gone).filter_map(|path| DocPath::from_relative(&path).ok()).collect())
    }
}

fn split_at_break(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// Pairs of lines: `commit` with an id, then its time and its subject.
fn commits(question: &Question<'_>, answer: &[u8]) -> Result<Vec<Commit>, GitError> {
    let mut lines = answer.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut commits = Vec::new();
    while let (Some(head), Some(line)) = (lines.next(), lines.next()) {
        let id = head.strip_prefix(b"commit ").ok_or_else(|| question.odd("an odd line of the history"))?;
        let line = String::from_utf8_lossy(line);
        let (time, subject) = line.split_once(' ').unwrap_or((&line, ""));
        commits.push(Commit {
            id: commit_id(question, id)?,
            committed_at: time.parse().unwrap_or(0),
            subject: subject.to_owned(),
        });
    }
    Ok(commits)
}
