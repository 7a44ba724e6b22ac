//! Errors of the crates below, told to an agent.

use ai_assist_app::{self as app, NotForAgents};
use ai_assist_base::chain;
use ai_assist_collections::{self as collections, Consent, EditError};
use ai_assist_git::GitError;
use ai_assist_identity::PathError;
use ai_assist_pack::{LedgerError, PackError};
use ai_assist_repo::build::BuildError;
use ai_assist_repo::local_repo::LocalRepoError;
use ai_assist_repo::one_file::FileError;
use ai_assist_search::CursorError;
use ai_assist_workspace::federate::FederateError;

use crate::outcome::{ErrorType, Failure};

pub(crate) const AGAIN: &str = "Try again; if it fails in the same way, tell the user what the error says.";

const PATHS: &str = "`search` and `map` show the paths that there are.";

pub(crate) const SESSIONS: &str =
    "`session_list {\"set\":\"sessions\"}` shows those of this project; `session_open {}` makes one.";

/// Stands in [`FOLDER`] for the folder that was named.
pub(crate) const ITS_PATH: &str = "FOLDER";

const FOLDER: &str = r#"Name a file in it: `map {"path":["FOLDER/**"]}` shows its code, `grep {"pattern":"…","path":["FOLDER/**"]}` its lines."#;

/// What `source` takes.
const SOURCES: &str = "a path of the project, an https URL, `github:OWNER/NAME`, `npm:NAME`, `pypi:NAME`, `crate:NAME`, or a package of a registry";

/// What an agent can do about a source that it may not add: nothing but ask.
fn way_out(why: &NotForAgents) -> String {
    let (NotForAgents::NotAllowed { source, .. }
    | NotForAgents::Outside(source)
    | NotForAgents::Ignored { source, .. }
    | NotForAgents::Private(source)
    | NotForAgents::NotHttps(source)) = why;
    let short: String = source.chars().filter(|c| !c.is_control()).take(300).collect();
    let command = format!("`ai-assist add '{}'`", short.replace('\'', "'\\''"));
    match why {
        NotForAgents::NotAllowed { consent: Consent::Refuse, .. } => {
            "The user has switched this off (`mcp.sources`). Go on with what `collection_list` shows, and don't ask for it.".to_owned()
        }
        NotForAgents::NotAllowed { .. } => format!(
            "Ask the user to run {command} in the project. They can let agents add sources with `ai-assist config set mcp.sources allow`. Don't run either yourself."
        ),
        _ => format!("No agent can add this. If it is needed, ask the user to run {command} in the project."),
    }
}

impl From<app::Error> for Failure {
    fn from(error: app::Error) -> Self {
        use ErrorType::{NotFound, NotIndexed, ReadError, Refused};
        use app::Error;
        let said = chain(&error);
        let (kind, way): (ErrorType, String) = match error {
            Error::Collections(error) => return error.into(),
            Error::Session(error) => return error.into(),
            Error::Build(error) => return error.into(),
            Error::File(error) => return error.into(),
            Error::Path(error) => return error.into(),
            Error::Pack(error) => return error.into(),
            Error::Ledger(error) => return error.into(),
            Error::Search(error) => return FederateError::Search(error).into(),
            Error::Federate(error) => return error.into(),
            Error::NoSession(_) => {
                let error = "the project has no session yet";
                return Failure::new(NotFound, error, "Call `session_open {}` first; it makes one.");
            }
            Error::NoFile { .. } => (NotFound, PATHS.into()),
            Error::NoDocument(_) => (NotFound, "`search` shows documents in the form that is needed.".into()),
            Error::NoSection { known, .. } => {
                let known = match known.as_slice() {
                    [] => "It has none.".to_owned(),
                    known => format!("It has: {}.", known.iter().take(40).cloned().collect::<Vec<_>>().join(", ")),
                };
                (NotFound, format!("{known} `outline` shows all of them."))
            }
            Error::SeveralSections { found, .. } => {
                let places: Vec<String> =
                    found.iter().take(20).map(|(path, lines)| format!("{path} ({lines})")).collect();
                (NotFound, format!("Give `lines` instead, for one of: {}.", places.join(", ")))
            }
            Error::OtherFolder(_) => (NotFound, SESSIONS.into()),
            Error::RawSession(_) => {
                let way =
                    "Call `session_open` with another name, or ask the user to use it with the `ai-assist` command.";
                (Refused, way.into())
            }
            Error::NotUtf8(_) => (ReadError, "Ask the user to give the folder another name.".into()),
            Error::Surroundings(_) => (ReadError, "Ask the user to give the machine an id.".into()),
            Error::NotAFolder(_) => (ReadError, "Name a folder that can be read.".into()),
            Error::NoWorkspace(_) => {
                let way = "Leave out `repo` and `repos` for the project's own repository. A workspace is made with `ai-assist workspace init`.";
                (NotFound, way.into())
            }
            Error::Workspace(_) => (ReadError, "Ask the user to put the workspace file right.".into()),
            Error::UnknownRepo { nearest, known, .. } | Error::UnknownSource { nearest, known, .. } => {
                let hint = nearest.map_or(String::new(), |near| format!("Did you mean `{near}`? "));
                (NotFound, format!("{hint}There are: {}.", known.join(", ")))
            }
            Error::Repo(LocalRepoError::Root(_)) => {
                (ReadError, "Start the server with --project and a folder that can be read.".into())
            }
            Error::Repo(LocalRepoError::Config(_)) => {
                (ReadError, "Ask the user to put the repository's .ai-assist.json right.".into())
            }
            Error::NothingIndexed { .. } => {
                let way = "Call `collection_sync {}` for documents or `index_build {}` for code, then search again.";
                (NotIndexed, way.into())
            }
            Error::UnknownScheme { .. } | Error::BadSpelling { .. } | Error::NoSource(_) => {
                return Failure::argument("source", SOURCES, said);
            }
            Error::NoDocuments { .. } => {
                (NotFound, "Name a folder with documents, or give `glob` for the files that there are.".into())
            }
            Error::NotForAgents(why) => return Failure::new(Refused, said, way_out(&why)),
            Error::NoPlace(_) | Error::AmbiguousPlace { .. } => {
                (NotFound, "Give the whole name, as a search shows it.".into())
            }
            Error::Git(GitError::UnknownRevision { .. } | GitError::BadRevision { .. }) => {
                let expected = "a commit or branch of the repository, or a time such as `2h`, `3d` or `2026-11-01`";
                return Failure::argument("since", expected, said);
            }
            Error::PlaceIsFolder(_) => (ReadError, FOLDER.into()),
            Error::Io { .. } | Error::Admit(_) | Error::Git(_) | Error::NoGit(_) => (ReadError, AGAIN.into()),
        };
        Failure::new(kind, said, way)
    }
}

