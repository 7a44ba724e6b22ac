//! `collections suggest`, and what `list` says when versions part ways.

use super::guide;
use crate::support::Sandbox;

const CARGO_LOCK: &str = r#"version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = ["guide", "trains", "bare"]

[[package]]
name = "bare"
version = "0.1.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "guide"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "trains"
version = "0.3.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = ["wheels"]

[[package]]
name = "wheels"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
"#;

/// A project with a lock file, a registry that has `guide`, and a cargo home that has `trains` and `wheels`.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    guide(&sandbox, "1.0.0");
    let manifest = std::fs::read_to_string(sandbox.project().join("pkg/manifest.json")).unwrap();
    sandbox.write("pkg/manifest.json", manifest.replacen('{', r#"{"dependency": "cargo:guide", "#, 1));
    sandbox.run(&["collections", "publish", "registry", "--manifest", "pkg/manifest.json"]).assert_code(0);
    sandbox.write("Cargo.lock", CARGO_LOCK);
    for name in ["trains-0.3.1", "wheels-2.0.0", "trains-0.4.0"] {
        let folder = sandbox.root().join("home/.cargo/registry/src/index.crates.io-1/").join(name);
        std::fs::create_dir_all(folder.join("docs")).unwrap();
        std::fs::write(folder.join("README.md"), format!("# {name}\n\nAbout wheels and {name}.\n")).unwrap();
        std::fs::write(folder.join("docs/more.md"), "# More\n").unwrap();
    }
    sandbox.write("context.json", r#"{"settings": {"registry": {"urls": "file://./registry"}}, "collections": {}}"#);
    sandbox
}

fn names(answer: &serde_json::Value, key: &str) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    answer["suggestions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| format!("{} {}", text(&found["name"]), text(&found[key])))
        .collect()
}

#[test]
fn documents_are_proposed_from_the_registry_and_from_disk() {
    let sandbox = project();
    let answer = sandbox.json(&["collections", "suggest"]);
    assert_eq!(names(&answer, "origin"), ["guide registry", "trains disk"]);
    assert_eq!(names(&answer, "dependency"), ["guide cargo:guide@1.0.0", "trains cargo:trains@0.3.1"]);
    assert_eq!(answer["without"], serde_json::json!(["cargo:bare@0.1.0"]));
    let all = sandbox.json(&["collections", "suggest", "--all"]);
    assert_eq!(names(&all, "action"), ["guide add", "trains add", "wheels add"]);
    let configuration = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    assert!(!configuration.contains("trains"), "without --add nothing is written");
    sandbox.run(&["collections", "suggest", "--add"]).assert_code(0);
    sandbox.sync();
    assert_eq!(sandbox.hits(&["about wheels", "--limit", "1"]), ["trains/README.md:1-3"]);
    assert_eq!(sandbox.hits(&["red lamp", "--limit", "1"]), ["guide/deep/signals.md:1-3"]);
    assert_eq!(names(&sandbox.json(&["collections", "suggest"]), "action"), ["guide keep", "trains keep"]);
}

#[test]
fn a_collection_for_another_version_is_warned_of_and_renewed() {
    let sandbox = project();
    sandbox.run(&["collections", "suggest", "--add", "trains"]).assert_code(0);
    sandbox.sync();
    assert!(!sandbox.run(&["collections", "list"]).stderr().contains("warning"));
    sandbox.write("Cargo.lock", CARGO_LOCK.replace("0.3.1", "0.4.0"));
    let listed = sandbox.run(&["collections", "list"]);
    assert!(
        listed.stderr().contains("trains: it is for trains 0.3.1, and Cargo.lock has 0.4.0"),
        "{}",
        listed.stderr()
    );
    let warning = sandbox.json(&["collections", "list"])["collections"][0]["warning"].clone();
    assert!(warning.as_str().unwrap().contains("0.4.0"));
    let suggested = sandbox.json(&["collections", "suggest", "trains"]);
    assert_eq!(names(&suggested, "action"), ["trains replace"]);
    sandbox.run(&["collections", "suggest", "--add", "trains"]).assert_code(0);
    assert!(!sandbox.run(&["collections", "list"]).stderr().contains("warning"));
    sandbox.sync();
    assert!(sandbox.run(&["ref", "get", "trains/README.md"]).stdout().contains("trains-0.4.0"));
}

#[test]
fn a_project_without_lock_files_gets_none() {
    let sandbox = Sandbox::new();
    sandbox.run(&["collections", "init"]).assert_code(0);
    let run = sandbox.run(&["collections", "suggest"]);
    run.assert_code(1);
    assert!(run.stderr().contains("Nothing to suggest"), "{}", run.stderr());
    sandbox.write("package-lock.json", "{ broken");
    let run = sandbox.run(&["collections", "suggest"]);
    run.assert_code(1);
    assert!(run.stderr().contains("package-lock.json"), "{}", run.stderr());
}
