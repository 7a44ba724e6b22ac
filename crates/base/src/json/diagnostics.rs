//! Reading a file to its end, with everything that is wrong with it.

use std::collections::HashSet;
use std::fmt;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::{Range, Ranged};

use super::{JsonError, JsonFile};
use crate::nearest;

/// More than this nobody reads; and each costs a look through the file for its place.
const MAX_ERRORS: usize = 100;

/// Everything that is wrong with a file, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonErrors {
    pub errors: Vec<JsonError>,
    pub more: usize,
}

impl fmt::Display for JsonErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.errors.iter().enumerate() {
            write!(f, "{}{error}", if number == 0 { "" } else { "\n" })?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for JsonErrors {}

/// A file being read, and what is wrong with it so far.
pub struct JsonDiagnostics<'t> {
    json: JsonFile<'t>,
    errors: Vec<JsonError>,
    more: usize,
}

impl<'t> JsonDiagnostics<'t> {
    pub fn new(file: &'t str, text: &'t str) -> Self {
        JsonDiagnostics { json: JsonFile::new(file, text), errors: Vec::new(), more: 0 }
    }

    /// The object that the file holds.
    pub fn object(&mut self) -> Option<Object<'t>> {
        match self.json.object() {
            Ok(Some(object)) => Some(object),
            Ok(None) => {
                self.at(Range::new(0, 0), "", "the file is empty; it must hold one object, `{ … }`");
                None
            }
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// Notes an error about a place and the value that a JSON pointer names.
    pub fn at(&mut self, range: Range, pointer: &str, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(self.json.error(range, message).at(pointer));
        } else {
            self.more += 1;
        }
    }

    /// Notes every key that is not known and every one that is there twice.
    pub fn keys(&mut self, object: &Object<'_>, pointer: &str, known: &[&str]) {
        let mut seen = HashSet::new();
        for property in &object.properties {
            let name = property.name.as_str();
            if !seen.insert(name) {
                self.at(property.range, pointer, format!("the key `{}` is there twice", shown(name)));
            } else if !known.contains(&name) {
                let hint = match nearest(name, known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("known here: {}", known.join(", ")),
                };
                self.at(property.range, pointer, format!("the key `{}` is not known; {hint}", shown(name)));
            }
        }
    }

    pub fn string(&mut self, value: &Value<'_>, pointer: &str) -> Option<String> {
        match value {
            Value::StringLit(text) => Some(text.value.clone().into_owned()),
            other => self.wrong(other, pointer, "a string"),
        }
    }

    /// A string that has more than spaces, without those at its ends.
    pub fn words(&mut self, value: &Value<'_>, pointer: &str) -> Option<String> {
        let text = self.string(value, pointer)?;
        let trimmed = text.trim();
        if trimmed.is_empty() {
            self.at(value.range(), pointer, "it is empty");
            return None;
        }
        if trimmed.chars().any(char::is_control) {
            self.at(value.range(), pointer, "it has a control character");
            return None;
        }
        Some(trimmed.to_owned())
    }

    pub fn switch(&mut self, value: &Value<'_>, pointer: &str) -> Option<bool> {
        match value {
            Value::BooleanLit(switch) => Some(switch.value),
            other => self.wrong(other, pointer, "true or false"),
        }
    }

    pub fn integer(&mut self, value: &Value<'_>, pointer: &str) -> Option<i32> {
        match value.as_number_lit().and_then(|number| number.value.parse().ok()) {
            Some(number) => Some(number),
            None => self.wrong(value, pointer, "an integer between -2147483648 and 2147483647"),
        }
    }

    pub fn list<'v>(&mut self, value: &'v Value<'t>, pointer: &str) -> Option<&'v Array<'t>> {
        match value {
            Value::Array(list) => Some(list),
            other => self.wrong(other, pointer, "a list, `[ … ]`"),
        }
    }

    pub fn inner<'v>(&mut self, value: &'v Value<'t>, pointer: &str) -> Option<&'v Object<'t>> {
        match value {
            Value::Object(object) => Some(object),
            other => self.wrong(other, pointer, "an object, `{ … }`"),
        }
    }

    fn wrong<T>(&mut self, value: &Value<'_>, pointer: &str, expected: &str) -> Option<T> {
        self.at(value.range(), pointer, format!("it must be {expected}"));
        None
    }

    /// All of them, by their place.
    pub fn finish(mut self) -> Result<(), JsonErrors> {
        if self.errors.is_empty() {
            return Ok(());
        }
        self.errors.sort_by_key(|error| (error.place.line, error.place.column));
        Err(JsonErrors { errors: self.errors, more: self.more })
    }
}

/// A text of the file as a message shows it: short, and without control characters.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut shown: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}
