//! The JSON Schema of the manifest, generated from its types.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::types::WorkspaceManifest;
use super::validate::{Violation, violations};

const SCHEMA_ID: &str = "https://ai-assist.example/schemas/workspace-manifest.schema.json";

/// A schema and the name of the file it is committed as, under `schemas/`.
#[derive(Debug, Clone)]
pub struct SchemaFile {
    /// The word that names it on the command line.
    pub name: &'static str,
    /// The file.
    pub file: &'static str,
    /// Its text.
    pub text: String,
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let mut schema =
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<WorkspaceManifest>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$id".to_owned(), SCHEMA_ID.into());
    }
    schema
});

/// The schemas of this crate's files.
pub fn schemas() -> Vec<SchemaFile> {
    let text = format!("{:#}\n", *SCHEMA);
    vec![SchemaFile { name: "workspace-manifest", file: "workspace-manifest.schema.json", text }]
}

/// Where a value breaks the schema of the manifest.
pub(super) fn check(value: &Value) -> Vec<Violation> {
    violations(&SCHEMA, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Set `UPDATE_SCHEMAS=1` to write the file anew.
    #[test]
    fn the_committed_schema_is_that_of_the_code() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
        for schema in schemas() {
            let file = folder.join(schema.file);
            if std::env::var_os("UPDATE_SCHEMAS").is_some() {
                std::fs::write(&file, &schema.text).unwrap();
            }
            let committed = std::fs::read_to_string(&file).unwrap_or_default();
            assert_eq!(committed, schema.text, "{} is out of date: run with UPDATE_SCHEMAS=1", schema.file);
        }
    }

    #[test]
    fn every_word_of_the_schema_is_understood() {
        assert_eq!(super::super::validate::unknown_words(&SCHEMA), Vec::<String>::new());
    }
}
