//! The lock file of this very workspace, held against its manifests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ai_assist_ecosystem::{Ecosystem, dependencies};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn manifest(path: &Path) -> toml::Table {
    fs::read_to_string(path).unwrap().parse().unwrap()
}

/// The tables of a manifest that name dependencies, those for one platform included.
fn tables(manifest: &toml::Table) -> Vec<&toml::Table> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let platforms = manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values);
    let places = platforms.filter_map(toml::Value::as_table).chain([manifest]);
    places.flat_map(|place| kinds.into_iter().filter_map(|kind| place.get(kind)?.as_table())).collect()
}

/// The names the manifests of all members ask a registry for.
fn asked_for() -> BTreeSet<String> {
    let top = manifest(&workspace().join("Cargo.toml"));
    let shared = top["workspace"]["dependencies"].as_table().unwrap();
    let mut names = BTreeSet::new();
    for member in fs::read_dir(workspace().join("crates")).unwrap() {
        for table in tables(&manifest(&member.unwrap().path().join("Cargo.toml"))) {
            for (name, own) in table {
                let inherits = own.get("workspace").is_some();
                let asked = if inherits { &shared[name.as_str()] } else { own };
                let real = asked.get("package").and_then(toml::Value::as_str).unwrap_or(name);
                if asked.get("path").is_none() {
                    names.insert(real.to_owned());
                }
            }
        }
    }
    names
}

#[test]
fn direct_are_exactly_those_that_the_manifests_name() {
    let found = dependencies(&workspace());
    assert_eq!(found.warnings, Vec::<String>::new());
    let cargo = || found.dependencies.iter().filter(|dependency| dependency.ecosystem == Ecosystem::Cargo);
    let direct: BTreeSet<String> = cargo().filter(|d| d.direct).map(|d| d.name.clone()).collect();
    assert_eq!(direct, asked_for());
    assert!(direct.contains("serde") && direct.len() > 10);
    assert!(cargo().any(|dependency| !dependency.direct));
    assert!(cargo().all(|dependency| dependency.lock_file == Path::new("Cargo.lock")));
    assert!(!cargo().any(|dependency| dependency.name.starts_with("ai-assist")));
}
