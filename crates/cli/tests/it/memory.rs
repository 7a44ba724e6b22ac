//! Memory that fills itself: transcripts found on the machine, hooks, and questions to all sessions at once.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Sandbox, bytes_below, contains};

fn home(sandbox: &Sandbox) -> PathBuf {
    sandbox.root().join("home")
}

fn project(sandbox: &Sandbox) -> String {
    sandbox.project().canonicalize().unwrap().to_str().unwrap().to_owned()
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// A line of a transcript of Claude Code.
#[allow(clippy::needless_pass_by_value, reason = "written out where it is called")]
fn line(sandbox: &Sandbox, n: usize, role: &str, content: Value, more: Value) -> Value {
    let mut value = json!({
        "type": role, "uuid": format!("u{n}"), "timestamp": format!("2026-11-17T10:{:02}:{:02}Z", n / 60, n % 60), "cwd": project(sandbox),
        "sessionId": "5e55", "gitBranch": "tax", "isSidechain": false, "message": { "role": role, "content": content },
    });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    value
}

fn call(sandbox: &Sandbox, n: usize, tool: &str, input: &Value, output: &str, failed: bool) -> [Value; 2] {
    let id = format!("toolu_{n}");
    let made = json!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]);
    let result = json!([{ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed }]);
    let detail =
        if tool == "Edit" { json!({ "toolUseResult": { "filePath": input["file_path"] } }) } else { json!({}) };
    [line(sandbox, n, "assistant", made, json!({})), line(sandbox, n + 1, "user", result, detail)]
}

/// The transcripts of a small day: a failing test that passes after an edit, a sub-agent, a summary, a damaged line.
fn day(sandbox: &Sandbox) {
    let claude = home(sandbox).join(".claude/projects/-p");
    fs::create_dir_all(claude.join("5e55/subagents")).unwrap();
    let price = format!("{}/src/price.py", project(sandbox));
    let cart = format!("{}/src/cart.py", project(sandbox));
    let mut main = vec![line(sandbox, 1, "user", json!("Add the tax to the price."), json!({}))];
    main.extend(call(sandbox, 2, "Bash", &json!({ "command": "pytest -q" }), "AssertionError: 119 != 100", true));
    main.extend(call(
        sandbox,
        4,
        "Edit",
        &json!({ "file_path": price, "old_string": "a", "new_string": "b" }),
        "updated",
        false,
    ));
    main.extend(call(
        sandbox,
        6,
        "Edit",
        &json!({ "file_path": cart, "old_string": "a", "new_string": "b" }),
        "updated",
        false,
    ));
    main.extend(call(sandbox, 8, "Bash", &json!({ "command": "pytest -q" }), "2 passed", false));
    main.extend(call(sandbox, 10, "Bash", &json!({ "command": "mypy src" }), "error: missing stubs", true));
    let todos = json!({ "todos": [{ "content": "Write the changelog", "status": "pending" }, { "content": "Add tax", "status": "completed" }] });
    main.extend(call(sandbox, 12, "TodoWrite", &todos, "ok", false));
    main.push(line(sandbox, 14, "user", json!("The tax is 19 %."), json!({ "isCompactSummary": true })));
    main.push(line(sandbox, 15, "assistant", json!([{ "type": "text", "text": "The tax is in." }]), json!({})));
    fs::write(claude.join("5e55.jsonl"), lines(&main) + "{\"type\":\"user\",\"mess\n").unwrap();
    let side = json!({ "isSidechain": true, "agentId": "a1" });
    let mut agent = vec![line(sandbox, 20, "user", json!("Find the callers."), side.clone())];
    agent.extend(call(sandbox, 21, "Grep", &json!({ "pattern": "price\\(" }), "src/cart.py", false).map(
        |mut value| {
            value.as_object_mut().unwrap().extend(side.as_object().unwrap().clone());
            value
        },
    ));
    fs::write(claude.join("5e55/subagents/agent-a1.jsonl"), lines(&agent)).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", claude.join("link.jsonl")).unwrap();
    let other = lines(&[
        json!({ "type": "user", "uuid": "o", "cwd": "/elsewhere", "sessionId": "0", "message": { "role": "user", "content": "Hi." } }),
    ]);
    fs::write(claude.join("other.jsonl"), other).unwrap();
    let codex = home(sandbox).join(".codex/sessions/2026/11/17");
    fs::create_dir_all(&codex).unwrap();
    let rollout = lines(&[
        json!({ "timestamp": "2026-11-17T12:00:00Z", "type": "session_meta", "payload": { "id": "c0de", "cwd": project(sandbox) } }),
        json!({ "timestamp": "2026-11-17T12:00:01Z", "type": "response_item", "payload": { "type": "message", "role": "user",
            "content": [{ "type": "input_text", "text": "Why is the invoice rounded?" }] } }),
    ]);
    fs::write(codex.join("rollout-2026-11-17-c0de.jsonl.zst"), zstd::encode_all(rollout.as_bytes(), 3).unwrap())
        .unwrap();
}

