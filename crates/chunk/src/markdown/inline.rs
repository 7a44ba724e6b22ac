//! Heading text as people read it: without the marks of emphasis, code, links and images.

use ai_assist_text::head;

/// No heading that says something is longer; bounding it here keeps a megabyte of `[` from being looked at twice.
const LONGEST: usize = 1000;

pub(crate) fn plain(raw: &str) -> String {
    let raw = head(raw.trim(), LONGEST);
    let raw = without_attributes(raw);
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        match first {
            '\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => {
                out.push_str(&rest[1..2]);
                taken = 2;
            }
            '`' => {
                let ticks = rest.bytes().take_while(|&byte| byte == b'`').count();
                let (mark, after) = rest.split_at(ticks);
                taken = ticks;
                if let Some(end) = after.find(mark) {
                    out.push_str(&after[..end]);
                    taken = ticks + end + ticks;
                }
            }
            '*' => {}
            '_' | '~' if is_emphasis(&out, &rest[taken..], first) => {}
            '!' if rest.starts_with("![") => {}
            '[' => {}
            ']' => taken += target(&rest[1..]),
            '<' => match rest.find('>') {
                Some(end) if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') => {
                    taken = end + 1;
                }
                _ => out.push(first),
            },
            other => out.push(other),
        }
        rest = &rest[taken..];
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `_` and `~` mark emphasis at the edges of words; inside, as in `snake_case`, they are letters.
fn is_emphasis(before: &str, after: &str, mark: char) -> bool {
    let word = |c: char| c.is_alphanumeric();
    let inside = before.ends_with(word) && after.trim_start_matches(mark).starts_with(word);
    // `~` alone is "about".
    !inside && (mark == '_' || after.starts_with(mark) || before.ends_with(mark))
}

/// The length of a link's `(target)` or `[reference]`.
fn target(after: &str) -> usize {
    let close = match after.as_bytes().first() {
        Some(b'(') => ')',
        Some(b'[') => ']',
        _ => return 0,
    };
    after.find(close).map_or(0, |end| end + 1)
}

/// Cuts a trailing `{#id .class}`.
fn without_attributes(raw: &str) -> &str {
    match raw.strip_suffix('}').and_then(|inner| inner.rsplit_once('{')) {
        Some((before, inner)) if inner.starts_with(['#', '.', ':']) => before.trim_end(),
        _ => raw,
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn headings_read_as_words() {
        for (raw, words) in [
            ("Getting **started**", "Getting started"),
            ("The `Vec<T>` type", "The Vec<T> type"),
            ("[Install](https://a.b/c) now", "Install now"),
            ("![logo](a.png) Name", "logo Name"),
            ("snake_case and _emphasis_", "snake_case and emphasis"),
            ("Options {#options .big}", "Options"),
            ("A <a name=\"x\"></a>B", "A B"),
            ("1 < 2", "1 < 2"),
            (r"\*literal\*", "*literal*"),
            ("[Unreleased]", "Unreleased"),
            ("two\nlines", "two lines"),
            ("`unclosed", "unclosed"),
            ("日本語 *見出し*", "日本語 見出し"),
        ] {
            assert_eq!(plain(raw), words, "{raw}");
        }
    }
}
