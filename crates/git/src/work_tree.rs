use std::path::Path;

use crate::{Ask, GitError, Repo};

/// What git knows of a folder, as far as it can be asked.
///
/// Whoever reads a folder goes through this, so that all agree about one whose repository is damaged or not trusted: for
/// each question that git can't answer it is read as if it were in no repository, and a warning says so.
#[derive(Debug)]
pub struct WorkTree {
    pub repo: Option<Repo>,
    /// The files that git tracks, as [`Repo::ls_files`] gives them; none if it can't say.
    pub tracked: Option<Vec<u8>>,
    /// What git could not say, and what follows from that.
    pub warnings: Vec<String>,
}

impl WorkTree {
    pub fn look(folder: &Path, ask: &Ask) -> Self {
        let (repo, mut warnings) = match Repo::find(folder, ask) {
            Ok(repo) => (repo, Vec::new()),
            Err(error) => (None, vec![without(&error)]),
        };
        let tracked =
            repo.as_ref().and_then(|repo| repo.ls_files().map_err(|error| warnings.push(without(&error))).ok());
        WorkTree { repo, tracked, warnings }
    }
}

/// The files that git tracks below a folder, if it can say.
pub fn tracked_files(folder: &Path) -> Option<Vec<u8>> {
    WorkTree::look(folder, &Ask::default()).tracked
}

fn without(error: &GitError) -> String {
    format!(
        "it is not known which files git tracks, so folders called build, out, env and logs are left out as a whole: {error}"
    )
}
