//! From a type to the JSON Schema that clients see.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of a tool's arguments. `with_project` adds the argument that says which project the call is about.
pub(crate) fn input<T: JsonSchema>(with_project: bool) -> JsonObject {
    let mut schema = of::<T>(SchemaSettings::draft2020_12());
    schema.insert("type".to_owned(), json!("object"));
    if with_project {
        let about = "The project's folder, as an absolute path. Needed only if the client gives no root.";
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            properties.insert("project".to_owned(), json!({ "type": "string", "description": about }));
        }
    }
    schema
}

pub(crate) fn output<T: JsonSchema>() -> JsonObject {
    let text = |about: &str| json!({ "type": "string", "description": about });
    // A field that is left out of an answer when it says nothing must not be promised.
    let value = of::<T>(SchemaSettings::draft2020_12().for_serialize());
    let schema = json!({
        "type": "object",
        "properties": {
            "success": { "type": "boolean" },
            "value": Value::Object(value),
            "message": text("What else is worth knowing."),
            "error": text("What went wrong."),
            "error_type": text("The kind of failure."),
            "instruction": text("What to do next."),
            "field": text("The argument that is wrong."),
            "expected": text("What it should have been."),
        },
        "required": ["success"],
    });
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// What tools call by the same name is the same, and is said in the same few words.
const SHARED: [(&str, &str); 6] = [
    ("max_tokens", "Tokens (6000)."),
    ("session", "Default: the last."),
    ("repo", "Another repository of the workspace."),
    ("cursor", "From the answer before."),
    ("after", "Skip so many."),
    ("project", "Its folder."),
];

/// What a text says first.
pub(crate) fn first_words<'t>(text: &'t str, ends: &[&str]) -> &'t str {
    let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

/// Leaves of a schema what an agent needs to write a call. What it gets wrong is told to it when it does. `barely` leaves of every
/// description only what it says first.
pub(crate) fn shorten(schema: &mut JsonObject, barely: bool) {
    const BOUNDS: [&str; 10] = [
        "additionalProperties", "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern",
        "examples", "default",
    ];
    schema.retain(|key, _| !BOUNDS.contains(&key.as_str()));
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        shorten(items, barely);
    }
    for (name, property) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let Value::Object(property) = property else { continue };
        shorten(property, barely);
        if barely && let Some(Value::String(about)) = property.get_mut("description") {
            *about = first_words(about, &[". ", "; ", " (", ": "]).to_owned();
        }
        if let Some((_, about)) = SHARED.iter().find(|(shared, _)| shared == name)
            && property.contains_key("description")
        {
            property.insert("description".to_owned(), json!(about));
        }
    }
}

/// One object without references, which many clients don't follow.
fn of<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.remove("title");
            // What the tool is for is said by the tool.
            schema.remove("description");
            schema
        }
        _ => JsonObject::new(),
    }
}

/// Says in the plainest way what a value may be.
fn simplify(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    // That nothing is the default of what may be left out goes without saying.
    let says_nothing =
        |default: &Value| *default == Value::Null || [json!([]), json!(false), json!(0)].contains(default);
    if object.get("default").is_some_and(says_nothing) {
        object.remove("default");
    }
    // How wide the number is in this program is nobody's business.
    object.remove("format");
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            // Their keys are names, whatever they spell.
            ("properties", Value::Object(properties)) => {
                let optional = |(name, _): &(&String, &mut Value)| !required.iter().any(|needed| needed == *name);
                properties.iter_mut().filter(optional).for_each(|(_, property)| without_null(property));
                properties.values_mut().for_each(simplify);
            }
            ("$defs", Value::Object(types)) => types.values_mut().for_each(simplify),
            ("anyOf" | "oneOf" | "allOf", Value::Array(choices)) => choices.iter_mut().for_each(simplify),
            ("items" | "additionalProperties", value) => simplify(value),
            _ => {}
        }
    }
}

/// What may be left out may also be null, and need not say so.
fn without_null(property: &mut Value) {
    let Value::Object(object) = property else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Example {
        /// A name.
        name: String,
        /// Perhaps some.
        #[serde(default)]
        #[schemars(range(min = 1, max = 50))]
        limit: Option<usize>,
        #[serde(default)]
        kind: Option<Kind>,
        #[serde(default)]
        format: Vec<String>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        One,
        Two,
    }

    #[derive(serde::Serialize, JsonSchema)]
    struct Answer {
        text: String,
        note: Option<String>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    }

    #[test]
    fn what_may_be_left_out_is_not_promised() {
        let schema = output::<Answer>();
        let value = &schema["properties"]["value"];
        assert_eq!(value["required"], json!(["text", "note"]));
        // What is always there and may be null says so.
        assert_eq!(value["properties"]["note"]["type"], json!(["string", "null"]));
        assert_eq!(value["properties"]["title"]["type"], "string");
    }

    #[test]
    fn a_schema_is_plain() {
        assert_eq!(
            Value::Object(input::<Example>(true)),
            json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "A name." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 50, "description": "Perhaps some." },
                    "kind": { "type": "string", "enum": ["one", "two"] },
                    "format": { "type": "array", "items": { "type": "string" } },
                    "project": {
                        "type": "string",
                        "description": "The project's folder, as an absolute path. Needed only if the client gives no root."
                    },
                },
                "additionalProperties": false,
                "required": ["name"],
            })
        );
    }
}
