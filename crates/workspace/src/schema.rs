//! JSON Schemas of this crate's files, generated from the types that write or describe them.

use std::sync::LazyLock;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::manifest::WorkspaceManifest;

/// A schema and the name of the file it is committed as, under `schemas/`.
#[derive(Debug, Clone)]
pub struct SchemaFile {
    /// The word that names it on the command line.
    pub name: &'static str,
    pub file: &'static str,
    pub text: String,
}

/// The schema by which a manifest is checked.
pub(crate) static MANIFEST_SCHEMA: LazyLock<Value> =
    LazyLock::new(|| generated::<WorkspaceManifest>("workspace-manifest.schema.json"));

/// The shape of the workspace file; the reader in `config` works on the syntax tree, to give places, and accepts the same.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "ai-assist workspace")]
#[expect(dead_code, reason = "only its schema is used")]
struct WorkspaceFile {
    /// The schema of this file.
    #[serde(rename = "$schema")]
    schema: Option<String>,
    /// The version of this file.
    #[schemars(extend("const" = 1))]
    schema_version: u32,
    /// What people call the workspace.
    #[schemars(length(min = 1, max = 100))]
    name: String,
    /// Where the manifest and cached answers are kept, relative to this file; else in the machine's cache.
    cache_root: Option<String>,
    /// What holds for every repo that does not say otherwise.
    #[serde(default)]
    defaults: Option<Marks>,
    /// The repositories that are searched as one.
    repos: Vec<RepoOfFile>,
}

/// What a repo may leave to the defaults.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Marks {
    /// Whether it is searched unless told otherwise.
    enabled: Option<bool>,
    /// The greater, the more it matters.
    priority: Option<i32>,
    /// To select it by. In place of those of the defaults, not in addition.
    tags: Option<Vec<String>>,
}

/// A repository.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Repo")]
#[expect(dead_code, reason = "only its schema is used")]
struct RepoOfFile {
    /// Any folder of it, relative to this file.
    #[schemars(length(min = 1))]
    root: String,
    /// What people call it; no two are the same, whatever the case.
    #[schemars(length(min = 1, max = 100))]
    alias: Option<String>,
    /// Whether it is searched unless told otherwise.
    enabled: Option<bool>,
    /// The greater, the more it matters.
    priority: Option<i32>,
    /// To select it by.
    tags: Option<Vec<String>>,
}

/// The shape of `.ai-assist.json`.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "What a repository says to ai-assist")]
#[expect(dead_code, reason = "only its schema is used")]
struct RepoFile {
    /// The schema of this file.
    #[serde(rename = "$schema")]
    schema: Option<String>,
    /// The repository's cache.
    #[serde(default)]
    cache: Option<CacheOfRepo>,
}

/// The cache of a repository.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cache")]
#[expect(dead_code, reason = "only its schema is used")]
struct CacheOfRepo {
    /// A folder of the repository, relative to its root.
    #[schemars(length(min = 1))]
    root: Option<String>,
}

fn generated<T: JsonSchema>(file: &str) -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$id".to_owned(), format!("https://ai-assist.example/schemas/{file}").into());
    }
    schema
}

/// Every schema of this crate.
pub fn schemas() -> Vec<SchemaFile> {
    let shown = |name, file, schema: &Value| SchemaFile { name, file, text: format!("{schema:#}\n") };
    let (workspace, repo) = ("workspace.schema.json", "repo.schema.json");
    vec![
        shown("workspace", workspace, &generated::<WorkspaceFile>(workspace)),
        shown("workspace-manifest", "workspace-manifest.schema.json", &MANIFEST_SCHEMA),
        shown("repo", repo, &generated::<RepoFile>(repo)),
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

    #[test]
    fn every_word_of_the_manifests_schema_is_checked() {
        assert_eq!(crate::manifest::validate::unknown_words(&MANIFEST_SCHEMA), Vec::<String>::new());
    }
}
