//! The package managers we read.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A family of packages with its own names, versions and lock files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    Cargo,
    /// JavaScript packages, whichever of npm, yarn and pnpm installs them.
    Npm,
    Python,
    Go,
    /// Java packages, whichever of Maven and Gradle fetches them.
    Maven,
}

/// A word that is not the name of an ecosystem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a known ecosystem; the known ones are cargo, npm, python, go and maven")]
pub struct UnknownEcosystem(pub String);

impl Ecosystem {
    /// All of them, in order.
    pub const ALL: [Ecosystem; 5] =
        [Ecosystem::Cargo, Ecosystem::Npm, Ecosystem::Python, Ecosystem::Go, Ecosystem::Maven];

    /// What people write before the `:` of a package, the usual one of each first.
    pub const SPELLINGS: [(&'static str, Ecosystem); 10] = [
        ("npm", Ecosystem::Npm),
        ("pypi", Ecosystem::Python),
        ("python", Ecosystem::Python),
        ("pip", Ecosystem::Python),
        ("crate", Ecosystem::Cargo),
        ("cargo", Ecosystem::Cargo),
        ("crates", Ecosystem::Cargo),
        ("go", Ecosystem::Go),
        ("maven", Ecosystem::Maven),
        ("gradle", Ecosystem::Maven),
    ];

    /// The ecosystem that a word stands for before the `:` of a package.
    pub fn spelled(word: &str) -> Option<Self> {
        let is_it = |(known, _): &&(&str, Ecosystem)| known.eq_ignore_ascii_case(word);
        Ecosystem::SPELLINGS.iter().find(is_it).map(|(_, ecosystem)| *ecosystem)
    }

    /// The word that people write for it.
    pub fn usual_spelling(self) -> &'static str {
        Ecosystem::SPELLINGS.iter().find(|(_, known)| *known == self).map_or("", |(word, _)| word)
    }

    /// The name as it is written in a [`DependencyRef`](crate::DependencyRef).
    pub fn as_str(self) -> &'static str {
        match self {
            Ecosystem::Cargo => "cargo",
            Ecosystem::Npm => "npm",
            Ecosystem::Python => "python",
            Ecosystem::Go => "go",
            Ecosystem::Maven => "maven",
        }
    }
}

impl fmt::Display for Ecosystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Ecosystem {
    type Err = UnknownEcosystem;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Ecosystem::ALL.into_iter().find(|ecosystem| ecosystem.as_str() == text);
        known.ok_or_else(|| UnknownEcosystem(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_same_in_text_and_in_json() {
        for ecosystem in Ecosystem::ALL {
            assert_eq!(ecosystem.to_string().parse(), Ok(ecosystem));
            assert_eq!(serde_json::to_value(ecosystem).unwrap(), serde_json::json!(ecosystem.as_str()));
            assert_eq!(serde_json::from_value::<Ecosystem>(ecosystem.as_str().into()).unwrap(), ecosystem);
        }
        assert_eq!("Cargo".parse::<Ecosystem>(), Err(UnknownEcosystem("Cargo".to_owned())));
        assert!(Ecosystem::ALL.is_sorted());
    }
}
