//! Several languages in one tree.

use super::{dependencies, described, entries, headline, packages, values};

const FILES: &[(&str, &str)] = &[
    (
        "package.json",
        r#"{ "name": "acme", "private": true, "workspaces": ["web/*", "tests/e2e"], "devDependencies": { "turbo": "2" } }"#,
    ),
    ("pnpm-workspace.yaml", "packages:\n  - 'web/*'\n  - '!web/old'\n"),
    (
        "web/site/package.json",
        r#"{ "name": "@acme/site", "dependencies": { "next": "14", "@acme/ui": "workspace:*" } }"#,
    ),
    ("web/site/app/page.tsx", ""),
    ("web/ui/package.json", r#"{ "name": "@acme/ui", "main": "src/index.ts", "peerDependencies": { "react": "18" } }"#),
    ("web/ui/src/index.ts", ""),
    ("web/old/package.json", r#"{ "name": "@acme/old", "dependencies": { "jquery": "1" } }"#),
    ("tests/e2e/package.json", r#"{ "name": "e2e", "devDependencies": { "@playwright/test": "1" } }"#),
    ("services/auth/go.mod", "module acme.example/auth\n\nrequire github.com/gin-gonic/gin v1.9.1\n"),
    ("services/auth/main.go", ""),
    ("services/rank/requirements.txt", "fastapi\nnumpy>=1.26\n"),
    ("services/rank/main.py", ""),
    ("services/rank/rank.py", ""),
    ("engine/Cargo.toml", "[package]\nname = \"engine\"\n"),
    ("engine/src/lib.rs", ""),
    ("mobile/build.gradle.kts", "plugins {\n  id(\"com.android.application\")\n}\n"),
    ("mobile/src/main/kotlin/A.kt", ""),
    ("infra/main.tf", ""),
    (
        "MODULE.bazel",
        "module(\n    name = \"acme\",\n)\nbazel_dep(name = \"rules_go\", version = \"0.46\")\nbazel_dep(name = \"googletest\", version = \"1\", dev_dependency = True)\n",
    ),
    ("flake.nix", "{\n  description = \"All of Acme\"; # x\n}\n"),
    ("README.md", "# Acme\n\nThe whole of Acme.\n"),
    ("LICENSE", "MIT License\n\nCopyright\n"),
];

#[test]
fn a_monorepo_of_many_languages() {
    let description = described(FILES);
    let expected = [
        "acme (package.json: name)",
        "mixed (engine/Cargo.toml, package.json, services/rank/requirements.txt, services/auth/go.mod, mobile/build.gradle.kts)",
        "MIT (LICENSE: `mit license`)",
        "All of Acme (flake.nix: description)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "engine engine rust",
        "mobile mobile kotlin",
        "acme.example/auth services/auth go",
        "rank services/rank python",
        "e2e tests/e2e node",
        "@acme/site web/site node",
        "@acme/ui web/ui node",
    ];
    assert_eq!(packages(&description), expected);
    let expected = [
        "googletest 1 dev",
        "rules_go 0.46 runtime",
        "github.com/gin-gonic/gin v1.9.1 runtime services/auth/go.mod",
        "@playwright/test 1 dev tests/e2e/package.json",
        "next 14 runtime web/site/package.json",
        "react 18 peer web/ui/package.json",
        "turbo 2 dev",
        "fastapi - runtime services/rank/requirements.txt",
        "numpy >=1.26 runtime services/rank/requirements.txt",
    ];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Library engine/src/lib.rs (engine/Cargo.toml: package, with src/lib.rs)",
        "Api services/auth/main.go (services/auth/go.mod: module, with main.go; it depends on github.com/gin-gonic/gin)",
        "Api services/rank/main.py (services/rank/requirements.txt: it depends on fastapi)",
        "Web web/site/app/page.tsx (web/site/package.json: it depends on next)",
        "Library web/ui/src/index.ts (web/ui/package.json: main)",
    ];
    assert_eq!(entries(&description), expected);
    let expected = ["bazel", "cargo", "go", "gradle", "nix", "pip", "pnpm", "turborepo"];
    assert_eq!(values(&description.build_systems), expected);
    assert_eq!(values(&description.test_frameworks), ["cargo test", "gtest", "playwright"]);
    let expected = ["Android", "FastAPI", "Gin", "Next.js", "NumPy", "React", "Terraform"];
    assert_eq!(values(&description.technologies), expected);
}

#[test]
fn a_little_of_another_language_does_not_make_it_mixed() {
    let mut files: Vec<(String, &str)> = (0..20).map(|at| (format!("src/m{at}.rs"), "")).collect();
    files.push(("Cargo.toml".to_owned(), "[package]\nname = \"main\"\n"));
    files.push(("package.json".to_owned(), "{ \"name\": \"tooling\", \"version\": \"9\" }"));
    files.push(("docs/build.js".to_owned(), ""));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let description = described(&files);
    assert_eq!(headline(&description), ["main (Cargo.toml: package.name)", "rust (Cargo.toml)"]);
}

#[test]
fn the_root_is_not_outvoted() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"zip-sys\"\n"),
        ("src/lib.rs", ""),
        ("zip/CMakeLists.txt", "project(zip C)\n"),
        ("zip/a.c", ""),
        ("zip/b.c", ""),
        ("zip/c.c", ""),
        ("zip/d.c", ""),
        ("zip/e.c", ""),
    ];
    let description = described(&files);
    assert_eq!(
        headline(&description),
        ["zip-sys (Cargo.toml: package.name)", "mixed (Cargo.toml, zip/CMakeLists.txt)"]
    );
    let description = described(&files[2..]);
    assert_eq!(headline(&description), ["zip (zip/CMakeLists.txt: project)", "c (zip/CMakeLists.txt)"]);
}

#[test]
fn an_empty_tree_is_unknown() {
    let description = described(&[]);
    assert_eq!((description.name.value.as_str(), description.kind.value.as_str()), ("unknown", "unknown"));
    let description = described(&[("a.py", ""), ("b.rb", "")]);
    assert_eq!(description.kind.value, "mixed");
}
