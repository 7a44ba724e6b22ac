use std::collections::BTreeSet;
use std::path::Path;

use ai_assist_base::platform;
use ai_assist_identity::DocPath;

use crate::filters;
use crate::repo::Question;
use crate::{GitError, Repo};

/// No name of a commit is longer.
const REVISION_LIMIT: usize = 1000;

/// A comparison of what is below the folder that runs none of the programs that settings name for one.
pub(crate) const PLAIN_DIFF: [&str; 5] =
    ["--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--relative"];

impl Repo {
    /// The files below the folder that differ from a commit: by later commits, staged, unstaged, or untracked and not
    /// ignored. Only those that are there now, sorted.
    ///
    /// A file that is staged with one change and has the opposite one on disk is among them, though it equals the commit.
    pub fn changed_since(&self, revision: &str) -> Result<Vec<DocPath>, GitError> {
        let question = self.question("compare the files of");
        let commit = resolve(&question, revision)?;
        let mut command = question.command(["diff-index", "--cached", "--raw", "-z"]);
        command.args(PLAIN_DIFF).args([&commit, "--", "."]);
        let staged = question.good(command, None)?;
        let mut paths: BTreeSet<&[u8]> = raw_paths(&question, &staged)?;
        let (status, prefix) = (self.status(&question, "all", "all")?, self.prefix());
        for entry in status.split(|&b| b == 0).filter(|entry| !entry.is_empty()) {
            let [_, unstaged, b' ', path @ ..] = entry else { return Err(question.odd("an odd line of the status")) };
            if *unstaged != b' ' {
                paths.extend(path.strip_prefix(&prefix[..]));
            }
        }
        let is_there = |path: &Path| self.folder.join(path).symlink_metadata().is_ok_and(|found| !found.is_dir());
        let paths = paths.into_iter().map(|path| platform::path_of(path)).filter(|path| is_there(path));
        let mut paths: Vec<DocPath> = paths.filter_map(|path| DocPath::from_relative(&path).ok()).collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// Whether anything below the folder differs from the last commit, or is untracked and not ignored. Of a submodule
    /// only its commit counts.
    pub fn is_dirty(&self) -> Result<bool, GitError> {
        let question = self.question("compare the files of");
        Ok(!self.status(&question, "normal", "dirty")?.is_empty())
    }

    /// The differences between the last commit, what is staged, and the disk.
    ///
    /// No process is started in a submodule, where none of our precautions would hold. Filters are switched off, because
    /// git runs them over every file whose times have changed, and over some others.
    fn status(&self, question: &Question<'_>, untracked: &str, ignored_submodules: &str) -> Result<Vec<u8>, GitError> {
        let settings = question.maybe(["config", "--null", "--name-only", "--get-regexp", r"^filter\."])?;
        let settings = settings.unwrap_or_default();
        let names = filters::names(&settings);
        if names.len() > filters::LIMIT {
            return Err(question.too_many_filters());
        }
        let mut command = question.bare_command();
        filters::switch_off(&mut command, &names);
        command.args(["status", "--porcelain=v1", "-z", "--no-renames", "--ignored=no"]);
        command.arg(format!("--untracked-files={untracked}"));
        command.arg(format!("--ignore-submodules={ignored_submodules}"));
        command.args(["--", "."]);
        question.good(command, None)
    }
}

pub(crate) fn resolve(question: &Question<'_>, revision: &str) -> Result<String, GitError> {
    let bad = |reason| Err(GitError::BadRevision { revision: revision.chars().take(80).collect(), reason });
    if revision.is_empty() || revision.contains('\0') {
        return bad("it is empty or has a NUL in it");
    }
    if revision.len() > REVISION_LIMIT {
        return bad("it is too long");
    }
    if revision.contains("..") || revision.starts_with('^') {
        return bad("it is a range; give one commit, and what is on disk is compared with it");
    }
    let wanted = format!("{revision}^{{commit}}");
    let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted];
    let ended = question.ended(question.command(arguments), None)?;
    if !ended.status.success() {
        return Err(GitError::UnknownRevision { revision: revision.to_owned() });
    }
    crate::history::commit_id(question, &ended.output)
}

/// The paths in the raw form of a diff: `:modes ids letter`, NUL, path, NUL.
fn raw_paths<'d>(question: &Question<'_>, diff: &'d [u8]) -> Result<BTreeSet<&'d [u8]>, GitError> {
    let mut fields = diff.split(|&b| b == 0).filter(|field| !field.is_empty());
    let mut paths = BTreeSet::new();
    while let Some(head) = fields.next() {
        let (true, Some(path)) = (head.starts_with(b":"), fields.next()) else {
            return Err(question.odd("an odd line of a diff"));
        };
        paths.insert(path);
    }
    Ok(paths)
}
