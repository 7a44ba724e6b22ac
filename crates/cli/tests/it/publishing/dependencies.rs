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
        std::fs::create_dir_all(folder.join("src")).unwrap();
        let source = "/// Couples a waggon to the train.\npub fn couple() {\n    unseen_body();\n}\n\nfn own() {}\n";
        std::fs::write(folder.join("src/lib.rs"), source).unwrap();
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
    assert_eq!(names(&answer, "origin"), ["guide registry", "dependencies disk"]);
    assert_eq!(names(&answer, "dependency"), ["guide cargo:guide@1.0.0", "dependencies cargo:trains@0.3.1"]);
    assert_eq!(answer["without"], serde_json::json!(["cargo:bare@0.1.0"]));
    let missing = serde_json::json!([{ "dependency": "cargo:bare@0.1.0", "command": "cargo fetch" }]);
    assert_eq!(answer["notInstalled"], missing);
    assert_eq!(answer["suggestions"][1]["found"], serde_json::json!({ "docs": 2, "examples": 0, "api": 1 }));
    let all = sandbox.json(&["collections", "suggest", "--all"]);
    assert_eq!(names(&all, "action"), ["guide add", "dependencies add", "dependencies add"]);
    let configuration = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    assert!(!configuration.contains("trains"), "without --add nothing is written");
    sandbox.run(&["collections", "suggest", "--add"]).assert_code(0);
    let configuration = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    assert!(!configuration.contains(".cargo") && !configuration.contains("0.3.1"), "{configuration}");
    // `bare` is not on this machine, which is worth a word.
    sandbox.run(&["collections", "sync"]).assert_code(0);
    assert_eq!(sandbox.hits(&["about wheels", "--limit", "1"]), ["dependencies/cargo/trains@0.3.1/README.md:1-3"]);
    let item = "dependencies/cargo/trains@0.3.1/src/lib.rs:1-2";
    assert_eq!(sandbox.hits(&["couple a waggon", "--limit", "1"]), [item]);
    assert!(!sandbox.hits(&["unseen_body"]).iter().any(|hit| hit.contains("lib.rs")), "bodies are left out");
    let opened = sandbox.run(&["ref", "get", "dependencies/cargo/trains@0.3.1/src/lib.rs"]);
    assert!(opened.stdout().contains("unseen_body"), "the source can be opened");
    assert_eq!(sandbox.hits(&["red lamp", "--limit", "1"]), ["guide/deep/signals.md:1-3"]);
    assert_eq!(names(&sandbox.json(&["collections", "suggest"]), "action"), ["guide keep", "dependencies keep"]);
}

