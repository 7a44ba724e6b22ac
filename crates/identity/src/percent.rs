//! Percent-encoding in URLs: decoding, and one way to write each octet.

use crate::escape::{escaped_byte, push_escaped};

/// Characters that mean the same whether they are encoded or not (RFC 3986, section 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Characters that stand for themselves in a path. `/` is one of them: a path is encoded as a whole.
fn is_path_character(byte: u8) -> bool {
    is_unreserved(byte)
        || matches!(
            byte,
            b'/' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@'
        )
}

/// The bytes of a path as part of a URL.
pub fn encode_path(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len());
    for &byte in path {
        if is_path_character(byte) { text.push(byte as char) } else { push_escaped(&mut text, byte) }
    }
    text
}

/// The bytes that an encoded text stands for. A `%` without two hex digits behind it stands for itself.
pub fn decode(text: &str) -> Vec<u8> {
    crate::escape::unescape(text).into_owned()
}

/// One spelling of an encoded text: upper-case digits, unreserved characters plain, everything that is not a URL
/// character encoded, and so is a `%` that encodes nothing.
pub(crate) fn normalise(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let encoded = escaped_byte(rest);
        let byte = encoded.unwrap_or(*first);
        let plain = match encoded {
            Some(byte) => is_unreserved(byte),
            None => is_path_character(byte) || matches!(byte, b'?' | b'[' | b']'),
        };
        if plain {
            normal.push(byte as char);
        } else {
            push_escaped(&mut normal, byte);
        }
        rest = if encoded.is_some() { &rest[3..] } else { behind };
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        for (text, normal) in [
            ("/a%7eb/%41", "/a~b/A"),
            ("/a%2fb", "/a%2Fb"),
            ("/100%", "/100%25"),
            ("/%2%65", "/%252e"),
            ("/é \"", "/%C3%A9%20%22"),
            ("q=a+b&c=%3d", "q=a+b&c=%3D"),
        ] {
            assert_eq!(normalise(text), normal, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn normal_forms_are_stable(text in "(%|[0-9A-Fa-f]|é|.){0,20}") {
            let once = normalise(&text);
            proptest::prop_assert_eq!(normalise(&once), once);
        }

        #[test]
        fn every_path_comes_back(path in proptest::collection::vec(proptest::num::u8::ANY, 0..20)) {
            proptest::prop_assert_eq!(decode(&encode_path(&path)), path);
        }
    }
}
