//! `composer.json`.

use serde_json::{Map, Value};

use super::{Asked, DependencyKind, EntryPointKind, Family, Findings, set, split, texts, words};
use crate::lock_error::from_json;

pub(super) fn composer(findings: &mut Findings<'_>, path: &str, text: &str) {
    let Some(manifest) = findings.parsed::<Map<String, Value>>(path, from_json(text)) else { return };
    findings.build("composer", path);
    let Some(project) = findings.project(Family::Php, path) else { return };
    let part = |key: &str| manifest.get(key).and_then(Value::as_str);
    project.state(path, str::to_owned, part);
    let several: Vec<&str> = texts(manifest.get("license")).collect();
    set(&mut project.license, words::short(&several.join(" OR ")), path, "license");
    depend(findings, path, &manifest);
    enter(findings, path, &manifest);
}

fn depend(findings: &mut Findings<'_>, path: &str, manifest: &Map<String, Value>) {
    // Without a vendor it is PHP itself, an extension or a library of the system.
    let is_package = |name: &str| name.contains('/');
    for (key, kind) in [("require", DependencyKind::Runtime), ("require-dev", DependencyKind::Dev)] {
        for (name, version) in manifest.get(key).and_then(Value::as_object).into_iter().flatten() {
            if is_package(name) {
                let version = version.as_str();
                findings.depend(&Asked { ecosystem: "composer", name, version, kind, manifest: path, key });
            }
        }
    }
}

fn enter(findings: &mut Findings<'_>, path: &str, manifest: &Map<String, Value>) {
    let folder = split(path).0;
    let bins = manifest.get("bin");
    let programs = bins.and_then(Value::as_str).into_iter().chain(texts(bins)).take(100);
    for place in programs.filter_map(|file| findings.files.resolve(folder, file)).collect::<Vec<_>>() {
        findings.enter(place, EntryPointKind::Cli, format!("{path}: bin"));
    }
    let by_convention = [
        ("public/index.php", EntryPointKind::Web),
        ("web/index.php", EntryPointKind::Web),
        ("index.php", EntryPointKind::Web),
        ("artisan", EntryPointKind::Script),
        ("bin/console", EntryPointKind::Script),
    ];
    for (name, kind) in by_convention {
        findings.enter_first(folder, &[name], kind, format!("{path}, with {name}"));
    }
}
