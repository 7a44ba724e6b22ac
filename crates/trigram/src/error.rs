use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the pattern is not a regular expression")]
    Syntax(#[source] Box<regex_syntax::Error>),
    #[error("the pattern is {length} bytes long; at most {limit} are allowed")]
    PatternTooLong { length: usize, limit: usize },
    /// The pattern asks for more memory than a search may take, often through nested counts such as `(a{1000}){1000}`.
    #[error("the pattern is too large once its counts and classes are written out (more than {limit} bytes)")]
    PatternTooLarge { limit: usize },
    #[error("the pattern can't be compiled")]
    Compile(#[source] Box<regex_automata::meta::BuildError>),
    #[error(
        "the pattern contains a line end (`{0}`), and lines are searched one by one; ask for a search across lines"
    )]
    LineEnd(&'static str),
    #[error("there is no index of grams in {}", .0.display())]
    Missing(PathBuf),
    #[error("{} was written by another version ({found}, this program writes {expected}) and has to be rebuilt", path.display())]
    Incompatible { path: PathBuf, found: String, expected: String },
    #[error("{} is damaged ({why}) and has to be rebuilt", path.display())]
    Damaged { path: PathBuf, why: &'static str },
    #[error("the index in {} can't hold more than {limit} documents", path.display())]
    TooManyDocuments { path: PathBuf, limit: u32 },
    #[error("{action} {} failed", path.display())]
    Io {
        /// What was attempted, such as `writing`.
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { action, path, source }
    }

    pub(crate) fn damaged(path: &Path, why: &'static str) -> Error {
        Error::Damaged { path: path.to_owned(), why }
    }

    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }

    /// Whether building the index anew from its documents mends this.
    pub fn rebuild_helps(&self) -> bool {
        matches!(self, Error::Missing(_) | Error::Incompatible { .. } | Error::Damaged { .. }) || self.is_not_found()
    }
}
