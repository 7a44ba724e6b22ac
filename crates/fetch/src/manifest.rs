//! `manifest.json`: what a package declares.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of a manifest inside a bundle, and the usual one elsewhere.
pub const MANIFEST_FILE: &str = "manifest.json";

/// A package's manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The package's name.
    pub name: String,
    /// Its version, for display; the URL is what pins it.
    pub version: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Base of relative paths. The manifest's own folder by default; ignored in a bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The dependency whose documents these are, such as `npm:react` or `cargo:serde`; `collections suggest` goes by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependency: Option<String>,
    /// Its files.
    pub sources: Sources,
    /// Vectors computed by the publisher; `collections pack --vectors` writes this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorsEntry>,
    /// Anything else its publisher wants to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
}

/// Where a package's files come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sources {
    /// Patterns relative to the manifest; for `file://` manifests, git repositories and bundles only.
    Glob(Vec<String>),
    /// A list of files.
    Files(Vec<FileEntry>),
}

/// One file of a package.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FileEntry {
    /// A relative path.
    Path(String),
    /// A path or a URL, with a hash.
    Object(FileEntryObject),
}

/// One file of a package, spelled out: either `path` or `url`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileEntryObject {
    /// A relative path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A fully qualified URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// `sha256:` and 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^sha256:[0-9a-fA-F]{64}$"))]
    pub hash: Option<String>,
}

/// A file of vectors that comes with a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VectorsEntry {
    /// The model that made them. They are used only where the same model is.
    pub model: String,
    /// The file, relative to the manifest.
    pub path: String,
    /// `sha256:` and 64 hexadecimal digits.
    #[schemars(regex(pattern = r"^sha256:[0-9a-fA-F]{64}$"))]
    pub hash: String,
}
