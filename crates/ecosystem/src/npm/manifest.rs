//! `package.json`, and those of a workspace.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::describe::fits as matches;
use crate::listing::Listing;
use crate::lock_error::{from_json, shown, unknown_direct};
use crate::root::Root;

/// A workspace beyond these is a trap.
const MAX_MEMBERS: usize = 10_000;
const MAX_GLOBS: usize = 1_000;
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// The parts of a manifest that name dependencies: each name with the range that is asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Manifest {
    dependencies: HashMap<String, String>,
    dev_dependencies: HashMap<String, String>,
    optional_dependencies: HashMap<String, String>,
    peer_dependencies: HashMap<String, String>,
    workspaces: Workspaces,
}

/// A list of globs, or an object that has it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Workspaces {
    List(Vec<String>),
    Object {
        #[serde(default)]
        packages: Vec<String>,
    },
}

impl Default for Workspaces {
    fn default() -> Self {
        Workspaces::List(Vec::new())
    }
}

impl Manifest {
    pub(super) fn named(&self) -> impl Iterator<Item = (&str, &str)> {
        [&self.dependencies, &self.dev_dependencies, &self.optional_dependencies, &self.peer_dependencies]
            .into_iter()
            .flatten()
            .map(|(name, range)| (name.as_str(), range.as_str()))
    }

    fn workspaces(&self) -> &[String] {
        match &self.workspaces {
            Workspaces::List(globs) | Workspaces::Object { packages: globs } => globs,
        }
    }
}

/// The manifest at the root. That there is none, or that it can't be read, is a warning: then nothing is direct.
pub(super) fn at_root(root: &Root, lock_file: &str, listing: &mut Listing) -> Manifest {
    let read = root.read("package.json").and_then(|text| text.map(|text| from_json(&text)).transpose());
    let reason = match read {
        Ok(Some(manifest)) => return manifest,
        Ok(None) => "there is no such file".to_owned(),
        Err(error) => error.to_string(),
    };
    listing.warnings.push(unknown_direct(lock_file, "package.json", &reason));
    Manifest::default()
}

/// The manifests of the workspace that a manifest at the root describes.
pub(super) fn of_members(root: &Root, top: &Manifest, listing: &mut Listing) -> Vec<Manifest> {
    let globs = top.workspaces().iter().filter(|glob| !glob.starts_with('!')).take(MAX_GLOBS);
    let parsed: Vec<Option<Vec<&str>>> = globs.map(|glob| parts(glob)).collect();
    if parsed.contains(&None) {
        let understood = "only folders and `*` are understood there";
        listing.warnings.push(format!("Part of `workspaces` in `package.json` is left out: {understood}."));
    }
    let mut folders: Vec<PathBuf> = parsed.iter().flatten().flat_map(|parts| expand(root, parts)).collect();
    folders.sort();
    folders.dedup();
    let mut manifests = Vec::new();
    for folder in folders.iter().take(MAX_MEMBERS) {
        let file = folder.join("package.json");
        match root.read_up_to(&file, MAX_MANIFEST).and_then(|text| text.map(|text| from_json(&text)).transpose()) {
            Ok(manifest) => manifests.extend(manifest),
            Err(error) => listing.warnings.push(format!("`{}` is left out: {error}.", shown(&file))),
        }
    }
    manifests
}

/// The components of a glob, if each is a plain name or has only `*`.
fn parts(glob: &str) -> Option<Vec<&str>> {
    let parts = glob.split('/').filter(|part| !part.is_empty() && *part != ".");
    let parts: Vec<&str> = parts.collect();
    let understood = |part: &&str| {
        *part != ".." && !part.contains(['?', '[', ']', '{', '}', '\\', '\0', '(', ')', '!']) && !part.contains("**")
    };
    (!glob.starts_with('/') && !parts.is_empty() && parts.len() <= 16 && parts.iter().all(understood)).then_some(parts)
}

/// The folders that a glob stands for, relative to the root.
fn expand(root: &Root, parts: &[&str]) -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::new()];
    for part in parts {
        if !part.contains('*') {
            for folder in &mut folders {
                folder.push(part);
            }
            continue;
        }
        folders = folders.iter().flat_map(|folder| subfolders(root, folder, part)).take(MAX_MEMBERS).collect();
    }
    folders
}

fn subfolders(root: &Root, folder: &Path, pattern: &str) -> Vec<PathBuf> {
    // Asked through the root, so that a symlink on the way can't lead out of it.
    let Some(entries) = root.folder_inside(folder).and_then(|real| fs::read_dir(real).ok()) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let fits = |name: &String| !name.starts_with('.') && name != "node_modules" && matches(pattern, name);
    names.filter(fits).map(|name| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_within_a_name() {
        let cases = [
            ("*", "anything", true),
            ("lib-*", "lib-a", true),
            ("lib-*", "app", false),
            ("*-lib", "a-lib", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("ab*ba", "aba", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn patterns_that_could_lead_out_are_not_understood() {
        assert_eq!(parts("./packages/*/"), Some(vec!["packages", "*"]));
        for glob in ["", "/", "..", "a/../b", "/abs", "packages/**", "{a,b}", "a[b]", "a\0b"] {
            assert_eq!(parts(glob), None, "{glob:?}");
        }
    }
}
