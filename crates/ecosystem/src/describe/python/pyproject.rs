//! `pyproject.toml`: the standard tables, and those of Poetry, uv and others.

use toml::{Table, Value};

use super::super::{DependencyKind, Family, Findings, Members, Workspaces, set, split, words};
use super::{depend_on_table, entries, kind_of, require};
use crate::lock_error::from_toml;

impl Workspaces {
    pub(in super::super) fn pyproject(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        let Some(table) = findings.parsed::<Table>(path, from_toml(text)) else { return };
        build(findings, path, &table);
        if at(&table, &["tool", "pytest"]).is_some() {
            findings.test("pytest", format!("{path}: tool.pytest"));
        }
        if let Some(workspace) = at(&table, &["tool", "uv", "workspace"]) {
            let list = |key| texts(workspace.get(key));
            self.0.push(Members::new(split(path).0, list("members"), list("exclude")));
        }
        let poetry = at(&table, &["tool", "poetry"]);
        let project = table.get("project").and_then(Value::as_table);
        // Without one of these it only holds the settings of tools.
        let speaks = project.is_some() || poetry.is_some() || table.contains_key("build-system");
        if !speaks || findings.project(Family::Python, path).is_none() {
            return;
        }
        if let Some(project) = project {
            standard(findings, path, project);
        }
        if let Some(poetry) = poetry {
            of_poetry(findings, path, poetry);
        }
        groups(findings, path, &table);
        entries::by_convention(findings, path);
    }
}

/// The table at a path of keys.
fn at<'t>(table: &'t Table, keys: &[&str]) -> Option<&'t Table> {
    keys.iter().try_fold(table, |table, key| table.get(*key)?.as_table())
}

fn texts(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str)
}

fn build(findings: &mut Findings<'_>, path: &str, table: &Table) {
    let backend = table.get("build-system").and_then(|system| system.get("build-backend")?.as_str());
    let backends = [
        ("setuptools", "setuptools"),
        ("hatchling", "hatch"),
        ("poetry", "poetry"),
        ("flit", "flit"),
        ("pdm", "pdm"),
        ("maturin", "maturin"),
        ("scikit_build_core", "scikit-build"),
        ("mesonpy", "meson-python"),
        ("uv_build", "uv"),
    ];
    let fits = |(prefix, _): &&(&str, &str)| backend.is_some_and(|backend| backend.starts_with(prefix));
    if let Some((_, name)) = backends.iter().find(fits) {
        findings.build(name, format!("{path}: build-system.build-backend"));
    }
    let tools = ["poetry", "uv", "pdm", "hatch"];
    for tool in tools.into_iter().filter(|tool| at(table, &["tool", tool]).is_some()) {
        findings.build(tool, format!("{path}: tool.{tool}"));
    }
}

fn standard(findings: &mut Findings<'_>, path: &str, table: &Table) {
    let part = |key: &str| table.get(key).and_then(Value::as_str);
    if let Some(project) = findings.project(Family::Python, path) {
        project.state(path, |key| format!("project.{key}"), part);
        let license = table.get("license").and_then(|license| license.get("text")?.as_str());
        set(&mut project.license, license.and_then(words::short), path, "project.license");
    }
    for text in texts(table.get("dependencies")) {
        require(findings, path, "project.dependencies", DependencyKind::Runtime, text);
    }
    for (name, list) in table.get("optional-dependencies").and_then(Value::as_table).into_iter().flatten() {
        let key = format!("project.optional-dependencies.{name}");
        for text in texts(Some(list)) {
            require(findings, path, &key, kind_of(name), text);
        }
    }
    for key in ["scripts", "gui-scripts"] {
        for (name, target) in table.get(key).and_then(Value::as_table).into_iter().flatten().take(200) {
            if let Some(target) = target.as_str() {
                entries::script(findings, path, &format!("project.{key}.{name}"), target);
            }
        }
    }
}

fn of_poetry(findings: &mut Findings<'_>, path: &str, table: &Table) {
    let part = |key: &str| table.get(key).and_then(Value::as_str);
    if let Some(project) = findings.project(Family::Python, path) {
        project.state(path, |key| format!("tool.poetry.{key}"), part);
    }
    for (key, kind) in [("dependencies", DependencyKind::Runtime), ("dev-dependencies", DependencyKind::Dev)] {
        if let Some(table) = table.get(key).and_then(Value::as_table) {
            depend_on_table(findings, path, &format!("tool.poetry.{key}"), kind, table);
        }
    }
    for (name, group) in table.get("group").and_then(Value::as_table).into_iter().flatten() {
        if let Some(table) = group.get("dependencies").and_then(Value::as_table) {
            let key = format!("tool.poetry.group.{name}.dependencies");
            depend_on_table(findings, path, &key, DependencyKind::Dev, table);
        }
    }
    for (name, target) in table.get("scripts").and_then(Value::as_table).into_iter().flatten().take(200) {
        let target = target.as_str().or_else(|| target.get("reference")?.as_str());
        if let Some(target) = target {
            entries::script(findings, path, &format!("tool.poetry.scripts.{name}"), target);
        }
    }
}

/// Groups are never installed with the package, so they are for those who work on it.
fn groups(findings: &mut Findings<'_>, path: &str, table: &Table) {
    for (name, list) in table.get("dependency-groups").and_then(Value::as_table).into_iter().flatten() {
        for text in texts(Some(list)) {
            require(findings, path, &format!("dependency-groups.{name}"), DependencyKind::Dev, text);
        }
    }
    let uv = at(table, &["tool", "uv"]).and_then(|uv| uv.get("dev-dependencies"));
    for text in texts(uv) {
        require(findings, path, "tool.uv.dev-dependencies", DependencyKind::Dev, text);
    }
}
