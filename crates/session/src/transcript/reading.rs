//! Which format an input is of, and the way through it.

use std::io::{BufRead, Read};

use serde_json::Value;

use super::claude::{self, Claude};
use super::codex::{self, Codex};
use super::gemini::{self, Gemini};
use super::lines::{LONGEST_LINE, Line, Lines};
use super::{Format, Transcript, TranscriptError, swe};

/// How many lines are looked at before giving up.
const LINES_LOOKED_AT: usize = 50;

/// The largest document that is read at once. Trajectories repeat the whole conversation at every step, so they are large.
const LARGEST_DOCUMENT: usize = 256 << 20;

pub(super) fn any(input: &mut dyn BufRead) -> Result<Transcript, TranscriptError> {
    let mut head: Vec<Line> = Vec::new();
    let mut lines = Lines::new(input);
    let mut looked_at = 0;
    while head.len() < LINES_LOOKED_AT && looked_at < LONGEST_LINE {
        let Some(mut line) = lines.next()? else { break };
        if head.is_empty() && opens_document(&line) {
            return document(line.raw, lines.into_input(), None);
        }
        looked_at += std::mem::take(&mut line.raw).len();
        let reader = line.value.as_ref().ok().and_then(Reader::of_line);
        head.push(line);
        if let Some(reader) = reader {
            return reader.read(head, lines);
        }
    }
    Err(TranscriptError::Unknown { seen: seen(&head) })
}

pub(super) fn of_format(input: &mut dyn BufRead, format: Format) -> Result<Transcript, TranscriptError> {
    let reader = match format {
        Format::ClaudeCode => Reader::Claude(Claude::new()),
        Format::Codex => Reader::Codex(Codex::new()),
        Format::Gemini => Reader::Gemini(Gemini::new()),
        Format::SweAgent => return document(Vec::new(), input, Some(format)),
        Format::Cursor | Format::VsCode => {
            let seen = "it keeps no transcript that is read; its hooks tell".to_owned();
            return Err(TranscriptError::NotThis { format, seen });
        }
    };
    let mut lines = Lines::new(input);
    let Some(first) = lines.next()? else {
        return Err(TranscriptError::NotThis { format, seen: seen(&[]) });
    };
    if matches!(format, Format::Codex | Format::Gemini) && opens_document(&first) {
        return document(first.raw, lines.into_input(), Some(format));
    }
    reader.read(vec![first], lines)
}

/// Whether a line is the first of a document that may go over several lines, or all of it.
fn opens_document(line: &Line) -> bool {
    const NEAR: usize = 4 << 10;
    let start = String::from_utf8_lossy(&line.raw[..line.raw.len().min(NEAR)]);
    let start = start.trim();
    let has = |key: &str| start.contains(key);
    // A line that is a whole object is looked at by its keys; one that is cut, by what is near its start.
    let keys = match &line.value {
        Ok(value) => {
            ["trajectory", "attempts", "history", "items", "messages"].iter().any(|key| value.get(key).is_some())
        }
        Err(_) => has("\"trajectory\":") || has("\"attempts\":") || has("\"history\":"),
    };
    start == "{" || (start.starts_with('{') && keys)
}

/// Reads a document of which a part was taken from the input before.
fn document(taken: Vec<u8>, input: &mut dyn BufRead, format: Option<Format>) -> Result<Transcript, TranscriptError> {
    let mut bytes = taken;
    let limit = LARGEST_DOCUMENT as u64 + 1;
    input.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST_DOCUMENT {
        return Err(TranscriptError::TooLarge { limit: LARGEST_DOCUMENT });
    }
    if matches!(format, None | Some(Format::SweAgent))
        && let Some(transcript) = swe::read(&bytes)
    {
        return Ok(transcript);
    }
    let value: Option<Value> = serde_json::from_slice(&bytes).ok().filter(|_| format != Some(Format::SweAgent));
    if let Some(value) = value.as_ref().filter(|value| format != Some(Format::Gemini) && codex::is_document(value)) {
        let mut codex = Codex::new();
        codex.document(value);
        return Ok(codex.finish());
    }
    if let Some(value) = value.filter(|value| format != Some(Format::Codex) && gemini::is_document(value)) {
        let mut gemini = Gemini::new();
        gemini.document(&value);
        return Ok(gemini.finish());
    }
    let seen = match bytes.iter().all(u8::is_ascii_whitespace) {
        true => "it is empty",
        false => "it is no JSON document with a `trajectory`, a `history` or `messages`",
    };
    Err(match format {
        Some(format) => TranscriptError::NotThis { format, seen: seen.to_owned() },
        None => TranscriptError::Unknown { seen: seen.to_owned() },
    })
}

/// What was there instead of a transcript.
fn seen(lines: &[Line]) -> String {
    let json = lines.iter().filter(|line| line.value.is_ok()).count();
    match (lines.len(), json) {
        (0, _) => "it is empty".to_owned(),
        (count, 0) => format!("none of its first {count} lines is JSON"),
        (count, json) => format!("{json} of its first {count} lines are JSON, but of none of the formats"),
    }
}

enum Reader {
    Claude(Claude),
    Codex(Codex),
    Gemini(Gemini),
}

impl Reader {
    fn of_line(value: &Value) -> Option<Self> {
        if claude::is_line(value) {
            Some(Reader::Claude(Claude::new()))
        } else if codex::is_line(value) {
            Some(Reader::Codex(Codex::new()))
        } else if gemini::is_line(value) {
            Some(Reader::Gemini(Gemini::new()))
        } else {
            None
        }
    }

    fn read(mut self, head: Vec<Line>, mut lines: Lines<'_>) -> Result<Transcript, TranscriptError> {
        let mut count = head.len();
        let mut any = false;
        for line in head {
            any |= self.line(line);
        }
        while let Some(line) = lines.next()? {
            count += 1;
            any |= self.line(line);
        }
        let transcript = match self {
            Reader::Claude(claude) => claude.finish(),
            Reader::Codex(codex) => codex.finish(),
            Reader::Gemini(gemini) => gemini.finish(),
        };
        if any {
            return Ok(transcript);
        }
        let seen = format!("none of its {count} lines is");
        Err(TranscriptError::NotThis { format: transcript.format, seen })
    }

    /// Takes a line in; whether it is one of the format.
    fn line(&mut self, line: Line) -> bool {
        let known = line.value.as_ref().is_ok_and(|value| match self {
            Reader::Claude(_) => claude::is_line(value),
            Reader::Codex(_) => codex::is_line(value),
            Reader::Gemini(_) => gemini::is_line(value),
        });
        match (line.value, self) {
            (Ok(value), Reader::Claude(claude)) => claude.line(line.number, &value),
            (Ok(value), Reader::Codex(codex)) => codex.line(line.number, &value),
            (Ok(value), Reader::Gemini(gemini)) => gemini.line(line.number, &value),
            (Err(why), Reader::Gemini(gemini)) => gemini.skip(line.number, why),
            (Err(why), Reader::Claude(claude)) => claude.skip(line.number, why),
            (Err(why), Reader::Codex(codex)) => codex.skip(line.number, why),
        }
        known
    }
}
