//! Between the snapshot and the description of a project.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ai_assist_ecosystem::{DependencyKind, Description, EntryPoint, Tree};

use crate::Snapshot;
use crate::manifest::ManifestInput;
use crate::types::Dependency;

/// More dependencies than these say nothing of what matters.
const MAX_DEPENDENCIES: usize = 100;
const MAX_ENTRY_POINTS: usize = 50;
const MAX_NAMES: usize = 8;

/// Files with the exact versions of dependencies.
pub(crate) const LOCK_FILES: &[&str] = &[
    "Cargo.lock", "Gemfile.lock", "Package.resolved", "Pipfile.lock", "bun.lock", "bun.lockb", "composer.lock",
    "conan.lock", "go.sum", "gradle.lockfile", "npm-shrinkwrap.json", "package-lock.json", "packages.lock.json",
    "pdm.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "yarn.lock",
];

/// The snapshot as the describer wants it: what can be read, and lock files, of which the name alone tells something.
pub(super) struct SnapshotTree<'a> {
    snapshot: &'a Snapshot,
    paths: Vec<String>,
}

impl<'a> SnapshotTree<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let mut paths = snapshot.paths();
        let excluded = snapshot.project.excluded_files.iter();
        let is_lock_file = |path: &&String| LOCK_FILES.contains(&path.rsplit('/').next().unwrap_or(path));
        paths.extend(excluded.map(|file| &file.path).filter(is_lock_file).cloned());
        paths.sort();
        paths.dedup();
        SnapshotTree { snapshot, paths }
    }
}

impl Tree for SnapshotTree<'_> {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn text(&self, path: &str) -> Option<Cow<'_, str>> {
        self.snapshot.text_of(path)
    }
}

/// The first path, sent or not, whose last name is one of these; the shallowest first.
pub(crate) fn named_anywhere<'a>(snapshot: &'a Snapshot, fits: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    let project = &snapshot.project;
    let selected = project.files.iter().map(|file| file.relative_path.as_str());
    let all = selected.chain(project.excluded_files.iter().map(|file| file.path.as_str()));
    all.filter(|path| fits(path.rsplit('/').next().unwrap_or(path)))
        .min_by_key(|path| (path.matches('/').count(), *path))
}

/// The manifest as far as the description has it, and a sentence if something of it was left out.
pub(super) fn manifest_input(description: &Description) -> (ManifestInput, Option<String>) {
    let (dependencies, all) = dependencies(description);
    let left_out = all > dependencies.len();
    let warning = left_out
        .then(|| format!("The {} most used of {all} dependencies are named in the manifest.", dependencies.len()));
    let known = |value: &str| Some(value.to_owned()).filter(|value| value != "unknown");
    let input = ManifestInput {
        project_name: known(&description.name.value),
        project_type: known(&description.kind.value),
        purpose_guess: description.description.as_ref().map(|stated| stated.value.clone()),
        structure_summary: None,
        dependencies,
        entry_points: entry_points(&description.entry_points),
        build_system: names(&description.build_systems),
        test_framework: names(&description.test_frameworks),
    };
    (input, warning)
}

fn names(stated: &[ai_assist_ecosystem::Stated<String>]) -> Option<String> {
    let names: Vec<&str> = stated.iter().take(MAX_NAMES).map(|stated| stated.value.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Each dependency once, in its most important kind: what runs first, then what most manifests ask for.
fn dependencies(description: &Description) -> (Vec<Dependency>, usize) {
    struct Asked<'a> {
        kind: DependencyKind,
        version: Option<&'a String>,
        manifests: usize,
    }
    let importance = |kind: DependencyKind| match kind {
        DependencyKind::Runtime => 0,
        DependencyKind::Peer => 1,
        DependencyKind::Dev => 2,
    };
    let mut by_name: BTreeMap<(&str, &str), Asked<'_>> = BTreeMap::new();
    for dependency in &description.dependencies {
        let kind = dependency.kind;
        let key = (dependency.name.as_str(), dependency.ecosystem.as_str());
        let asked = by_name.entry(key).or_insert(Asked { kind, version: None, manifests: 0 });
        asked.manifests += 1;
        if importance(kind) < importance(asked.kind) {
            (asked.kind, asked.version) = (kind, dependency.version.as_ref());
        }
        if kind == asked.kind && asked.version.is_none() {
            asked.version = dependency.version.as_ref();
        }
    }
    let mut all: Vec<((&str, &str), Asked<'_>)> = by_name.into_iter().collect();
    all.sort_by_key(|(name, asked)| (importance(asked.kind), std::cmp::Reverse(asked.manifests), *name));
    let count = all.len();
    let chosen = all.into_iter().take(MAX_DEPENDENCIES).map(|((name, _), asked)| Dependency {
        name: name.to_owned(),
        version: asked.version.cloned(),
        dependency_type: asked.kind,
    });
    (chosen.collect(), count)
}

/// The shallowest first.
fn entry_points(entries: &[EntryPoint]) -> Vec<String> {
    let mut paths: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    paths.sort_by_key(|path| (path.matches('/').count(), *path));
    paths.into_iter().take(MAX_ENTRY_POINTS).map(str::to_owned).collect()
}
