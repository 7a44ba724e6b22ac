//! `Cargo.toml`.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{Asked, DependencyKind, EntryPointKind, Family, Findings, Members, join, set, split, upwards, words};
use crate::lock_error::from_toml;

/// The workspaces met so far, by folder. Members lie below their workspace, so it is read before them.
#[derive(Default)]
pub(super) struct Workspaces(BTreeMap<String, Workspace>);

struct Workspace {
    manifest: String,
    members: Members,
    /// What members may inherit: the name a dependency really has, and its version.
    dependencies: BTreeMap<String, (String, Option<String>)>,
    package: BTreeMap<String, String>,
}

impl Workspaces {
    pub(super) fn include(&self, folder: &str) -> bool {
        self.0.values().any(|workspace| workspace.members.include(folder))
    }

    pub(super) fn exclude(&self, folder: &str) -> bool {
        self.0.values().any(|workspace| workspace.members.excludes(folder))
    }

    fn above(&self, folder: &str) -> Option<&Workspace> {
        upwards(folder).find_map(|folder| self.0.get(folder))
    }

    pub(super) fn manifest(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        let Some(table) = findings.parsed::<Table>(path, from_toml(text)) else { return };
        let folder = split(path).0;
        findings.build("cargo", path);
        if let Some(workspace) = table.get("workspace").and_then(Value::as_table) {
            self.0.insert(folder.to_owned(), Workspace::read(folder, path, workspace));
        }
        if findings.project(Family::Rust, path).is_none() {
            return;
        }
        self.package(findings, path, &table);
        for (place, key, kind) in dependency_tables(&table) {
            self.depend(findings, path, place, &key, kind);
        }
        if table.contains_key("package") {
            targets(findings, path, &table);
            tests(findings, path, &table);
        }
    }

    fn package(&self, findings: &mut Findings<'_>, path: &str, table: &Table) {
        let workspace = self.above(split(path).0);
        let package = table.get("package").and_then(Value::as_table);
        let Some(project) = findings.project(Family::Rust, path) else { return };
        // A workspace without a package speaks through what its members inherit.
        let shared = |key: &str| workspace.and_then(|workspace| Some((workspace, workspace.package.get(key)?)));
        let mut fill = |key: &str, short: bool| {
            let own = package.and_then(|package| package.get(key));
            let check = if short { words::short } else { words::prose };
            let (value, manifest, key) = match (own, shared(key)) {
                (Some(Value::String(own)), _) => (check(own), path.to_owned(), format!("package.{key}")),
                (Some(Value::Table(_)), Some((workspace, value))) => {
                    (check(value), workspace.manifest.clone(), format!("workspace.package.{key}"))
                }
                (None, Some((workspace, value))) if package.is_none() => {
                    (check(value), workspace.manifest.clone(), format!("workspace.package.{key}"))
                }
                _ => return,
            };
            let place = match key.rsplit('.').next() {
                Some("version") => &mut project.version,
                Some("license") => &mut project.license,
                _ => &mut project.description,
            };
            set(place, value, &manifest, &key);
        };
        fill("version", true);
        fill("license", true);
        fill("description", false);
        let name = package.and_then(|package| package.get("name")?.as_str()).and_then(words::name);
        set(&mut project.name, name, path, "package.name");
    }

    fn depend(&self, findings: &mut Findings<'_>, path: &str, table: &Table, key: &str, kind: DependencyKind) {
        let workspace = self.above(split(path).0);
        for (name, value) in table {
            let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let inherited = workspace.filter(|_| inherits).and_then(|workspace| workspace.dependencies.get(name));
            let (name, version) = match inherited {
                Some((name, version)) => (name.clone(), version.clone()),
                None => real(name, value),
            };
            let version = version.as_deref();
            findings.depend(&Asked { ecosystem: "cargo", name: &name, version, kind, manifest: path, key });
        }
    }
}

