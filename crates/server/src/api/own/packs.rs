//! Packs: what goes into one and what does not, its text, and the receipts.

use ai_assist_app::{PackFiles, Project};
use ai_assist_base::RealPath;
use ai_assist_base::json::word;
use ai_assist_identity::Sha256;
use ai_assist_mcp::{ErrorType, Failure};
use ai_assist_pack::types::{ContextPack, PackConstraints, TruncationConfig};
use ai_assist_pack::{Format, Made, PackRequest, ScanOptions, Stage, TransparencyRecord, Wanted, Written, render};
use ai_assist_text::count_tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::route::{Asked, Procedure};

const BUDGET: usize = 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PackForm {
    #[default]
    Markdown,
    Xml,
    Json,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MakePack {
    /// `full` has the texts of what matters most, `summary` only what can be said about the project.
    #[serde(default, rename = "type")]
    kind: Wanted,
    /// Only files that match one of these globs.
    #[serde(default)]
    include: Vec<String>,
    /// No files that match one of these globs.
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    format: PackForm,
    /// How many tokens the pack may have (default 60000).
    #[serde(default)]
    #[schemars(range(min = 500, max = 10_000_000))]
    max_tokens: Option<usize>,
    /// Only say what would be in it. Nothing leaves, and no receipt is written.
    #[serde(default)]
    preview: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MadePack {
    #[serde(rename = "type")]
    kind: String,
    /// Why it is of that type.
    reason: String,
    tokens: usize,
    bytes: usize,
    /// What is in it, by path, with the tokens that each file takes: the data of a treemap.
    files: Vec<PackedFile>,
    /// What stays out, and why.
    left_out: Vec<LeftOut>,
    /// How many stay out without a name here: no glob asked for them, or they are hidden.
    unlisted: usize,
    /// How many secret values were taken out, by rule.
    redactions: Map<String, Value>,
    warnings: Vec<String>,
    /// The text; none for a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<String>,
    /// The number of the receipt; none for a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackedFile {
    path: String,
    tokens: usize,
    bytes: usize,
    /// Whether its text is in, or an outline of it.
    outline: bool,
    truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LeftOut {
    path: String,
    reason: String,
    /// The finer reason, and the pattern or limit.
    #[serde(skip_serializing_if = "String::is_empty")]
    rule: String,
    bytes: u64,
}

impl Procedure for MakePack {
    type Answer = MadePack;
    type Shape = MadePack;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<MadePack, Failure> {
        let root = project.root().real_path().unwrap_or_else(|_| project.root().to_owned());
        let files = PackFiles { root, include: self.include, exclude: self.exclude, ..PackFiles::default() };
        let chosen = files.choose(asked.cancel)?;
        let format = match self.format {
            PackForm::Markdown => Format::Markdown,
            PackForm::Xml => Format::Xml,
            PackForm::Json => Format::Json,
        };
        let request = PackRequest {
            choice: chosen.choice.clone(),
            stop_at_secrets: false,
            wanted: self.kind,
            constraints: PackConstraints {
                max_content_bytes: u64::MAX,
                max_files: usize::MAX,
                ..PackConstraints::default()
            },
            truncation: TruncationConfig { max_total_bytes: usize::MAX, ..TruncationConfig::default() },
            max_files: None,
            max_tokens: Some(self.max_tokens.unwrap_or(BUDGET)),
            format,
            count_tokens: true,
            reproducible: false,
            scan: ScanOptions::default(),
        };
        let progress = |stage| {
            let (done, what) = match stage {
                Stage::Scanning(done) => (done as f64, "looking at the files"),
                Stage::Surveying => (1e6, "reading the code"),
                Stage::Building => (2e6, "putting the pack together"),
            };
            (asked.report)(done, None, what.to_owned());
        };
        let caches = project.caches();
        let made = chosen.pack(&request, &caches, asked.cancel, &progress)?;
        // What can't be kept is worked out again.
        let _ = caches.save();
        let text = String::from_utf8_lossy(&render(&made.pack, format)?).into_owned();
        let tokens = count_tokens(&text);
        let mut answer = described(&made, &text, tokens);
        answer.warnings.extend(chosen.warnings);
        if !self.preview {
            let (hash, bytes) = (Sha256::of(text.as_bytes()), text.len() as u64);
            let written = Written { hash, bytes, tokens: Some(tokens) };
            answer.receipt = Some(project.record_pack(&made, &made.pack, written, Some("rest"))?.0);
            answer.pack = Some(text);
        }
        Ok(answer)
    }
}

fn described(made: &Made, text: &str, tokens: usize) -> MadePack {
    let metadata = made.pack.metadata();
    let one = |path: &str, content: &str, outline, truncated| PackedFile {
        path: path.to_owned(),
        tokens: count_tokens(content),
        bytes: content.len(),
        outline,
        truncated,
    };
    let mut files = Vec::new();
    if let ContextPack::Full(pack) = &made.pack {
        files.extend(pack.key_files.iter().map(|file| one(&file.path, &file.content, false, file.truncated)));
        files.extend(pack.contents.iter().map(|file| one(&file.path, &file.content, false, file.truncated)));
        files.extend(pack.outlines.iter().map(|file| one(&file.path, &file.outline, true, false)));
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let is_in = |path: &str| files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
    let left_out = |path: &str, reason: String, rule: &str, bytes| {
        let (path, rule) = (path.to_owned(), rule.to_owned());
        LeftOut { path, reason, rule, bytes }
    };
    let project = &made.snapshot.project;
    let mut out: Vec<LeftOut> = project
        .excluded_files
        .iter()
        .map(|file| left_out(&file.path, word(&file.reason), &file.rule, file.size_bytes))
        .collect();
    if let ContextPack::Full(pack) = &made.pack {
        let for_size = pack.file_index.iter().filter(|file| file.exclusion_reason.is_none() && !is_in(&file.path));
        out.extend(for_size.map(|file| left_out(&file.path, "budget".to_owned(), "", file.size_bytes)));
    }
    MadePack {
        kind: word(&metadata.pack_type),
        reason: metadata.selection_reason.clone(),
        tokens,
        bytes: text.len(),
        files,
        left_out: out,
        unlisted: made.snapshot.unlisted,
        redactions: metadata.redactions.iter().map(|(rule, count)| (rule.clone(), (*count).into())).collect(),
        warnings: made.warnings.clone(),
        pack: None,
        receipt: None,
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListReceipts {
    /// How many of the last ones (default 100).
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Receipts {
    receipts: Vec<ReceiptLine>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReceiptLine {
    number: u64,
    created_at: String,
    source_root: String,
    provider: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    files_included: usize,
    files_excluded: usize,
    pack_tokens: Option<usize>,
    pack_bytes: u64,
    pack_hash: String,
    redactions: usize,
}

fn line(number: u64, record: &TransparencyRecord) -> ReceiptLine {
    let info = &record.context_pack_info;
    ReceiptLine {
        number,
        created_at: record.created_at.clone(),
        source_root: record.source_root.clone(),
        provider: record.provider.clone(),
        kind: word(&info.pack_type),
        files_included: info.files_included,
        files_excluded: info.files_excluded,
        pack_tokens: record.pack_tokens,
        pack_bytes: record.pack_bytes,
        pack_hash: record.pack_hash.to_string(),
        redactions: record.redactions.values().sum(),
    }
}

impl Procedure for ListReceipts {
    type Answer = Receipts;
    type Shape = Receipts;

    fn run(self, project: &Project, _: &Asked<'_>) -> Result<Receipts, Failure> {
        let ledger = project.receipts()?;
        let most = ledger.count()?;
        let first = (most + 1).saturating_sub(self.limit.unwrap_or(100)).max(1);
        let read = |number| Ok::<_, Failure>(line(number, &ledger.read(number)?));
        Ok(Receipts { receipts: (first..=most).map(read).collect::<Result<_, Failure>>()? })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneReceipt {
    /// Its number in the ledger of this machine.
    #[schemars(range(min = 1))]
    number: u64,
}

/// The whole record, in the form of the transparency record.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
pub(crate) struct RecordShape {
    tool_version: String,
    created_at: String,
    source_root: String,
    context_pack_info: Map<String, Value>,
    files: Vec<Map<String, Value>>,
    excluded: Vec<Map<String, Value>>,
    pack_hash: String,
    record_hash: String,
}

impl Procedure for OneReceipt {
    type Answer = TransparencyRecord;
    type Shape = RecordShape;

    fn run(self, project: &Project, _: &Asked<'_>) -> Result<TransparencyRecord, Failure> {
        let ledger = project.receipts()?;
        let most = ledger.count()?;
        if self.number > most {
            let said = format!("there is no receipt {}; the last one is {most}", self.number);
            return Err(Failure::new(ErrorType::NotFound, said, "Ask for the list of receipts."));
        }
        Ok(ledger.read(self.number)?)
    }
}
