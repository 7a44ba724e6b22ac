use std::collections::BTreeMap;

use ai_assist_base::platform;
use ai_assist_identity::DocPath;
use jiff::Timestamp;

use crate::changes::PLAIN_DIFF;
use crate::repo::Question;
use crate::{GitError, Repo};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Churn {
    /// How many commits were looked at, merges not counted.
    pub commits_looked_at: usize,
    /// In how many of them each path was touched, by the text of its [`DocPath`]. Paths that are gone are here too.
    pub by_path: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub commit: String,
    pub branch: Option<String>,
    /// When it was committed, RFC 3339, in UTC.
    pub committed_at: String,
}

impl Repo {
    /// In how many of the last commits each path below the folder was touched. Merges don't count. The oldest commit of a
    /// shallow clone counts for nothing, because what it changed is not known.
    pub fn churn(&self, commits: usize) -> Result<Churn, GitError> {
        let question = self.question("read the history of");
        if commits == 0 || head_id(&question)?.is_none() {
            return Ok(Churn::default());
        }
        let count = format!("--max-count={commits}");
        let ids = question.answer(["rev-list", "--no-merges", &count, "HEAD", "--"])?;
        let mut churn = Churn { commits_looked_at: ids.split(|&b| b == b'\n').count() - 1, ..Churn::default() };
        let is_shallow = question.answer(["rev-parse", "--is-shallow-repository"])?.starts_with(b"true");
        let mut command = question.command(["diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-commit-id"]);
        command.args(PLAIN_DIFF);
        if !is_shallow {
            command.arg("--root");
        }
        command.args(["--", "."]);
        let touched = question.good(command, Some(ids))?;
        for path in touched.split(|&b| b == 0).filter(|path| !path.is_empty()) {
            // What a tree can hold and a disk can't is no file of ours.
            let Ok(path) = DocPath::from_relative(&platform::path_of(path)) else { continue };
            *churn.by_path.entry(String::from(path.as_str())).or_default() += 1;
        }
        Ok(churn)
    }

    /// In how many of the last commits that touched a path each other path was touched, too. Merges don't count.
    pub fn touched_with(&self, path: &DocPath, commits: usize) -> Result<Churn, GitError> {
        let question = self.question("read the history of");
        if commits == 0 || head_id(&question)?.is_none() {
            return Ok(Churn::default());
        }
        let count = format!("--max-count={commits}");
        let ids = question.answer(["rev-list", "--no-merges", &count, "HEAD", "--", path.as_str()])?;
        let mut churn = Churn { commits_looked_at: ids.split(|&b| b == b'\n').count() - 1, ..Churn::default() };
        let mut command =
            question.command(["diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-commit-id", "--root"]);
        command.args(PLAIN_DIFF).args(["--", "."]);
        let touched = question.good(command, Some(ids))?;
        for other in touched.split(|&b| b == 0).filter(|other| !other.is_empty()) {
            let Ok(other) = DocPath::from_relative(&platform::path_of(other)) else { continue };
            if other != *path {
                *churn.by_path.entry(String::from(other.as_str())).or_default() += 1;
            }
        }
        Ok(churn)
    }

    /// The commit that is checked out; none in a repository without commits.
    pub fn head(&self) -> Result<Option<Head>, GitError> {
        let question = self.question("read the last commit of");
        let Some(commit) = head_id(&question)? else { return Ok(None) };
        let answer = question.answer(["rev-list", "--max-count=1", "--format=%ct", &commit, "--"])?;
        // The first line is `commit` and its id.
        let seconds = answer.split(|&b| b == b'\n').nth(1).and_then(|line| std::str::from_utf8(line).ok());
        let seconds = seconds.and_then(|line| line.parse().ok()).unwrap_or(0);
        let branch = question.maybe(["symbolic-ref", "--quiet", "HEAD"])?;
        let branch = branch.map(|name| String::from_utf8_lossy(name.trim_ascii()).into_owned());
        Ok(Some(Head {
            commit,
            branch: branch.map(|name| name.strip_prefix("refs/heads/").map(str::to_owned).unwrap_or(name)),
            // Anybody can write any date into a commit; one that no calendar has is taken for none.
            committed_at: Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string(),
        }))
    }
}

/// The commit that is checked out, if there is one.
pub(crate) fn head_id(question: &Question<'_>) -> Result<Option<String>, GitError> {
    let answer = question.maybe(["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"])?;
    answer.map(|answer| commit_id(question, &answer)).transpose()
}

/// The id in an answer that is nothing else.
pub(crate) fn commit_id(question: &Question<'_>, answer: &[u8]) -> Result<String, GitError> {
    match std::str::from_utf8(answer.trim_ascii()) {
        Ok(id) if matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit()) => Ok(id.to_owned()),
        _ => Err(question.odd("an odd id of a commit")),
    }
}
