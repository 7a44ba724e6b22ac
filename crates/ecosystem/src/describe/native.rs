//! C and C++: `CMakeLists.txt`, `meson.build`, `conanfile.txt`, `vcpkg.json`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::cmake_text::{Command, commands};
use super::code::{Comments, Token, calls, named, only_text, texts, tokens};
use super::known::Role;
use super::{Asked, DependencyKind, EntryPointKind, Family, Findings, known, set, split, words};
use crate::lock_error::from_json;

/// Programs and libraries of one file, and sources of one of them, that are looked at.
const MAX_TARGETS: usize = 200;
const MAX_SOURCES: usize = 500;

/// What is only there to test with is known by its name.
fn depend(
    findings: &mut Findings<'_>,
    path: &str,
    ecosystem: &'static str,
    key: &str,
    name: &str,
    version: Option<&str>,
) {
    let is_test = known(ecosystem, name).is_some_and(|known| known.role == Role::Test);
    let kind = if is_test { DependencyKind::Dev } else { DependencyKind::Runtime };
    findings.depend(&Asked { ecosystem, name, version, kind, manifest: path, key });
}

pub(super) fn cmake(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.build("cmake", path);
    let mut variables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut targets = 0;
    for command in commands(text) {
        let arguments = &command.arguments;
        match (command.name.as_str(), arguments.as_slice()) {
            ("project", [name, rest @ ..]) => project(findings, path, name, rest, &mut variables),
            ("set", [name, values @ ..]) if variables.len() < 1_000 => {
                let values = values.iter().take(MAX_SOURCES).cloned().collect();
                variables.insert(name.clone(), values);
            }
            ("add_executable" | "add_library", _) if targets < MAX_TARGETS => {
                targets += 1;
                target(findings, path, &command, &variables);
            }
            ("find_package", [name, rest @ ..]) => {
                let version = rest.first().filter(|text| text.starts_with(|c: char| c.is_ascii_digit()));
                depend(findings, path, "cmake", "find_package", name, version.map(String::as_str));
            }
            ("fetchcontent_declare" | "cpmaddpackage", [name, rest @ ..]) if !name.contains("${") => {
                let tag = rest.iter().skip_while(|word| *word != "GIT_TAG" && *word != "VERSION").nth(1);
                depend(findings, path, "cmake", &command.name, name, tag.map(String::as_str));
            }
            ("enable_testing" | "add_test", _) => findings.test("ctest", format!("{path}: {}", command.name)),
            ("gtest_discover_tests", _) => findings.test("gtest", format!("{path}: {}", command.name)),
            ("catch_discover_tests", _) => findings.test("catch2", format!("{path}: {}", command.name)),
            _ => {}
        }
    }
}

fn project(
    findings: &mut Findings<'_>,
    path: &str,
    name: &str,
    rest: &[String],
    variables: &mut BTreeMap<String, Vec<String>>,
) {
    variables.insert("PROJECT_NAME".to_owned(), vec![name.to_owned()]);
    let after = |word: &str| rest.iter().skip_while(|own| *own != word).nth(1).filter(|text| !text.contains("${"));
    let Some(project) = findings.project(Family::Native, path) else { return };
    if !name.contains("${") {
        set(&mut project.name, words::name(name), path, "project");
    }
    set(&mut project.version, after("VERSION").and_then(|text| words::short(text)), path, "project VERSION");
    let description = after("DESCRIPTION").and_then(|text| words::prose(text));
    set(&mut project.description, description, path, "project DESCRIPTION");
    let has = |word: &str| rest.iter().any(|own| own == word);
    project.language = match (has("CXX"), has("C")) {
        (true, _) => Some("cpp"),
        (false, true) => Some("c"),
        _ => None,
    };
}

/// The files of a program or library that are there: where it starts is one called `main`, else the first.
fn target(findings: &mut Findings<'_>, path: &str, command: &Command, variables: &BTreeMap<String, Vec<String>>) {
    let folder = split(path).0;
    let is_test = folder.split('/').any(|part| matches!(part, "test" | "tests" | "bench" | "benchmarks"));
    let Some((name, sources)) = command.arguments.split_first() else { return };
    if is_test || sources.iter().any(|word| matches!(word.as_str(), "ALIAS" | "IMPORTED")) {
        return;
    }
    let name = filled(name, variables).first().cloned().unwrap_or_default();
    let sources = sources.iter().take(MAX_SOURCES).flat_map(|word| filled(word, variables)).take(MAX_SOURCES);
    let own = |word: &str| {
        let roots = ["${CMAKE_CURRENT_SOURCE_DIR}/", "${CMAKE_SOURCE_DIR}/", "${PROJECT_SOURCE_DIR}/"];
        roots.iter().find_map(|root| word.strip_prefix(root)).unwrap_or(word).to_owned()
    };
    let files: Vec<String> = sources.filter_map(|word| findings.files.resolve(folder, &own(&word))).collect();
    let is_main = |file: &&String| words::last_part(file).split('.').next() == Some("main");
    let Some(place) = files.iter().find(is_main).or_else(|| files.first()).cloned() else { return };
    let evidence = format!("{path}: {}({name})", command.name);
    match command.name.as_str() {
        "add_executable" if !name.to_ascii_lowercase().contains("test") => {
            findings.enter(place, EntryPointKind::Cli, evidence);
        }
        "add_library" => findings.enter(place, EntryPointKind::Library, evidence),
        _ => {}
    }
}

