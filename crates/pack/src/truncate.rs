//! Cutting a text to a number of bytes: its first lines, a marker, its last lines.

use std::borrow::Cow;

use ai_assist_text::{head, tail};

use crate::types::TruncationConfig;

/// A text that fits, and whether parts of it were left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<'a> {
    pub text: Cow<'a, str>,
    pub truncated: bool,
}

/// Cuts a text to `config.max_file_bytes`, the marker included. A text that fits is left alone.
pub fn truncate<'a>(text: &'a str, config: &TruncationConfig) -> Cut<'a> {
    truncate_to(text, config.max_file_bytes, config)
}

/// Cuts a text to `max` bytes, with the lines and the marker of `config`.
pub fn truncate_to<'a>(text: &'a str, max: usize, config: &TruncationConfig) -> Cut<'a> {
    if text.len() <= max {
        return Cut { text: Cow::Borrowed(text), truncated: false };
    }
    let Some(room) = max.checked_sub(config.truncation_marker.len()) else {
        // No room even for the marker: the flag has to say it alone.
        return Cut { text: Cow::Borrowed(head(text, max)), truncated: true };
    };
    let first = first_lines(text, config.preserve_head_lines);
    // The end starts no earlier than the beginning ends.
    let last = last_lines(&text[first.len()..], config.preserve_tail_lines);
    let (first_room, last_room) = share(first.len(), last.len(), room);
    let (first, last) = (cut_end(first, first_room), cut_start(last, last_room));
    let mut out = String::with_capacity(first.len() + config.truncation_marker.len() + last.len());
    out.push_str(first);
    out.push_str(&config.truncation_marker);
    out.push_str(last);
    Cut { text: Cow::Owned(out), truncated: true }
}

/// Two thirds for the beginning, one for the end; what one does not need goes to the other.
fn share(first: usize, last: usize, room: usize) -> (usize, usize) {
    if first + last <= room {
        return (first, last);
    }
    let last_share = last.min(room / 3);
    let first_share = first.min(room - last_share);
    (first_share, last.min(room - first_share))
}

fn first_lines(text: &str, lines: usize) -> &str {
    match lines {
        0 => "",
        _ => text.match_indices('\n').nth(lines - 1).map_or(text, |(at, _)| &text[..=at]),
    }
}

fn last_lines(text: &str, lines: usize) -> &str {
    if lines == 0 {
        return "";
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.rmatch_indices('\n').nth(lines - 1).map_or(text, |(at, _)| &text[at + 1..])
}

/// At most `max` bytes from the beginning, up to the end of a line unless that costs more than half.
fn cut_end(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let cut = head(text, max);
    match cut.rfind('\n') {
        Some(at) if at + 1 >= cut.len() / 2 => &cut[..=at],
        _ => cut,
    }
}

/// At most `max` bytes from the end, from the beginning of a line unless that costs more than half.
fn cut_start(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let cut = tail(text, max);
    match cut.find('\n') {
        Some(at) if at < cut.len() / 2 => &cut[at + 1..],
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(lines: usize) -> String {
        (1..=lines).map(|n| format!("line {n}\n")).collect()
    }

    #[test]
    fn the_first_and_last_lines_stay() {
        let config = TruncationConfig { max_file_bytes: 2000, ..TruncationConfig::default() };
        let text = numbered(1000);
        let cut = truncate(&text, &config);
        assert!(cut.truncated);
        assert!(cut.text.starts_with("line 1\n"));
        assert!(cut.text.contains("line 100\n\n... [truncated] ...\nline 951\n"), "{}", cut.text);
        assert!(cut.text.ends_with("line 1000\n"));
        let short = numbered(200);
        assert_eq!(truncate(&short, &config), Cut { text: Cow::Borrowed(short.as_str()), truncated: false });
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_inside() {
        let config = TruncationConfig { max_file_bytes: 1000, ..TruncationConfig::default() };
        for text in ["é".repeat(1 << 19), format!("{}\nend\n", "x".repeat(1 << 20))] {
            let cut = truncate(&text, &config);
            assert!(cut.truncated && cut.text.len() <= 1000 && cut.text.len() > 900, "{}", cut.text.len());
            assert!(cut.text.contains("[truncated]"));
        }
    }

    proptest! {
           #[test]
           fn no_limit_is_passed(
               text in prop::collection::vec(("[a-zé日\u{1f600}]{0,30}", "\r?\n?"), 0..60),
               max in 0usize..400,
               first in 0usize..20,
               last in 0usize..20,
               marker in "[a-z.é\n]{0,30}",
           ) {
               let text: String = text.into_iter().map(|(line, end)| line + &end).collect();
               let config = TruncationConfig {
                   max_file_bytes: max,
                   preserve_head_lines: first,
                   preserve_tail_lines: last,
                   truncation_marker: marker.clone(),
                   ..TruncationConfig::default()
               };
               let cut = truncate(&text, &config);
               prop_assert!(cut.text.len() <= max);
               prop_assert_eq!(cut.truncated, text.len() > max);
               if !cut.truncated {
                   prop_assert_eq!(&*cut.text, &*text);
               } else if max >= marker.len() {
                   let fits = |at: usize| {
                       let (first, last) = (&cut.text[..at], &cut.text[at + marker.len()..]);
                       text.starts_with(first) && text.ends_with(last) && first.len() + last.len() < text.len()
                   };
                   let found = (0..=cut.text.len() - marker.len()).any(|at| {
    cut.text.is_char_boundary(at) && cut.text[at..].starts_with(&marker) && fits(at)
    });
    prop_assert!(found);
               }
           }
       }
}
