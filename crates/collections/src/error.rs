use std::path::PathBuf;

use ai_assist_admit::AdmitError;
use ai_assist_fetch::site::SiteError;
use ai_assist_fetch::{BundleError, ExtractError};
use ai_assist_identity::Sha256;

use crate::edit::EditError;
use ai_assist_base::json::JsonError;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no {file} in {} or any folder above it", start.display())]
    NoProject { file: String, start: PathBuf },
    #[error("{} is there already", .0.display())]
    AlreadyInitialised(PathBuf),
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("its folder `{dir}` leads out of the project")]
    OutsideProject { dir: String },
    #[error("the expression names nothing; write names of collections or categories, as in `api,guide/**/*.md`")]
    EmptyExpression,
    #[error("there is no collection `{name}`")]
    UnknownCollection { name: String, nearest: Option<String> },
    #[error("the collection `{0}` has not been synced yet")]
    NotSynced(String),
    #[error("`{0}` is neither a manifest (`.json`) nor a bundle (`.tar.gz`, `.tgz`, `.tar.zst`)")]
    UnknownPackageKind(String),
    #[error("{} can't be the name of a bundle; it ends in `.tar.gz`, `.tgz` or `.tar.zst`", .0.display())]
    BundleName(PathBuf),
    #[error("the package at {url} can't be used: {reason}")]
    BadPackage { url: String, reason: String },
    #[error("{url} has the hash {found}; {expected} is expected")]
    PackageHash { url: String, expected: Sha256, found: Sha256 },
    #[error("{} is not a file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is larger than {limit} bytes", path.display())]
    ManifestTooLarge { path: PathBuf, limit: u64 },
    #[error("the bundle {url} can't be unpacked")]
    Bundle { url: String, source: BundleError },
    #[error("the repository {url} can't be read")]
    Git { url: String, source: ai_assist_fetch::GitError },
    #[error(transparent)]
    Fetch(#[from] ai_assist_fetch::TransportError),
    #[error(transparent)]
    Site(#[from] SiteError),
    #[error("the credentials in {place} can't be used")]
    Credentials { place: String, source: ai_assist_fetch::CredentialError },
    #[error("the package of {} can't be packed: {}", manifest.display(), errors(findings))]
    Unsound { manifest: PathBuf, findings: Vec<crate::LintFinding> },
    #[error("`{0}` is not a website; only the pages of one are packed by name")]
    NotAWebsite(String),
    #[error("`{0}` changed while it was packed")]
    ChangedMeanwhile(String),
    #[error("no registry is configured")]
    NoRegistry,
    #[error("the registry {url} can't be used: {reason}")]
    BadRegistry { url: String, reason: String },
    #[error("no registry has a package `{name}`")]
    NoPackage { name: String, nearest: Option<String> },
    #[error("`{name}` has no version that `{range}` allows; there {}", listed(versions))]
    NoVersion { name: String, range: String, versions: Vec<String> },
    #[error("`{range}` is no range of versions of `{name}`: {reason}")]
    BadRange { name: String, range: String, reason: String },
    #[error("`{name}` {version} is in the registry already, with other content")]
    VersionTaken { name: String, version: String },
    #[error("the lock {} can't be read: {reason}", path.display())]
    BadLock { path: PathBuf, reason: String },
    #[error("{} has no entry for `{name}`", path.display())]
    NotLocked { name: String, path: PathBuf },
    #[error("`{name}` is not what the lock says: {what}")]
    LockChanged { name: String, what: String },
    #[error("the folder of `{name}`, {}, can't be read", path.display())]
    Source { name: String, path: PathBuf, source: std::io::Error },
    #[error("the source of `{name}` can't be used")]
    BadSource { name: String, source: Box<Error> },
    #[error("{0}")]
    Unusable(String),
    #[error("there is no document `{0}`")]
    UnknownDocument(String),
    #[error("several collections have a document `{path}`: {}", names.join(", "))]
    AmbiguousDocument { path: String, names: Vec<String> },
    #[error("`{path}` has {lines} lines; {asked} is beyond its end")]
    NoSuchLines { path: String, lines: usize, asked: String },
    #[error("another process has held {} for more than {seconds} seconds", path.display())]
    Locked { path: PathBuf, seconds: u64 },
    #[error("{origin} sets `{key}` to `{value}`, but it takes {expected}")]
    BadSetting { key: &'static str, value: String, expected: &'static str, origin: String },
    #[error("stopped before the end; what was done is kept, and the next sync goes on from there")]
    Cancelled,
    #[error("{action} {} failed", path.display())]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Glob(#[from] ai_assist_admit::GlobError),
    #[error(transparent)]
    Admit(AdmitError),
    #[error(transparent)]
    Path(#[from] ai_assist_identity::PathError),
    #[error(transparent)]
    Url(#[from] ai_assist_identity::UrlError),
    #[error(transparent)]
    Store(#[from] ai_assist_store::Error),
    #[error(transparent)]
    Index(#[from] ai_assist_index::Error),
    #[error(transparent)]
    Search(#[from] ai_assist_search::Error),
    #[error(transparent)]
    Cursor(#[from] ai_assist_search::CursorError),
}

pub type Result<T> = std::result::Result<T, Error>;

impl From<AdmitError> for Error {
    fn from(error: AdmitError) -> Self {
        match error {
            AdmitError::Cancelled => Error::Cancelled,
            error => Error::Admit(error),
        }
    }
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { action, path, source }
    }

    /// What can be done about it by whatever means; what to call for it is for the surfaces to say.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Error::Edit(EditError::Lock(error) | EditError::Write(error)) => return error.hint(),
            Error::Edit(EditError::Invalid { expected, .. }) => return Some(format!("it takes {expected}")),
            Error::UnknownCollection { nearest: Some(nearest), .. }
            | Error::NoPackage { nearest: Some(nearest), .. }
            | Error::Edit(
                EditError::NotFound { nearest: Some(nearest), .. }
                | EditError::UnknownSetting { nearest: Some(nearest), .. },
            ) => {
                return Some(format!("did you mean `{nearest}`?"));
            }
            Error::Fetch(error) | Error::Site(SiteError::Transport(error)) => return error.hint(),
            Error::Site(SiteError::Moved { .. }) => "name the new URL, if that is the site you want",
            Error::AmbiguousDocument { names, .. } => {
                return names.first().map(|name| format!("name one of them, as in `{name}`"));
            }
            Error::Source { .. } => {
                "what was indexed before is kept; mend the path in the configuration, or remove the collection"
            }
            Error::UnknownPackageKind(_) => {
                "name the manifest or the bundle itself; a git repository is written `git+https://…`"
            }
            Error::PackageHash { .. } => {
                "what was indexed before is kept; if the change is wanted, mend or remove `hash` in the configuration"
            }
            Error::NoRegistry => {
                "set `registry.urls` in the configuration, or AI_ASSIST_REGISTRY_URLS, to the URL of a registry's index.json"
            }
            Error::BadRange { .. } => "write it as in `react@^18`, `react@~18.2` or `react@18.2.0`",
            Error::VersionTaken { .. } => "a published version stays as it is; give the package a new version",
            Error::Bundle { source: BundleError::Extractor(ExtractError::Bytes { .. }), .. } => {
                "if you trust the package, raise the limit: `network.maxTotalBytes`"
            }
            Error::Bundle {
                source: BundleError::Extractor(ExtractError::Files { .. } | ExtractError::Entries { .. }),
                ..
            } => "if you trust the package, raise the limit: `network.maxPackageFiles`",
            Error::ManifestTooLarge { .. } => "the limit is the setting `network.maxManifestBytes`",
            Error::Locked { .. } => "wait for it to finish, or end it",
            Error::Admit(AdmitError::TooManyFiles { .. }) => "the limit is the setting `sync.maxFiles`",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// Whether it is only that there is nothing to be had where somebody looked.
    pub fn is_nothing_found(&self) -> bool {
        matches!(self, Error::Site(SiteError::NoPages { .. } | SiteError::NotAPage { .. } | SiteError::Robots(_)))
    }

    /// Whether an index is damaged in a way that building it anew helps.
    pub fn rebuild_helps(&self) -> bool {
        match self {
            Error::Index(error) | Error::Search(ai_assist_search::Error::Index(error)) => error.rebuild_helps(),
            _ => false,
        }
    }
}

fn errors(findings: &[crate::LintFinding]) -> String {
    let errors = findings.iter().filter(|finding| finding.severity == crate::Severity::Error);
    let shown = errors.map(|finding| match &finding.path {
        Some(path) => format!("`{path}` {}", finding.message),
        None => finding.message.clone(),
    });
    let mut errors: Vec<String> = shown.collect();
    let more = errors.len().saturating_sub(3);
    errors.truncate(3);
    if more > 0 {
        errors.push(format!("and {more} more"));
    }
    errors.join("; ")
}

fn listed(versions: &[String]) -> String {
    match versions {
        [] => "are none".to_owned(),
        versions => format!("are {}", versions.iter().rev().take(10).cloned().collect::<Vec<_>>().join(", ")),
    }
}
