//! What the names of files tell: build systems, test frameworks, CI, containers.

use super::code::{Comments, Token, calls, named, only_text, tokens};
use super::{Asked, DependencyKind, EntryPointKind, Family, Findings, is_foreign, known, set, split, words};

pub(super) fn by_names(findings: &mut Findings<'_>) {
    let paths: Vec<&str> = findings.files.all().to_vec();
    // Near the root first, so that the evidence is what a reader would look at.
    for depth in 0..8 {
        for path in paths.iter().filter(|path| path.bytes().filter(|&byte| byte == b'/').count() == depth) {
            if is_foreign(split(path).0) {
                hidden(findings, path);
            } else {
                named_file(findings, path);
            }
        }
    }
    tests_by_names(findings, &paths);
    sources_alone(findings);
}

fn named_file(findings: &mut Findings<'_>, path: &str) {
    let name = words::last_part(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if let Some(known) = known("file", name).or_else(|| known("stem", stem)).or_else(|| known("path", path)) {
        findings.name(known, path.to_owned());
    }
    if name.starts_with("Dockerfile.") || name.ends_with(".dockerfile") {
        findings.technology("Docker", path);
    }
    if name.ends_with(".sln") || name.ends_with(".slnx") {
        findings.build("dotnet", path);
        solution(findings, path);
    }
    if name.ends_with(".tf") {
        findings.technology("Terraform", path);
    }
    if name.ends_with(".proto") {
        findings.technology("Protocol Buffers", path);
    }
}

/// Files in hidden folders speak only for CI and editors.
fn hidden(findings: &mut Findings<'_>, path: &str) {
    let is_workflow = path.strip_prefix(".github/workflows/").is_some_and(|name| !name.contains('/'));
    if is_workflow && (path.ends_with(".yml") || path.ends_with(".yaml")) {
        findings.technology("GitHub Actions", path);
    }
    if let Some(known) = known("path", path) {
        findings.name(known, path.to_owned());
    }
}

/// A solution at the root names the whole.
fn solution(findings: &mut Findings<'_>, path: &str) {
    let name = path.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.contains('/'));
    if let (Some(name), Some(project)) = (name, findings.project(Family::Dotnet, path)) {
        set(&mut project.name, words::name(name), path, "its name");
    }
}

fn tests_by_names(findings: &mut Findings<'_>, paths: &[&str]) {
    let own = || paths.iter().filter(|path| !is_foreign(split(path).0));
    let first =
        |fits: &dyn Fn(&str) -> bool| own().find(|path| fits(words::last_part(path))).map(|path| (*path).to_owned());
    if let Some(path) = first(&|name| name.ends_with("_test.go")) {
        findings.test("go test", path);
    }
    if let Some(path) = first(&|name| name.ends_with("_spec.rb")) {
        findings.test("rspec", path);
    }
    let known = ["pytest", "nose"].iter().any(|name| findings.test_frameworks.contains_key(*name));
    if let Some(path) = first(&|name| name.starts_with("test_") && name.ends_with(".py")).filter(|_| !known) {
        findings.test("unittest", format!("{path}, and nothing names another framework"));
    }
    let known = ["rspec", "test-unit"].iter().any(|name| findings.test_frameworks.contains_key(*name));
    if let Some(path) = first(&|name| name == "test_helper.rb").filter(|_| !known) {
        findings.test("minitest", path);
    }
}

/// C, C++ and Python need no manifest: then a `main` near the root is where it starts.
fn sources_alone(findings: &mut Findings<'_>) {
    if !findings.entry_points.is_empty() {
        return;
    }
    let places = [
        ("src/main.c", EntryPointKind::Cli),
        ("src/main.cpp", EntryPointKind::Cli),
        ("src/main.cc", EntryPointKind::Cli),
        ("main.c", EntryPointKind::Cli),
        ("main.cpp", EntryPointKind::Cli),
        ("main.cc", EntryPointKind::Cli),
        ("main.py", EntryPointKind::Script),
        ("index.html", EntryPointKind::Web),
        ("index.php", EntryPointKind::Web),
    ];
    for (place, kind) in places {
        findings.enter(place.to_owned(), kind, format!("{place}, by its name"));
    }
}

/// `MODULE.bazel`: `module(…)` and `bazel_dep(…)`.
pub(super) fn bazel(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.build("bazel", path);
    let tokens = tokens(text, Comments::Hash);
    for (function, arguments) in calls(&tokens, |word| matches!(word, "module" | "bazel_dep")) {
        let part = |key: &str| named(&arguments, key).and_then(only_text);
        let Some(name) = part("name") else { continue };
        if function == "module" {
            if findings.title.is_none() && split(path).0.is_empty() {
                let name = words::name(name);
                set(&mut findings.title, name, path, "module(name)");
            }
            continue;
        }
        let is_dev = named(&arguments, "dev_dependency").is_some_and(|value| value == [Token::Word("True")]);
        let kind = if is_dev { DependencyKind::Dev } else { DependencyKind::Runtime };
        let version = part("version");
        findings.depend(&Asked { ecosystem: "bazel", name, version, kind, manifest: path, key: "bazel_dep" });
    }
}

/// `flake.nix` may say what the project is.
pub(super) fn nix(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.build("nix", path);
    let tokens = tokens(text, Comments::Hash);
    let described = tokens.windows(3).find_map(|window| match window {
        [Token::Word("description"), Token::Sign('='), Token::Text(text)] => words::prose(text),
        _ => None,
    });
    if split(path).0.is_empty() {
        set(&mut findings.paragraph, described, path, "description");
    }
}

/// The images that a composition of containers starts.
pub(super) fn compose(findings: &mut Findings<'_>, path: &str, text: &str) {
    findings.technology("Docker Compose", path);
    for line in text.lines() {
        let Some(image) = line.trim().strip_prefix("image:") else { continue };
        let image = image.trim().trim_matches(['"', '\'']);
        let name = words::last_part(image).split([':', '@']).next().unwrap_or_default();
        if let Some(known) = known("image", name) {
            findings.technology(known.shown, format!("{path}: image {name}"));
        }
    }
}
