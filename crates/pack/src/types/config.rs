use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// When a full pack is too much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PackConstraints {
    /// More bytes of text than this make a summary.
    pub max_content_bytes: u64,
    /// More files than this make a summary.
    pub max_files: usize,
    pub prefer_summary: bool,
    pub provider_limits: BTreeMap<String, ProviderLimit>,
    /// The provider the pack is for; without one, the pack must suit all that have a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

impl Default for PackConstraints {
    fn default() -> Self {
        PackConstraints {
            max_content_bytes: 500_000,
            max_files: 200,
            prefer_summary: false,
            provider_limits: BTreeMap::new(),
            provider: None,
        }
    }
}

/// How much a provider takes: a bare number is bytes, `{"tokens": N}` is tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ProviderLimit {
    Bytes(u64),
    /// Tokens of text, as [`TOKENIZER`](ai_assist_text::TOKENIZER) counts them.
    Tokens {
        tokens: usize,
    },
}

/// The windows of the common providers' models in tokens, as far as they were the same for all current models; a caller's own
/// limits go over these. Counted with another tokenizer than theirs, so about a tenth is kept free, and as much again for the
/// answer.
const PROVIDERS: [(&str, usize); 6] = [
    ("anthropic", 160_000),
    ("claude", 160_000),
    ("deepseek", 100_000),
    ("google", 800_000),
    ("mistral", 100_000),
    ("openai", 100_000),
];

/// The limits that count unless somebody says otherwise.
pub fn known_providers() -> BTreeMap<String, ProviderLimit> {
    PROVIDERS.iter().map(|(name, tokens)| ((*name).to_owned(), ProviderLimit::Tokens { tokens: *tokens })).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TruncationConfig {
    /// No file's text is longer in the pack, the marker included.
    pub max_file_bytes: usize,
    /// No pack has more bytes of text than this.
    pub max_total_bytes: usize,
    pub preserve_head_lines: usize,
    pub preserve_tail_lines: usize,
    pub truncation_marker: String,
}

impl Default for TruncationConfig {
    fn default() -> Self {
        TruncationConfig {
            max_file_bytes: 50_000,
            max_total_bytes: 500_000,
            preserve_head_lines: 100,
            preserve_tail_lines: 50,
            truncation_marker: "\n... [truncated] ...\n".to_owned(),
        }
    }
}

/// What to do with a file in which some bytes are no characters of its encoding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDecodeError {
    /// U+FFFD stands in their place.
    #[default]
    Replace,
    /// The file stays out.
    Skip,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeyFileLimits {
    pub max_per_category: usize,
    pub max_total: usize,
    /// No key file's text is longer in the pack.
    pub max_content_per_file_bytes: usize,
}

impl Default for KeyFileLimits {
    fn default() -> Self {
        KeyFileLimits { max_per_category: 5, max_total: 25, max_content_per_file_bytes: 50_000 }
    }
}
