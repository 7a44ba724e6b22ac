//! One dependency at one version, and how it is written down.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::names::{is_version, normal_name};
use crate::{Ecosystem, UnknownEcosystem};

/// A package that a project depends on, at the version its lock file holds it to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dependency {
    pub ecosystem: Ecosystem,
    /// Its name; for Python in the normal form of PEP 503.
    pub name: String,
    /// Its version, written as the ecosystem writes it (Go with the `v`).
    pub version: String,
    /// Whether the project names it itself, rather than one of its dependencies.
    pub direct: bool,
    /// The lock file it was found in, relative to the root.
    pub lock_file: PathBuf,
}

impl Dependency {
    /// The short form to remember it by.
    pub fn reference(&self) -> DependencyRef {
        DependencyRef { ecosystem: self.ecosystem, name: self.name.clone(), version: self.version.clone() }
    }
}

impl Dependency {
    /// What people type to have it on their machine.
    pub fn install_command(&self) -> String {
        let file = self.lock_file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match (self.ecosystem, file) {
            (Ecosystem::Cargo, _) => "cargo fetch".to_owned(),
            (Ecosystem::Go, _) => "go mod download".to_owned(),
            (Ecosystem::Maven, "pom.xml") => "mvn dependency:sources".to_owned(),
            // Gradle fetches sources for editors only.
            (Ecosystem::Maven, _) => {
                format!("mvn dependency:get -Dartifact={}:{}:jar:sources", self.name, self.version)
            }
            (Ecosystem::Npm, "yarn.lock") => "yarn install".to_owned(),
            (Ecosystem::Npm, "pnpm-lock.yaml") => "pnpm install".to_owned(),
            (Ecosystem::Npm, _) => "npm ci".to_owned(),
            (Ecosystem::Python, "uv.lock") => "uv sync".to_owned(),
            (Ecosystem::Python, "poetry.lock") => "poetry install".to_owned(),
            (Ecosystem::Python, _) => format!("pip install -r {}", self.lock_file.display()),
        }
    }
}

/// A package by its name, whatever its version: `cargo:serde`, `npm:@types/node`, `python:requests` or `pypi:requests`,
/// `crate:serde`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageName {
    pub ecosystem: Ecosystem,
    pub name: String,
}

impl PackageName {
    /// Whether a dependency is of this package, in whatever version.
    pub fn is(&self, ecosystem: Ecosystem, name: &str) -> bool {
        self.ecosystem == ecosystem && self.name == name
    }

    /// As people write it.
    pub fn spelled(&self) -> String {
        format!("{}:{}", self.ecosystem.usual_spelling(), self.name)
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.ecosystem, self.name)
    }
}

impl FromStr for PackageName {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (ecosystem, name) = text.split_once(':').ok_or_else(|| RefError::NoEcosystem(text.to_owned()))?;
        let ecosystem = Ecosystem::spelled(ecosystem).ok_or_else(|| UnknownEcosystem(ecosystem.to_owned()))?;
        match normal_name(ecosystem, name) {
            Some(name) => Ok(PackageName { ecosystem, name: name.into_owned() }),
            None => Err(RefError::Name { ecosystem, name: name.to_owned() }),
        }
    }
}

/// How one remembers which dependency something is for: `cargo:serde@1.0.200`, `npm:@types/node@20.1.0`,
/// `go:github.com/BurntSushi/toml@v1.3.2`.
///
/// What was parsed keeps to the rules for names and versions of its ecosystem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DependencyRef {
    pub ecosystem: Ecosystem,
    pub name: String,
    pub version: String,
}

/// Why a text is no [`DependencyRef`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefError {
    #[error("`{0}` does not name an ecosystem; write it like `cargo:serde@1.0.200`")]
    NoEcosystem(String),
    #[error(transparent)]
    Ecosystem(#[from] UnknownEcosystem),
    #[error("`{0}` has no version; write it like `cargo:serde@1.0.200`")]
    NoVersion(String),
    #[error("`{name}` is not a name that a package of {ecosystem} can have")]
    Name { ecosystem: Ecosystem, name: String },
    #[error("`{version}` is not a version that a package of {ecosystem} can have")]
    Version { ecosystem: Ecosystem, version: String },
}

