//! Manifests that are broken, huge or meant to do harm: the rest is still described.

use std::time::{Duration, Instant};

use super::{checked, dependencies, described, entries};

#[test]
fn broken_manifests_are_left_out_and_named() {
    let description = checked(&[
        ("Cargo.toml", "[package\nname = 1"),
        ("package.json", "{ \"name\": "),
        ("composer.json", "[]"),
        ("vcpkg.json", "nul"),
        ("pom.xml", "not xml"),
        ("pyproject.toml", "a = 1\na = 2"),
        ("gradle/libs.versions.toml", "="),
        ("a/A.csproj", "<Nothing/>"),
        (
            "b/pom.xml",
            "<project><artifactId>b</artifactId><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId></dependency><dep",
        ),
        ("c/package.json", "…"),
        ("go.mod", "module example.com/fine\n"),
    ]);
    let expected = [
        "`Cargo.toml` is left out: line 1 is not the TOML that was expected.",
        "`a/A.csproj` is left out: it is not the XML that was expected.",
        "`b/pom.xml` is broken; what stands before the break is described.",
        "`c/package.json` is left out: its text was not given.",
        "`composer.json` is left out: line 1 is not the JSON that was expected.",
        "`gradle/libs.versions.toml` is left out: line 1 is not the TOML that was expected.",
        "`package.json` is left out: line 1 is not the JSON that was expected.",
        "`pom.xml` is left out: it is not the XML that was expected.",
        "`pyproject.toml` is left out: line 2 is not the TOML that was expected.",
        "`vcpkg.json` is left out: line 1 is not the JSON that was expected.",
    ];
    assert_eq!(description.warnings, expected);
    assert_eq!(description.name.value, "example.com/fine");
    assert_eq!(dependencies(&description), ["g:a - runtime b/pom.xml"]);
}

#[test]
fn values_of_the_wrong_type_are_passed_over() {
    let description = described(&[
        (
            "package.json",
            r#"{ "name": 5, "version": [], "bin": [1], "main": {}, "exports": [null, 1], "scripts": "x", "license": 1,
               "dependencies": { "a": 1, "b": null }, "devDependencies": [], "workspaces": 3, "packageManager": {} }"#,
        ),
        (
            "Cargo.toml",
            "workspace = 1\npackage = []\nbin = 3\nlib = 'x'\ndependencies = { a = 1, b = [] }\ntarget = 5\n",
        ),
        ("pyproject.toml", "project = []\ntool = 1\nbuild-system = 2\ndependency-groups = { a = 1 }\n"),
        ("composer.json", r#"{ "require": [], "bin": {}, "license": {} }"#),
    ]);
    assert_eq!(dependencies(&description), ["a - runtime", "b - runtime", "a - runtime", "b - runtime"]);
    assert_eq!(description.name.value, "unknown");
}

#[test]
fn large_texts_are_left_out() {
    let large = format!("[package]\nname = \"a\"\n#{}", "x".repeat(1024 * 1024));
    let description = checked(&[("Cargo.toml", &large), ("package.json", "{ \"name\": \"b\" }")]);
    assert_eq!(description.warnings, ["`Cargo.toml` is left out: it is larger than 1 MiB."]);
    assert_eq!(description.name.value, "b");
    let large = format!("# {}", "x".repeat(1_000_000));
    let paths: Vec<String> = (0..20).map(|at| format!("p{at:02}/Cargo.toml")).collect();
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), large.as_str())).collect();
    let description = checked(&files);
    assert_eq!(description.packages.len(), 16);
    assert_eq!(description.warnings.len(), 4);
    assert!(description.warnings[0].contains("16 MiB together"), "{:?}", description.warnings);
}

#[test]
fn lists_are_bounded() {
    let names: Vec<String> = (0..6_000).map(|at| format!("\"d{at:05}\": \"1\"")).collect();
    let manifest = format!("{{ \"dependencies\": {{ {}, \"a b\": \"1\", \"\": \"1\" }} }}", names.join(","));
    let description = checked(&[("package.json", &manifest)]);
    assert_eq!(description.dependencies.len(), 5_000);
    let expected = [
        "Only 5000 dependencies are listed; 1000 more are left out.",
        "2 dependencies are left out: their names are none.",
    ];
    assert_eq!(description.warnings, expected);
}

