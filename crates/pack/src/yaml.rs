//! JSON values as YAML, for people to read. Every string is quoted, so that none can be taken for anything else.

use serde_json::Value;

pub(crate) fn to_string(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(_) | Value::Array(_) if !is_flat(value) => block(&mut out, value, 0),
        value => {
            scalar(&mut out, value);
            out.push('\n');
        }
    }
    out
}

/// Whether a value stands on one line.
fn is_flat(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    }
}

fn block(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) => {
            for (at, (name, value)) in fields.iter().enumerate() {
                // The first entry of a list's item stands behind its dash.
                if at > 0 || out.is_empty() || out.ends_with('\n') {
                    out.push_str(&"  ".repeat(depth));
                }
                key(out, name);
                behind(out, value, depth);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 || out.is_empty() || out.ends_with('\n') {
                    out.push_str(&"  ".repeat(depth));
                }
                out.push_str("- ");
                if is_flat(item) {
                    scalar(out, item);
                    out.push('\n');
                } else {
                    block(out, item, depth + 1);
                }
            }
        }
        value => scalar(out, value),
    }
}

fn behind(out: &mut String, value: &Value, depth: usize) {
    if is_flat(value) {
        out.push(' ');
        scalar(out, value);
        out.push('\n');
    } else {
        out.push('\n');
        block(out, value, depth + 1);
    }
}

fn key(out: &mut String, name: &str) {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !matches!(name, "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null");
    if plain {
        out.push_str(name);
    } else {
        quoted(out, name);
    }
    out.push(':');
}

fn scalar(out: &mut String, value: &Value) {
    match value {
        Value::String(text) => quoted(out, text),
        Value::Object(_) => out.push_str("{}"),
        Value::Array(_) => out.push_str("[]"),
        value => out.push_str(&value.to_string()),
    }
}

/// A double-quoted string: JSON's escapes are YAML's too, and what YAML does not call printable is written as a number.
fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => escaped(out, c),
            c if c.is_control() => escaped(out, c),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn escaped(out: &mut String, c: char) {
    out.push_str(&format!("\\u{:04x}", u32::from(c)));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_blocks() {
        let value = json!({
            "name": "a: \"b\"\n- c\u{85}",
            "no": null,
            "empty": {"list": [], "map": {}},
            "list": [{"path": "x", "deep": {"size": 1}}, "text", [1, true]],
        });
        let expected = "name: \"a: \\\"b\\\"\\n- c\\u0085\"\n\
            \"no\": null\n\
            empty:\n  list: []\n  map: {}\n\
            list:\n  - path: \"x\"\n    deep:\n      size: 1\n  - \"text\"\n  - - 1\n    - true\n";
        assert_eq!(to_string(&value), expected);
        assert_eq!(to_string(&json!({})), "{}\n");
    }
}