#[test]
fn transcripts_of_this_project_are_found_and_taken_in_once() {
    let sandbox = Sandbox::new();
    day(&sandbox);
    let dry = sandbox.json(&["session", "import", "--all", "--dry-run"]);
    assert_eq!((dry["files"].as_array().unwrap().len(), &dry["sessions"]), (3, &json!(0)), "{dry}");
    let all = sandbox.json(&["session", "import", "--all"]);
    assert_eq!((&all["sessions"], &all["others"], &all["problems"]), (&json!(3), &json!(1), &json!([])), "{all}");
    let list = sandbox.json(&["session", "list"]);
    let of = |name: &str| list["sessions"].as_array().unwrap().iter().find(|s| s["session"] == name).cloned().unwrap();
    let main = of("claude-code-5e55");
    assert_eq!(
        (&main["branch"], &main["parent"], &main["counts"]["turns"]),
        (&json!("tax"), &Value::Null, &json!(3)),
        "{main}"
    );
    assert_eq!(of("claude-code-5e55-agent-a1")["parent"], "claude-code-5e55");
    assert_eq!(of("codex-c0de")["counts"]["turns"], 1);
    let chat = sandbox.run(&["session", "show", "chat", "--session", "claude-code-5e55"]).stdout();
    assert!(chat.contains("[summary of what came before]") && chat.contains("The tax is 19 %."), "{chat}");

    let again = sandbox.json(&["session", "import", "--all"]);
    assert_eq!((&again["files"], &again["unchanged"]), (&json!([]), &json!(3)), "{again}");
    // One that has grown adds what is new.
    let file = home(&sandbox).join(".claude/projects/-p/5e55.jsonl");
    let more = line(&sandbox, 40, "user", json!("And the shipping?"), json!({})).to_string();
    fs::OpenOptions::new().append(true).open(file).unwrap().write_all(format!("{more}\n").as_bytes()).unwrap();
    let grown = sandbox.json(&["session", "import", "--all"]);
    assert_eq!(grown["files"][0]["sessions"][0]["turns"], 1, "{grown}");
    assert_eq!(grown["files"].as_array().unwrap().len(), 1);
    let everywhere = sandbox.json(&["session", "import", "--all", "--everywhere"]);
    assert_eq!(everywhere["files"][0]["folder"], "/elsewhere");
}

#[test]
fn all_sessions_are_searched_as_one_and_say_what_solved_an_error() {
    let sandbox = Sandbox::new();
    sandbox.run(&["session", "search", "--all", "anything"]).assert_code(1);
    day(&sandbox);
    sandbox.json(&["session", "import", "--all"]);
    let found = sandbox.json(&["session", "search", "--all", "AssertionError", "--outcome", "failed"]);
    let first = &found["found"][0];
    assert_eq!(
        (&first["kind"], &first["label"], &first["ok"]),
        (&json!("command"), &json!("pytest -q"), &json!(false)),
        "{found}"
    );
    assert_eq!(first["evidence"]["branch"], "tax");
    assert_eq!(first["solved"]["edited"], json!(["src/cart.py", "src/price.py"]), "{first}");
    // A place that is shown can be read.
    let place = first["evidence"]["place"].as_str().unwrap();
    let read = sandbox.run(&["get", place]);
    assert!(read.assert_code(0).stdout().contains("AssertionError: 119 != 100"));
    let said = sandbox.json(&["session", "search", "--all", "invoice rounded", "--kind", "message"]);
    assert_eq!(said["found"][0]["evidence"]["session"], "codex-c0de");
    sandbox.run(&["session", "search", "--all", "invoice", "--kind", "command", "--file", "nowhere.py"]).assert_code(1);
    let none = sandbox.run(&["session", "search", "--all", "tax", "--since", "2026-11-18", "--json"]);
    assert_eq!(none.assert_code(1).json()["searched"], 0);
}

