//! What a project can do to harm its reader.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use ai_assist_ecosystem::dependencies;

use crate::write;

const CARGO: &str = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"x\"\n";

#[test]
fn a_lock_file_that_is_too_large_is_refused() {
    let root = tempfile::tempdir().unwrap();
    File::create(root.path().join("Cargo.lock")).unwrap().set_len(64 * 1024 * 1024 + 1).unwrap();
    write(root.path(), &[("go.mod", "require example.com/a v1.0.0\n")]);
    let found = dependencies(root.path());
    assert_eq!(found.warnings, ["`Cargo.lock` is left out: it is larger than 64 MiB."]);
    assert_eq!(found.dependencies.len(), 1);
}

#[test]
fn symlinks_are_followed_only_inside_the_root() {
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), &[("Cargo.lock", CARGO)]);
    let root = tempfile::tempdir().unwrap();
    symlink(outside.path().join("Cargo.lock"), root.path().join("Cargo.lock")).unwrap();
    symlink("missing", root.path().join("uv.lock")).unwrap();
    symlink("poetry.lock", root.path().join("poetry.lock")).unwrap();
    let found = dependencies(root.path());
    assert!(found.dependencies.is_empty());
    assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
    assert_eq!(found.warnings[0], "`Cargo.lock` is left out: it is a symlink that leads out of the project.");

    write(root.path(), &[("real/lock", CARGO)]);
    fs::remove_file(root.path().join("Cargo.lock")).unwrap();
    symlink("real/lock", root.path().join("Cargo.lock")).unwrap();
    assert_eq!(dependencies(root.path()).dependencies.len(), 1);
    // The root itself may be reached by a symlink.
    let link = outside.path().join("link");
    symlink(root.path(), &link).unwrap();
    assert_eq!(dependencies(&link).dependencies.len(), 1);
}

#[test]
fn what_is_no_file_is_said_and_not_waited_for() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("Cargo.lock")).unwrap();
    let pipe = root.path().join("yarn.lock");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    write(root.path(), &[("requirements.txt", "-r Cargo.lock\na==1.0\n")]);
    fs::write(root.path().join("go.mod"), b"require \xff v1").unwrap();
    let found = dependencies(root.path());
    let expected = [
        "`Cargo.lock` is left out: it is not a regular file.",
        "`yarn.lock` is left out: it is not a regular file.",
        "`go.mod` is left out: it is not UTF-8.",
        "`Cargo.lock` is left out: it is not a regular file.",
    ];
    assert_eq!(found.warnings, expected);
    assert_eq!(found.dependencies.len(), 1);
}

#[test]
fn a_root_that_is_missing_is_a_warning() {
    let root = tempfile::tempdir().unwrap();
    let found = dependencies(&root.path().join("missing"));
    assert!(found.dependencies.is_empty());
    assert_eq!(found.warnings.len(), 1);
    assert!(found.warnings[0].contains("missing"), "{:?}", found.warnings);
}

#[test]
fn deep_nesting_and_huge_numbers_are_survived() {
    let deep = 50_000;
    let texts = [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{ a = ".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
        format!("[[{}a]]", "a.".repeat(deep)),
        format!("a = {}", "9".repeat(deep)),
        "[[package]]\n".repeat(deep),
        "[".repeat(deep),
        "{\"a\":".repeat(deep),
        format!("{{\"lockfileVersion\": {}}}", "9".repeat(deep)),
        "? ".repeat(deep),
        (0..2000).map(|n| format!("{}a:\n", " ".repeat(n))).collect(),
        "'".repeat(deep),
        "\\\n".repeat(deep),
        "a==1\\\n".repeat(deep),
        "require (\n".repeat(deep),
        format!("__metadata:\n{}", "a:\n".repeat(deep)),
        format!("lockfileVersion: '9.0'\npackages:\n{}", "  a@1:\n".repeat(deep)),
        format!("lockfileVersion: {}\n", "9".repeat(deep)),
    ];
    let names = [
        "Cargo.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "uv.lock", "poetry.lock", "pyproject.toml",
        "requirements.txt", "go.mod",
    ];
    let root = tempfile::tempdir().unwrap();
    for text in &texts {
        for name in names {
            fs::write(root.path().join(name), text).unwrap();
        }
        let found = dependencies(root.path());
        assert!(!found.warnings.is_empty());
        // No warning repeats what the file says.
        assert!(found.warnings.iter().all(|warning| warning.len() < 300));
    }
}
