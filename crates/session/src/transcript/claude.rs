//! Transcripts of Claude Code: one JSON object per line, of which those of type `user` and `assistant` are the
//! conversation. Results of tools come in `user` lines, with what the program itself knows of them in `toolUseResult`.
//!
//! What is left out without a word, because it is no part of the conversation: summaries, snapshots, progress, hooks and
//! other types of lines; what the program says to the agent in the person's name (`isMeta`, the summary after a
//! compaction, slash commands and their output, reminders); thinking. Branches that were rewound stay, since the agent saw
//! them. Lines of sub-agents (`isSidechain`) are counted and skipped, unless the whole file is one's.

use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::Value;

use super::gathered::{Gathered, Outcome};
use super::{Format, Role, Transcript, claude_files};

pub(super) struct Claude {
    gathered: Gathered,
    /// Whether this file is a sub-agent's own; known from its first line of conversation.
    of_subagent: Option<bool>,
    /// How many lines of sub-agents there were, and the first.
    subagents: Option<(usize, usize)>,
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
            subagents: None,
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
        if self.is_of_subagent(number, value) || is_bookkeeping(value) {
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
        self.message(&Said { number, key, at: time_of(value), role }, message, value);
    }

    /// The first line of a stream (`claude --output-format stream-json`) says where it runs.
    fn other(&mut self, value: &Value) {
        if value.get("subtype").and_then(Value::as_str) == Some("init") {
            self.surroundings(value);
        }
    }

    fn surroundings(&mut self, value: &Value) {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        self.gathered.session(text("sessionId").or_else(|| text("session_id")));
        self.gathered.enter(text("cwd"));
    }

    fn is_of_subagent(&mut self, number: usize, value: &Value) -> bool {
        let is_side = value.get("isSidechain").and_then(Value::as_bool) == Some(true)
            || value.get("parent_tool_use_id").is_some_and(Value::is_string);
        if *self.of_subagent.get_or_insert(is_side) || !is_side {
            return false;
        }
        self.subagents.get_or_insert((number, 0)).1 += 1;
        true
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
        if let Some((first, count)) = self.subagents {
            self.gathered.skip(first, format!("{count} lines of sub-agents, from here on"));
        }
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
        .any(|flag| value.get(flag).and_then(Value::as_bool) == Some(true))
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
