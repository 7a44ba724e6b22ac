use std::path::PathBuf;

/// Why a walk came to no result. A single file that can't be read is not here: it is a [`Problem`](crate::Problem).
#[derive(Debug, thiserror::Error)]
pub enum AdmitError {
    #[error("the folder {} can't be opened", path.display())]
    Root {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{} is not a folder", path.display())]
    RootNotAFolder { path: PathBuf },
    #[error("{} holds more than {limit} matching files; narrow the globs or raise the limit", path.display())]
    TooManyFiles { path: PathBuf, limit: usize },
    #[error("{seen} entries were seen in {} but {accounted} accounted for; this is a bug", path.display())]
    NotConserved {
        path: PathBuf,
        seen: usize,
        /// Entries of which it is known what became of them.
        accounted: usize,
    },
    #[error("the walk was cancelled")]
    Cancelled,
    #[error(transparent)]
    Globs(#[from] GlobError),
}

/// Why a list of globs was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// No pattern at all: a typing mistake would otherwise select everything or nothing.
    #[error("no glob was given; `**/*` selects every file")]
    NoGlobs,
    #[error("a glob is empty; `**/*` selects every file")]
    Empty,
    #[error("the glob `{glob}` is absolute; globs are relative to the collection's folder")]
    Absolute { glob: String },
    #[error("the glob `{glob}` has a `..` in it; globs can't leave the collection's folder")]
    Parent { glob: String },
    #[error("the glob `{glob}` has braces that stand for more than {limit} patterns")]
    TooManyAlternatives { glob: String, limit: usize },
    #[error("the glob `{glob}` is not valid: {message}")]
    Invalid { glob: String, message: String },
}
