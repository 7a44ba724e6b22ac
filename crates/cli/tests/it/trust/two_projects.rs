//! Two projects on one machine: what one of them does changes nothing that the other reads.

use serde_json::json;

use crate::mcp_server::Server;
use crate::support::{Run, Sandbox};

/// A package in a folder, and two projects beside each other that declare it.
struct Two {
    sandbox: Sandbox,
}

impl Two {
    fn new() -> Self {
        let two = Two { sandbox: Sandbox::new() };
        two.publish("one", "alder");
        for project in ["a", "b"] {
            two.sandbox.write(format!("{project}/context.json"), "{}");
            two.run(project, &["collections", "add", "guide", "file://../pkg/manifest.json"]).assert_code(0);
        }
        two
    }

    /// The package as it is now, with a document that says a word of its own.
    fn publish(&self, version: &str, word: &str) {
        let manifest = format!(r#"{{"name": "guide", "version": "{version}", "sources": {{"glob": ["*.md"]}}}}"#);
        self.sandbox.write("pkg/manifest.json", manifest);
        self.sandbox.write("pkg/trees.md", format!("# Trees\n\nThe {word} grows by the water.\n"));
        self.sandbox.write("pkg/same.md", "# Soil\n\nSoil is the same for all of them.\n");
    }

    fn run(&self, project: &str, args: &[&str]) -> Run {
        let mut command = self.sandbox.command();
        Run(command.current_dir(self.sandbox.project().join(project)).args(args).output().unwrap())
    }

    fn sync(&self, project: &str, more: &[&str]) -> Run {
        self.run(project, &[&["collections", "sync"], more].concat())
    }

    /// What a project finds and reads.
    fn reads(&self, project: &str) -> String {
        let found = self.run(project, &["search", "--no-sync", "what grows by the water"]).stdout();
        found + &self.run(project, &["ref", "get", "guide/trees.md"]).stdout()
    }
}

#[test]
fn one_projects_sync_does_not_change_what_another_locked_project_reads() {
    let two = Two::new();
    two.sync("a", &[]).assert_code(0);
    two.sync("b", &[]).assert_code(0);
    two.publish("two", "birch");
    two.sync("b", &[]).assert_code(0);
    for _ in 0..2 {
        let (a, b) = (two.reads("a"), two.reads("b"));
        assert!(a.contains("alder") && !a.contains("birch"), "{a}");
        assert!(b.contains("birch") && !b.contains("alder"), "{b}");
    }
    two.sync("a", &["--frozen"]).assert_code(0);
    two.run("a", &["collections", "verify"]).assert_code(0);
    two.run("b", &["collections", "verify"]).assert_code(0);
    // Each goes on by itself, and they may meet again.
    two.publish("three", "cedar");
    two.sync("a", &[]).assert_code(0);
    assert!(two.reads("a").contains("cedar") && two.reads("b").contains("birch"));
    two.sync("b", &[]).assert_code(0);
    assert!(two.reads("b").contains("cedar"));
    two.run("a", &["doctor"]).assert_code(0);
    two.run("a", &["gc"]).assert_code(0);
    assert!(two.reads("a").contains("cedar") && two.reads("b").contains("cedar"));
}

#[test]
fn a_lock_that_is_put_back_is_read_again() {
    let two = Two::new();
    two.sync("a", &[]).assert_code(0);
    let lock = two.sandbox.project().join("a/context.lock");
    let old = std::fs::read(&lock).unwrap();
    two.sync("b", &[]).assert_code(0);
    two.publish("two", "birch");
    two.sync("a", &[]).assert_code(0);
    assert!(two.reads("a").contains("birch"));
    // As a checkout of an older commit does; what it names is kept, because the other project reads it.
    std::fs::write(&lock, old).unwrap();
    let read = two.reads("a");
    assert!(read.contains("alder") && !read.contains("birch"), "{read}");
    two.sync("a", &["--frozen"]).assert_code(0);
}

#[test]
fn a_lock_of_what_is_not_kept_reads_nothing_else() {
    let two = Two::new();
    two.sync("a", &[]).assert_code(0);
    let old = std::fs::read(two.sandbox.project().join("a/context.lock")).unwrap();
    two.publish("two", "birch");
    two.sync("a", &[]).assert_code(0);
    // A fresh clone with the old lock, on a machine that has only the new state.
    std::fs::write(two.sandbox.project().join("b/context.lock"), old).unwrap();
    let read = two.reads("b");
    assert!(!read.contains("birch"), "{read}");
    two.sync("b", &["--frozen"]).assert_code(2);
    assert!(two.reads("a").contains("birch"));
    two.sync("b", &[]).assert_code(0);
    assert!(two.reads("b").contains("birch"));
}

#[test]
fn data_that_somebody_else_reads_is_not_dropped() {
    let two = Two::new();
    two.sync("a", &[]).assert_code(0);
    two.sync("b", &[]).assert_code(0);
    let removed = two.run("a", &["collections", "remove", "guide", "--drop", "--json"]);
    removed.assert_code(0);
    assert_eq!(removed.json()["dropped"], false, "{}", removed.stdout());
    assert!(removed.json()["usedBy"][0].as_str().unwrap().contains("/b/context.json"), "{}", removed.stdout());
    assert!(two.reads("b").contains("alder"));
    two.run("a", &["collections", "add", "guide", "file://../pkg/manifest.json"]).assert_code(0);
    two.sync("a", &[]).assert_code(0);
    let refused = two.run("a", &["ref", "drop", "guide"]);
    refused.assert_code(2);
    assert!(refused.stderr().contains("/b/context.json") && refused.stderr().contains("--yes"), "{}", refused.stderr());
    two.run("b", &["collections", "remove", "guide"]).assert_code(0);
    let removed = two.run("a", &["collections", "remove", "guide", "--drop", "--json"]);
    assert_eq!(removed.json()["dropped"], true, "{}", removed.stdout());
}

#[test]
fn a_project_by_two_spellings_of_its_path_is_one_reader() {
    let two = Two::new();
    std::os::unix::fs::symlink(two.sandbox.project(), two.sandbox.root().join("link")).unwrap();
    let linked = two.sandbox.root().join("link/a").display().to_string();
    two.sync("a", &[]).assert_code(0);
    let by_link = two.run("b", &["-C", &linked, "collections", "sync"]);
    by_link.assert_code(0);
    assert!(!by_link.stderr().contains("not allowed"), "{}", by_link.stderr());
    let removed = two.run("b", &["-C", &linked, "collections", "remove", "guide", "--drop", "--json"]);
    assert_eq!(removed.json()["dropped"], true, "{}{}", removed.stdout(), removed.stderr());
}

#[test]
fn an_alias_of_the_same_documents_keeps_them() {
    let sandbox = Sandbox::with_docs(&[("a.md", "# Kettles\n\nA kettle whistles.\n")]);
    sandbox.run(&["collections", "add", "again", "./docs"]).assert_code(0);
    sandbox.sync();
    let removed = sandbox.json(&["collections", "remove", "again", "--drop"]);
    assert_eq!(removed["dropped"], false, "{removed}");
    assert_eq!(sandbox.hits(&["kettle"]).len(), 1);
    let removed = sandbox.json(&["collections", "remove", "docs", "--drop"]);
    assert_eq!(removed["dropped"], true, "{removed}");
}

/// 16.10: an agent's sync goes by the lock and writes it, as a person's does.
#[test]
fn an_agents_sync_goes_by_the_lock_and_writes_it() {
    let two = Two::new();
    two.sync("a", &[]).assert_code(0);
    let project = two.sandbox.project().join("a");
    let lock = || std::fs::read_to_string(project.join("context.lock")).unwrap();
    let before = lock();
    two.publish("two", "birch");
    let synced = |args: &[&str]| {
        let mut server = Server::start(&two.sandbox, &[&["--project", project.to_str().unwrap()], args].concat());
        let answer = server.call("collection_sync", json!({}));
        server.hang_up();
        answer
    };
    let answer = synced(&["--frozen"]);
    assert_eq!(lock(), before, "{answer}");
    assert!(two.reads("a").contains("alder") && !two.reads("a").contains("birch"), "{answer}");
    let answer = synced(&[]);
    assert_ne!(lock(), before, "{answer}");
    assert!(two.reads("a").contains("birch"), "{answer}");
    two.sync("a", &["--frozen"]).assert_code(0);
}
