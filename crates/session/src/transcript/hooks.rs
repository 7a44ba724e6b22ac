//! What clients tell their hooks, read into the same events as a transcript.
//!
//! A client starts a program at certain points of a session and gives it a JSON object. Here are lines of such objects, each with
//! the time at which it came and the client that sent it ([`HookCall`]). What each client sends was read in its own package
//! (2026-11-18): Claude Code 2.1.327, Codex CLI 0.169, Gemini CLI 0.61; Cursor and VS Code in their documentation. A call that
//! the client names has the same key here as in its transcript, so that both can be imported.

use std::collections::HashMap;
use std::io::{self, BufRead};

use ai_assist_identity::Sha256;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::claude::{as_object, text_of};
use super::gathered::{Gathered, Outcome};
use super::lines::Lines;
use super::{Format, Role, Seen, Skipped, Transcript, claude_files, codex, gemini};

/// The start of the keys of what was said, where a transcript has other names for it.
pub(crate) const KEY: &str = "hook:";

/// One object that a client has given to its hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookCall {
    /// When it came, in microseconds since 1970.
    pub at: i64,
    pub client: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    pub event: Value,
}

/// What was told of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    pub transcript: Transcript,
    /// Whether the client has said that the session is over.
    pub ended: bool,
}

/// The client whose hooks say so.
pub fn client(name: &str) -> Option<Format> {
    [Format::ClaudeCode, Format::Codex, Format::Gemini, Format::Cursor, Format::VsCode]
        .into_iter()
        .find(|format| format.name() == name)
}

/// The sessions of an event, which come first in it by one name or another: its id and the folder it works in.
pub fn session_and_folder(event: &Value) -> (Option<&str>, Option<&str>) {
    let text = |names: &[&str]| names.iter().find_map(|name| event.get(name)?.as_str()).filter(|text| !text.is_empty());
    let root = event.pointer("/workspace_roots/0").and_then(Value::as_str);
    (text(&["session_id", "conversation_id", "sessionId"]), text(&["cwd"]).or(root))
}

/// Reads what was told, session by session, sub-agents apart. What can't be read is counted and left out.
pub fn read(input: &mut dyn BufRead) -> io::Result<(Vec<Heard>, Vec<Skipped>)> {
    let mut lines = Lines::new(input);
    let mut sessions: Vec<(Gathered, bool)> = Vec::new();
    let mut places: HashMap<(Format, String, Option<String>), usize> = HashMap::new();
    let mut skipped = Vec::new();
    while let Some(line) = lines.next()? {
        let mut skip = |why: &str| skipped.push(Skipped { line: line.number, why: why.to_owned() });
        let call: HookCall = match line.value.map(serde_json::from_value) {
            Ok(Ok(call)) => call,
            Ok(Err(_)) => {
                skip("the line is not what a hook has told");
                continue;
            }
            Err(why) => {
                skip(why);
                continue;
            }
        };
        let (Some(format), (Some(session), folder)) = (client(&call.client), session_and_folder(&call.event)) else {
            skip("the line has no session, or is of no known client");
            continue;
        };
        let name = |name: &str| call.event.get(name).and_then(Value::as_str);
        // What a sub-agent does is told with its id; that it has stopped, to the one that called it.
        let agent = name("agent_id").filter(|_| !is_about_subagent(&call.event));
        let key = (format, session.to_owned(), agent.map(str::to_owned));
        let place = *places.entry(key).or_insert_with(|| {
            let mut gathered = Gathered::new(format);
            gathered.session(Some(session));
            if agent.is_some() {
                gathered.of_subagent(Some(session), agent);
            }
            sessions.push((gathered, false));
            sessions.len() - 1
        });
        let (gathered, ended) = &mut sessions[place];
        gathered.enter(folder);
        gathered.branch(call.branch.as_deref());
        *ended = matches!(event_name(&call.event), "SessionEnd" | "sessionEnd");
        one(gathered, format, line.number, &call);
    }
    let heard = |(gathered, ended): (Gathered, bool)| Heard { transcript: gathered.finish(), ended };
    Ok((sessions.into_iter().map(heard).collect(), skipped))
}

fn event_name(event: &Value) -> &str {
    let name = ["hook_event_name", "hookEventName"].iter().find_map(|name| event.get(name)?.as_str());
    name.unwrap_or_default()
}

