//! Reading a file to its end, with everything that is wrong with it.

use std::collections::HashSet;
use std::fmt;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged};
use serde::de::DeserializeOwned;

use super::{JsonError, JsonFile, options};
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

/// A file that was read, and what is wrong with it so far.
pub struct JsonDiagnostics<'t> {
    json: JsonFile<'t>,
    root: Value<'t>,
    errors: Vec<JsonError>,
    more: usize,
}

impl<'t> JsonDiagnostics<'t> {
    /// Reads a file as the type that a schema is of. Whatever else may be wrong with it can then be noted by its place.
    ///
    /// Of schemas only what those of our types have is understood: types, what may be null, references, properties,
    /// constants and the lengths of strings. Strings that are empty or have control characters are never meant.
    pub fn read<T: DeserializeOwned>(
        file: &'t str,
        text: &'t str,
        schema: &serde_json::Value,
    ) -> Result<(T, Self), JsonErrors> {
        let json = JsonFile::new(file, text);
        let one = |error| JsonErrors { errors: vec![error], more: 0 };
        let empty = || json.error(Range::new(0, 0), "the file is empty; it must hold one object, `{ … }`");
        let root = Value::Object(json.object().and_then(|object| object.ok_or_else(empty)).map_err(one)?);
        let mut read = JsonDiagnostics { json, root: root.clone(), errors: Vec::new(), more: 0 };
        read.check(schema, schema, &root, "");
        let read = read.finish()?;
        let value = jsonc_parser::parse_to_serde_value(text, &options());
        let value = value.map_err(|error| one(read.json.error(root.range(), error.to_string())))?;
        Ok((value, read))
    }

    /// Notes an error about the value that a JSON pointer names.
    pub fn at(&mut self, pointer: &str, message: impl Into<String>) {
        let mut value = &self.root;
        for part in pointer.split('/').skip(1) {
            let inner = match value {
                Value::Object(object) => object.get(part).map(|property| &property.value),
                Value::Array(list) => part.parse().ok().and_then(|number: usize| list.elements.get(number)),
                _ => None,
            };
            value = inner.unwrap_or(value);
        }
        self.note(value.range(), pointer, message);
    }

    fn note(&mut self, range: Range, pointer: &str, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(self.json.error(range, message).at(pointer));
        } else {
            self.more += 1;
        }
    }

    fn check(&mut self, root: &serde_json::Value, schema: &serde_json::Value, value: &Value<'_>, pointer: &str) {
        let (schema, nullable) = plain(root, schema);
        let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or_default();
        let fault = match (kind, value) {
            (_, Value::NullKeyword(_)) if nullable => None,
            ("object", Value::Object(object)) => {
                self.check_object(root, schema, object, pointer);
                None
            }
            ("array", Value::Array(list)) => {
                for (number, value) in list.elements.iter().enumerate() {
                    self.check(root, &schema["items"], value, &format!("{pointer}/{number}"));
                }
                None
            }
            ("string", Value::StringLit(text)) => {
                let (text, longest) = (text.value.trim(), schema["maxLength"].as_u64().unwrap_or(u64::MAX));
                let is_long = text.chars().count() as u64 > longest;
                let control = text.chars().any(char::is_control).then(|| "it has a control character".to_owned());
                let long = is_long.then(|| format!("it has more than {longest} characters"));
                if text.is_empty() { Some("it is empty".to_owned()) } else { control.or(long) }
            }
            ("boolean", Value::BooleanLit(_)) => None,
            ("integer", Value::NumberLit(number)) if number.value.parse::<i32>().is_ok() => {
                let wanted = schema.get("const").filter(|wanted| wanted.as_i64() != number.value.parse().ok());
                wanted.map(|wanted| format!("it must be {wanted}; this program reads nothing else"))
            }
            ("object", _) => Some("it must be an object, `{ … }`".to_owned()),
            ("array", _) => Some("it must be a list, `[ … ]`".to_owned()),
            ("boolean", _) => Some("it must be true or false".to_owned()),
            ("integer", _) => Some(format!("it must be an integer between {} and {}", i32::MIN, i32::MAX)),
            _ => Some("it must be a string".to_owned()),
        };
        if let Some(message) = fault {
            self.note(value.range(), pointer, message);
        }
    }

    /// Notes every key that is not known, every one that is there twice and every one that is missing.
    fn check_object(
        &mut self,
        root: &serde_json::Value,
        schema: &serde_json::Value,
        object: &Object<'_>,
        pointer: &str,
    ) {
        let known: Vec<&str> =
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
        let mut seen = HashSet::new();
        for property in &object.properties {
            let name = property.name.as_str();
            if !seen.insert(name) {
                self.note(property.range, pointer, format!("the key `{}` is there twice", shown(name)));
            } else if known.contains(&name) {
                self.check(root, &schema["properties"][name], &property.value, &format!("{pointer}/{name}"));
            } else {
                let hint = match nearest(name, known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("known here: {}", known.join(", ")),
                };
                self.note(property.range, pointer, format!("the key `{}` is not known; {hint}", shown(name)));
            }
        }
        let required = schema["required"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
        for name in required.filter(|name| !seen.contains(name)) {
            self.note(object.range, pointer, format!("`{name}` is missing"));
        }
    }

    /// Everything that was noted, by its place.
    pub fn finish(mut self) -> Result<Self, JsonErrors> {
        if self.errors.is_empty() {
            return Ok(self);
        }
        self.errors.sort_by_key(|error| (error.place.line, error.place.column));
        Err(JsonErrors { errors: self.errors, more: self.more })
    }
}

