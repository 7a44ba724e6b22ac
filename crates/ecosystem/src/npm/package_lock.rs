//! `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::manifest;
use super::{is_local, split_at_version};
use crate::Ecosystem;
use crate::listing::Listing;
use crate::lock_error::{Keys, LockError, from_json};
use crate::root::Root;

/// Folders of a workspace lie at most this deep.
const MAX_DEPTH: usize = 32;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lock {
    lockfile_version: Option<u32>,
    /// Since version 2: every folder that npm fills or links to.
    packages: Option<HashMap<String, Entry>>,
    /// Up to version 2: a tree of names.
    #[serde(default)]
    dependencies: HashMap<String, Node>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    /// Written where it differs from the folder's: for an alias.
    name: Option<String>,
    version: Option<String>,
    link: bool,
    dependencies: Keys,
    dev_dependencies: Keys,
    optional_dependencies: Keys,
    peer_dependencies: Keys,
}

#[derive(Deserialize)]
struct Node {
    version: Option<String>,
    #[serde(default)]
    dependencies: HashMap<String, Node>,
}

/// One folder below `node_modules`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Installed {
    /// Relative to the root, as the lock file writes it: not to be trusted.
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) version: String,
}

pub(crate) fn parse(root: &Root, text: &str) -> Result<Listing, LockError> {
    let lock: Lock = from_json(text)?;
    let mut listing = Listing::new(Ecosystem::Npm);
    let direct: HashSet<String> = match &lock.packages {
        Some(packages) => direct_paths(packages).collect(),
        None if matches!(lock.lockfile_version, None | Some(1)) => {
            let manifest = manifest::at_root(root, "package-lock.json", &mut listing);
            manifest.named().map(|(name, _)| format!("node_modules/{name}")).collect()
        }
        None => return Err(LockError::UnknownFormat { version: lock.lockfile_version }),
    };
    for found in lock.installed() {
        listing.add(&found.name, &found.version, direct.contains(&found.path));
    }
    Ok(listing)
}

/// Every folder below `node_modules` that a lock file lists, for finding copies that lie deeper than the first.
pub(crate) fn installed(text: &str) -> Vec<Installed> {
    from_json::<Lock>(text).map(Lock::installed).unwrap_or_default()
}

impl Lock {
    fn installed(self) -> Vec<Installed> {
        match self.packages {
            Some(packages) => packages.into_iter().filter_map(|(path, entry)| entry.installed(path)).collect(),
            None => {
                let mut found = Vec::new();
                flatten(self.dependencies, "", &mut found);
                found
            }
        }
    }
}

impl Entry {
    /// `None` for a folder of the project and for a link to one.
    fn installed(self, path: String) -> Option<Installed> {
        let folder = folder_name(&path)?;
        if self.link || self.version.as_deref().is_some_and(is_local) {
            return None;
        }
        Some(Installed { name: self.name.unwrap_or_else(|| folder.to_owned()), version: self.version?, path })
    }

    fn named(&self) -> impl Iterator<Item = &String> {
        let keys = [&self.dependencies, &self.dev_dependencies, &self.optional_dependencies, &self.peer_dependencies];
        keys.into_iter().flat_map(Keys::keys)
    }
}

/// `@types/node` of `packages/a/node_modules/@types/node`; `None` if it isn't below `node_modules`.
fn folder_name(path: &str) -> Option<&str> {
    match path.rsplit_once("/node_modules/") {
        Some((_, name)) => Some(name),
        None => path.strip_prefix("node_modules/"),
    }
}

/// Where Node finds what the project's own packages ask for: in the nearest `node_modules` upwards.
fn direct_paths(packages: &HashMap<String, Entry>) -> impl Iterator<Item = String> {
    let own = packages.iter().filter(|(path, entry)| {
        folder_name(path).is_none() && !entry.link && !path.starts_with("..") && path.split('/').count() <= MAX_DEPTH
    });
    own.flat_map(|(folder, entry)| entry.named().map(move |name| (folder.as_str(), name))).filter_map(
        |(mut folder, name)| loop {
            let path = if folder.is_empty() {
                format!("node_modules/{name}")
            } else {
                format!("{folder}/node_modules/{name}")
            };
            if packages.contains_key(&path) {
                return Some(path);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        },
    )
}

/// The tree of version 1 as folders. It is no deeper than the JSON parser allows.
fn flatten(nodes: HashMap<String, Node>, above: &str, found: &mut Vec<Installed>) {
    for (name, node) in nodes {
        let path = format!("{above}node_modules/{name}");
        flatten(node.dependencies, &format!("{path}/"), found);
        match node.version {
            Some(version) if !is_local(&version) => {
                let alias = version.strip_prefix("npm:").and_then(split_at_version);
                let (name, version) = alias.unwrap_or((&name, &version));
                found.push(Installed { name: name.to_owned(), version: version.to_owned(), path });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "package_lock_tests.rs"]
mod tests;
