//! `yarn.lock`: the first format here, the later ones in `berry.rs`.

use std::collections::{HashMap, HashSet};

use super::{berry, is_local, manifest, split_at_version};
use crate::Ecosystem;
use crate::listing::Listing;
use crate::lock_error::{LockError, no_conflict};
use crate::root::Root;

pub(crate) fn parse(root: &Root, text: &str) -> Result<Listing, LockError> {
    no_conflict(text)?;
    if text.lines().any(|line| line.starts_with("__metadata:")) {
        Ok(berry::parse(text))
    } else if text.trim().is_empty() || text.lines().take(10).any(|line| line.starts_with("# yarn lockfile v1")) {
        Ok(parse_first(root, text))
    } else {
        Err(LockError::UnknownFormat { version: None })
    }
}

/// Packages by what was asked for: one entry answers several ranges.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) list: Vec<Entry>,
    by_descriptor: HashMap<String, usize>,
    by_name: HashMap<String, Vec<usize>>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) version: String,
}

impl Entries {
    /// Takes in an entry that answers to descriptors such as `react@^18.0.0`.
    pub(super) fn add(&mut self, descriptors: Vec<String>, entry: Entry) {
        let at = self.list.len();
        self.list.push(entry);
        for descriptor in descriptors {
            if let Some((name, _)) = split_at_version(&descriptor) {
                let known = self.by_name.entry(name.to_owned()).or_default();
                if known.last() != Some(&at) {
                    known.push(at);
                }
            }
            self.by_descriptor.insert(descriptor, at);
        }
    }

    /// The entry that answers a range.
    pub(super) fn find(&self, name: &str, range: &str) -> Option<usize> {
        let exact = [format!("{name}@{range}"), format!("{name}@npm:{range}")];
        if let Some(at) = exact.iter().find_map(|descriptor| self.by_descriptor.get(descriptor)) {
            return Some(*at);
        }
        if is_local(range) {
            return None;
        }
        // `resolutions` change what a range is answered with; where there is but one candidate there is no doubt.
        match self.by_name.get(name).map(Vec::as_slice) {
            Some([only]) => Some(*only),
            _ => None,
        }
    }

    /// Everything, with what `direct` holds marked.
    pub(super) fn list_into(&self, direct: &HashSet<usize>, listing: &mut Listing) {
        for (at, entry) in self.list.iter().enumerate() {
            listing.add(&entry.name, &entry.version, direct.contains(&at));
        }
    }
}

fn parse_first(root: &Root, text: &str) -> Listing {
    let mut listing = Listing::new(Ecosystem::Npm);
    let mut entries = Entries::default();
    let mut open: Option<Vec<String>> = None;
    for line in text.lines() {
        if let Some(header) = line.strip_suffix(':').filter(|_| !line.starts_with([' ', '#'])) {
            listing.unusable += usize::from(open.is_some());
            open = Some(header.split(", ").map(|part| part.trim_matches('"').to_owned()).collect());
        } else if let Some(version) = line.strip_prefix("  version ")
            && let Some(descriptors) = open.take()
        {
            let first = descriptors.first().map(String::as_str).unwrap_or_default();
            let (name, range) = split_at_version(first).unwrap_or((first, ""));
            if !is_local(range) {
                let name = real_name(name, range).to_owned();
                entries.add(descriptors, Entry { name, version: version.trim_matches('"').to_owned() });
            }
        }
    }
    listing.unusable += usize::from(open.is_some());
    let top = manifest::at_root(root, "yarn.lock", &mut listing);
    let mut direct: HashSet<usize> = HashSet::new();
    for manifest in manifest::of_members(root, &top, &mut listing).iter().chain([&top]) {
        direct.extend(manifest.named().filter_map(|(name, range)| entries.find(name, range)));
    }
    entries.list_into(&direct, &mut listing);
    listing
}

/// The name behind an alias: `real` for `alias@npm:real@^1`.
fn real_name<'a>(name: &'a str, range: &'a str) -> &'a str {
    range.strip_prefix("npm:").and_then(split_at_version).map_or(name, |(real, _)| real)
}

#[cfg(test)]
#[path = "yarn_tests.rs"]
mod tests;
