//! Memory: a day of sessions imported and searched, and hooks one after another, with the binary as a user has it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::sessions::texts;
use crate::timing::{Sample, files_below, ms};

const QUESTIONS: [&str; 5] = [
    "why did the check fail", "borrow of moved value", "cargo test step", "how are files read", "retry with a timeout",
];

#[derive(Debug, clap::Args)]
pub(crate) struct Memory {
    /// Sources that the agents read
    tree: PathBuf,
    #[arg(long, default_value_t = 200)]
    sessions: usize,
    /// Calls of each session
    #[arg(long, default_value_t = 60)]
    calls: usize,
    /// How often the hook is called
    #[arg(long, default_value_t = 1000)]
    hooks: usize,
    /// The binary to run; by default the one beside this
    #[arg(long)]
    binary: Option<PathBuf>,
}

pub(crate) fn run_all(args: &Memory) -> Result<()> {
    let beside = || Ok::<_, anyhow::Error>(std::env::current_exe()?.with_file_name("ai-assist"));
    let binary = args.binary.clone().map_or_else(beside, Ok)?.canonicalize()?;
    let place = tempfile::tempdir()?;
    let (home, project) = (place.path().join("home"), place.path().join("project"));
    fs::create_dir_all(&project)?;
    let project = project.canonicalize()?;
    let texts = texts(&args.tree, 400)?;
    write_day(args, &home, &project, &texts)?;
    let mut files = Vec::new();
    files_below(&home, &mut files)?;
    let bytes: u64 = files.iter().filter_map(|file| fs::metadata(file).ok()).map(|file| file.len()).sum();
    println!("{} transcripts of {} sessions, {:.1} MB\n", files.len(), args.sessions, bytes as f64 / 1e6);
    let ours = |words: &[&str]| {
        let mut command = Command::new(&binary);
        command.current_dir(&project).env("HOME", &home).args(words);
        ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR"].iter().for_each(|name| {
            command.env_remove(name);
        });
        command.env("AI_ASSIST_NO_DAEMON", "1");
        command
    };
    let answer = |words: &[&str]| -> Result<(Value, Duration)> {
        let start = Instant::now();
        let output = ours(words).output()?;
        let taken = start.elapsed();
        ensure!(output.status.code() == Some(0), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok((serde_json::from_slice(&output.stdout).context("no JSON")?, taken))
    };
    let (first, taken) = answer(&["session", "import", "--all", "--json"])?;
    let sum = |name: &str| -> u64 {
        let sessions = first["files"].as_array().into_iter().flatten().flat_map(|file| file["sessions"].as_array());
        sessions.flatten().filter_map(|session| session[name].as_u64()).sum()
    };
    println!("| step | time |\n|---|---|");
    println!(
        "| import: {} sessions, {} calls, {} turns | {} |",
        first["sessions"],
        sum("toolcalls"),
        sum("turns"),
        ms(taken)
    );
    ensure!(sum("toolcalls") as usize == args.sessions * (args.calls + 2), "calls are lost");
    // A file that was written within the last two seconds may not be taken for unchanged.
    std::thread::sleep(Duration::from_millis(2500));
    answer(&["session", "import", "--all", "--json"])?;
    let (again, taken) = answer(&["session", "import", "--all", "--json"])?;
    ensure!(again["sessions"] == 0, "a second import has done something: {again}");
    println!("| import again, nothing new | {} |", ms(taken));
    let (_, taken) = answer(&["session", "search", "--all", QUESTIONS[0], "--json"])?;
    println!("| first search, which makes the catalog and the index | {} |", ms(taken));
    let mut times = Vec::new();
    for n in 0..50 {
        times.push(answer(&["session", "search", "--all", QUESTIONS[n % QUESTIONS.len()], "--json"])?.1);
    }
    let sample = Sample::new(times);
    println!("| search, warm: p50, p99 | {}, {} |", ms(sample.quantile(0.5)), ms(sample.quantile(0.99)));
    let (_, taken) = answer(&["session", "brief", "--json"])?;
    println!("| brief | {} |", ms(taken));
    let mut times = Vec::new();
    for n in 0..args.hooks {
        let (path, text) = &texts[n % texts.len()];
        let event = json!({
            "session_id": "hooked", "cwd": project, "hook_event_name": "PostToolUse", "tool_name": "Read",
            "tool_use_id": format!("toolu_hook_{n}"), "tool_input": { "file_path": path },
            "tool_response": { "type": "text", "file": { "filePath": path, "content": text, "numLines": 1, "startLine": 1, "totalLines": 1 } },
        });
        let start = Instant::now();
        let mut child =
            ours(&["session", "record", "claude-code"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        child.stdin.take().context("no pipe")?.write_all(event.to_string().as_bytes())?;
        ensure!(child.wait()?.success(), "the hook failed");
        times.push(start.elapsed());
    }
    let sample = Sample::new(times);
    println!("| hook, {} calls: p50, p99 | {}, {} |", args.hooks, ms(sample.quantile(0.5)), ms(sample.quantile(0.99)));
    let mut times = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        ensure!(Command::new("/bin/true").status()?.success(), "true is not");
        times.push(start.elapsed());
    }
    println!("| a process that does nothing: p50 | {} |", ms(Sample::new(times).quantile(0.5)));
    let (list, taken) = answer(&["session", "list", "--json"])?;
    println!("| next command, which takes in what the hooks told | {} |", ms(taken));
    let hooked =
        list["sessions"].as_array().into_iter().flatten().find(|session| session["session"] == "claude-code-hooked");
    ensure!(
        hooked.is_some_and(|session| session["counts"]["index"].as_u64() >= Some(args.hooks as u64)),
        "hooks are lost"
    );
    Ok(())
}

/// What Claude Code would have kept of a day: each session with a prompt, calls, a failing check that passes after an edit, a
/// sub-agent in a file of its own, and a summary.
fn write_day(args: &Memory, home: &Path, project: &Path, texts: &[(String, String)]) -> Result<()> {
    let folder = home.join(".claude/projects/-project");
    let start = jiff::Timestamp::now().checked_sub(jiff::SignedDuration::from_hours(24))?;
    for session in 0..args.sessions {
        let id = format!("{session:08x}-0000-4000-8000-000000000000");
        let mut lines = Vec::new();
        let mut side = Vec::new();
        let mut at = start.checked_add(jiff::SignedDuration::from_secs(session as i64 * 400))?;
        let mut line = |lines: &mut Vec<String>, role: &str, content: Value, more: Value| {
            at = at.checked_add(jiff::SignedDuration::from_secs(3)).unwrap_or(at);
            let mut value = json!({
                "type": role, "uuid": format!("{session}-{at}"), "timestamp": at.to_string(), "cwd": project, "sessionId": id,
                "gitBranch": "main", "isSidechain": false, "message": { "role": role, "content": content },
            });
            if let (Some(value), Some(more)) = (value.as_object_mut(), more.as_object()) {
                value.extend(more.clone());
            }
            lines.push(value.to_string());
        };
        line(&mut lines, "user", json!(format!("Mend step {session}: the check fails.")), json!({}));
        for call in 0..=args.calls {
            let (path, text) = &texts[(session * 31 + call * 7) % texts.len()];
            let path = format!("{}/{}", project.display(), path.trim_start_matches('/'));
            let tool_id = format!("toolu_{session}_{call}");
            let (name, input, output, failed, detail) = match call % 6 {
                0 | 3 => {
                    let read = json!({ "type": "text", "file": { "filePath": path, "content": text, "numLines": 1, "startLine": 1, "totalLines": 1 } });
                    ("Read", json!({ "file_path": path }), text.clone(), false, read)
                }
                1 => (
                    "Bash",
                    json!({ "command": format!("cargo test step{}", session % 20) }),
                    format!("error[E0382]: borrow of moved value `x{call}`"),
                    true,
                    Value::Null,
                ),
                2 => (
                    "Edit",
                    json!({ "file_path": path, "old_string": "a", "new_string": "b" }),
                    "updated".to_owned(),
                    false,
                    json!({ "filePath": path }),
                ),
                4 => (
                    "Bash",
                    json!({ "command": format!("cargo test step{}", session % 20) }),
                    "test result: ok".to_owned(),
                    false,
                    Value::Null,
                ),
                _ => (
                    "Grep",
                    json!({ "pattern": "fn retry" }),
                    "src/a.rs:1: fn retry()".to_owned(),
                    false,
                    json!({ "filenames": [path] }),
                ),
            };
            line(
                &mut lines,
                "assistant",
                json!([{ "type": "tool_use", "id": tool_id, "name": name, "input": input }]),
                json!({}),
            );
            let result =
                json!([{ "type": "tool_result", "tool_use_id": tool_id, "content": output, "is_error": failed }]);
            line(&mut lines, "user", result, json!({ "toolUseResult": detail }));
        }
        line(
            &mut lines,
            "user",
            json!("We mended the step; the timeout is left."),
            json!({ "isCompactSummary": true }),
        );
        line(&mut lines, "assistant", json!([{ "type": "text", "text": "Done: it passes." }]), json!({}));
        let agent = json!({ "isSidechain": true, "agentId": format!("a{session}") });
        line(&mut side, "user", json!("Find the callers."), agent.clone());
        let tool_id = format!("toolu_{session}_side");
        line(
            &mut side,
            "assistant",
            json!([{ "type": "tool_use", "id": tool_id, "name": "Grep", "input": { "pattern": "fn step" } }]),
            agent.clone(),
        );
        line(
            &mut side,
            "user",
            json!([{ "type": "tool_result", "tool_use_id": tool_id, "content": "src/b.rs" }]),
            agent,
        );
        let below = folder.join(&id).join("subagents");
        fs::create_dir_all(&below)?;
        fs::write(folder.join(format!("{id}.jsonl")), lines.join("\n") + "\n")?;
        fs::write(below.join(format!("agent-a{session}.jsonl")), side.join("\n") + "\n")?;
    }
    Ok(())
}