fn is_about_subagent(event: &Value) -> bool {
    matches!(event_name(event), "SubagentStart" | "SubagentStop" | "subagentStart" | "subagentStop")
}

/// Takes one event in.
fn one(gathered: &mut Gathered, format: Format, line: usize, hook: &HookCall) {
    let event = &hook.event;
    let text = |name: &str| event.get(name).and_then(Value::as_str);
    let at = text("timestamp").and_then(|at| at.parse().ok()).or_else(|| Timestamp::from_microsecond(hook.at).ok());
    let hash = Sha256::of(format!("{}{event}", hook.at).as_bytes()).hex();
    let key = format!("{KEY}{}", &hash[..16]);
    let turn = |gathered: &mut Gathered, role, said: Option<&str>| {
        gathered.turn(at, &key, role, said.unwrap_or_default());
    };
    match event_name(event) {
        "UserPromptSubmit" | "BeforeAgent" | "beforeSubmitPrompt" => turn(gathered, Role::User, text("prompt")),
        "Stop" => turn(gathered, Role::Assistant, text("last_assistant_message")),
        "AfterAgent" => turn(gathered, Role::Assistant, text("prompt_response")),
        "afterAgentResponse" => turn(gathered, Role::Assistant, text("text")),
        "PostCompact" => gathered.summary(at, &key, text("compact_summary").unwrap_or_default()),
        // Gemini CLI's `PreCompress` is left out: it comes before every request, whether anything is compressed or not.
        "PreCompact" | "preCompact" => {
            let args = json!({ "trigger": text("trigger") });
            call(
                gathered,
                line,
                &key,
                Done { at, tool: "compaction", args, output: String::new(), ok: true, files: Vec::new() },
            );
        }
        "SubagentStop" | "subagentStop" => {
            let args =
                json!({ "agent": text("agent_id"), "type": text("agent_type").or_else(|| text("subagent_type")) });
            let output = text("last_assistant_message").or_else(|| text("summary")).unwrap_or_default().to_owned();
            let ok = !matches!(text("status"), Some("error" | "aborted"));
            call(gathered, line, &key, Done { at, tool: "subagent", args, output, ok, files: Vec::new() });
        }
        "PostToolUse" | "AfterTool" | "PostToolUseFailure" | "postToolUse" | "postToolUseFailure" => {
            let id = text("tool_use_id").unwrap_or(&key);
            call(gathered, line, id, tool_use(format, event, at));
        }
        "afterShellExecution" => {
            let args = json!({ "command": text("command"), "cwd": text("cwd") });
            let (output, ok) = gemini::with_exit_code(text("output").unwrap_or_default().to_owned());
            let code = event.get("exit_code").and_then(Value::as_i64);
            let files = text("command").map(super::shell::files).unwrap_or_default();
            let ok = code.map_or(ok, |code| code == 0);
            call(gathered, line, &key, Done { at, tool: "shell", args, output, ok, files });
        }
        "afterMCPExecution" => {
            let args = event.get("tool_input").cloned().map(|input| match input {
                Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                other => other,
            });
            let output = text("result_json").unwrap_or_default().to_owned();
            let tool = text("tool_name").unwrap_or("mcp");
            call(gathered, line, &key, Done { at, tool, args: as_object(args), output, ok: true, files: Vec::new() });
        }
        "afterFileEdit" => {
            let args = json!({ "file_path": text("file_path"), "edits": event.get("edits") });
            let files = text("file_path").map(|path| (path.to_owned(), Seen::Named)).into_iter().collect();
            call(gathered, line, &key, Done { at, tool: "edit", args, output: String::new(), ok: true, files });
        }
        "beforeReadFile" => {
            let args = json!({ "file_path": text("file_path") });
            let whole = text("content").map_or(Seen::Named, |content| Seen::Whole(content.to_owned()));
            let files = text("file_path").map(|path| (path.to_owned(), whole)).into_iter().collect();
            call(gathered, line, &key, Done { at, tool: "read", args, output: String::new(), ok: true, files });
        }
        // That something begins or was asked for; and what later versions tell.
        _ => {}
    }
}

/// A call with what came of it.
struct Done<'d> {
    at: Option<Timestamp>,
    tool: &'d str,
    args: Value,
    output: String,
    ok: bool,
    files: Vec<(String, Seen)>,
}

