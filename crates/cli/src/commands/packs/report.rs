//! Why files stayed out, for a table.

use std::collections::BTreeMap;

use ai_assist_pack::types::{ExcludedFile, ExclusionReason};

use super::snapshot::word;

/// Rows of a table: a reason, how many files, and one of them with the rule.
pub(super) fn exclusions(counts: &BTreeMap<ExclusionReason, usize>, files: &[ExcludedFile]) -> Vec<Vec<String>> {
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    for (reason, &count) in counts.iter().filter(|(_, count)| **count > 0) {
        let example =
            files.iter().find(|file| file.reason == *reason).map(|file| format!("{}: {}", file.path, file.rule));
        rows.push((count, vec![word(reason), count.to_string(), example.unwrap_or_default()]));
    }
    rows.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    rows.into_iter().map(|(_, row)| row).collect()
}
