//! What can stop a walk, and what can be wrong with a glob.

use std::path::PathBuf;

/// Why a walk came to no result. A single file that can't be read is not here: it is a [`Problem`](crate::Problem).
#[derive(Debug, thiserror::Error)]
pub enum AdmitError {
    /// The root can't be opened.
    #[error("the folder {} can't be opened", path.display())]
    Root {
        /// The root as it was given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The root exists but is no folder.
    #[error("{} is not a folder", path.display())]
    RootNotAFolder {
        /// The root as it was given.
        path: PathBuf,
    },
    /// More files than the limit allows.
    #[error("{} holds more than {limit} matching files; narrow the globs or raise the limit", path.display())]
    TooManyFiles {
        /// The root.
        path: PathBuf,
        limit: usize,
    },
    /// The account does not add up, so it can't be said what was left out.
    #[error("{seen} entries were seen in {} but {accounted} accounted for; this is a bug", path.display())]
    NotConserved {
        /// The root.
        path: PathBuf,
        seen: usize,
        /// Entries of which it is known what became of them.
        accounted: usize,
    },
    /// The caller asked to stop.
    #[error("the walk was cancelled")]
    Cancelled,
}

/// Why a list of globs was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// No pattern at all: a typing mistake would otherwise select everything or nothing.
    #[error("no glob was given; `**/*` selects every file")]
    NoGlobs,
    /// A pattern without a character in it.
    #[error("a glob is empty; `**/*` selects every file")]
    Empty,
    /// A pattern that starts at the file system's root.
    #[error("the glob `{glob}` is absolute; globs are relative to the collection's folder")]
    Absolute {
        /// The pattern as given.
        glob: String,
    },
    /// A pattern that climbs out of the folder.
    #[error("the glob `{glob}` has a `..` in it; globs can't leave the collection's folder")]
    Parent {
        /// The pattern as given.
        glob: String,
    },
    /// Braces that multiply out to an unreasonable number of patterns.
    #[error("the glob `{glob}` has braces that stand for more than {limit} patterns")]
    TooManyAlternatives {
        /// The pattern as given.
        glob: String,
        /// How many are allowed.
        limit: usize,
    },
    /// A pattern that does not parse.
    #[error("the glob `{glob}` is not valid: {message}")]
    Invalid {
        /// The pattern as given.
        glob: String,
        /// What is wrong with it.
        message: String,
    },
}
