//! JSON Schemas of the files that people write, generated from the types that read them.

use std::collections::BTreeMap;

use ai_assist_base::json::SchemaFile;
use ai_assist_fetch::Manifest;
use schemars::{JsonSchema, generate::SchemaSettings};

use crate::{CategorySpec, CollectionSpec, Lock, RegistryIndex, SETTINGS, SettingValue};

const CONTEXT_SCHEMA_ID: &str = "https://ai-assist.example/schemas/context.schema.json";
const REGISTRY_SCHEMA_ID: &str = "https://ai-assist.example/schemas/registry.schema.json";
const LOCK_SCHEMA_ID: &str = "https://ai-assist.example/schemas/lock.schema.json";
const MANIFEST_SCHEMA_ID: &str = "https://ai-assist.example/schemas/manifest.schema.json";

/// The shape of `context.json`; the reader in `project` works on the syntax tree, to give places, and accepts the same.
#[derive(JsonSchema)]
#[schemars(title = "ai-assist project configuration")]
#[expect(dead_code, reason = "only its schema is used")]
struct ContextFile {
    /// The schema of this file.
    #[serde(rename = "$schema")]
    schema: Option<String>,
    /// What the project wants at hand: name → source, categories, or both.
    #[serde(default)]
    collections: BTreeMap<String, CollectionSpec>,
    /// Files of the project that collections are made of: name → folder and patterns.
    #[serde(default)]
    categories: BTreeMap<String, CategorySpec>,
}

pub fn schemas() -> Vec<SchemaFile> {
    let mut context = schema::<ContextFile>(CONTEXT_SCHEMA_ID);
    if let Some(properties) = context.pointer_mut("/properties").and_then(|value| value.as_object_mut()) {
        properties.insert("settings".to_owned(), settings_schema());
    }
    let variants = context.pointer_mut("/$defs/CollectionSpec/oneOf").and_then(|value| value.as_array_mut());
    variants.into_iter().for_each(allow_categories);
    vec![
        SchemaFile::new("context", "context.schema.json", &context),
        SchemaFile::new("manifest", "manifest.schema.json", &schema::<Manifest>(MANIFEST_SCHEMA_ID)),
        SchemaFile::new("registry", "registry.schema.json", &schema::<RegistryIndex>(REGISTRY_SCHEMA_ID)),
        SchemaFile::new("lock", "lock.schema.json", &schema::<Lock>(LOCK_SCHEMA_ID)),
    ]
}

fn schema<T: JsonSchema>(id: &str) -> serde_json::Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    schema.insert("$id".to_owned(), id.into());
    schema.to_value()
}

/// Allows categories and a description beside every type of source, and categories without a source.
fn allow_categories(variants: &mut Vec<serde_json::Value>) {
    let beside = serde_json::json!({
        "categories": {
            "description": "The categories that it has, by name.",
            "type": "array",
            "items": { "type": "string" },
        },
        "description": { "description": "What it is for.", "type": "string" },
    });
    variants.push(serde_json::json!({
        "description": "Categories without a source.",
        "type": "object",
        "properties": {},
        "required": ["categories"],
        "additionalProperties": false,
    }));
    for variant in variants {
        let properties = variant.pointer_mut("/properties").and_then(|value| value.as_object_mut());
        if let (Some(properties), Some(beside)) = (properties, beside.as_object()) {
            properties.extend(beside.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
    }
}

/// The settings that a project may make, nested as they are written.
fn settings_schema() -> serde_json::Value {
    let mut groups: BTreeMap<&str, serde_json::Map<String, serde_json::Value>> = BTreeMap::new();
    for spec in SETTINGS.iter().filter(|spec| spec.project) {
        let (group, name) = spec.key.split_once('.').unwrap_or(("", spec.key));
        let shape = match spec.value {
            SettingValue::Count => serde_json::json!({ "type": "integer", "minimum": 1 }),
            SettingValue::Share => serde_json::json!({ "type": "number", "minimum": 0, "maximum": 1 }),
            SettingValue::Switch => serde_json::json!({ "type": "boolean" }),
            SettingValue::Urls => serde_json::json!({ "type": ["string", "array"], "items": { "type": "string" } }),
            SettingValue::Limits => serde_json::json!({
                "type": "object",
                "additionalProperties": { "anyOf": [
                    { "type": "integer", "minimum": 1 },
                    {
                        "type": "object",
                        "properties": { "tokens": { "type": "integer", "minimum": 1 } },
                        "required": ["tokens"],
                        "additionalProperties": false,
                    },
                ] },
            }),
            SettingValue::FileName
            | SettingValue::Folder
            | SettingValue::File
            | SettingValue::Tongue
            | SettingValue::Consent => {
                serde_json::json!({ "type": "string" })
            }
        };
        let mut shape = shape.as_object().cloned().unwrap_or_default();
        shape.insert("description".to_owned(), spec.doc.into());
        groups.entry(group).or_default().insert(name.to_owned(), shape.into());
    }
    let properties: serde_json::Map<String, serde_json::Value> = groups
        .into_iter()
        .map(|(group, properties)| {
            (group.to_owned(), serde_json::json!({ "type": "object", "properties": properties }))
        })
        .collect();
    serde_json::json!({
        "description": "Settings that this project makes; flags and the environment win over them.",
        "type": "object",
        "properties": properties,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Set `UPDATE_SCHEMAS=1` to write the files anew.
    #[test]
    fn committed_schemas_are_those_of_the_code() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
        for schema in schemas() {
            let file = folder.join(schema.file);
            if std::env::var_os("UPDATE_SCHEMAS").is_some() {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&file, &schema.text).unwrap();
            }
            let committed = std::fs::read_to_string(&file).unwrap_or_default();
            assert_eq!(committed, schema.text, "{} is out of date: run with UPDATE_SCHEMAS=1", schema.file);
        }
    }
}
