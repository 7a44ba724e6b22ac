//! Names of files as text, without loss.
//!
//! A file name is bytes, an id or a JSON string is Unicode. Valid UTF-8 stands for itself and each byte that is not part
//! of it is written `%XX`. So that no two names share a text, a `%` that would read as such an escape is written `%25`;
//! any other `%` is left alone, because `100%.md` should look like `100%.md`.

use std::borrow::Cow;

pub(crate) fn escape(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    for chunk in name.utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            text.push(c);
            // Looking at the bytes of the whole name: the two digits can't lie beyond the valid part, being ASCII and
            // directly behind, but a `%` at its very end must see what follows.
            if c == '%' && escaped_byte(&rest[at..]).is_some() {
                text.push_str("25");
            }
        }
        for &byte in chunk.invalid() {
            push_escaped(&mut text, byte);
        }
        rest = &rest[chunk.valid().len() + chunk.invalid().len()..];
    }
    text
}

/// The name that a text stands for: the inverse of [`escape`] on everything `escape` makes.
///
/// Other texts decode to something too, so a reader of untrusted text compares with `escape` of the answer.
pub(crate) fn unescape(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('%') {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        match escaped_byte(rest) {
            Some(byte) => {
                name.push(byte);
                rest = &rest[3..];
            }
            None => {
                name.push(*first);
                rest = behind;
            }
        }
    }
    Cow::Owned(name)
}

/// Writes one byte as `%XX`.
pub(crate) fn push_escaped(text: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    text.push('%');
    text.push(DIGITS[usize::from(byte >> 4)] as char);
    text.push(DIGITS[usize::from(byte & 15)] as char);
}

/// The byte that a `%XX` at the very start stands for.
pub(crate) fn escaped_byte(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |b: &u8| (*b as char).to_digit(16);
    // Two hex digits are at most 255.
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_must_be_is_escaped() {
        for (name, text) in [
            (&b"100%.md"[..], "100%.md"),
            (b"a%FF", "a%25FF"),
            (b"a%ff", "a%25ff"),
            (b"a%25", "a%2525"),
            (b"a\xff", "a%FF"),
            (b"%\xff", "%%FF"),
            (b"%4\xff", "%4%FF"),
            (b"%\xe9A", "%%E9A"),
            (b"caf\xc3\xa9 \"x\"\n\t", "café \"x\"\n\t"),
            (b"\xed\xa0\x80", "%ED%A0%80"),
            (b"%", "%"),
            (b"", ""),
        ] {
            assert_eq!(escape(name), text, "{name:?}");
            assert_eq!(unescape(text), name, "{text}");
        }
    }

    /// Names in which `%`, hex digits and broken UTF-8 meet often.
    fn names() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            Just(b'%'),
            Just(b'2'),
            Just(b'5'),
            Just(b'F'),
            Just(b'f'),
            Just(0xc3),
            Just(0xa9),
            Just(0xff),
            any::<u8>().prop_filter("names have no NUL and no slash", |b| !matches!(b, 0 | b'/')),
        ];
        proptest::collection::vec(byte, 0..24)
    }

    proptest! {
        #[test]
        fn every_name_comes_back(name in names()) {
            let text = escape(&name);
            prop_assert_eq!(unescape(&text).into_owned(), name);
        }

        #[test]
        fn no_two_names_share_a_text(a in names(), b in names()) {
            prop_assert_eq!(escape(&a) == escape(&b), a == b);
        }

        #[test]
        fn valid_text_without_percent_stays(name in "[^%]{0,24}") {
            prop_assert_eq!(escape(name.as_bytes()), name);
        }
    }
}
