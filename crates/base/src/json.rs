//! JSON files written by people: comments and trailing commas are fine, and every complaint names its place.

mod diagnostics;

use std::fmt;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions};
use serde::Serialize;

use crate::nearest;

pub use diagnostics::{JsonDiagnostics, JsonErrors, shown};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    pub file: String,
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {}{message}", pointed(pointer))]
pub struct JsonError {
    pub place: Place,
    /// The JSON pointer of the value, where that says more than the place.
    pub pointer: String,
    pub message: String,
}

fn pointed(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{pointer}: ") }
}

impl JsonError {
    /// The same error, of the value that a JSON pointer names.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }
}

/// Something odd that is no reason to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    pub place: Place,
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// A JSON Schema and the name of the file it is committed as, under `schemas/`.
#[derive(Debug, Clone)]
pub struct SchemaFile {
    /// The word that names it on the command line.
    pub name: &'static str,
    pub file: &'static str,
    pub text: String,
}

impl SchemaFile {
    pub fn new(name: &'static str, file: &'static str, schema: &serde_json::Value) -> Self {
        SchemaFile { name, file, text: format!("{schema:#}\n") }
    }
}

/// The name that a unit variant has in JSON.
pub fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// What is allowed beyond plain JSON: comments and trailing commas, but nothing else of JSON5.
pub fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

#[derive(Debug, Clone, Copy)]
pub struct JsonFile<'t> {
    file: &'t str,
    text: &'t str,
}

impl<'t> JsonFile<'t> {
    /// A text and the name it goes by in messages.
    pub fn new(file: &'t str, text: &'t str) -> Self {
        JsonFile { file, text }
    }

    /// The object that the file holds. An empty file holds an empty one.
    pub fn object(&self) -> Result<Option<Object<'t>>, JsonError> {
        let parsed = jsonc_parser::parse_to_ast(self.text, &CollectOptions::default(), &options());
        match parsed.map(|parsed| parsed.value) {
            Ok(None) => Ok(None),
            Ok(Some(Value::Object(object))) => Ok(Some(object)),
            Ok(Some(other)) => Err(self.error(other.range(), "the file must hold one object, `{ … }`")),
            Err(error) => Err(self.error(error.range(), error.kind().to_string())),
        }
    }

    pub fn place(&self, range: Range) -> Place {
        let before = &self.text[..self.text.floor_char_boundary(range.start)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Place {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    pub fn error(&self, range: Range, message: impl Into<String>) -> JsonError {
        JsonError { place: self.place(range), pointer: String::new(), message: message.into() }
    }

    pub fn warning(&self, range: Range, message: impl Into<String>) -> Warning {
        Warning { place: self.place(range), message: message.into() }
    }

    pub fn string(&self, property: &ObjectProp<'_>) -> Result<String, JsonError> {
        match &property.value {
            Value::StringLit(text) => Ok(text.value.clone().into_owned()),
            other => Err(self.error(other.range(), format!("`{}` must be a string", property.name.as_str()))),
        }
    }

    /// An object of the file as plain values.
    pub fn map(&self, range: Range) -> Option<serde_json::Map<String, serde_json::Value>> {
        jsonc_parser::parse_to_serde_value(self.text.get(range.start..range.end)?, &options()).ok()
    }

    /// Warns about properties that nobody reads.
    pub fn unknown_keys(&self, object: &Object<'_>, known: &[&str], warnings: &mut Vec<Warning>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nesting_is_an_error_and_not_the_end_of_the_process() {
        let deep = format!("{{\"a\": {}", "[".repeat(200_000));
        let error = JsonFile::new("m.json", &deep).object().unwrap_err();
        assert!(error.to_string().contains("nesting depth"), "{error}");
        let fine = format!("{{\"a\": {}{}, \"b\": \"{}\"}}", "[".repeat(100), "]".repeat(100), "[".repeat(1000));
        assert!(JsonFile::new("m.json", &fine).object().is_ok());
    }
}
