//! Schemas: their type in a few words, their properties as entries.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{describe, on_one_line};
use crate::{Limits, emit, place};

/// Values of an enumeration that are shown.
const VALUES: usize = 40;

/// How deep properties are shown in properties; deeper ones are shown by their type.
const DEEPEST: usize = 5;

/// How many schemas a type may name.
const NAMED: usize = 12;

/// The name that a reference refers to.
pub(super) fn name_of(reference: &str) -> String {
    let name = reference.rsplit(['/', '#']).find(|part| !part.is_empty()).unwrap_or(reference);
    name.replace("~1", "/").replace("~0", "~")
}

/// A schema in a few words: `array of Pet`, `string (date-time)`.
pub(super) fn kind(schema: &Value, depth: usize) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return format!("`{}`", name_of(reference));
    }
    if depth == 0 {
        return String::new();
    }
    for (key, word) in [("oneOf", "one of "), ("anyOf", "any of "), ("allOf", "all of ")] {
        if let Some(options) = schema[key].as_array().filter(|options| !options.is_empty()) {
            let mut kinds: Vec<String> = options.iter().take(NAMED).map(|option| kind(option, depth - 1)).collect();
            kinds.retain(|kind| !kind.is_empty());
            if let [only] = &kinds[..] {
                return only.clone();
            }
            if !kinds.is_empty() {
                return format!("{word}{}", kinds.join(", "));
            }
        }
    }
    let named = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ if schema["properties"].is_object() => "object".to_owned(),
        _ if schema["items"].is_object() => "array".to_owned(),
        _ => String::new(),
    };
    let items = &schema["items"];
    let of = if items.is_object() { kind(items, depth - 1) } else { String::new() };
    let values = &schema["additionalProperties"];
    let to = if values.is_object() { kind(values, depth - 1) } else { String::new() };
    let mut kind = match named.as_str() {
        "array" if !of.is_empty() => format!("array of {of}"),
        "object" if !to.is_empty() && !schema["properties"].is_object() => format!("object of {to}"),
        _ => named,
    };
    if let Some(format) = schema["format"].as_str() {
        kind.push_str(&format!(" ({format})"));
    }
    kind.trim_start().to_owned()
}

/// What else a schema says of its values.
fn facts(schema: &Value) -> Vec<String> {
    let mut facts = Vec::new();
    if schema["deprecated"] == true {
        facts.push("deprecated".to_owned());
    }
    if schema["readOnly"] == true {
        facts.push("read-only".to_owned());
    }
    if schema["nullable"] == true {
        facts.push("nullable".to_owned());
    }
    for (key, word) in [
        ("default", "default"),
        ("const", "always"),
        ("minimum", "minimum"),
        ("maximum", "maximum"),
        ("minLength", "minimum length"),
        ("maxLength", "maximum length"),
        ("pattern", "pattern"),
    ] {
        match &schema[key] {
            Value::Null | Value::Object(_) | Value::Array(_) => {}
            value => facts.push(format!("{word} `{}`", shown(value))),
        }
    }
    let inner = if schema["enum"].is_array() { schema } else { &schema["items"] };
    if let Some(values) = inner["enum"].as_array() {
        let mut names: Vec<String> = values.iter().take(VALUES).map(|value| format!("`{}`", shown(value))).collect();
        if values.len() > VALUES {
            names.push("…".to_owned());
        }
        facts.push(format!("one of {}", names.join(", ")));
    }
    facts
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.floor_char_boundary(200);
    place::escape(&text[..end]).replace('`', "'")
}

/// An entry: name, type, facts, description.
pub(super) fn entry(text: &mut String, indent: usize, name: &str, first: &[&str], schema: &Value, description: &Value) {
    let mut said: Vec<String> = first.iter().filter(|word| !word.is_empty()).map(|word| (*word).to_owned()).collect();
    let kind = kind(schema, DEEPEST);
    if !kind.is_empty() {
        said.push(kind);
    }
    said.extend(facts(schema));
    emit::line(text);
    text.push_str(&" ".repeat(indent));
    text.push_str("- `");
    text.push_str(&place::escape(&name.replace(['`', '\n', '\r'], "'")));
    text.push('`');
    if !said.is_empty() {
        text.push_str(&format!(" ({})", said.join("; ")));
    }
    let description = if description.is_string() { description } else { &schema["description"] };
    let description = on_one_line(if description.is_string() { description } else { &schema["title"] });
    if !description.is_empty() {
        text.push_str(": ");
        text.push_str(&description);
    }
    text.push('\n');
}

/// The properties of a schema, and theirs.
pub(super) fn properties(text: &mut String, schema: &Value, indent: usize, depth: usize, limits: &Limits) {
    let deepest = DEEPEST.min(limits.max_depth);
    if depth >= deepest || text.len() > limits.max_text {
        return;
    }
    for part in ["allOf", "oneOf", "anyOf"] {
        for inner in schema[part].as_array().into_iter().flatten() {
            properties(text, inner, indent, depth + 1, limits);
        }
    }
    let required: HashSet<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in members(schema) {
        if text.len() > limits.max_text {
            return;
        }
        let required = if required.contains(name.as_str()) { "required" } else { "" };
        entry(text, indent, name, &[required], property, &Value::Null);
        let inner = if property["items"].is_object() { &property["items"] } else { property };
        properties(text, inner, indent + 2, depth + 1, limits);
    }
}

fn members(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let of = |key: &str| schema[key].as_object().into_iter().flat_map(Map::iter);
    of("properties").chain(of("patternProperties"))
}

/// What a section about a schema says under its heading.
pub(super) fn write_body(text: &mut String, schema: &Value, limits: &Limits) {
    describe(text, &schema["description"]);
    let kind = kind(schema, DEEPEST);
    let facts = facts(schema);
    if (!kind.is_empty() && kind != "object") || !facts.is_empty() {
        emit::block(text);
        let all: Vec<String> = std::iter::once(kind).chain(facts).filter(|said| !said.is_empty()).collect();
        text.push_str(&format!("Type: {}\n", all.join("; ")));
    }
    emit::block(text);
    let before = text.len();
    properties(text, schema, 0, 0, limits);
    if text.len() == before {
        properties(text, &schema["items"], 0, 0, limits);
    }
}
