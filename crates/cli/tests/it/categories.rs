//! Categories from the command line, and many edits at once.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Sandbox;

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("docs/guide/start.md", "# Start\n\nHow leases begin.\n");
    sandbox.write("docs/guide/end.md", "# End\n\nHow leases end.\n");
    sandbox.write("docs/api/calls.txt", "The lease calls.\n");
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox
}

#[test]
fn a_collection_of_categories_is_synced_listed_and_searched() {
    let sandbox = project();
    sandbox.json(&["categories", "add", "guide", "docs/guide"]);
    sandbox.json(&["categories", "add", "api", "docs/api", "--pattern", "*.txt", "--pattern", "*.md"]);
    sandbox.json(&["collections", "add", "both", "--category", "guide", "--category", "api", "--description", "All"]);
    sandbox.json(&["collections", "add", "docs", "./docs", "--glob", "**/*.md", "--category", "guide"]);
    let listed = sandbox.json(&["collections", "list"]);
    let both = &listed["collections"][0];
    assert_eq!((&both["status"], &both["source"]), (&"not-synced".into(), &serde_json::Value::Null));
    let synced = sandbox.json(&["collections", "sync", "both"]);
    let names: Vec<&str> =
        synced["collections"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["guide", "api"]);
    sandbox.sync();
    let listed = sandbox.json(&["collections", "list"]);
    let counts: Vec<(&str, u64)> = listed["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["status"].as_str().unwrap(), entry["documents"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [("synced", 3), ("synced", 2)], "each document once");
    let found = sandbox.json(&["ref", "search", "leases", "-c", "both"]);
    let mut places: Vec<String> = found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| format!("{} {} {}", hit["collection"], hit["category"], hit["document"]).replace('"', ""))
        .collect();
    places.sort();
    assert_eq!(places, ["both api calls.txt", "both guide end.md", "both guide start.md"]);
    sandbox.run(&["ref", "get", "guide/start.md"]).assert_code(0);
    sandbox.run(&["ref", "get", "both/calls.txt"]).assert_code(0);
    sandbox.write("docs/guide/start.md", "# Start\n\nAnother text.\n");
    let listed = sandbox.json(&["collections", "list"]);
    assert_eq!(listed["collections"][0]["detail"], "category guide: start.md has changed");
    let listed = sandbox.json(&["categories", "list"]);
    assert_eq!(listed["categories"][0]["collections"], serde_json::json!(["both", "docs"]));
    let removed = sandbox.json(&["categories", "remove", "guide", "--drop"]);
    assert_eq!((&removed["collections"], &removed["dropped"]), (&serde_json::json!(["both", "docs"]), &true.into()));
    let changed = sandbox.json(&["collections", "change", "both", "--new-name", "calls", "--description", ""]);
    assert_eq!(changed["collection"], serde_json::json!({ "categories": ["api"] }));
}

#[test]
fn what_is_wrong_is_said_with_the_way_out() {
    let sandbox = project();
    sandbox.json(&["categories", "add", "guide", "docs/guide"]);
    for (args, expected) in [
        (
            &["collections", "add", "x", "--category", "guid", "--category", "none"][..],
            "these categories are not in the configuration: `guid`, `none`",
        ),
        (&["categories", "add", "x", "../out"], "`dir` can't be used"),
        (&["categories", "add", "x", "--pattern", "../*"], "has a `..` in it"),
        (&["categories", "add", "guide"], "the category `guide` is in the configuration already"),
        (&["categories", "add", "a b"], "`a b` can't be the name of a category"),
        (&["categories", "remove", "guid"], "did you mean `guide`?"),
        (&["collections", "update", "none", "--add", "guide"], "there is no collection `none`"),
        (&["collections", "change", "none", "--new-name", "x"], "there is no collection `none`"),
    ] {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(run.stderr().contains(expected), "{args:?}: {}", run.stderr());
    }
    let run = sandbox.run(&["categories", "add", "later", "not-yet"]);
    run.assert_code(0);
    assert!(run.stderr().contains("is not a folder yet"), "{}", run.stderr());
}

/// 200 edits by 8 processes at a time.
#[test]
fn edits_of_many_processes_are_all_in_the_file() {
    let sandbox = project();
    sandbox.json(&["categories", "add", "shared", "docs"]);
    sandbox.json(&["collections", "add", "sum", "--category", "shared"]);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for number in 0..8 {
                    let name = format!("c{writer}-{number}");
                    sandbox.run(&["categories", "add", &name, "docs"]).assert_code(0);
                    sandbox.run(&["collections", "add", &name, "--category", &name]).assert_code(0);
                    sandbox.run(&["collections", "update", "sum", "--add", &name]).assert_code(0);
                }
                sandbox.run(&["collections", "add", &format!("f{writer}"), "./docs"]).assert_code(0);
            });
        }
    });
    println!("200 edits in {:?}", start.elapsed());
    let text = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["categories"].as_object().unwrap().len(), 65);
    assert_eq!(file["collections"].as_object().unwrap().len(), 73);
    let mut sum: Vec<&str> =
        file["collections"]["sum"]["categories"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    sum.sort_unstable();
    sum.dedup();
    assert_eq!(sum.len(), 65);
}

const LOCK: &str = "AI_ASSIST_TEST_LOCK_FOLDER";

/// Not a test of its own: holds a lock until it is killed.
#[test]
#[ignore = "run by the next test"]
fn holder() {
    let folder = std::path::PathBuf::from(std::env::var_os(LOCK).unwrap());
    let held = File::open(&folder).unwrap();
    held.lock().unwrap();
    std::fs::write(folder.join("held"), "").unwrap();
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_holder_that_is_killed_blocks_no_one() {
    let sandbox = project();
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "categories::holder", "--ignored"])
        .env(LOCK, sandbox.project())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !sandbox.project().join("held").exists() {
        assert!(start.elapsed() < Duration::from_secs(30), "the holder did not come up");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut waiting =
        sandbox.command().args(["categories", "add", "waited", "docs"]).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert!(waiting.try_wait().unwrap().is_none(), "the lock is held");
    let killed = Instant::now();
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(waiting.wait().unwrap().success());
    println!("blocked for {:?} after the kill", killed.elapsed());
    assert!(killed.elapsed() < Duration::from_secs(2), "{:?}", killed.elapsed());
}
