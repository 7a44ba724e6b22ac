use std::path::PathBuf;

use ai_assist_identity::CollectionId;

use crate::json::Place;

/// What can go wrong with collections.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no project here.
    #[error("there is no {file} in {} or any folder above it", start.display())]
    NoProject {
        /// The file looked for.
        file: String,
        /// Where the search began.
        start: PathBuf,
    },
    /// `init` found a configuration.
    #[error("{} is there already", .0.display())]
    AlreadyInitialised(PathBuf),
    /// A JSON file can't be read.
    #[error("{place}: {message}")]
    Json {
        /// Where.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// A name that is not allowed.
    #[error("`{name}` can't be a collection's name: {why}")]
    BadName {
        /// The name.
        name: String,
        /// The rule it breaks.
        why: &'static str,
    },
    /// A name that is taken.
    #[error("the collection `{0}` is in the configuration already")]
    NameTaken(String),
    /// A name that nothing has.
    #[error("there is no collection `{name}`")]
    UnknownCollection {
        /// The name asked for.
        name: String,
        /// The most similar name there is.
        nearest: Option<String>,
    },
    /// A collection that has never been synced.
    #[error("the collection `{0}` has not been synced yet")]
    NotSynced(String),
    /// A collection of a type that this version can't sync.
    #[error("`{name}` is of type `pkg` ({url}); this version syncs collections of type `file` only")]
    PackagesNotSupported {
        /// The collection.
        name: String,
        /// Its URL.
        url: String,
    },
    /// A source folder that is not there.
    #[error("the folder of `{name}`, {}, can't be read", path.display())]
    Source {
        /// The collection.
        name: String,
        /// Its folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A source that means nothing.
    #[error("the source of `{name}` can't be used")]
    BadSource {
        /// The collection.
        name: String,
        /// Why.
        #[source]
        source: Box<Error>,
    },
    /// A document that no collection in reach has.
    #[error("there is no document `{0}`")]
    UnknownDocument(String),
    /// A document that several collections have.
    #[error("several collections have a document `{path}`: {}", names.join(", "))]
    AmbiguousDocument {
        /// The path.
        path: String,
        /// The documents, each with its collection's name.
        names: Vec<String>,
    },
    /// Lines beyond the end of a document.
    #[error("`{path}` has {lines} lines; {asked} is beyond its end")]
    NoSuchLines {
        /// The document.
        path: String,
        /// How many lines it has.
        lines: usize,
        /// What was asked for.
        asked: String,
    },
    /// A lock was not to be had in time.
    #[error("another process has held {} for more than {seconds} seconds", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
    /// A setting with a value it can't have.
    #[error("{origin} sets `{key}` to `{value}`, but it takes {expected}")]
    BadSetting {
        /// The setting.
        key: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        expected: &'static str,
        /// Where it was given.
        origin: String,
    },
    /// The user stopped it.
    #[error("stopped before the end; what was done is kept, and the next sync goes on from there")]
    Cancelled,
    /// A store from which documents were taken while an index still had to catch up on it.
    #[error("the index of {0} can't be brought up to date")]
    IndexLost(CollectionId),
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
    /// A glob can't be used.
    #[error(transparent)]
    Glob(#[from] ai_assist_admit::GlobError),
    /// A tree can't be walked.
    #[error(transparent)]
    Admit(#[from] ai_assist_admit::AdmitError),
    /// A path can't be used.
    #[error(transparent)]
    Path(#[from] ai_assist_identity::PathError),
    /// A URL can't be used.
    #[error(transparent)]
    Url(#[from] ai_assist_identity::UrlError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] ai_assist_store::Error),
    /// An index failed.
    #[error(transparent)]
    Index(#[from] ai_assist_index::Error),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] ai_assist_search::Error),
    /// A cursor can't be used.
    #[error(transparent)]
    Cursor(#[from] ai_assist_search::CursorError),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { action, path, source }
    }

    /// What a person can do about it, if there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::NoProject { .. } => Some("make one with `ai-assist collections init`".into()),
            Error::AlreadyInitialised(_) => Some("`--force` replaces it".into()),
            Error::NameTaken(name) => {
                Some(format!("choose another name, or `ai-assist collections remove {name}` first"))
            }
            Error::UnknownCollection { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Error::UnknownCollection { .. } => Some("`ai-assist collections list` shows the names".into()),
            Error::NotSynced(name) => Some(format!("run `ai-assist collections sync {name}`")),
            Error::Source { .. } => Some(
                "what was indexed before is kept; mend the path in the configuration, or remove the collection".into(),
            ),
            Error::UnknownDocument(_) => {
                Some("`ai-assist ref search` prints documents in the form that `ref get` takes".into())
            }
            Error::AmbiguousDocument { names, .. } => {
                names.first().map(|name| format!("name one of them, as in `{name}`"))
            }
            Error::Locked { .. } => Some("wait for it to finish, or end it".into()),
            Error::Index(error) | Error::Search(ai_assist_search::Error::Index(error)) if error.rebuild_helps() => {
                Some("`ai-assist doctor --repair` builds it anew".into())
            }
            Error::Admit(ai_assist_admit::AdmitError::TooManyFiles { .. }) => {
                Some("the limit is the setting `sync.maxFiles`".into())
            }
            _ => None,
        }
    }
}
