//! Errors of the rooms below, told to an agent.

use ai_assist_app as app;
use ai_assist_base::chain;
use ai_assist_collections::{self as collections, EditError};
use ai_assist_identity::PathError;
use ai_assist_pack::{LedgerError, PackError};
use ai_assist_repo::build::BuildError;
use ai_assist_repo::local_repo::LocalRepoError;
use ai_assist_repo::one_file::FileError;
use ai_assist_search::CursorError;
use ai_assist_workspace::federate::FederateError;

use crate::outcome::{ErrorType, Failure};

const AGAIN: &str = "Try again; if it fails in the same way, tell the user what the error says.";

const FOLDER: &str = "Name a file in it. `repo_map` with `path` `[\"FOLDER/**\"]` shows its code, `grep` its lines.";

impl From<app::Error> for Failure {
    fn from(error: app::Error) -> Self {
        use app::Error;
        let said = chain(&error);
        match error {
            Error::Collections(error) => error.into(),
            Error::Session(error) => error.into(),
            Error::Build(error) => error.into(),
            Error::File(error) => error.into(),
            Error::Path(error) => error.into(),
            Error::NoFile { .. } => Failure::new(
                ErrorType::NotFound,
                said,
                "`search`, `symbol` or `list_documents` show the paths that there are.",
            ),
            Error::NoDocument(_) => Failure::new(
                ErrorType::NotFound,
                said,
                "`search`, `symbol` or `list_documents` show documents in the form that is needed.",
            ),
            Error::NoSection { known, .. } => {
                let known = match known.as_slice() {
                    [] => "It has none.".to_owned(),
                    known => format!("It has: {}.", known.iter().take(40).cloned().collect::<Vec<_>>().join(", ")),
                };
                Failure::new(ErrorType::NotFound, said, format!("{known} `outline` shows all of them."))
            }
            Error::SeveralSections { found, .. } => {
                let places: Vec<String> =
                    found.iter().take(20).map(|(path, lines)| format!("{path} ({lines})")).collect();
                let way = format!("Give `lines` instead, for one of: {}.", places.join(", "));
                Failure::new(ErrorType::NotFound, said, way)
            }
            Error::NoSession(_) => {
                let error = "the project has no session yet";
                Failure::new(ErrorType::NotFound, error, "Call `session_open` first; it makes one.")
            }
            Error::OtherFolder(_) => Failure::new(
                ErrorType::NotFound,
                said,
                "`session_list` with `set` `sessions` shows those of this project; `session_open` makes one.",
            ),
            Error::RawSession(_) => Failure::new(
                ErrorType::Refused,
                said,
                "Call `session_open` with another name, or ask the user to use it with the `ai-assist` command.",
            ),
            Error::NotUtf8(_) => {
                Failure::new(ErrorType::ReadError, said, "Ask the user to give the folder another name.")
            }
            Error::Surroundings(_) => {
                Failure::new(ErrorType::ReadError, said, "Ask the user to give the machine an id.")
            }
            Error::Pack(error) => error.into(),
            Error::Ledger(error) => error.into(),
            Error::NotAFolder(_) => Failure::new(ErrorType::ReadError, said, "Name a folder that can be read."),
            Error::NoWorkspace(_) => Failure::new(
                ErrorType::NotFound,
                said,
                "Search with scope `repo`, and leave out `repo` and `repos`, for the project's own repository. A workspace is made with `ai-assist workspace init`.",
            ),
            Error::Workspace(_) => {
                Failure::new(ErrorType::ReadError, said, "Ask the user to put the workspace file right.")
            }
            Error::UnknownRepo { nearest, known, .. } => {
                let hint = nearest.map_or(String::new(), |near| format!("Did you mean `{near}`? "));
                Failure::new(ErrorType::NotFound, said, format!("{hint}There are: {}.", known.join(", ")))
            }
            Error::Repo(LocalRepoError::Root(_)) => Failure::new(
                ErrorType::ReadError,
                said,
                "Start the server with --project and a folder that can be read.",
            ),
            Error::Repo(LocalRepoError::Config(_)) => {
                Failure::new(ErrorType::ReadError, said, "Ask the user to put the repository's .ai-assist.json right.")
            }
            Error::NothingIndexed { .. } => Failure::new(
                ErrorType::NotIndexed,
                said,
                "Call `collection_sync` for documents or `index_build` for code, then search again.",
            ),
            Error::UnknownSource { nearest, known, .. } => {
                let hint = nearest.map_or(String::new(), |near| format!("Did you mean `{near}`? "));
                Failure::new(ErrorType::NotFound, said, format!("{hint}There are: {}.", known.join(", ")))
            }
            Error::Search(error) => FederateError::Search(error).into(),
            Error::Federate(error) => error.into(),
            Error::NoSource(_) | Error::NoPlace(_) | Error::AmbiguousPlace { .. } => {
                Failure::new(ErrorType::NotFound, said, "Give the whole name, as a search shows it.")
            }
            Error::PlaceIsFolder(_) => Failure::new(ErrorType::ReadError, said, FOLDER),
            Error::Io { .. } | Error::Admit(_) | Error::Git(_) | Error::NoGit(_) => {
                Failure::new(ErrorType::ReadError, said, AGAIN)
            }
        }
    }
}

