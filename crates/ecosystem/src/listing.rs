//! What one lock file lists.

use std::collections::HashMap;

use crate::Ecosystem;
use crate::names::{is_version, normal_name};

/// The packages of one lock file, each checked as it is added.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) ecosystem: Ecosystem,
    /// Name and version, and whether it is direct.
    pub(crate) packages: HashMap<(String, String), bool>,
    /// How many were left out because their name or version is none.
    pub(crate) unusable: usize,
    /// What else should be said, in full sentences.
    pub(crate) warnings: Vec<String>,
}

impl Listing {
    pub(crate) fn new(ecosystem: Ecosystem) -> Self {
        Listing { ecosystem, packages: HashMap::new(), unusable: 0, warnings: Vec::new() }
    }

    /// Takes in one package; one that is listed twice is direct if it is so once.
    pub(crate) fn add(&mut self, name: &str, version: &str, direct: bool) {
        match normal_name(self.ecosystem, name) {
            Some(name) if is_version(self.ecosystem, version) => {
                *self.packages.entry((name.into_owned(), version.to_owned())).or_default() |= direct;
            }
            _ => self.unusable += 1,
        }
    }
}

#[cfg(test)]
impl Listing {
    /// The packages as text, sorted, the direct ones with a star: what the tests of every format compare.
    pub(crate) fn text(&self) -> Vec<String> {
        let show = |((name, version), direct): (&(String, String), &bool)| {
            format!("{name} {version}{}", if *direct { " *" } else { "" })
        };
        let mut lines: Vec<String> = self.packages.iter().map(show).collect();
        lines.sort();
        lines
    }
}