#[test]
fn a_brief_says_what_is_open_and_what_works_with_evidence() {
    let sandbox = Sandbox::new();
    sandbox.run(&["session", "brief"]).assert_code(1);
    day(&sandbox);
    sandbox.json(&["session", "import", "--all"]);
    let text = sandbox.run(&["session", "brief"]).assert_code(0).stdout();
    for expected in [
        "fails: `mypy src` (never passed)",
        "to do: Write the changelog",
        "said: The tax is in.",
        "no answer yet: Why is the invoice rounded?",
        "src/cart.py (changed 1 times",
        "on tax, claude-code-5e55/",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("Add tax"), "{text}");
    let short = sandbox.json(&["session", "brief", "--max-tokens", "120"]);
    assert!(short["open"].as_array().unwrap().len() > short["files"].as_array().unwrap().len(), "{short}");
    let file = sandbox.json(&["session", "brief", "--file", "src/price.py"]);
    assert_eq!(file["together"], json!([{ "file": "src/cart.py", "sessions": 1, "commits": 0 }]), "{file}");
    sandbox.run(&["session", "brief", "--file", "src/never.py"]).assert_code(1);
}

fn record(sandbox: &Sandbox, client: &str, event: &str) -> Output {
    let mut command = sandbox.command();
    command.args(["session", "record", client]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A hook that does not read what it is told is no failure either.
    let _ = child.stdin.take().unwrap().write_all(event.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn hooks_are_recorded_without_a_word_and_never_fail() {
    let sandbox = Sandbox::new();
    let told = |event: &str, more: Value| {
        let mut value = json!({ "session_id": "h00k", "cwd": project(&sandbox), "hook_event_name": event });
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        value.to_string()
    };
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let events = [
        told("UserPromptSubmit", json!({ "prompt": format!("Use {secret} to push.") })),
        told(
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_use_id": "toolu_2", "tool_input": { "command": "git push" },
            "tool_response": { "stdout": "done", "stderr": "" } }),
        ),
        told(
            "PostToolUseFailure",
            json!({ "tool_name": "Bash", "tool_use_id": "t2", "tool_input": { "command": "make" }, "error": "no rule" }),
        ),
        told("Stop", json!({ "last_assistant_message": "Pushed." })),
    ];
    let damaged = ["", "{", "[]", "{\"session_id\":1}", "\u{0}"].map(str::to_owned);
    for event in events.iter().chain(&damaged) {
        let output = record(&sandbox, "claude-code", event);
        assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0), "{event}");
    }
    assert_eq!(record(&sandbox, "nobody", &events[0]).status.code(), Some(0));
    for (path, bytes) in bytes_below(&sandbox.data()) {
        assert!(!contains(&bytes, secret.as_bytes()), "{}", path.display());
    }
    let list = sandbox.json(&["session", "list"]);
    assert_eq!(list["sessions"][0]["session"], "claude-code-h00k", "{list}");
    assert_eq!(
        (&list["sessions"][0]["counts"]["turns"], &list["sessions"][0]["counts"]["index"]),
        (&json!(2), &json!(2))
    );
    let chat = sandbox.run(&["session", "show", "chat", "--session", "claude-code-h00k"]).stdout();
    assert!(chat.contains("assistant: Pushed.") && !chat.contains(secret), "{chat}");
    // What the transcript says of the same call and the same words is known already.
    let claude = home(&sandbox).join(".claude/projects/-p");
    fs::create_dir_all(&claude).unwrap();
    let mut same = call(&sandbox, 2, "Bash", &json!({ "command": "git push" }), "done", false).to_vec();
    same.iter_mut().for_each(|line| line["sessionId"] = json!("h00k"));
    fs::write(claude.join("h00k.jsonl"), lines(&same)).unwrap();
    let imported = sandbox.json(&["session", "import", "--all"]);
    assert_eq!((&imported["files"], &imported["unchanged"]), (&json!([]), &json!(1)), "{imported}");
}

