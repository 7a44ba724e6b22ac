//! Transcripts of Codex CLI, its rollouts.
//!
//! Since September 2025 a line is `{timestamp, type, payload}`; before that it was the payload alone, after a first line
//! with the id of the session; and the first versions wrote one document `{session, items}`. In all of them the
//! conversation is what went to the model and came from it: messages, calls and their outputs.
//!
//! Left out without a word: events for the screen, which say the same things again; reasoning; what the program puts before
//! the agent in the person's name (instructions, the environment).

use jiff::Timestamp;
use serde_json::Value;

use super::claude::{as_object, text_of};
use super::gathered::{Gathered, Outcome};
use super::{Format, Role, Seen, Transcript, display, patch, shell};

pub(super) struct Codex {
    gathered: Gathered,
}

pub(super) fn is_line(value: &Value) -> bool {
    let is = |name: &str| value.get(name).is_some();
    match value.get("type").and_then(Value::as_str) {
        Some("session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted" | "world_state") => {
            value.get("payload").is_some_and(Value::is_object)
        }
        Some("message") => is("role") && value.get("content").is_some_and(Value::is_array),
        Some("function_call" | "function_call_output" | "custom_tool_call" | "local_shell_call") => is("call_id"),
        Some("reasoning") => is("summary"),
        Some(_) => false,
        None => (is("id") && is("timestamp") && is("instructions")) || is("record_type"),
    }
}

/// Whether a document is one of the first versions'.
pub(super) fn is_document(value: &Value) -> bool {
    value.get("session").is_some_and(Value::is_object) && value.get("items").is_some_and(Value::is_array)
}

impl Codex {
    pub(super) fn new() -> Self {
        Codex { gathered: Gathered::new(Format::Codex) }
    }

    pub(super) fn skip(&mut self, line: usize, why: &str) {
        self.gathered.skip(line, why);
    }

    /// A document of the first versions; its items are counted like lines.
    pub(super) fn document(&mut self, value: &Value) {
        self.meta(&value["session"]);
        for (at, item) in value["items"].as_array().into_iter().flatten().enumerate() {
            self.item(at + 1, None, item);
        }
    }

    pub(super) fn line(&mut self, number: usize, value: &Value) {
        let at = value.get("timestamp").and_then(Value::as_str).and_then(|text| text.parse().ok());
        let payload = value.get("payload").filter(|payload| payload.is_object());
        match (value.get("type").and_then(Value::as_str), payload) {
            (Some("session_meta"), Some(payload)) => self.meta(payload),
            (Some("turn_context"), Some(payload)) => {
                self.gathered.enter(payload.get("cwd").and_then(Value::as_str));
            }
            (Some("response_item"), Some(payload)) => self.item(number, at, payload),
            (Some("session_meta" | "turn_context" | "response_item"), None) => {
                self.skip(number, "the line has no payload");
            }
            (Some("compacted"), Some(payload)) => {
                let summary = payload.get("message").and_then(Value::as_str).unwrap_or_default();
                self.gathered.summary(at, &format!("line:{number}"), summary);
            }
            // Events, states of the world, and what later versions add.
            (Some(_), Some(_)) => {}
            (None, _) if value.get("instructions").is_some() || value.get("git").is_some() => self.meta(value),
            (None, _) if value.get("record_type").is_some() => {}
            (Some("compacted" | "event_msg" | "world_state"), None) => {}
            (Some(_), None) => self.item(number, at, value),
            (None, _) => self.skip(number, "the line has no type"),
        }
    }

    fn meta(&mut self, meta: &Value) {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.gathered.session(meta.get("id").and_then(text).as_deref());
        self.gathered.enter(meta.get("cwd").and_then(text).as_deref());
        self.gathered.branch(meta.pointer("/git/branch").and_then(Value::as_str));
        // A sub-agent's thread has an id of its own, and says which one has started it.
        let parent =
            meta.pointer("/source/subagent/thread_spawn/parent_thread_id").or_else(|| meta.get("parent_thread_id"));
        self.gathered.of_subagent(parent.and_then(Value::as_str), None);
        let base = meta.get("base_instructions").and_then(|base| base.get("text").or(Some(base))).and_then(text);
        self.gathered.system_prompt(base.or_else(|| meta.get("instructions").and_then(text)).as_deref());
    }

