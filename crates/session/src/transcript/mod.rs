//! Transcripts of other programs, read into events.
//!
//! What comes in: the file that Claude Code, Codex CLI, Gemini CLI or SWE-agent has written of a session. What goes out: the turns
//! and the tool calls of that session in order, each with a key that is the same whenever the file is read, and the
//! files that the agent has seen, with their text where the transcript holds all of it.
//!
//! A transcript is hostile input. Lines that can't be read are counted and left out; nothing of their content is
//! repeated in an error.

mod claude;
mod claude_files;
mod codex;
mod display;
pub mod found;
mod gathered;
mod gemini;
pub mod hooks;
mod lines;
mod patch;
mod paths;
mod reading;
mod shell;
mod swe;

use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

use jiff::Timestamp;
use serde_json::Value;

pub use crate::object::Role;

/// The program that has written a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Claude Code: `~/.claude/projects/*/*.jsonl`.
    ClaudeCode,
    /// Codex CLI: `~/.codex/sessions/**/rollout-*.jsonl`.
    Codex,
    /// Gemini CLI: `~/.gemini/tmp/*/chats/session-*.json`, since 2026 `.jsonl`.
    Gemini,
    /// SWE-agent: `*.traj`.
    SweAgent,
    /// Cursor, known by what its hooks tell.
    Cursor,
    /// The agent of VS Code, known by what its hooks tell.
    VsCode,
}

impl Format {
    /// Those with transcripts that are read.
    pub const ALL: [Format; 4] = [Format::ClaudeCode, Format::Codex, Format::Gemini, Format::SweAgent];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::ClaudeCode => "claude-code",
            Format::Codex => "codex",
            Format::Gemini => "gemini",
            Format::SweAgent => "swe-agent",
            Format::Cursor => "cursor",
            Format::VsCode => "vscode",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no transcript format `{0}`; it is one of claude-code, codex, gemini, swe-agent")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    pub format: Format,
    /// The id of the session in that program; of a sub-agent's transcript, that of its own if it has one.
    pub session: Option<String>,
    /// Of a sub-agent's transcript: the id of the session that called it.
    pub parent: Option<String>,
    /// Of a sub-agent's transcript: what tells it from others of its parent, where it has no session id of its own.
    pub agent: Option<String>,
    pub folder: Option<String>,
    /// The branch of git that the agent began on.
    pub branch: Option<String>,
    /// What the agent was told before the first turn, if the transcript has it.
    pub system_prompt: Option<String>,
    /// Turns and tool calls, in the order in which the agent saw them.
    pub events: Vec<Event>,
    pub skipped: Vec<Skipped>,
    /// What sub-agents did, where it stands in the same file.
    pub subagents: Vec<Transcript>,
}

/// The first line of a turn that is what the program made of everything before it, when that no longer fitted.
pub const SUMMARY_MARK: &str = "[summary of what came before]";

impl Transcript {
    /// What a session made from it is called, the same at every reading.
    pub fn session_name(&self) -> Option<String> {
        let name = |id: &str| format!("{}-{id}", self.format);
        match (&self.agent, self.parent.as_deref().or(self.session.as_deref())) {
            (Some(agent), Some(parent)) => {
                let start: String = parent.chars().take(8).collect();
                Some(name(&format!("{start}-agent-{agent}")))
            }
            _ => self.session.as_deref().map(name),
        }
    }

    /// What the session that called this sub-agent is called.
    pub fn parent_name(&self) -> Option<String> {
        self.parent.as_ref().map(|id| format!("{}-{id}", self.format))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When, if the transcript says so.
    pub at: Option<Timestamp>,
    /// A name that is unique in the transcript and the same at every reading, also when the transcript has grown. A call
    /// without a result ends in `:waiting`, because the same call may have one the next time.
    pub key: String,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What {
    Turn {
        role: Role,
        text: String,
    },
    /// The agent called a tool, and this came back.
    Toolcall {
        tool: String,
        /// The arguments as the agent gave them. Always an object.
        args: Value,
        /// The one argument that tells a person what was done: the command, the path, the pattern.
        args_display: Option<String>,
        /// What the agent saw of the result.
        output: String,
        /// Whether the tool did its work. False, too, if the transcript has no result.
        ok: bool,
        /// The files that the call is about, each once.
        files: Vec<SeenFile>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFile {
    /// Its path as the agent sees it: absolute, unless the transcript says nowhere which folder it is relative to.
    pub path: String,
    pub seen: Seen,
}

/// What an agent saw of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The whole text, as it was after the call.
    Whole(String),
    /// That it is there: it was listed, read in part, or changed in a way that does not tell its whole text.
    Named,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The line of the file, from one; in a format without lines the number of the entry.
    pub line: usize,
    /// Why. Never has content of the line.
    pub why: String,
}

#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    #[error("the transcript can't be read")]
    Io(#[from] std::io::Error),
    #[error(
        "this is no transcript of claude-code (JSONL), codex (rollout JSONL), gemini (JSON, JSONL) or swe-agent (.traj JSON): {seen}; \
         if it is one, name the format"
    )]
    Unknown { seen: String },
    #[error("nothing in this file is of the format {format}: {seen}")]
    NotThis { format: Format, seen: String },
    #[error("the transcript is larger than {limit} bytes, which is as much as is read of one JSON document")]
    TooLarge { limit: usize },
}

/// Reads a transcript. Without a format, the first lines tell which it is. Damage within it is no error: what can't be read
/// is in `skipped`.
pub fn read(input: &mut dyn BufRead, format: Option<Format>) -> Result<Transcript, TranscriptError> {
    match format {
        Some(format) => reading::of_format(input, format),
        None => reading::any(input),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
