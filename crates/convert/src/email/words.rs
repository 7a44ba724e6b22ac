//! Texts of headers and bodies: encoded words, parameters, transfer encodings, character sets.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Bytes of a header: UTF-8, else what old programs wrote.
pub(super) fn raw(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

pub(super) fn in_charset(bytes: &[u8], charset: &str) -> String {
    let encoding = encoding_rs::Encoding::for_label(charset.trim().as_bytes());
    match (std::str::from_utf8(bytes), encoding) {
        // Seven bits may be a character set that shifts.
        (Ok(text), Some(encoding)) if encoding == encoding_rs::ISO_2022_JP && text.contains('\u{1b}') => {
            encoding.decode_without_bom_handling(bytes).0.into_owned()
        }
        (Ok(text), _) => text.to_owned(),
        (Err(_), encoding) => {
            let encoding = encoding.filter(|encoding| *encoding != encoding_rs::UTF_8);
            match encoding {
                Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
                None => raw(bytes).into_owned(),
            }
        }
    }
}

pub(super) fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut letters: Vec<u8> =
        bytes.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'+' || *byte == b'/').collect();
    // One letter over four says nothing.
    if letters.len() % 4 == 1 {
        letters.pop();
    }
    LENIENT.decode(&letters).unwrap_or_default()
}

pub(super) fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let ended = line.ends_with(b"\n");
        let line = line.trim_ascii_end();
        let soft = line.ends_with(b"=");
        hex_escapes(if soft { &line[..line.len() - 1] } else { line }, b'=', &mut out);
        if ended && !soft {
            out.push(b'\n');
        }
    }
    out
}

/// Puts bytes for `=C3` or `%C3`; what is none stays.
fn hex_escapes(bytes: &[u8], mark: u8, out: &mut Vec<u8>) {
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(code) if bytes[at] == mark => {
                out.push(code);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
}

/// A header's value with its encoded words (`=?utf-8?Q?…?=`) decoded; white space between two of them is not shown.
pub(super) fn decoded(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    let mut after_word = false;
    while let Some(at) = rest.find("=?") {
        let (before, from) = rest.split_at(at);
        if !(after_word && before.trim().is_empty()) {
            out.push_str(before);
        }
        match encoded_word(from) {
            Some((text, length)) => {
                out.push_str(&text);
                rest = &from[length..];
                after_word = true;
            }
            None => {
                out.push_str("=?");
                rest = &from[2..];
                after_word = false;
            }
        }
    }
    out.push_str(rest);
    out.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// The text of an encoded word at the start, and its length. Words are at most 75 bytes long; writers are generous.
fn encoded_word(text: &str) -> Option<(String, usize)> {
    let window = &text[2..text.floor_char_boundary(1000)];
    let (charset, rest) = window.split_once('?')?;
    let (encoding, rest) = rest.split_once('?')?;
    let (payload, _) = rest.split_once("?=")?;
    if charset.contains(char::is_whitespace) || encoding.len() != 1 {
        return None;
    }
    let bytes = match encoding {
        "B" | "b" => base64(payload.as_bytes()),
        "Q" | "q" => {
            let mut bytes = Vec::new();
            hex_escapes(payload.replace('_', " ").as_bytes(), b'=', &mut bytes);
            bytes
        }
        _ => return None,
    };
    let length = "=?".len() + charset.len() + "?".len() + encoding.len() + "?".len() + payload.len() + "?=".len();
    // A language may follow the character set.
    Some((in_charset(&bytes, charset.split('*').next().unwrap_or(charset)), length))
}

/// A parameter of a header: `name=value`, `name="value"`, `name*=utf-8''value`, or in pieces `name*0=…`.
pub(super) fn parameter(value: &str, name: &str) -> Option<String> {
    let mut pieces = String::new();
    for (key, value) in parameters(value) {
        let key = key.to_ascii_lowercase();
        let Some(suffix) = key.strip_prefix(name) else { continue };
        match suffix {
            "" => return Some(decoded(&value)),
            "*" => return Some(extended(&value)),
            _ if suffix.starts_with('*') && suffix.ends_with('*') => pieces.push_str(&extended(&value)),
            _ if suffix.starts_with('*') => pieces.push_str(&value),
            _ => {}
        }
    }
    (!pieces.is_empty()).then_some(pieces)
}

fn extended(value: &str) -> String {
    let mut parts = value.splitn(3, '\'');
    let (charset, _, text) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let mut bytes = Vec::new();
    hex_escapes(text.unwrap_or(value).as_bytes(), b'%', &mut bytes);
    in_charset(&bytes, charset)
}

/// The parameters after the first `;`, quotes removed.
fn parameters(value: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut rest = value.split_once(';').map_or("", |(_, rest)| rest);
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.rsplit(';').next().unwrap_or(name).trim();
        let after = after.trim_start();
        let mut text = String::new();
        let end = if let Some(quoted) = after.strip_prefix('"') {
            let mut end = after.len();
            let mut escaped = false;
            for (at, character) in quoted.char_indices() {
                match character {
                    '\\' if !escaped => escaped = true,
                    '"' if !escaped => {
                        end = at + 2;
                        break;
                    }
                    other => {
                        text.push(other);
                        escaped = false;
                    }
                }
            }
            end
        } else {
            let end = after.find([';', ' ', '\t']).unwrap_or(after.len());
            text.push_str(&after[..end]);
            end
        };
        found.push((name, text));
        rest = &after[end.min(after.len())..];
        if found.len() > 100 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_parameters_are_decoded() {
        for (raw, expected) in [
            ("plain", "plain"),
            ("=?utf-8?Q?a_=C3=A9?= b", "a é b"),
            ("=?UTF-8?B?w6k=?= =?iso-8859-1?q?=E9?=", "éé"),
            ("=?x?Z?y?= =?broken", "=?x?Z?y?= =?broken"),
            ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
        ] {
            assert_eq!(decoded(raw), expected, "{raw}");
        }
        for (header, name, expected) in [
            ("text/plain; charset=utf-8; x=y", "charset", Some("utf-8")),
            ("a/b; name=\"x; \\\"y\\\".txt\"", "name", Some("x; \"y\".txt")),
            ("attachment; filename*=UTF-8''%C3%A9.txt", "filename", Some("é.txt")),
            ("attachment; filename*0=\"a\"; filename*1=\"b.txt\"", "filename", Some("ab.txt")),
            ("text/plain", "charset", None),
        ] {
            assert_eq!(parameter(header, name).as_deref(), expected, "{header}");
        }
        assert_eq!(quoted_printable(b"a=\r\nb=3D =C3=A9 \nend=Z"), "ab= é\nend=Z".as_bytes());
        assert_eq!(base64(b"aGVs\r\nbG8"), b"hello");
    }
}
