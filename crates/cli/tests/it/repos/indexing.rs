use std::process::Command;

use serde_json::Value;

use super::{indexed, sample};
use crate::support::{Sandbox, bytes_below, contains};

fn mode<'v>(report: &'v Value, name: &str) -> &'v Value {
    report["modes"].as_array().unwrap().iter().find(|mode| mode["mode"] == name).unwrap()
}

fn git(sandbox: &Sandbox, folder: &str, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(sandbox.root().join(folder)).env("HOME", sandbox.root()).env("GIT_CONFIG_NOSYSTEM", "1");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]).args(args);
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_build_indexes_every_mode_and_the_next_one_only_what_changed() {
    let sandbox = sample();
    let first = sandbox.json(&["index", "build"]);
    assert_eq!(first["origin"]["kind"], "nothing");
    assert_eq!(mode(&first, "code")["documents"], 4);
    assert_eq!(mode(&first, "prose")["documents"], 1);
    assert_eq!(mode(&first, "records")["documents"], 1);
    assert!(mode(&first, "extracted-prose")["chunks"].as_u64().unwrap() > 3);
    let again = sandbox.json(&["index", "build"]);
    assert_eq!((&again["unchanged"], &again["buildId"]), (&true.into(), &first["buildId"]));
    sandbox.write("src/job.rs", "/// Another piece of work.\npub struct Job;\n");
    std::fs::remove_file(sandbox.project().join("tools/report.py")).unwrap();
    sandbox.write("src/new.rs", "pub fn brand_new() {}\n");
    let status = sandbox.run(&["index", "status", "--json"]);
    status.assert_code(1);
    let freshness = &status.json()["freshness"];
    assert_eq!((&freshness["state"], &freshness["added"]), (&"stale".into(), &1.into()));
    assert_eq!((&freshness["changed"], &freshness["removed"]), (&1.into(), &1.into()));
    let next = sandbox.json(&["index", "build"]);
    let code = mode(&next, "code");
    assert_eq!((&code["added"], &code["changed"], &code["removed"]), (&1.into(), &1.into(), &1.into()));
    assert_eq!(mode(&next, "prose")["shared"], true);
    assert_eq!(next["origin"]["kind"], "own");
    assert_eq!(sandbox.json(&["index", "status"])["freshness"]["state"], "current");
}

#[test]
fn one_mode_is_built_alone_and_the_others_stay() {
    let sandbox = sample();
    sandbox.json(&["index", "build", "--mode", "prose"]);
    let run = sandbox.run(&["search", "--mode", "code", "queue"]);
    assert_eq!(run.code(), 1, "{}", run.stderr());
    assert!(sandbox.run(&["search", "--mode", "prose", "worker drains"]).stdout().contains("docs/guide.md"));
    sandbox.json(&["index", "build", "--mode", "code", "--mode", "records"]);
    assert!(sandbox.run(&["search", "--mode", "code", "queue"]).stdout().contains("src/queue.rs"));
    assert!(sandbox.run(&["search", "--mode", "prose", "worker drains"]).stdout().contains("docs/guide.md"));
}

#[test]
fn nothing_is_written_into_the_repository() {
    let sandbox = sample();
    let before = bytes_below(&sandbox.project());
    sandbox.run(&["index", "build"]).assert_code(0);
    sandbox.run(&["search", "queue"]).assert_code(0);
    sandbox.run(&["map"]).assert_code(0);
    assert_eq!(bytes_below(&sandbox.project()), before);
}

#[test]
fn no_secret_reaches_an_index() {
    let sandbox = sample();
    let key = ["AKIAZ7Q3X5", "RNT6WKD2PY"].concat();
    sandbox.write("src/keys.rs", format!("/// The key is {key}.\npub const KEY: &str = \"{key}\";\n"));
    sandbox.write("docs/keys.md", format!("# Keys\n\nUse {key}.\n"));
    sandbox.write("data/keys.jsonl", format!("{{\"key\": \"{key}\"}}\n"));
    sandbox.write(".env", format!("KEY={key}\n"));
    let report = sandbox.json(&["index", "build"]);
    assert!(report["redacted"].as_u64().unwrap() >= 3, "{report}");
    let code = serde_json::json!({ "path": "src/keys.rs", "rule": "aws-access-key-id", "lines": [1, 2] });
    assert!(report["redactions"].as_array().unwrap().contains(&code), "{report}");
    let told = sandbox.run(&["index", "build", "--force", "--redactions"]);
    assert!(told.stderr().contains("redacted: src/keys.rs:1,2 by aws-access-key-id"), "{}", told.stderr());
    assert!(!told.stderr().contains(&key));
    for (file, bytes) in bytes_below(&sandbox.root().join("cache")) {
        assert!(!contains(&bytes, key.as_bytes()), "{} holds it", file.display());
    }
    for args in [&["search", "--regex", "AKIA[A-Z0-9]{16}"][..], &["search", &key], &["search", "--symbol", "KEY"]] {
        let run = sandbox.run(args);
        assert!(!run.stdout().contains(&key) && !run.stderr().contains(&key), "{args:?}");
    }
    assert_eq!(sandbox.run(&["search", "--regex", "AKIA[A-Z0-9]{16}"]).code(), 1);
}

