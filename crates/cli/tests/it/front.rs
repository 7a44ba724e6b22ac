//! The front door: `add`, `sync`, `ls`, `get`, `outline`, `status`, `gc`, and the pages of the help.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::support::Sandbox;

fn git(folder: &std::path::Path, args: &[&str]) {
    let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A project under git with documents and code, and another repository beside it.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("docs/retries.md", "# Retries\n\nThe wait doubles each time.\n");
    sandbox.write("docs/en/tutorial/cors.md", "# CORS\n\nAllow origins.\n\n## Wildcards\n\nA star allows all.\n");
    sandbox
        .write("src/backoff.rs", "/// Waits longer.\npub fn backoff(attempt: u32) -> u32 {\n    100 << attempt\n}\n");
    sandbox.write("../other/lib/util.py", "def helper(name):\n    return name.upper()\n");
    git(&sandbox.project(), &["init", "--quiet"]);
    git(&sandbox.root().join("other"), &["init", "--quiet"]);
    sandbox
}

#[test]
fn the_first_page_has_thirteen_commands_and_the_second_has_all() {
    let sandbox = Sandbox::new();
    let first = sandbox.run(&["--help"]).assert_code(0).stdout();
    let listed = |text: &str| -> Vec<String> {
        let body = text.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        // What is said of a command may go on below it.
        let named = body.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        named.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    };
    let expected =
        ["search", "add", "sync", "ls", "get", "outline", "map", "pack", "status", "gc", "serve", "mcp", "session"];
    assert_eq!(listed(&first), expected, "{first}");
    let options = first.find("\nOptions:").unwrap();
    assert!(first.find("\nGlobal options:").unwrap() > options, "{first}");
    for args in [&["help", "all"][..], &["help", "--all"]] {
        let all = sandbox.run(args).assert_code(0).stdout();
        for command in
            ["collections sync", "ref search", "workspace remove", "categories add", "doctor", "receipts verify"]
        {
            assert!(all.contains(&format!("  {command} ")), "{command}: {all}");
        }
    }
    for args in [&["collections", "sync", "--help"][..], &["help", "collections", "sync"], &["help", "c", "sync"]] {
        let help = sandbox.run(args).assert_code(0).stdout();
        assert!(help.contains("--frozen"), "{help}");
        let last = help.rfind("\n\n").map(|_| help.find("Global options:").unwrap()).unwrap();
        assert!(!help[last..].contains("--frozen") && help[last..].contains("--offline"), "{help}");
    }
    let run = sandbox.run(&["help", "nothing"]);
    assert!(run.assert_code(2).stderr().contains("there is no command `nothing`"), "{}", run.stderr());
}

#[test]
fn from_nothing_to_an_index_of_documents_and_code() {
    let sandbox = project();
    let run = sandbox.run(&["add", "./docs"]);
    run.assert_code(0);
    assert!(run.stdout().contains("Added docs (documents): ./docs (**/{documents})"), "{}", run.stdout());
    assert!(run.stderr().contains("Created"), "{}", run.stderr());
    let run = sandbox.run(&["sync"]);
    assert!(run.assert_code(0).stdout().contains("✓ project: "), "{}", run.stdout());
    let listed = sandbox.json(&["ls"]);
    let shown: Vec<(&str, &str, &str)> = listed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            (entry["name"].as_str().unwrap(), entry["kind"].as_str().unwrap(), entry["state"].as_str().unwrap())
        })
        .collect();
    assert_eq!(shown, [("docs", "folder", "current"), ("project", "repository", "current")]);
    let again = sandbox.run(&["add", "docs"]);
    assert!(again.assert_code(0).stdout().contains("Already here: docs"), "{}", again.stdout());
}

