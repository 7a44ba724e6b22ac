//! Numbers and times as people read them, and HTML that is made here.

use std::fmt;

use ai_assist_collections::Freshness;
use jiff::Timestamp;

/// HTML that is escaped already.
#[derive(Debug, Clone, Default)]
pub(crate) struct Markup(pub(crate) String);

impl fmt::Display for Markup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl askama::filters::HtmlSafe for Markup {}

pub(crate) fn escape_into(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Invisible marks that turn the direction of text would let it look like another.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

/// `1234567` as `1,234,567`.
pub(crate) fn number(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or_default().to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 file`, `1,200 files`.
pub(crate) fn count(many: impl TryInto<u64>, noun: &str) -> String {
    let many = many.try_into().unwrap_or_default();
    let noun = match (many, noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o']))) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    format!("{} {noun}", number(many))
}

pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let (mut value, mut unit) = (bytes as f64 / 1000.0, 0);
    while value >= 999.5 && unit < UNITS.len() - 1 {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(value < 10.0);
    format!("{value:.digits$} {}", UNITS[unit])
}

/// How long ago a time of RFC 3339 was, and the time itself to the second.
pub(crate) fn ago(time: &str) -> String {
    let Ok(then) = time.parse::<Timestamp>() else { return time.to_owned() };
    let seconds = (Timestamp::now().as_second() - then.as_second()).max(0);
    match seconds {
        0..=59 => "just now".to_owned(),
        60..=3599 => format!("{} min ago", seconds / 60),
        3600..=86_399 => format!("{} h ago", seconds / 3600),
        86_400..=2_591_999 => count((seconds / 86_400).cast_unsigned(), "day") + " ago",
        _ => then.to_string().chars().take(10).collect(),
    }
}

/// What is to be said of a file that is not what was indexed.
pub(crate) fn stale(freshness: Freshness) -> Option<&'static str> {
    match freshness {
        Freshness::Changed => Some("changed since it was indexed"),
        Freshness::Missing => Some("the file is gone"),
        Freshness::Current | Freshness::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_easy_to_read() {
        assert_eq!((number(1_234_567u64), number(12u64)), ("1,234,567".to_owned(), "12".to_owned()));
        assert_eq!(
            (count(1u64, "file"), count(0u64, "repository")),
            ("1 file".to_owned(), "0 repositories".to_owned())
        );
        assert_eq!(
            [bytes(999), bytes(1_500), bytes(999_700), bytes(25_000_000)],
            ["999 B", "1.5 KB", "1.0 MB", "25 MB"]
        );
        assert_eq!(ago("2001-02-03T04:05:06Z"), "2001-02-03");
    }
}
