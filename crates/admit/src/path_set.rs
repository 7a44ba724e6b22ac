//! Many paths below a root, as the caller learned them from git.

use std::fmt;

use ai_assist_base::platform::path_bytes;
use ai_assist_identity::DocPath;

/// A set of paths below a root, sorted and in one piece: a large repository has a hundred thousand of them.
#[derive(Clone, Default)]
pub struct PathSet {
    arena: Vec<u8>,
    /// Where each path lies in the arena, in the order of the paths.
    spans: Vec<(usize, usize)>,
}

impl PathSet {
    /// Reads what `git ls-files -z` prints when it runs in the root.
    pub fn from_ls_files(output: &[u8]) -> PathSet {
        PathSet::of(output.split(|&b| b == 0))
    }

    pub fn new<'p>(paths: impl IntoIterator<Item = &'p DocPath>) -> PathSet {
        let paths: Vec<_> = paths.into_iter().map(DocPath::to_path_buf).collect();
        PathSet::of(paths.iter().map(|path| path_bytes(path)))
    }

    fn of(paths: impl Iterator<Item: AsRef<[u8]>>) -> PathSet {
        let mut tracked = PathSet::default();
        for path in paths {
            let path = path.as_ref();
            if path.is_empty() {
                continue;
            }
            let start = tracked.arena.len();
            tracked.arena.extend_from_slice(path);
            tracked.spans.push((start, tracked.arena.len()));
        }
        let arena = &tracked.arena;
        tracked.spans.sort_unstable_by(|a, b| arena[a.0..a.1].cmp(&arena[b.0..b.1]));
        tracked.spans.dedup_by(|a, b| arena[a.0..a.1] == arena[b.0..b.1]);
        tracked
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Whether this path is in the set, or something above it that git sees as one thing: a submodule, a symlink.
    pub(crate) fn covers(&self, path: &[u8]) -> bool {
        let folders = path.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| &path[..at]);
        folders.chain([path]).any(|part| self.spans.binary_search_by(|span| self.path(*span).cmp(part)).is_ok())
    }

    /// Whether anything at or below a folder is in the set.
    pub(crate) fn reaches(&self, folder: &[u8]) -> bool {
        let below = [folder, b"/"].concat();
        let first = self.spans.partition_point(|span| self.path(*span) < below.as_slice());
        self.spans.get(first).is_some_and(|span| self.path(*span).starts_with(&below)) || self.covers(folder)
    }

    fn path(&self, (start, end): (usize, usize)) -> &[u8] {
        &self.arena[start..end]
    }
}

/// The number only: a debug line is no place for a hundred thousand paths.
impl fmt::Debug for PathSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathSet").field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    // The names have bytes in them that are not UTF-8.
    #[test]
    fn paths_and_the_folders_above_them_are_found() {
        let tracked = PathSet::from_ls_files(b"src/b.rs\0a/build/x.rs\0a/build-tools/y\0lib\0\0caf\xe9\0src/b.rs\0");
        assert_eq!(tracked.len(), 5);
        for path in [&b"src/b.rs"[..], b"a/build/x.rs", b"caf\xe9", b"lib", b"lib/of/a/submodule.rs"] {
            assert!(tracked.covers(path), "{}", String::from_utf8_lossy(path));
        }
        for path in [&b"src"[..], b"a/build", b"a/build/x.rs2", b"src/b", b"li", b"library", b""] {
            assert!(!tracked.covers(path), "{}", String::from_utf8_lossy(path));
        }
        for folder in [&b"src"[..], b"a", b"a/build", b"a/build-tools", b"lib", b"lib/of"] {
            assert!(tracked.reaches(folder), "{}", String::from_utf8_lossy(folder));
        }
        for folder in [&b"sr"[..], b"a/buil", b"build", b"a/build/y", b"zzz"] {
            assert!(!tracked.reaches(folder), "{}", String::from_utf8_lossy(folder));
        }
        let same = PathSet::new(&[DocPath::parse("src/b.rs").unwrap(), DocPath::parse("caf%E9").unwrap()]);
        assert!(same.covers(b"caf\xe9") && same.covers(b"src/b.rs"));
        assert!(PathSet::from_ls_files(b"").is_empty());
    }
}
