//! Private keys in PEM armour, which span lines and so are walked by hand.

pub(super) const ID: &str = "private-key";

/// What the pass with all keywords looks for.
pub(super) const KEYWORD: &str = "PRIVATE KEY";

/// The longest label before the keyword, as in `-----BEGIN OPENSSH PRIVATE KEY-----`.
const LABEL: usize = 40;

/// Fewer base64 characters in a row than this are an illustration, not a key.
const MIN_RUN: usize = 24;

/// The body of the key whose `BEGIN` line has the keyword at `hit`, and where to go on looking.
///
/// The walk stops at the next `-----`, so that however many lines say `BEGIN`, each byte is looked at once.
pub(super) fn body(text: &[u8], hit: usize) -> Option<(usize, usize)> {
    let before = &text[hit.saturating_sub(LABEL + 11)..hit];
    let label = before.rsplit(|&b| b == b'-').next()?;
    if !label.starts_with(b"BEGIN ") || !before.ends_with(&[b"-----", label].concat()) {
        return None;
    }
    let mut start = hit + KEYWORD.len();
    if text[start..].starts_with(b" BLOCK") {
        start += b" BLOCK".len();
    }
    if !text[start..].starts_with(b"-----") {
        return None;
    }
    start += 5;
    let mut end = start;
    // Up to here all was base64, space, or the `\n` of a string literal: where a key without an end is cut off.
    let mut plain_end = None;
    while end < text.len() && !text[end..].starts_with(b"-----") {
        let byte = text[end];
        if plain_end.is_none() && !is_base64(byte) && !byte.is_ascii_whitespace() && byte != b'\\' {
            plain_end = Some(end);
        }
        end += 1;
    }
    if !text[end..].starts_with(b"-----END ") {
        end = plain_end.unwrap_or(end);
    }
    if !is_mostly_key(&text[start..end]) || is_excerpt(&text[start..end]) {
        return None;
    }
    let body = &text[start..end];
    let leading = body.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let trailing = body[leading..].iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
    (leading + trailing < body.len()).then_some((start + leading, end - trailing))
}

/// Whether a body is the first line or two of a key and dots for the rest, as manuals show them.
fn is_excerpt(body: &[u8]) -> bool {
    const LONGEST: usize = 160;
    let mut body = body.trim_ascii_end();
    while let Some(rest) = body.strip_suffix(b"\\n").or_else(|| body.strip_suffix(b"\\")) {
        body = rest.trim_ascii_end();
    }
    body.len() <= LONGEST && (body.ends_with(b".") || body.ends_with("\u{2026}".as_bytes()))
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether long runs of base64 make up at least half: headers, quotes and comment marks are the rest. Prose between a mention
/// of `BEGIN` and one of `END` is not.
fn is_mostly_key(body: &[u8]) -> bool {
    let runs = body.split(|&b| !is_base64(b)).map(<[u8]>::len).filter(|&run| run >= MIN_RUN).sum::<usize>();
    let marks = body.iter().filter(|b| !b.is_ascii_whitespace()).count();
    runs > 0 && runs * 2 >= marks
}
