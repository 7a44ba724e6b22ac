//! `context.json`: what a project declares.

use std::path::{Path, PathBuf};

use ai_assist_identity::{BadDigest, CollectionKind, Sha256};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::{JsonFile, Warning, read_text};
use crate::names::broken_rule;
use crate::settings::{Layer, Origin};
use crate::{Error, Result};

/// The glob of a `file` collection that names none.
pub(crate) const DEFAULT_GLOB: &str = "**/*.md";

/// What a collection is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum CollectionSpec {
    /// Files of a folder.
    File {
        /// The folder, relative to the project's root.
        path: String,
        /// Which of its files, such as `**/*.md`. `*` does not cross `/`, `**` does.
        #[serde(default = "default_glob")]
        glob: String,
        /// The dependency whose documents these are, such as `cargo:serde@1.0.200`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dependency: Option<String>,
    },
    /// A published package.
    Pkg {
        /// Its manifest or bundle: a `file://` or `https://` URL; or a git repository: `git+https://…?glob=…#ref`.
        url: String,
        /// What the bytes of the manifest or bundle must hash to: `sha256:` and 64 hexadecimal digits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hash: Option<String>,
        /// The name and range that the URL was found by in a registry, such as `react@^18`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        package: Option<String>,
        /// The dependency whose documents these are, such as `npm:react@18.2.0`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dependency: Option<String>,
    },
}

fn default_glob() -> String {
    DEFAULT_GLOB.to_owned()
}

impl CollectionSpec {
    /// A package at a URL.
    pub fn package(url: impl Into<String>) -> Self {
        CollectionSpec::Pkg { url: url.into(), hash: None, package: None, dependency: None }
    }

    /// Files of a folder.
    pub fn files(path: impl Into<String>, glob: impl Into<String>) -> Self {
        CollectionSpec::File { path: path.into(), glob: glob.into(), dependency: None }
    }

    /// The dependency whose documents these are.
    pub fn dependency(&self) -> Option<&str> {
        match self {
            CollectionSpec::File { dependency, .. } | CollectionSpec::Pkg { dependency, .. } => dependency.as_deref(),
        }
    }

    /// What the bytes of a package's manifest or bundle must hash to.
    pub(crate) fn hash(&self) -> Result<Option<Sha256>> {
        match self {
            CollectionSpec::Pkg { url, hash: Some(hash), .. } => match hash.parse() {
                Ok(hash) => Ok(Some(hash)),
                Err(error) => Err(Error::BadPackage { url: url.clone(), reason: format!("{error}") }),
            },
            _ => Ok(None),
        }
    }

    /// The type of the collection.
    pub fn kind(&self) -> CollectionKind {
        match self {
            CollectionSpec::File { .. } => CollectionKind::File,
            CollectionSpec::Pkg { .. } => CollectionKind::Pkg,
        }
    }

    /// The source as people write it.
    pub fn source(&self) -> String {
        match self {
            CollectionSpec::File { path, glob, .. } => format!("{path} ({glob})"),
            CollectionSpec::Pkg { url, .. } => url.clone(),
        }
    }
}

/// What a configuration file declares, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct ProjectConfig {
    /// The collections by name.
    pub collections: Vec<(String, CollectionSpec)>,
    /// Settings that the project makes.
    pub settings: Layer,
}

impl ProjectConfig {
    /// A collection by name.
    pub fn get(&self, name: &str) -> Option<&CollectionSpec> {
        self.collections.iter().find(|(found, _)| found == name).map(|(_, spec)| spec)
    }
}

/// A project: a folder with a configuration.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder, symlinks resolved.
    pub root: PathBuf,
    /// The configuration file.
    pub file: PathBuf,
    /// What it declares.
    pub config: ProjectConfig,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
}

