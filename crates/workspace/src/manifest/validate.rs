//! Checking a value by a JSON Schema.
//!
//! Just the words that our generated schema has: a test sees to it that there are no others.

use std::collections::HashMap;
use std::fmt;

use regex::Regex;
use serde_json::{Map, Value};

/// More than this nobody reads.
const MAX_VIOLATIONS: usize = 20;

/// Where a value is not what its schema says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The JSON pointer of the value; empty for the whole.
    pub pointer: String,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{pointer}: {}", self.message)
    }
}

/// The first places where a value breaks a schema.
pub(crate) fn violations(schema: &Value, value: &Value) -> Vec<Violation> {
    let mut check = Check::new(schema);
    check.value(schema, value, "");
    check.found
}

struct Check<'s> {
    root: &'s Value,
    found: Vec<Violation>,
    /// Each is compiled once; one that is none matches nothing.
    patterns: HashMap<&'s str, Option<Regex>>,
}

impl<'s> Check<'s> {
    fn new(root: &'s Value) -> Self {
        Check { root, found: Vec::new(), patterns: HashMap::new() }
    }
}

impl<'s> Check<'s> {
    fn note(&mut self, pointer: &str, message: impl Into<String>) {
        if self.found.len() < MAX_VIOLATIONS {
            self.found.push(Violation { pointer: pointer.to_owned(), message: message.into() });
        }
    }

    fn value(&mut self, schema: &'s Value, value: &Value, pointer: &str) {
        let Some(words) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                self.note(pointer, "it must not be there");
            }
            return;
        };
        if let Some(target) = words.get("$ref").and_then(Value::as_str) {
            match target.strip_prefix('#').and_then(|target| self.root.pointer(target)) {
                Some(target) => self.value(target, value, pointer),
                None => self.note(pointer, format!("the schema has no {target}")),
            }
        }
        if !self.kind(words, value, pointer) {
            return;
        }
        self.one_of_a_few(words, value, pointer);
        self.alternatives(words, value, pointer);
        match value {
            Value::Object(object) => self.object(words, object, pointer),
            Value::Array(items) => {
                if let Some(schema) = words.get("items") {
                    for (number, item) in items.iter().enumerate() {
                        self.value(schema, item, &format!("{pointer}/{number}"));
                    }
                }
            }
            Value::String(text) => self.text(words, text, pointer),
            Value::Number(number) => self.number(words, number.as_f64().unwrap_or(f64::NAN), pointer),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn kind(&mut self, words: &Map<String, Value>, value: &Value, pointer: &str) -> bool {
        let kinds: Vec<&str> = match words.get("type") {
            Some(Value::String(kind)) => vec![kind.as_str()],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        let fits = kinds.iter().any(|kind| is_of_kind(value, kind));
        if !fits {
            self.note(pointer, format!("it must be of type {}", kinds.join(" or ")));
        }
        fits
    }

    fn one_of_a_few(&mut self, words: &Map<String, Value>, value: &Value, pointer: &str) {
        if let Some(wanted) = words.get("const")
            && wanted != value
        {
            self.note(pointer, format!("it must be {wanted}"));
        }
        if let Some(Value::Array(wanted)) = words.get("enum")
            && !wanted.contains(value)
        {
            self.note(pointer, format!("it must be one of {}", listed(wanted)));
        }
    }

    fn alternatives(&mut self, words: &'s Map<String, Value>, value: &Value, pointer: &str) {
        let Some(Value::Array(forms)) = words.get("anyOf").or_else(|| words.get("oneOf")) else { return };
        // What may be null and isn't has one form left, and that one can say where it is broken.
        let left: Vec<&Value> =
            forms.iter().filter(|form| value.is_null() || form.get("type") != Some(&Value::from("null"))).collect();
        if let [form] = left[..] {
            return self.value(form, value, pointer);
        }
        let root = self.root;
        let fits = |form: &&Value| {
            let mut attempt = Check::new(root);
            attempt.value(form, value, "");
            attempt.found.is_empty()
        };
        if !forms.iter().any(|form| fits(&form)) {
            let wanted: Vec<Value> = forms.iter().filter_map(|form| form.get("const").cloned()).collect();
            let which = if wanted.is_empty() { "the forms it may have".to_owned() } else { listed(&wanted) };
            self.note(pointer, format!("it must be one of {which}"));
        }
    }

    fn object(&mut self, words: &'s Map<String, Value>, object: &Map<String, Value>, pointer: &str) {
        let required = words.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                self.note(pointer, format!("`{name}` is missing"));
            }
        }
        let properties = words.get("properties").and_then(Value::as_object);
        for (name, value) in object {
            let at = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            match (properties.and_then(|known| known.get(name)), words.get("additionalProperties")) {
                (Some(schema), _) => self.value(schema, value, &at),
                (None, Some(Value::Bool(false))) => self.note(&at, "this key is not known"),
                (None, Some(schema)) => self.value(schema, value, &at),
                (None, None) => {}
            }
        }
    }

    fn text(&mut self, words: &'s Map<String, Value>, text: &str, pointer: &str) {
        let Some(pattern) = words.get("pattern").and_then(Value::as_str) else { return };
        let regex = self.patterns.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
        if !regex.as_ref().is_some_and(|regex| regex.is_match(text)) {
            self.note(pointer, format!("it must match {pattern}"));
        }
    }

    fn number(&mut self, words: &Map<String, Value>, number: f64, pointer: &str) {
        let bound = |word: &str| words.get(word).and_then(Value::as_f64);
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            self.note(pointer, format!("it must be at least {least}"));
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            self.note(pointer, format!("it must be at most {most}"));
        }
    }
}

