//! Which repository a work tree is of.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::{GitError, Repo};

impl Repo {
    /// The folder that all work trees of the repository share, with links resolved; none if it is not there.
    pub fn common_dir(&self) -> Result<Option<PathBuf>, GitError> {
        let answer = self.question("find the repository of").answer(["rev-parse", "--git-common-dir"])?;
        let answer = answer.strip_suffix(b"\n").unwrap_or(&answer);
        Ok(self.folder().join(Path::new(OsStr::from_bytes(answer))).canonicalize().ok())
    }

    /// The first commit that history leads back to from the one checked out. Clones of one repository have it in common,
    /// unless one of them is shallow. None in a repository without commits.
    pub fn root_commit(&self) -> Result<Option<String>, GitError> {
        let question = self.question("read the first commit of");
        if crate::history::head_id(&question)?.is_none() {
            return Ok(None);
        }
        let answer = question.answer(["rev-list", "--max-parents=0", "HEAD", "--"])?;
        // Histories that were joined have several; the smallest id does not depend on the order of the answer.
        let smallest = answer.split(|&b| b == b'\n').filter(|line| !line.is_empty()).min();
        smallest.map(|line| crate::history::commit_id(&question, line)).transpose()
    }
}
