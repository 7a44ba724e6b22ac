//! Operations of an API: what each takes and answers.

use serde_json::Value;

use super::schema::{self, entry, kind, name_of};
use super::{describe, on_one_line};
use crate::{Limits, emit, place};

const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

pub(super) fn write(root: &Value, limits: &Limits) -> String {
    let mut text = String::new();
    write_head(&mut text, root);
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        write_path(&mut text, root, path, item, limits);
    }
    for (name, item) in root["webhooks"].as_object().into_iter().flatten() {
        write_path(&mut text, root, &format!("webhook {name}"), item, limits);
    }
    for (place, schemas) in
        [("components/schemas", &root["components"]["schemas"]), ("definitions", &root["definitions"])]
    {
        for (name, schema) in schemas.as_object().into_iter().flatten() {
            if text.len() > limits.max_text {
                return text;
            }
            emit::block(&mut text);
            place::write(&mut text, "section", &format!("{place}/{name}"));
            emit::heading(&mut text, 2, name);
            schema::write_body(&mut text, schema, limits);
        }
    }
    text
}

fn write_head(text: &mut String, root: &Value) {
    let info = &root["info"];
    let title = info["title"].as_str().unwrap_or("API");
    let version = match &info["version"] {
        Value::String(version) => format!(" {version}"),
        Value::Number(version) => format!(" {version}"),
        _ => String::new(),
    };
    emit::heading(text, 1, &format!("{title}{version}"));
    describe(text, &info["description"]);
    let mut servers: Vec<String> = Vec::new();
    for server in root["servers"].as_array().into_iter().flatten().take(20) {
        servers.extend(server["url"].as_str().map(str::to_owned));
    }
    if let Some(host) = root["host"].as_str() {
        servers.push(format!("{host}{}", root["basePath"].as_str().unwrap_or_default()));
    }
    if !servers.is_empty() {
        emit::block(text);
        text.push_str(&place::escape(&format!("Servers: {}\n", servers.join(", "))));
    }
    write_security(text, root);
}

fn write_security(text: &mut String, root: &Value) {
    let schemes = [&root["components"]["securitySchemes"], &root["securityDefinitions"]];
    let mut schemes = schemes.into_iter().filter_map(Value::as_object).flatten().peekable();
    if schemes.peek().is_none() {
        return;
    }
    emit::block(text);
    text.push_str("Security:\n\n");
    for (name, scheme) in schemes {
        let words = ["type", "scheme", "in", "name"].map(|key| scheme[key].as_str().unwrap_or_default());
        entry(text, 0, name, &words, &Value::Null, &scheme["description"]);
    }
}

fn write_path(text: &mut String, root: &Value, path: &str, item: &Value, limits: &Limits) {
    for method in METHODS {
        let operation = &item[method];
        if !operation.is_object() || text.len() > limits.max_text {
            continue;
        }
        let name = format!("{} {path}", method.to_uppercase());
        emit::block(text);
        place::write(text, "operation", &name);
        emit::heading(text, 2, &name);
        write_operation(text, root, item, operation, limits);
    }
}

fn write_operation(text: &mut String, root: &Value, item: &Value, operation: &Value, limits: &Limits) {
    let summary = on_one_line(&operation["summary"]);
    let mut lead: Vec<String> = Vec::new();
    if !summary.is_empty() {
        lead.push(if summary.ends_with(['.', '!', '?']) { summary } else { format!("{summary}.") });
    }
    if let Some(id) = operation["operationId"].as_str() {
        lead.push(format!("Operation `{}`.", place::escape(id)));
    }
    let tags: Vec<&str> = operation["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !tags.is_empty() {
        lead.push(place::escape(&format!("Tags: {}.", tags.join(", "))).into_owned());
    }
    if operation["deprecated"] == true {
        lead.push("Deprecated.".to_owned());
    }
    if !lead.is_empty() {
        emit::block(text);
        text.push_str(&lead.join(" "));
        text.push('\n');
    }
    describe(text, &operation["description"]);
    write_parameters(text, root, item, operation);
    write_request(text, root, &operation["requestBody"], limits);
    write_responses(text, root, &operation["responses"], limits);
}

/// What a reference within the document refers to; one step, so that no chain is followed.
fn resolved<'a>(root: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    target.unwrap_or(value)
}

fn write_parameters(text: &mut String, root: &Value, item: &Value, operation: &Value) {
    let lists = [&item["parameters"], &operation["parameters"]];
    let mut parameters = lists.into_iter().filter_map(Value::as_array).flatten().peekable();
    if parameters.peek().is_none() {
        return;
    }
    emit::block(text);
    text.push_str("Parameters:\n\n");
    for reference in parameters {
        let parameter = resolved(root, reference);
        let fallback = reference["$ref"].as_str().map(name_of);
        let name = parameter["name"].as_str().map(str::to_owned).or(fallback).unwrap_or_default();
        let required = if parameter["required"] == true { "required" } else { "" };
        // Swagger 2 writes a parameter's type beside its name.
        let schema = if parameter["schema"].is_object() { &parameter["schema"] } else { parameter };
        let place = parameter["in"].as_str().unwrap_or_default();
        entry(text, 0, &name, &[place, required], schema, &parameter["description"]);
    }
}

/// The schema of a body with the kinds of content that it may come in.
fn content(body: &Value) -> (String, &Value) {
    let kinds = body["content"].as_object();
    let names: Vec<&str> = kinds.into_iter().flatten().map(|(name, _)| name.as_str()).take(8).collect();
    let first = kinds.and_then(|kinds| kinds.values().next()).map_or(&body["schema"], |media| &media["schema"]);
    let names = if names.is_empty() { String::new() } else { format!("`{}`", names.join("`, `")) };
    (place::escape(&names).into_owned(), first)
}

fn write_request(text: &mut String, root: &Value, body: &Value, limits: &Limits) {
    if !body.is_object() {
        return;
    }
    let body = resolved(root, body);
    let (kinds, schema) = content(body);
    let required = if body["required"] == true { "required" } else { "" };
    let said: Vec<String> =
        [kinds, required.to_owned(), kind(schema, 5)].into_iter().filter(|word| !word.is_empty()).collect();
    emit::block(text);
    text.push_str(&format!("Request body ({})", said.join("; ")));
    let description = on_one_line(&body["description"]);
    if !description.is_empty() {
        text.push_str(&format!(": {description}"));
    }
    text.push_str("\n\n");
    schema::properties(text, schema, 0, 0, limits);
}

fn write_responses(text: &mut String, root: &Value, responses: &Value, limits: &Limits) {
    let Some(responses) = responses.as_object().filter(|responses| !responses.is_empty()) else { return };
    emit::block(text);
    text.push_str("Responses:\n\n");
    for (status, reference) in responses {
        if text.len() > limits.max_text {
            return;
        }
        let response = resolved(root, reference);
        let (kinds, schema) = content(response);
        entry(text, 0, status, &[&kinds], schema, &response["description"]);
    }
}
