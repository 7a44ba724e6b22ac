//! JSON files written by people: comments and trailing commas are fine, and every complaint names its place.

use std::fmt;
use std::path::{Path, PathBuf};

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions};
use serde::Serialize;

use crate::names::nearest;
use crate::{Error, Result};

/// A configuration larger than this was not written by a person.
const MAX_BYTES: u64 = 4 << 20;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// Something odd that is no reason to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What is allowed beyond plain JSON.
pub(crate) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    }
}

/// A file being read.
pub(crate) struct JsonFile<'t> {
    file: &'t Path,
    text: &'t str,
}

/// Reads a whole configuration file as text.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    let length = std::fs::metadata(file).map_err(Error::io("reading", file))?.len();
    if length > MAX_BYTES {
        let place = Place { file: file.to_owned(), line: 1, column: 1 };
        return Err(Error::Json {
            place,
            message: format!("the file has {length} bytes; at most {MAX_BYTES} are read"),
        });
    }
    let bytes = std::fs::read(file).map_err(Error::io("reading", file))?;
    match ai_assist_text::decode(&bytes) {
        Ok(decoded) => Ok(decoded.text.into_owned()),
        Err(error) => {
            let place = Place { file: file.to_owned(), line: 1, column: 1 };
            Err(Error::Json { place, message: error.to_string() })
        }
    }
}

impl<'t> JsonFile<'t> {
    pub(crate) fn new(file: &'t Path, text: &'t str) -> Self {
        JsonFile { file, text }
    }

    /// The object that the file holds. An empty file holds an empty one.
    pub(crate) fn object(&self) -> Result<Option<Object<'t>>> {
        let parsed = jsonc_parser::parse_to_ast(self.text, &CollectOptions::default(), &options());
        match parsed.map(|parsed| parsed.value) {
            Ok(None) => Ok(None),
            Ok(Some(Value::Object(object))) => Ok(Some(object)),
            Ok(Some(other)) => Err(self.error(other.range(), "the file must hold one object, `{ … }`")),
            Err(error) => Err(self.error(error.range(), error.kind().to_string())),
        }
    }

    pub(crate) fn place(&self, range: Range) -> Place {
        let before = &self.text[..self.text.floor_char_boundary(range.start)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Place {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    pub(crate) fn error(&self, range: Range, message: impl Into<String>) -> Error {
        Error::Json { place: self.place(range), message: message.into() }
    }

    pub(crate) fn warning(&self, range: Range, message: impl Into<String>) -> Warning {
        Warning { place: self.place(range), message: message.into() }
    }

    /// A property that must be a string.
    pub(crate) fn string(&self, property: &ObjectProp<'_>) -> Result<String> {
        match &property.value {
            Value::StringLit(text) => Ok(text.value.clone().into_owned()),
            other => Err(self.error(other.range(), format!("`{}` must be a string", property.name.as_str()))),
        }
    }

    /// Warns about properties that nobody reads.
    pub(crate) fn unknown_keys(&self, object: &Object<'_>, known: &[&str], warnings: &mut Vec<Warning>) {
        for property in &object.properties {
            let name = property.name.as_str();
            if !known.contains(&name) {
                let hint = match nearest(name, known.iter().copied()) {
                    Some(meant) => format!("; did you mean `{meant}`?"),
                    None => format!("; known here: {}", known.join(", ")),
                };
                warnings
                    .push(self.warning(property.range, format!("the key `{name}` is not known and is ignored{hint}")));
            }
        }
    }
}
