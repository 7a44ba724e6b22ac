//! The description of the API, made from the table of routes (OpenAPI 3.1).

use ai_assist_client::{API, VERSION};
use serde_json::{Map, Value, json};

use super::route::{Route, Verbs};
use super::table::TABLE;
use crate::failures;

/// The whole description.
pub fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in &TABLE {
        let path = paths.entry(format!("{API}{}", route.path)).or_insert_with(|| json!({}));
        path[route.verb.name().to_lowercase()] = operation(route);
    }
    paths.insert(
        format!("{API}/changes"),
        json!({ "get": {
            "operationId": "changes",
            "summary": "Everything that changes, as events",
            "description": "`ready` comes first; then `change` with project, kind and name; `missed` if there were too many.",
            "responses": { "200": { "description": "A stream of events.",
                "content": { "text/event-stream": { "schema": { "type": "string" } } } } },
        } }),
    );
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "ai-assist",
            "version": VERSION,
            "description": "Searching and reading the documents and code of projects. Every request carries the service's token.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": { "Problem": failures::schema() },
        },
    })
}

fn operation(route: &Route) -> Value {
    let mut input = route.input();
    let required: Vec<Value> = input.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(mut properties)) = input.remove("properties").or_else(|| Some(json!({}))) else {
        return Value::Null;
    };
    let mut parameters: Vec<Value> = Vec::new();
    for name in route.in_path() {
        let schema = properties.remove(name).unwrap_or_default();
        parameters.push(parameter("path", name, schema, true));
    }
    if route.about_project {
        let about = "The project, by name or folder; needed where the service has several.";
        parameters.push(parameter("query", "project", json!({ "type": "string", "description": about }), false));
    }
    let mut operation = json!({ "operationId": id(route), "summary": route.summary });
    if route.local {
        operation["description"] = "Only for programs of the user, over the socket of the service.".into();
    }
    if route.verb == Verbs::Post {
        let required: Vec<&Value> =
            required.iter().filter(|name| properties.contains_key(name.as_str().unwrap_or_default())).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        let is_needed = !required.is_empty();
        operation["requestBody"] =
            json!({ "required": is_needed, "content": { "application/json": { "schema": schema } } });
    } else {
        for (name, schema) in properties {
            let is_needed = required.iter().any(|needed| *needed == *name);
            parameters.push(parameter("query", &name, schema, is_needed));
        }
    }
    operation["parameters"] = parameters.into();
    let mut content = json!({ "application/json": { "schema": route.output() } });
    if route.long {
        content["text/event-stream"] = json!({ "schema": {
            "type": "string",
            "description": "If it is accepted: `progress` with done, total and message; at the end `done` with the answer, or `problem`.",
        } });
    }
    let problem = json!({ "$ref": "#/components/schemas/Problem" });
    operation["responses"] = json!({
        "200": { "description": "Done.", "content": content },
        "default": { "description": "A problem.", "content": { failures::PROBLEM: { "schema": problem } } },
    });
    operation
}

fn parameter(place: &str, name: &str, mut schema: Value, required: bool) -> Value {
    let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
    let mut parameter = json!({ "in": place, "name": name, "required": required, "schema": schema });
    if let Some(about) = about {
        parameter["description"] = about;
    }
    parameter
}

/// A name for the procedure: `get /collections/{name}/sync` is `getCollectionsSync`.
fn id(route: &Route) -> String {
    let mut id = route.verb.name().to_lowercase();
    for part in route.path.split('/').filter(|part| !part.is_empty()) {
        let by = part.strip_prefix('{').map(|name| format!("By{}", upper(name.trim_end_matches('}'))));
        id.push_str(&by.unwrap_or_else(|| upper(part)));
    }
    id
}

fn upper(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