impl fmt::Display for DependencyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}@{}", self.ecosystem, self.name, self.version)
    }
}

impl FromStr for DependencyRef {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (ecosystem, rest) = text.split_once(':').ok_or_else(|| RefError::NoEcosystem(text.to_owned()))?;
        let ecosystem: Ecosystem = ecosystem.parse()?;
        // The last `@`: an npm scope opens with one, and no version has one. A lone scope has no version.
        let (name, version) = match rest.rsplit_once('@') {
            Some((name, version)) if !name.is_empty() => (name, version),
            _ => return Err(RefError::NoVersion(text.to_owned())),
        };
        if !is_version(ecosystem, version) {
            return Err(RefError::Version { ecosystem, version: version.to_owned() });
        }
        match normal_name(ecosystem, name) {
            Some(name) => Ok(DependencyRef { ecosystem, name: name.into_owned(), version: version.to_owned() }),
            None => Err(RefError::Name { ecosystem, name: name.to_owned() }),
        }
    }
}

impl Serialize for DependencyRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DependencyRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_survive_being_written_down() {
        let texts = [
            "cargo:serde@1.0.200",
            "cargo:toml@1.1.8+spec-1.1.0",
            "npm:react@18.2.0",
            "npm:@types/node@20.1.0-beta.1",
            "python:ruamel-yaml@0.17.21",
            "python:odd@2!1.0+local.1",
            "go:github.com/BurntSushi/toml@v1.3.2",
            "go:gopkg.in/yaml.v3@v3.0.1",
            "maven:org.apache.commons:commons-lang3@3.12.0",
        ];
        for text in texts {
            let parsed: DependencyRef = text.parse().unwrap();
            assert_eq!(parsed.to_string(), text);
            let json = serde_json::to_string(&parsed).unwrap();
            assert_eq!(serde_json::from_str::<DependencyRef>(&json).unwrap(), parsed);
        }
        let scoped: DependencyRef = "npm:@types/node@20.1.0".parse().unwrap();
        assert_eq!((scoped.name.as_str(), scoped.version.as_str()), ("@types/node", "20.1.0"));
        let python: DependencyRef = "python:Ruamel.YAML@1".parse().unwrap();
        assert_eq!(python.to_string(), "python:ruamel-yaml@1");
    }

    #[test]
    fn a_dependency_is_remembered_by_its_reference() {
        let dependency = Dependency {
            ecosystem: Ecosystem::Npm,
            name: "@a/b".to_owned(),
            version: "1.0.0".to_owned(),
            direct: true,
            lock_file: "yarn.lock".into(),
        };
        assert_eq!(dependency.reference().to_string().parse(), Ok(dependency.reference()));
    }

    #[test]
    fn what_is_no_reference_is_refused_with_its_reason() {
        let cases = [
            ("serde", "does not name an ecosystem"),
            ("gem:rails@7.0.0", "`gem` is not a known ecosystem"),
            ("cargo:serde", "has no version"),
            ("npm:@types/node", "has no version"),
            ("npm:@types", "has no version"),
            ("cargo:serde@", "is not a version"),
            ("cargo:@1.0", "has no version"),
            ("cargo:../x@1.0.0", "is not a name"),
            ("npm:a/../../b@1.0.0", "is not a name"),
            ("go:github.com/a/b@1.0.0", "is not a version"),
            ("cargo:serde@1.0/../..", "is not a version"),
        ];
        for (text, part) in cases {
            let error = text.parse::<DependencyRef>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(serde_json::from_str::<DependencyRef>("\"cargo:serde\"").is_err());
    }
}
