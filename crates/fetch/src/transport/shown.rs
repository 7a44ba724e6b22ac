//! Text that is safe to show.

use std::error::Error;

use url::Url;

/// A URL as it may be printed and logged: without user info, query and fragment, each of which may hold a secret.
pub fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // These fail for URLs that can't have such parts, such as `data:`; then there is nothing to take out.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    bounded(url.as_str())
}

/// What went wrong, from the outermost cause to the innermost, without what says nothing.
pub(super) fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut parts: Vec<String> = Vec::new();
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        let says_something = !text.starts_with("client error (") && text != "error resolving DNS";
        // Many errors repeat their cause in their own text.
        if says_something && !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        cause = inner.source();
    }
    if parts.is_empty() {
        parts.push(error.to_string());
    }
    bounded(&parts.join(": "))
}

/// Some of this comes from the other side, so control characters and length are not left to it.
pub(super) fn bounded(text: &str) -> String {
    const LONGEST: usize = 500;
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut out: String = text.chars().take(LONGEST).map(clean).collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_url_are_not_shown() {
        for (url, expected) in [
            ("https://me:hush@a.com:8443/p/q?token=hush#hush", "https://a.com:8443/p/q"),
            ("https://a.com", "https://a.com/"),
            ("data:text/plain,x?hush", "data:text/plain,x"),
        ] {
            assert_eq!(shown(&Url::parse(url).unwrap()), expected);
        }
        let long = format!("https://a.com/{}", "x".repeat(10_000));
        assert_eq!(shown(&Url::parse(&long).unwrap()).chars().count(), 501);
        assert_eq!(bounded("a\u{1b}[31m\nb"), "a\u{fffd}[31m\u{fffd}b");
    }
}
