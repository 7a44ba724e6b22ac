//! A strict check of values against the schemas that we make: what a schema does not name is a fault, so that neither can move
//! without the other.

use serde_json::Value;

pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check("", schema, value, &mut faults);
    faults
}

fn check(place: &str, schema: &Value, value: &Value, faults: &mut Vec<String>) {
    if let Some(choices) = schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array) {
        if !choices.iter().any(|choice| self::faults(choice, value).is_empty()) {
            faults.push(format!("{place}: fits none of the choices: {value}"));
        }
        return;
    }
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = kinds.is_empty() || kinds.contains(&kind) || (kind == "integer" && kinds.contains(&"number"));
    if !fits {
        faults.push(format!("{place}: is {kind} and not {}", kinds.join(" or ")));
        return;
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.contains(value)
    {
        faults.push(format!("{place}: {value} is none of the choices"));
    }
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                check(&format!("{place}[{at}]"), schema.get("items").unwrap_or(&Value::Null), item, faults);
            }
        }
        Value::Object(object) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            for name in required.filter_map(Value::as_str).filter(|name| !object.contains_key(*name)) {
                faults.push(format!("{place}: has no `{name}`"));
            }
            // A map has no names of its own.
            let Some(properties) = properties else { return };
            for (name, value) in object {
                match properties.get(name) {
                    Some(schema) => check(&format!("{place}.{name}"), schema, value, faults),
                    None => faults.push(format!("{place}: `{name}` is not in the schema")),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_check_finds_what_is_wrong() {
    let schema = serde_json::json!({ "type": "object", "required": ["a"], "properties": {
        "a": { "type": ["string", "null"] }, "b": { "type": "array", "items": { "type": "integer" } } } });
    for good in [serde_json::json!({ "a": null }), serde_json::json!({ "a": "x", "b": [1] })] {
        assert_eq!(faults(&schema, &good), Vec::<String>::new());
    }
    for bad in [
        serde_json::json!({}),
        serde_json::json!({ "a": 1 }),
        serde_json::json!({ "a": "", "b": ["x"] }),
        serde_json::json!({ "a": "", "c": 1 }),
        serde_json::json!([]),
    ] {
        assert_eq!(faults(&schema, &bad).len(), 1, "{bad}");
    }
}