impl From<collections::Error> for Failure {
    fn from(error: collections::Error) -> Self {
        use collections::Error;
        let said = chain(&error);
        let hint = error.hint().unwrap_or_else(|| AGAIN.to_owned());
        match error {
            Error::UnknownCollection { nearest: Some(nearest), .. } => Failure::new(
                ErrorType::NotFound,
                said,
                format!("Did you mean `{nearest}`? `collection_list` shows the names."),
            ),
            Error::UnknownCollection { .. } => {
                Failure::new(ErrorType::NotFound, said, "`collection_list` shows the names.")
            }
            Error::NotSynced(name) => not_synced(&name),
            Error::UnknownDocument(_) => Failure::new(
                ErrorType::NotFound,
                said,
                "`list_documents` or `search` show documents in the form that is needed.",
            ),
            Error::AmbiguousDocument { names, .. } => {
                Failure::new(ErrorType::NotFound, said, format!("Name one of: {}.", names.join(", ")))
            }
            Error::NoSuchLines { lines, .. } => {
                Failure::argument("lines", format!("a range such as `1-{}` within the document", lines.max(1)), said)
            }
            Error::Cursor(error) => error.into(),
            Error::Edit(error) => error.into(),
            Error::Search(ai_assist_search::Error::Query(_)) => {
                Failure::argument("query", "words, \"phrases\" and filters such as `path:docs/**`", said)
            }
            Error::Glob(_) => Failure::argument("path", "a glob such as `docs/**/*.md`", said),
            Error::Path(_) => outside(said),
            Error::Locked { .. } => {
                Failure::new(ErrorType::LockError, said, "Another process is at it; try again in a moment.")
            }
            Error::Cancelled => Failure::cancelled(),
            _ => Failure::new(ErrorType::ReadError, said, hint),
        }
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        let error_type = match &error {
            EditError::AlreadyExists { .. } => ErrorType::AlreadyExists,
            EditError::NotFound { .. } | EditError::UnknownSetting { .. } => ErrorType::NotFound,
            EditError::InvalidName { .. } => ErrorType::InvalidName,
            EditError::NameConflict { .. } => ErrorType::NameConflict,
            EditError::CategoryNotFound { .. } => ErrorType::CategoryNotFound,
            EditError::DescriptionTooLong { .. } => ErrorType::DescriptionTooLong,
            EditError::InvalidCharacters { .. } => ErrorType::InvalidCharacters,
            EditError::Invalid { .. } | EditError::Broken(_) => ErrorType::ValidationError,
            EditError::Write(_) => ErrorType::WriteError,
            EditError::Lock(_) => ErrorType::LockError,
        };
        let failure = Failure::new(error_type, chain(&error), instruction(&error));
        match error {
            EditError::Invalid { field, expected, .. } => {
                Failure { field: Some(field.to_string()), expected: Some(expected.to_string()), ..failure }
            }
            _ => failure,
        }
    }
}