    fn item(&mut self, number: usize, at: Option<Timestamp>, item: &Value) {
        match item.get("type").and_then(Value::as_str) {
            Some("message") => self.message(number, at, item),
            Some("web_search_call") => self.search(number, at, item),
            Some(kind) if kind.ends_with("_output") => self.output(number, at, item),
            Some(kind) if kind.ends_with("_call") => self.call(number, at, kind, item),
            Some(_) => {}
            None => self.skip(number, "the item has no type"),
        }
    }

    fn message(&mut self, number: usize, at: Option<Timestamp>, item: &Value) {
        let role = match item.get("role").and_then(Value::as_str) {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            // Instructions of the program.
            Some("developer" | "system") => return,
            _ => return self.skip(number, "the message has no role"),
        };
        let Some(content) = item.get("content") else { return self.skip(number, "the message has no content") };
        let texts: Vec<&str> = match content {
            Value::String(text) => vec![text],
            Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
            _ => return self.skip(number, "the content of the message is no text"),
        };
        if role == Role::User {
            self.environment(&texts);
        }
        let said: Vec<&str> =
            texts.into_iter().filter(|text| role == Role::Assistant || !injected(text)).map(request).collect();
        self.gathered.turn(at, &format!("line:{number}"), role, &said.join("\n\n"));
    }

    /// Versions that don't say where they run tell the agent.
    fn environment(&mut self, texts: &[&str]) {
        let told = texts.iter().filter(|text| text.trim_start().starts_with("<environment_context>"));
        for text in told {
            let tagged = text.split_once("<cwd>").and_then(|(_, rest)| rest.split_once("</cwd>")).map(|(cwd, _)| cwd);
            let listed = || text.lines().find_map(|line| line.trim().strip_prefix("Current working directory: "));
            self.gathered.enter(tagged.or_else(listed).map(str::trim));
        }
    }

    fn call(&mut self, number: usize, at: Option<Timestamp>, kind: &str, item: &Value) {
        let text = |name: &str| item.get(name).and_then(Value::as_str);
        let Some(id) = text("call_id").or_else(|| text("id")) else {
            return self.skip(number, "a tool call without an id");
        };
        let tool = text("name").unwrap_or_else(|| kind.trim_end_matches("_call"));
        self.gathered.call(number, id, at, tool, arguments(item));
    }

    /// A search is done by the provider: there is no output, only that it was made.
    fn search(&mut self, number: usize, at: Option<Timestamp>, item: &Value) {
        let id = item.get("id").and_then(Value::as_str).map_or_else(|| format!("line:{number}"), str::to_owned);
        let ok = item.get("status").and_then(Value::as_str) != Some("failed");
        self.gathered.call(number, &id, at, "web_search", as_object(item.get("action").cloned()));
        self.gathered.result(number, &id, Outcome { at, output: String::new(), ok, files: Vec::new() });
    }

    fn output(&mut self, number: usize, at: Option<Timestamp>, item: &Value) {
        let Some(id) = item.get("call_id").or_else(|| item.get("id")).and_then(Value::as_str) else {
            return self.skip(number, "a result without the id of its call");
        };
        let (output, ok) = match (item.get("output"), item.get("tools")) {
            (None, Some(found)) => (found.to_string(), true),
            (output, _) => result_of(output.unwrap_or(&Value::Null)),
        };
        let files = match self.gathered.waiting(id) {
            Some(call) if ok => files_of(&call.tool, &call.args),
            _ => Vec::new(),
        };
        self.gathered.result(number, id, Outcome { at, output, ok, files });
    }

    pub(super) fn finish(self) -> Transcript {
        self.gathered.finish()
    }
}

