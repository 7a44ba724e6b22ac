//! Mail messages, one in a file or many in a mailbox: who wrote what when, the text, and the names of what is attached.

mod mime;
mod words;

use crate::{ConvertError, Format, Limits, emit, html, place};
use mime::{Body, Part};

/// Headers that tell a message from other text that starts with `Name: value`.
const TELLING: [&str; 9] =
    ["from", "to", "subject", "date", "message-id", "received", "mime-version", "return-path", "delivered-to"];

/// How far into a file its headers are looked for.
const PROBE: usize = 16 * 1024;

/// Parts of one message that are shown or named.
const MOST_PARTS: usize = 1000;

pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let named = matches!(extension, "eml" | "mbox" | "mbx" | "emlx");
    if !named && !matches!(extension, "" | "mail" | "email" | "msg") {
        return None;
    }
    let head = &bytes[..bytes.len().min(PROBE)];
    let message = if is_from_line(head) { after_line(head) } else { head };
    let headers = mime::headers(message).0;
    let telling = headers.iter().filter(|(name, _)| TELLING.contains(&name.as_str())).count();
    (telling >= if named { 1 } else { 3 }).then_some(Format::Email)
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let mut text = String::new();
    if is_from_line(bytes) {
        for (index, message) in messages(bytes).enumerate() {
            if text.len() > limits.max_text {
                break;
            }
            emit::block(&mut text);
            place::write(&mut text, "part", &(index + 1).to_string());
            write_message(&mut text, &Part::read(&unquoted(message)), 2, limits);
        }
    } else {
        let part = Part::read(bytes);
        if part.headers.is_empty() {
            return Err(ConvertError::Malformed { format: "mail message", detail: "it has no headers".to_owned() });
        }
        write_message(&mut text, &part, 1, limits);
    }
    emit::finish(text, limits)
}

fn is_from_line(bytes: &[u8]) -> bool {
    bytes.starts_with(b"From ")
}

fn after_line(bytes: &[u8]) -> &[u8] {
    bytes.iter().position(|&byte| byte == b'\n').map_or(&[], |at| &bytes[at + 1..])
}

/// The messages of a mailbox. A line `From ` starts one only after an empty line and before a header.
fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut starts = vec![0];
    let mut at = 0;
    let mut after_blank = false;
    while at < bytes.len() {
        let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length + 1);
        let line = &bytes[at..end];
        if at > 0 && after_blank && is_from_line(line) && mime::is_header(&bytes[end..]) {
            starts.push(at);
        }
        after_blank = line.trim_ascii().is_empty();
        at = end;
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([bytes.len()]).collect();
    starts.into_iter().zip(ends).map(move |(start, end)| after_line(&bytes[start..end]))
}

/// A message without the `>` that a mailbox puts before lines that start with `From `.
fn unquoted(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|&byte| byte == b'\n') {
        out.extend_from_slice(if line.starts_with(b">From ") { &line[1..] } else { line });
    }
    out
}

fn write_message(text: &mut String, part: &Part<'_>, level: usize, limits: &Limits) {
    let subject = part.decoded("subject").unwrap_or_default();
    emit::heading(text, level, if subject.trim().is_empty() { "(no subject)" } else { &subject });
    emit::block(text);
    for (name, label) in [("from", "From"), ("date", "Date"), ("to", "To"), ("cc", "Cc")] {
        if let Some(value) = part.decoded(name).filter(|value| !value.trim().is_empty()) {
            text.push_str(&place::escape(&format!("{label}: {}\n", value.trim())));
        }
    }
    let mut attached = Vec::new();
    let mut left = MOST_PARTS;
    write_part(text, part, level, limits, limits.max_depth.min(32), &mut left, &mut attached);
    if !attached.is_empty() {
        emit::block(text);
        text.push_str(&place::escape(&format!("Attachments: {}\n", attached.join(", "))));
    }
}

fn write_part(
    text: &mut String,
    part: &Part<'_>,
    level: usize,
    limits: &Limits,
    depth: usize,
    left: &mut usize,
    attached: &mut Vec<String>,
) {
    if depth == 0 || *left == 0 || text.len() > limits.max_text {
        return;
    }
    *left -= 1;
    match part.body() {
        Body::Attached(name) => attached.push(name),
        Body::Text(body) => write_plain(text, &body),
        Body::Html(body) => {
            if let Ok(markdown) = html::convert(body.as_bytes(), limits) {
                emit::block(text);
                text.push_str(&markdown);
            }
        }
        Body::Message(bytes) => {
            // A forwarded message stands one heading below the one it came with.
            let inner = Part::read(&bytes);
            emit::block(text);
            write_message(text, &inner, level + 1, &Limits { max_depth: depth - 1, ..*limits });
        }
        Body::Alternatives(parts) => {
            let wanted = |kind: &str| parts.iter().find(|part| part.kind() == kind && !part.is_blank());
            // The last is the richest; what none of us can read is skipped.
            let best = wanted("text/plain").or_else(|| parts.iter().rev().find(|part| part.is_readable()));
            if let Some(part) = best.or_else(|| parts.last()) {
                write_part(text, part, level, limits, depth - 1, left, attached);
            }
        }
        Body::Parts(parts) => {
            for part in &parts {
                write_part(text, part, level, limits, depth - 1, left, attached);
            }
        }
    }
}

fn write_plain(text: &mut String, body: &str) {
    emit::block(text);
    let body = place::escape(body);
    for line in body.trim_matches(['\n', '\r']).lines() {
        text.push_str(&emit::guarded(line.trim_end()));
        text.push('\n');
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
