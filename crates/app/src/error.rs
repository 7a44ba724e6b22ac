use std::path::PathBuf;

use ai_assist_collections as collections;
use ai_assist_repo::ConfigError;
use ai_assist_repo::local_repo::LocalRepoError;

/// Why a verb could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("there is no workspace file in {} or above it", .0.display())]
    NoWorkspace(PathBuf),
    #[error("the workspace {workspace} has no repository `{name}`")]
    UnknownRepo { workspace: String, name: String, nearest: Option<String>, known: Vec<String> },
    #[error("{action} {} failed", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(transparent)]
    Collections(#[from] collections::Error),
    #[error(transparent)]
    Session(#[from] ai_assist_session::Error),
    #[error(transparent)]
    Repo(#[from] LocalRepoError),
    #[error(transparent)]
    Workspace(#[from] ConfigError),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<collections::EditError> for Error {
    fn from(error: collections::EditError) -> Self {
        Error::Collections(error.into())
    }
}