#[test]
fn entry_points_outside_the_tree_are_none() {
    let description = described(&[
        (
            "app/package.json",
            r#"{ "bin": { "a": "../../etc/passwd", "b": "/etc/passwd", "c": "../other.js", "d": "..\\..\\x" }, "main": "gone.js" }"#,
        ),
        ("other.js", ""),
        ("app/pyproject.toml", "[project]\nname = \"x\"\n[project.scripts]\na = \"..etc.passwd:main\"\nb = \"\"\n"),
        ("app/Cargo.toml", "[package]\nname = \"x\"\n[[bin]]\nname = \"../../x\"\n[lib]\npath = \"/etc/passwd\"\n"),
    ]);
    assert_eq!(entries(&description), ["Cli other.js (app/package.json: bin.c)"]);
}

#[test]
fn what_a_terminal_would_obey_is_taken_out() {
    let description = checked(&[
        ("package.json", r#"{ "name": "a\u001b[31m", "description": "x\u001b]0;t\u0007y\u202e", "version": "1\n2" }"#),
        ("README.md", "# t\u{1b}0m\n"),
    ]);
    assert_eq!(description.name.value, "t0m");
    assert_eq!(description.description.unwrap().value, "x]0;ty");
    assert_eq!(description.version.unwrap().value, "1 2");
}

/// Texts of nearly 1 MiB that would cost the square of their length, or the stack, if they were read naively.
#[test]
fn deep_and_wide_texts_take_bounded_time() {
    let fill = |part: &str| part.repeat(1_000_000 / part.len());
    let bomb = "<!DOCTYPE p [<!ENTITY a \"xxxxxxxxxx\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><project><name>&b;</name></project>";
    let cases = [
        ("package.json", fill("[")),
        ("package.json", format!("{{\"exports\":{}", fill("{\"a\":"))),
        ("Cargo.toml", format!("a = {}", fill("["))),
        ("Cargo.toml", format!("[{}a]", fill("a."))),
        ("pom.xml", fill("<project>")),
        ("pom.xml", fill("<!--")),
        ("pom.xml", bomb.to_owned()),
        ("pom.xml", format!("<project>{}", fill("<![CDATA["))),
        (
            "pom.xml",
            format!("<project><properties><a>{}</a></properties><version>${{a}}</version></project>", fill("${a}")),
        ),
        ("A.csproj", format!("<Project {}>", fill("a='b' "))),
        ("build.gradle", format!("dependencies {{\n implementation{}", fill("("))),
        ("build.gradle", fill("a{")),
        ("build.gradle", fill("'''")),
        ("setup.py", fill("setup(")),
        ("setup.py", fill("f([")),
        ("meson.build", fill("project(")),
        ("meson.build", fill("executable('a',")),
        ("MODULE.bazel", fill("module(")),
        ("Gemfile", fill("group :a do\n")),
        ("a.gemspec", fill("s.executables = [")),
        ("CMakeLists.txt", fill("a(")),
        (
            "CMakeLists.txt",
            format!("set(A {})\n{}", fill("x ").split_at(10_000).0, "add_executable(${A} ${A} ${A})\n".repeat(20_000)),
        ),
        ("README.md", fill("![")),
        ("README.md", fill("[](")),
        ("README.md", fill("<")),
        ("requirements.txt", fill("a[")),
        ("setup.cfg", fill("[a]\n")),
        ("go.mod", fill("require (\n")),
        ("pnpm-workspace.yaml", format!("packages:\n{}", fill("- **/**/a*a*a*\n"))),
        ("docker-compose.yml", fill("image: a/")),
    ];
    for (path, text) in cases {
        assert!(text.len() <= 1024 * 1024, "{path}");
        let started = Instant::now();
        checked(&[(path, &text), ("aaaaaaaaaaaaaaaa/aaaaaaaaaaaaaa/tests/package.json", "{}")]);
        // Each takes a fraction of a second; the square of a million would take hours.
        let taken = started.elapsed();
        assert!(taken < Duration::from_secs(30), "{path} {} took {taken:?}", &text[..20]);
    }
}
