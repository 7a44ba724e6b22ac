//! Arguments, checked against the schema that the client was shown.
//!
//! The schemas are our own (`schema`), so only what those can say is understood here: types, required and unknown
//! properties, choices, bounds. Every fault is reported at once, with the field and what is expected there.

use ai_assist_base::nearest;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::outcome::Failure;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    field: String,
    expected: String,
    said: String,
}

pub(crate) fn read<T: DeserializeOwned>(schema: &JsonObject, arguments: JsonObject) -> Result<T, Failure> {
    let arguments = without_nulls(arguments);
    let mut faults = Vec::new();
    check_object("", schema, &arguments, &mut faults);
    if let Some(first) = faults.first() {
        let said: Vec<&str> = faults.iter().map(|fault| fault.said.as_str()).collect();
        let mut failure = Failure::argument(&first.field, &first.expected, said.join("; "));
        if faults.len() > 1 {
            let each: Vec<String> =
                faults.iter().map(|fault| format!("`{}`: {}", fault.field, fault.expected)).collect();
            failure.instruction = format!("Call the tool again with these arguments put right: {}.", each.join("; "));
        }
        return Err(failure);
    }
    // What the schema can't say, such as numbers too large for this machine.
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Failure::argument("arguments", "what the schema of the tool says", error.to_string()))
}

/// Models write null for what they leave out.
fn without_nulls(arguments: JsonObject) -> JsonObject {
    arguments.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

fn check_object(place: &str, schema: &JsonObject, found: &JsonObject, faults: &mut Vec<Fault>) {
    let none = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| !found.contains_key(*name)) {
        let expected = properties.get(name).map_or_else(|| "a value".to_owned(), expectation);
        let field = join(place, name);
        let said = format!("`{field}` is missing; expected {expected}");
        faults.push(Fault { field, expected, said });
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in found {
        match properties.get(name).and_then(Value::as_object) {
            Some(schema) => check(&join(place, name), schema, value, faults),
            None if closed => faults.push(unknown(place, name, properties)),
            None => {}
        }
    }
}

fn unknown(place: &str, name: &str, properties: &JsonObject) -> Fault {
    let field = join(place, &short(name));
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    let hint = nearest(name, known.iter().copied()).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let expected = match known.as_slice() {
        [] => "nothing: there are no arguments".to_owned(),
        known => format!("one of the arguments that there are: {}", known.join(", ")),
    };
    Fault { said: format!("`{field}` is not an argument{hint}"), field, expected }
}

fn check(place: &str, schema: &JsonObject, value: &Value, faults: &mut Vec<Fault>) {
    if !fits(schema, value) {
        let expected = expectation(&Value::Object(schema.clone()));
        let said = format!("`{place}` is {}; expected {expected}", described(value));
        faults.push(Fault { field: place.to_owned(), expected, said });
        return;
    }
    match value {
        Value::Array(items) => {
            if let Some(of) = schema.get("items").and_then(Value::as_object) {
                for (at, item) in items.iter().enumerate() {
                    check(&format!("{place}[{at}]"), of, item, faults);
                }
            }
        }
        Value::Object(object) => check_object(place, schema, object, faults),
        _ => {}
    }
}

/// Whether a value is of the type, the choices and the bounds.
fn fits(schema: &JsonObject, value: &Value) -> bool {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let within = |size: f64, least: &str, most: &str| {
        bound(least).is_none_or(|least| size >= least) && bound(most).is_none_or(|most| size <= most)
    };
    let is_type = match (schema.get("type").and_then(Value::as_str), value) {
        (Some("string"), Value::String(text)) => within(text.chars().count() as f64, "minLength", "maxLength"),
        (Some("integer"), Value::Number(number)) => {
            let whole = number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|it| it.fract() == 0.0);
            whole && within(number.as_f64().unwrap_or(f64::NAN), "minimum", "maximum")
        }
        (Some("number"), Value::Number(number)) => within(number.as_f64().unwrap_or(f64::NAN), "minimum", "maximum"),
        (Some("boolean"), Value::Bool(_)) | (Some("object"), Value::Object(_)) | (None, _) => true,
        (Some("array"), Value::Array(items)) => within(items.len() as f64, "minItems", "maxItems"),
        _ => false,
    };
    is_type && schema.get("enum").and_then(Value::as_array).is_none_or(|choices| choices.contains(value))
}

