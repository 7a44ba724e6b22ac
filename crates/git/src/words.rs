//! What git says when it fails, fit for a message. Used wherever git is run, so that no copy forgets the credentials.

/// The last lines of what git wrote: fit for a message, without credentials and control characters.
pub(crate) fn last_words(stderr: &[u8]) -> String {
    const LINES: usize = 6;
    const CHARACTERS: usize = 300;
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown = lines[lines.len().saturating_sub(LINES)..].iter().map(|line| {
        let line: String = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        // Cut last, so that no half of a password is left behind.
        without_credentials(&line).chars().take(CHARACTERS).collect::<String>()
    });
    let words = shown.collect::<Vec<_>>().join("\n");
    if words.is_empty() { "it gave no reason".to_owned() } else { words }
}

/// Takes out all between `//` and an `@` in the same word. Helpers and proxies write URLs with more in them than ours.
fn without_credentials(line: &str) -> String {
    let words = line.split_inclusive(char::is_whitespace);
    words
        .map(|word| match (word.find("//"), word.rfind('@')) {
            (Some(start), Some(end)) if start < end => format!("{}***{}", &word[..start + 2], &word[end..]),
            _ => word.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_git_are_short_and_clean() {
        for (words, shown) in [
            ("fatal: no\n", "fatal: no"),
            ("", "it gave no reason"),
            (" \r\n\n", "it gave no reason"),
            ("1\n2\n3\n4\n5\n6\n7\n8", "3\n4\n5\n6\n7\n8"),
            ("fatal: 'https://me:s3cret@host/x' not found", "fatal: 'https://***@host/x' not found"),
            ("http://tok@a/ and http://u:p@b@c/", "http://***@a/ and http://***@c/"),
            ("ssh://git@host:22/x", "ssh://***@host:22/x"),
            ("mail me@example.com // now", "mail me@example.com // now"),
            ("remote: \x1b[31mred\x07", "remote: \u{fffd}[31mred\u{fffd}"),
            ("10%\r50%\rdone", "10%\n50%\ndone"),
        ] {
            assert_eq!(last_words(words.as_bytes()), shown);
        }
        assert!(last_words(&b"x".repeat(100_000)).len() <= 300);
        let cut = format!("{} https://u:{}@h", "x".repeat(280), "p".repeat(100));
        assert!(!last_words(cut.as_bytes()).contains("pp"));
        assert_eq!(last_words(b"\xff\xfe"), "\u{fffd}\u{fffd}");
    }
}
