//! What a reader of MDX sees of a component: the text between its tags, and what it is given as a title or a label.

use std::ops::Range;

use ai_assist_syntax::structure::Structure;

/// Attributes whose value is shown.
const SHOWN: &[&str] = &[
    "title", "label", "alt", "caption", "summary", "description", "heading", "header", "subtitle", "text", "name",
    "question", "answer", "tooltip", "placeholder", "aria-label",
];

/// A tag with its attributes is not followed further.
const LONGEST_TAG: usize = 8192;

/// Hides the tags in a part of a text that is no listing, but for what they show.
pub(super) fn hide(text: &str, part: Range<usize>, found: &mut Structure) {
    let bytes = text.as_bytes();
    let end = part.end.min(bytes.len());
    let mut at = part.start;
    while at < end {
        at = match bytes[at] {
            b'`' => after_code(text, at, end),
            b'{' if bytes[at..end].starts_with(b"{/*") => comment(text, at, end, "*/}", found),
            b'<' if bytes[at..end].starts_with(b"<!--") => comment(text, at, end, "-->", found),
            b'<' => tag(text, at, end, found),
            _ => at + 1,
        };
    }
}

/// Goes past a span of code, or past back-ticks that open none.
fn after_code(text: &str, at: usize, end: usize) -> usize {
    let ticks = text.as_bytes()[at..end].iter().take_while(|&&byte| byte == b'`').count();
    let from = at + ticks;
    let until = text.floor_char_boundary(end.min(from + 1000));
    let (mark, rest) = (&text[at..from], &text[from..until]);
    match rest.find(mark) {
        Some(close) if !rest[..close].contains("\n\n") => from + close + ticks,
        // What was looked at for nothing is not looked at again for each back-tick in it.
        _ if ticks > 1 => from,
        _ => rest.find("\n\n").map_or(from, |blank| from + blank),
    }
}

fn comment(text: &str, at: usize, end: usize, close: &str, found: &mut Structure) -> usize {
    let after = text[at..end].find(close).map_or(end, |close_at| at + close_at + close.len());
    found.hide(at..after, false);
    after
}

/// Hides the tag that starts with the `<` at `at`, and says where to go on.
fn tag(text: &str, at: usize, end: usize, found: &mut Structure) -> usize {
    let bytes = text.as_bytes();
    let name = at + 1 + usize::from(bytes.get(at + 1) == Some(&b'/'));
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'.' | b'-' | b'_' | b':');
    let length = bytes[name.min(end)..end].iter().take_while(is_name).count();
    let fragment = bytes.get(name) == Some(&b'>');
    let ends = bytes.get(name + length).is_some_and(|byte| byte.is_ascii_whitespace() || b"/>{".contains(byte));
    let is_address = text[name..name + length].ends_with(':');
    let named = bytes.get(name).is_some_and(u8::is_ascii_alphabetic) && ends && !is_address;
    if !named && !fragment {
        return at + 1;
    }
    let limit = end.min(at + LONGEST_TAG);
    let mut shown: Vec<Range<usize>> = Vec::new();
    let mut here = name + length;
    while here < limit {
        match bytes[here] {
            b'>' => {
                let mut from = at;
                for value in shown {
                    found.hide(from..value.start, false);
                    from = value.end;
                }
                found.hide(from..here + 1, false);
                return here + 1;
            }
            // A tag in a tag: the first one was none.
            b'<' => return here,
            b'"' | b'\'' => here = after_string(bytes, here, limit),
            b'{' => here = after_braces(bytes, here, limit),
            byte if byte.is_ascii_alphabetic() => {
                let word = bytes[here..limit].iter().take_while(is_name).count();
                let attribute = &text[here..here + word];
                here += word;
                shown.extend(value(bytes, here, limit).filter(|_| SHOWN.contains(&attribute)));
            }
            _ => here += 1,
        }
    }
    // Not closed: it is text, which was looked at once.
    limit
}

/// The string in `="…"` or `={"…"}`.
fn value(bytes: &[u8], at: usize, limit: usize) -> Option<Range<usize>> {
    let mut at = at;
    for mark in [b'=', b'{'] {
        at += usize::from(bytes.get(at) == Some(&mark));
    }
    let quote = bytes.get(at).filter(|quote| matches!(quote, b'"' | b'\'' | b'`'))?;
    let length = bytes[at + 1..limit.max(at + 1)].iter().position(|byte| byte == quote)?;
    Some(at + 1..at + 1 + length)
}

fn after_string(bytes: &[u8], at: usize, limit: usize) -> usize {
    let quote = bytes[at];
    bytes[at + 1..limit].iter().position(|&byte| byte == quote).map_or(at + 1, |length| at + length + 2)
}

fn after_braces(bytes: &[u8], at: usize, limit: usize) -> usize {
    let (mut depth, mut here) = (0_usize, at);
    while here < limit {
        match bytes[here] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'"' | b'\'' | b'`' => {
                here = after_string(bytes, here, limit);
                continue;
            }
            _ => {}
        }
        here += 1;
        if depth == 0 {
            return here;
        }
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkKind;
    use ai_assist_syntax::structure::Style;

    fn seen(text: &str) -> String {
        let mut found = Structure::new(Style::Prose, ChunkKind::Text);
        hide(text, 0..text.len(), &mut found);
        let mut shown = text.to_owned();
        for unseen in found.unseen.iter().rev() {
            shown.replace_range(unseen.bytes.clone(), " ");
        }
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn components_are_what_they_show() {
        for (text, expected) in [
            ("<Card title=\"Get started\" href=\"/start\">Do it.</Card>", "Get started Do it."),
            ("<Tabs groupId='os' items={[{ value: 'a', label: \"A\" }]}>\n<Tab label='Linux'>x</Tab>", "Linux x"),
            ("<Img alt={\"A picture\"} src={require('./a.png')} />", "A picture"),
            ("Call `<Foo bar=\"1\">` with `a`.", "Call `<Foo bar=\"1\">` with `a`."),
            ("``a ` <b>`` <i>c</i>", "``a ` <b>`` c"),
            ("a < b and c > d", "a < b and c > d"),
            ("<https://example.org/x> y", "<https://example.org/x> y"),
            ("<>both</>", "both"),
            ("{/* not this */}this<!-- nor that -->", "this"),
            ("<Unclosed title=\"x\" and more", "<Unclosed title=\"x\" and more"),
            ("<A onClick={() => { if (a > b) { c(\"}\") } }}>d</A>", "d"),
            ("<ä>é</ä>", "<ä>é</ä>"),
        ] {
            assert_eq!(seen(text), expected, "{text}");
        }
    }

    #[test]
    fn hostile_markup_takes_linear_time() {
        for piece in ["<a ", "<a {", "<a \"", "`", "``", "<", "{/*", "<a b={'", "<!--"] {
            let text = piece.repeat((1 << 20) / piece.len());
            let started = std::time::Instant::now();
            seen(&text);
            assert!(started.elapsed().as_secs() < 5, "{piece}");
        }
    }
}