fn call(gathered: &mut Gathered, line: usize, id: &str, done: Done<'_>) {
    gathered.call(line, id, done.at, done.tool, done.args);
    if gathered.waiting(id).is_some() {
        let Done { at, output, ok, files, .. } = done;
        gathered.result(line, id, Outcome { at, output, ok, files });
    }
}

/// The call of a tool as all clients but Cursor tell it.
fn tool_use(format: Format, event: &Value, at: Option<Timestamp>) -> Done<'_> {
    let tool = event.get("tool_name").and_then(Value::as_str).unwrap_or("tool");
    let args = as_object(event.get("tool_input").cloned());
    let response = event.get("tool_response").or_else(|| event.get("tool_output")).unwrap_or(&Value::Null);
    let failed = event_name(event).ends_with("Failure");
    let error = event.get("error").or_else(|| event.get("error_message")).and_then(Value::as_str);
    let (output, ok) = match (error.filter(|_| failed), format) {
        (Some(error), _) => (error.to_owned(), false),
        (None, Format::Codex) => codex::result_of(response),
        (None, Format::Gemini) => {
            let text = response.get("llmContent").or_else(|| response.get("returnDisplay")).map(gemini::parts);
            let (text, exited) = gemini::with_exit_code(text.unwrap_or_default());
            (text, exited && response.get("error").is_none_or(Value::is_null))
        }
        (None, _) => answered(response),
    };
    let files = match format {
        Format::Codex => codex::files_of(tool, &args),
        Format::Gemini => gemini::files_of(tool, &args, response.get("returnDisplay")),
        _ => claude_files::seen(tool, &args, Some(response)),
    };
    Done { at, tool, args, output, ok: ok && !failed, files }
}

/// The text of what a tool of Claude Code has answered, which has a shape of its own for each tool.
fn answered(response: &Value) -> (String, bool) {
    let field = |name: &str| response.get(name).map(text_of).filter(|text| !text.trim().is_empty());
    let is = |name: &str| response.get(name).and_then(Value::as_bool) == Some(true);
    let ok = !is("interrupted") && !is("is_error") && response.get("success").and_then(Value::as_bool) != Some(false);
    let text = match response {
        Value::Object(_) => {
            let streams: Vec<String> = ["stdout", "stderr"].iter().filter_map(|name| field(name)).collect();
            let file = || response.pointer("/file/content").and_then(Value::as_str).map(str::to_owned);
            let other = || field("content").or_else(|| field("result")).or_else(file);
            if streams.is_empty() { other().unwrap_or_default() } else { streams.join("\n") }
        }
        other => text_of(other),
    };
    (text, ok)
}

#[cfg(test)]
mod tests {
    use super::super::What;
    use super::*;

    fn heard(events: &[(&str, Value)]) -> Vec<Heard> {
        let line = |(n, (client, event)): (usize, &(&str, Value))| {
            let at = (1_760_000_000 + n as i64) * 1_000_000;
            let call =
                HookCall { at, client: (*client).to_owned(), branch: Some("main".to_owned()), event: event.clone() };
            serde_json::to_string(&call).unwrap() + "\n"
        };
        let text: String = events.iter().enumerate().map(line).collect();
        let (heard, skipped) = read(&mut text.as_bytes()).unwrap();
        assert_eq!(skipped, []);
        heard
    }

    fn shown(transcript: &Transcript) -> Vec<String> {
        let event = |event: &super::super::Event| match &event.what {
            What::Turn { role, text } => format!("{}: {text}", role.as_str()),
            What::Toolcall { tool, args_display, output, ok, files, .. } => {
                let display = args_display.as_deref().unwrap_or_default();
                format!("{tool} {display} ok={ok} {output:?} {}", files.len())
            }
        };
        transcript.events.iter().map(event).collect()
    }

