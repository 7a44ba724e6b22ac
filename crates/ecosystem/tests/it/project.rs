//! A project that has every lock file there is.

use std::fs;
use std::path::{Path, PathBuf};

use ai_assist_ecosystem::{Found, dependencies};

use crate::write;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/project")
}

fn shown(found: &Found) -> Vec<String> {
    let show = |d: &ai_assist_ecosystem::Dependency| {
        format!("{}{} {}", d.reference(), if d.direct { " *" } else { "" }, d.lock_file.display())
    };
    found.dependencies.iter().map(show).collect()
}

#[test]
fn all_lock_files_are_read_together() {
    let found = dependencies(&fixture());
    let expected = [
        "cargo:bitflags@1.3.2 Cargo.lock",
        "cargo:bitflags@2.5.0 * Cargo.lock",
        "cargo:toml@1.1.8+spec-1.1.0 * Cargo.lock",
        "npm:@types/node@20.1.0 * package-lock.json",
        "npm:chalk@2.4.2 package-lock.json",
        "npm:chalk@4.1.2 * package-lock.json",
        // Indirect in the first two, direct in the third.
        "npm:loose-envify@1.4.0 * pnpm-lock.yaml",
        "npm:react@18.2.0 * package-lock.json",
        "npm:react-dom@18.2.0 * pnpm-lock.yaml",
        "npm:yarn-only@1.0.0 yarn.lock",
        "python:flask@3.0.0 * uv.lock",
        "python:idna@3.7 * requirements.txt",
        "python:pytest@8.0.0 * poetry.lock",
        "python:ruamel-yaml@0.18.6 * requirements/dev.txt",
        "python:werkzeug@3.0.1 * requirements.txt",
        "go:github.com/BurntSushi/toml@v1.3.2 * go.mod",
        "go:golang.org/x/net@v0.17.0 go.mod",
        "go:golang.org/x/text@v0.14.1 * go.mod",
    ];
    assert_eq!(shown(&found), expected);
    let unpinned =
        "1 requirement is left out of `requirements.txt` and what it includes: not pinned to a version with `==`.";
    assert_eq!(found.warnings, [unpinned]);
}

#[test]
fn one_broken_lock_file_does_not_hide_the_others() {
    let root = tempfile::tempdir().unwrap();
    for name in ["Cargo.lock", "go.mod", "package-lock.json"] {
        fs::copy(fixture().join(name), root.path().join(name)).unwrap();
    }
    write(root.path(), &[("Cargo.lock", "version = 4\n<<<<<<< HEAD\n"), ("uv.lock", "\u{feff}version = 1\n")]);
    let found = dependencies(root.path());
    assert_eq!(found.warnings, ["`Cargo.lock` is left out: line 2 is not the TOML that was expected."]);
    assert_eq!(found.dependencies.len(), 8);
}

#[test]
fn what_was_left_out_is_counted() {
    let root = tempfile::tempdir().unwrap();
    let lock = "[[package]]\nname = \"../x\"\nversion = \"1.0.0\"\nsource = \"x\"\n";
    write(root.path(), &[("Cargo.lock", lock)]);
    let said = "1 of the packages in `Cargo.lock` left out: no published version, or a name or version that cargo does not \
                allow.";
    assert_eq!(dependencies(root.path()).warnings, [said]);
}

#[test]
fn a_shrinkwrap_goes_before_the_lock_file_of_npm() {
    let root = tempfile::tempdir().unwrap();
    fs::copy(fixture().join("package-lock.json"), root.path().join("package-lock.json")).unwrap();
    let shrinkwrap = r#"{ "lockfileVersion": 2, "packages": { "node_modules/a": { "version": "1.0.0" } } }"#;
    write(root.path(), &[("npm-shrinkwrap.json", shrinkwrap)]);
    assert_eq!(shown(&dependencies(root.path())), ["npm:a@1.0.0 npm-shrinkwrap.json"]);
}

#[test]
fn a_project_without_lock_files_has_no_dependencies_and_no_warnings() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), &[("package.json", "{"), ("pyproject.toml", "["), ("sub/Cargo.lock", "version = 4")]);
    assert_eq!(dependencies(root.path()), Found::default());
}
