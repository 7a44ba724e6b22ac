//! Names as the API writes them. Tools have arguments and answers in snake case; here everything is in camel case, as in what
//! commands print for programs.

use serde_json::{Map, Value};

pub(super) fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

pub(super) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// The keys of a value, all the way down.
pub(super) fn camel_keys(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            Value::Object(object.into_iter().map(|(key, value)| (camel(&key), camel_keys(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(camel_keys).collect(),
        other => other,
    }
}

pub(super) fn snake_keys(arguments: Map<String, Value>) -> Map<String, Value> {
    arguments.into_iter().map(|(key, value)| (snake(&key), value)).collect()
}

/// The names of properties in a schema, all the way down.
pub(super) fn camel_schema(schema: Value) -> Value {
    let Value::Object(object) = schema else { return schema };
    let each = |(key, value): (String, Value)| {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(all)) => {
                Value::Object(all.into_iter().map(|(name, schema)| (camel(&name), camel_schema(schema))).collect())
            }
            ("required", Value::Array(names)) => {
                names.iter().map(|name| camel(name.as_str().unwrap_or_default())).collect()
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => all.into_iter().map(camel_schema).collect(),
            ("items" | "additionalProperties", value) => camel_schema(value),
            (_, value) => value,
        };
        (key, value)
    };
    Value::Object(object.into_iter().map(each).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_go_both_ways() {
        for (one, other) in [("max_tokens", "maxTokens"), ("type", "type"), ("files_left_out", "filesLeftOut")] {
            assert_eq!((camel(one).as_str(), snake(other).as_str()), (other, one));
        }
        assert_eq!(camel_keys(json!({ "a_b": [{ "c_d": "e_f" }] })), json!({ "aB": [{ "cD": "e_f" }] }));
        let schema = json!({ "properties": { "a_b": { "items": { "required": ["c_d"] } } }, "enum": ["x_y"] });
        let expected = json!({ "properties": { "aB": { "items": { "required": ["cD"] } } }, "enum": ["x_y"] });
        assert_eq!(camel_schema(schema), expected);
    }
}
