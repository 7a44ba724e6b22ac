//! Full or summary?

use ai_assist_text::{TOKENIZER, count_tokens_up_to};
use rayon::prelude::*;

use crate::Snapshot;
use crate::truncate::truncate;
use crate::types::{PackConstraints, PackType, ProviderLimit, TruncationConfig};

#[derive(Debug, Clone, Default)]
pub struct PackSelector {
    /// How texts would be cut in a full pack.
    pub truncation: TruncationConfig,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    pub pack_type: PackType,
    /// Whether that was asked for, so that nothing was chosen.
    pub asked: bool,
    pub reason: String,
    /// The bytes of text a full pack of everything would have.
    pub estimated_bytes: u64,
    pub files: usize,
}

impl PackSelector {
    /// Chooses: a summary if it is preferred, or if the texts, the number of files or a provider's limit ask for one.
    pub fn select(&self, snapshot: &Snapshot, constraints: &PackConstraints) -> Selected {
        let files = &snapshot.project.files;
        let lengths = (0..files.len()).filter_map(|index| snapshot.text_bytes(index));
        let (mut count, mut bytes) = (0usize, 0u64);
        for length in lengths {
            count += 1;
            bytes += length.min(self.truncation.max_file_bytes) as u64;
        }
        let summary = if constraints.prefer_summary {
            Some("A summary was asked for.".to_owned())
        } else if bytes > constraints.max_content_bytes {
            Some(format!("The texts have {bytes} bytes, more than {}.", constraints.max_content_bytes))
        } else if count > constraints.max_files {
            Some(format!("There are {count} files, more than {}.", constraints.max_files))
        } else {
            self.provider_refuses(snapshot, constraints, bytes)
        };
        let pack_type = if summary.is_some() { PackType::Summary } else { PackType::Full };
        let reason = summary.unwrap_or_else(|| format!("All {count} files with {bytes} bytes of text fit."));
        Selected { pack_type, asked: constraints.prefer_summary, reason, estimated_bytes: bytes, files: count }
    }

    fn provider_refuses(&self, snapshot: &Snapshot, constraints: &PackConstraints, bytes: u64) -> Option<String> {
        let wanted = |name: &&String| constraints.provider.as_ref().is_none_or(|provider| provider == *name);
        let mut tokens = Tokens { selector: self, snapshot, counted: None };
        constraints.provider_limits.iter().filter(|(name, _)| wanted(name)).find_map(|(name, limit)| match *limit {
            ProviderLimit::Bytes(limit) => (bytes > limit)
                .then(|| format!("The texts have {bytes} bytes, more than the {limit} that {name} takes.")),
            ProviderLimit::Tokens { tokens: limit } => {
                // A token has at least one byte, so most small packs need no counting.
                let more = bytes > limit as u64 && tokens.more_than(limit);
                more.then(|| format!("The texts have more than the {limit} tokens ({TOKENIZER}) that {name} takes."))
            }
        })
    }
}

struct Tokens<'a> {
    selector: &'a PackSelector,
    snapshot: &'a Snapshot,
    /// The sum, once it is known.
    counted: Option<usize>,
}

impl Tokens<'_> {
    /// Counts until the limit is passed and no further.
    fn more_than(&mut self, limit: usize) -> bool {
        if let Some(counted) = self.counted {
            return counted > limit;
        }
        let count = |index: usize| -> Option<usize> {
            match self.snapshot.text(index) {
                Ok(text) => count_tokens_up_to(&truncate(&text, &self.selector.truncation).text, limit),
                Err(_) => Some(0),
            }
        };
        let sum = |a: usize, b: usize| Some(a + b).filter(|sum| *sum <= limit);
        let files = 0..self.snapshot.project.files.len();
        self.counted = files.into_par_iter().map(count).try_reduce(|| 0, sum);
        self.counted.is_none()
    }
}