fn is_of_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        // As the standard has it, 1.0 is an integer.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

fn listed(values: &[Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The words of a schema that are not checked here and do not only explain.
    fn unknown_words(schema: &Value) -> Vec<String> {
        const EXPLAIN: [&str; 6] = ["$schema", "$id", "title", "description", "default", "format"];
        const CHECKED: [&str; 8] = ["$ref", "type", "const", "enum", "required", "pattern", "minimum", "maximum"];
        let mut unknown = Vec::new();
        for (word, value) in schema.as_object().into_iter().flatten() {
            match word.as_str() {
                "anyOf" | "oneOf" => {
                    unknown.extend(value.as_array().into_iter().flatten().flat_map(unknown_words));
                }
                "properties" | "$defs" => {
                    unknown.extend(value.as_object().into_iter().flatten().flat_map(|(_, inner)| unknown_words(inner)));
                }
                "items" | "additionalProperties" => unknown.extend(unknown_words(value)),
                word if EXPLAIN.contains(&word) || CHECKED.contains(&word) => {}
                word => unknown.push(word.to_owned()),
            }
        }
        unknown
    }

    #[test]
    fn every_word_of_the_manifests_schema_is_checked() {
        assert_eq!(unknown_words(&crate::schema::MANIFEST_SCHEMA), Vec::<String>::new());
    }

    #[test]
    fn every_word_is_checked() {
        let schema = json!({
            "type": "object",
            "required": ["a"],
            "additionalProperties": false,
            "properties": {
                "a": { "$ref": "#/$defs/A" },
                "b": { "type": ["string", "null"], "pattern": "^x+$" },
                "c": { "anyOf": [{ "$ref": "#/$defs/A" }, { "type": "null" }] },
                "d": { "oneOf": [{ "const": "p" }, { "const": "q" }] },
                "e": { "type": "array", "items": { "enum": [1, "two"] } },
                "f": { "type": "object", "additionalProperties": { "type": "boolean" } },
            },
            "$defs": { "A": { "type": "integer", "minimum": 1, "maximum": 3 } },
        });
        assert_eq!(unknown_words(&schema), Vec::<String>::new());
        for (value, expected) in [
            (json!({"a": 1, "b": "xx", "c": null, "d": "q", "e": [1, "two"], "f": {"y": true}}), vec![]),
            (json!({"a": 2.0, "b": null, "c": 3}), vec![]),
            (json!([]), vec!["/: it must be of type object"]),
            (json!({}), vec!["/: `a` is missing"]),
            (json!({"a": 0}), vec!["/a: it must be at least 1"]),
            (json!({"a": 1, "c": 4}), vec!["/c: it must be at most 3"]),
            (json!({"a": 1.5}), vec!["/a: it must be of type integer"]),
            (json!({"a": 1, "b": "y"}), vec!["/b: it must match ^x+$"]),
            (json!({"a": 1, "b": 7}), vec!["/b: it must be of type string or null"]),
            (json!({"a": 1, "d": "r"}), vec![r#"/d: it must be one of "p", "q""#]),
            (json!({"a": 1, "e": [1, 2]}), vec![r#"/e/1: it must be one of 1, "two""#]),
            (json!({"a": 1, "f": {"x/y": 1}}), vec!["/f/x~1y: it must be of type boolean"]),
            (json!({"a": 1, "g": 1}), vec!["/g: this key is not known"]),
            (
                json!({"a": "1", "b": 1}),
                vec!["/a: it must be of type integer", "/b: it must be of type string or null"],
            ),
        ] {
            let found: Vec<String> = violations(&schema, &value).iter().map(ToString::to_string).collect();
            assert_eq!(found, expected, "{value}");
        }
        assert_eq!(unknown_words(&json!({"properties": {"a": {"minLength": 1}}})), ["minLength"]);
    }
}
