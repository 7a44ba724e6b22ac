//! How often files change.

use std::collections::BTreeMap;

/// What git tells about how often files change; whoever calls asks git.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// In how many commits each file was changed, by its path relative to the root.
    pub commits_by_path: BTreeMap<String, usize>,
    pub looked_at: usize,
}
