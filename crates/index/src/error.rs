use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no index in the folder yet.
    #[error("there is no index in {}", .0.display())]
    Missing(PathBuf),
    /// The index was written by other versions of the schema, the tokenizer, the chunker or the model.
    #[error("the index in {} was built by another version ({found}, this program writes {expected}) and has to be rebuilt", path.display())]
    Incompatible { path: PathBuf, found: String, expected: String },
    /// The files do not fit together.
    #[error("the index in {} is damaged ({why}) and has to be rebuilt", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("another process is writing the index in {}", .0.display())]
    Busy(PathBuf),
    #[error("{action} {} failed", path.display())]
    Io {
        /// What was attempted, such as `writing`.
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the word index in {} failed", path.display())]
    Engine {
        path: PathBuf,
        #[source]
        source: tantivy::TantivyError,
    },
    /// What has the texts of an index could not give one.
    #[error("a text of the index in {} could not be read", path.display())]
    Texts {
        path: PathBuf,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("stopped before the end")]
    Stopped,
    #[error(transparent)]
    Embed(#[from] ai_assist_embed::EmbedError),
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { action, path, source }
    }

    pub(crate) fn engine<E: Into<tantivy::TantivyError>>(path: &Path) -> impl FnOnce(E) -> Error {
        let path = path.to_owned();
        move |source| Error::Engine { path, source: source.into() }
    }

    pub(crate) fn damaged(path: &Path, why: impl Into<String>) -> Error {
        Error::Damaged { path: path.to_owned(), why: why.into() }
    }

    /// Whether building the index anew from its documents mends this.
    pub fn rebuild_helps(&self) -> bool {
        match self {
            Error::Missing(_) | Error::Incompatible { .. } | Error::Damaged { .. } => true,
            Error::Engine { source, .. } => !matches!(source, tantivy::TantivyError::LockFailure(..)),
            Error::Io { source, .. } => {
                matches!(source.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::UnexpectedEof)
            }
            Error::Busy(_) | Error::Texts { .. } | Error::Stopped | Error::Embed(_) => false,
        }
    }
}
