//! Errors of sessions, told to an agent with the tool to call next.

use ai_assist_base::chain;
use ai_assist_session::Error;
use ai_assist_store::Error as StoreError;

use crate::failures::{AGAIN, SESSIONS};
use crate::outcome::{ErrorType, Failure};

const OBJECTS: &str = "`session_list` shows the objects: name one by its id or its path.";

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        use ErrorType::{AlreadyExists, InvalidName, LockError, NotFound, ReadError, Refused};
        let said = chain(&error);
        let (kind, way) = match error {
            Error::Store(error) => return of_store(&error, said),
            Error::Cancelled => return Failure::cancelled(),
            Error::Moment(_) => return Failure::argument("as_of", "a time such as `2026-11-16T08:30:00Z`", said),
            Error::Json(_) => return Failure::argument("toolcall.args", "an object of plain JSON", said),
            Error::Query(_) | Error::Search(ai_assist_search::Error::Query(_)) => {
                return Failure::argument("query", "words, \"phrases\" and filters such as `path:src/**`", said);
            }
            Error::InFuture => {
                return Failure::argument("at", "a time in the past", "what has not happened yet can't be recorded");
            }
            Error::Conflict { found, .. } => {
                let way = "Somebody has changed it. Look at what it is now with `session_show`, then call again with that version.";
                let failure = Failure::argument("expect", format!("{found}, if what it is now is right for you"), said);
                return Failure { instruction: way.to_owned(), ..failure };
            }
            Error::NotYet { since, .. } => return Failure::argument("as_of", format!("a time from {since} on"), said),
            Error::Budget { needed, .. } => {
                let way = r#"Give more `max_tokens`, or unpin or deactivate something: `session_hold {"unpin":["…"],"deactivate":["…"]}`."#;
                let failure = Failure::argument("max_tokens", format!("an integer well above {needed}"), said);
                return Failure { instruction: way.to_owned(), ..failure };
            }
            Error::UnknownSession { .. } => (NotFound, SESSIONS),
            Error::SessionExists(_) => {
                (AlreadyExists, "Call `session_open` without `new` to go on with it, or give another name.")
            }
            Error::BadSessionName(_) => (InvalidName, "Call it again with another name, or with none."),
            Error::UnknownObject { .. } | Error::Id(_) => (NotFound, OBJECTS),
            Error::Ambiguous { .. } => (NotFound, "Give more of its id or its path."),
            Error::NotInPool(_) => (NotFound, "Call `session_read` with its path first. Nothing was changed."),
            Error::Pinned(_) => (Refused, "Give it in `unpin` too; that is done first. Nothing was changed."),
            Error::Unreadable { .. } => (
                ReadError,
                "Put the path right or leave it out: nothing was changed. `search` and `symbol` show the paths that there are.",
            ),
            Error::Refused { .. } => (
                Refused,
                "Leave it out: nothing was changed. `explain_path` says which rule decides; only the user can allow it.",
            ),
            Error::Outside { .. } | Error::Path(_) | Error::Resolve(_) => {
                (Refused, "Name a path below the project's folder. Nothing was changed.")
            }
            Error::Contended(_) | Error::Index(ai_assist_index::Error::Busy(_)) => {
                (LockError, "Others are at it; try again in a moment.")
            }
            Error::Index(_) | Error::Search(_) | Error::Damaged { .. } | Error::Io { .. } => (ReadError, AGAIN),
            // Only imports and exports fail so, and there are none here.
            Error::Transcript(_) | Error::BadFilesystem(_) | Error::BadLine { .. } => (ReadError, AGAIN),
        };
        Failure::new(kind, said, way)
    }
}

fn of_store(error: &StoreError, said: String) -> Failure {
    match error {
        StoreError::RequestReused(_) => {
            Failure::argument("request", "a text that names this request and no other", said)
        }
        StoreError::Busy { .. } | StoreError::VersionConflict { .. } => {
            Failure::new(ErrorType::LockError, said, "Another process is at it; try again in a moment.")
        }
        StoreError::UnknownObject(_) => Failure::new(ErrorType::NotFound, said, OBJECTS),
        StoreError::Full { .. } | StoreError::ReadOnly { .. } | StoreError::TooLarge { .. } => {
            Failure::new(ErrorType::WriteError, said, "Nothing was written. Tell the user what the error says.")
        }
        _ => Failure::new(ErrorType::ReadError, said, AGAIN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ai_assist_store::objects::RequestId;

    #[test]
    fn every_kind_is_told_with_a_tool_or_a_way() {
        let path = std::path::PathBuf::from("a.md");
        let id = || "toolcall:s:1".parse().unwrap();
        for (error, kind, way) in [
            (
                Error::UnknownSession { name: "x".to_owned(), near: String::new() },
                ErrorType::NotFound,
                "`session_open {}`",
            ),
            (Error::SessionExists("x".to_owned()), ErrorType::AlreadyExists, "`session_open`"),
            (Error::BadSessionName("/".to_owned()), ErrorType::InvalidName, "another name"),
            (Error::NotInPool(id()), ErrorType::NotFound, "`session_read`"),
            (Error::Pinned(id()), ErrorType::Refused, "`unpin`"),
            (
                Error::Refused { path: path.clone(), why: ai_assist_session::file_reader::Refusal::Path },
                ErrorType::Refused,
                "`explain_path`",
            ),
            (Error::Outside { path: path.clone(), root: path.clone() }, ErrorType::Refused, "below the project"),
            (Error::Unreadable { path, why: "no".to_owned() }, ErrorType::ReadError, "`search`"),
            (Error::Budget { budget: 1, needed: 2 }, ErrorType::ValidationError, "`session_hold {"),
            (Error::Contended("x".to_owned()), ErrorType::LockError, "try again"),
            (
                Error::Store(StoreError::RequestReused(RequestId("r".to_owned()))),
                ErrorType::ValidationError,
                "`request`",
            ),
            (
                Error::Store(StoreError::Busy { path: "db".into(), waited: std::time::Duration::ZERO }),
                ErrorType::LockError,
                "try again",
            ),
            (Error::Store(StoreError::Full { path: "db".into() }), ErrorType::WriteError, "the user"),
            (Error::Cancelled, ErrorType::Cancelled, "half done"),
        ] {
            let failure = Failure::from(error);
            assert_eq!(failure.error_type, kind, "{failure:?}");
            assert!(failure.instruction.contains(way), "{failure:?}");
            // Agents have tools, not a terminal.
            assert!(!failure.instruction.contains("ai-assist session"), "{failure:?}");
        }
    }
}