#[test]
fn a_sync_follows_the_lock_file() {
    let sandbox = project();
    sandbox.run(&["collections", "suggest", "--add", "trains"]).assert_code(0);
    let configuration = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    assert!(configuration.contains(r#"["cargo:trains"]"#), "{configuration}");
    sandbox.sync();
    let status = |sandbox: &Sandbox| {
        let listed = sandbox.json(&["collections", "list"])["collections"][0].clone();
        (listed["status"].as_str().unwrap().to_owned(), listed["detail"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(status(&sandbox).0, "synced");
    sandbox.write("Cargo.lock", CARGO_LOCK.replace("0.3.1", "0.4.0"));
    assert_eq!(status(&sandbox), ("stale".to_owned(), "Cargo.lock has trains 0.4.0, and 0.3.1 is indexed".to_owned()));
    // The lock of the package manager is the lock: a sync that is held to it follows it, and says so before.
    let diff = sandbox.run(&["collections", "diff", "dependencies"]).stdout();
    assert!(
        diff.contains("- cargo/trains@0.3.1/README.md") && diff.contains("+About wheels and trains-0.4.0."),
        "{diff}"
    );
    sandbox.run(&["collections", "sync", "--frozen"]).assert_code(0);
    assert_eq!(status(&sandbox).0, "synced");
    let name = "dependencies/cargo/trains@0.4.0/README.md";
    assert!(sandbox.run(&["ref", "get", name]).stdout().contains("trains-0.4.0"));
    assert!(sandbox.hits(&["about wheels"]).iter().all(|hit| !hit.contains("0.3.1")));
    // One more by name, in the same collection.
    sandbox.run(&["collections", "suggest", "--add", "cargo:wheels"]).assert_code(0);
    let configuration = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    assert!(configuration.contains("cargo:wheels") && configuration.matches("\"dep\"").count() == 1, "{configuration}");
}

#[test]
fn a_collection_for_one_package_stays_that() {
    let sandbox = project();
    std::fs::remove_file(sandbox.project().join("context.json")).unwrap();
    assert_eq!(names(&sandbox.json(&["collections", "suggest"]), "dependency"), ["dependencies cargo:trains@0.3.1"]);
    sandbox.run(&["add", "crate:trains"]).assert_code(0);
    sandbox.run(&["collections", "suggest", "--add"]).assert_code(0);
    let configuration = || std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    assert_eq!(configuration().matches("\"dep\"").count(), 1, "what is there is not added again: {}", configuration());
    sandbox.run(&["collections", "suggest", "--add", "wheels"]).assert_code(0);
    assert!(configuration().contains("\"dependencies\": [\"cargo:trains\"]"), "{}", configuration());
    assert_eq!(configuration().matches("\"dep\"").count(), 2, "{}", configuration());
}

#[test]
fn what_is_locked_and_away_is_kept() {
    let sandbox = project();
    sandbox.run(&["collections", "suggest", "--add", "trains"]).assert_code(0);
    sandbox.sync();
    std::fs::remove_dir_all(sandbox.root().join("home/.cargo")).unwrap();
    let run = sandbox.run(&["collections", "sync"]);
    assert!(run.stderr().contains("`cargo fetch` installs what is locked"), "{}", run.stderr());
    assert_eq!(sandbox.hits(&["couple a waggon", "--limit", "1"]).len(), 1);
    // Who wants what is locked, and nothing less, is told.
    for held in ["--locked", "--frozen"] {
        let run = sandbox.run(&["collections", "sync", held]);
        assert!(run.assert_code(1).stderr().contains("cargo:trains@0.3.1 is in Cargo.lock"), "{}", run.stderr());
    }
    sandbox.write("Cargo.lock", CARGO_LOCK.replace("\"trains\"", "\"other\""));
    sandbox.run(&["collections", "sync"]);
    assert!(sandbox.hits(&["couple a waggon"]).is_empty(), "the project no longer depends on it");
}

#[test]
fn odd_sources_of_dependencies_are_refused() {
    let sandbox = Sandbox::new();
    for (source, part) in [
        (r#"{"type": "dep", "dependencies": ["../../etc"]}"#, "does not name an ecosystem"),
        (r#"{"type": "dep", "dependencies": ["npm:../../etc"]}"#, "not a name"),
        (r#"{"type": "dep", "dependencies": "npm:a"}"#, "must be a list of strings"),
        (r#"{"type": "dep", "transitive": 1}"#, "must be true or false"),
    ] {
        sandbox.write("context.json", format!(r#"{{"collections": {{"d": {source}}}}}"#));
        let run = sandbox.run(&["collections", "sync"]);
        assert!(run.stderr().contains(part), "{source}: {}", run.stderr());
        assert_ne!(run.code(), 0);
    }
}

#[test]
fn a_project_without_a_configuration_gets_one_with_its_dependencies() {
    let sandbox = project();
    let file = sandbox.project().join("context.json");
    std::fs::remove_file(&file).unwrap();
    sandbox.run(&["collections", "suggest", "--add"]).assert_code(0);
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains(r#""type": "dep""#), "{written}");
}

#[test]
fn a_project_without_lock_files_gets_none() {
    let sandbox = Sandbox::new();
    // Nothing to add is no reason to make a configuration, or to ask for one.
    sandbox.run(&["collections", "suggest", "--add"]).assert_code(1);
    sandbox.run(&["collections", "init"]).assert_code(0);
    let run = sandbox.run(&["collections", "suggest"]);
    run.assert_code(1);
    assert!(run.stderr().contains("Nothing to suggest"), "{}", run.stderr());
    sandbox.write("package-lock.json", "{ broken");
    let run = sandbox.run(&["collections", "suggest"]);
    run.assert_code(1);
    assert!(run.stderr().contains("package-lock.json"), "{}", run.stderr());
}
