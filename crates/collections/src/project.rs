//! `context.json`: what a project declares.

use std::path::{Path, PathBuf};

use ai_assist_identity::{CollectionKind, Sha256, shown_url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::read_text;
use crate::patterns::joined;
use crate::{Error, Layer, Result};
use ai_assist_base::json::Warning;

mod read;

pub(crate) use read::parse;

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

pub(crate) fn default_glob() -> String {
    DEFAULT_GLOB.to_owned()
}

impl CollectionSpec {
    pub fn package(url: impl Into<String>) -> Self {
        CollectionSpec::Pkg { url: url.into(), hash: None, package: None, dependency: None }
    }

    pub fn files(path: impl Into<String>, glob: impl Into<String>) -> Self {
        CollectionSpec::File { path: path.into(), glob: glob.into(), dependency: None }
    }

    pub fn dependency(&self) -> Option<&str> {
        match self {
            CollectionSpec::File { dependency, .. } | CollectionSpec::Pkg { dependency, .. } => dependency.as_deref(),
        }
    }

    /// What the bytes of a package's manifest or bundle must hash to.
    pub fn hash(&self) -> Result<Option<Sha256>> {
        match self {
            CollectionSpec::Pkg { url, hash: Some(hash), .. } => match hash.parse() {
                Ok(hash) => Ok(Some(hash)),
                Err(error) => Err(Error::BadPackage { url: url.clone(), reason: format!("{error}") }),
            },
            _ => Ok(None),
        }
    }

    pub fn kind(&self) -> CollectionKind {
        match self {
            CollectionSpec::File { .. } => CollectionKind::File,
            CollectionSpec::Pkg { .. } => CollectionKind::Pkg,
        }
    }

    /// The source as people write it, without what lets them in, which they should not have written there.
    pub fn source(&self) -> String {
        match self {
            CollectionSpec::File { path, glob, .. } => format!("{path} ({glob})"),
            CollectionSpec::Pkg { url, .. } => shown_url(url),
        }
    }
}

/// A collection as a configuration declares it: a source, categories, or both.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Declaration {
    /// What it is made from, besides its categories.
    #[serde(flatten)]
    pub source: Option<CollectionSpec>,
    pub categories: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Declaration {
    pub fn dependency(&self) -> Option<&str> {
        self.source.as_ref()?.dependency()
    }
}

impl From<CollectionSpec> for Declaration {
    fn from(source: CollectionSpec) -> Self {
        Declaration { source: Some(source), ..Declaration::default() }
    }
}

/// Files of the project under a name of their own, from which collections are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CategorySpec {
    /// The folder, relative to the project's root and inside it.
    pub dir: String,
    /// Which of its files, such as `**/*.md`. `*` does not cross `/`, `**` does.
    #[schemars(length(min = 1))]
    pub patterns: Vec<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl CategorySpec {
    /// The collection of type `file` that it is indexed as. The order of the patterns changes nothing.
    pub fn source(&self) -> CollectionSpec {
        CollectionSpec::files(self.dir.clone(), joined(&self.patterns))
    }
}

/// What a configuration file declares, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct ProjectConfig {
    pub collections: Vec<(String, Declaration)>,
    pub categories: Vec<(String, CategorySpec)>,
    pub settings: Layer,
}

impl ProjectConfig {
    pub fn get(&self, name: &str) -> Option<&Declaration> {
        self.collections.iter().find(|(found, _)| found == name).map(|(_, declaration)| declaration)
    }

    pub fn category(&self, name: &str) -> Option<&CategorySpec> {
        self.categories.iter().find(|(found, _)| found == name).map(|(_, category)| category)
    }
}

/// A project: a folder with a configuration.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder, symlinks resolved.
    pub root: PathBuf,
    pub file: PathBuf,
    pub config: ProjectConfig,
    pub warnings: Vec<Warning>,
}

impl Project {
    /// Looks for a project from `start` upwards, as git does.
    pub fn find(start: &Path, file_name: &str) -> Result<Option<Project>> {
        for folder in start.ancestors() {
            let file = folder.join(file_name);
            if file.is_file() {
                return Project::load(&file).map(Some);
            }
        }
        Ok(None)
    }

    pub fn load(file: &Path) -> Result<Project> {
        let text = read_text(file)?;
        let mut warnings = Vec::new();
        let config = parse(file, &text, &mut warnings)?;
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let root = std::fs::canonicalize(folder).map_err(Error::io("resolving", folder))?;
        Ok(Project { root, file: file.to_owned(), config, warnings })
    }
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
