//! What the names of files tell: build systems, test frameworks, CI, containers.

use super::code::{Comments, Token, calls, named, only_text, tokens};
use super::findings::{Asked, Findings, set};
use super::format::{is_foreign, split};
use super::kinds::Family;
use super::known::known;
use super::model::{DependencyKind, EntryPointKind};
use super::words;

enum Says {
    Build(&'static str),
    Test(&'static str),
    Technology(&'static str),
}

use Says::{Build, Technology, Test};

/// Whole names, anywhere in the project.
const NAMES: &[(&str, Says)] = &[
    ("Makefile", Build("make")),
    ("GNUmakefile", Build("make")),
    ("makefile", Build("make")),
    ("justfile", Build("just")),
    ("Justfile", Build("just")),
    ("Taskfile.yml", Build("task")),
    ("Rakefile", Build("rake")),
    ("configure.ac", Build("autotools")),
    ("SConstruct", Build("scons")),
    ("xmake.lua", Build("xmake")),
    ("MODULE.bazel", Build("bazel")),
    ("WORKSPACE", Build("bazel")),
    ("WORKSPACE.bazel", Build("bazel")),
    ("flake.nix", Build("nix")),
    ("default.nix", Build("nix")),
    ("shell.nix", Build("nix")),
    ("turbo.json", Build("turborepo")),
    ("nx.json", Build("nx")),
    ("uv.lock", Build("uv")),
    ("poetry.lock", Build("poetry")),
    ("go.work", Build("go")),
    ("conanfile.py", Build("conan")),
    ("gradlew", Build("gradle")),
    ("mvnw", Build("maven")),
    ("Dockerfile", Technology("Docker")),
    ("Containerfile", Technology("Docker")),
    ("tsconfig.json", Technology("TypeScript")),
    ("deno.json", Technology("Deno")),
    ("deno.jsonc", Technology("Deno")),
    ("Chart.yaml", Technology("Helm")),
    ("kustomization.yaml", Technology("Kustomize")),
    ("serverless.yml", Technology("Serverless Framework")),
    ("Procfile", Technology("Procfile")),
    ("Vagrantfile", Technology("Vagrant")),
    ("Jenkinsfile", Technology("Jenkins")),
    ("pytest.ini", Test("pytest")),
    ("conftest.py", Test("pytest")),
    ("tox.ini", Test("tox")),
    ("noxfile.py", Test("nox")),
    (".rspec", Test("rspec")),
    ("phpunit.xml", Test("phpunit")),
    ("phpunit.xml.dist", Test("phpunit")),
    ("karma.conf.js", Test("karma")),
];

/// Names without their last ending, for those that may be written in several languages.
const STEMS: &[(&str, Says)] = &[
    ("jest.config", Test("jest")),
    ("vitest.config", Test("vitest")),
    (".mocharc", Test("mocha")),
    ("cypress.config", Test("cypress")),
    ("playwright.config", Test("playwright")),
    ("vite.config", Build("vite")),
    ("webpack.config", Build("webpack")),
    ("rollup.config", Build("rollup")),
    ("next.config", Technology("Next.js")),
    ("nuxt.config", Technology("Nuxt")),
    ("svelte.config", Technology("Svelte")),
    ("astro.config", Technology("Astro")),
    ("tailwind.config", Technology("Tailwind CSS")),
];

/// Paths from the root.
const PLACES: &[(&str, Says)] = &[
    (".gitlab-ci.yml", Technology("GitLab CI")),
    (".travis.yml", Technology("Travis CI")),
    ("azure-pipelines.yml", Technology("Azure Pipelines")),
    ("bitbucket-pipelines.yml", Technology("Bitbucket Pipelines")),
    (".circleci/config.yml", Technology("CircleCI")),
    (".pre-commit-config.yaml", Technology("pre-commit")),
    (".devcontainer/devcontainer.json", Technology("Dev Containers")),
    ("netlify.toml", Technology("Netlify")),
    ("vercel.json", Technology("Vercel")),
    ("fly.toml", Technology("Fly.io")),
    ("firebase.json", Technology("Firebase")),
];

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

fn say(findings: &mut Findings<'_>, says: &Says, path: &str) {
    match says {
        Build(name) => findings.build(name, path),
        Test(name) => findings.test(name, path),
        Technology(name) => findings.technology(name, path),
    }
}

fn named_file(findings: &mut Findings<'_>, path: &str) {
    let name = words::last_part(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let found = NAMES.iter().find(|(own, _)| *own == name).or_else(|| STEMS.iter().find(|(own, _)| *own == stem));
    let found = found.or_else(|| PLACES.iter().find(|(own, _)| *own == path));
    if let Some((_, says)) = found {
        say(findings, says, path);
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
    if let Some((_, says)) = PLACES.iter().find(|(own, _)| *own == path) {
        say(findings, says, path);
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