#[test]
fn hooks_wait_for_nobody_while_the_store_is_busy() {
    let sandbox = Sandbox::new();
    sandbox.json(&["session", "open", "first"]);
    let database = rusqlite::Connection::open(sandbox.data().join("assist.db")).unwrap();
    database.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let event = json!({ "session_id": "b", "cwd": project(&sandbox), "hook_event_name": "UserPromptSubmit", "prompt": "Hello." });
    let start = std::time::Instant::now();
    assert_eq!(record(&sandbox, "codex", &event.to_string()).status.code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    database.execute_batch("ROLLBACK").unwrap();
    let list = sandbox.json(&["session", "list"]);
    assert!(list["sessions"].as_array().unwrap().iter().any(|session| session["session"] == "codex-b"), "{list}");
}

#[test]
fn hooks_are_set_up_and_taken_out_again() {
    let sandbox = Sandbox::new();
    let settings = home(&sandbox).join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let own = "{\n  // mine\n  \"hooks\": { \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }] }\n}\n";
    fs::write(&settings, own).unwrap();
    let printed = sandbox.json(&["session", "hook", "claude-code"]);
    assert_eq!((&printed["status"], fs::read_to_string(&settings).unwrap().as_str()), (&json!("printed"), own));
    assert_eq!(sandbox.json(&["session", "hook", "claude-code", "--write"])["status"], "added");
    let text = fs::read_to_string(&settings).unwrap();
    assert!(
        text.contains("// mine") && text.contains("say done") && text.contains("session record claude-code"),
        "{text}"
    );
    assert_eq!(sandbox.json(&["session", "hook", "claude-code", "--write"])["status"], "unchanged");
    assert_eq!(sandbox.json(&["session", "hook", "claude-code", "--remove"])["status"], "removed");
    assert!(!fs::read_to_string(&settings).unwrap().contains("session record"));
    let refused = sandbox.run(&["session", "hook", "zed", "--write"]);
    refused.assert_code(2);
    assert!(
        refused.stderr().contains("Zed has no hooks") && refused.stderr().contains("session import --all --watch"),
        "{}",
        refused.stderr()
    );
    assert_eq!(sandbox.json(&["session", "hook", "vscode", "--scope", "project", "--write"])["status"], "added");
    assert!(sandbox.project().join(".github/hooks/ai-assist.json").is_file());
}

#[test]
fn rules_are_a_block_and_every_client_that_is_there_is_set_up() {
    let sandbox = Sandbox::new();
    sandbox.write("CLAUDE.md", "# Mine\n");
    assert_eq!(sandbox.json(&["mcp", "rules", "claude-code", "--write"])["status"], "added");
    let text = fs::read_to_string(sandbox.project().join("CLAUDE.md")).unwrap();
    assert!(text.starts_with("# Mine\n") && text.contains("`memory`"), "{text}");
    assert_eq!(sandbox.json(&["mcp", "rules", "claude-code", "--write"])["status"], "unchanged");
    sandbox.json(&["mcp", "rules", "claude-code", "--remove"]);
    assert_eq!(fs::read_to_string(sandbox.project().join("CLAUDE.md")).unwrap(), "# Mine\n");
    sandbox.json(&["mcp", "rules", "cursor", "--write"]);
    sandbox.json(&["mcp", "rules", "cursor", "--remove"]);
    assert!(!sandbox.project().join(".cursor/rules/ai-assist.mdc").exists());
    sandbox.run(&["mcp", "rules", "claude-desktop"]).assert_code(2);

    sandbox.run(&["mcp", "config", "--all"]).assert_code(1);
    fs::create_dir_all(home(&sandbox).join(".cursor")).unwrap();
    fs::create_dir_all(home(&sandbox).join(".codex")).unwrap();
    let all = sandbox.json(&["mcp", "config", "--all", "--write"]);
    let status: Vec<&Value> = all["clients"].as_array().unwrap().iter().map(|client| &client["status"]).collect();
    assert_eq!(status, ["added", "added"], "{all}");
    let gone = sandbox.json(&["mcp", "config", "--all", "--remove"]);
    assert_eq!(gone["clients"][1]["status"], "removed", "{gone}");
}

#[test]
fn a_question_about_session_record_is_a_question() {
    let sandbox = Sandbox::with_docs(&[("a.md", "# Records\n\nWhat a session record holds.\n")]);
    sandbox.sync();
    let found = sandbox.run(&["search", "--no-sync", "session", "record"]);
    assert!(found.stdout().contains("a.md"), "{}{}", found.stdout(), found.stderr());
    let found = sandbox.run(&["search", "--no-sync", "session record"]);
    assert!(found.stdout().contains("a.md"), "{}{}", found.stdout(), found.stderr());
    assert_ne!(sandbox.run(&["nonsense", "session", "record"]).code(), 0);
}

#[test]
fn a_deleted_session_stays_so_until_it_is_asked_for_by_name() {
    let sandbox = Sandbox::new();
    day(&sandbox);
    sandbox.json(&["session", "import", "--all"]);
    let names = || {
        let list = sandbox.json(&["session", "list"]);
        let name = |session: &Value| session["session"].as_str().unwrap().to_owned();
        list["sessions"].as_array().unwrap().iter().map(name).collect::<Vec<String>>()
    };
    let name = "claude-code-5e55";
    sandbox.run(&["session", "delete", name]).assert_code(0);
    // Its transcript grows, its client goes on telling the hook, and what it has told is taken in.
    let file = home(&sandbox).join(".claude/projects/-p/5e55.jsonl");
    let more = line(&sandbox, 40, "user", json!("And the shipping?"), json!({})).to_string();
    fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(format!("{more}\n").as_bytes()).unwrap();
    let event = json!({ "session_id": "5e55", "cwd": project(&sandbox), "hook_event_name": "UserPromptSubmit", "prompt": "Hello?" });
    record(&sandbox, "claude-code", &event.to_string());
    let grown = sandbox.json(&["session", "import", "--all"]);
    assert_eq!((&grown["deleted"], &grown["sessions"]), (&json!([name]), &json!(0)), "{grown}");
    assert!(!names().contains(&name.to_owned()));
    // Its sub-agent was not deleted.
    assert!(names().iter().any(|name| name.contains("agent-a1")), "{:?}", names());
    let again = sandbox.json(&["session", "import", "--all", "--again", name]);
    assert_eq!(
        (&again["files"][0]["sessions"][0]["session"], &again["deleted"]),
        (&json!(name), &json!([])),
        "{again}"
    );
    assert!(names().contains(&name.to_owned()));
    // From then on it is one like others; and a transcript that is named is wanted, too.
    sandbox.run(&["session", "delete", name]).assert_code(0);
    sandbox.run(&["session", "import", file.to_str().unwrap()]).assert_code(1);
    assert!(names().contains(&name.to_owned()));
    fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .unwrap()
        .write_all(format!("{}\n", more.replace("u40", "u41")).as_bytes())
        .unwrap();
    assert_eq!(sandbox.json(&["session", "import", "--all"])["deleted"], json!([]));
}

#[test]
fn what_hooks_tell_is_nobody_elses_to_read() {
    let sandbox = Sandbox::new();
    let event = json!({ "session_id": "m", "cwd": project(&sandbox), "hook_event_name": "UserPromptSubmit", "prompt": "Hello." });
    record(&sandbox, "codex", &event.to_string());
    let spool = sandbox.data().join("session-spool");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&spool), 0o700);
    // One from before is closed when it is emptied.
    fs::set_permissions(&spool, fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.json(&["session", "list"]);
    assert_eq!(mode(&spool), 0o700);
}

