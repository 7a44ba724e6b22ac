//! OpenAPI descriptions, an operation a section, and JSON Schema, a definition a section; both as JSON or as YAML.
//!
//! References are shown by the name of what they refer to: following them would write the same schema many times, or for
//! ever.

mod operations;
mod schema;
mod yaml;

use serde_json::Value;

use crate::{ConvertError, Format, Limits, emit, place};

/// How far into a file the keys that tell its format are looked for.
const PROBE: usize = 64 * 1024;

pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    if !matches!(extension.as_str(), "json" | "yaml" | "yml" | "") {
        return None;
    }
    let head = &bytes[..bytes.len().min(PROBE)];
    let head = String::from_utf8_lossy(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head));
    let keys = if head.trim_start().starts_with('{') { json_keys(&head) } else { yaml_keys(&head) };
    let value = |wanted: &str| keys.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
    if value("openapi").is_some_and(|version| version.starts_with('3'))
        || value("swagger").is_some_and(|version| version.starts_with('2'))
    {
        return Some(Format::OpenApi);
    }
    let defines = ["properties", "definitions", "$defs"].iter().any(|key| value(key).is_some());
    let about = value("$schema").is_some_and(|schema| schema.contains("json-schema.org"));
    // In a long file the definitions may stand after what was looked at.
    (about && (defines || bytes.len() > PROBE)).then_some(Format::JsonSchema)
}

/// The keys of the outermost object and how their values begin.
fn json_keys(head: &str) -> Vec<(&str, &str)> {
    let bytes = head.as_bytes();
    let mut keys = Vec::new();
    let (mut depth, mut at) = (0_usize, 0);
    let mut string: Option<&str> = None;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                string = head.get(start..at.min(bytes.len())).filter(|_| depth == 1);
            }
            b':' if depth == 1 => {
                if let Some(key) = string.take() {
                    let value = head[at + 1..].trim_start().trim_start_matches('"');
                    keys.push((key, &value[..value.floor_char_boundary(80)]));
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    keys
}

fn yaml_keys(head: &str) -> Vec<(&str, &str)> {
    let entries = head.lines().filter(|line| !line.starts_with([' ', '\t', '#', '-']));
    entries
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key.trim_matches(['"', '\'']), value.trim().trim_start_matches(['"', '\''])))
        .collect()
}

fn parse(bytes: &[u8], format: &'static str, limits: &Limits) -> Result<Value, ConvertError> {
    let text = emit::decode(bytes, format)?;
    let malformed = |detail: String| ConvertError::Malformed { format, detail };
    let value: Value = if text.trim_start().starts_with('{') {
        // What looks like JSON may still be YAML in its flow style.
        match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => yaml::parse(&text, limits).map_err(|_| malformed(error.to_string()))?,
        }
    } else {
        yaml::parse(&text, limits).map_err(malformed)?
    };
    if value.is_object() { Ok(value) } else { Err(malformed("it is not a mapping of keys to values".to_owned())) }
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let root = parse(bytes, "OpenAPI", limits)?;
    emit::finish(operations::write(&root, limits), limits)
}

pub(crate) fn convert_schema(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let root = parse(bytes, "JSON Schema", limits)?;
    let mut text = String::new();
    let title = root["title"].as_str().or_else(|| root["$id"].as_str()).or_else(|| root["id"].as_str());
    emit::heading(&mut text, 1, title.unwrap_or("JSON Schema"));
    schema::write_body(&mut text, &root, limits);
    for key in ["definitions", "$defs"] {
        for (name, definition) in root[key].as_object().into_iter().flatten() {
            if text.len() > limits.max_text {
                break;
            }
            emit::block(&mut text);
            place::write(&mut text, "section", &format!("{key}/{name}"));
            emit::heading(&mut text, 2, name);
            schema::write_body(&mut text, definition, limits);
        }
    }
    emit::finish(text, limits)
}

/// A description as it stands, its headings below those around it.
fn describe(text: &mut String, description: &Value) {
    let Some(description) = description.as_str().filter(|description| !description.trim().is_empty()) else { return };
    emit::block(text);
    let mut in_code = false;
    for line in place::escape(description.trim()).lines() {
        in_code ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        let marks = line.bytes().take(7).take_while(|&byte| byte == b'#').count();
        if !in_code && (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
            text.extend(std::iter::repeat_n('#', 3.min(6 - marks)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if in_code {
        text.push_str("```\n");
    }
}

/// A description on one line, for an entry of a list.
fn on_one_line(description: &Value) -> String {
    let words = description.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    place::escape(&words).into_owned()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
