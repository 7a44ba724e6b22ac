//! Why a change of the configuration can't be made, and what to do about it.

use std::fmt;

use crate::Error;
use ai_assist_base::{chain, json::JsonError};

pub type EditResult<T> = Result<T, EditError>;

/// What a configuration declares by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    Collection,
    Category,
}

impl Declared {
    pub fn plural(self) -> &'static str {
        match self {
            Declared::Collection => "collections",
            Declared::Category => "categories",
        }
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Declared::Collection => "collection",
            Declared::Category => "category",
        })
    }
}

/// Why a configuration could not be changed. It is then as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the {kind} `{name}` is in the configuration already")]
    AlreadyExists { kind: Declared, name: String },
    #[error("there is no {kind} `{name}`")]
    NotFound { kind: Declared, name: String, nearest: Option<String> },
    #[error("`{name}` can't be the name of a {kind}: {why}")]
    InvalidName { kind: Declared, name: String, why: &'static str },
    #[error("another {kind} is named `{name}` already")]
    NameConflict { kind: Declared, name: String },
    #[error("{} not in the configuration: {}", are(missing), quoted(missing))]
    CategoryNotFound { missing: Vec<String>, known: Vec<String> },
    #[error("the description has {length} characters; at most {limit} are allowed")]
    DescriptionTooLong { length: usize, limit: usize },
    #[error("the description has {what} in it; quotes and control characters are not allowed")]
    InvalidCharacters { what: String },
    #[error("`{field}` can't be used: {why}")]
    Invalid { field: &'static str, why: String, expected: &'static str },
    #[error("there is no setting `{key}`")]
    UnknownSetting { key: String, nearest: Option<String> },
    #[error("the configuration is broken: {0}")]
    Broken(JsonError),
    #[error("{}", chain(.0.as_ref()))]
    Write(Box<Error>),
    #[error("{}", chain(.0.as_ref()))]
    Lock(Box<Error>),
}

impl EditError {
    pub(super) fn lock(error: Error) -> Self {
        EditError::Lock(Box::new(error))
    }

    pub(super) fn write(error: Error) -> Self {
        EditError::Write(Box::new(error))
    }

    /// What went wrong in reading the file, before or after the change.
    pub(super) fn from_read(error: Error) -> Self {
        match error {
            Error::Json(error) => EditError::Broken(error),
            error => EditError::write(error),
        }
    }
}

fn are(missing: &[String]) -> &'static str {
    if missing.len() == 1 { "this category is" } else { "these categories are" }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
