//! `go.mod`.

use super::known::Role;
use super::{Asked, DependencyKind, EntryPointKind, Family, Findings, is_foreign, join, known, set, split, words};
use crate::go::{directives, is_indirect};

pub(super) fn module(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.build("go", path);
    if findings.project(Family::Go, path).is_none() {
        return;
    }
    let directives = directives(text);
    for (verb, arguments, comment) in &directives {
        match (*verb, arguments.as_slice()) {
            ("module", [name, ..]) => {
                if let Some(project) = findings.project(Family::Go, path) {
                    set(&mut project.name, words::name(name), path, "module");
                }
            }
            ("require", [name, version, ..]) if !is_indirect(comment) => depend(findings, path, name, Some(version)),
            _ => {}
        }
    }
    if findings.project(Family::Go, path).is_some_and(|project| project.name.is_none()) {
        findings.say(format!("`{path}` names no module."));
    }
    enter(findings, path);
}

fn depend(findings: &mut Findings<'_>, path: &str, name: &str, version: Option<&str>) {
    // What only tests use is required like anything else; the tables know some of it.
    let is_test = known("go", name).is_some_and(|known| known.role == Role::Test);
    let kind = if is_test { DependencyKind::Dev } else { DependencyKind::Runtime };
    findings.depend(&Asked { ecosystem: "go", name, version, kind, manifest: path, key: "require" });
}

fn enter(findings: &mut Findings<'_>, path: &str) {
    let folder = split(path).0;
    let commands = join(folder, "cmd").unwrap_or_default();
    let is_command = |path: &&str| path.ends_with("/main.go") && !is_foreign(split(path).0);
    let mut places: Vec<String> =
        findings.files.under(&commands).iter().copied().filter(is_command).take(200).map(str::to_owned).collect();
    places.extend(findings.files.resolve(folder, "main.go"));
    let has_program = !places.is_empty();
    for place in places {
        let key = if place.contains("cmd/") { "module, with cmd" } else { "module, with main.go" };
        findings.enter_program(place, path, key);
    }
    let name = findings.project(Family::Go, path).and_then(|project| Some(project.name.as_ref()?.value.clone()));
    let Some(name) = name.filter(|_| !has_program) else { return };
    // `example.com/name/v2` is the second version of `name`.
    let is_version = |part: &&str| {
        part.strip_prefix('v').is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let last = name.rsplit('/').find(|part| !is_version(part)).unwrap_or_default();
    let by_name = format!("{}.go", last.trim_start_matches("go-").trim_end_matches("-go"));
    let evidence = format!("{path}: module, without a main.go");
    findings.enter_first(folder, &["doc.go", &by_name], EntryPointKind::Library, evidence);
}
