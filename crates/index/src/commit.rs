//! What a commit says about itself, and the key that tells which indexes can be compared.

use ai_assist_embed::ModelId;
use ai_assist_identity::Sha256;
use serde::{Deserialize, Serialize};

/// Raised when the fields or files of an index change.
const SCHEMA_VERSION: u32 = 4;

/// The versions that decide what scores mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Versions {
    pub schema: u32,
    pub tokenizer: u32,
    pub chunker: u32,
    pub model: String,
}

impl Versions {
    /// The versions this program writes with a given model.
    pub fn current(model: &ModelId) -> Self {
        Versions {
            schema: SCHEMA_VERSION,
            tokenizer: crate::TOKENIZER_VERSION,
            chunker: ai_assist_chunk::CHUNKER_VERSION,
            model: model.to_string(),
        }
    }

    /// The key of the cohort that indexes with these versions belong to: those with equal keys have scores that can be compared.
    pub fn cohort(&self) -> String {
        let text = format!("{}\n{}\n{}\n{}", self.schema, self.tokenizer, self.chunker, self.model);
        Sha256::of(text.as_bytes()).hex()[..16].to_owned()
    }
}

/// What one commit of an index holds. It travels as the payload of tantivy's own commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Commit {
    pub versions: Versions,
    /// The sequence number of the documents' store that it has reached.
    pub seq: u64,
    /// How many rows of the vector files belong to it, dead ones included.
    pub rows: u64,
    pub documents: u64,
    pub chunks: u64,
}

/// The contents of `index_state.json`: a commit with its key, for people and other tools. Readers of this crate go by the
/// commit itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexState {
    pub cohort_key: String,
    #[serde(flatten)]
    pub commit: Commit,
}
