//! What the tokens of a pack are spent on, by file and by folder.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;
use serde::Serialize;

use crate::types::{ContextPack, ExcludedFile};
use crate::{PageFile, PageState, Snapshot, TokenCounter};

/// The part of a pack's tokens, or bytes, that a file or folder takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Share {
    pub path: String,
    /// How many tokens of it are in the pack, if they were counted.
    pub tokens: Option<usize>,
    pub bytes: u64,
    /// For a folder, how many files it has in the pack.
    pub files: Option<usize>,
}

impl Share {
    /// What it is ordered by: tokens if they were counted.
    pub fn weight(&self) -> u64 {
        self.tokens.map_or(self.bytes, |tokens| tokens as u64)
    }
}

/// The texts of a pack with their sizes, by path.
pub fn shares(pack: &ContextPack, counter: Option<&TokenCounter>) -> Vec<Share> {
    let ContextPack::Full(pack) = pack else { return Vec::new() };
    let keys = pack.key_files.iter().map(|file| (&file.path, &*file.content));
    let contents = pack.contents.iter().map(|file| (&file.path, &*file.content));
    let outlines = pack.outlines.iter().map(|file| (&file.path, &*file.outline));
    let texts: Vec<(&String, &str)> = keys.chain(contents).chain(outlines).collect();
    let share = |(path, text): (&String, &str)| Share {
        path: path.clone(),
        tokens: counter.map(|counter| counter.count(text)),
        bytes: text.len() as u64,
        files: None,
    };
    texts.into_par_iter().map(share).collect()
}

/// The largest, at most `top` of them.
pub fn largest(shares: &[Share], top: usize) -> Vec<Share> {
    let mut sorted: Vec<&Share> = shares.iter().collect();
    sorted.sort_by(|a, b| b.weight().cmp(&a.weight()).then_with(|| a.path.cmp(&b.path)));
    sorted.into_iter().take(top).cloned().collect()
}

/// The sums of all folders, what is below them included; the root is left out, since it has everything.
pub fn folders(shares: &[Share]) -> Vec<Share> {
    let mut sums: BTreeMap<&str, Share> = BTreeMap::new();
    for share in shares {
        for (at, _) in share.path.match_indices('/') {
            let folder = &share.path[..at];
            let sum = sums.entry(folder).or_insert_with(|| Share {
                path: folder.to_owned(),
                tokens: share.tokens.map(|_| 0),
                bytes: 0,
                files: Some(0),
            });
            sum.tokens = sum.tokens.zip(share.tokens).map(|(a, b)| a + b);
            sum.bytes += share.bytes;
            sum.files = sum.files.map(|files| files + 1);
        }
    }
    sums.into_values().collect()
}

/// Every file with its state, for the page.
pub fn page_files(
    pack: &ContextPack,
    snapshot: &Snapshot,
    shares: &[Share],
    excluded: &[ExcludedFile],
) -> Vec<PageFile> {
    let files = &snapshot.project.files;
    let places: HashMap<&str, usize> =
        files.iter().enumerate().map(|(at, file)| (file.relative_path.as_str(), at)).collect();
    let mut truncated: HashMap<&str, bool> = HashMap::new();
    let mut outlined: HashSet<&str> = HashSet::new();
    if let ContextPack::Full(pack) = pack {
        truncated.extend(pack.key_files.iter().map(|file| (file.path.as_str(), file.truncated)));
        truncated.extend(pack.contents.iter().map(|file| (file.path.as_str(), file.truncated)));
        outlined.extend(pack.outlines.iter().map(|file| file.path.as_str()));
    }
    let sent = shares.iter().map(|share| {
        let path = share.path.as_str();
        let redacted: usize =
            places.get(path).map_or(0, |&at| snapshot.redactions(at).iter().map(|redaction| redaction.count).sum());
        let is_truncated = truncated.get(path).copied().unwrap_or_default();
        let (state, note) = match (outlined.contains(path), redacted, is_truncated) {
            (true, ..) => (PageState::Outlined, "only its outline fits".to_owned()),
            (_, 1.., _) => (PageState::Redacted, format!("{redacted} secret values taken out")),
            (.., true) => (PageState::Truncated, "its middle is left out".to_owned()),
            _ => (PageState::Included, String::new()),
        };
        PageFile { path: share.path.clone(), tokens: share.tokens.unwrap_or(0), bytes: share.bytes, state, note }
    });
    let left_out = excluded.iter().filter(|file| !outlined.contains(file.path.as_str())).map(|file| PageFile {
        path: file.path.clone(),
        tokens: 0,
        bytes: file.size_bytes,
        state: PageState::Excluded,
        note: file.rule.clone(),
    });
    sent.chain(left_out).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(path: &str, tokens: usize) -> Share {
        Share { path: path.to_owned(), tokens: Some(tokens), bytes: tokens as u64 * 4, files: None }
    }

    #[test]
    fn folders_hold_what_is_below_them() {
        let shares = [share("a/b/x.rs", 5), share("a/y.rs", 7), share("z.rs", 1), share("a-b/x.rs", 7)];
        let folders: Vec<(String, Option<usize>, Option<usize>)> =
            largest(&folders(&shares), 9).into_iter().map(|s| (s.path, s.tokens, s.files)).collect();
        assert_eq!(
            folders,
            [
                ("a".to_owned(), Some(12), Some(2)),
                ("a-b".to_owned(), Some(7), Some(1)),
                ("a/b".to_owned(), Some(5), Some(1))
            ]
        );
        assert_eq!(largest(&shares, 2).iter().map(|s| s.path.as_str()).collect::<Vec<_>>(), ["a-b/x.rs", "a/y.rs"]);
    }
}
