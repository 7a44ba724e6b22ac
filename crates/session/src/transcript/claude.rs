//! Transcripts of Claude Code: one JSON object per line, of which those of type `user` and `assistant` are the
//! conversation. Results of tools come in `user` lines, with what the program itself knows of them in `toolUseResult`.
//!
//! What is left out without a word, because it is no part of the conversation: snapshots, progress, hooks and other types of
//! lines; what the program says to the agent in the person's name (`isMeta`, slash commands and their output, reminders);
//! thinking. Branches that were rewound stay, since the agent saw them, and so do summaries. Lines of sub-agents
//! (`isSidechain`) are transcripts of their own. Until 2025 they stood in the file of the session that called them, since then
//! each has a file: `agent-ID.jsonl` beside it, or below `SESSION/subagents`.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde_json::Value;

use super::gathered::{Gathered, Outcome};
use super::{Format, Role, Transcript, claude_files};

pub(super) struct Claude {
    gathered: Gathered,
    /// Whether this file is a sub-agent's own; known from its first line of conversation.
    of_subagent: Option<bool>,
    /// Sub-agents whose lines stand in this file, in the order in which they were called.
    subagents: Vec<(String, Claude)>,
    /// Which sub-agent a line is of, for lines that don't say it but the line before them.
    side_lines: HashMap<String, usize>,
    lines: HashSet<String>,
}

pub(super) fn is_line(value: &Value) -> bool {
    let is = |name: &str| value.get(name).is_some_and(Value::is_string);
    match value.get("type").and_then(Value::as_str) {
        Some("user" | "assistant") => value.get("message").is_some_and(Value::is_object),
        Some("summary") => is("leafUuid"),
        Some("file-history-snapshot") => value.get("messageId").is_some(),
        Some(_) => is("sessionId") || (is("session_id") && is("uuid")),
        None => false,
    }
}

impl Claude {
    pub(super) fn new() -> Self {
        Claude {
            gathered: Gathered::new(Format::ClaudeCode),
            of_subagent: None,
            subagents: Vec::new(),
            side_lines: HashMap::new(),
            lines: HashSet::new(),
        }
    }

    pub(super) fn skip(&mut self, line: usize, why: &str) {
        self.gathered.skip(line, why);
    }

    pub(super) fn line(&mut self, number: usize, value: &Value) {
        let Some(kind) = value.get("type").and_then(Value::as_str) else {
            return self.skip(number, "the line has no type");
        };
        let role = match kind {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return self.other(value),
        };
        if self.is_of_subagent(value) {
            return self.side_line(number, value);
        }
        let is_summary = is_true(value, "isCompactSummary");
        if is_bookkeeping(value) && !is_summary {
            return;
        }
        self.surroundings(value);
        let Some(message) = value.get("message").filter(|message| message.is_object()) else {
            return self.skip(number, "the line has no message");
        };
        let key = match value.get("uuid").and_then(Value::as_str) {
            Some(uuid) if !self.lines.insert(uuid.to_owned()) => {
                return self.skip(number, "the line has the id of an earlier one");
            }
            Some(uuid) => uuid.to_owned(),
            None => format!("line:{number}"),
        };
        if is_summary {
            let text = message.get("content").map(text_of).unwrap_or_default();
            return self.gathered.summary(time_of(value), &key, &text);
        }
        self.message(&Said { number, key, at: time_of(value), role }, message, value);
    }

    /// The first line of a stream (`claude --output-format stream-json`) says where it runs; a summary names the line up to which
    /// it goes.
    fn other(&mut self, value: &Value) {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        if let (Some("summary"), Some(summary), Some(leaf)) = (text("type"), text("summary"), text("leafUuid")) {
            self.gathered.summary(None, &format!("summary:{leaf}"), summary);
        }
        if value.get("subtype").and_then(Value::as_str) == Some("init") {
            self.surroundings(value);
        }
    }

    fn surroundings(&mut self, value: &Value) {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        self.gathered.session(text("sessionId").or_else(|| text("session_id")));
        self.gathered.enter(text("cwd"));
        self.gathered.branch(text("gitBranch"));
        if self.of_subagent == Some(true) {
            self.gathered.of_subagent(text("sessionId").or_else(|| text("session_id")), text("agentId"));
        }
    }

    fn is_of_subagent(&mut self, value: &Value) -> bool {
        let is_side = is_true(value, "isSidechain") || value.get("parent_tool_use_id").is_some_and(Value::is_string);
        !*self.of_subagent.get_or_insert(is_side) && is_side
    }

    /// A line of a sub-agent among those of the session that called it.
    fn side_line(&mut self, number: usize, value: &Value) {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let named = text("agentId").or_else(|| text("parent_tool_use_id"));
        let known = |id: &str| self.subagents.iter().position(|(known, _)| known == id);
        // A prompt without a line before it starts one; anything else without one goes on with the last.
        let is_prompt = text("type") == Some("user") && value["message"]["content"].is_string();
        let after = text("parentUuid").and_then(|parent| self.side_lines.get(parent).copied());
        let last = self.subagents.len().checked_sub(1).filter(|_| !is_prompt);
        let at = match named {
            Some(id) => known(id),
            None => after.or(last),
        };
        let at = at.unwrap_or_else(|| {
            let id = named.or_else(|| text("uuid")).map_or_else(|| format!("line-{number}"), str::to_owned);
            let mut subagent = Claude::new();
            subagent.of_subagent = Some(true);
            subagent.gathered.of_subagent(None, Some(&id));
            self.subagents.push((id, subagent));
            self.subagents.len() - 1
        });
        if let Some(uuid) = text("uuid") {
            self.side_lines.insert(uuid.to_owned(), at);
        }
        self.subagents[at].1.line(number, value);
    }

