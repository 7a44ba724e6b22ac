//! Collections for what the project depends on, at exactly the versions in use.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ai_assist_admit::Limits;
use ai_assist_base::Cancel;
use ai_assist_ecosystem::{Dependency, DependencyRef, Homes, PackageName, dependencies, local_package};
use serde::Serialize;

use crate::dependency::{Chosen, PackageFiles, Part};
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

/// What there is for a dependency.
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
    pub found: Option<FoundFiles>,
    pub collection: CollectionSpec,
}

/// How many files of a package are worth a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FoundFiles {
    /// READMEs, changelogs and what is in folders of documents.
    pub docs: usize,
    pub examples: usize,
    /// Those that have its public items.
    pub api: usize,
}

/// A dependency that is locked and not on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotInstalled {
    pub dependency: String,
    /// What people type to have it.
    pub command: String,
}

/// The one collection of everything that is on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DependenciesCollection {
    pub name: String,
    pub action: Action,
    pub collection: CollectionSpec,
}

/// What was found out about a project's dependencies.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestions {
    pub suggestions: Vec<Suggestion>,
    /// The collection that those with the origin `disk` are in, if there are any.
    pub dependencies: Option<DependenciesCollection>,
    /// Dependencies without documents in reach.
    pub without: Vec<String>,
    pub not_installed: Vec<NotInstalled>,
    /// Lock files that could not be read, and the like.
    pub warnings: Vec<String>,
}

/// What the collection of dependencies is called, if that name is free.
const NAME: &str = "dependencies";

/// Proposes collections for a project's dependencies: a package of its own for each that a registry has, and one for what lies on this
/// machine. Only those that the project names itself, unless `all` is given, or those that have one of some names.
pub fn suggest(project: &Project, registries: &[Registry], homes: &Homes, all: bool, names: &[String]) -> Suggestions {
    let found = dependencies(&project.root);
    let mut suggestions = Suggestions { warnings: found.warnings, ..Suggestions::default() };
    let mut taken: BTreeSet<String> = project.config.collections.iter().map(|(name, _)| name.clone()).collect();
    let is_named = |dependency: &Dependency| {
        let reference = dependency.reference().to_string();
        let wants = |name: &String| *name == dependency.name || *name == reference || is_name_of(name, dependency);
        names.iter().any(wants)
    };
    let is_wanted = |dependency: &&Dependency| match names.is_empty() {
        true => all || dependency.direct,
        false => is_named(dependency),
    };
    let wanted: Vec<&Dependency> = found.dependencies.iter().filter(is_wanted).collect();
    let declared = declared_dependencies(project);
    let own = own_collection(present_dependencies(&declared), &wanted, all, !names.is_empty(), &mut taken);
    for dependency in wanted {
        let reference = dependency.reference().to_string();
        if let Some(collection) = in_registry(project, registries, dependency) {
            let (action, name) = match present_package(project, dependency, &found.dependencies) {
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
                origin: Origin::Registry,
                files: None,
                found: None,
                collection,
            });
            continue;
        }
        let Some(package) = local_package(&project.root, dependency, homes) else {
            suggestions.without.push(reference.clone());
            let command = dependency.install_command();
            suggestions.not_installed.push(NotInstalled { dependency: reference, command });
            continue;
        };
        let count = match PackageFiles::find(&package, &Limits::default(), &Cancel::default()) {
            Ok(files) => FoundFiles {
                docs: files.count(Part::Docs),
                examples: files.count(Part::Example),
                api: files.count(Part::Api),
            },
            Err(error) => {
                suggestions.warnings.push(format!("{reference}: {error}"));
                continue;
            }
        };
        let files = count.docs + count.examples + count.api;
        if files == 0 {
            suggestions.without.push(reference);
            continue;
        }
        let there = declared.iter().find(|(_, _, chosen)| chosen.has(dependency));
        suggestions.suggestions.push(Suggestion {
            name: there.map_or(&own.name, |(name, ..)| name).clone(),
            dependency: reference,
            direct: dependency.direct,
            lock_file: dependency.lock_file.display().to_string(),
            action: if there.is_some() { Action::Keep } else { Action::Add },
            origin: Origin::Disk,
            files: Some(files),
            found: Some(count),
            collection: there.map_or(&own.collection, |(_, source, _)| source).clone(),
        });
    }
    let on_disk = suggestions.suggestions.iter().filter(|it| it.origin == Origin::Disk);
    let mut on_disk = on_disk.peekable();
    if on_disk.peek().is_some() {
        let action = if on_disk.all(|it| it.action == Action::Keep) { Action::Keep } else { own.action };
        suggestions.dependencies = Some(DependenciesCollection { action, ..own });
    }
    suggestions
}