#[test]
fn a_session_made_anew_here_under_a_name_from_elsewhere_is_remembered() {
    let sandbox = Sandbox::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().canonicalize().unwrap();
    sandbox.run(&["session", "open", "shared", "--folder", folder.to_str().unwrap()]).assert_code(0);
    sandbox.run(&["session", "open", "own"]).assert_code(0);
    sandbox.run(&["session", "chat", "user", "Plant oaks.", "--session", "own"]).assert_code(0);
    sandbox.json(&["session", "search", "--all", "oaks"]);
    // Another process has the old list in hand, and writes it after the session is gone.
    let memory = sandbox.data().join("session-memory");
    let kept = elsewhere.path().join("kept");
    assert!(Command::new("cp").arg("-a").arg(&memory).arg(&kept).status().unwrap().success());
    sandbox.run(&["session", "delete", "shared"]).assert_code(0);
    assert!(!memory.exists());
    assert!(Command::new("cp").arg("-a").arg(&kept).arg(&memory).status().unwrap().success());
    sandbox.run(&["session", "open", "shared"]).assert_code(0);
    sandbox.run(&["session", "chat", "user", "Water elms.", "--session", "shared"]).assert_code(0);
    let found = sandbox.json(&["session", "search", "--all", "elms"]);
    assert_eq!(found["found"][0]["evidence"]["session"], "shared", "{found}");
}

