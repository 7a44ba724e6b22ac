//! What an index says about itself, and the keys that tell which of them can be compared.

use std::path::Path;

use ai_assist_identity::Sha256;
use ai_assist_index::Versions;

use crate::layout::{Mode, SCHEMA_VERSION, STATE_FILE, StateFile};
use ai_assist_base::read_plain;

const LARGEST: u64 = 64 << 10;

/// Where the repository stood when it was built.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckedOutAt {
    pub commit: Option<String>,
    pub dirty: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub documents: u64,
    pub chunks: u64,
}

/// Indexes of equal keys have scores that can be compared: nothing that depends on the repository goes in.
pub fn cohort_key(mode: Mode, versions: &Versions) -> String {
    key(&[mode.as_str(), &numbers(versions), &versions.model])
}

/// The same without the model, for what is compared by words alone.
pub fn compatibility_key(mode: Mode, versions: &Versions) -> String {
    key(&[mode.as_str(), &numbers(versions)])
}

fn numbers(versions: &Versions) -> String {
    format!("{}.{}.{}", versions.schema, versions.tokenizer, versions.chunker)
}

fn key(parts: &[&str]) -> String {
    Sha256::of(parts.join("\n").as_bytes()).hex()[..16].to_owned()
}

impl StateFile {
    /// The state of an index that this program writes.
    pub fn new(
        mode: Mode,
        build_id: &str,
        built_at: &str,
        versions: &Versions,
        checked_out: &CheckedOutAt,
        counts: Counts,
    ) -> Self {
        StateFile {
            schema_version: SCHEMA_VERSION,
            mode,
            build_id: build_id.to_owned(),
            schema: versions.schema,
            tokenizer: versions.tokenizer,
            chunker: versions.chunker,
            model: versions.model.clone(),
            cohort_key: cohort_key(mode, versions),
            compatibility_key: compatibility_key(mode, versions),
            commit: checked_out.commit.clone(),
            dirty: checked_out.dirty,
            documents: counts.documents,
            chunks: counts.chunks,
            built_at: built_at.to_owned(),
        }
    }

    pub fn read(index_dir: &Path) -> std::io::Result<Self> {
        let file = read_plain(&index_dir.join(STATE_FILE), LARGEST)?;
        serde_json::from_slice(&file.bytes).map_err(std::io::Error::other)
    }

    pub fn checked_out_at(&self) -> CheckedOutAt {
        CheckedOutAt { commit: self.commit.clone(), dirty: self.dirty }
    }

    /// Whether this program with these versions could have written it.
    pub fn is_of(&self, mode: Mode, versions: &Versions) -> bool {
        self.schema_version == SCHEMA_VERSION && self.mode == mode && self.cohort_key == cohort_key(mode, versions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_apart_what_can_not_be_compared() {
        let versions = Versions { schema: 1, tokenizer: 2, chunker: 3, model: "m@1".to_owned() };
        let other = Versions { model: "m@2".to_owned(), ..versions.clone() };
        assert_ne!(cohort_key(Mode::Code, &versions), cohort_key(Mode::Code, &other));
        assert_eq!(compatibility_key(Mode::Code, &versions), compatibility_key(Mode::Code, &other));
        assert_ne!(cohort_key(Mode::Code, &versions), cohort_key(Mode::Prose, &versions));
        let chunked = Versions { chunker: 4, ..versions.clone() };
        assert_ne!(compatibility_key(Mode::Code, &versions), compatibility_key(Mode::Code, &chunked));
        let counts = Counts { documents: 1, chunks: 2 };
        let state = StateFile::new(Mode::Code, "b", "now", &versions, &CheckedOutAt::default(), counts);
        assert!(state.is_of(Mode::Code, &versions));
        assert!(!state.is_of(Mode::Prose, &versions) && !state.is_of(Mode::Code, &other));
    }
}