#[test]
fn what_is_added_is_found_out() {
    let sandbox = project();
    sandbox.write("notes/plan.rst", "Plan\n====\n\nFirst this.\n");
    sandbox.write("notes/list.txt", "One thing.\n");
    sandbox.write("one/alone.md", "# Alone\n");
    let kinds = [
        (&["add", ".", "--no-sync"][..], "this repository", "project"),
        (&["add", "src", "--no-sync"], "this repository", "project"),
        (&["add", "../other", "--no-sync"], "repository", "other"),
        (&["add", "notes", "--no-sync"], "documents", "notes"),
        (&["add", "one/alone.md", "--no-sync", "--name", "single"], "documents", "single"),
        (&["add", "git@github.com:a/b.git", "--no-sync"], "git repository", "b"),
        (&["add", "https://github.com/a/b", "--no-sync"], "git repository", "b-2"),
        (&["add", "https://example.com/react/manifest.json", "--no-sync"], "package", "react"),
    ];
    for (args, kind, name) in kinds {
        let added = sandbox.json(args);
        assert_eq!((added["kind"].as_str().unwrap(), added["name"].as_str().unwrap()), (kind, name), "{args:?}");
    }
    let config = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    assert!(config.contains("**/{documents}") && config.contains("git+ssh://git@github.com/a/b.git"), "{config}");
    assert!(sandbox.project().join(".ai-assist-workspace.jsonc").is_file());
    let run = sandbox.run(&["add", "nowhere"]);
    assert!(run.assert_code(2).stderr().contains("nowhere"), "{}", run.stderr());
    for folder in ["/", &sandbox.root().join("home").display().to_string()] {
        std::fs::create_dir_all(sandbox.root().join("home")).unwrap();
        let run = sandbox.run(&["add", folder]);
        assert!(run.assert_code(2).stderr().contains("--force"), "{folder}: {}", run.stderr());
        let run = sandbox.run(&["-C", folder, "search", "anything"]);
        assert!(!run.assert_code(2).stderr().contains("ai-assist sync"), "nobody means that: {}", run.stderr());
    }
}

#[test]
fn places_of_hits_are_read() {
    let sandbox = project();
    sandbox.run(&["add", "docs", "--name", "manual"]).assert_code(0);
    sandbox.run(&["add", "../other"]).assert_code(0);
    sandbox.run(&["sync"]).assert_code(0);
    for (place, text) in [
        ("manual/retries.md:3", "The wait doubles each time.\n"),
        ("manual/en/tutorial/cors.md:5-7", "## Wildcards\n\nA star allows all.\n"),
        ("tutorial/cors.md:1", "# CORS\n"),
        ("docs/retries.md:1", "# Retries\n"),
        ("src/backoff.rs:2", "pub fn backoff(attempt: u32) -> u32 {\n"),
        ("backoff.rs:1", "/// Waits longer.\n"),
        ("other/lib/util.py:1", "def helper(name):\n"),
        ("lib/util.py:1", "def helper(name):\n"),
    ] {
        assert_eq!(sandbox.run(&["get", place]).assert_code(0).stdout(), text, "{place}");
    }
    let mut below = sandbox.command();
    below.current_dir(sandbox.project().join("docs")).args(["get", "src/backoff.rs:1"]);
    assert_eq!(String::from_utf8_lossy(&below.output().unwrap().stdout), "/// Waits longer.\n");
    let outline = sandbox.run(&["outline", "tutorial/cors.md"]);
    assert!(outline.assert_code(0).stdout().contains("Wildcards"), "{}", outline.stdout());
    assert!(sandbox.run(&["outline", "src/backoff.rs"]).assert_code(0).stdout().contains("backoff"));
    sandbox.write("src/en/tutorial/cors.md", "# Another\n");
    sandbox.run(&["sync"]).assert_code(0);
    let run = sandbox.run(&["get", "tutorial/cors.md"]);
    assert!(run.assert_code(2).stderr().contains("manual/en/tutorial/cors.md"), "{}", run.stderr());
    for place in ["nothing.md", "docs", "/nowhere/x.md", "src/backoff.rs:99"] {
        sandbox.run(&["get", place]).assert_code(2);
    }
    assert_eq!(sandbox.run(&["ref", "get", "tutorial/cors.md:1"]).assert_code(0).stdout(), "# CORS\n");
}

