//! What lies where in a repository's cache, and what its files hold.
//!
//! ```text
//! <cache root>/repos/<repoId>/
//!   repo.json                             which repository this is
//!   stamps.db                             what reading each file told, to spare reading it again
//!   builds/build.lock                     held by the one builder
//!   builds/current.json                   the pointer, swapped by rename
//!   builds/<buildId>/hold.lock            held, shared, by every reader
//!   builds/<buildId>/index-<mode>/        an index of `ai-assist-index`, with index_state.json
//!   builds/<buildId>/index-<mode>/grams/  an index of `ai-assist-trigram` over the same documents, by the same keys
//!   builds/<buildId>/index-sqlite/<mode>.index.db
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ai_assist_identity::RepoId;
use serde::{Deserialize, Serialize};

/// The version of `current.json`, `index_state.json` and the manifest.
pub const SCHEMA_VERSION: u32 = 1;

/// What an index of a repository is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    Code,
    Prose,
    ExtractedProse,
    /// Structured records: entries of JSONL, CSV and YAML, logs.
    Records,
}

impl Mode {
    /// All four, in the order in which they are shown.
    pub const ALL: [Mode; 4] = [Mode::Code, Mode::Prose, Mode::ExtractedProse, Mode::Records];

    /// The name in configuration, files and flags.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Code => "code",
            Mode::Prose => "prose",
            Mode::ExtractedProse => "extracted-prose",
            Mode::Records => "records",
        }
    }

    pub fn index_dir(self) -> String {
        format!("index-{self}")
    }

    pub fn db_name(self) -> String {
        format!("{self}.index.db")
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl schemars::JsonSchema for Mode {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Mode".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "What an index is about.",
            "enum": Mode::ALL.map(Mode::as_str),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no mode; there are code, prose, extracted-prose and records")]
pub struct UnknownMode(pub String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        Mode::ALL.into_iter().find(|mode| mode.as_str() == text).ok_or_else(|| UnknownMode(text.to_owned()))
    }
}

/// The folder of `index-sqlite` in a build.
pub const SQLITE_DIR: &str = "index-sqlite";
/// The file of a build that its readers hold.
pub const HOLD_FILE: &str = "hold.lock";
/// The folder of an index's grams.
pub const GRAMS_DIR: &str = "grams";
/// The file of an index that says what it is.
pub const STATE_FILE: &str = "index_state.json";

/// The folder of a cache root that has the caches of repositories.
pub const CACHES_DIR: &str = "repos";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoCache {
    /// `repoCacheRoot` of the manifest.
    pub root: PathBuf,
}

impl RepoCache {
    /// The place of a repository below a cache root.
    pub fn new(cache_root: &Path, repo: &RepoId) -> Self {
        RepoCache { root: cache_root.join(CACHES_DIR).join(repo.as_str()) }
    }

    pub fn builds(&self) -> PathBuf {
        self.root.join("builds")
    }

    pub fn current_json(&self) -> PathBuf {
        self.builds().join("current.json")
    }

    pub fn build_lock(&self) -> PathBuf {
        self.builds().join("build.lock")
    }

    pub fn stamps_db(&self) -> PathBuf {
        self.root.join("stamps.db")
    }

    pub fn repo_json(&self) -> PathBuf {
        self.root.join("repo.json")
    }
}

/// The contents of `builds/current.json`. Paths are relative to the repository's cache root, with forward slashes.
///
/// Whoever reads one must not trust it: see the reader of pointers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PointerFile {
    pub schema_version: u32,
    pub build_id: String,
    pub build_root: String,
    /// The folder of each mode; modes may live in different builds.
    #[serde(default)]
    pub build_roots: BTreeMap<Mode, String>,
    #[serde(default)]
    pub modes: Vec<Mode>,
    /// When it was promoted, RFC 3339.
    pub promoted_at: String,
}

/// The contents of `index_state.json` of a mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateFile {
    pub schema_version: u32,
    pub mode: Mode,
    pub build_id: String,
    pub schema: u32,
    pub tokenizer: u32,
    pub chunker: u32,
    pub model: String,
    /// What makes scores comparable: mode, schema, tokenizer, chunker, model; nothing that depends on the repository.
    pub cohort_key: String,
    /// The fallback of the specification: the same without the model, for what is compared by words alone.
    pub compatibility_key: String,
    /// The commit of git it was built at, if there is one.
    pub commit: Option<String>,
    pub dirty: bool,
    pub documents: u64,
    pub chunks: u64,
    /// When it was built, RFC 3339.
    pub built_at: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_one_name_everywhere() {
        for mode in Mode::ALL {
            assert_eq!(mode.as_str().parse(), Ok(mode));
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
        }
        assert_eq!("Code".parse::<Mode>(), Err(UnknownMode("Code".to_owned())));
        assert_eq!(Mode::ExtractedProse.index_dir(), "index-extracted-prose");
        assert_eq!(Mode::Records.db_name(), "records.index.db");
    }
}