#[test]
fn clones_and_work_trees_start_from_each_other() {
    let sandbox = sample();
    git(&sandbox, "project", &["init", "-q"]);
    git(&sandbox, "project", &["add", "-A"]);
    git(&sandbox, "project", &["commit", "-qm", "all"]);
    sandbox.run(&["index", "build"]).assert_code(0);
    git(&sandbox, "project", &["worktree", "add", "-q", "../tree"]);
    git(&sandbox, ".", &["clone", "-q", "project", "clone"]);
    let id = sandbox.json(&["index", "status"])["repoId"].clone();
    for sibling in ["../tree", "../clone"] {
        let report = sandbox.json(&["index", "build", "--repo", sibling]);
        assert_eq!((&report["origin"]["kind"], &report["origin"]["repoId"]), (&"sibling".into(), &id), "{sibling}");
        assert_eq!(report["chunked"], 0, "nothing had to be cut and embedded again");
    }
}

#[test]
fn a_folder_of_a_repository_stands_for_all_of_it() {
    let sandbox = sample();
    git(&sandbox, "project", &["init", "-q"]);
    let report = sandbox.json(&["index", "build", "--repo", "src"]);
    assert_eq!(report["root"].as_str().unwrap(), sandbox.project().to_str().unwrap());
    let run = sandbox.run(&["-C", "docs", "search", "--symbol", "Queue"]);
    assert!(run.stdout().contains("src/queue.rs:"), "{}", run.stdout());
}

#[test]
fn old_builds_are_collected_only_when_asked() {
    let sandbox = indexed();
    let first = sandbox.json(&["index", "status"])["buildId"].clone();
    sandbox.write("src/new.rs", "pub fn brand_new() {}\n");
    let second = sandbox.json(&["index", "build"])["buildId"].clone();
    let shown = sandbox.json(&["index", "gc", "--dry-run"]);
    assert_eq!((&shown["dryRun"], &shown["repos"][0]["removed"][0]), (&true.into(), &first));
    let builds = || {
        let repos = std::fs::read_dir(sandbox.root().join("cache/repos")).unwrap();
        let builds = repos.flat_map(|repo| std::fs::read_dir(repo.unwrap().path().join("builds")).unwrap());
        builds.filter(|build| build.as_ref().unwrap().path().is_dir()).count()
    };
    assert_eq!(builds(), 2, "a look removes nothing");
    let old = sandbox.run(&["index", "gc", "--apply"]);
    assert!(old.assert_code(0).stderr().contains("`--apply` goes away"), "{}", old.stderr());
    assert_eq!(builds(), 1);
    assert_eq!(sandbox.json(&["index", "status"])["buildId"], second);
    sandbox.run(&["search", "brand new"]).assert_code(0);
}

#[test]
fn a_repository_that_is_gone_is_forgotten() {
    let sandbox = indexed();
    sandbox.write("../other/a.rs", "pub fn elsewhere() {}\n");
    sandbox.run(&["index", "build", "--repo", "../other"]).assert_code(0);
    std::fs::remove_dir_all(sandbox.root().join("other")).unwrap();
    let gone = |swept: &Value| swept["repos"].as_array().unwrap().iter().filter(|repo| repo["gone"] == true).count();
    sandbox.write("../ws/a.rs", "pub fn a() {}\n");
    sandbox.run(&["-C", "../ws", "workspace", "init", "."]).assert_code(0);
    sandbox.run(&["-C", "../ws", "workspace", "manifest"]).assert_code(0);
    std::fs::remove_file(sandbox.root().join("ws/.ai-assist-workspace.jsonc")).unwrap();
    let looked = sandbox.json(&["index", "gc", "--all", "--dry-run"]);
    assert_eq!((gone(&looked), looked["workspaces"].as_array().unwrap().len()), (1, 1));
    assert_eq!(gone(&sandbox.json(&["index", "gc", "--all"])), 1);
    let left = sandbox.json(&["index", "gc", "--all"]);
    assert_eq!((gone(&left), left["repos"].as_array().unwrap().len()), (0, 1));
    assert!(left["workspaces"].as_array().unwrap().is_empty());
    assert_eq!(std::fs::read_dir(sandbox.root().join("cache/federation")).unwrap().count(), 0);
    sandbox.run(&["search", "queue"]).assert_code(0);
}