/// Whether a name with its ecosystem, in any spelling of that, is a dependency's.
fn is_name_of(name: &str, dependency: &Dependency) -> bool {
    name.parse::<PackageName>().is_ok_and(|name| name.is(dependency.ecosystem, &dependency.name))
}

/// A collection of documents of dependencies: its name, its source, and what that comes to.
type Declared = (String, CollectionSpec, Chosen);

fn declared_dependencies(project: &Project) -> Vec<Declared> {
    let found = project.config.collections.iter().filter_map(|(name, declaration)| {
        let source = declaration.source.as_ref()?;
        let CollectionSpec::Dep { dependencies, transitive } = source else { return None };
        Some((name.clone(), source.clone(), Chosen::parse(dependencies, *transitive).ok()?))
    });
    found.collect()
}

/// The one that takes more dependencies in, if there is one.
fn present_dependencies(declared: &[Declared]) -> Option<&Declared> {
    // One that was added for a package of its name is about that alone.
    let found = declared.iter().filter(|(name, source, _)| match source {
        CollectionSpec::Dep { dependencies, .. } => dependencies.is_empty() || name == NAME || dependencies.len() > 1,
        _ => false,
    });
    found.max_by_key(|(_, source, _)| match source {
        CollectionSpec::Dep { dependencies, .. } if dependencies.is_empty() => usize::MAX,
        CollectionSpec::Dep { dependencies, .. } => dependencies.len(),
        _ => 0,
    })
}

/// The collection of dependencies as it would be with some more.
fn own_collection(
    present: Option<&Declared>,
    wanted: &[&Dependency],
    all: bool,
    named: bool,
    taken: &mut BTreeSet<String>,
) -> DependenciesCollection {
    let references = wanted.iter().map(|dependency| format!("{}:{}", dependency.ecosystem, dependency.name));
    let mut names: BTreeSet<String> = if named { references.collect() } else { BTreeSet::new() };
    let Some((name, source, _)) = present else {
        let name = if taken.insert(NAME.to_owned()) { NAME.to_owned() } else { free_name("deps", "", taken) };
        let collection = CollectionSpec::Dep { dependencies: names.into_iter().collect(), transitive: all && !named };
        return DependenciesCollection { name, action: Action::Add, collection };
    };
    let mut collection = source.clone();
    if let CollectionSpec::Dep { dependencies, transitive } = &mut collection {
        *transitive |= all && !named;
        match (named, dependencies.is_empty()) {
            (false, _) => dependencies.clear(),
            // It has everything that the project names itself. What is only a dependency of one of those comes with the rest.
            (true, true) => *transitive |= wanted.iter().any(|dependency| !dependency.direct),
            (true, false) => {
                names.extend(dependencies.drain(..));
                dependencies.extend(names);
            }
        }
    }
    DependenciesCollection { name: name.clone(), action: Action::Replace, collection }
}

fn in_registry(project: &Project, registries: &[Registry], dependency: &Dependency) -> Option<CollectionSpec> {
    let documented = format!("{}:{}", dependency.ecosystem.as_str(), dependency.name);
    let found = for_dependency(registries, &documented, &dependency.version)?;
    Some(CollectionSpec::Pkg {
        url: portable_url(&found.url, &project.root),
        hash: Some(found.hash.to_string()),
        package: Some(format!("{}@{}", found.name, found.version)),
        dependency: Some(dependency.reference().to_string()),
        public: false,
    })
}

/// The collection that is there for a dependency, and whether it is for this version. Where several versions are in use, a collection
/// for another of them is not this one's.
fn present_package(project: &Project, dependency: &Dependency, all: &[Dependency]) -> Option<(String, bool)> {
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
    let last = dependency.rsplit(['/', ':']).find(|part| !part.is_empty() && !is_major(part)).unwrap_or(dependency);
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
