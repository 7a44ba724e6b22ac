//! JSON Schemas of this crate's files, generated from the types that read and write them.

use std::sync::LazyLock;

use ai_assist_base::json::SchemaFile;
use ai_assist_repo::repo_config::{self, schema_of};
use serde_json::Value;

use crate::config;
use crate::manifest::WorkspaceManifest;

/// The schema by which a manifest is checked.
pub(crate) static MANIFEST_SCHEMA: LazyLock<Value> =
    LazyLock::new(|| schema_of::<WorkspaceManifest>("workspace-manifest.schema.json"));

pub fn schemas() -> Vec<SchemaFile> {
    vec![
        SchemaFile::new("workspace", "workspace.schema.json", &config::SCHEMA),
        SchemaFile::new("workspace-manifest", "workspace-manifest.schema.json", &MANIFEST_SCHEMA),
        SchemaFile::new("repo", "repo.schema.json", &repo_config::SCHEMA),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Set `UPDATE_SCHEMAS=1` to write the files anew.
    #[test]
    fn the_committed_schemas_are_those_of_the_code() {
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
}
