//! The lines of a text that match.
//!
//! As `rg` has it: a line ends with `\n`, which is not part of it; an empty text has no line, and a final line end opens
//! none. Each line is searched as if it stood alone, so `^`, `$`, `\A` and `\z` are its edges. In fact the whole text is
//! searched at once, which is what makes lines that do not match cost next to nothing; the pattern has been rewritten so
//! that no match can leave its line.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use regex_automata::Input;

use crate::{Effort, Pattern};

/// How much of a text's matches to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub lines: usize,
    /// Matches shown per line. Finding all matches in a line can take its length squared, for patterns made so; this
    /// keeps it at its length times a constant.
    pub matches_per_line: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { lines: usize::MAX, matches_per_line: 64 }
    }
}

/// A line that matches. In a search across lines: the lines of one match, or of several that touch the same lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMatch {
    /// The line's number, from 1.
    pub line: usize,
    /// Where in the text the line is, without its final `\n`.
    pub bytes: Range<usize>,
    /// Where in the text the matches are, one at least, in order and not overlapping.
    pub matches: Vec<Range<usize>>,
}

impl Pattern {
    pub fn is_match(&self, text: &str) -> bool {
        self.first_match(text, 0..text.len()).is_some()
    }

    pub fn matching_lines(&self, text: &str, limits: Limits) -> Vec<LineMatch> {
        self.matching_lines_within(text, limits, &Effort::unbounded()).0
    }

    /// The same with bounded effort, and whether all of the text was searched.
    pub fn matching_lines_within(&self, text: &str, limits: Limits, effort: &Effort<'_>) -> (Vec<LineMatch>, bool) {
        let bytes = text.as_bytes();
        let mut found: Vec<LineMatch> = Vec::new();
        let mut is_whole = true;
        let (mut at, mut line, mut counted) = (0, 1, 0);
        // Past the last line's end there is no line.
        while at <= bytes.len() && found.len() < limits.lines {
            if !effort.go_on() {
                return (found, false);
            }
            let end = self.block_end(bytes, at, effort.block());
            if !effort.affords(&bytes[at..end], |part| _ = self.regex.search(&Input::new(part))) {
                (at, is_whole) = (end + 1, false);
                continue;
            }
            let next = effort.spend(|| match self.first_match(text, at..end) {
                Some(first) => {
                    let matched = self.matched(text, first, limits.matches_per_line);
                    let searched = matched.bytes.end - at;
                    (Some(matched), searched)
                }
                None => (None, end - at),
            });
            let Some(mut matched) = next else {
                at = end + 1;
                continue;
            };
            line += memchr_iter(b'\n', &bytes[counted..matched.bytes.start]).count();
            counted = matched.bytes.start;
            matched.line = line;
            at = matched.bytes.end + 1;
            found.push(matched);
        }
        (found, is_whole)
    }

    /// Where to search to from a place on: to the end of a line, or of the text if matches may go over line ends.
    fn block_end(&self, bytes: &[u8], at: usize, block: usize) -> usize {
        let rest = bytes.get(at.saturating_add(block)..).filter(|_| !self.multiline);
        rest.and_then(|rest| memchr(b'\n', rest)).map_or(bytes.len(), |length| at + block + length)
    }

    /// The first match in a range that lies in a line.
    fn first_match(&self, text: &str, range: Range<usize>) -> Option<Range<usize>> {
        let found = self.regex.search(&Input::new(text).range(range))?.range();
        // Behind the last line's end only an empty match could be found.
        let behind_the_last_line = found.start == text.len() && (text.is_empty() || text.ends_with('\n'));
        (!behind_the_last_line).then_some(found)
    }

    /// The line of a match with the other matches that begin on it; across lines, they may bring more lines in.
    fn matched(&self, text: &str, first: Range<usize>, most: usize) -> LineMatch {
        let bytes = text.as_bytes();
        let start = memrchr(b'\n', &bytes[..first.start]).map_or(0, |end| end + 1);
        let mut found = LineMatch { line: 0, bytes: start..line_end(bytes, &first), matches: vec![first.clone()] };
        let to = if self.multiline { text.len() } else { found.bytes.end };
        let mut all = self.regex.find_iter(Input::new(text).range(first.start..to)).map(|next| next.range());
        // The first is the one that is there already.
        all.next();
        for next in all.take(most.saturating_sub(1)) {
            if next.start > found.bytes.end {
                break;
            }
            found.bytes.end = found.bytes.end.max(line_end(bytes, &next));
            found.matches.push(next);
        }
        found
    }
}

/// The end of the last line that a match has a part in.
fn line_end(bytes: &[u8], found: &Range<usize>) -> usize {
    // A match that ends with a line end has no part in the next line.
    let from = if !found.is_empty() && bytes[found.end - 1] == b'\n' { found.end - 1 } else { found.end };
    memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |length| from + length)
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
