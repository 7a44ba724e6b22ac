//! The workspace that this crate is part of.

use std::fs;
use std::path::Path;

use ai_assist_ecosystem::{EntryPointKind, describe, is_manifest};

use super::{Project, check, evidence};

/// All files of the workspace but what is built and hidden; the fuzz targets are a workspace of their own.
fn collect(folder: &Path, prefix: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with('.') || matches!(name.as_str(), "target" | "fuzz") {
            continue;
        }
        let path = format!("{prefix}{name}");
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => collect(&entry.path(), &format!("{path}/"), found),
            kind if kind.is_file() => {
                let text = is_manifest(&path).then(|| fs::read_to_string(entry.path()).unwrap());
                found.push((path, text.unwrap_or_default()));
            }
            _ => {}
        }
    }
}

#[test]
fn it_describes_itself() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), "", &mut files);
    // Programs of others that only tests install say nothing of the project.
    files.retain(|(path, _)| !path.starts_with("crates/conformance/clients/"));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::new(&files);
    let description = describe(&project);
    check(&project, &description);
    assert_eq!(description.warnings, Vec::<String>::new());
    assert_eq!(description.kind.value, "rust");
    assert_eq!(description.name.evidence, "README.md: title");
    assert_eq!(description.license.unwrap().evidence, "Cargo.toml: workspace.package.license");
    let manifests = files.iter().filter(|(path, _)| path.starts_with("crates/") && path.ends_with("/Cargo.toml"));
    let mut manifests: Vec<&str> =
        manifests.map(|(path, _)| *path).filter(|path| !path.contains("/fixtures/")).collect();
    manifests.sort_unstable();
    let described: Vec<&str> = description.packages.iter().map(|package| package.manifest.as_str()).collect();
    assert_eq!(described, manifests);
    assert!(described.len() > 5 && description.packages.iter().all(|package| package.kind == "rust"));
    let program = description.entry_points.iter().find(|entry| entry.path == "crates/cli/src/main.rs").unwrap();
    assert_eq!(program.kind, EntryPointKind::Cli);
    assert!(program.evidence.starts_with("crates/cli/Cargo.toml: bin.ai-assist"), "{}", program.evidence);
    assert!(description.entry_points.iter().any(|entry| entry.path == "crates/ecosystem/src/lib.rs"));
    let tests = evidence(&description.test_frameworks, "cargo test");
    assert!(tests.starts_with("crates/") && tests.contains("/tests/"), "{tests}");
    assert!(evidence(&description.technologies, "Serde").starts_with("crates/"));
    let serde = description.dependencies.iter().find(|d| d.name == "serde").unwrap();
    assert!(serde.version.as_deref().unwrap().starts_with("1."), "inherited from the workspace: {serde:?}");
    assert!(description.dependencies.iter().all(|d| d.ecosystem == "cargo" && !d.name.starts_with("ai-assist")));
}
