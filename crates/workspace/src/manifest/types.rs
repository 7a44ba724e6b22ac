use std::collections::BTreeMap;
use std::fmt;

use ai_assist_base::json::word;
use ai_assist_identity::{CanonicalPath, RepoId, RepoSetId};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use ai_assist_repo::layout::Mode;
use ai_assist_repo::signature::IndexSignature;
use ai_assist_repo::text_id;

text_id! {
    /// The state of all indexes of a workspace, as one hash.
    ManifestHash, "wm1-", "the hash of a manifest"
}

/// The manifest of a workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "ai-assist workspace manifest", transform = require_all)]
pub struct WorkspaceManifest {
    /// The version of this file.
    #[schemars(extend("const" = 1))]
    pub schema_version: u32,
    /// When it was made, RFC 3339. No part of the hash.
    pub generated_at: String,
    /// Who the members are.
    #[schemars(with = "String", regex(pattern = r"^ws1-[0-9a-f]{40}$"))]
    pub repo_set_id: RepoSetId,
    /// The state of all indexes.
    pub manifest_hash: ManifestHash,
    /// Where the manifest and what belongs to it is kept.
    #[schemars(with = "String")]
    pub federation_cache_root: CanonicalPath,
    /// What it was made from.
    pub workspace: Provenance,
    /// The repositories, by id.
    pub repos: Vec<RepoEntry>,
    /// What was odd.
    #[serde(default)]
    pub diagnostics: Diagnostics,
}

/// What a manifest was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = require_all)]
pub struct Provenance {
    /// The workspace file.
    #[schemars(with = "String")]
    pub workspace_path: CanonicalPath,
    /// The workspace's name.
    pub name: String,
    /// A hash of what the workspace file means.
    #[serde(default)]
    pub workspace_config_hash: Option<String>,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = require_all)]
pub struct RepoEntry {
    /// Its id.
    #[schemars(with = "String", regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{12}$"))]
    pub repo_id: RepoId,
    /// Where it begins.
    #[schemars(with = "String")]
    pub repo_root_canonical: CanonicalPath,
    /// Where its builds are.
    #[schemars(with = "String")]
    pub repo_cache_root: CanonicalPath,
    /// What people call it.
    #[serde(default)]
    pub alias: Option<String>,
    /// To select it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whether it is searched unless told otherwise.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The greater, the more it matters.
    #[serde(default)]
    pub priority: i32,
    /// What its pointer says.
    pub build: BuildEntry,
    /// Its indexes.
    pub indexes: PerMode<IndexEntry>,
    /// Its databases.
    pub sqlite: SqliteEntry,
}

fn yes() -> bool {
    true
}

/// What a repository's pointer says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = require_all)]
pub struct BuildEntry {
    /// The pointer.
    #[schemars(with = "String")]
    pub current_json_path: CanonicalPath,
    /// Whether it is there.
    pub current_json_exists: bool,
    /// When it was changed, in milliseconds since 1970.
    pub current_json_mtime_ms: Option<f64>,
    /// Whether it is a pointer.
    pub parse_ok: bool,
    /// The build that it names.
    pub build_id: Option<String>,
    /// The build's folder.
    #[schemars(with = "Option<String>")]
    pub build_root: Option<CanonicalPath>,
    /// The folders of modes that have one of their own.
    #[schemars(with = "BTreeMap<Mode, String>")]
    pub build_roots: BTreeMap<Mode, CanonicalPath>,
    /// The modes that it names.
    pub modes: Vec<Mode>,
}

/// One thing for each mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(transform = require_all)]
pub struct PerMode<T> {
    /// Of source code.
    pub code: T,
    /// Of documents.
    pub prose: T,
    /// Of comments and docstrings.
    pub extracted_prose: T,
    /// Of records.
    pub records: T,
}

impl<T> PerMode<T> {
    /// Makes one for each, in the order of [`Mode::ALL`].
    pub fn try_of<E>(mut make: impl FnMut(Mode) -> Result<T, E>) -> Result<Self, E> {
        Ok(PerMode {
            code: make(Mode::Code)?,
            prose: make(Mode::Prose)?,
            extracted_prose: make(Mode::ExtractedProse)?,
            records: make(Mode::Records)?,
        })
    }

    pub fn get(&self, mode: Mode) -> &T {
        match mode {
            Mode::Code => &self.code,
            Mode::Prose => &self.prose,
            Mode::ExtractedProse => &self.extracted_prose,
            Mode::Records => &self.records,
        }
    }

