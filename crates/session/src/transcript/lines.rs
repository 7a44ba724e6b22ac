//! Lines of JSON, as they come, in bounded memory.

use std::io::{self, BufRead};

use serde_json::Value;

/// The longest line that is read. What an agent can be shown is far below this.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// The lines of an input, counted from one.
pub(super) struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: usize,
    longest: usize,
}

pub(super) struct Line {
    pub(super) number: usize,
    /// Its value, or why it has none.
    pub(super) value: Result<Value, &'static str>,
    /// Its bytes, with the newline if it had one.
    pub(super) raw: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Lines { input, number: 0, longest: LONGEST_LINE }
    }

    pub(super) fn into_input(self) -> &'a mut dyn BufRead {
        self.input
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        let mut raw = Vec::new();
        loop {
            raw.clear();
            let Some(end) = self.read(&mut raw)? else { return Ok(None) };
            self.number += 1;
            let value = match end {
                End::TooLong => Err("the line is longer than what is read of one line"),
                _ if trimmed(&raw).is_empty() => continue,
                End::Newline => parsed(trimmed(&raw), false),
                End::Input => parsed(trimmed(&raw), true),
            };
            if matches!(end, End::Newline) {
                raw.push(b'\n');
            }
            return Ok(Some(Line { number: self.number, value, raw }));
        }
    }

    /// Reads up to the end of a line; `None` at the end of the input.
    fn read(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<End>> {
        let (mut any, mut too_long) = (false, false);
        loop {
            let available = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if available.is_empty() {
                return Ok(any.then_some(if too_long { End::TooLong } else { End::Input }));
            }
            any = true;
            let newline = available.iter().position(|&byte| byte == b'\n');
            let part = &available[..newline.unwrap_or(available.len())];
            too_long |= bytes.len() + part.len() > self.longest;
            if too_long {
                bytes.clear();
            } else {
                bytes.extend_from_slice(part);
            }
            let used = part.len() + usize::from(newline.is_some());
            self.input.consume(used);
            if newline.is_some() {
                return Ok(Some(if too_long { End::TooLong } else { End::Newline }));
            }
        }
    }
}

enum End {
    Newline,
    Input,
    TooLong,
}

/// Without white space, a byte order mark, and the NULs that a crash leaves in a file.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let start = line.iter().position(|byte| !is_blank(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !is_blank(byte)).map_or(start, |last| last + 1);
    &line[start..end]
}

fn parsed(text: &[u8], last: bool) -> Result<Value, &'static str> {
    let error = match serde_json::from_slice(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    if let Some(value) = mended(text).and_then(|text| serde_json::from_slice(&text).ok()) {
        return Ok(value);
    }
    Err(match error.classify() {
        serde_json::error::Category::Eof if last => "the file is cut off in this line",
        serde_json::error::Category::Eof => "the line is cut off",
        _ if str::from_utf8(text).is_err() => "the line is not UTF-8",
        _ => "the line is not JSON",
    })
}

/// Replaces halves of surrogate pairs, which programs write that cut text by UTF-16; `None` if there are none.
fn mended(text: &[u8]) -> Option<Vec<u8>> {
    let mut mended = text.to_vec();
    let mut changed = false;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        at += match (rest.first(), code_unit(rest)) {
            (_, Some(0xD800..=0xDBFF)) if matches!(code_unit(&rest[6..]), Some(0xDC00..=0xDFFF)) => 12,
            (_, Some(0xD800..=0xDFFF)) => {
                mended[at + 2..at + 6].copy_from_slice(b"fffd");
                changed = true;
                6
            }
            (Some(b'\\'), _) => 2,
            _ => 1,
        };
    }
    changed.then_some(mended)
}

/// The UTF-16 unit of an escape `\uXXXX` at the start.
fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read(bytes: &[u8], longest: usize) -> Vec<(usize, Result<Value, &'static str>)> {
        // A small buffer, so that lines go over several of them.
        let mut input = BufReader::with_capacity(3, bytes);
        let mut lines = Lines { input: &mut input, number: 0, longest };
        std::iter::from_fn(|| lines.next().unwrap()).map(|line| (line.number, line.value)).collect()
    }

    #[test]
    fn lines_are_counted_and_what_is_no_json_says_why() {
        let lines = read(b"\xef\xbb\xbf{\"a\":1}\n\n\0\0[2]\r\n\0\n{\"b\n\xff\nnope\n{\"cut", 100);
        let expected = [
            (1, Ok(serde_json::json!({"a": 1}))),
            (3, Ok(serde_json::json!([2]))),
            (5, Err("the line is cut off")),
            (6, Err("the line is not UTF-8")),
            (7, Err("the line is not JSON")),
            (8, Err("the file is cut off in this line")),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_without_being_kept() {
        let long = format!("\"{}\"\n1\n\"{}\"", "x".repeat(50), "y".repeat(50));
        let lines = read(long.as_bytes(), 20);
        let why = "the line is longer than what is read of one line";
        assert_eq!(lines, [(1, Err(why)), (2, Ok(Value::from(1))), (3, Err(why))]);
    }

    #[test]
    fn half_a_surrogate_pair_costs_one_character_not_the_line() {
        for (text, expected) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00b""#, "\u{fffd}b"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\\ud83d""#, r"\ud83d"),
        ] {
            assert_eq!(parsed(text.as_bytes(), false), Ok(Value::from(expected)), "{text}");
        }
    }
}
