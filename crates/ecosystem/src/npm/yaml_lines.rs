//! The part of YAML that `pnpm-lock.yaml` and the newer `yarn.lock` are written in: one key on each line, nested by
//! indentation, written by a program.
//!
//! This is no YAML parser. It tells under which keys a line stands and what its value is; lists, inline objects and blocks
//! of text pass by as deeper lines that nobody asks for.

use std::borrow::Cow;

/// Calls `see` for each line that has a key, with the keys above it, itself the last, and its value or `""`.
pub(super) fn each_line<'a>(text: &'a str, mut see: impl FnMut(&[Cow<'a, str>], &Cow<'a, str>)) {
    let mut indents: Vec<usize> = Vec::new();
    let mut path: Vec<Cow<'a, str>> = Vec::new();
    for line in text.lines() {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let Some((key, value)) = key_and_value(body.trim_end()) else { continue };
        while indents.last().is_some_and(|&last| last >= indent) {
            indents.pop();
            path.pop();
        }
        indents.push(indent);
        path.push(key);
        see(&path, &value);
    }
}

/// The key of a line and what follows it; `None` for everything that has no key.
fn key_and_value(body: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    if body.is_empty() || body.starts_with(['#', ':']) || body.starts_with("- ") || body.starts_with("---") {
        return None;
    }
    // A key beyond 1024 characters stands alone after `? `, and its value follows on a line that opens with `:`.
    if let Some(key) = body.strip_prefix("? ") {
        return Some((unquoted(key)?, Cow::Borrowed("")));
    }
    let end = match body.as_bytes()[0] {
        b'"' | b'\'' => quoted_end(body)?,
        _ => body.find(": ").or_else(|| body.strip_suffix(':').map(str::len))?,
    };
    let value = body[end..].strip_prefix(':')?.trim();
    Some((unquoted(&body[..end])?, unquoted(value)?))
}

/// Where a quoted text at the start of a line ends, quote included.
fn quoted_end(body: &str) -> Option<usize> {
    let bytes = body.as_bytes();
    let quote = bytes[0];
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// A text without its quotes. In double quotes the escapes are those of JSON; both programs write it so.
fn unquoted(text: &str) -> Option<Cow<'_, str>> {
    match text.as_bytes().first() {
        Some(b'"') if quoted_end(text) == Some(text.len()) => match text.contains('\\') {
            true => serde_json::from_str(text).ok().map(Cow::Owned),
            false => Some(Cow::Borrowed(&text[1..text.len() - 1])),
        },
        Some(b'\'') if quoted_end(text) == Some(text.len()) => {
            let inside = &text[1..text.len() - 1];
            Some(if inside.contains("''") { Cow::Owned(inside.replace("''", "'")) } else { Cow::Borrowed(inside) })
        }
        _ => Some(Cow::Borrowed(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_with_the_keys_above_them() {
        let text = "\
# a remark
---
a: 1
'b c':
  \"d\\\"e\": 'it''s'
  file:x/y@z: v
  list:
    - one: two
  text: |-
    inner: line

? \"long\"
:
  after: yes
last:\r
";
        let mut seen = Vec::new();
        each_line(text, |path, value| seen.push(format!("{}={value}", path.join(" > "))));
        let expected = [
            "a=1",
            "b c=",
            "b c > d\"e=it's",
            "b c > file:x/y@z=v",
            "b c > list=",
            "b c > text=|-",
            "b c > text > inner=line",
            "long=",
            "long > after=yes",
            "last=",
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn broken_lines_have_no_key() {
        for body in ["\"open: x", "'open", "plain", ":", "?", "\"a\" x", "\"a\"b: c", "- x: y", "\"\\ud800\": x"] {
            assert_eq!(key_and_value(body), None, "{body}");
        }
    }
}