#[test]
fn hostile_pointers_are_not_followed_and_a_build_mends_them() {
    let sandbox = indexed();
    let cache = std::path::PathBuf::from(sandbox.json(&["index", "status"])["cache"].as_str().unwrap());
    let pointer = cache.join("builds/current.json");
    let good = std::fs::read_to_string(&pointer).unwrap();
    let root = serde_json::from_str::<Value>(&good).unwrap()["buildRoot"].as_str().unwrap().to_owned();
    let elsewhere = sandbox.root().join("elsewhere");
    std::fs::rename(cache.join(&root), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, cache.join("builds/linked")).unwrap();
    let bad = [
        good.replace(&root, elsewhere.to_str().unwrap()),
        good.replace(&root, "../../../elsewhere"),
        good.replace(&root, "builds/linked"),
        "{".to_owned(),
        String::new(),
        "[]".to_owned(),
    ];
    for text in bad {
        std::fs::write(&pointer, &text).unwrap();
        let run = sandbox.run(&["search", "queue"]);
        run.assert_code(2);
        assert!(run.stderr().contains("ai-assist sync"), "{text}: {}", run.stderr());
        let status = sandbox.run(&["index", "status", "--json"]);
        assert_eq!(status.json()["freshness"]["state"], "broken", "{text}");
    }
    std::fs::remove_file(&pointer).unwrap();
    std::fs::create_dir(&pointer).unwrap();
    sandbox.run(&["search", "queue"]).assert_code(2);
    std::fs::remove_dir(&pointer).unwrap();
    sandbox.run(&["index", "build"]).assert_code(0);
    sandbox.run(&["search", "queue"]).assert_code(0);
}

#[test]
fn mistakes_are_named() {
    let sandbox = sample();
    for (args, said) in [
        (&["index", "build", "--repo", "nowhere"][..], "nowhere"),
        (&["index", "build", "--repo", "src/job.rs"], "is not a folder"),
        (&["index", "build", "--mode", "music"], "music"),
        (&["search", "queue"], "ai-assist sync"),
        (&["search", "--symbol", "Queue"], "ai-assist index build"),
        (&["search", "--regex", "Queue"], "ai-assist index build"),
        (&["map"], "sync"),
        (&["outline", "nothing.rs"], "nothing.rs"),
        (&["outline", "src"], "ai-assist map"),
    ] {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(run.stderr().contains(said), "{args:?}: {}", run.stderr());
    }
    sandbox.write(".ai-assist.json", "{ \"cache\": { \"root\": \"/etc\" }, \"more\": 1 }");
    let run = sandbox.run(&["index", "build"]);
    run.assert_code(2);
    assert!(run.stderr().contains("more"), "{}", run.stderr());
    sandbox.write(".ai-assist.json", "{ \"cache\": { \"root\": \"/etc\" } }");
    let run = sandbox.run(&["index", "build"]);
    run.assert_code(2);
    assert!(run.stderr().contains("config allow"), "{}", run.stderr());
}

/// As in the source of Linux that Debian ships, whose index was empty and had a ✓.
#[test]
fn an_ignore_rule_that_takes_everything_is_named() {
    let sandbox = sample();
    sandbox.write(".gitignore", "# Everything is ours.\n/*\n");
    let run = sandbox.run(&["index", "build"]);
    run.assert_code(1);
    assert!(run.stderr().contains(".gitignore:2: the rule `/*` drops "), "{}", run.stderr());
    assert!(run.stdout().starts_with('⚠'), "{}", run.stdout());
    let run = sandbox.run(&["sync"]);
    run.assert_code(1);
    assert!(run.stderr().contains(".gitignore:2: the rule `/*`"), "{}", run.stderr());
    sandbox.write("docs/.gitignore", "*\n");
    let run = sandbox.run(&["add", "./docs"]);
    assert!(run.stderr().contains("2 ignored, because in .gitignore:1 the rule `*` drops"), "{}", run.stderr());
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "docs", "./docs"]);
    let run = sandbox.run(&["collections", "sync"]);
    run.assert_code(1);
    assert!(run.stderr().contains(".gitignore:1"), "{}", run.stderr());
    sandbox.write(".gitignore", "data/\n");
    sandbox.run(&["index", "build"]).assert_code(0);
}
