//! The state of a project at the time of a scan.

use ai_assist_identity::Sha256;
use serde::{Deserialize, Serialize};

use super::{ExclusionReason, FileCategory, FileType};

/// A project as a scan found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectSnapshot {
    /// The folder, absolute, with forward slashes.
    pub root_path: String,
    /// When it was scanned, RFC 3339.
    pub scan_timestamp: String,
    pub directory_tree: DirectoryNode,
    /// Files seen, selected or not. A folder that was not entered counts as one.
    pub total_files: usize,
    pub total_directories: usize,
    pub total_size_bytes: u64,
    /// Every file that was selected by name, sorted by path; those that could not be read stand in `excluded_files` too.
    pub files: Vec<FileMetadata>,
    /// What stays out, sorted by path, save for what no glob asked for or what is hidden.
    pub excluded_files: Vec<ExcludedFile>,
    /// How many stay out, those that `excluded_files` does not name included.
    pub exclusion_stats: ExclusionStats,
}

/// How many files stay out, in the four groups of the spec and those that can't be read, if there are any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExclusionStats {
    /// By a pattern, as a dependency, as a build's output or as a cache.
    pub by_pattern: usize,
    pub by_size: usize,
    /// Because they are no text.
    pub by_binary: usize,
    pub by_credentials: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub by_unreadable: usize,
}

impl ExclusionStats {
    pub fn add(&mut self, reason: ExclusionReason, count: usize) {
        *match reason {
            ExclusionReason::Credentials => &mut self.by_credentials,
            ExclusionReason::Binary => &mut self.by_binary,
            ExclusionReason::SizeLimit => &mut self.by_size,
            ExclusionReason::Unreadable => &mut self.by_unreadable,
            ExclusionReason::PatternMatch
            | ExclusionReason::DependencyDir
            | ExclusionReason::BuildOutput
            | ExclusionReason::Cache => &mut self.by_pattern,
        } += count;
    }

    pub fn total(&self) -> usize {
        self.by_pattern + self.by_size + self.by_binary + self.by_credentials + self.by_unreadable
    }
}

/// A folder and what is in it: folders and files by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryNode {
    pub name: String,
    /// Its path inside the root; empty for the root.
    pub path: String,
    /// What is in it, sorted by name.
    pub children: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Node {
    Directory(DirectoryNode),
    File(FileNode),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileNode {
    pub name: String,
    pub path: String,
    pub size_bytes: u64,
    #[serde(rename = "type")]
    pub file_type: FileType,
}

/// What is known of a file that was selected by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMetadata {
    /// The absolute path, with forward slashes.
    pub path: String,
    pub relative_path: String,
    pub name: String,
    /// What follows the last dot, lower case; empty if nothing does.
    pub extension: String,
    pub size_bytes: u64,
    #[serde(rename = "type")]
    pub file_type: FileType,
    pub category: FileCategory,
    /// Whether it was chosen as one of the files that matter most.
    pub is_key_file: bool,
    pub content_extractable: bool,
    /// The hash of its raw bytes, if it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Sha256>,
    /// How it was decoded, where that took a decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replaced_characters: usize,
    /// Whether its owner may run it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

pub(crate) fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcludedFile {
    pub path: String,
    pub reason: ExclusionReason,
    /// What is known of the rule that decided: the finer reason and the pattern or limit. Never any content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rule: String,
    #[serde(default)]
    pub size_bytes: u64,
}
