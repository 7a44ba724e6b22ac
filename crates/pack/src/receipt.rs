//! The transparency record: what left the machine, what did not, and the hash of the record before.
//!
//! A record's own hash is over its stable JSON without that hash. Each record holds the hash of the one before it, so
//! that none can be changed, taken out or put in later without the rest showing it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ai_assist_ecosystem::is_manifest;
use ai_assist_identity::{Sha256, jcs};
use serde::{Deserialize, Serialize};

use crate::types::{
    ContextPack, ExcludedFile, ExclusionReason, ExclusionStats, FileOutline, PackType, SummaryPack, is_zero,
};
use crate::{PackError, Snapshot, yaml};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransparencyRecord {
    /// The version of the program that made the pack.
    pub tool_version: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    pub source_root: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    pub context_pack_info: ContextPackInfo,
    /// Every file sent, sorted by path.
    pub files: Vec<SentFile>,
    /// Files of which an outline was sent instead of their text, sorted by path; the hash and the bytes are the outline's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlined: Vec<SentFile>,
    /// Files from whose text the statements of a summary were derived: names, exports, routes and the like of them were
    /// sent. Sorted by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summarised: Vec<String>,
    /// Every file that stays out and has a name here: what no glob asked for has none.
    pub excluded: Vec<ExcludedFile>,
    /// Files sent that somebody named by hand, past every rule and with nothing taken out.
    pub allowed: Vec<String>,
    /// What somebody wanted to go out as it is, with the reason: values of one rule in a file, or a file as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowances: Vec<SentAllowance>,
    /// How many secret values were taken out, by rule.
    pub redactions: BTreeMap<String, usize>,
    pub pack_hash: Sha256,
    pub pack_bytes: u64,
    /// The tokens of these bytes, if they were counted; of its JSON for MessagePack, which is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_tokens: Option<usize>,
    pub previous: Option<Sha256>,
    /// The hash of this record without this field.
    pub record_hash: Sha256,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPackInfo {
    #[serde(rename = "type")]
    pub pack_type: PackType,
    pub selection_reason: String,
    pub files_scanned: usize,
    pub files_included: usize,
    pub files_excluded: usize,
    /// Why not, in the four groups of the spec.
    pub exclusions_by_reason: ExclusionCounts,
    /// Why not, in each reason.
    pub exclusions_by_each_reason: BTreeMap<ExclusionReason, usize>,
    pub content_bytes: u64,
    /// Tokens of the files' texts, or of a summary's statements, without the rest of the pack; if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_tokens: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    pub truncated_files: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExclusionCounts {
    pub credentials: usize,
    pub binary: usize,
    /// Too large, or no room.
    pub size: usize,
    /// Patterns, dependencies, outputs of builds and caches.
    pub pattern: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentFile {
    pub path: String,
    /// The hash of its bytes on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Sha256>,
    pub sent_hash: Sha256,
    pub bytes: u64,
    /// Whether parts of it were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// How many secret values were taken out, by rule.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub redactions: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentAllowance {
    pub path: String,
    /// The rule whose values stayed; none for a file that was allowed as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    pub reason: String,
    /// The lines on which these values stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<usize>,
}

/// A pack's bytes as they leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    pub hash: Sha256,
    pub bytes: u64,
    /// As [`render_to`](crate::render_to) says.
    pub tokens: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
pub struct Sending<'a> {
    pub snapshot: &'a Snapshot,
    pub pack: &'a ContextPack,
    pub written: Written,
    pub provider: Option<&'a str>,
    pub tool_version: &'a str,
    pub previous: Option<Sha256>,
}

pub fn record(sending: &Sending<'_>) -> Result<TransparencyRecord, PackError> {
    let project = &sending.snapshot.project;
    let metadata = sending.pack.metadata();
    let mut stats = ExclusionStats::default();
    for (&reason, &count) in &metadata.exclusions_by_reason {
        stats.add(reason, count);
    }
    let every = ExclusionReason::ALL.map(|reason| (reason, metadata.exclusions_by_reason.get(&reason).copied()));
    let Sent { files, outlined, summarised, allowed, allowances } = sent_files(sending);
    let mut record = TransparencyRecord {
        tool_version: sending.tool_version.to_owned(),
        created_at: metadata.created_at.clone().unwrap_or_else(|| project.scan_timestamp.clone()),
        source_root: project.root_path.clone(),
        provider: sending.provider.map(str::to_owned),
        context_pack_info: ContextPackInfo {
            pack_type: metadata.pack_type,
            selection_reason: metadata.selection_reason.clone(),
            files_scanned: metadata.total_files_scanned,
            files_included: metadata.files_included,
            files_excluded: metadata.files_excluded,
            exclusions_by_reason: ExclusionCounts {
                credentials: stats.by_credentials,
                binary: stats.by_binary,
                size: stats.by_size,
                pattern: stats.by_pattern,
                unreadable: stats.by_unreadable,
            },
            exclusions_by_each_reason: every.into_iter().map(|(reason, count)| (reason, count.unwrap_or(0))).collect(),
            content_bytes: metadata.total_content_bytes,
            content_tokens: metadata.total_content_tokens,
            tokenizer: metadata.tokenizer.clone(),
            truncated_files: metadata.truncated_files,
        },
        files,
        outlined,
        summarised,
        excluded: excluded(sending),
        allowed,
        allowances,
        redactions: metadata.redactions.clone(),
        pack_hash: sending.written.hash,
        pack_bytes: sending.written.bytes,
        pack_tokens: sending.written.tokens,
        previous: sending.previous,
        record_hash: Sha256::from_bytes([0; 32]),
    };
    record.record_hash = record.hash()?;
    Ok(record)
}

#[derive(Default)]
struct Sent {
    files: Vec<SentFile>,
    outlined: Vec<SentFile>,
    summarised: Vec<String>,
    /// Those of them that were named by hand.
    allowed: Vec<String>,
    allowances: Vec<SentAllowance>,
}

fn sent_files(sending: &Sending<'_>) -> Sent {
    let files = &sending.snapshot.project.files;
    let places: HashMap<&str, usize> = files.iter().enumerate().map(|(at, f)| (f.relative_path.as_str(), at)).collect();
    let sent = |path: &String, text: &str, truncated: bool| {
        let place = places.get(path.as_str()).copied();
        let redactions = place.map_or(&[][..], |index| sending.snapshot.redactions(index));
        SentFile {
            path: path.clone(),
            hash: place.and_then(|index| files[index].hash),
            sent_hash: Sha256::of(text.as_bytes()),
            bytes: text.len() as u64,
            truncated,
            redactions: redactions.iter().map(|r| (r.rule.to_owned(), r.count)).collect(),
        }
    };
    let mut all = match sending.pack {
        ContextPack::Full(pack) => {
            let keys = pack.key_files.iter().map(|file| sent(&file.path, &file.content, file.truncated));
            let contents = pack.contents.iter().map(|file| sent(&file.path, &file.content, file.truncated));
            // What was taken out of the text need not have stood in a signature.
            let outline =
                |file: &FileOutline| SentFile { redactions: BTreeMap::new(), ..sent(&file.path, &file.outline, false) };
            let outlined = pack.outlines.iter().map(outline).collect();
            Sent { files: keys.chain(contents).collect(), outlined, ..Sent::default() }
        }
        ContextPack::Summary(pack) => Sent { summarised: summarised(pack, &places), ..Sent::default() },
    };
    all.files.sort_by(|a, b| a.path.cmp(&b.path));
    all.outlined.sort_by(|a, b| a.path.cmp(&b.path));
    let by_hand = |path: &str| places.get(path).is_some_and(|&index| sending.snapshot.is_allowed(index));
    let named = || all.files.iter().chain(&all.outlined).map(|file| &file.path).chain(&all.summarised);
    let mut allowed: Vec<String> = named().filter(|path| by_hand(path)).cloned().collect();
    allowed.sort();
    let told = |path: &String| {
        let index = places.get(path.as_str()).copied();
        let values = index.map_or(Vec::new(), |index| sending.snapshot.allowed_values(index));
        let each = values.into_iter().map(|(allowance, lines)| SentAllowance {
            path: path.clone(),
            rule: allowance.rule.clone(),
            reason: allowance.reason.clone(),
            lines: lines.to_vec(),
        });
        each.collect::<Vec<_>>()
    };
    let mut allowances: Vec<SentAllowance> = named().flat_map(told).collect();
    allowances.sort_by(|a, b| (&a.path, &a.rule).cmp(&(&b.path, &b.rule)));
    Sent { allowed, allowances, ..all }
}

/// The files that a summary speaks of, and the manifests it was described by.
fn summarised(pack: &SummaryPack, places: &HashMap<&str, usize>) -> Vec<String> {
    let keys = pack.key_files_summary.iter().map(|file| file.path.as_str());
    let entries = pack.entrypoints.iter().map(|entry| entry.path.as_str());
    let risks = pack.risk_hotspots.iter().map(|risk| risk.path.as_str());
    let manifests = places.keys().copied().filter(|path| is_manifest(path));
    let all: BTreeSet<&str> = keys.chain(entries).chain(risks).chain(manifests).collect();
    all.into_iter().map(str::to_owned).collect()
}

/// What stays out by the rules, and what could be read and was not sent.
fn excluded(sending: &Sending<'_>) -> Vec<ExcludedFile> {
    let project = &sending.snapshot.project;
    let mut excluded = project.excluded_files.clone();
    let ContextPack::Full(pack) = sending.pack else { return excluded };
    let keys = pack.key_files.iter().map(|file| file.path.as_str());
    let sent: HashSet<&str> = keys.chain(pack.contents.iter().map(|file| file.path.as_str())).collect();
    let told: HashMap<&str, ExclusionReason> =
        pack.file_index.iter().filter_map(|entry| Some((entry.path.as_str(), entry.exclusion_reason?))).collect();
    let readable = project.files.iter().filter(|file| file.content_extractable);
    excluded.extend(readable.filter(|file| !sent.contains(file.relative_path.as_str())).map(|file| ExcludedFile {
        path: file.relative_path.clone(),
        reason: told.get(file.relative_path.as_str()).copied().unwrap_or(ExclusionReason::SizeLimit),
        rule: "did not fit into the pack, or changed while it was made".to_owned(),
        size_bytes: file.size_bytes,
    }));
    excluded.sort_by(|a, b| a.path.cmp(&b.path));
    excluded
}

impl TransparencyRecord {
    /// The hash that `record_hash` should be.
    pub fn hash(&self) -> Result<Sha256, PackError> {
        let failed = |message: String| PackError::Write { format: "stable JSON", message };
        let mut value = serde_json::to_value(self).map_err(|error| failed(error.to_string()))?;
        if let Some(fields) = value.as_object_mut() {
            fields.remove("record_hash");
        }
        Ok(Sha256::of(&jcs::to_vec(&value).map_err(|error| failed(error.to_string()))?))
    }

    /// The record as YAML, for people.
    pub fn to_yaml(&self) -> Result<String, PackError> {
        let value = serde_json::to_value(self)
            .map_err(|error| PackError::Write { format: "YAML", message: error.to_string() })?;
        Ok(yaml::to_string(&value))
    }

    /// The record as one line of JSON, for a log that is only added to.
    pub fn to_json(&self) -> Result<String, PackError> {
        serde_json::to_string(self).map_err(|error| PackError::Write { format: "JSON", message: error.to_string() })
    }

    pub fn from_json(text: &str) -> Result<Self, PackError> {
        serde_json::from_str(text).map_err(|error| PackError::Read { format: "JSON", message: error.to_string() })
    }
}

/// Where a chain of records is broken; counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    #[error("record {number} of {} was changed after it was made: its hash is {found}, it says {stated}", .created_at)]
    Changed { number: usize, created_at: String, found: Sha256, stated: Sha256 },
    #[error("record {number} does not follow the one before it: it names {}, not {expected}", .named.map_or("none".to_owned(), |h| h.to_string()))]
    Broken { number: usize, named: Option<Sha256>, expected: Sha256 },
    #[error("the first record names {named} before it, which is not there")]
    NoBeginning { named: Sha256 },
    #[error("record {number} can't be hashed: {message}")]
    Unhashable { number: usize, message: String },
}

/// Checks that no record was changed and that each follows the one before it.
pub fn verify_chain(records: &[TransparencyRecord]) -> Result<(), ChainError> {
    let mut chain = Chain::default();
    records.iter().try_for_each(|record| chain.follow(record))
}

/// A chain that is checked record by record, of which only the last hash is held.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Chain {
    pub(crate) records: usize,
    pub(crate) last: Option<Sha256>,
}

impl Chain {
    pub(crate) fn follow(&mut self, record: &TransparencyRecord) -> Result<(), ChainError> {
        let number = self.records + 1;
        let found = record.hash().map_err(|error| ChainError::Unhashable { number, message: error.to_string() })?;
        if found != record.record_hash {
            let (created_at, stated) = (record.created_at.clone(), record.record_hash);
            return Err(ChainError::Changed { number, created_at, found, stated });
        }
        match (self.last, record.previous) {
            (None, None) => {}
            (None, Some(named)) => return Err(ChainError::NoBeginning { named }),
            (Some(expected), named) if named == Some(expected) => {}
            (Some(expected), named) => return Err(ChainError::Broken { number, named, expected }),
        }
        *self = Chain { records: number, last: Some(found) };
        Ok(())
    }
}
