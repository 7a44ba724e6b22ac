use std::path::PathBuf;

use ai_assist_collections as collections;
use ai_assist_repo::ConfigError;
use ai_assist_repo::local_repo::LocalRepoError;
use ai_assist_text::LineRange;
use ai_assist_workspace::config::WORKSPACE_FILE;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("there is no {WORKSPACE_FILE} in {} or above it", .0.display())]
    NoWorkspace(PathBuf),
    #[error("the workspace {workspace} has no repository `{name}`")]
    UnknownRepo { workspace: String, name: String, nearest: Option<String>, known: Vec<String> },
    /// Nothing in reach has an index, for these reasons.
    #[error("nothing is indexed here yet{}", listed(reasons))]
    NothingIndexed { root: PathBuf, reasons: Vec<String> },
    #[error("there is no collection or repository `{name}` in reach")]
    UnknownSource { name: String, nearest: Option<String>, known: Vec<String> },
    #[error("`{0}` is no file or folder here, no URL, and no package of a registry")]
    NoSource(String),
    #[error("`{text}` begins with a word that is no kind of source{}", meant.as_ref().map_or(String::new(), |meant| format!("; did you mean `{meant}`?")))]
    UnknownScheme { text: String, meant: Option<String> },
    #[error("`{text}` is no source; it takes {expected}")]
    BadSpelling { text: String, expected: &'static str },
    #[error("`{source_text}` holds no document: {instead}")]
    NoDocuments { source_text: String, instead: String },
    /// What an agent may not add.
    #[error("{0}")]
    NotForAgents(crate::agents::NotForAgents),
    #[error("nothing here is called `{0}`: no document, no file")]
    NoPlace(String),
    #[error("`{name}` may mean {}", names.join(", "))]
    AmbiguousPlace { name: String, names: Vec<String> },
    #[error("{} is a folder, and a document or file is needed", .0.display())]
    PlaceIsFolder(PathBuf),
    #[error("the repository {repo} has no file `{path}`")]
    NoFile { repo: String, path: String },
    #[error("there is no document `{0}` in the project's repository or its collections")]
    NoDocument(String),
    #[error("the document has no section or definition `{section}`")]
    NoSection { section: String, known: Vec<String> },
    #[error("`{section}` stands for {} sections or definitions", found.len())]
    SeveralSections { section: String, found: Vec<(String, LineRange)> },
    #[error("no session is about {}", .0.display())]
    NoSession(PathBuf),
    #[error("the session `{0}` belongs to another folder")]
    OtherFolder(String),
    #[error("the session `{0}` keeps secrets as they are, so it is not given out here")]
    RawSession(String),
    #[error("the name of the folder {} is not UTF-8, so no session can be about it", .0.display())]
    NotUtf8(PathBuf),
    #[error(transparent)]
    Surroundings(#[from] ai_assist_session::surroundings::SurroundingsError),
    #[error("{} is in no git repository, so nothing can be said of changes", .0.display())]
    NoGit(PathBuf),
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
    Search(#[from] ai_assist_search::Error),
    #[error(transparent)]
    Federate(#[from] ai_assist_workspace::federate::FederateError),
    #[error(transparent)]
    Session(#[from] ai_assist_session::Error),
    #[error(transparent)]
    Pack(#[from] ai_assist_pack::PackError),
    #[error(transparent)]
    Ledger(#[from] ai_assist_pack::LedgerError),
    #[error(transparent)]
    Admit(#[from] ai_assist_admit::AdmitError),
    #[error(transparent)]
    Git(#[from] ai_assist_git::GitError),
    #[error(transparent)]
    File(#[from] ai_assist_repo::one_file::FileError),
    #[error(transparent)]
    Path(#[from] ai_assist_identity::PathError),
    #[error(transparent)]
    Build(#[from] ai_assist_repo::build::BuildError),
    #[error(transparent)]
    Repo(#[from] LocalRepoError),
    #[error(transparent)]
    Workspace(#[from] ConfigError),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

fn listed(reasons: &[String]) -> String {
    if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
}

impl From<collections::EditError> for Error {
    fn from(error: collections::EditError) -> Self {
        Error::Collections(error.into())
    }
}
