//! The shapes of answers whose own types belong to crates that know no schemas. Only the schemas of these are looked at; a test
//! holds them against real answers, so that neither can move without the other.

#![expect(dead_code, reason = "only schemas are made of these")]

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize, JsonSchema)]
pub(crate) struct Lines {
    start: u32,
    /// The last line, not before the first.
    end: u32,
}

/// The answer to a question.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    /// Best first.
    hits: Vec<Hit>,
    /// How many pieces count as found in all.
    found: usize,
    considered: usize,
    /// The tokens of all texts, if a budget was given.
    tokens: Option<usize>,
    /// Gives the next hits, if there are any.
    cursor: Option<String>,
    /// The collections that were searched.
    collections: Vec<String>,
    /// The sessions that were searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sessions: Vec<String>,
    repos: Vec<RepoOutcome>,
    warnings: Vec<Warning>,
    /// Whether an index failed or was not done in time.
    partial: bool,
    /// Whether the best hit has little of what was asked.
    weak: bool,
}

/// A found piece. It is of a collection, a repository or a session.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hit {
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    #[serde(skip_serializing_if = "Nullable::is_left_out")]
    category: Nullable,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection_id: Option<String>,
    #[serde(skip_serializing_if = "Nullable::is_left_out")]
    version: Nullable,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(skip_serializing_if = "Nullable::is_left_out")]
    commit: Nullable,
    #[serde(skip_serializing_if = "Option::is_none")]
    build_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Its path in the collection or the repository.
    document: String,
    /// Where the file is on the machine of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The page of a website that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    lines: Lines,
    /// Where in the original file it stands, such as `page 3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// Headings or symbols around it, outermost first.
    path: Vec<String>,
    title: Option<String>,
    kind: String,
    language: String,
    hash: String,
    freshness: Freshness,
    score: f32,
    words: f32,
    cosine: f32,
    text: String,
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
}

/// A text that may be left out, and may be null where it is not: some kinds of hits have it, and some of those have none.
#[derive(Serialize)]
pub(crate) struct Nullable(Option<String>);

impl Nullable {
    fn is_left_out(&self) -> bool {
        self.0.is_none()
    }
}

impl JsonSchema for Nullable {
    fn schema_name() -> Cow<'static, str> {
        "Nullable".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [{ "type": "string" }, { "type": "null" }] })
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Explanation {
    formula: Map<String, Value>,
    parts: Vec<Map<String, Value>>,
    terms: Vec<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Freshness {
    Current,
    Changed,
    Missing,
    Unknown,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepoOutcome {
    repo_id: String,
    repo: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    indexes: Vec<IndexOutcome>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IndexOutcome {
    mode: String,
    status: IndexStatus,
    reason: Option<String>,
    build_id: Option<String>,
    commit: Option<String>,
    dirty: bool,
    documents: u64,
    chunks: u64,
    hits: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum IndexStatus {
    Searched,
    Unavailable,
    OtherCohort,
    Failed,
    TimedOut,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Warning {
    code: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundLines {
    lines: Vec<FoundLine>,
    found: usize,
    files: usize,
    scanned: usize,
    documents: usize,
    /// How many documents were not searched to their end.
    unfinished: usize,
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    document: String,
    lines: Lines,
    text: String,
    /// Where in the text the matches are, in bytes: from and to.
    matches: Vec<Vec<usize>>,
    language: String,
    hash: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundSymbols {
    /// The best match first.
    symbols: Vec<FoundSymbol>,
    more: bool,
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundSymbol {
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    name: String,
    kind: String,
    signature: Option<String>,
    lines: Lines,
    parent: Option<String>,
    path: String,
    language: String,
    hash: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepoMap {
    files: Vec<MapFile>,
    tokens: usize,
    definitions: usize,
    shown: usize,
    documents: usize,
    tokenizer: String,
    /// What of the focus names nothing in the repository.
    unmatched: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct MapFile {
    path: String,
    language: String,
    rank: f64,
    symbols: Vec<MapSymbol>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MapSymbol {
    name: String,
    kind: String,
    signature: Option<String>,
    lines: Lines,
    parent: Option<String>,
    rank: f64,
    /// How many other files use it.
    referenced_by: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadPlace {
    place: String,
    collection: Option<String>,
    repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    document: String,
    file: Option<String>,
    language: String,
    freshness: Freshness,
    lines: Option<Lines>,
    total_lines: usize,
    text: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Entries {
    entries: Vec<Entry>,
}

/// Something that can be searched.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    name: String,
    kind: EntryKind,
    source: String,
    /// Whether it comes from the user's own configuration.
    global: bool,
    documents: u64,
    state: EntryState,
    detail: Option<String>,
    indexed_at: Option<String>,
    bytes: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EntryKind {
    Folder,
    Package,
    Dependencies,
    Website,
    Collection,
    Category,
    Repository,
    WorkspaceRepository,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EntryState {
    Current,
    Stale,
    NotIndexed,
    Error,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ProjectStatus {
    entries: Vec<Entry>,
    sessions: usize,
    disk: Vec<DiskUse>,
    bytes: u64,
    data: String,
    cache: String,
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DiskUse {
    what: String,
    path: String,
    bytes: u64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Findings {
    findings: Vec<Finding>,
    healthy: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Finding {
    subject: String,
    health: Health,
    message: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Health {
    Good,
    Repaired,
    Repairable,
    Broken,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Repositories {
    repositories: Vec<RepositoryState>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepositoryState {
    repository: String,
    repo_id: String,
    root: String,
    /// Whether it is the project's own.
    own: bool,
    #[serde(skip_serializing_if = "Nullable::is_left_out")]
    build_id: Nullable,
    #[serde(skip_serializing_if = "Nullable::is_left_out")]
    commit: Nullable,
    #[serde(skip_serializing_if = "Option::is_none")]
    dirty: Option<bool>,
    #[serde(skip_serializing_if = "Nullable::is_left_out")]
    built_at: Nullable,
    /// By mode: build, documents, chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    modes: Option<Map<String, Value>>,
    /// `state` is current, stale, missing or broken; the rest says more.
    #[serde(skip_serializing_if = "Option::is_none")]
    freshness: Option<Map<String, Value>>,
    /// Why nothing can be said of it.
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct WorkspaceState {
    workspace: String,
    file: String,
    repositories: Vec<RepositoryState>,
    warnings: Vec<String>,
}