/// `${NAME}` as what it was set to; anything else as it is.
fn filled(word: &str, variables: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let name = word.strip_prefix("${").and_then(|name| name.strip_suffix('}'));
    name.and_then(|name| variables.get(name)).cloned().unwrap_or_else(|| vec![word.to_owned()])
}

pub(super) fn meson(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.build("meson", path);
    let tokens = tokens(text, Comments::Hash);
    let wanted = |word: &str| {
        matches!(word, "project" | "dependency" | "executable" | "library" | "test")
            || matches!(word, "shared_library" | "static_library")
    };
    for (function, arguments) in calls(&tokens, wanted) {
        let first = arguments.first().and_then(|argument| only_text(argument));
        match (function, first) {
            ("project", Some(name)) => meson_project(findings, path, name, &arguments),
            ("dependency", Some(name)) => {
                let version = named(&arguments, "version").and_then(only_text);
                depend(findings, path, "meson", "dependency", name, version);
            }
            ("test", _) => findings.test("meson test", format!("{path}: test")),
            (_, Some(name)) => meson_target(findings, path, function, name, &arguments),
            _ => {}
        }
    }
}

fn meson_project(findings: &mut Findings<'_>, path: &str, name: &str, arguments: &[&[Token<'_>]]) {
    let Some(project) = findings.project(Family::Native, path) else { return };
    set(&mut project.name, words::name(name), path, "project");
    let part = |key: &str| named(arguments, key).and_then(only_text);
    set(&mut project.version, part("version").and_then(words::short), path, "project(version)");
    set(&mut project.license, part("license").and_then(words::short), path, "project(license)");
    let languages =
        arguments.iter().skip(1).filter_map(|argument| only_text(argument).or_else(|| texts(argument).pop()));
    for language in languages {
        match language {
            "cpp" => project.language = Some("cpp"),
            "c" => project.language = project.language.or(Some("c")),
            _ => {}
        }
    }
}

fn meson_target(findings: &mut Findings<'_>, path: &str, function: &str, name: &str, arguments: &[&[Token<'_>]]) {
    let folder = split(path).0;
    let files = arguments.iter().skip(1).flat_map(|argument| match argument {
        [Token::Text(file)] => vec![file.as_ref()],
        list => texts(list),
    });
    let place = files.take(500).find_map(|file| findings.files.resolve(folder, file));
    let kind = if function == "executable" { EntryPointKind::Cli } else { EntryPointKind::Library };
    if let Some(place) = place.filter(|_| !name.contains("test")) {
        findings.enter(place, kind, format!("{path}: {function}({name})"));
    }
}

pub(super) fn conan(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.build("conan", path);
    if findings.project(Family::Native, path).is_none() {
        return;
    }
    let mut section = "";
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        if let Some(name) = line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            section = name;
        } else if let Some((name, version)) = line.split_once('/') {
            let version = Some(version.split('@').next().unwrap_or_default());
            match section {
                "requires" => depend(findings, path, "conan", section, name, version),
                "tool_requires" | "build_requires" | "test_requires" => {
                    let kind = DependencyKind::Dev;
                    findings.depend(&Asked { ecosystem: "conan", name, version, kind, manifest: path, key: section });
                }
                _ => {}
            }
        }
    }
}

pub(super) fn vcpkg(findings: &mut Findings<'_>, path: &str, text: &str) {
    let Some(manifest) = findings.parsed::<Map<String, Value>>(path, from_json(text)) else { return };
    findings.build("vcpkg", path);
    let Some(project) = findings.project(Family::Native, path) else { return };
    let part = |key: &str| manifest.get(key).and_then(Value::as_str);
    project.state(path, str::to_owned, part);
    for key in ["version-semver", "version-string", "version-date"] {
        set(&mut project.version, part(key).and_then(words::short), path, key);
    }
    for dependency in manifest.get("dependencies").and_then(Value::as_array).into_iter().flatten() {
        let part = |key: &str| dependency.get(key).and_then(Value::as_str);
        if let Some(name) = dependency.as_str().or_else(|| part("name")) {
            depend(findings, path, "vcpkg", "dependencies", name, part("version>="));
        }
    }
}