#[test]
fn documents_of_everything_are_listed() {
    let sandbox = project();
    sandbox.run(&["add", "docs"]).assert_code(0);
    sandbox.run(&["add", "../other"]).assert_code(0);
    sandbox.run(&["sync"]).assert_code(0);
    assert_eq!(sandbox.run(&["ls", "docs"]).stdout(), "docs/en/tutorial/cors.md\ndocs/retries.md\n");
    assert_eq!(sandbox.run(&["ref", "ls", "docs"]).stdout(), "docs/en/tutorial/cors.md\ndocs/retries.md\n");
    assert_eq!(sandbox.run(&["ls", "other"]).stdout(), "other/lib/util.py\n");
    assert!(sandbox.run(&["ls", "project"]).stdout().contains("src/backoff.rs\n"));
    let run = sandbox.run(&["ls", "dosc"]);
    assert!(run.assert_code(2).stderr().contains("did you mean `docs`?"), "{}", run.stderr());
    let nothing = Sandbox::new();
    assert!(nothing.run(&["ls"]).assert_code(1).stderr().contains("ai-assist add"));
    assert!(nothing.run(&["sync"]).assert_code(2).stderr().contains("ai-assist add"));
}

#[test]
fn status_says_what_is_stale_and_what_it_takes() {
    let sandbox = project();
    sandbox.run(&["add", "docs"]).assert_code(0);
    let before = sandbox.run(&["status"]);
    assert!(before.assert_code(1).stdout().contains("⚠ not indexed"), "{}", before.stdout());
    sandbox.run(&["sync"]).assert_code(0);
    let status = sandbox.json(&["status"]);
    assert!(status["bytes"].as_u64().unwrap() > 10_000, "{status}");
    assert!(status["disk"].as_array().unwrap().iter().any(|entry| entry["what"] == "database"), "{status}");
    sandbox.write("docs/new.md", "# New\n");
    let stale = sandbox.run(&["status"]);
    assert!(stale.assert_code(1).stdout().contains("⚠ stale"), "{}", stale.stdout());
    let plan = sandbox.run(&["sync", "--dry-run"]);
    assert!(plan.assert_code(0).stdout().contains("1 to be added"), "{}", plan.stdout());
    assert!(plan.stdout().contains("project: stale"), "{}", plan.stdout());
    sandbox.run(&["sync", "--no-code"]).assert_code(0);
    assert!(sandbox.run(&["status"]).assert_code(1).stdout().contains("⚠ stale"));
    sandbox.run(&["sync", "project"]).assert_code(0);
    sandbox.run(&["status"]).assert_code(0);
}

#[test]
fn gc_removes_what_nothing_uses() {
    let sandbox = project();
    sandbox.run(&["add", "docs"]).assert_code(0);
    sandbox.run(&["sync"]).assert_code(0);
    sandbox.run(&["gc"]).assert_code(0);
    assert!(sandbox.run(&["gc"]).assert_code(0).stderr().contains("Nothing to remove."));
    sandbox.write("src/more.rs", "pub fn more() {}\n");
    sandbox.run(&["sync"]).assert_code(0);
    sandbox.write("../elsewhere/a.md", "# A\n");
    sandbox.run(&["add", "../elsewhere"]).assert_code(0);
    sandbox.run(&["collections", "rm", "elsewhere"]).assert_code(0);
    std::fs::remove_dir_all(sandbox.root().join("elsewhere")).unwrap();
    std::fs::create_dir_all(sandbox.data().join("indexes/nobody")).unwrap();
    let plan = sandbox.json(&["gc", "--dry-run"]);
    let counts =
        |value: &serde_json::Value| ["repos", "collections", "folders"].map(|key| value[key].as_array().unwrap().len());
    assert_eq!(counts(&plan), [1, 1, 1], "{plan}");
    assert_eq!(counts(&sandbox.json(&["gc"])), [1, 1, 1]);
    assert_eq!(counts(&sandbox.json(&["gc"])), [0, 0, 0]);
    assert!(sandbox.run(&["sync"]).assert_code(0).stdout().contains("up to date"));
}

