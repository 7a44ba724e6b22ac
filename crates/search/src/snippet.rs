//! The lines of a chunk that show why it was found.

use ai_assist_index::{Terms, terms_of};
use ai_assist_text::LineRange;

/// A few lines of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The lines, without a line end at the end.
    pub text: String,
    pub lines: LineRange,
    /// Byte ranges of `text` that matched a term, in order.
    pub matches: Vec<(usize, usize)>,
}

/// The window of at most `height` lines that holds most of the query's terms, blank lines at its edges left off.
pub fn snippet(text: &str, first_line: u32, terms: &Terms, height: usize) -> Snippet {
    let lines: Vec<&str> = text.lines().collect();
    let found: Vec<Vec<usize>> = lines.iter().map(|line| words_in(line, terms)).collect();
    let height = height.clamp(1, lines.len().max(1));
    let mut best = (0usize, 0usize);
    for start in 0..=lines.len().saturating_sub(height) {
        let mut distinct: Vec<usize> = found[start..(start + height).min(lines.len())].concat();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() > best.0 {
            best = (distinct.len(), start);
        }
        // One scan over a chunk of bounded size: nothing better than all of them can follow.
        if best.0 == terms.words.len() {
            break;
        }
    }
    let mut start = best.1;
    // The first line with a match goes to the top: what follows it says more than what stands before it.
    while best.0 > 0 && height < lines.len() && found[start].is_empty() {
        start += 1;
    }
    let mut end = (start + height).min(lines.len());
    while start < end && lines[start].trim().is_empty() {
        start += 1;
    }
    while end > start && lines[end - 1].trim().is_empty() {
        end -= 1;
    }
    let text = lines[start..end].join("\n");
    let matches = matches_in(&text, terms);
    let offset = |line: usize| first_line.saturating_add(u32::try_from(line).unwrap_or(u32::MAX));
    let lines = LineRange { start: offset(start), end: offset(end.max(start + 1) - 1) };
    Snippet { text, lines, matches }
}

fn words_in(line: &str, terms: &Terms) -> Vec<usize> {
    terms_of(line).iter().filter_map(|(term, _)| terms.words.iter().position(|word| word == term)).collect()
}

/// Whole words of the text that share a term with the query.
fn matches_in(text: &str, terms: &Terms) -> Vec<(usize, usize)> {
    let mut matches = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let bare = word.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
        if !bare.is_empty() && !words_in(bare, terms).is_empty() {
            matches.push((at, at + bare.len()));
        }
        at += word.len();
    }
    matches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    fn cut(text: &str, query: &str, height: usize) -> (String, String, Vec<String>) {
        let query: Query = query.parse().unwrap();
        let snippet = snippet(text, 10, &query.terms, height);
        let matched = snippet.matches.iter().map(|&(from, to)| snippet.text[from..to].to_owned()).collect();
        (snippet.text, snippet.lines.to_string(), matched)
    }

    #[test]
    fn the_window_holds_most_terms() {
        let text = "intro\n\nread a file\nthen parse\nthe end\n";
        assert_eq!(
            cut(text, "parsing files", 2),
            ("read a file\nthen parse".into(), "12-13".into(), vec!["file".into(), "parse".into()])
        );
        assert_eq!(cut(text, "nothing here", 2), ("intro".into(), "10".into(), vec![]));
        assert_eq!(cut("", "x", 3), (String::new(), "10".into(), vec![]));
        assert_eq!(cut("one\r\ntwo", "two", 9).0, "one\ntwo");
    }
}
