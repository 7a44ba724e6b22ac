//! Transcripts of Gemini CLI: until 2025 one document with `messages`, since then a line for each message after a first line about
//! the session. A message that is there again under its id is the same one, grown by what its tools have answered.
//!
//! Left out without a word: thoughts, notices of the program, and that something was rewound, since the agent saw it.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;

use super::claude::as_object;
use super::gathered::{Gathered, Outcome};
use super::{Format, Role, Seen, Transcript, shell};

pub(super) struct Gemini {
    gathered: Gathered,
    messages: Vec<(usize, Value)>,
    places: HashMap<String, usize>,
    /// What the program has made of the conversation; the last one counts.
    summary: Option<String>,
}

pub(super) fn is_line(value: &Value) -> bool {
    let is = |name: &str| value.get(name).is_some_and(Value::is_string);
    (is("sessionId") && is("projectHash"))
        || value.get("$set").is_some_and(Value::is_object)
        || is("$rewindTo")
        || (is("id") && is("type") && is("timestamp") && value.get("content").is_some())
}

pub(super) fn is_document(value: &Value) -> bool {
    is_line(value) && value.get("messages").is_some_and(Value::is_array)
}

impl Gemini {
    pub(super) fn new() -> Self {
        Gemini { gathered: Gathered::new(Format::Gemini), messages: Vec::new(), places: HashMap::new(), summary: None }
    }

    pub(super) fn skip(&mut self, line: usize, why: &str) {
        self.gathered.skip(line, why);
    }

    pub(super) fn document(&mut self, value: &Value) {
        self.about(value);
        for (at, message) in value["messages"].as_array().into_iter().flatten().enumerate() {
            self.line(at + 1, message);
        }
    }

    pub(super) fn line(&mut self, number: usize, value: &Value) {
        if value.get("projectHash").is_some() {
            return self.about(value);
        }
        if let Some(set) = value.get("$set") {
            return self.about(set);
        }
        let Some(id) = value.get("id").and_then(Value::as_str) else {
            if value.get("$rewindTo").is_none() {
                self.skip(number, "the message has no id");
            }
            return;
        };
        match self.places.get(id) {
            // What is written again says more of the same message. A line that is damaged may say less.
            Some(&place) if self.messages[place].1.get("type") != value.get("type") => {
                self.skip(number, "the message was of another type before");
            }
            Some(&place) => {
                let before = &mut self.messages[place].1;
                let mut grown = value.clone();
                let is_silent = grown.get("content").map(said).unwrap_or_default().is_empty();
                if let Some(content) = before.get("content").filter(|_| is_silent) {
                    grown["content"] = content.clone();
                }
                *before = grown;
            }
            None => {
                self.places.insert(id.to_owned(), self.messages.len());
                self.messages.push((number, value.clone()));
            }
        }
    }

    fn about(&mut self, about: &Value) {
        let text = |name: &str| about.get(name).and_then(Value::as_str);
        self.gathered.session(text("sessionId"));
        self.gathered.enter(about.pointer("/directories/0").and_then(Value::as_str));
        if let Some(summary) = text("summary") {
            self.summary = Some(summary.to_owned());
        }
    }

    fn message(&mut self, number: usize, message: &Value) {
        let text = |name: &str| message.get(name).and_then(Value::as_str);
        let role = match text("type") {
            Some("user") => Role::User,
            Some("gemini") => Role::Assistant,
            Some(_) => return,
            None => return self.skip(number, "the message has no type"),
        };
        let at = text("timestamp").and_then(|at| at.parse().ok());
        let said = message.get("content").map(said).unwrap_or_default();
        self.gathered.turn(at, text("id").unwrap_or_default(), role, &said);
        for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
            self.call(number, at, call);
        }
    }

    fn call(&mut self, number: usize, at: Option<Timestamp>, call: &Value) {
        let text = |name: &str| call.get(name).and_then(Value::as_str);
        let (Some(id), Some(tool)) = (text("id"), text("name")) else {
            return self.skip(number, "a tool call without id or name");
        };
        let args = as_object(call.get("args").cloned());
        let at = text("timestamp").and_then(|at| at.parse().ok()).or(at);
        let ok = text("status") == Some("success");
        let is_over = matches!(text("status"), Some("success" | "error" | "cancelled"));
        let output = call.get("result").map(parts).filter(|output| !output.is_empty());
        let output = output.or_else(|| call.get("resultDisplay").map(parts)).unwrap_or_default();
        let files = files_of(tool, &args, call.get("resultDisplay"));
        self.gathered.call(number, id, at, tool, args);
        if is_over {
            let (output, exited) = with_exit_code(output);
            self.gathered.result(number, id, Outcome { at, output, ok: ok && exited, files });
        }
    }

    pub(super) fn finish(mut self) -> Transcript {
        for (number, message) in std::mem::take(&mut self.messages) {
            self.message(number, &message);
        }
        if let Some(summary) = &self.summary {
            self.gathered.summary(None, "summary", summary);
        }
        self.gathered.finish()
    }
}

/// What was said; what a tool has answered stands beside its call as well, and nobody said it.
fn said(content: &Value) -> String {
    match content.as_array() {
        Some(all) => parts(&all.iter().filter(|part| part.get("functionResponse").is_none()).cloned().collect()),
        None => parts(content),
    }
}

/// The text of parts, in whichever of their forms.
pub(super) fn parts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts_of) => {
            let texts: Vec<String> = parts_of.iter().map(parts).filter(|text| !text.is_empty()).collect();
            texts.join("\n")
        }
        Value::Object(part) => {
            let response = part.get("functionResponse").and_then(|response| response.get("response"));
            let inner = ["text", "output", "error"].iter().find_map(|name| part.get(*name));
            response.or(inner).map(parts).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// An output, and whether the exit code that it names is no other than 0.
pub(super) fn with_exit_code(text: String) -> (String, bool) {
    let code = text.lines().find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse::<i64>().ok());
    (text, code.is_none_or(|code| code == 0))
}

/// The files of a call. `shown` is what the program has shown of the result to the person.
pub(super) fn files_of(tool: &str, args: &Value, shown: Option<&Value>) -> Vec<(String, Seen)> {
    let text = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_owned);
    let path = text("file_path").or_else(|| text("absolute_path"));
    match tool {
        "run_shell_command" => text("command").map(|script| shell::files(&script)).unwrap_or_default(),
        "write_file" | "replace" => {
            let new = shown.and_then(|shown| shown.get("newContent")).and_then(Value::as_str).map(str::to_owned);
            let seen = new.or_else(|| text("content").filter(|_| tool == "write_file"));
            path.map(|path| (path, seen.map_or(Seen::Named, Seen::Whole))).into_iter().collect()
        }
        "read_file" => path.map(|path| (path, Seen::Named)).into_iter().collect(),
        _ => Vec::new(),
    }
}
