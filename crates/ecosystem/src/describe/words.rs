//! Texts from manifests, made fit to be shown.

/// Names longer than this are none.
const MAX_NAME: usize = 214;
/// Versions, licenses and the like.
const MAX_SHORT: usize = 200;
/// Descriptions and first paragraphs.
const MAX_PROSE: usize = 600;

/// A name, if it can be one: short, without spaces and nothing a terminal would obey.
pub(super) fn name(text: &str) -> Option<String> {
    let text = text.trim();
    let odd = |c: char| c.is_whitespace() || is_hidden(c);
    (!text.is_empty() && text.len() <= MAX_NAME && !text.contains(odd)).then(|| text.to_owned())
}

/// A version, a license or a title on one line.
pub(super) fn short(text: &str) -> Option<String> {
    one_line(&without_users(text), MAX_SHORT)
}

/// A sentence or a paragraph on one line.
pub(super) fn prose(text: &str) -> Option<String> {
    one_line(&without_users(text), MAX_PROSE)
}

fn one_line(text: &str, most: usize) -> Option<String> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.chars().count() > most {
            break;
        }
        let word: String = word.chars().filter(|c| !is_hidden(*c)).take(most + 1).collect();
        if !line.is_empty() && !word.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    if line.chars().count() > most {
        line = line.chars().take(most).collect();
        line.push('…');
    }
    (!line.is_empty()).then_some(line)
}

/// What has no shape of its own but changes how the text around it is shown.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Addresses without the user and the password in front of their host.
fn without_users(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        clean.push_str(before);
        let end = after.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '?' | '#'));
        let authority = &after[..end.unwrap_or(after.len())];
        rest = match authority.rfind('@') {
            Some(user) => &after[user + 1..],
            None => after,
        };
    }
    clean.push_str(rest);
    clean
}

pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert_eq!(name(" @a/b ").as_deref(), Some("@a/b"));
        for text in ["", " ", "a b", "a\u{1b}[0m", "a\u{202e}b", &"a".repeat(300)] {
            assert_eq!(name(text), None, "{text:?}");
        }
    }

    #[test]
    fn prose_is_one_line_of_bounded_length() {
        assert_eq!(prose("  a\n\tb \u{1b}c\u{7} ").as_deref(), Some("a b c"));
        assert_eq!(prose(" \n "), None);
        let long = prose(&"é ".repeat(5_000)).unwrap();
        assert_eq!(long.chars().count(), MAX_PROSE + 1);
        assert!(long.ends_with('…'));
        assert_eq!(prose(&"x".repeat(5_000)).unwrap().chars().count(), MAX_PROSE + 1);
    }

    #[test]
    fn passwords_are_taken_out_of_addresses() {
        let cases = [
            ("git+https://me:secret@example.org/a.git@v1", "git+https://example.org/a.git@v1"),
            ("https://example.org/@scope/a", "https://example.org/@scope/a"),
            ("a://b@c d://e:f@g", "a://c d://g"),
            ("https://x:a@b@host/", "https://host/"),
            ("^1.2", "^1.2"),
            ("://", "://"),
        ];
        for (text, expected) in cases {
            assert_eq!(short(text).as_deref(), Some(expected));
        }
    }
}
