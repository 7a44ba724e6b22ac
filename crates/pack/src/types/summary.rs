//! The summary pack: what can be said about a project without sending it.

use ai_assist_ecosystem::EntryPointKind;
use serde::{Deserialize, Serialize};

use super::{FileCategory, FileIndexEntry, Manifest, PackMetadata};

/// A project without the content of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryPack {
    /// The project at a glance.
    pub manifest: Manifest,
    /// Every file, sorted by path.
    pub file_index: Vec<FileIndexEntry>,
    /// The whole in a few sentences.
    pub repo_summary: RepoSummary,
    /// The files that matter most.
    pub key_files_summary: Vec<KeyFileSummary>,
    /// Where it starts.
    pub entrypoints: Vec<EntrypointSummary>,
    /// Where to look twice.
    pub risk_hotspots: Vec<RiskHotspot>,
    /// How the pack was made.
    pub metadata: PackMetadata,
}

/// A project in a few sentences, each naming what it was derived from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepoSummary {
    /// Two or three paragraphs.
    pub description: String,
    /// `monolith`, `workspace` and the like.
    pub architecture_pattern: String,
    /// Languages, frameworks, databases.
    pub key_technologies: Vec<String>,
    /// What stands out.
    pub notable_patterns: Vec<String>,
    /// What may be wrong.
    pub potential_concerns: Vec<String>,
}

/// A key file without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFileSummary {
    /// The path inside the root.
    pub path: String,
    pub category: FileCategory,
    pub summary: String,
    /// What others use of it.
    pub exports: Vec<String>,
    /// What it uses of others.
    pub dependencies: Vec<String>,
    /// What stands out in it.
    pub notable_code: Vec<String>,
}

/// Where a project starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntrypointSummary {
    /// The path inside the root.
    pub path: String,
    /// What is reached through it.
    #[serde(rename = "type")]
    pub entrypoint_type: EntryPointKind,
    pub description: String,
    /// What can be asked of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routes_or_commands: Option<Vec<String>>,
}

/// A place to look at twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RiskHotspot {
    /// The path inside the root.
    pub path: String,
    /// What kind of trouble.
    pub risk_type: RiskType,
    /// What was measured.
    pub description: String,
    /// The measurements.
    pub indicators: Vec<String>,
}

/// A kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskType {
    /// Someone may do what they may not.
    Security,
    /// It may be slow.
    Performance,
    /// It is hard to follow.
    Complexity,
    /// Much depends on it.
    Coupling,
}
