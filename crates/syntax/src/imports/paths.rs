//! Looking up files by whole paths and by the ends of paths, without going through all of them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use ai_assist_text::{Language, LanguageKind};

/// Ends of more names than these are not looked up.
const MAX_NAMES: usize = 16;

#[derive(Debug, Clone, Copy)]
enum Ends {
    One(usize),
    Many,
}

pub(super) struct Paths<'a> {
    whole: HashMap<&'a str, usize>,
    /// By the hash of the end. Two ends with one hash count as many files, so at worst nothing is found.
    ends: HashMap<u64, Ends>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(files: &[(usize, &'a str)]) -> Self {
        let whole = files.iter().map(|&(index, path)| (path, index)).collect();
        let mut ends = HashMap::new();
        for &(index, path) in files {
            if Language::of_path(path).is_none_or(|language| language.kind() != LanguageKind::Code) {
                continue;
            }
            let slashes = path.rmatch_indices('/').map(|(at, _)| at + 1).take(MAX_NAMES);
            for start in slashes.chain((path.matches('/').count() < MAX_NAMES).then_some(0)) {
                ends.entry(hash(&path[start..])).and_modify(|ends| *ends = Ends::Many).or_insert(Ends::One(index));
            }
        }
        Paths { whole, ends }
    }

    pub(super) fn at(&self, path: &str) -> Option<usize> {
        self.whole.get(path).copied()
    }

    /// The only file of code whose path ends with these names.
    pub(super) fn ending(&self, end: &str) -> Option<usize> {
        match self.ends.get(&hash(end)) {
            Some(Ends::One(index)) => Some(*index),
            _ => None,
        }
    }
}

fn hash(end: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    end.hash(&mut hasher);
    hasher.finish()
}

/// The folder of a path; empty for one in the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path below a folder, `.` and `..` worked out; nothing if it leads out of the project.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// A folder and the folders it lies in, the nearest first, the root last.
pub(super) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let this = next?;
        next = if this.is_empty() { None } else { Some(self::folder(this)) };
        Some(this)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_worked_out() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("", "x").as_deref(), Some("x"));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(ancestors("").collect::<Vec<_>>(), [""]);
    }
}
