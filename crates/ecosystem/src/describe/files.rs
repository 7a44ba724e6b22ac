//! The paths of a project, for questions.

use std::borrow::Cow;

use super::Tree;
use super::format::split;

/// The paths of a tree, surely sorted.
pub(super) struct Files<'a> {
    tree: &'a dyn Tree,
    paths: Vec<&'a str>,
}

impl<'a> Files<'a> {
    pub(super) fn new(tree: &'a dyn Tree) -> Self {
        let mut paths: Vec<&str> = tree.paths().iter().map(String::as_str).collect();
        // Sorting what is sorted already costs one pass, and every answer below rests on it.
        paths.sort_unstable();
        Files { tree, paths }
    }

    pub(super) fn all(&self) -> &[&'a str] {
        &self.paths
    }

    pub(super) fn text(&self, path: &str) -> Option<Cow<'a, str>> {
        self.tree.text(path)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.binary_search(&path).is_ok()
    }

    /// Every path below a folder, at any depth.
    pub(super) fn under(&self, folder: &str) -> &[&'a str] {
        if folder.is_empty() {
            return &self.paths;
        }
        let prefix = format!("{folder}/");
        let from = self.paths.partition_point(|path| *path < prefix.as_str());
        let count = self.paths[from..].partition_point(|path| path.starts_with(&prefix));
        &self.paths[from..from + count]
    }

    /// The file that a manifest in a folder means by a relative path, if it is there.
    pub(super) fn resolve(&self, folder: &str, relative: &str) -> Option<String> {
        let path = join(folder, relative)?;
        self.has(&path).then_some(path)
    }

    /// The first of some relative paths that is there.
    pub(super) fn first_of(&self, folder: &str, relative: &[&str]) -> Option<String> {
        relative.iter().find_map(|relative| self.resolve(folder, relative))
    }
}

/// A path relative to a folder, with `.` and `..` worked out; `None` if it leads out of the root or is absolute.
pub(super) fn join(folder: &str, relative: &str) -> Option<String> {
    const MAX: usize = 4096;
    if relative.starts_with('/') || relative.len() > MAX {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder and those above it, the root (`""`) last.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| split(folder).0))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Paths(Vec<String>);

    impl Tree for Paths {
        fn paths(&self) -> &[String] {
            &self.0
        }

        fn text(&self, _: &str) -> Option<Cow<'_, str>> {
            None
        }
    }

    #[test]
    fn paths_below_a_folder_are_found_in_any_order() {
        let tree = Paths(["b/x", "a/b/c", "a.b", "a-", "a/d"].map(str::to_owned).to_vec());
        let files = Files::new(&tree);
        assert_eq!(files.under("a"), ["a/b/c", "a/d"]);
        assert_eq!(files.under("").len(), 5);
        assert_eq!(files.under("c").len(), 0);
        assert_eq!(files.resolve("a", "./b/../d").as_deref(), Some("a/d"));
        assert_eq!(files.resolve("a", "../b/x").as_deref(), Some("b/x"));
        assert_eq!(files.resolve("a", "../../b/x"), None);
        assert_eq!(files.resolve("a", "/b/x"), None);
    }

    #[test]
    fn folders_are_told_upwards() {
        assert_eq!(upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(upwards("").collect::<Vec<_>>(), [""]);
    }
}