/// `session import --all --watch`, and what it says.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command();
        command.args(["session", "import", "--all", "--watch"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (tell, lines) = std::sync::mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        Watching { child, lines }
    }

    /// Waits for a line about a session.
    fn until(&self, start: &str) {
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(Duration::from_secs(60)) {
                Ok(line) if line.starts_with(start) => return,
                Ok(line) => said.push(line),
                Err(error) => panic!("no line `{start}`, but {said:?}: {error}"),
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn transcripts_are_followed_until_a_signal() {
    let sandbox = Sandbox::new();
    day(&sandbox);
    let mut watching = Watching::start(&sandbox);
    watching.until("codex-c0de  1 turn");
    let claude = home(&sandbox).join(".claude/projects/-p");
    // One grows.
    let more = line(&sandbox, 40, "user", json!("And the shipping?"), json!({})).to_string();
    fs::OpenOptions::new()
        .append(true)
        .open(claude.join("5e55.jsonl"))
        .unwrap()
        .write_all(format!("{more}\n").as_bytes())
        .unwrap();
    watching.until("claude-code-5e55  1 turn, 0 tool calls");
    // A new one, in a folder that was not there.
    let new = |n: usize, said: &str| line(&sandbox, n, "user", json!(said), json!({ "sessionId": "ne3" }));
    let folder = home(&sandbox).join(".claude/projects/-q");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("ne3.jsonl"), lines(&[new(50, "Begin.")])).unwrap();
    watching.until("claude-code-ne3  1 turn, 0 tool calls");
    // A sub-agent appears.
    let side = json!({ "isSidechain": true, "agentId": "a2" });
    let agent = line(&sandbox, 60, "user", json!("Look around."), side);
    fs::write(claude.join("5e55/subagents/agent-a2.jsonl"), lines(&[agent])).unwrap();
    watching.until("claude-code-5e55-agent-a2  1 turn, 0 tool calls");
    // A file is replaced by another.
    let other = folder.join("other.tmp");
    fs::write(&other, lines(&[new(50, "Begin."), new(51, "Go on."), new(52, "End.")])).unwrap();
    fs::rename(&other, folder.join("ne3.jsonl")).unwrap();
    watching.until("claude-code-ne3  2 turns, 0 tool calls, 1 event");
    assert!(Command::new("kill").args(["-TERM", &watching.child.id().to_string()]).status().unwrap().success());
    let mut said = String::new();
    watching.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let status = watching.child.wait().unwrap();
    assert!(status.success() && said.contains("Stopped watching."), "{status}: {said}");
}
