//! `context.json`: what a project declares.

use std::path::{Path, PathBuf};

use ai_assist_base::RealPath;
use ai_assist_identity::{CollectionKind, Sha256, shown_url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::read_text;
use crate::patterns::joined;
use crate::{Error, Layer, Result};
use ai_assist_base::json::Warning;

mod read;

pub(crate) use read::parse;

/// The glob of a `file` collection or a git repository that names none: documents of every format.
pub(crate) const DEFAULT_GLOB: &str = ai_assist_admit::Globs::DOCUMENTS;

/// What a collection is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum CollectionSpec {
    /// Files of a folder.
    File {
        /// The folder, relative to the project's root.
        path: String,
        /// Which of its files, such as `**/*.md`; documents of every format by default. `*` does not cross `/`, `**` does.
        #[serde(default = "default_glob")]
        glob: String,
        /// The dependency whose documents these are, such as `cargo:serde@1.0.200`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dependency: Option<String>,
    },
    /// What the project depends on, at the versions in its lock files: documents and public items, as the package managers have them on
    /// this machine.
    Dep {
        /// Some of them, such as `npm:express`; without, all that the project names itself.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dependencies: Vec<String>,
        /// Whether the dependencies of dependencies belong to it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        transitive: bool,
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
        /// Never asked for at an address of this machine or its network, whatever its name comes to mean. What an agent adds has this.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        public: bool,
    },
    /// Pages of a website: those at and below a URL.
    Site {
        /// Where it begins, such as `https://docs.example.org/guide/`.
        url: String,
        /// Which of its pages: globs over what follows in their URLs, such as `api/**`. All by default.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        include: Vec<String>,
        /// Which of its pages are left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exclude: Vec<String>,
        /// More pages than this are left out.
        #[serde(default, rename = "maxPages", skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        max_pages: Option<usize>,
        /// Links that lead further from the first page than this are not followed.
        #[serde(default, rename = "maxDepth", skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        max_depth: Option<usize>,
        /// Never asked for at an address of this machine or its network, whatever its name comes to mean. What an agent adds has this.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        public: bool,
    },
}

pub(crate) fn default_glob() -> String {
    DEFAULT_GLOB.to_owned()
}

impl CollectionSpec {
    pub fn package(url: impl Into<String>) -> Self {
        CollectionSpec::Pkg { url: url.into(), hash: None, package: None, dependency: None, public: false }
    }

    pub fn files(path: impl Into<String>, glob: impl Into<String>) -> Self {
        CollectionSpec::File { path: path.into(), glob: glob.into(), dependency: None }
    }

    pub fn site(url: impl Into<String>) -> Self {
        CollectionSpec::Site {
            url: url.into(),
            include: Vec::new(),
            exclude: Vec::new(),
            max_pages: None,
            max_depth: None,
            public: false,
        }
    }

    /// The same, asked for at public addresses only. Nothing changes for what is not asked for over the network.
    pub fn at_public_addresses(mut self) -> Self {
        let is_remote = |url: &str| url.starts_with("https://") || url.starts_with("git+https://");
        if let CollectionSpec::Pkg { url, public, .. } | CollectionSpec::Site { url, public, .. } = &mut self {
            *public = is_remote(url);
        }
        self
    }

    pub fn is_public(&self) -> bool {
        matches!(self, CollectionSpec::Pkg { public: true, .. } | CollectionSpec::Site { public: true, .. })
    }

    pub fn dependency(&self) -> Option<&str> {
        match self {
            CollectionSpec::File { dependency, .. } | CollectionSpec::Pkg { dependency, .. } => dependency.as_deref(),
            CollectionSpec::Dep { .. } => None,
            CollectionSpec::Site { .. } => None,
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
            CollectionSpec::Dep { .. } => CollectionKind::Dep,
            CollectionSpec::Site { .. } => CollectionKind::Site,
        }
    }

    /// The source as people write it, without what lets them in, which they should not have written there.
    pub fn source(&self) -> String {
        match self {
            CollectionSpec::File { path, glob, .. } => format!("{path} ({glob})"),
            CollectionSpec::Pkg { url, .. } | CollectionSpec::Site { url, .. } => shown_url(url),
            CollectionSpec::Dep { dependencies, transitive } => match (dependencies.as_slice(), transitive) {
                ([], false) => "dependencies of the project".to_owned(),
                ([], true) => "dependencies of the project and theirs".to_owned(),
                (names, _) => names.join(", "),
            },
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
        let root = folder.real_path().map_err(Error::io("resolving", folder))?;
        Ok(Project { root, file: file.to_owned(), config, warnings })
    }
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