    /// All of them, with their modes.
    pub fn iter(&self) -> impl Iterator<Item = (Mode, &T)> {
        Mode::ALL.into_iter().map(|mode| (mode, self.get(mode)))
    }
}

/// An index of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = require_all)]
pub struct IndexEntry {
    /// What it is about.
    pub mode: Mode,
    /// The build that it is in.
    #[schemars(with = "Option<String>")]
    pub index_root: Option<CanonicalPath>,
    /// Its folder.
    #[schemars(with = "Option<String>")]
    pub index_dir: Option<CanonicalPath>,
    /// Whether the folder is there.
    pub present: bool,
    /// What its files are.
    pub index_signature_hash: Option<IndexSignature>,
    /// Indexes with the same key have scores that can be compared.
    pub cohort_key: Option<String>,
    /// What stands in for the key.
    pub compatibility_key: Option<String>,
    /// Whether it can be searched, or why not.
    pub availability_reason: Availability,
    /// More about that.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, String>,
}

/// Whether an index can be searched, or why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Availability {
    /// It can be searched.
    Present,
    /// It was never built, or is gone.
    MissingIndexDir,
    /// Files of it are missing.
    MissingRequiredArtifacts,
    /// The pointer, or a link in the build, leads somewhere that is not followed.
    InvalidPointer,
    /// It does not say what it can be compared with.
    CompatKeyMissing,
}

impl Availability {
    /// What a person is told of it.
    pub fn describe(self) -> &'static str {
        match self {
            Availability::Present => "it is there",
            Availability::MissingIndexDir => "it was never built, or is gone",
            Availability::MissingRequiredArtifacts => "files of it are missing",
            Availability::InvalidPointer => {
                "what names the current build, or a link in it, leads somewhere that is not followed"
            }
            Availability::CompatKeyMissing => "it does not say what it can be compared with",
        }
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&word(self))
    }
}

/// The databases of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = require_all)]
pub struct SqliteEntry {
    /// Where they are: in the active build.
    #[schemars(with = "String")]
    pub dir: CanonicalPath,
    /// The database of each mode, which may be in another build.
    pub dbs: PerMode<DbEntry>,
}

/// A database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = require_all)]
pub struct DbEntry {
    /// The file.
    #[schemars(with = "Option<String>")]
    pub path: Option<CanonicalPath>,
    /// Whether it is there.
    pub present: bool,
    /// `<size>:<mtimeMs>`, and `+<size>:<mtimeMs>` of its log if that holds anything.
    pub file_signature: Option<String>,
}

/// What was odd when a manifest was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = require_all)]
pub struct Diagnostics {
    /// What was not built, or only in part.
    pub warnings: Vec<Diagnostic>,
    /// What is broken.
    pub errors: Vec<Diagnostic>,
}

/// One thing that was odd.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Diagnostic {
    /// For programs.
    pub code: DiagnosticCode,
    /// For people.
    pub message: String,
    /// Of which repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub repo_id: Option<RepoId>,
    /// Of which of its indexes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// What was odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiagnosticCode {
    /// The repository's folder is gone.
    RepoRootMissing,
    /// What the repository says itself can't be used.
    RepoConfigInvalid,
    /// There is no pointer: nothing was built.
    PointerMissing,
    /// There is a pointer that is not followed.
    PointerInvalid,
    /// A link in a build leads out of the repository's cache.
    BuildEscapes,
    /// There is no index of a mode.
    IndexDirMissing,
    /// Files of an index are missing.
    IndexArtifactsMissing,
    /// An index can't be listed, or its database not be looked for.
    IndexUnreadable,
    /// The state of an index can't be read.
    IndexStateUnreadable,
    /// An index does not say what it can be compared with.
    CompatKeyMissing,
}

/// Requires what may be null, too: there it stands as null. Only what has a default may be left out.
fn require_all(schema: &mut Schema) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let nullable = properties.iter().filter(|(_, shape)| may_be_null(shape) && shape.get("default").is_none());
    let mut required: Vec<Value> = nullable.map(|(name, _)| Value::from(name.as_str())).collect();
    required.extend(schema.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
    required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    schema.insert("required".to_owned(), required.into());
}

fn may_be_null(shape: &Value) -> bool {
    let null = Value::from("null");
    let in_type = shape.get("type").and_then(Value::as_array).is_some_and(|kinds| kinds.contains(&null));
    let forms = shape.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    in_type || forms.into_iter().any(|form| form.get("type") == Some(&null))
}
