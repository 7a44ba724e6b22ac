//! Python: `pyproject.toml`, `setup.cfg`, `setup.py`, `Pipfile`, `requirements.txt` and its kin.

mod entries;
mod pyproject;
mod requirement;
mod setup;

pub(super) use setup::{setup_cfg, setup_py};

use toml::{Table, Value};

use self::requirement::Requirement;
use super::{Asked, DependencyKind, Family, Findings, split, words};
use crate::lock_error::from_toml;
use crate::names::python_normal;

/// Takes in a requirement such as `requests[socks]>=2 ; python_version > "3"`.
fn require(findings: &mut Findings<'_>, path: &str, key: &str, kind: DependencyKind, text: &str) {
    if let Some(requirement) = Requirement::parse(text) {
        depend(findings, path, key, kind, requirement.name, requirement.version);
    }
}

fn depend(findings: &mut Findings<'_>, path: &str, key: &str, kind: DependencyKind, name: &str, version: Option<&str>) {
    let name = python_normal(name);
    findings.depend(&Asked { ecosystem: "python", name: &name, version, kind, manifest: path, key });
}

/// A table of names with versions or tables, as Poetry and Pipenv have it.
fn depend_on_table(findings: &mut Findings<'_>, path: &str, key: &str, kind: DependencyKind, table: &Table) {
    for (name, value) in table.iter().filter(|(name, _)| *name != "python") {
        let part = |part: &str| value.get(part).and_then(Value::as_str);
        let version = value.as_str().or_else(|| part("version")).or_else(|| part("git")).or_else(|| part("path"));
        let several = || value.as_array()?.first()?.get("version")?.as_str();
        depend(findings, path, key, kind, name, version.or_else(several));
    }
}

/// Groups and files with these words in their names are for those who work on the project.
fn is_dev(name: &str) -> bool {
    const WORDS: [&str; 15] = [
        "dev", "develop", "development", "test", "tests", "testing", "doc", "docs", "lint", "linting", "typing",
        "types", "ci", "build", "bench",
    ];
    let name = name.to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word))
}

fn kind_of(name: &str) -> DependencyKind {
    if is_dev(name) { DependencyKind::Dev } else { DependencyKind::Runtime }
}

pub(super) fn pipfile(findings: &mut Findings<'_>, path: &str, text: &str) {
    let Some(table) = findings.parsed::<Table>(path, from_toml(text)) else { return };
    if findings.project(Family::Python, path).is_none() {
        return;
    }
    findings.build("pipenv", path);
    for (key, kind) in [("packages", DependencyKind::Runtime), ("dev-packages", DependencyKind::Dev)] {
        if let Some(table) = table.get(key).and_then(Value::as_table) {
            depend_on_table(findings, path, key, kind, table);
        }
    }
    entries::by_convention(findings, path);
}

/// A file of requirements: one on each line. Files it includes are manifests themselves; addresses and options are passed
/// over, since they may hold passwords.
pub(super) fn requirements(findings: &mut Findings<'_>, path: &str, text: &str) {
    let (folder, name) = split(path);
    // `requirements/dev.txt` speaks for the folder above.
    let home = if words::last_part(folder) == "requirements" { split(folder).0 } else { folder };
    let is_aside = ["docs", "doc"].contains(&words::last_part(home));
    let kind = if is_aside || is_dev(path) { DependencyKind::Dev } else { kind_of(name) };
    if !is_aside && kind == DependencyKind::Runtime && findings.project_in(Family::Python, home, path).is_none() {
        return;
    }
    findings.build("pip", path);
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if !line.starts_with(['#', '-', '.', '/']) && !line.contains("://") {
            let line = line.split(" --").next().unwrap_or_default();
            require(findings, path, "line", kind, line);
        } else if let Some((name, _)) = line.split_once('@').filter(|(name, _)| !name.contains(':')) {
            require(findings, path, "line", kind, name);
        }
    }
    if kind == DependencyKind::Runtime {
        entries::by_convention(findings, path);
    }
}
