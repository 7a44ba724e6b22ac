//! Which characters the bytes of a page stand for.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far into a page a declaration is looked for. Browsers read 1024 bytes; pages with long comments need more.
const HEAD: usize = 4096;

/// The text of a page: by its byte order mark, by what it declares, else UTF-8, else windows-1252.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let declared = declared(&bytes[..bytes.len().min(HEAD)]);
    // Pages in UTF-8 that still declare Latin-1 are common; Latin-1 that happens to be valid UTF-8 is not.
    if declared.is_none_or(|encoding| encoding == WINDOWS_1252)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return text.into();
    }
    declared.unwrap_or(WINDOWS_1252).decode_without_bom_handling(bytes).0
}

fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.to_ascii_lowercase();
    let mut from = 0;
    // `<meta charset=…>`, `<meta http-equiv … content="text/html; charset=…">` and `<?xml … encoding="…"?>`.
    while let Some(at) = find(&head[from..], b"<meta").map(|at| from + at) {
        let end = find(&head[at..], b">").map_or(head.len(), |end| at + end);
        if let Some(encoding) = label_after(&head[at..end], b"charset") {
            return Some(encoding);
        }
        from = end;
    }
    let xml = head.strip_prefix(b"<?xml")?;
    label_after(&xml[..find(xml, b"?>")?], b"encoding")
}

fn label_after(text: &[u8], key: &[u8]) -> Option<&'static Encoding> {
    let rest = &text[find(text, key)? + key.len()..];
    let rest = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quoted = |byte: &u8| matches!(byte, b'"' | b'\'');
    let rest = if rest.first().is_some_and(quoted) { &rest[1..] } else { rest };
    let end = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"-_:.".contains(byte)));
    let encoding = Encoding::for_label(&rest[..end.unwrap_or(rest.len())])?;
    // Whoever could read the declaration did not read UTF-16.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_in_its_encoding() {
        let cases: [(&[u8], &str); 9] = [
            (b"\xef\xbb\xbf<p>\xc3\xa9", "<p>\u{e9}"),
            (b"\xff\xfe<\0p\0>\0\xe9\0", "<p>\u{e9}"),
            (b"<p>\xc3\xa9", "<p>\u{e9}"),
            (b"<p>\xe9\x80", "<p>\u{e9}\u{20ac}"),
            (b"<meta charset=\"iso-8859-2\"><p>\xb1", "<meta charset=\"iso-8859-2\"><p>\u{105}"),
            (
                b"<META http-equiv=content-type content='text/html; charset=koi8-r'>\xc1",
                "<META http-equiv=content-type content='text/html; charset=koi8-r'>\u{430}",
            ),
            (
                b"<?xml version='1.0' encoding='shift_jis'?>\x82\xa0",
                "<?xml version='1.0' encoding='shift_jis'?>\u{3042}",
            ),
            (b"<meta charset=iso-8859-1>\xc3\xa9", "<meta charset=iso-8859-1>\u{e9}"),
            (b"<meta charset=utf-16><p>\xc3\xa9", "<meta charset=utf-16><p>\u{e9}"),
        ];
        for (bytes, text) in cases {
            assert_eq!(decode(bytes), text);
        }
    }
}
