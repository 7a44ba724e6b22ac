//! Character references: `&amp;`, `&#233;`.

use std::borrow::Cow;
use std::sync::LazyLock;

/// The names of the HTML standard with their characters in hexadecimal; a `*` marks those that may lack the semicolon.
const TABLE: &str = include_str!("entities.txt");
/// The longest name is 31 characters long.
const MAX_NAME: usize = 32;

struct Entity {
    name: &'static str,
    bare: bool,
    text: String,
}

static ENTITIES: LazyLock<Vec<Entity>> = LazyLock::new(|| {
    let mut entities: Vec<Entity> = TABLE
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, codes)| Entity {
            name: name.trim_end_matches('*'),
            bare: name.ends_with('*'),
            text: codes.split(' ').filter_map(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?)).collect(),
        })
        .collect();
    entities.sort_unstable_by_key(|entity| entity.name);
    entities
});

fn named(name: &str) -> Option<&'static Entity> {
    let at = ENTITIES.binary_search_by_key(&name, |entity| entity.name).ok()?;
    ENTITIES.get(at)
}

/// A text with its references replaced. What is no reference stays as it is; nothing is expanded twice.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else { return text.into() };
    let mut decoded = String::with_capacity(text.len());
    let (mut done, mut at) = (0, first);
    loop {
        if let Some((characters, len)) = reference(&text[at..]) {
            decoded.push_str(&text[done..at]);
            decoded.push_str(&characters);
            done = at + len;
        }
        let from = done.max(at + 1);
        match text[from..].find('&') {
            Some(next) => at = from + next,
            None => break,
        }
    }
    decoded.push_str(&text[done..]);
    decoded.into()
}

/// The characters of a reference at the start of a text, and its length.
fn reference(text: &str) -> Option<(Cow<'static, str>, usize)> {
    let rest = &text[1..];
    if let Some(number) = rest.strip_prefix('#') {
        let (character, len) = numbered(number)?;
        return Some((character.to_string().into(), len + 2));
    }
    let len = rest.bytes().take(MAX_NAME).take_while(u8::is_ascii_alphanumeric).count();
    let name = &rest[..len];
    if rest[len..].starts_with(';')
        && let Some(entity) = named(name)
    {
        return Some((entity.text.as_str().into(), len + 2));
    }
    // `&copy2024`: the longest known name that may stand without its semicolon. In `?a=1&copy=2` it is no reference.
    if rest[len..].starts_with('=') {
        return None;
    }
    (2..=len.min(6)).rev().find_map(|len| {
        let entity = named(&name[..len]).filter(|entity| entity.bare)?;
        Some((entity.text.as_str().into(), len + 1))
    })
}

/// The character of `233;` or `xe9;`, and how long that is.
fn numbered(number: &str) -> Option<(char, usize)> {
    let (digits, radix, prefix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 1),
        None => (number, 10, 0),
    };
    let len = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    if len == 0 {
        return None;
    }
    let code = u32::from_str_radix(&digits[..len], radix).unwrap_or(u32::MAX);
    // The numbers 128 to 159 are meant as windows-1252, as browsers read them.
    let character = match code {
        0x80..=0x9f => encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[code as u8]).0.chars().next(),
        0 => None,
        _ => char::from_u32(code),
    };
    let end = usize::from(digits[len..].starts_with(';'));
    Some((character.unwrap_or('\u{fffd}'), prefix + len + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_characters() {
        let cases = [
            ("a &lt;b&gt; &amp; c", "a <b> & c"),
            ("&#233;&#xE9;&#x1F600;", "\u{e9}\u{e9}\u{1f600}"),
            ("&amp;lt;", "&lt;"),
            ("&copy2024 &nbspx", "\u{a9}2024 \u{a0}x"),
            ("?a=1&copy=2&section=3", "?a=1&copy=2&section=3"),
            ("&nosuchname; & &; &#; &#x;", "&nosuchname; & &; &#; &#x;"),
            ("&#150;&#0;&#99999999;", "\u{2013}\u{fffd}\u{fffd}"),
            ("&NotEqualTilde;", "\u{2242}\u{338}"),
            ("&CounterClockwiseContourIntegral;", "\u{2233}"),
            ("&\u{e9}&", "&\u{e9}&"),
        ];
        for (text, decoded) in cases {
            assert_eq!(decode(text), decoded);
        }
        assert_eq!(ENTITIES.len(), 2125);
    }
}