/// What a schema refers to, and whether null will do as well.
fn plain<'s>(root: &'s serde_json::Value, schema: &'s serde_json::Value) -> (&'s serde_json::Value, bool) {
    if let Some(target) = schema["$ref"].as_str() {
        return (root.pointer(target.trim_start_matches('#')).unwrap_or(schema), false);
    }
    match schema["anyOf"].as_array().and_then(|forms| forms.first()) {
        Some(form) => (plain(root, form).0, true),
        None => (schema, schema["type"].is_array()),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct File {
        name: String,
        repos: Vec<serde_json::Value>,
    }

    fn schema() -> serde_json::Value {
        let text = json!({ "type": "string", "minLength": 1, "maxLength": 5 });
        json!({
            "type": "object",
            "required": ["version", "name", "repos"],
            "properties": {
                "version": { "type": "integer", "const": 1 },
                "name": text,
                "defaults": { "anyOf": [{ "$ref": "#/$defs/Marks" }, { "type": "null" }] },
                "repos": { "type": "array", "items": { "$ref": "#/$defs/Repo" } },
            },
            "$defs": {
                "Marks": { "type": "object", "properties": { "enabled": { "type": ["boolean", "null"] } } },
                "Repo": {
                    "type": "object",
                    "required": ["root"],
                    "properties": {
                        "root": text,
                        "priority": { "type": ["integer", "null"] },
                        "tags": { "type": ["array", "null"], "items": { "type": "string" } },
                    },
                },
            },
        })
    }

    fn faults(text: &str) -> Vec<String> {
        let errors = match JsonDiagnostics::read::<File>("f", text, &schema()) {
            Ok((_, read)) => read.finish().err(),
            Err(errors) => Some(errors),
        };
        errors.into_iter().flat_map(|errors| errors.errors).map(|error| error.to_string()).collect()
    }

    #[test]
    fn every_fault_is_told_at_its_place() {
        let text = "{\n  \"version\": 2,\n  \"nmae\": \"w\",\n  \"defaults\": { \"enabled\": \"yes\", \"colour\": 1 },\n  \
                    \"repos\": [\n    { \"tags\": 1, \"priority\": null },\n    \
                    { \"root\": \"longer\", \"priority\": 1.5, \"tags\": [\"t\", 3, \" \", \"a\\nb\"] },\n    \
                    \"b\",\n    { \"root\": \"b\", \"root\": \"c\" }\n  ]\n}";
        let expected = [
            "f:1:1: `name` is missing",
            "f:2:14: /version: it must be 1; this program reads nothing else",
            "f:3:3: the key `nmae` is not known; did you mean `name`?",
            "f:4:28: /defaults/enabled: it must be true or false",
            "f:4:35: /defaults: the key `colour` is not known; known here: enabled",
            "f:6:5: /repos/0: `root` is missing",
            "f:6:15: /repos/0/tags: it must be a list, `[ … ]`",
            "f:7:15: /repos/1/root: it has more than 5 characters",
            "f:7:37: /repos/1/priority: it must be an integer between -2147483648 and 2147483647",
            "f:7:56: /repos/1/tags/1: it must be a string",
            "f:7:59: /repos/1/tags/2: it is empty",
            "f:7:64: /repos/1/tags/3: it has a control character",
            "f:8:5: /repos/2: it must be an object, `{ … }`",
            "f:9:20: /repos/3: the key `root` is there twice",
        ];
        assert_eq!(faults(text), expected);
        assert_eq!(faults(""), ["f:1:1: the file is empty; it must hold one object, `{ … }`"]);
        assert_eq!(faults("[]"), ["f:1:1: the file must hold one object, `{ … }`"]);
        assert_eq!(faults("{").len(), 1);
    }

    #[test]
    fn what_has_the_right_shape_is_read_and_can_be_faulted_by_pointer() {
        let text =
            "// ours\n{ \"version\": 1, \"name\": \"w\", \"defaults\": null,\n  \"repos\": [{ \"root\": \"a\" },], }";
        let (file, mut read) = JsonDiagnostics::read::<File>("f", text, &schema()).unwrap();
        assert_eq!((file.name.as_str(), file.repos.len()), ("w", 1));
        read.at("/repos/0/root", "it is not there");
        let errors = read.finish().err().unwrap();
        assert_eq!(errors.to_string(), "f:3:23: /repos/0/root: it is not there");
    }
}