/// The arguments of a call: JSON in a text, a text of the tool's own, or an action.
fn arguments(item: &Value) -> Value {
    let given = ["arguments", "input", "action"].iter().find_map(|name| item.get(name));
    match given {
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(object @ Value::Object(_)) => object,
            _ => serde_json::json!({ "input": text }),
        },
        other => as_object(other.cloned()),
    }
}

/// What came back, and whether the tool did its work.
pub(super) fn result_of(output: &Value) -> (String, bool) {
    match output {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(wrapped @ Value::Object(_)) if wrapped.get("output").is_some_and(Value::is_string) => {
                result_of(&wrapped)
            }
            _ => with_exit_code(text.clone()),
        },
        Value::Object(fields) => {
            let text = fields.get("output").or_else(|| fields.get("content")).map(text_of).unwrap_or_default();
            let code =
                fields.get("metadata").and_then(|metadata| metadata.get("exit_code")).or(fields.get("exit_code"));
            let success = fields.get("success").and_then(Value::as_bool).unwrap_or(true);
            (text, success && code.and_then(Value::as_i64).is_none_or(|code| code == 0))
        }
        list => with_exit_code(text_of(list)),
    }
}

/// An output, and whether the exit code among the lines before it is no other than 0.
fn with_exit_code(text: String) -> (String, bool) {
    let code = text.lines().take(8).take_while(|line| line.trim() != "Output:").find_map(|line| {
        let code = line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "))?;
        code.trim().parse::<i64>().ok()
    });
    (text, code.is_none_or(|code| code == 0))
}

/// The files of a call that did its work.
pub(super) fn files_of(tool: &str, args: &Value) -> Vec<(String, Seen)> {
    let text = |name: &str| args.get(name).and_then(Value::as_str);
    let folder = text("workdir").or_else(|| text("working_directory"));
    let found = match tool {
        "apply_patch" => text("input").or_else(|| text("patch")).map(patch::files).unwrap_or_default(),
        "read_file" | "view_image" => {
            let path = text("file_path").or_else(|| text("path"));
            path.map(|path| (path.to_owned(), Seen::Named)).into_iter().collect()
        }
        "shell" | "container.exec" | "local_shell" | "shell_command" | "exec_command" => commands_files(args),
        _ => Vec::new(),
    };
    let below = |path: String| match folder {
        Some(_) => super::paths::absolute(folder, &path),
        None => path,
    };
    found.into_iter().map(|(path, seen)| (below(path), seen)).collect()
}

fn commands_files(args: &Value) -> Vec<(String, Seen)> {
    let Some(command) = args.get("command").or_else(|| args.get("cmd")) else { return Vec::new() };
    if let Some([program, patch]) = command.as_array().map(Vec::as_slice)
        && program.as_str() == Some("apply_patch")
    {
        return patch.as_str().map(patch::files).unwrap_or_default();
    }
    display::command(command).map(|script| shell::files(&script)).unwrap_or_default()
}

/// Text that the program puts before the agent in the person's name.
fn injected(text: &str) -> bool {
    const MARKS: [&str; 14] = [
        "<environment_context>",
        "<ENVIRONMENT_CONTEXT>",
        "<user_instructions>",
        "<USER_INSTRUCTIONS>",
        "<permissions instructions>",
        "<collaboration_mode>",
        "<multi_agent_mode>",
        "<apps_instructions>",
        "<skills_instructions>",
        "<turn_aborted>",
        "<subagent_notification>",
        "<INSTRUCTIONS>",
        "# AGENTS.md instructions for ",
        "<model_switch>",
    ];
    MARKS.iter().any(|mark| text.trim_start().starts_with(mark))
}

/// What the person wrote, without what an editor has put before it.
fn request(text: &str) -> &str {
    const MARK: &str = "## My request for Codex:";
    match text.split_once(MARK) {
        Some((before, request)) if before.trim_start().starts_with("# Context from my IDE setup:") => {
            request.trim_start()
        }
        _ => text,
    }
}
