use std::collections::HashMap;

use ai_assist_ecosystem::Description;
use ai_assist_syntax::Packages;

use crate::Snapshot;
use crate::types::FileMetadata;

pub(super) fn packages(snapshot: &Snapshot, description: &Description) -> Packages {
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
    let files = snapshot.project.files.iter().enumerate();
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
