//! What may be asked, as it is typed: names and texts that the service checks.

use std::path::PathBuf;

use ai_assist_repo::layout::Mode;
use ai_assist_search::{Feature, RankBy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question by words and meaning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Search {
    /// Words, "phrases" and filters such as `path:src/** lang:rust`.
    #[schemars(length(min = 1, max = 10000))]
    pub query: String,
    /// Only these collections, categories, repositories or sessions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// Only the repositories around these folders; over the user's socket alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// Every collection of this machine; over the user's socket alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Answer from what is indexed, without taking in files that have changed since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_sync: bool,
    /// Only paths that match one of these globs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Only these languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub language: Vec<String>,
    /// Only these kinds of files (code, docs, config, logs, session) or of pieces (function, section, …).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kind: Vec<String>,
    /// Which indexes of repositories are searched (default: code and prose).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<ModeName>")]
    pub mode: Vec<Mode>,
    /// Which scores rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<RankName>")]
    pub rank: Option<RankBy>,
    /// Fuse words and meaning by rank, not by score.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_ranks: bool,
    /// Rank without these features.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<FeatureName>")]
    pub without: Vec<Feature>,
    /// Say how each score came about.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub explain: bool,
    /// How many hits at most (default: the setting `search.limit`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Keep the texts of the hits within so many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<usize>,
    /// Goes on where an answer stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Answer with what was found after so many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

/// Lines by a pattern.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Grep {
    /// A regular expression.
    #[schemars(length(min = 1, max = 10000))]
    pub pattern: String,
    /// The pattern is a plain text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore_case: bool,
    /// Only whole words.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub word: bool,
    /// A match may run over line ends.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub multiline: bool,
    /// Only these collections, categories or repositories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// Only the repositories around these folders; over the user's socket alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// Every collection of this machine; over the user's socket alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Answer from what is indexed, without taking in files that have changed since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_sync: bool,
    /// Only paths that match one of these globs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Only these languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub language: Vec<String>,
    /// Which indexes of repositories are searched (default: code, prose and records).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<ModeName>")]
    pub mode: Vec<Mode>,
    /// How many lines at most (default 100).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100000))]
    pub limit: Option<usize>,
    /// Answer with what was found after so many milliseconds (default 10000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

/// Definitions by their name, or a part of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Symbols {
    /// The name, or a part of it.
    #[schemars(length(min = 1, max = 1000))]
    pub name: String,
    /// Only these kinds, such as `function`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kind: Vec<String>,
    /// Only these languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub language: Vec<String>,
    /// Only paths that match one of these globs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Only these collections, categories or repositories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// Only the repositories around these folders; over the user's socket alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// Every collection of this machine; over the user's socket alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Answer from what is indexed, without taking in files that have changed since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_sync: bool,
    /// How many at most (default: the setting `search.limit`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10000))]
    pub limit: Option<usize>,
}

/// The most central definitions of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Map {
    /// The repository, by name (default: the project's own).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The repository around this folder; over the user's socket alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// How many tokens the map may have (default 2000).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<usize>,
    /// Only paths that match one of these globs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Only these languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub language: Vec<String>,
    /// Files, folders or symbols to start from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<String>,
}

/// A text by the place that a person types.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Place {
    /// Such as `docs/tutorial/cors.md:10-20` or `src/lib.rs:5`.
    #[schemars(length(min = 1, max = 5000))]
    pub place: String,
}

// The domain's own types have no schemas: these say the same names.

#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum ModeName {
    Code,
    Prose,
    ExtractedProse,
    Records,
}

#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum RankName {
    Hybrid,
    Words,
    Meaning,
}

#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum FeatureName {
    Kind,
    Definition,
    Role,
    Name,
    Evidence,
    Opening,
    Look,
}