    fn message(&mut self, said: &Said, message: &Value, line: &Value) {
        let mut texts: Vec<&str> = Vec::new();
        match message.get("content") {
            Some(Value::String(text)) => texts.push(text),
            Some(Value::Array(blocks)) => {
                let detail = detail(line, blocks);
                for block in blocks {
                    match block.get("type").and_then(Value::as_str) {
                        Some("text") => texts.extend(block.get("text").and_then(Value::as_str)),
                        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => self.call(said, block),
                        Some("tool_result") => self.result(said, block, detail),
                        Some(_) => {}
                        None => self.skip(said.number, "a part of the message has no type"),
                    }
                }
            }
            _ => return self.skip(said.number, "the message has no content"),
        }
        let of_program = if said.role == Role::User { injected } else { placeholder };
        texts.retain(|text| !of_program(text));
        self.gathered.turn(said.at, &said.key, said.role, &texts.join("\n\n"));
    }

    fn call(&mut self, said: &Said, block: &Value) {
        let text = |name: &str| block.get(name).and_then(Value::as_str);
        let (Some(id), Some(tool)) = (text("id"), text("name")) else {
            return self.skip(said.number, "a tool call without id or name");
        };
        self.gathered.call(said.number, id, said.at, tool, as_object(block.get("input").cloned()));
    }

    fn result(&mut self, said: &Said, block: &Value, detail: Option<&Value>) {
        let Some(id) = block.get("tool_use_id").and_then(Value::as_str) else {
            return self.skip(said.number, "a result without the id of its call");
        };
        let ok = block.get("is_error").and_then(Value::as_bool) != Some(true);
        let files = match self.gathered.waiting(id) {
            Some(call) if ok => claude_files::seen(&call.tool, &call.args, detail),
            _ => Vec::new(),
        };
        let output = match block.get("content") {
            Some(content) => text_of(content),
            // Some versions have the output only in the detail.
            None => detail.and_then(|detail| detail.get("stdout")).map(text_of).unwrap_or_default(),
        };
        self.gathered.result(said.number, id, Outcome { at: said.at, output, ok, files });
    }

    pub(super) fn finish(mut self) -> Transcript {
        let subagents: Vec<Transcript> = self.subagents.into_iter().map(|(_, subagent)| subagent.finish()).collect();
        self.gathered.subagents(subagents);
        self.gathered.finish()
    }
}

/// What all parts of a message have in common.
struct Said {
    number: usize,
    key: String,
    at: Option<Timestamp>,
    role: Role,
}

fn time_of(value: &Value) -> Option<Timestamp> {
    value.get("timestamp")?.as_str()?.parse().ok()
}

/// Arguments are an object, whatever the transcript has.
pub(super) fn as_object(value: Option<Value>) -> Value {
    match value {
        Some(object @ Value::Object(_)) => object,
        None | Some(Value::Null) => serde_json::json!({}),
        Some(other) => serde_json::json!({ "input": other }),
    }
}

/// Lines that the program writes in somebody's name.
fn is_bookkeeping(value: &Value) -> bool {
    ["isMeta", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly"]
        .iter()
        .any(|flag| is_true(value, flag))
}

fn is_true(value: &Value, flag: &str) -> bool {
    value.get(flag).and_then(Value::as_bool) == Some(true)
}

/// Text that the program puts before the agent in the person's name.
fn injected(text: &str) -> bool {
    const MARKS: [&str; 7] = [
        "<command-name>",
        "<command-message>",
        "<local-command-stdout>",
        "<local-command-stderr>",
        "<local-command-caveat>",
        "<system-reminder>",
        "Caveat: The messages below were generated by the user while running local commands.",
    ];
    MARKS.iter().any(|mark| text.trim_start().starts_with(mark))
}

/// What stands for an answer without text.
fn placeholder(text: &str) -> bool {
    matches!(text.trim(), "(no content)" | "No response requested.")
}

/// What the program knows of a result. With several results in one line, nobody knows which it is of.
fn detail<'a>(line: &'a Value, blocks: &[Value]) -> Option<&'a Value> {
    let results =
        blocks.iter().filter(|block| block.get("type").and_then(Value::as_str) == Some("tool_result")).count();
    (results == 1).then(|| line.get("toolUseResult").or_else(|| line.get("tool_use_result"))).flatten()
}

/// A text, or the texts of a list of blocks. Pictures are a mark in their place.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(block_text).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn block_text(block: &Value) -> Option<&str> {
    match block {
        Value::String(text) => Some(text),
        _ => match block.get("type").and_then(Value::as_str) {
            Some("image" | "input_image" | "image_url") => Some("[image]"),
            _ => block.get("text").and_then(Value::as_str),
        },
    }
}
