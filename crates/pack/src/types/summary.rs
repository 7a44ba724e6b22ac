//! The summary pack: what can be said about a project without sending it.

use ai_assist_ecosystem::EntryPointKind;
use serde::{Deserialize, Serialize};

use super::{FileCategory, FileIndexEntry, Manifest, PackMetadata};

/// A project without the content of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryPack {
    pub manifest: Manifest,
    /// Every file, sorted by path; where there is no room for all names, folders stand for files.
    pub file_index: Vec<FileIndexEntry>,
    pub repo_summary: RepoSummary,
    pub key_files_summary: Vec<KeyFileSummary>,
    pub entrypoints: Vec<EntrypointSummary>,
    pub risk_hotspots: Vec<RiskHotspot>,
    pub metadata: PackMetadata,
}

/// A project in a few sentences, each naming what it was derived from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepoSummary {
    pub description: String,
    /// `monolith`, `workspace` and the like.
    pub architecture_pattern: String,
    pub key_technologies: Vec<String>,
    pub notable_patterns: Vec<String>,
    pub potential_concerns: Vec<String>,
}

/// A key file without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFileSummary {
    pub path: String,
    pub category: FileCategory,
    pub summary: String,
    pub exports: Vec<String>,
    pub dependencies: Vec<String>,
    pub notable_code: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntrypointSummary {
    pub path: String,
    #[serde(rename = "type")]
    pub entrypoint_type: EntryPointKind,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routes_or_commands: Option<Vec<String>>,
}

/// A place to look at twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RiskHotspot {
    pub path: String,
    pub risk_type: RiskType,
    pub description: String,
    pub indicators: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskType {
    /// Someone may do what they may not.
    Security,
    Performance,
    Complexity,
    Coupling,
}