impl Project {
    /// Looks for a project from `start` upwards, as git does.
    ///
    /// # Errors
    ///
    /// If a configuration is found that can't be read.
    pub fn find(start: &Path, file_name: &str) -> Result<Option<Project>> {
        for folder in start.ancestors() {
            let file = folder.join(file_name);
            if file.is_file() {
                return Project::load(&file).map(Some);
            }
        }
        Ok(None)
    }

    /// Loads one configuration file.
    ///
    /// # Errors
    ///
    /// If it can't be read or is not what a configuration must be.
    pub fn load(file: &Path) -> Result<Project> {
        let text = read_text(file)?;
        let mut warnings = Vec::new();
        let config = parse(file, &text, &mut warnings)?;
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let root = std::fs::canonicalize(folder).map_err(Error::io("resolving", folder))?;
        Ok(Project { root, file: file.to_owned(), config, warnings })
    }
}

/// Reads the text of a configuration.
pub(crate) fn parse(file: &Path, text: &str, warnings: &mut Vec<Warning>) -> Result<ProjectConfig> {
    let name = file.display().to_string();
    let json = JsonFile::new(&name, text);
    let mut config = ProjectConfig::default();
    let Some(object) = json.object()? else { return Ok(config) };
    json.unknown_keys(&object, &["$schema", "collections", "settings"], warnings);
    if let Some(property) = object.get("collections") {
        let Value::Object(collections) = &property.value else {
            return Err(json
                .error(property.value.range(), "`collections` must be an object of name → collection")
                .into());
        };
        for property in &collections.properties {
            let name = property.name.as_str().to_owned();
            if config.get(&name).is_some() {
                return Err(json.error(property.range, format!("the collection `{name}` is declared twice")).into());
            }
            if let Some(why) = broken_rule(&name) {
                warnings.push(json.warning(property.range, format!("the name `{name}` is unusual: {why}")));
            }
            config.collections.push((name, collection(&json, property, warnings)?));
        }
    }
    if let Some(property) = object.get("settings") {
        config.settings = Layer::read(&json, &property.value, &Origin::Project(file.to_owned()), warnings)?;
    }
    Ok(config)
}

fn collection(json: &JsonFile<'_>, property: &ObjectProp<'_>, warnings: &mut Vec<Warning>) -> Result<CollectionSpec> {
    let name = property.name.as_str();
    let Value::Object(object) = &property.value else {
        return Err(json.error(property.value.range(), format!("the collection `{name}` must be an object")).into());
    };
    let kind = object.get("type").map(|kind| json.string(kind)).transpose()?;
    match kind.as_deref() {
        Some("file") => {
            json.unknown_keys(object, &["type", "path", "glob", "dependency"], warnings);
            let path = required(json, object, name, "path")?;
            let glob = object.get("glob").map(|glob| json.string(glob)).transpose()?.unwrap_or_else(default_glob);
            if let Err(error) = ai_assist_admit::Globs::new(&[&glob]) {
                let range = object.get("glob").map_or(object.range, |glob| glob.value.range());
                return Err(json.error(range, error.to_string()).into());
            }
            Ok(CollectionSpec::File { path, glob, dependency: optional(json, object, "dependency")? })
        }
        Some("pkg") => {
            json.unknown_keys(object, &["type", "url", "hash", "package", "dependency"], warnings);
            let hash = optional(json, object, "hash")?;
            if let Some(Err(error)) = hash.as_ref().map(|hash| hash.parse::<Sha256>()) {
                let error: BadDigest = error;
                let range = object.get("hash").map_or(object.range, |hash| hash.value.range());
                return Err(json.error(range, error.to_string()).into());
            }
            Ok(CollectionSpec::Pkg {
                url: required(json, object, name, "url")?,
                hash,
                package: optional(json, object, "package")?,
                dependency: optional(json, object, "dependency")?,
            })
        }
        Some(other) => {
            let range = object.get("type").map_or(object.range, |kind| kind.value.range());
            Err(json
                .error(range, format!("`{other}` is not a type of collection; the types are `file` and `pkg`"))
                .into())
        }
        None => Err(json
            .error(object.range, format!("the collection `{name}` has no `type`; it is `file` or `pkg`"))
            .into()),
    }
}