/// What a schema asks for, in words.
fn expectation(schema: &Value) -> String {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
        return format!("one of {}", choices.join(", "));
    }
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let range = |least: &str, most: &str, of: &str| match (bound(least), bound(most)) {
        (Some(least), Some(most)) => format!(" of {least} to {most}{of}"),
        (Some(least), None) if least > 0 => format!(" of at least {least}{of}"),
        (_, Some(most)) => format!(" of at most {most}{of}"),
        _ => String::new(),
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => format!("a string{}", range("minLength", "maxLength", " characters")),
        Some("integer") => format!("an integer{}", range("minimum", "maximum", "")),
        Some("number") => format!("a number{}", range("minimum", "maximum", "")),
        Some("boolean") => "true or false".to_owned(),
        Some("array") => {
            let of = schema
                .get("items")
                .map_or_else(|| "values".to_owned(), |items| format!("which each is {}", expectation(items)));
            match schema.get("items").and_then(|items| items.get("type")).and_then(Value::as_str) {
                Some("string") if schema["items"].get("enum").is_none() => {
                    format!("an array of strings{}", range("minItems", "maxItems", " of them"))
                }
                _ => format!("an array of {of}"),
            }
        }
        Some("object") => "an object".to_owned(),
        _ => "a value".to_owned(),
    }
}

/// A value, so that it is recognised but not repeated in full.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.is_empty() => "an empty string".to_owned(),
        Value::String(text) if text.chars().count() > 60 => format!("a string of {} characters", text.chars().count()),
        Value::String(text) => format!("the string {text:?}"),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn short(name: &str) -> String {
    name.chars().take(60).collect()
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Example {
        name: String,
        #[serde(default)]
        #[schemars(range(min = 1, max = 50))]
        limit: Option<usize>,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        deep: bool,
    }

    fn said(arguments: Value) -> (String, Option<String>, Option<String>) {
        let Value::Object(arguments) = arguments else { panic!("an object is needed") };
        let failure = read::<Example>(&crate::schema::input::<Example>(false), arguments).unwrap_err();
        assert_eq!(failure.error_type, crate::outcome::ErrorType::ValidationError);
        (failure.error, failure.field, failure.expected)
    }

    #[test]
    fn every_fault_names_the_field_and_what_is_expected() {
        for (arguments, field, expected) in [
            (json!({}), "name", "a string"),
            (json!({ "name": 3 }), "name", "a string"),
            (json!({ "name": "a", "limit": "many" }), "limit", "an integer of 1 to 50"),
            (json!({ "name": "a", "limit": 51 }), "limit", "an integer of 1 to 50"),
            (json!({ "name": "a", "limit": 1.5 }), "limit", "an integer of 1 to 50"),
            (json!({ "name": "a", "limit": -1 }), "limit", "an integer of 1 to 50"),
            (json!({ "name": "a", "limit": 1e300 }), "limit", "an integer of 1 to 50"),
            (json!({ "name": "a", "tags": "x" }), "tags", "an array of strings"),
            (json!({ "name": "a", "tags": ["x", 1] }), "tags[1]", "a string"),
            (json!({ "name": "a", "deep": "yes" }), "deep", "true or false"),
            (
                json!({ "name": "a", "limits": 1 }),
                "limits",
                "one of the arguments that there are: name, limit, tags, deep",
            ),
        ] {
            let (error, found, wanted) = said(arguments.clone());
            assert_eq!((found.as_deref(), wanted.as_deref()), (Some(field), Some(expected)), "{arguments}: {error}");
            assert!(error.contains(&format!("`{field}`")), "{error}");
        }
        assert!(said(json!({ "name": "a", "limits": 1 })).0.contains("did you mean `limit`?"));
    }

    #[test]
    fn all_faults_are_told_at_once() {
        let (error, ..) = said(json!({ "limit": 0, "tag": 1 }));
        assert!(
            error.contains("`name` is missing") && error.contains("`limit` is 0") && error.contains("`tag`"),
            "{error}"
        );
    }

    #[test]
    fn null_stands_for_what_is_left_out() {
        let arguments = json!({ "name": "a", "limit": null, "tags": null, "deep": null });
        let Value::Object(arguments) = arguments else { panic!("an object is needed") };
        let read: Example = read(&crate::schema::input::<Example>(false), arguments).unwrap();
        assert_eq!((read.name.as_str(), read.limit, read.tags.len(), read.deep), ("a", None, 0, false));
    }
}