impl From<collections::Error> for Failure {
    fn from(error: collections::Error) -> Self {
        use ErrorType::{LockError, NotFound, ReadError};
        use collections::Error;
        let said = chain(&error);
        let hint = error.hint().unwrap_or_else(|| AGAIN.to_owned());
        let (kind, way): (ErrorType, String) = match error {
            Error::NotSynced(name) => return not_synced(&name),
            Error::Cursor(error) => return error.into(),
            Error::Edit(error) => return error.into(),
            Error::Path(_) => return outside(said),
            Error::Cancelled => return Failure::cancelled(),
            Error::NoSuchLines { lines, .. } => {
                let expected = format!("a range such as `1-{}` within the document", lines.max(1));
                return Failure::argument("lines", expected, said);
            }
            Error::Search(ai_assist_search::Error::Query(_)) => {
                return Failure::argument("query", "words, \"phrases\" and filters such as `path:docs/**`", said);
            }
            Error::Glob(_) => return Failure::argument("path", "a glob such as `docs/**/*.md`", said),
            Error::UnknownCollection { nearest: Some(nearest), .. } => {
                (NotFound, format!("Did you mean `{nearest}`? `collection_list` shows the names."))
            }
            Error::UnknownCollection { .. } => (NotFound, "`collection_list` shows the names.".into()),
            Error::UnknownDocument(_) => (NotFound, "`search` shows documents in the form that is needed.".into()),
            Error::AmbiguousDocument { names, .. } => (NotFound, format!("Name one of: {}.", names.join(", "))),
            Error::Locked { .. } => (LockError, "Another process is at it; try again in a moment.".into()),
            _ => (ReadError, hint),
        };
        Failure::new(kind, said, way)
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        use ErrorType::{
            AlreadyExists, CategoryNotFound, DescriptionTooLong, InvalidCharacters, InvalidName, LockError,
            NameConflict, NotFound, ValidationError, WriteError,
        };
        let said = chain(&error);
        let (kind, way): (ErrorType, String) = match error {
            EditError::AlreadyExists { kind, name } => (
                AlreadyExists,
                format!(
                    "Choose another name, or modify `{name}` with `{kind}_update` (adds and removes) or `{kind}_change` (replaces)."
                ),
            ),
            EditError::NotFound { kind, nearest: Some(nearest), .. } => {
                (NotFound, format!("Did you mean `{nearest}`? `{kind}_list` shows all {}.", kind.plural()))
            }
            EditError::NotFound { kind, .. } => {
                let plural = kind.plural();
                (NotFound, format!("Call `{kind}_list` for the {plural} there are, or make it with `{kind}_add`."))
            }
            EditError::InvalidName { .. } => {
                (InvalidName, "Use 1 to 30 letters, digits, `-` and `_`, with a letter or digit at both ends.".into())
            }
            EditError::NameConflict { kind, name } => {
                (NameConflict, format!("Choose another new name, or remove or rename the {kind} `{name}` first."))
            }
            EditError::UnknownSetting { nearest, .. } => {
                (NotFound, nearest.map_or(String::new(), |nearest| format!("Did you mean `{nearest}`?")))
            }
            EditError::CategoryNotFound { known, .. } if known.is_empty() => {
                (CategoryNotFound, "There are no categories yet: create them with `category_add {\"name\":\"…\",\"dir\":\"…\",\"patterns\":[\"…\"]}`, then try again.".into())
            }
            EditError::CategoryNotFound { .. } => {
                (CategoryNotFound, "Create them with `category_add {\"name\":\"…\",\"dir\":\"…\",\"patterns\":[\"…\"]}`, or list those there are with `category_list`.".into())
            }
            EditError::DescriptionTooLong { limit, .. } => {
                (DescriptionTooLong, format!("Shorten the description to {limit} characters."))
            }
            EditError::InvalidCharacters { .. } => {
                (InvalidCharacters, "Write the description in one line without single or double quotes.".into())
            }
            EditError::Invalid { field, expected, .. } => {
                let instruction = format!("Give `{field}` as {expected}.");
                return Failure { instruction, ..Failure::argument(field, expected, said) };
            }
            EditError::Broken(error) => {
                let place = &error.place;
                let way =
                    format!("Ask the user to mend {} at line {}, column {}.", place.file, place.line, place.column);
                (ValidationError, way)
            }
            EditError::Write(_) => {
                let way =
                    "Nothing was changed. Ask the user to check the permissions of the file and the space on the disk.";
                (WriteError, way.into())
            }
            EditError::Lock(_) => {
                (LockError, "Nothing was changed. Wait for the other program to finish, then try again.".into())
            }
        };
        Failure::new(kind, said, way)
    }
}