fn optional(json: &JsonFile<'_>, object: &Object<'_>, key: &str) -> Result<Option<String>> {
    Ok(object.get(key).map(|property| json.string(property)).transpose()?)
}

fn required(json: &JsonFile<'_>, object: &Object<'_>, name: &str, key: &str) -> Result<String> {
    let Some(property) = object.get(key) else {
        return Err(json.error(object.range, format!("the collection `{name}` has no `{key}`")).into());
    };
    let text = json.string(property)?;
    if text.is_empty() {
        return Err(json.error(property.value.range(), format!("`{key}` is empty")).into());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Result<ProjectConfig>, Vec<String>) {
        let mut warnings = Vec::new();
        let config = parse(Path::new("context.json"), text, &mut warnings);
        (config, warnings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_configuration_is_read_with_comments_and_in_order() {
        let (config, warnings) = read(
            r#"{
              // what we need
              "collections": {
                "z-docs": { "type": "file", "path": "./docs", "glob": "**/*.{md,mdx}", },
                "a": { "type": "file", "path": "a" },
                "react": { "type": "pkg", "url": "https://react.dev/manifest.json" },
              },
            }"#,
        );
        let names: Vec<String> =
            config.unwrap().collections.into_iter().map(|(n, s)| format!("{n}: {}", s.source())).collect();
        assert_eq!(
            names,
            ["z-docs: ./docs (**/*.{md,mdx})", "a: a (**/*.md)", "react: https://react.dev/manifest.json"]
        );
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, expected) in [
            ("{", "context.json:1:1: Unterminated object"),
            ("{\n  \"collections\": []\n}", "context.json:2:18: `collections` must be an object of name → collection"),
            ("[]", "context.json:1:1: the file must hold one object, `{ … }`"),
            (
                "{\"collections\": {\"a\": {}}}",
                "context.json:1:23: the collection `a` has no `type`; it is `file` or `pkg`",
            ),
            (
                "{\"collections\": {\"a\": {\"type\": \"git\"}}}",
                "context.json:1:32: `git` is not a type of collection; the types are `file` and `pkg`",
            ),
            ("{\"collections\": {\"a\": {\"type\": \"file\"}}}", "context.json:1:23: the collection `a` has no `path`"),
            (
                "{\"collections\": {\"a\": {\"type\": \"file\", \"path\": 3}}}",
                "context.json:1:48: `path` must be a string",
            ),
            (
                "{\"collections\": {\"a\": {\"type\": \"file\", \"path\": \"x\", \"glob\": \"../*\"}}}",
                "context.json:1:61: the glob `../*` has a `..` in it; globs can't leave the collection's folder",
            ),
        ] {
            let found = read(text).0.unwrap_err().to_string();
            assert!(found.starts_with(expected), "{text}\n  expected {expected}\n  found    {found}");
        }
    }

    #[test]
    fn odd_things_are_warned_of() {
        let (config, warnings) = read(
            "{\"colections\": {}, \"collections\": {\"a b\": {\"type\": \"file\", \"path\": \"x\", \"globs\": 1}}}",
        );
        assert!(config.is_ok());
        assert_eq!(
            warnings,
            [
                "context.json:1:2: the key `colections` is not known and is ignored; did you mean `collections`?",
                "context.json:1:36: the name `a b` is unusual: only letters, digits, `-` and `_` are allowed",
                "context.json:1:73: the key `globs` is not known and is ignored; did you mean `glob`?",
            ]
        );
    }

    #[test]
    fn an_empty_file_declares_nothing() {
        assert!(read("").0.unwrap().collections.is_empty());
        assert!(read("// nothing yet\n").0.unwrap().collections.is_empty());
    }
}
