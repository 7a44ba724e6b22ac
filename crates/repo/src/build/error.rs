use std::path::{Path, PathBuf};

/// What can stop a build, a look at one, or its removal.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The caller asked to stop. The build that was current still is.
    #[error("the build was cancelled")]
    Cancelled,
    #[error("there is no build with a {mode} index in {}", path.display())]
    NoBuild {
        /// The mode that was asked for.
        mode: crate::layout::Mode,
        /// The repository's cache.
        path: PathBuf,
    },
    /// A part of a build is a link, a pipe or a device.
    #[error("{} is not a plain file or folder, so this build is not read", .0.display())]
    NotPlain(PathBuf),
    /// Builds came and went faster than one could be opened.
    #[error("the builds in {} change faster than one can be opened", .0.display())]
    Unsteady(PathBuf),
    /// Reading or writing a file failed.
    #[error("{action} {} failed", path.display())]
    Io {
        /// What was attempted, such as `writing`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A database of a build failed.
    #[error("the database {} failed", path.display())]
    Db {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
    #[error(transparent)]
    Index(#[from] ai_assist_index::Error),
    /// An index of grams failed.
    #[error(transparent)]
    Grams(#[from] ai_assist_trigram::Error),
    /// The repository can't be walked.
    #[error(transparent)]
    Walk(#[from] ai_assist_admit::AdmitError),
    #[error(transparent)]
    Glob(#[from] ai_assist_admit::GlobError),
}

pub type Result<T> = std::result::Result<T, BuildError>;

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