impl Workspace {
    fn read(folder: &str, manifest: &str, table: &Table) -> Workspace {
        let list = |key: &str| {
            let list = table.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            list.iter().filter_map(Value::as_str)
        };
        let map = |key: &str| table.get(key).and_then(Value::as_table).into_iter().flatten();
        Workspace {
            manifest: manifest.to_owned(),
            members: Members::new(folder, list("members"), list("exclude")),
            dependencies: map("dependencies").map(|(name, value)| (name.clone(), real(name, value))).collect(),
            package: map("package")
                .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                .collect(),
        }
    }
}

/// The name a dependency has in the registry, and its version, else where it comes from.
fn real(name: &str, value: &Value) -> (String, Option<String>) {
    let part = |key: &str| value.get(key).and_then(Value::as_str);
    let version = value.as_str().or_else(|| part("version")).or_else(|| part("git")).or_else(|| part("path"));
    (part("package").unwrap_or(name).to_owned(), version.map(str::to_owned))
}

/// The tables that name dependencies, those for one platform included.
fn dependency_tables(table: &Table) -> Vec<(&Table, String, DependencyKind)> {
    let kinds = [
        ("dependencies", DependencyKind::Runtime),
        ("dev-dependencies", DependencyKind::Dev),
        ("build-dependencies", DependencyKind::Dev),
    ];
    let platforms = table.get("target").and_then(Value::as_table).into_iter().flatten();
    let platforms = platforms.filter_map(|(name, value)| Some((format!("target.{name}."), value.as_table()?)));
    let mut found = Vec::new();
    for (prefix, place) in std::iter::once((String::new(), table)).chain(platforms) {
        for (name, kind) in kinds {
            if let Some(table) = place.get(name).and_then(Value::as_table) {
                found.push((table, format!("{prefix}{name}"), kind));
            }
        }
    }
    found
}

/// The programs and the library, stated or by Cargo's conventions.
fn targets(findings: &mut Findings<'_>, path: &str, table: &Table) {
    let folder = split(path).0;
    let stated = table.get("bin").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for bin in stated.iter().take(200) {
        let name = bin.get("name").and_then(Value::as_str).unwrap_or_default();
        let by_name = [format!("src/bin/{name}.rs"), format!("src/bin/{name}/main.rs"), "src/main.rs".to_owned()];
        let place = match bin.get("path").and_then(Value::as_str) {
            Some(place) => findings.files.resolve(folder, place),
            None => by_name.iter().find_map(|place| findings.files.resolve(folder, place)),
        };
        if let Some(place) = place {
            findings.enter_program(place, path, &format!("bin.{name}"));
        }
    }
    if let Some(place) = findings.files.resolve(folder, "src/main.rs") {
        findings.enter_program(place, path, "package, with src/main.rs");
    }
    let bins = join(folder, "src/bin").unwrap_or_default();
    let depth = bins.split('/').count();
    let is_bin = |path: &&str| match path.split('/').count() - depth {
        1 => path.ends_with(".rs"),
        2 => path.ends_with("/main.rs"),
        _ => false,
    };
    let programs: Vec<String> =
        findings.files.under(&bins).iter().copied().filter(is_bin).take(200).map(str::to_owned).collect();
    for place in programs {
        findings.enter_program(place, path, "package, with src/bin");
    }
    let library = table.get("lib").and_then(|lib| lib.get("path")?.as_str());
    let key = if library.is_some() { "lib.path" } else { "package, with src/lib.rs" };
    let place = library.unwrap_or("src/lib.rs");
    findings.enter_first(folder, &[place], EntryPointKind::Library, format!("{path}: {key}"));
}

/// Every package has `cargo test`; a file of tests says it best.
fn tests(findings: &mut Findings<'_>, path: &str, table: &Table) {
    let folder = join(split(path).0, "tests").unwrap_or_default();
    // What lies deeper is part of a test, or what is tested on.
    let is_test = |path: &&&str| match path.get(folder.len() + 1..).unwrap_or_default().split_once('/') {
        None => path.ends_with(".rs"),
        Some((_, rest)) => rest == "main.rs",
    };
    let file = findings.files.under(&folder).iter().find(is_test);
    let evidence = match file {
        Some(file) => (*file).to_owned(),
        None if table.contains_key("dev-dependencies") => format!("{path}: dev-dependencies"),
        None => path.to_owned(),
    };
    findings.test("cargo test", evidence);
}
