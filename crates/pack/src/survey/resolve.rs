//! Which files of the project a file imports.
//!
//! The rules of each language stand in `modules`. Where two files could be meant, none is: a wrong edge would be a wrong
//! statement, a missing one only a smaller number.

use std::collections::HashMap;

use ai_assist_chunk::Import;
use ai_assist_ecosystem::Description;
use ai_assist_text::Language;

use super::measure::Measure;
use super::paths::{Paths, folder, name};
use crate::Snapshot;
use crate::types::FileMetadata;

/// More imports of one file are not looked at.
const MAX_IMPORTS: usize = 2_000;

/// What a file imports: files, and whole folders where the language imports those.
#[derive(Debug, Default)]
pub(super) struct Edges(Vec<Target>);

/// What an import leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    File(usize),
    /// All files of a Go package.
    Folder(usize),
}

impl Edges {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The files and packages of a project, for looking up imports.
pub(super) struct Resolver<'a> {
    pub(super) files: &'a [FileMetadata],
    pub(super) paths: Paths<'a>,
    /// The folders of Rust crates by the name they have in code.
    pub(super) crates: HashMap<String, String>,
    /// The folders of npm packages by name.
    pub(super) packages: HashMap<String, String>,
    /// The folders of Go modules by module path.
    pub(super) go_modules: HashMap<String, String>,
    /// Folders with Go files.
    pub(super) go_folders: HashMap<&'a str, usize>,
    go_files: Vec<Vec<usize>>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, description: &'a Description) -> Self {
        let files = &snapshot.project().files;
        let mut crates = HashMap::new();
        let mut packages = HashMap::new();
        let root = |ending: &str| {
            description.name.evidence.starts_with(ending).then_some((description.name.value.as_str(), ""))
        };
        let of_kind = |kind: &'static [&'static str]| {
            let named = description.packages.iter().filter(move |package| kind.contains(&package.kind.as_str()));
            named.map(|package| (package.name.as_str(), package.path.as_str()))
        };
        for (name, path) in of_kind(&["rust"]).chain(root("Cargo.toml")) {
            crates.entry(name.replace('-', "_")).or_insert_with(|| path.to_owned());
        }
        for (name, path) in of_kind(&["node"]).chain(root("package.json")) {
            packages.entry(name.to_owned()).or_insert_with(|| path.to_owned());
        }
        let mut resolver = Resolver {
            files,
            paths: Paths::new(files),
            crates,
            packages,
            go_modules: go_modules(snapshot),
            go_folders: HashMap::new(),
            go_files: Vec::new(),
        };
        resolver.go_packages();
        resolver
    }

    fn go_packages(&mut self) {
        for (index, file) in self.files.iter().enumerate() {
            let path = file.relative_path.as_str();
            if path.ends_with(".go") && !path.ends_with("_test.go") {
                let next = self.go_files.len();
                let place = *self.go_folders.entry(folder(path)).or_insert(next);
                if place == next {
                    self.go_files.push(Vec::new());
                }
                self.go_files[place].push(index);
            }
        }
    }

    /// What a file imports, each target once, itself never.
    pub(super) fn edges(&self, index: usize, language: Language, imports: &[Import]) -> Edges {
        let from = self.files[index].relative_path.as_str();
        let found = imports.iter().take(MAX_IMPORTS);
        let found = found.filter_map(|import| self.target(from, language, import.module.trim()));
        let mut targets: Vec<Target> = found.filter(|target| *target != Target::File(index)).collect();
        targets.sort_unstable();
        targets.dedup();
        Edges(targets)
    }

    /// Counts who is imported by how many.
    pub(super) fn count(&self, edges: &[Edges], measures: &mut [Measure]) {
        let mut folders = vec![0; self.go_files.len()];
        for target in edges.iter().flat_map(|edges| &edges.0) {
            match *target {
                Target::File(index) => measures[index].fan_in += 1,
                Target::Folder(place) => folders[place] += 1,
            }
        }
        for (files, count) in self.go_files.iter().zip(folders) {
            files.iter().for_each(|&index| measures[index].fan_in += count);
        }
    }
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
