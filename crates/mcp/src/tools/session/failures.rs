//! Errors of sessions, told to an agent with the tool to call next.

use ai_assist_base::chain;
use ai_assist_session::Error;
use ai_assist_store::Error as StoreError;

use crate::outcome::{ErrorType, Failure};

const INSIDE: &str = "Name a path below the project's folder. Nothing was changed.";
const OBJECTS: &str = "`session_list` shows the objects: name one by its id or its path.";
const AGAIN: &str = "Try again; if it fails in the same way, tell the user what the error says.";

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let said = chain(&error);
        match error {
            Error::Store(error) => of_store(&error, said),
            Error::UnknownSession { .. } => Failure::new(
                ErrorType::NotFound,
                said,
                "`session_list` with `set` `sessions` shows those of this project; `session_open` makes one.",
            ),
            Error::SessionExists(_) => Failure::new(
                ErrorType::AlreadyExists,
                said,
                "Call `session_open` without `new` to go on with it, or give another name.",
            ),
            Error::BadSessionName(_) => {
                Failure::new(ErrorType::InvalidName, said, "Call `session_open` with another name, or with none.")
            }
            Error::UnknownObject { .. } => Failure::new(ErrorType::NotFound, said, OBJECTS),
            Error::Ambiguous { .. } => Failure::new(ErrorType::NotFound, said, "Give more of its id or its path."),
            Error::NotInPool(_) => {
                Failure::new(ErrorType::NotFound, said, "Call `session_read` with its path first. Nothing was changed.")
            }
            Error::Pinned(_) => Failure::new(
                ErrorType::Refused,
                said,
                "Give it in `unpin` too; that is done first. Nothing was changed.",
            ),
            Error::Unreadable { .. } => Failure::new(
                ErrorType::ReadError,
                said,
                "Put the path right or leave it out: nothing was changed. `search` and `symbol` show the paths that there are.",
            ),
            Error::Refused { .. } => Failure::new(
                ErrorType::Refused,
                said,
                "Leave it out: nothing was changed. `explain_path` says which rule decides; only the user can allow it.",
            ),
            Error::Outside { .. } | Error::Path(_) | Error::Resolve(_) => {
                Failure::new(ErrorType::Refused, said, INSIDE)
            }
            Error::Id(_) => Failure::new(ErrorType::NotFound, said, OBJECTS),
            Error::Moment(_) => Failure::argument("as_of", "a time such as `2026-11-16T08:30:00Z`", said),
            Error::Json(_) => Failure::argument("toolcall.args", "an object of plain JSON", said),
            Error::Query(_) | Error::Search(ai_assist_search::Error::Query(_)) => {
                Failure::argument("query", "words, \"phrases\" and filters such as `path:src/**`", said)
            }
            Error::Budget { needed, .. } => Failure {
                instruction: "Give more `max_tokens`, or unpin or deactivate something with `session_hold`.".to_owned(),
                ..Failure::argument("max_tokens", format!("an integer well above {needed}"), said)
            },
            Error::Contended(_) | Error::Index(ai_assist_index::Error::Busy(_)) => {
                Failure::new(ErrorType::LockError, said, "Others are at it; try again in a moment.")
            }
            Error::InFuture => {
                Failure::argument("at", "a time in the past", "what has not happened yet can't be recorded")
            }
            Error::Cancelled => Failure::cancelled(),
            Error::Index(_) | Error::Search(_) | Error::Damaged { .. } | Error::Io { .. } => {
                Failure::new(ErrorType::ReadError, said, AGAIN)
            }
            // Only imports and exports fail so, and there are none here.
            Error::Transcript(_) | Error::BadLine { .. } => Failure::new(ErrorType::ReadError, said, AGAIN),
        }
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
                "`session_open`",
            ),
            (Error::SessionExists("x".to_owned()), ErrorType::AlreadyExists, "`session_open`"),
            (Error::BadSessionName("/".to_owned()), ErrorType::InvalidName, "`session_open`"),
            (Error::NotInPool(id()), ErrorType::NotFound, "`session_read`"),
            (Error::Pinned(id()), ErrorType::Refused, "`unpin`"),
            (
                Error::Refused { path: path.clone(), why: ai_assist_session::file_reader::Refusal::Path },
                ErrorType::Refused,
                "`explain_path`",
            ),
            (Error::Outside { path: path.clone(), root: path.clone() }, ErrorType::Refused, "below the project"),
            (Error::Unreadable { path, why: "no".to_owned() }, ErrorType::ReadError, "`search`"),
            (Error::Budget { budget: 1, needed: 2 }, ErrorType::ValidationError, "`session_hold`"),
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
