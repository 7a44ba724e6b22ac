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

/// The schema of a tool's results, failures included.
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
    match schema {
        Value::Object(object) => {
            let required = object.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                let needed =
                    |name: &str| required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
                properties
                    .iter_mut()
                    .filter(|(name, _)| !needed(name))
                    .for_each(|(_, property)| without_null(property));
            }
            if object.get("default") == Some(&Value::Null) {
                object.remove("default");
            }
            // How wide the number is in this program is nobody's business.
            object.remove("format");
            object.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// What may be left out may also be null, and need not say so.
fn without_null(property: &mut Value) {
    let Value::Object(property) = property else { return };
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            property.remove("anyOf");
            for (key, value) in only {
                property.entry(key).or_insert(value);
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
    #[expect(dead_code)]
    struct Example {
        /// A name.
        name: String,
        /// Perhaps some.
        #[serde(default)]
        #[schemars(range(min = 1, max = 50))]
        limit: Option<usize>,
        #[serde(default)]
        kind: Option<Kind>,
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
