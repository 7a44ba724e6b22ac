//! Tokens of settings and data, by their lines.

use ai_assist_text::{Language, LanguageKind};

use super::{Token, TokenKind};

pub(super) fn tokens(text: &str, language: Language) -> Vec<Token> {
    let comment = match language.name() {
        "json" | "jsonl" => "//",
        "toml" | "yaml" | "ini" | "properties" | "dotenv" | "dockerfile" | "make" | "cmake" => "#",
        _ if language.kind() == LanguageKind::Data => "#",
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        of_line(line, start, comment, &mut found);
        start += line.len();
    }
    found
}

fn of_line(line: &str, start: usize, comment: &str, found: &mut Vec<Token>) {
    let bytes = line.as_bytes();
    let mut add = |from: usize, to: usize, kind| {
        if line.is_char_boundary(from) && line.is_char_boundary(to) && from < to {
            found.push(Token { bytes: start + from..start + to, kind });
        }
    };
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at = (at + 1).min(line.trim_end_matches('\n').len()).max(from + 1);
                let is_key = line.get(at..).is_some_and(|rest| rest.trim_start().starts_with([':', '=']));
                add(from, at, if is_key { TokenKind::Field } else { TokenKind::Text });
            }
            b'#' | b'/' if line.get(at..).is_some_and(|rest| rest.starts_with(comment)) && is_apart(bytes, at) => {
                add(at, line.trim_end().len(), TokenKind::Comment);
                return;
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii() => {
                while at < bytes.len()
                    && (bytes[at].is_ascii_alphanumeric() || b"_-.".contains(&bytes[at]) || !bytes[at].is_ascii())
                {
                    at += 1;
                }
                let (word, rest) = (line.get(from..at).unwrap_or_default(), line.get(at..).unwrap_or_default());
                if rest.trim_start().starts_with([':', '=']) {
                    add(from, at, TokenKind::Field);
                } else if matches!(word, "true" | "false" | "null" | "yes" | "no") {
                    add(from, at, TokenKind::Constant);
                } else if word.bytes().all(|byte| byte.is_ascii_digit() || b".eE-_".contains(&byte)) {
                    add(from, at, TokenKind::Number);
                }
            }
            _ => at += 1,
        }
    }
}

/// Whether nothing but space stands before a place, so that a `#` there begins a comment and is no part of a value.
fn is_apart(bytes: &[u8], at: usize) -> bool {
    at == 0 || bytes[at - 1].is_ascii_whitespace()
}