#[test]
fn a_watch_takes_in_what_changes() {
    let sandbox = project();
    sandbox.run(&["add", "docs"]).assert_code(0);
    let mut command = sandbox.command();
    command.args(["sync", "--watch"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line.starts_with("Watching ")));
    sandbox.write("docs/new.md", "# Brand new\n");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "✓ docs: 1 added, 0 updated, 0 removed"));
    assert!(lines.any(|line| line.starts_with("✓ project: ")));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn settings_are_read_and_written() {
    let sandbox = Sandbox::with_docs(&[("a.md", "# A\n")]);
    assert_eq!(sandbox.run(&["config", "get", "search.limit"]).assert_code(0).stdout(), "10\n");
    sandbox.run(&["config", "set", "search.limit", "7"]).assert_code(0);
    assert_eq!(sandbox.run(&["config", "get", "search.limit"]).stdout(), "7\n");
    sandbox.run(&["config", "set", "search.limit", "3", "--project"]).assert_code(0);
    let got = sandbox.json(&["config", "get", "search.limit"]);
    assert!(got["value"] == "3" && got["origin"].as_str().unwrap().starts_with("project"), "{got}");
    sandbox.run(&["config", "unset", "search.limit", "--project"]).assert_code(0);
    sandbox.run(&["config", "unset", "search.limit"]).assert_code(0);
    assert_eq!(sandbox.run(&["config", "get", "search.limit"]).stdout(), "10\n");
    let path = sandbox.run(&["config", "path", "--project"]).stdout();
    assert_eq!(path.trim(), sandbox.project().join("context.json").display().to_string());
    assert!(sandbox.run(&["config", "path"]).stdout().trim().ends_with("config.json"));
    for (args, expected) in [
        (&["config", "set", "search.limt", "7"][..], "did you mean `search.limit`?"),
        (&["config", "set", "search.limit", "none"], "a whole number"),
        (&["config", "set", "--project", "data.dir", "/x"], "can't"),
        (&["config", "get", "nothing"], "there is no setting"),
    ] {
        let run = sandbox.run(args);
        assert!(run.assert_code(2).stderr().contains(expected), "{args:?}: {}", run.stderr());
    }
}

#[test]
fn a_version_is_the_package_s() {
    let sandbox = Sandbox::new();
    let made = sandbox.json(&["collections", "manifest", "init", "--version", "1.0.0", "--yes"]);
    assert_eq!(made["version"], "1.0.0");
}

#[test]
fn many_collections_take_a_line_each_and_nothing_more() {
    let sandbox = Sandbox::new();
    sandbox.run(&["collections", "init"]).assert_code(0);
    for number in 0..12 {
        for file in 0..5 {
            sandbox.write(format!("d{number}/{file}.md"), format!("# {number} {file}\n"));
        }
        sandbox.run(&["collections", "add", &format!("c{number}"), &format!("./d{number}")]).assert_code(0);
    }
    let run = sandbox.run(&["sync", "--no-code"]);
    let lines = run.assert_code(0).stdout().lines().count() + run.stderr().lines().count();
    assert!(lines <= 12 + 21, "{}{}", run.stdout(), run.stderr());
    let run = sandbox.run(&["sync", "--no-code", "--verbose", "--force"]);
    assert!(run.assert_code(0).stderr().lines().count() > 70, "{}", run.stderr());
}

#[test]
fn paths_are_printed_without_detours() {
    let sandbox = Sandbox::with_docs(&[("a.md", "# A\n")]);
    std::fs::create_dir_all(sandbox.root().join("out")).unwrap();
    let run = sandbox.run(&["-C", "docs/../docs", "pack", "--output", "../../out/../p.json"]);
    assert!(!run.assert_code(0).stdout().contains(".."), "{}", run.stdout());
}