    #[test]
    fn what_claude_code_tells_is_what_its_transcript_would_say() {
        let about = |event: &str, more: Value| {
            let mut all = json!({ "session_id": "s1", "cwd": "/p", "hook_event_name": event });
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            ("claude-code", all)
        };
        let heard = heard(&[
            about("SessionStart", json!({ "source": "startup" })),
            about("UserPromptSubmit", json!({ "prompt": "Mend it." })),
            about(
                "PostToolUse",
                json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": "cat a.rs" },
                "tool_response": { "stdout": "fn a() {}", "stderr": "", "interrupted": false } }),
            ),
            about(
                "PostToolUseFailure",
                json!({ "tool_name": "Bash", "tool_use_id": "t2", "tool_input": { "command": "cargo test" },
                "error": "Exit code 101" }),
            ),
            about(
                "PostToolUse",
                json!({ "tool_name": "Grep", "tool_use_id": "t3", "agent_id": "a1", "tool_input": { "pattern": "x" },
                "tool_response": { "filenames": ["b.rs"] } }),
            ),
            about(
                "SubagentStop",
                json!({ "agent_id": "a1", "agent_type": "Explore", "last_assistant_message": "In b.rs." }),
            ),
            about("PreCompact", json!({ "trigger": "auto" })),
            about("PostCompact", json!({ "trigger": "auto", "compact_summary": "We mend." })),
            about("Stop", json!({ "last_assistant_message": "Done." })),
            about("SessionEnd", json!({ "reason": "exit" })),
        ]);
        let [main, side] = heard.as_slice() else { panic!("{heard:?}") };
        assert_eq!(
            shown(&main.transcript),
            [
                "user: Mend it.",
                "Bash cat a.rs ok=true \"fn a() {}\" 1",
                "Bash cargo test ok=false \"Exit code 101\" 0",
                "subagent  ok=true \"In b.rs.\" 0",
                "compaction  ok=true \"\" 0",
                "assistant: [summary of what came before]\n\nWe mend.",
                "assistant: Done.",
            ]
        );
        assert!(main.ended && !side.ended);
        assert_eq!(main.transcript.events[1].key, "t1");
        assert_eq!((main.transcript.branch.as_deref(), main.transcript.folder.as_deref()), (Some("main"), Some("/p")));
        assert_eq!(shown(&side.transcript), ["Grep x ok=true \"\" 1"]);
        assert_eq!(side.transcript.session_name().as_deref(), Some("claude-code-s1-agent-a1"));
        assert_eq!(side.transcript.parent_name().as_deref(), Some("claude-code-s1"));
    }

    #[test]
    fn the_other_clients_say_the_same_in_their_own_words() {
        let heard = heard(&[
            (
                "codex",
                json!({ "session_id": "x", "cwd": "/p", "hook_event_name": "PostToolUse", "tool_name": "shell", "tool_use_id": "c1",
                "tool_input": { "command": ["bash", "-lc", "cargo test"] }, "tool_response": "Exit code: 101\nOutput:\nno" }),
            ),
            (
                "gemini",
                json!({ "session_id": "g", "cwd": "/p", "hook_event_name": "AfterTool", "timestamp": "2026-11-18T10:00:00Z",
                "tool_name": "write_file", "tool_input": { "file_path": "/p/n.md", "content": "hi" }, "tool_response": { "llmContent": "ok" } }),
            ),
            (
                "cursor",
                json!({ "conversation_id": "k", "workspace_roots": ["/p"], "hook_event_name": "afterShellExecution",
                "command": "ls src", "output": "a.rs", "duration": 3 }),
            ),
            (
                "cursor",
                json!({ "conversation_id": "k", "workspace_roots": ["/p"], "hook_event_name": "afterFileEdit",
                "file_path": "/p/src/a.rs", "edits": [] }),
            ),
        ]);
        let all: Vec<String> = heard.iter().flat_map(|heard| shown(&heard.transcript)).collect();
        assert_eq!(
            all,
            [
                "shell cargo test ok=false \"Exit code: 101\\nOutput:\\nno\" 0",
                "write_file /p/n.md ok=true \"ok\" 1",
                "shell ls src ok=true \"a.rs\" 0",
                "edit /p/src/a.rs ok=true \"\" 1",
            ]
        );
        assert_eq!(heard[1].transcript.events[0].at, Some("2026-11-18T10:00:00Z".parse().unwrap()));
        assert_eq!(heard[2].transcript.session_name().as_deref(), Some("cursor-k"));
    }

    #[test]
    fn lines_that_are_damaged_cost_themselves() {
        let (heard, skipped) =
            read(&mut "{\"at\"\n{}\n{\"at\":1,\"client\":\"zed\",\"event\":{}}\n".as_bytes()).unwrap();
        assert_eq!((heard.len(), skipped.len()), (0, 3));
    }
}
