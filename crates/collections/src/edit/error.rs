//! Why a change of the configuration can't be made, and what to do about it.

use std::fmt;

use crate::json::JsonError;
use crate::{Error, whole};

pub type EditResult<T> = Result<T, EditError>;

/// What a configuration declares by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    Collection,
    Category,
}

impl Declared {
    fn plural(self) -> &'static str {
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
    /// The name is taken.
    #[error("the {kind} `{name}` is in the configuration already")]
    AlreadyExists {
        /// What was to be added.
        kind: Declared,
        name: String,
    },
    /// Nothing has the name.
    #[error("there is no {kind} `{name}`")]
    NotFound {
        /// What was looked for.
        kind: Declared,
        name: String,
        /// The most similar name there is.
        nearest: Option<String>,
    },
    #[error("`{name}` can't be the name of a {kind}: {why}")]
    InvalidName {
        /// What was to be named.
        kind: Declared,
        name: String,
        /// The rule it breaks.
        why: &'static str,
    },
    /// The new name belongs to another.
    #[error("another {kind} is named `{name}` already")]
    NameConflict {
        /// What was to be renamed.
        kind: Declared,
        name: String,
    },
    /// Categories that are not declared.
    #[error("{} not in the configuration: {}", are(missing), quoted(missing))]
    CategoryNotFound {
        missing: Vec<String>,
        /// The categories there are.
        known: Vec<String>,
    },
    #[error("the description has {length} characters; at most {limit} are allowed")]
    DescriptionTooLong {
        /// How long it is.
        length: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A description with characters that are not allowed.
    #[error("the description has {what} in it; quotes and control characters are not allowed")]
    InvalidCharacters {
        /// Which character it is.
        what: String,
    },
    /// A value that is not allowed.
    #[error("`{field}` can't be used: {why}")]
    Invalid {
        field: &'static str,
        /// What is wrong with it.
        why: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The configuration can't be read as one.
    #[error("the configuration is broken: {0}")]
    Broken(JsonError),
    /// The file can't be read or written.
    #[error("{}", whole(.0.as_ref()))]
    Write(Box<Error>),
    #[error("{}", whole(.0.as_ref()))]
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

    /// What an agent should do next.
    pub fn instruction(&self) -> String {
        match self {
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
            EditError::Lock(_) => {
                "Nothing was changed. Wait for the other program to finish, then try again.".to_owned()
            }
        }
    }

    /// What a person at a terminal can do about it, if there is something to say.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            EditError::AlreadyExists { kind, name } => {
                let plural = kind.plural();
                Some(format!("choose another name, or `ai-assist {plural} remove {name}` first"))
            }
            EditError::NotFound { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            EditError::NotFound { kind, .. } => Some(format!("`ai-assist {} list` shows the names", kind.plural())),
            EditError::CategoryNotFound { .. } => Some(
                "`ai-assist categories list` shows the names, `ai-assist categories add` makes new ones".to_owned(),
            ),
            EditError::Lock(error) | EditError::Write(error) => error.hint(),
            EditError::Invalid { expected, .. } => Some(format!("it takes {expected}")),
            _ => None,
        }
    }
}

fn are(missing: &[String]) -> &'static str {
    if missing.len() == 1 { "this category is" } else { "these categories are" }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
