//! Collections for what the project depends on, at exactly the versions in use.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ai_assist_ecosystem::{Dependency, DependencyRef, Homes, dependencies, local_docs};
use serde::Serialize;

use crate::patterns::MAX_NAME;
use crate::publish::for_dependency;
use crate::{CollectionSpec, Project, Registry, portable_url};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    Registry,
    /// They are on this machine, with the dependency's own code.
    Disk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Add,
    /// A collection that is for another version.
    Replace,
    /// A collection that is there and right.
    Keep,
}

/// A collection that the project may want.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The collection's name, new or as it is.
    pub name: String,
    /// The dependency, such as `cargo:serde@1.0.200`.
    pub dependency: String,
    pub direct: bool,
    pub lock_file: String,
    pub action: Action,
    pub origin: Origin,
    /// How many files there are, if they are on this machine.
    pub files: Option<usize>,
    pub collection: CollectionSpec,
}

/// What was found out about a project's dependencies.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestions {
    pub suggestions: Vec<Suggestion>,
    /// Dependencies without documents in reach.
    pub without: Vec<String>,
    /// Lock files that could not be read, and the like.
    pub warnings: Vec<String>,
}

/// Proposes collections for a project's dependencies: from the registries, else from what lies on this machine. Only those that
/// the project names itself, unless `all` is given.
pub fn suggest(project: &Project, registries: &[Registry], homes: &Homes, all: bool) -> Suggestions {
    let found = dependencies(&project.root);
    let mut suggestions = Suggestions { warnings: found.warnings, ..Suggestions::default() };
    let mut taken: BTreeSet<String> = project.config.collections.iter().map(|(name, _)| name.clone()).collect();
    for dependency in found.dependencies.iter().filter(|dependency| all || dependency.direct) {
        let reference = dependency.reference().to_string();
        let Some((origin, files, collection)) = documents(project, registries, homes, dependency) else {
            suggestions.without.push(reference);
            continue;
        };
        let present = present(project, dependency, &found.dependencies);
        let (action, name) = match present {
            Some((name, true)) => (Action::Keep, name),
            Some((name, false)) => (Action::Replace, name),
            None => (Action::Add, free_name(&dependency.name, &dependency.version, &mut taken)),
        };
        suggestions.suggestions.push(Suggestion {
            name,
            dependency: reference,
            direct: dependency.direct,
            lock_file: dependency.lock_file.display().to_string(),
            action,
            origin,
            files,
            collection,
        });
    }
    suggestions
}

fn documents(
    project: &Project,
    registries: &[Registry],
    homes: &Homes,
    dependency: &Dependency,
) -> Option<(Origin, Option<usize>, CollectionSpec)> {
    let reference = Some(dependency.reference().to_string());
    let documented = format!("{}:{}", dependency.ecosystem.as_str(), dependency.name);
    let in_registry = for_dependency(registries, &documented, &dependency.version);
    if let Some(found) = in_registry {
        let collection = CollectionSpec::Pkg {
            url: portable_url(&found.url, &project.root),
            hash: Some(found.hash.to_string()),
            package: Some(format!("{}@{}", found.name, found.version)),
            dependency: reference,
        };
        return Some((Origin::Registry, None, collection));
    }
    let docs = local_docs(&project.root, dependency, homes)?;
    let path = match docs.folder.strip_prefix(&project.root) {
        Ok(inside) => Path::new(".").join(inside),
        Err(_) => docs.folder.clone(),
    };
    let path = path.to_str()?.to_owned();
    let collection = CollectionSpec::File { path, glob: docs.glob, dependency: reference };
    Some((Origin::Disk, Some(docs.files), collection))
}

/// The collection that is there for a dependency, and whether it is for this version. Where several versions are in use, a collection
/// for another of them is not this one's.
fn present(project: &Project, dependency: &Dependency, all: &[Dependency]) -> Option<(String, bool)> {
    let mut other = None;
    for (name, declaration) in &project.config.collections {
        let Some(reference) = declaration.dependency().and_then(|text| text.parse::<DependencyRef>().ok()) else {
            continue;
        };
        if reference.ecosystem != dependency.ecosystem || reference.name != dependency.name {
            continue;
        }
        if reference.version == dependency.version {
            return Some((name.clone(), true));
        }
        let in_use = all.iter().any(|found| {
            found.ecosystem == reference.ecosystem && found.name == reference.name && found.version == reference.version
        });
        if !in_use {
            other = Some((name.clone(), false));
        }
    }
    other
}

