//! Sessions from the command line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Run, Sandbox};

fn opened() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("notes.md", "# Notes\n\nThe lease is renewed every minute.\n");
    sandbox.write("src/main.rs", "fn main() {}\n");
    sandbox.json(&["session", "open", "demo", "--system-prompt", "Be brief."]);
    sandbox
}

fn with_input(sandbox: &Sandbox, args: &[&str], input: &str) -> Run {
    let mut child = sandbox
        .command()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Run(child.wait_with_output().unwrap())
}

#[test]
fn a_day_of_an_agent() {
    let sandbox = opened();
    let read = sandbox.json(&["session", "read", "notes.md", "src/main.rs"]);
    let actions: Vec<&str> = read["files"].as_array().unwrap().iter().map(|f| f["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["created", "created"]);
    sandbox.json(&["session", "chat", "user", "What renews the lease?"]);
    let call =
        ["session", "toolcall", "grep", "--display", "grep -n lease", "--output", "notes.md:3", "--file", "other.md"];
    let id = sandbox.json(&call)["id"].as_str().unwrap().to_owned();
    with_input(&sandbox, &["session", "chat", "assistant", "-"], "The notes say so.").assert_code(0);
    with_input(&sandbox, &["session", "discover", "-"], "a.rs\n\nb.rs\n").assert_code(0);
    let shown = sandbox.json(&["session", "show"]);
    let lines: Vec<&str> = shown["objects"].as_array().unwrap().iter().map(|o| o["line"].as_str().unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert!(lines[0].starts_with("file notes.md (markdown, 44 chars) "), "{lines:?}");
    assert!(
        lines[2].starts_with("file other.md [unread] ") && lines[3].starts_with("toolcall grep ok: grep -n lease ")
    );

    sandbox.write("notes.md", "# Notes\n\nThe lease is renewed every hour.\n");
    let resumed = sandbox.json(&["session", "resume"]);
    assert_eq!(resumed["files"][1], json!({ "path": "b.rs", "found": "deleted" }));
    assert_eq!(resumed["files"][2], json!({ "path": "notes.md", "found": "changed" }));
    let diff = sandbox.run(&["session", "diff", "notes.md"]);
    assert!(diff.stdout().contains("-The lease is renewed every minute.\n+The lease is renewed every hour.\n"));
    let versions = sandbox.json(&["session", "history", "notes.md"])["versions"].as_array().unwrap().clone();
    assert_eq!(versions.len(), 2);
    let first = versions[0]["version"].to_string();
    let old = sandbox.run(&["session", "show", "notes.md", "--number", &first]);
    assert!(old.stdout().contains("every minute"));

    let found = sandbox.json(&["session", "search", "lease", "--only", "file"]);
    assert_eq!((&found["found"][0]["label"], &found["found"][0]["current"]), (&json!("notes.md"), &json!(true)));
    let found = sandbox.json(&["session", "search", "minute", "--rank", "words"]);
    assert_eq!((&found["found"][0]["label"], &found["found"][0]["current"]), (&json!("notes.md"), &json!(false)));
    sandbox.run(&["session", "search", "lease", "--until", "1h"]).assert_code(1);

    sandbox.json(&["session", "pin", "notes.md"]);
    sandbox.json(&["session", "deactivate", "src/main.rs", &id]);
    let rendered = sandbox.json(&["session", "render", "--max-tokens", "2000"]);
    let held = rendered["held"].as_str().unwrap();
    assert!(held.contains("every hour") && held.contains("[pinned]") && !held.contains("fn main"), "{held}");
    let before = rendered["prefixHash"].clone();
    sandbox.json(&["session", "activate", "src/main.rs"]);
    assert_eq!(sandbox.json(&["session", "render", "--max-tokens", "2000"])["prefixHash"], before);

    let listed = sandbox.json(&["session", "list"]);
    let counts = json!({ "index": 6, "pool": 6, "active": 2, "pinned": 1, "turns": 2 });
    assert_eq!((&listed["sessions"][0]["session"], &listed["sessions"][0]["counts"]), (&json!("demo"), &counts));
    sandbox.assert_healthy();
}

#[test]
fn what_goes_wrong_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "TOKEN=1\n");
    let cases: [(&[&str], &str, &str); 3] = [
        (&["session", "show"], "no session is about", "ai-assist session open"),
        (&["session", "show", "-s", "nobody"], "there is no session `nobody`", "ai-assist session list"),
        (&["session", "open", "a b"], "`a b` can't name a session", ""),
    ];
    for (args, error, hint) in cases {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(run.stderr().contains(error) && run.stderr().contains(hint), "{args:?}: {}", run.stderr());
    }
    sandbox.run(&["session", "list"]).assert_code(1);
    sandbox.json(&["session", "open", "demo"]);
    sandbox.json(&["session", "discover", "gone.md"]);
    let cases: [(&[&str], &str); 12] = [
        (&["session", "open", "demo"], "there is a session `demo` already"),
        (&["session", "read", "-s", "dmo", "x"], "did you mean `demo`?"),
        (&["session", "read", "none.md"], "none.md`: it is not there"),
        (&["session", "read", ".env"], "has the name of a credential store"),
        (&["session", "read", "."], "it is a folder"),
        (&["session", "read", "a", "b", "--content", "-"], "--content is the content of one file"),
        (&["session", "activate", "gone.md"], "it is not there"),
        (&["session", "activate", "zzz.md"], "knows no object `zzz.md`"),
        (&["session", "toolcall", "x", "--args", "[1]"], "--args is no JSON object"),
        (&["session", "diff", "gone.md", "99"], "it has no version 99"),
        (&["session", "render", "--max-tokens", "5"], "5 tokens are too few"),
        (&["session", "import", "none.jsonl"], "can't read"),
    ];
    for (args, error) in cases {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(run.stderr().contains(error), "{args:?}: {}", run.stderr());
    }
    let run = sandbox.run(&["session", "search", "x", "--since", "yesterday"]);
    run.assert_code(2);
    assert!(run.stderr().contains("is no point in time"), "{}", run.stderr());
    sandbox.run(&["session", "diff", "gone.md"]).assert_code(1);
    sandbox.run(&["session", "show", "gone.md", "--as-of", "1h"]).assert_code(1);
}

#[test]
fn a_request_is_done_once() {
    let sandbox = opened();
    for _ in 0..2 {
        let said = sandbox.json(&["session", "chat", "user", "hello", "--request", "r1"]);
        assert_eq!(said["turns"], 1);
    }
    let run = sandbox.run(&["session", "chat", "user", "bye", "--request", "r1"]);
    run.assert_code(2);
    assert!(run.stderr().contains("was used before for another request"), "{}", run.stderr());
}

#[test]
fn the_past_can_be_put_right() {
    let sandbox = opened();
    sandbox.json(&["session", "read", "notes.md"]);
    let past = ["session", "read", "notes.md", "--content", "-", "--at", "2026-03-01T00:00:00Z"];
    with_input(&sandbox, &past, "as it was in March\n").assert_code(0);
    let then = sandbox.run(&["session", "show", "notes.md", "--valid-at", "2026-04-01T00:00:00Z"]);
    assert_eq!(then.stdout(), "as it was in March\n");
    assert!(sandbox.run(&["session", "show", "notes.md"]).stdout().contains("every minute"));
    sandbox.run(&["session", "show", "notes.md", "--valid-at", "2026-02-01T00:00:00Z"]).assert_code(1);
}

#[test]
fn names_are_meant_from_where_the_command_works() {
    let sandbox = opened();
    sandbox.write("p/same.txt", "in p\n");
    sandbox.write("q/same.txt", "in q\n");
    sandbox.json(&["session", "read", "p/same.txt", "q/same.txt"]);
    let shown = sandbox.run(&["-C", "q", "session", "show", "same.txt"]);
    assert_eq!(shown.stdout(), "in q\n");
    sandbox.run(&["session", "show", "same.txt"]).assert_code(2);
    // A session of the nearest folder counts, whichever was changed last.
    sandbox.json(&["-C", "p", "session", "open", "inner", "--folder", "."]);
    sandbox.json(&["session", "chat", "user", "outer", "--session", "demo"]);
    let read = sandbox.json(&["-C", "p", "session", "read", "same.txt"]);
    assert_eq!(read["session"], "inner");
}

#[test]
fn every_version_in_a_history_can_be_shown() {
    let sandbox = opened();
    sandbox.json(&["session", "chat", "user", "one"]);
    sandbox.json(&["session", "chat", "assistant", "two"]);
    let versions = sandbox.json(&["session", "history", "chat"])["versions"].as_array().unwrap().clone();
    let contents: Vec<String> = versions
        .iter()
        .map(|version| {
            let number = version["version"].to_string();
            sandbox.json(&["session", "show", "chat", "--number", &number])["document"]["content"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(contents, ["", "user: one", "user: one\n\nassistant: two"]);
}

#[test]
fn sessions_move_and_go() {
    let sandbox = opened();
    sandbox.json(&["session", "read", "notes.md"]);
    let shown = sandbox.json(&["session", "show", "session"]);
    let exported = sandbox.json(&["session", "export", "--output", "../demo.jsonl"]);
    assert_eq!(exported["session"], "demo");
    let twice = sandbox.run(&["session", "export", "--output", "../demo.jsonl"]);
    twice.assert_code(2);
    assert!(twice.stderr().contains("is there already"), "{}", twice.stderr());
    let plan = sandbox.json(&["session", "gc", "--session", "demo", "--dry-run"]);
    assert_eq!((&plan["dryRun"], &plan["objects"]), (&json!(true), &json!(4)));
    sandbox.json(&["session", "search", "lease"]);
    let done = sandbox.json(&["session", "gc", "--session", "demo", "--apply"]);
    assert_eq!(done["sessions"], json!(["demo"]));
    assert!(!sandbox.data().join("session-indexes/demo").exists());
    sandbox.run(&["session", "show"]).assert_code(2);
    assert_eq!(sandbox.json(&["session", "import", "../demo.jsonl"])["session"], "demo");
    assert_eq!(sandbox.json(&["session", "show", "session"]), shown);
    assert_eq!(sandbox.json(&["session", "search", "lease"])["found"][0]["label"], "notes.md");
    sandbox.assert_healthy();
}

#[test]
fn transcripts_become_sessions() {
    let sandbox = Sandbox::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../session/tests/transcripts");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_transcript = path.extension().is_some_and(|end| ["jsonl", "json", "traj"].iter().any(|e| end == *e));
        if !is_transcript {
            continue;
        }
        let name = format!("t{seen}");
        let import = ["session", "import", path.to_str().unwrap(), "--name", &name, "--json"];
        let run = sandbox.run(&import);
        assert!(run.code() < 2, "{}: {}", path.display(), run.stderr());
        let first: Value = run.json();
        let again: Value = sandbox.run(&import).json();
        let events = first["turns"].as_u64().unwrap() + first["toolcalls"].as_u64().unwrap();
        assert!(events > 0, "{}", path.display());
        assert_eq!(
            (&again["turns"], &again["toolcalls"], again["known"].as_u64()),
            (&json!(0), &json!(0), Some(events))
        );
        sandbox.run(&["session", "render", "-s", &name]).assert_code(0);
        seen += 1;
    }
    assert!(seen >= 3, "{seen} transcripts");
    let run = with_input(&sandbox, &["session", "import", "-"], "{\"hello\": 1}\n");
    run.assert_code(2);
    assert!(run.stderr().contains("claude-code"), "{}", run.stderr());
}

/// A transcript of Claude Code in which a file at a path of `sandbox` was read.
fn transcript(sandbox: &Sandbox, name: &str, text: &str) -> String {
    let folder = sandbox.project().canonicalize().unwrap();
    let at = |second: u32| {
        format!("\"timestamp\":\"2026-05-01T10:00:0{second}Z\",\"cwd\":{folder:?},\"sessionId\":{name:?}")
    };
    let lines = [
        format!(r#"{{"type":"user","uuid":"u1",{},"message":{{"role":"user","content":"Read it."}}}}"#, at(0)),
        format!(
            r#"{{"type":"assistant","uuid":"u2",{},"message":{{"role":"assistant","content":[{{"type":"tool_use","id":"t1","name":"Read","input":{{"file_path":"{}/notes.md"}}}}]}}}}"#,
            at(1),
            folder.display()
        ),
        format!(
            r#"{{"type":"user","uuid":"u3",{},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"{text}"}}]}},"toolUseResult":{{"type":"text","file":{{"filePath":"{}/notes.md","content":"{text}","numLines":1,"startLine":1,"totalLines":1}}}}}}"#,
            at(2),
            folder.display()
        ),
    ];
    sandbox.write(format!("../{name}.jsonl"), lines.join("\n") + "\n");
    format!("../{name}.jsonl")
}

#[test]
fn transcripts_of_two_machines_are_not_about_the_same_files() {
    let sandbox = opened();
    sandbox.json(&["session", "read", "notes.md"]);
    for (name, text) in [("ca", "in A"), ("cb", "in B")] {
        sandbox.json(&["session", "import", &transcript(&sandbox, name, text), "--name", name]);
    }
    for (name, text) in [("ca", "in A"), ("cb", "in B"), ("demo", "every minute")] {
        let run = sandbox.run(&["session", "show", "notes.md", "-s", name]);
        assert!(run.stdout().contains(text), "{name}: {}", run.stdout());
        let held = sandbox.json(&["session", "render", "-s", name])["held"].as_str().unwrap().to_owned();
        let texts = ["in A", "in B", "every minute"].map(|text| held.contains(text));
        assert_eq!(texts.iter().filter(|there| **there).count(), 1, "{name}: {held}");
    }
    // What another machine's agent did is not what commands here go on with.
    assert_eq!(sandbox.json(&["session", "chat", "user", "Here?"])["session"], "demo");
    // Unless it was this one.
    let here = transcript(&sandbox, "cc", "as it was in May");
    sandbox.json(&["session", "import", &here, "--name", "cc", "--filesystem", "here"]);
    assert!(sandbox.run(&["session", "show", "notes.md", "-s", "cc"]).stdout().contains("every minute"));
    let then = sandbox.run(&["session", "show", "notes.md", "-s", "demo", "--valid-at", "2026-05-02T00:00:00Z"]);
    assert_eq!(then.stdout(), "as it was in May\n");
    let settled = sandbox.run(&["session", "import", &here, "--name", "cc", "--filesystem", "box"]);
    settled.assert_code(2);
    assert!(settled.stderr().contains("is settled"), "{}", settled.stderr());
}

#[test]
fn what_is_shown_is_what_is_on_disk_now() {
    let sandbox = opened();
    sandbox.json(&["session", "read", "notes.md"]);
    sandbox.write("notes.md", "# Notes\n\nThe lease is renewed every hour.\n");
    let held = sandbox.json(&["session", "render"])["held"].as_str().unwrap().to_owned();
    assert!(held.contains("every hour") && !held.contains("every minute"), "{held}");
    sandbox.write("notes.md", "# Notes\n\nThe lease is renewed every day.\n");
    assert!(sandbox.run(&["session", "show", "notes.md"]).stdout().contains("every day"));
}

#[test]
fn a_write_names_the_version_it_expects() {
    let sandbox = opened();
    sandbox.json(&["session", "read", "notes.md", "--expect", "0"]);
    let number = |object: &str| {
        let history = sandbox.json(&["session", "history", object]);
        history["versions"].as_array().unwrap().last().unwrap()["version"].to_string()
    };
    let chat = number("chat");
    sandbox.json(&["session", "chat", "user", "one", "--expect", &chat]);
    let late = sandbox.run(&["session", "chat", "user", "two", "--expect", &chat]);
    late.assert_code(2);
    let said = format!("`chat:demo` is at version {}, and at version {chat} was expected", number("chat"));
    assert!(late.stderr().contains(&said) && late.stderr().contains("look at what it is now"), "{}", late.stderr());
    sandbox.run(&["session", "read", "notes.md", "--expect", "0"]).assert_code(2);
    let several = sandbox.run(&["session", "read", "notes.md", "src/main.rs", "--expect", "0"]);
    assert!(several.stderr().contains("--expect is the version of one file"), "{}", several.stderr());
}

#[test]
fn a_time_before_the_session_began_is_said() {
    let sandbox = opened();
    for args in [
        ["session", "render", "--as-of", "1d"],
        ["session", "show", "--as-of", "1d"],
        ["session", "render", "--valid-at", "1d"],
    ] {
        let run = sandbox.run(&args);
        run.assert_code(2);
        assert!(run.stderr().contains("nothing is known of the session `demo` from before 2"), "{}", run.stderr());
        assert_eq!(run.stdout(), "");
    }
}

fn stop(child: &mut Child) {
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn watching_follows_the_disk() {
    let sandbox = opened();
    sandbox.json(&["session", "read", "notes.md"]);
    let mut command = sandbox.command();
    command
        .args(["session", "watch", "--folder", ".", "--debounce", "50"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("Watching "), "{said}");
    sandbox.write("notes.md", "# Notes\n\nThe lease is gone.\n");
    sandbox.write("new.md", "# New\n");
    let start = Instant::now();
    let is_there = || {
        let shown = sandbox.run(&["session", "show", "notes.md"]).stdout();
        shown.contains("The lease is gone.")
    };
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(20), "it was not noticed");
        std::thread::sleep(Duration::from_millis(100));
    }
    stop(&mut child);
    // The sets are as they were: a watcher changes none.
    let listed = sandbox.json(&["session", "list"]);
    assert_eq!(listed["sessions"][0]["counts"]["index"], 1);
}
