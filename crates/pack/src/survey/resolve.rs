//! Which files of the project a file imports, and how many import it.

use std::collections::HashMap;

use ai_assist_ecosystem::Description;
use ai_assist_syntax::{Import, ImportTarget, Imports, Packages};
use ai_assist_text::Language;

use super::measure::Measure;
use crate::Snapshot;
use crate::types::FileMetadata;

/// What a file imports: files, and whole folders where the language imports those.
#[derive(Debug, Default)]
pub(super) struct Edges(Vec<ImportTarget>);

impl Edges {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The files and packages of a project, for looking up imports.
pub(super) struct Resolver<'a> {
    files: &'a [FileMetadata],
    imports: Imports<'a>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, description: &'a Description) -> Self {
        let files = &snapshot.project().files;
        let readable = files.iter().enumerate().filter(|(_, file)| file.content_extractable);
        let readable: Vec<(usize, &str)> = readable.map(|(index, file)| (index, file.relative_path.as_str())).collect();
        Resolver { files, imports: Imports::new(&readable, packages(snapshot, description)) }
    }

    /// What a file imports, each target once, itself never.
    pub(super) fn edges(&self, index: usize, language: Language, imports: &[Import]) -> Edges {
        let from = self.files[index].relative_path.as_str();
        let modules = imports.iter().map(|import| import.module.as_str());
        Edges(self.imports.targets((index, from), language, modules))
    }

    pub(super) fn count(&self, edges: &[Edges], measures: &mut [Measure]) {
        let mut folders: HashMap<ImportTarget, usize> = HashMap::new();
        for &target in edges.iter().flat_map(|edges| &edges.0) {
            match target {
                ImportTarget::File(index) => measures[index].fan_in += 1,
                ImportTarget::Folder(_) => *folders.entry(target).or_default() += 1,
            }
        }
        for (target, count) in folders {
            self.imports.files_of(target).iter().for_each(|&index| measures[index].fan_in += count);
        }
    }
}

fn packages(snapshot: &Snapshot, description: &Description) -> Packages {
    let mut packages = Packages { go: go_modules(snapshot), ..Packages::default() };
    let root =
        |ending: &str| description.name.evidence.starts_with(ending).then_some((description.name.value.as_str(), ""));
    let of_kind = |kind: &'static [&'static str]| {
        let named = description.packages.iter().filter(move |package| kind.contains(&package.kind.as_str()));
        named.map(|package| (package.name.as_str(), package.path.as_str()))
    };
    for (name, path) in of_kind(&["rust"]).chain(root("Cargo.toml")) {
        packages.crates.entry(name.replace('-', "_")).or_insert_with(|| path.to_owned());
    }
    for (name, path) in of_kind(&["node"]).chain(root("package.json")) {
        packages.node.entry(name.to_owned()).or_insert_with(|| path.to_owned());
    }
    packages
}

fn go_modules(snapshot: &Snapshot) -> HashMap<String, String> {
    let files = snapshot.project().files.iter().enumerate();
    let manifests = files.filter(|(_, file)| name(&file.relative_path) == "go.mod" && file.content_extractable);
    let module = |(index, file): (usize, &FileMetadata)| {
        let text = snapshot.text(index).ok()?;
        let module = text.lines().find_map(|line| line.trim().strip_prefix("module ").map(str::trim))?;
        let module = module.split("//").next().unwrap_or(module).trim().trim_matches('"');
        Some((module.to_owned(), folder(&file.relative_path).to_owned()))
    };
    manifests.filter_map(module).collect()
}

/// The folder of a path; empty for one in the root.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
