//! Answers for models: compact Markdown. Some tools write their own; for all others it is made here from what programs get.

use serde_json::{Map, Value};

/// Keys that say what an item is. Their value stands first, and alone.
const NAMES: [&str; 9] = ["name", "document", "path", "collection", "dependency", "session", "id", "repo", "removed"];

/// Ends a short text that stands beside data.
pub(crate) const IN_DATA: &str =
    "\nThe texts are in the structured content of this answer; `read` has each place, too.\n";

/// An answer in which nothing stands out.
pub(crate) fn plain(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(object) => write_object(&mut out, object),
        other => out.push_str(&scalar(other)),
    }
    if out.is_empty() { "There is none.".to_owned() } else { out }
}

/// A place as every answer shows it and `read` takes it.
pub(crate) fn place(document: &str, lines: &str) -> String {
    if lines.is_empty() { document.to_owned() } else { format!("{document}:{lines}") }
}

fn write_object(out: &mut String, object: &Map<String, Value>) {
    let line = inline(object);
    if !line.is_empty() {
        out.push_str(&line);
        out.push('\n');
    }
    for (key, value) in object.iter().filter(|(key, _)| *key != "more") {
        match value {
            Value::Array(items) if items.iter().any(|item| item.is_object() || is_long(item)) => {
                out.push_str(&format!("{key}:\n"));
                for item in items {
                    write_item(out, item);
                }
            }
            Value::String(text) if is_long(value) => {
                out.push('\n');
                out.push_str(text.trim_end());
                out.push('\n');
            }
            _ => {}
        }
    }
}

fn write_item(out: &mut String, item: &Value) {
    match item {
        Value::Object(object) => {
            out.push_str(&format!("- {}\n", inline(object)));
            for text in object.values().filter(|value| is_long(value)).filter_map(Value::as_str) {
                out.push_str(text.trim_end());
                out.push('\n');
            }
        }
        other => out.push_str(&format!("- {}\n", scalar(other).trim_end())),
    }
}

/// Everything about a thing that is short, on one line: its name, then the rest.
fn inline(object: &Map<String, Value>) -> String {
    let name = NAMES.iter().find(|name| object.get(**name).is_some_and(|value| !is_long(value) && value.is_string()));
    let mut parts: Vec<String> = name.map(|name| scalar(&object[*name])).into_iter().collect();
    for (key, value) in object.iter().filter(|(key, _)| Some(&key.as_str()) != name && *key != "more") {
        match value {
            Value::Null => {}
            Value::Bool(true) => parts.push(key.clone()),
            Value::Object(inner) => parts.push(format!("{key} ({})", inline(inner))),
            Value::Array(items) if items.is_empty() => {}
            Value::Array(items) if !items.iter().any(|item| item.is_object() || is_long(item)) => {
                parts.push(format!("{key}: {}", items.iter().map(scalar).collect::<Vec<_>>().join(", ")));
            }
            Value::Array(_) => {}
            long if is_long(long) => {}
            short => parts.push(format!("{key}: {}", scalar(short))),
        }
    }
    parts.join(" · ")
}

/// Whether a text has lines of its own.
fn is_long(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim_end().contains('\n') || text.len() > 300)
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_programs_get_is_said_in_fewer_words() {
        let answer = json!({
            "collections": [
                { "name": "docs", "status": "synced", "documents": 3, "categories": [], "global": true },
                { "name": "api", "status": "error", "detail": null, "categories": ["a", "b"] },
            ],
            "found": 2,
            "more": { "tool": "x" },
        });
        let expected = "found: 2\ncollections:\n- docs · status: synced · documents: 3 · global\n\
                        - api · status: error · categories: a, b\n";
        assert_eq!(plain(&answer), expected);
        let text = json!({ "session": "s", "text": "one\ntwo\n", "tokens": 3, "left": { "turns": 1 } });
        assert_eq!(plain(&text), "s · tokens: 3 · left (turns: 1)\n\none\ntwo\n");
        assert_eq!(plain(&json!({ "categories": [] })), "There is none.");
    }
}