/// A name by the rule, made from that of a dependency: the last part of a path, without what is not allowed.
fn free_name(dependency: &str, version: &str, taken: &mut BTreeSet<String>) -> String {
    let clean = |text: &str| -> String {
        let text: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        let cut: String = text.trim_matches(['-', '_']).chars().take(MAX_NAME).collect();
        cut.trim_matches(['-', '_']).to_owned()
    };
    let with = |number: usize, base: &str| {
        let suffix = format!("-{number}");
        let room = MAX_NAME.saturating_sub(suffix.len());
        format!("{}{suffix}", base.chars().take(room).collect::<String>().trim_end_matches(['-', '_']))
    };
    let last = dependency.rsplit('/').find(|part| !part.is_empty() && !is_major(part)).unwrap_or(dependency);
    let base = Some(clean(last)).filter(|name| !name.is_empty()).unwrap_or_else(|| "docs".to_owned());
    let candidates = [base.clone(), clean(dependency), clean(&format!("{last}-{version}"))];
    let fits = |name: &String| !name.is_empty() && !taken.contains(name);
    let name = candidates
        .into_iter()
        .find(fits)
        .unwrap_or_else(|| (2..).map(|number| with(number, &base)).find(|name| !taken.contains(name)).unwrap_or(base));
    taken.insert(name.clone());
    name
}

/// `v2` at the end of a Go module's path.
fn is_major(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// What is odd about a collection that was made for a dependency.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionWarning {
    #[error("it is for {name} {version}, and {} has {locked}", lock_file.display())]
    OtherVersion { name: String, version: String, lock_file: PathBuf, locked: String },
    #[error("it is for {0}, which the project no longer depends on")]
    NoDependency(String),
}

/// What is odd about collections that were made for a dependency, by their names.
pub fn version_warnings(project: &Project) -> Vec<(String, VersionWarning)> {
    let references: Vec<(&String, DependencyRef)> = project
        .config
        .collections
        .iter()
        .filter_map(|(name, declaration)| Some((name, declaration.dependency()?.parse().ok()?)))
        .collect();
    if references.is_empty() {
        return Vec::new();
    }
    let found = dependencies(&project.root);
    let warning = |(name, reference): (&String, DependencyRef)| {
        let versions: Vec<&Dependency> = found
            .dependencies
            .iter()
            .filter(|dependency| dependency.ecosystem == reference.ecosystem && dependency.name == reference.name)
            .collect();
        if versions.iter().any(|dependency| dependency.version == reference.version) {
            return None;
        }
        let warning = match versions.first() {
            Some(dependency) => VersionWarning::OtherVersion {
                name: reference.name,
                version: reference.version,
                lock_file: dependency.lock_file.clone(),
                locked: dependency.version.clone(),
            },
            // It may be in the lock file that could not be read.
            None if !found.warnings.is_empty() => return None,
            None => VersionWarning::NoDependency(reference.to_string()),
        };
        Some((name.clone(), warning))
    };
    references.into_iter().filter_map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rule_and_differ() {
        let mut taken = BTreeSet::new();
        for (dependency, version, expected) in [
            ("serde", "1.0.0", "serde"),
            ("serde", "0.9.0", "serde-0-9-0"),
            ("@types/node", "20.1.0", "node"),
            ("node", "1.0.0", "node-1-0-0"),
            ("github.com/spf13/cobra/v2", "v2.0.0", "cobra"),
            ("___", "1", "docs"),
            ("a-name-that-is-longer-than-thirty-characters", "1", "a-name-that-is-longer-than-thi"),
            ("a-name-that-is-longer-than-thirty-characters", "2", "a-name-that-is-longer-than-t-2"),
        ] {
            let name = free_name(dependency, version, &mut taken);
            assert_eq!(name, expected);
            assert_eq!(crate::patterns::broken_rule(&name), None, "{name}");
        }
    }
}
