use std::collections::BTreeMap;

use ai_assist_ecosystem::DependencyKind;
use serde::{Deserialize, Serialize};

use super::snapshot::is_zero;
use super::{ExclusionReason, FileCategory, FileType, SummaryPack};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContextPack {
    Full(Box<FullPack>),
    Summary(Box<SummaryPack>),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PackType {
    #[default]
    Full,
    Summary,
}

/// A project with the content of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullPack {
    pub manifest: Manifest,
    /// Every file, sent or not, sorted by path.
    pub file_index: Vec<FileIndexEntry>,
    /// The files that matter most, the most important first.
    pub key_files: Vec<KeyFile>,
    /// The other files, sorted by path.
    pub contents: Vec<FileContent>,
    /// Files whose text did not fit, by what they define, sorted by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<FileOutline>,
    pub metadata: PackMetadata,
}

/// A project at a glance.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub project_name: String,
    /// `node`, `python`, `rust` and the like; `unknown` if nothing tells.
    pub project_type: String,
    /// What it is for, as the project itself says; empty if it doesn't.
    pub purpose_guess: String,
    pub structure_summary: String,
    pub dependencies: Vec<Dependency>,
    pub entry_points: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_system: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_framework: Option<String>,
}

/// Something a project is built on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(rename = "type")]
    pub dependency_type: DependencyKind,
}

/// One line of the list of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIndexEntry {
    pub path: String,
    #[serde(rename = "type")]
    pub file_type: FileType,
    pub category: FileCategory,
    pub size_bytes: u64,
    pub included: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusion_reason: Option<ExclusionReason>,
    /// For a folder in the list of a summary: for how many files it stands, which are all below it that have no entry of
    /// their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// Nothing is understood without it.
    Critical,
    High,
    Medium,
}

/// A file that matters more than others, with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFile {
    pub path: String,
    pub category: FileCategory,
    pub importance: Importance,
    pub content: String,
    /// Whether parts of the text were left out.
    pub truncated: bool,
    /// Whether its owner may run it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileContent {
    pub path: String,
    pub content: String,
    /// Whether parts of the text were left out.
    pub truncated: bool,
    pub original_size_bytes: u64,
    /// Whether its owner may run it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// A file without its text: its definitions or headings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOutline {
    pub path: String,
    /// Its language, by the name that is used everywhere here.
    pub language: String,
    /// One signature or heading on each line, indented by depth.
    pub outline: String,
    pub original_size_bytes: u64,
}

/// How much of the project is in a full pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// The text of every file that may be sent, though long ones may be cut.
    Everything,
    /// The texts that matter most; the rest by outlines or names.
    SomeContents,
    /// No text fitted: only outlines.
    Outlines,
    /// Not even outlines fitted: only names.
    IndexOnly,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackMetadata {
    pub pack_type: PackType,
    /// When it was made, RFC 3339; not in a reproducible pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The folder; only its name in a reproducible pack.
    pub source_root: String,
    /// Files seen. A folder that was not entered counts as one.
    pub total_files_scanned: usize,
    pub files_included: usize,
    pub files_excluded: usize,
    /// The bytes of all texts in the pack, outlines included.
    pub total_content_bytes: u64,
    /// Whether parts of any file were left out.
    pub truncation_applied: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selection_reason: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub truncated_files: usize,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exclusions_by_reason: BTreeMap<ExclusionReason, usize>,
    /// Files that could be read and did not fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub files_left_out_for_size: usize,
    /// Those of them of which the pack holds an outline.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub files_outlined: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
    /// Files that the list of files has neither by name nor by folder, because no room was left or no glob asked for them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub file_index_omitted: usize,
    /// Dependencies, entry points and folders that the manifest does not name, because no room was left.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub manifest_omitted: usize,
    /// The tokens of all texts in the pack, outlines included, if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_content_tokens: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// How files in the pack were decoded, where that took a decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub encodings: Vec<EncodingNote>,
    /// How many secret values were taken out, by rule.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub redactions: BTreeMap<String, usize>,
    /// Which part this is, if the pack was split. All other numbers here are those of the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodingNote {
    pub path: String,
    pub encoding: String,
    /// Whether a byte order mark said so.
    pub bom: bool,
    pub replaced_characters: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// From 1.
    pub number: usize,
    pub of: usize,
}

impl ContextPack {
    pub fn metadata(&self) -> &PackMetadata {
        match self {
            ContextPack::Full(pack) => &pack.metadata,
            ContextPack::Summary(pack) => &pack.metadata,
        }
    }

    pub fn manifest(&self) -> &Manifest {
        match self {
            ContextPack::Full(pack) => &pack.manifest,
            ContextPack::Summary(pack) => &pack.manifest,
        }
    }

    pub fn file_index(&self) -> &[FileIndexEntry] {
        match self {
            ContextPack::Full(pack) => &pack.file_index,
            ContextPack::Summary(pack) => &pack.file_index,
        }
    }
}

impl From<FullPack> for ContextPack {
    fn from(pack: FullPack) -> Self {
        ContextPack::Full(Box::new(pack))
    }
}

impl From<SummaryPack> for ContextPack {
    fn from(pack: SummaryPack) -> Self {
        ContextPack::Summary(Box::new(pack))
    }
}