/// What an agent should do about an edit that could not be made.
fn instruction(error: &EditError) -> String {
    match error {
        EditError::AlreadyExists { kind, name } => format!(
            "Choose another name, or modify `{name}` with {kind}_update (adds and removes) or {kind}_change (replaces)."
        ),
        EditError::NotFound { kind, nearest: Some(nearest), .. } => {
            format!("Did you mean `{nearest}`? {kind}_list shows all {}.", kind.plural())
        }
        EditError::NotFound { kind, .. } => {
            format!("Call {kind}_list for the {} there are, or make it with {kind}_add.", kind.plural())
        }
        EditError::InvalidName { .. } => {
            "Use 1 to 30 letters, digits, `-` and `_`, with a letter or digit at both ends.".to_owned()
        }
        EditError::NameConflict { kind, name } => {
            format!("Choose another new name, or remove or rename the {kind} `{name}` first.")
        }
        EditError::UnknownSetting { nearest, .. } => {
            nearest.as_ref().map_or_else(String::new, |nearest| format!("Did you mean `{nearest}`?"))
        }
        EditError::CategoryNotFound { known, .. } if known.is_empty() => {
            "There are no categories yet: create them with category_add, then try again.".to_owned()
        }
        EditError::CategoryNotFound { .. } => {
            "Create them with category_add, or list those there are with category_list.".to_owned()
        }
        EditError::DescriptionTooLong { limit, .. } => format!("Shorten the description to {limit} characters."),
        EditError::InvalidCharacters { .. } => {
            "Write the description in one line without single or double quotes.".to_owned()
        }
        EditError::Invalid { field, expected, .. } => format!("Give `{field}` as {expected}."),
        EditError::Broken(error) => {
            format!(
                "Ask the user to mend {} at line {}, column {}.",
                error.place.file, error.place.line, error.place.column
            )
        }
        EditError::Write(_) => {
            "Nothing was changed. Ask the user to check the permissions of the file and the space on the disk."
                .to_owned()
        }
        EditError::Lock(_) => "Nothing was changed. Wait for the other program to finish, then try again.".to_owned(),
    }
}

pub(crate) fn not_synced(name: &str) -> Failure {
    Failure::new(
        ErrorType::NotIndexed,
        format!("the collection `{name}` has not been synced yet"),
        format!(
            "Call `collection_sync` with collections [\"{name}\"], or ask the user to run `ai-assist collections sync {name}`."
        ),
    )
}

pub(crate) fn not_built() -> Failure {
    Failure::new(
        ErrorType::NotIndexed,
        "the repository has no index yet",
        "Call `index_build`, or ask the user to run `ai-assist index build` in the project.",
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
            FileError::Missing(_) => Failure::new(
                ErrorType::NotFound,
                said,
                "`search`, `symbol` or `list_documents` show the paths that there are.",
            ),
            FileError::Folder(_) => {
                let expected = "the path of a file";
                Failure { instruction: FOLDER.to_owned(), ..Failure::argument("document", expected, said) }
            }
            FileError::Refused { .. } => Failure::new(
                ErrorType::Refused,
                said,
                "This file is not given out. `explain_path` says which rule decides; only the user can allow it.",
            ),
            FileError::Admit(error) => Failure::new(ErrorType::ReadError, chain(&error), AGAIN),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Cancelled => Failure::cancelled(),
            BuildError::NoBuild(_) => not_built(),
            BuildError::Unsteady(_) | BuildError::NotPlain(_) => {
                Failure::new(ErrorType::ReadError, chain(&error), "Call `index_build`, then try again.")
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