pub(crate) fn not_synced(name: &str) -> Failure {
    Failure::new(
        ErrorType::NotIndexed,
        format!("the collection `{name}` has not been synced yet"),
        format!(
            "Call `collection_sync {{\"collections\":[\"{name}\"]}}`, or ask the user to run `ai-assist collections sync {name}`."
        ),
    )
}

pub(crate) fn not_built() -> Failure {
    Failure::new(
        ErrorType::NotIndexed,
        "the repository has no index yet",
        "Call `index_build {}`, or ask the user to run `ai-assist index build` in the project.",
    )
}

fn outside(said: String) -> Failure {
    Failure::new(
        ErrorType::Refused,
        said,
        "Name a path below the project or the collection, with `/` between its parts and without `..`.",
    )
}

impl From<CursorError> for Failure {
    fn from(error: CursorError) -> Self {
        match error {
            CursorError::Stale => {
                Failure::new(ErrorType::StaleCursor, error.to_string(), "Ask again without `cursor`.")
            }
            CursorError::Malformed(_) => {
                Failure::argument("cursor", "the string that the answer before gave, unchanged", error.to_string())
            }
        }
    }
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Self {
        outside(error.to_string())
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let said = error.to_string();
        match error {
            FileError::Missing(_) => Failure::new(ErrorType::NotFound, said, PATHS),
            FileError::Folder(_) => {
                let expected = "the path of a file";
                Failure { instruction: FOLDER.to_owned(), ..Failure::argument("document", expected, said) }
            }
            FileError::Refused { .. } => {
                let way =
                    "This file is not given out. `explain_path` says which rule decides; only the user can allow it.";
                Failure::new(ErrorType::Refused, said, way)
            }
            FileError::Admit(_) => Failure::new(ErrorType::ReadError, chain(&error), AGAIN),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Cancelled => Failure::cancelled(),
            BuildError::NoBuild(_) => not_built(),
            BuildError::Unsteady(_) | BuildError::NotPlain(_) => {
                Failure::new(ErrorType::ReadError, chain(&error), "Call `index_build {}`, then try again.")
            }
            _ => Failure::new(ErrorType::ReadError, chain(&error), AGAIN),
        }
    }
}

impl From<FederateError> for Failure {
    fn from(error: FederateError) -> Self {
        let said = chain(&error);
        match error {
            FederateError::Search(ai_assist_search::Error::Cancelled) => Failure::cancelled(),
            FederateError::Search(ai_assist_search::Error::Cursor(error)) => error.into(),
            FederateError::Selection(_) => Failure::argument("repos", "names of repositories of the workspace", said),
            FederateError::Search(ai_assist_search::Error::Query(_)) => {
                Failure::argument("query", "words, \"phrases\" and filters such as `path:src/**`", said)
            }
            _ => Failure::new(ErrorType::ReadError, said, AGAIN),
        }
    }
}

impl From<PackError> for Failure {
    fn from(error: PackError) -> Self {
        let said = chain(&error);
        match error {
            PackError::Cancelled => Failure::cancelled(),
            PackError::Glob(_) => Failure::argument("include", "globs such as `src/**`", said),
            _ => Failure::new(ErrorType::ReadError, said, "Ask for more tokens, or for `type` `summary`."),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        let way =
            "Nothing was sent, because it could not be recorded. Ask the user to run `ai-assist receipts verify`.";
        Failure::new(ErrorType::WriteError, chain(&error), way)
    }
}
