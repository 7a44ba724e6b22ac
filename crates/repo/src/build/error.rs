use std::path::{Path, PathBuf};

use ai_assist_admit::AdmitError;

/// What can stop a build, a look at one, or its removal.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("the build was cancelled")]
    Cancelled,
    #[error("the repository has no {0} index yet")]
    NoBuild(crate::layout::Mode),
    #[error("{} is not a plain file or folder, so this build is not read", .0.display())]
    NotPlain(PathBuf),
    #[error("{} {why}: the index is damaged and has to be built anew", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("the builds in {} change faster than one can be opened", .0.display())]
    Unsteady(PathBuf),
    #[error("{action} {} failed", path.display())]
    Io {
        /// What was attempted, such as `writing`.
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the database {} failed", path.display())]
    Db {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error(transparent)]
    Index(ai_assist_index::Error),
    #[error(transparent)]
    Grams(#[from] ai_assist_trigram::Error),
    #[error(transparent)]
    Walk(AdmitError),
    #[error(transparent)]
    Glob(#[from] ai_assist_admit::GlobError),
}

pub type Result<T> = std::result::Result<T, BuildError>;

impl From<AdmitError> for BuildError {
    fn from(error: AdmitError) -> Self {
        match error {
            AdmitError::Cancelled => BuildError::Cancelled,
            error => BuildError::Walk(error),
        }
    }
}

impl From<ai_assist_index::Error> for BuildError {
    fn from(error: ai_assist_index::Error) -> Self {
        match error {
            ai_assist_index::Error::Stopped => BuildError::Cancelled,
            error => BuildError::Index(error),
        }
    }
}

impl BuildError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> BuildError + use<> {
        let path = path.to_owned();
        move |source| BuildError::Io { action, path, source }
    }

    pub(crate) fn db(path: &Path) -> impl Fn(rusqlite::Error) -> BuildError + use<> {
        let path = path.to_owned();
        move |source| BuildError::Db { path: path.clone(), source }
    }
}
